/** Real-time liquids. SI units, z up. Functions that fail throw an Error whose message names the key or file, what was wrong and what would be right. */

/** Whether threads can be used here: in node, and in a page that is cross-origin isolated. */
export function canUseThreads(): boolean;

export interface LoadOptions {
  /** How many threads to use with the caller, where canUseThreads(); default 1. Results are the same to the bit. */
  threads?: number;
  /** dist/runnel.wasm, or dist/runnel-threads.wasm for several threads, if it is compiled already. */
  compiled?: WebAssembly.Module | null;
  /** Gets what the module prints; default: nothing happens. */
  print?: (text: string) => void;
}
export function load(options?: LoadOptions): Promise<Runnel>;

export interface OpenOptions {
  /** The name of the scene; default "scene". */
  name?: string;
  /** What the scene names, by path. */
  files?: Record<string, Uint8Array | string>;
  /** A file of poses that moves the bodies. */
  poses?: Uint8Array | null;
}

export interface Runnel {
  readonly threads: number;
  readonly hasEngine: boolean;
  /** Opens a scene: JSON text, an object, or the bytes of a checkpoint. */
  open(scene: string | object | Uint8Array, options?: OpenOptions): Scene;
  /** Makes a scene that pours liquid over a mesh (STL, OBJ, PLY, OFF) or a terrain (PNG, ASCII grid), for open(). */
  sceneOf(name: string, bytes: Uint8Array, options?: { cells?: number }): { text: string; files: Record<string, Uint8Array> };
  /** Lets an engine of the host move rigid bodies, before the first scene with bodies. */
  setEngine(make: (memory: Memory) => Engine): void;
}

export interface Description {
  name: string;
  title: string;
  about: string;
  frames: number;
  /** s */
  frame_time: number;
  /** m/s² */
  gravity: [number, number, number];
  /** m, corners of the box that views show */
  low: [number, number, number];
  high: [number, number, number];
  views: { name: string; azimuth: number; elevation: number; angle: number; zoom: number; aimed: boolean; target: [number, number, number]; turn: number }[];
  probes: { name: string; section: boolean }[];
  grid: { cells_x: number; cells_y: number; layers: number; cell_size: number; origin_x: number; origin_y: number; datum: number };
  liquid: { name: string; viscosity: number; density: number; contact_angle: number };
}

/** Volumes in m³; poured - drained - left - displaced + bodyOffset is present, and drift is exactly 0 (except in a 3D liquid). */
export interface Numbers {
  frame: number; time: number; steps: number; substeps: number; dt: number; fastest: number; deepest: number; flooded: number; bodies: number;
  poured: number; drained: number; left: number; displaced: number; bodyOffset: number; refused: number; present: number; drift: number;
}

/** Typed arrays in the module's memory, not copies: valid until the next update or step. */
export interface Mesh {
  vertexCount: number;
  triangleCount: number;
  positions?: Float32Array;
  normals?: Float32Array;
  colours?: Float32Array;
  opacity?: Float32Array;
  velocities?: Float32Array;
  menisci?: Float32Array;
  ids?: Uint32Array;
  indices?: Uint32Array;
}

/** data[layer * layerStride + y * rowStride + x], in the module's memory. */
export interface Field {
  data: Float32Array;
  rowStride: number;
  layerStride: number;
  cellsX: number;
  cellsY: number;
  layers: number;
}

export interface Scene {
  describe(): Description;
  /** The scene as JSON text, as it was opened and changed since; opened again it runs the same, to the bit. */
  text(): string;
  /** Runs one frame. */
  step(): void;
  /** "pour X Y Z RADIUS RATE", "suck X Y Z RADIUS RATE", "rain RATE", "push X Y RADIUS AX AY", "release", "drop X Y Z SIZE box|duck|log|car", "drag BODY X Y Z", "dig X Y Z RADIUS", "raise X Y Z RADIUS" or "set KEY=VALUE". */
  act(action: string): void;
  /** Adds a body, an object as in the list "bodies" of a scene. */
  addBody(body: object): void;
  /** The pose of a body, by its number from 0: position (m), rotation as x, y, z, w, velocity (m/s) and spin (rad/s). */
  body(number: number): { at: number[]; turn: number[]; velocity: number[]; spin: number[] };
  /** The hash of the state, 16 hexadecimal digits. */
  hash(): string;
  numbers(): Numbers;
  probes(): { name: string; section: boolean; values: [number, number] }[];
  field(name: "depth" | "fluxX" | "fluxY" | "base" | "ceil"): Field;
  /** The tiles that the solver skips because they rest: rests[(layer * tilesY + y) * tilesX + x] is 1 for one with liquid that rests. */
  resting(): { tilesX: number; tilesY: number; layers: number; tileX: number; tileY: number; rests: Uint8Array };
  /** Brings the meshes up to date; true if the ground has changed. */
  update(): boolean;
  mesh(name: "ground" | "surface" | "bodies"): Mesh;
  texture(): { pixels: Uint8Array; layout: Uint8Array } | null;
  shading(): { columns: Uint8Array; valuesAt: number; values: Uint8Array; liquid: Uint8Array; look: Uint8Array };
  save(): Uint8Array;
  export(kind: "ply" | "obj" | "glb" | "gltf" | "usda"): { name: string; bytes: Uint8Array }[];
  close(): void;
}

/** Views of the module's memory. */
export interface Memory {
  /** The memory as it is now; it may grow at any call. */
  readonly buffer: ArrayBufferLike;
  floats(address: number, count: number): Float32Array;
  doubles(address: number, count: number): Float64Array;
  words(address: number, count: number): Uint32Array;
  bytes(address: number, count: number): Uint8Array;
  text(address: number): string;
}

/** An engine of rigid bodies. Addresses are of arrays in the module's memory. pose: x y z, rotation x y z w, velocity, spin. */
export interface Engine {
  /** def: gravity, substep, friction, bounce, origin x y, datum, size x y, lid, four flags of open sides: west, east, south, north. */
  create(id: number, def: number): void;
  destroy(id: number): void;
  ground(id: number, positions: number, vertices: number, indices: number, triangles: number): void;
  /** def: driven, friction, bounce, density, radius, pose. parts: kind, size, position, rotation, first triangle, triangles. */
  add(id: number, body: number, def: number, parts: number, count: number, positions: number, indices: number): void;
  remove(id: number, body: number): void;
  put(id: number, body: number, pose: number): void;
  /** Force (N) and torque (N m) throughout the next step. */
  force(id: number, body: number, force: number): void;
  gravity(id: number, x: number, y: number, z: number): void;
  step(id: number, seconds: number): void;
  pose(id: number, body: number, pose: number): void;
  /** Optional. Joins a body to another, or to the ground if `to` is below 0, in their poses now. kind: 0 ball, 1 hinge, 2 slider, 3 fixed.
      def: position, axis, limited, low, high. Returns whether it could. */
  joint?(id: number, kind: number, body: number, to: number, def: number): number;
  /** Optional, all three. A sleeping body is not simulated until it is woken or something touches it. */
  sleep?(id: number, body: number): void;
  wake?(id: number, body: number): void;
  sleeps?(id: number, body: number): boolean;
}
