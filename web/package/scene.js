// A scene and its world. Every method that fails throws an Error whose message names the key or file, what was wrong and
// what would be right.

import { removeFolder } from "./memory.js";

const NUMBERS = ["frame", "time", "steps", "substeps", "dt", "fastest", "deepest", "flooded", "bodies", "poured",
  "drained", "left", "displaced", "bodyOffset", "refused", "present", "drift"];
const FIELDS = ["depth", "fluxX", "fluxY", "base", "ceil"];
const MESHES = ["ground", "surface", "bodies"];
// The members of rn_mesh, in order: [name, values per vertex].
const ARRAYS = [["positions", 3], ["normals", 3], ["colours", 3], ["opacity", 1], ["velocities", 3], ["menisci", 4],
  ["ids", 1], ["indices", 0]];

export class Scene {
  #module;
  #memory;
  #scene;
  #folder;

  /** Use Runnel.open. */
  constructor(module, memory, scene, folder) {
    this.#module = module;
    this.#memory = memory;
    this.#scene = scene;
    this.#folder = folder;
  }

  get #address() {
    if (!this.#scene) throw new Error("the scene is closed");
    return this.#scene;
  }

  #check(fine) {
    if (!fine) throw new Error(this.#memory.text(this.#module._runnel_error()));
    return fine;
  }

