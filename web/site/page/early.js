// What a page needs first, begun before the rest of the page is there: the two modules are loaded and compiled here, and handed to
// the workers.
import { compile } from "../package/compile.js";

/** Threads of the simulation, where the page may use them. */
export const THREADS = Math.max(1, Math.min(navigator.hardwareConcurrency || 1, 4));

const many = THREADS > 1 && globalThis.crossOriginIsolated === true;
const begin = (path) => compile(new URL(path, import.meta.url)).catch(() => null); // the worker tries again, and tells

/** @type {Promise<WebAssembly.Module | null>} */
export const simulation = begin(`../package/dist/runnel${many ? "-threads" : ""}.wasm`);
/** @type {Promise<WebAssembly.Module | null>} */
export const picture = begin("../picture.wasm");
