// GeoTIFF terrains as ESRI ASCII grids, which the simulation reads. The reader comes from npm (geotiff) and is loaded
// with the first such file.

const MOST = 2048; // samples along a side; larger terrains are thinned out
const MOST_PIXELS = 64e6; // of a file, all of which are read
const EARTH = 111320; // m of a degree of latitude

/** The reader: the package geotiff, bundled by web/make-site. */
const loadReader = () =>
  import(/** @type {any} */ ("../vendor/geotiff.js")).catch(() => {
    throw new Error("The reader of GeoTIFF files could not be loaded. Try again with a connection.");
  });

/** Metres between samples along x and y: the image's own, or degrees made into metres at its latitude. */
function spacingOf(image) {
  try {
    const [x, y] = image.getResolution().map(Math.abs);
    const keys = image.getGeoKeys() ?? {};
    if (keys.GTModelTypeGeoKey !== 2) return [x || 1, y || x || 1];
    const [, south, , north] = image.getBoundingBox();
    return [x * EARTH * Math.cos((((south + north) / 2) * Math.PI) / 180) || 1, y * EARTH || 1];
  } catch {
    return [1, 1];
  }
}

/**
 * Reads the first band of a GeoTIFF.
 * @param {string} name @param {ArrayBuffer} bytes
 * @returns {Promise<{name: string, bytes: ArrayBuffer}>} an ASCII grid
 */
export async function gridOf(name, bytes) {
  const reader = await loadReader();
  let image, heights;
  try {
    image = await (await reader.fromArrayBuffer(bytes)).getImage();
    if (image.getWidth() * image.getHeight() > MOST_PIXELS) throw new Error(`it has more than ${MOST_PIXELS / 1e6} million pixels`);
    [heights] = await image.readRasters({ samples: [0] });
  } catch (error) {
    throw new Error(`${name} is not a GeoTIFF that can be read here (${/** @type {Error} */ (error).message}).`);
  }
  const [width, height] = [image.getWidth(), image.getHeight()];
  const skip = Math.ceil(Math.max(width, height) / MOST);
  const [columns, rows] = [Math.floor(width / skip), Math.floor(height / skip)];
  const [dx, dy] = spacingOf(image);
  const missing = image.getGDALNoData?.() ?? -9999;
  const lines = [
    `ncols ${columns}`,
    `nrows ${rows}`,
    "xllcorner 0",
    "yllcorner 0",
    `dx ${dx * skip}`,
    `dy ${dy * skip}`,
    `NODATA_value ${missing}`,
  ];
  for (let y = 0; y < rows; y++) {
    const line = new Array(columns);
    for (let x = 0; x < columns; x++) line[x] = text(heights[y * skip * width + x * skip], missing);
    lines.push(line.join(" "));
  }
  const grid = new TextEncoder().encode(`${lines.join("\n")}\n`);
  return { name: name.replace(/\.tiff?$/i, ".asc"), bytes: grid.buffer };
}

const text = (height, missing) => (Number.isFinite(height) ? String(height) : String(missing));
