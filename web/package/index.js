// runnel as an ES module, for browsers, bundlers and node 18 or later. README.md has an example.
import { compile, instantiate } from "./compile.js";
import { Memory, removeFolder } from "./memory.js";
import { Scene } from "./scene.js";

const inNode = typeof process === "object" && !!process.versions?.node && typeof window === "undefined";

/** Whether threads can be used here: in node, and in a page that is cross-origin isolated. */
export function canUseThreads() {
  return typeof SharedArrayBuffer === "function" && (inNode || globalThis.crossOriginIsolated === true);
}

/** What starts a thread: a class like Worker in node, nothing elsewhere, where there is Worker itself. */
async function workerClass() {
  if (!inNode) return {};
  const file = "./node-worker.js";
  const { NodeWorker } = await import(/* @vite-ignore */ /* webpackIgnore: true */ file);
  return { Worker: NodeWorker };
}

/** Loads the module. threads: how many to use with the caller, where canUseThreads(); default 1. compiled: the WebAssembly file of
    this many threads, if the caller has compiled it already. */
export async function load({ threads = 1, compiled = null, print = () => {} } = {}) {
  const many = threads > 1 && canUseThreads();
  const printed = [];
  const keep = (text) => {
    printed.push(text);
    if (printed.length > 100) printed.shift();
    print(text);
  };
  const url = many
    ? new URL("./dist/runnel-threads.wasm", import.meta.url)
    : new URL("./dist/runnel.wasm", import.meta.url);
  const [ready, { default: factory }] = await Promise.all([
    compiled ?? compile(url),
    many ? import("./dist/runnel-threads.js") : import("./dist/runnel.js"),
  ]);
  const module = await instantiate(factory, ready,
    { ...(many ? await workerClass() : {}), helpers: threads - 1, print: keep, printErr: keep });
  if (!module._runnel_start(many ? threads : 1)) throw new Error("there is not enough memory to start");
  return new Runnel(module, printed, many ? threads : 1);
}

export class Runnel {
  #module;
  #memory;
  #printed;
  #opened = 0;

  /** Use load(). */
  constructor(module, printed, threads) {
    this.#module = module;
    this.#memory = new Memory(module);
    this.#printed = printed;
    this.threads = threads;
    this.hasEngine = false;
  }

  /** Lets an engine of the host move rigid bodies; README.md says what it must do. Before the first scene with bodies. */
  setEngine(make) {
    this.#module.rigid = make(this.#memory);
    this.hasEngine = true;
  }

  #fail(folder) {
    throw new Error(this.#memory.text(this.#module._runnel_error()).replaceAll(`${folder}/`, ""));
  }

  #folder() {
    const folder = `/scene${++this.#opened}`;
    this.#module.FS.mkdir(folder);
    return folder;
  }

  #write(folder, files) {
    for (const [name, content] of Object.entries(files)) {
      const parts = name.split("/").filter((part) => part && part !== "." && part !== "..");
      for (let i = 1; i < parts.length; i++) {
        const parent = `${folder}/${parts.slice(0, i).join("/")}`;
        if (!this.#module.FS.analyzePath(parent).exists) this.#module.FS.mkdir(parent);
      }
      this.#module.FS.writeFile(`${folder}/${parts.join("/")}`, content);
    }
  }

  /** Opens a scene: JSON text, an object, or the bytes of a checkpoint. files: what the scene names, by path; poses: a
      file of poses that moves the bodies. */
  open(scene, { name = "scene", files = {}, poses = null } = {}) {
    const folder = this.#folder();
    const checkpoint = scene instanceof Uint8Array;
    const path = `${folder}/${name}.${checkpoint ? "rnl" : "json"}`;
    this.#write(folder, files);
    this.#module.FS.writeFile(path, checkpoint || typeof scene === "string" ? scene : JSON.stringify(scene, null, 2));
    if (poses) this.#module.FS.writeFile(`${folder}/poses`, poses);
    const texts = [checkpoint ? null : path, checkpoint ? path : null, poses ? `${folder}/poses` : null];
    const address = this.#memory.with(texts, (...at) => this.#module._runnel_open(...at));
    if (!address) {
      removeFolder(this.#module.FS, folder);
      this.#fail(folder);
    }
    return new Scene(this.#module, this.#memory, address, folder);
  }

  /** Makes a scene that pours liquid over a mesh (STL, OBJ, PLY, OFF) or a terrain (PNG, ASCII grid). Returns it as JSON
      text with the files that it needs, for open(). cells: along the longer side; 0: chosen. */
  sceneOf(name, bytes, { cells = 0 } = {}) {
    const folder = this.#folder();
    const file = name.replace(/[^\w.-]/g, "_");
    this.#module.FS.writeFile(`${folder}/${file}`, bytes);
    this.#printed.length = 0;
    const found = this.#memory.with([`${folder}/${file}`, folder], (geometry, out) =>
      this.#memory.text(this.#module._runnel_scene_of(geometry, out, cells)));
    const text = found && this.#module.FS.readFile(found, { encoding: "utf8" });
    removeFolder(this.#module.FS, folder);
    if (!found) throw new Error(this.#printed.join(" ").replaceAll(`${folder}/`, "") || `${name} cannot be read`);
    return { text: text.replaceAll(`${folder}/`, ""), files: { [file]: bytes } };
  }
}

export { Scene };
