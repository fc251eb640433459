// Files that the user drops on the page or chooses: what each becomes.
import { element } from "./dom.js";
import * as format from "./format.js";
import { namedFiles } from "./named.js";
import { parseScene } from "./share.js";
import { gridOf } from "./terrain.js";

export const LARGEST = 100e6; // bytes of all files together
const LARGEST_SCENE = 16 * 1024 * 1024;
const CELLS = 200; // along the longer side of a mesh or terrain

const MESHES = ["stl", "obj", "ply", "off"];
const TERRAINS = ["png", "asc"];
const ACCEPTED = [...MESHES, ...TERRAINS, "tif", "tiff", "json", "rnl"];
const KINDS = "STL, OBJ or PLY (meshes), PNG, GeoTIFF or ASCII grid (terrains), JSON (scenes) or .rnl (checkpoints)";

const endingOf = (name) => (name.includes(".") ? name.split(".").pop().toLowerCase() : "");
const leafOf = (name) => name.split("/").pop();

/**
 * The request that opens files. Throws a sentence if they cannot be opened.
 * @param {File[]} files
 * @returns {Promise<{request: object, title: string}>}
 */
export async function requestOf(files) {
  const size = files.reduce((sum, file) => sum + file.size, 0);
  const main = files.find((file) => endingOf(file.name) === "json") ?? files.find((file) => ACCEPTED.includes(endingOf(file.name)));
  if (!main) throw new Error(`${files[0]?.name ?? "This"} is of a kind that cannot be opened here. Use ${KINDS}.`);
  if (size > LARGEST) {
    throw new Error(`${main.name} has ${format.bytes(size)}; the page opens files of up to ${format.bytes(LARGEST)}. The runnel command has no such limit.`);
  }
  if (main.size === 0) throw new Error(`${main.name} is empty.`);
  const ending = endingOf(main.name);
  const title = main.name.replace(/\.[^.]*$/, "");
  if (ending === "json") return { request: await sceneOf(main, files), title };
  const bytes = await main.arrayBuffer();
  if (ending === "rnl") return { request: { checkpoint: bytes }, title };
  if (ending === "png") await checkPicture(main);
  const geometry = ending.startsWith("tif") ? await gridOf(main.name, bytes) : { name: main.name, bytes };
  return { request: { geometry, cells: CELLS }, title };
}

/** A scene with the files that it names, which must have been given with it. */
async function sceneOf(main, files) {
  if (main.size > LARGEST_SCENE) throw new Error(`${main.name} has ${format.bytes(main.size)}; a scene may have 16 MB.`);
  const text = await main.text();
  const names = namedFiles(parseScene(text, main.name));
  const found = names.map((name) => ({ name, file: files.find((file) => leafOf(file.name) === leafOf(name)) }));
  const missing = found.filter(({ file }) => !file).map(({ name }) => name);
  if (missing.length > 0) throw new Error(`${main.name} uses ${missing.join(", ")}. Drop the scene together with these files.`);
  return { text, files: await Promise.all(found.map(async ({ name, file }) => ({ name, bytes: await file.arrayBuffer() }))) };
}

/** Throws a sentence if the browser cannot decode a picture. */
async function checkPicture(file) {
  try {
    (await createImageBitmap(file)).close();
  } catch {
    throw new Error(`${file.name} is not a PNG picture that can be read.`);
  }
}

/** Opens what is dropped on the page or chosen with the button. @param {(files: File[]) => void} open */
export function acceptFiles(open) {
  const veil = element("dropping");
  let depth = 0;
  const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  addEventListener("dragenter", (event) => {
    if (hasFiles(event)) veil.hidden = ++depth === 0;
  });
  addEventListener("dragleave", (event) => {
    if (hasFiles(event)) veil.hidden = (depth = Math.max(0, depth - 1)) === 0;
  });
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    depth = 0;
    veil.hidden = true;
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length > 0) open(files);
  });
  const input = element("file");
  input.accept = ACCEPTED.map((ending) => `.${ending}`).join(",");
  input.multiple = true;
  element("open").addEventListener("click", () => input.click());
  input.addEventListener("change", () => {
    const files = [...input.files];
    input.value = "";
    if (files.length > 0) open(files);
  });
}
