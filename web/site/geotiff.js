// GeoTIFF as an ASCII grid, by the package geotiff, which is loaded with the first such file.

const MOST = 4e6; // heights

/** The bytes of an ASCII grid of the heights in a GeoTIFF. Throws an Error with a sentence for people. */
export async function readGeoTiff(bytes) {
  const { fromArrayBuffer } = await import("./vendor/geotiff.js");
  let image, heights;
  try {
    image = await (await fromArrayBuffer(bytes.buffer)).getImage();
    if (image.getWidth() * image.getHeight() > MOST) throw new Error(`it has ${image.getWidth()} × ${image.getHeight()} heights; at most ${MOST} fit`);
    [heights] = await image.readRasters({ samples: [0] });
  } catch (error) {
    throw new Error(`this GeoTIFF cannot be read: ${error.message}`);
  }
  const width = image.getWidth(), height = image.getHeight(), none = image.getGDALNoData() ?? -9999;
  let [west, south] = [0, 0], cell = 1;
  try {
    const [x0, y0, x1] = image.getBoundingBox();
    cell = (x1 - x0) / width;
    [west, south] = [x0, y0];
    if (image.geoKeys?.GTModelTypeGeoKey === 2) cell *= 111320; // degrees of latitude
  } catch { /* no place: cells of 1 m */ }
  const rows = [];
  for (let y = 0; y < height; y++) rows.push(Array.from(heights.subarray(y * width, (y + 1) * width), (value) => Number.isFinite(value) ? value : none).join(" "));
  return new TextEncoder().encode(`ncols ${width}\nnrows ${height}\nxllcorner ${west}\nyllcorner ${south}\ncellsize ${cell}\nNODATA_value ${none}\n${rows.join("\n")}\n`);
}