  /** Title, length, box, views, probes, grid and liquid. */
  describe() {
    return JSON.parse(this.#memory.text(this.#check(this.#module._runnel_describe(this.#address))));
  }

  /** The scene as JSON text, as it was opened and changed since. */
  text() {
    return JSON.stringify(JSON.parse(this.#memory.text(this.#check(this.#module._runnel_text(this.#address)))), null, 2);
  }

  /** Runs one frame. */
  step() {
    this.#check(this.#module._runnel_step(this.#address));
  }

  /** Performs an action: "pour X Y Z RADIUS RATE", "suck …", "rain RATE", "push X Y RADIUS AX AY", "release",
      "drop X Y Z SIZE box|duck|log|car", "drag BODY X Y Z", "dig X Y Z RADIUS", "raise X Y Z RADIUS",
      "set KEY=VALUE". SI units. */
  act(action) {
    this.#memory.with([action], (text) => this.#check(this.#module._runnel_act(this.#address, text)));
  }

  /** Adds a body, an object as in the list "bodies" of a scene. */
  addBody(body) {
    this.#memory.with([JSON.stringify(body)], (text) => this.#check(this.#module._runnel_add_body(this.#address, text)));
  }

  /** The pose of a body, by its number from 0: position (m), rotation as x, y, z, w, velocity (m/s) and spin (rad/s). */
  body(number) {
    const values = [...this.#memory.doubles(this.#check(this.#module._runnel_body(this.#address, number)), 13)];
    return { at: values.slice(0, 3), turn: values.slice(3, 7), velocity: values.slice(7, 10), spin: values.slice(10) };
  }

  /** The hash of the state, 16 hexadecimal digits: the same as in every other build of runnel. */
  hash() {
    return this.#memory.text(this.#module._runnel_hash(this.#address));
  }

  /** Time, volumes and figures of the last step. Volumes in m³; drift is exactly 0, except in a 3D liquid. */
  numbers() {
    const values = this.#memory.doubles(this.#module._runnel_numbers(this.#address), NUMBERS.length);
    return Object.fromEntries(NUMBERS.map((name, i) => [name, values[i]]));
  }

  /** What the probes of the scene measure: level (m) and speed (m/s), or discharge (m³/s) and volume passed (m³). */
  probes() {
    const { probes } = this.describe();
    const address = this.#check(this.#module._runnel_probes(this.#address));
    const values = this.#memory.doubles(address, 2 * probes.length);
    return probes.map(({ name, section }, i) => ({ name, section, values: [values[2 * i], values[2 * i + 1]] }));
  }

  /** A field of the columns without a copy: data[layer * layerStride + y * rowStride + x]. Valid until the next step. */
  field(name) {
    const index = FIELDS.indexOf(name);
    if (index < 0) throw new Error(`there is no field "${name}"; there are ${FIELDS.join(", ")}`);
    const [data, rowStride, layerStride, cellsX, cellsY, layers] =
      this.#memory.words(this.#module._runnel_view(this.#address, index), 6);
    this.#check(data);
    const size = (layers - 1) * layerStride + (cellsY - 1) * rowStride + cellsX;
    return { data: this.#memory.floats(data, size), rowStride, layerStride, cellsX, cellsY, layers };
  }

  /** The tiles that the solver skipped in the last substep, because they rest, copied: rests[(layer * tilesY + y) * tilesX + x]
      is 1 if the tile holds liquid and rests, else 0; tileX and tileY are the columns of a tile. Without such tiles all are 0. */
  resting() {
    const [tilesX, tilesY, layers, tileX, tileY, rests] = this.#memory.words(this.#module._runnel_resting(this.#address), 6);
    const count = rests ? tilesX * tilesY * layers : 0;
    return { tilesX, tilesY, layers, tileX, tileY, rests: this.#memory.bytes(rests, count).slice() };
  }

  /** Brings the meshes up to date; true if the ground has changed. */
  update() {
    return this.#check(this.#module._runnel_update(this.#address)) === 2;
  }

  /** The mesh "ground", "surface" or "bodies" as of the last update, as typed arrays without copies. Valid until the
      next update or step. */
  mesh(name) {
    const index = MESHES.indexOf(name);
    if (index < 0) throw new Error(`there is no mesh "${name}"; there are ${MESHES.join(", ")}`);
    const words = this.#memory.words(this.#module._runnel_mesh(this.#address, index), 10);
    const [vertexCount, triangleCount] = [words[8], words[9]];
    const mesh = { vertexCount, triangleCount };
    ARRAYS.forEach(([array, size], i) => {
      if (!words[i]) return;
      if (array === "indices") mesh.indices = this.#memory.words(words[i], 3 * triangleCount);
      else if (array === "ids") mesh.ids = this.#memory.words(words[i], vertexCount);
      else mesh[array] = this.#memory.floats(words[i], size * vertexCount);
    });
    return mesh;
  }

  /** What the renderer needs beside the meshes, copied: columns, liquid and look as the bytes of their C structs. */
  shading() {
    const bytes = (address, count) => this.#memory.bytes(address, count).slice();
    const columns = this.#check(this.#module._runnel_columns(this.#address));
    const count = this.#module._malloc(4);
    const values = this.#module._runnel_columns_values(this.#address, count);
    const size = 4 * this.#memory.words(count, 1)[0];
    this.#module._free(count);
    return {
      columns: bytes(columns, 120),
      valuesAt: values,
      values: bytes(values, size),
      liquid: bytes(this.#module._runnel_liquid(this.#address), 136),
      look: bytes(this.#module._runnel_look(this.#address), 208),
    };
  }

  /** The picture over the ground, copied: its pixels and, as the bytes of a C struct, its size and place. Null if there is none. */
  texture() {
    const address = this.#module._runnel_texture(this.#address);
    if (!address) return null;
    const [pixels, width, height] = this.#memory.words(address, 3);
    return { pixels: this.#memory.bytes(pixels, 4 * width * height).slice(), layout: this.#memory.bytes(address, 64).slice() };
  }

  /** A checkpoint as bytes, for Runnel.open. */
  save() {
    const path = `${this.#folder}/saved.rnl`;
    this.#memory.with([path], (text) => this.#check(this.#module._runnel_save(this.#address, text)));
    return this.#take(path);
  }

  /** Ground, surface and bodies as files of a kind, "ply", "obj", "glb" or "usda": [{ name, bytes }]. */
  export(kind) {
    const folder = `${this.#folder}/export`;
    this.#module.FS.mkdir(folder);
    try {
      this.#memory.with([kind, folder], (k, f) => this.#check(this.#module._runnel_export(this.#address, k, f)));
      const names = this.#module.FS.readdir(folder).filter((name) => !name.startsWith("."));
      return names.map((name) => ({ name, bytes: this.#take(`${folder}/${name}`) }));
    } finally {
      removeFolder(this.#module.FS, folder);
    }
  }

  #take(path) {
    const bytes = this.#module.FS.readFile(path);
    this.#module.FS.unlink(path);
    return bytes;
  }

  /** Frees the scene, its world and its files. */
  close() {
    if (!this.#scene) return;
    this.#module._runnel_close(this.#scene);
    this.#scene = 0;
    removeFolder(this.#module.FS, this.#folder);
  }
}
