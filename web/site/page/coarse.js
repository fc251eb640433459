// A coarse form of a scene: it opens many times faster, and its picture is shown until the scene itself is ready.

const CELLS = 2500; // of a coarse scene, about

/**
 * The width of a coarse cell in cells: one that divides both sides if there is such, so that the scene keeps its size.
 * @param {number} nx @param {number} ny cells of the scene
 */
function widthOf(nx, ny) {
  const wanted = Math.floor(Math.sqrt((nx * ny) / CELLS));
  for (let width = wanted; width < 2 * wanted; width++) if (nx % width === 0 && ny % width === 0) return width;
  return wanted;
}

/**
 * @param {string | Uint8Array} text  of a scene; a checkpoint has no coarse form
 * @returns {string | null} the text with larger cells; null: the scene is small enough, or its cells are not plain numbers
 */
export function coarser(text) {
  if (typeof text !== "string") return null;
  const scene = JSON.parse(text), { cells, cell } = scene.grid ?? {};
  if (!Array.isArray(cells) || cells.length !== 2 || ![...cells, cell].every((number) => typeof number === "number")) return null;
  const width = widthOf(cells[0], cells[1]);
  if (!(width >= 2)) return null;
  scene.grid = { ...scene.grid, cells: cells.map((count) => Math.ceil(count / width)), cell: cell * width };
  return JSON.stringify(scene);
}
