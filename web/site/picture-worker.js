// The worker that draws: frames of the simulation, with the renderer of runnel in WebGL 2, on a canvas that the page has
// handed over. It never waits for the simulation.
//
// From the page: {type: "port", port}, "canvas" {canvas, over}, "compiled" {compiled}, "size" {width, height, over}, "orbit" {azimuth, …}, "overlay" {number},
// "marks" {which},
// "pick" {id, x, y}, "grab" {id}. To the page: "picked" {id, at, body}, "grabbed" {id, blob}, "drawn" {scene, frame,
// liquid, draft, overlay, which, milliseconds}: which marks it shows, "mark" {name, at}, "failed" {text}. From the simulation: "scene" {id, low, high} and "frame" {frame}, each frame answered by "taken"; "shown" follows
// the first picture; "again" asks for everything.
import { compile, instantiate } from "./package/compile.js";
import { Marks } from "./marks.js";
import factory from "./picture.js";

const ARRAYS = ["positions", "normals", "colours", "opacity", "velocities", "menisci", "ids", "indices"];
const NO_WEBGL = "This browser has no WebGL 2, which draws the picture. Another browser, or hardware acceleration in its settings, may help.";

let module, canvas, marks, renderer, gl;
let unfinished = null; // the frame that the GPU works on: {sync, from} and what the page is told
let width = 640, height = 400, overlay = 0;
let resized = false; // the canvas does not have this size yet
let scene = 0; // the number of the request that opened it
let box = null; // of the scene: low x y z, high x y z (m)
let orbit = [30, 35, 0, 1, 0, 0, 0, 0, 0];
let frame = null; // the newest
let dirty = false, stopped = false;
let drafted = false; // a draft has been drawn: the next picture is a whole one
let simulation = null, shown = false; // the port of the newest simulation; it knows of the first picture
const blocks = {}; // memory of the module by name
let begin; // frames that come before the renderer is made wait for it
const begun = new Promise((done) => (begin = done));
let give; // the page compiles the module
const given = new Promise((done) => (give = done));

const marked = new Set();

/** Marks a moment of the page's start in its performance timeline, the first time. */
function mark(name) {
  if (marked.has(name)) return;
  marked.add(name);
  postMessage({ type: "mark", name, at: performance.timeOrigin + performance.now() });
}

/** Copies bytes into the module; returns their address. */
function put(name, bytes) {
  const block = (blocks[name] ??= { address: 0, size: 0 });
  if (block.size < bytes.byteLength || !block.address) {
    if (block.address) module._free(block.address);
    block.size = Math.ceil(bytes.byteLength * 1.25) + 64;
    block.address = module._malloc(block.size);
    if (!block.address) throw new Error("there is not enough memory for the picture");
  }
  module.HEAPU8.set(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength), block.address);
  return block.address;
}

/** Copies a mesh as an rn_mesh; returns its address. */
function putMesh(name, mesh) {
  const words = new Uint32Array(12);
  ARRAYS.forEach((array, i) => (words[i] = mesh[array] ? put(`${name}.${array}`, mesh[array]) : 0));
  words[8] = mesh.vertexCount;
  words[9] = mesh.triangleCount;
  return put(name, words);
}

function check(fine) {
  if (!fine) throw new Error(module.UTF8ToString(module._picture_error()));
}

/** Copies the picture over the ground as an rn_texture; returns its address, or 0 if there is none. */
function putTexture(texture) {
  if (!texture) return 0;
  new Uint32Array(texture.layout.buffer)[0] = put("pixels", texture.pixels);
  return put("texture", texture.layout);
}

/** Copies the tiles at rest as an rn_resting. */
function putResting({ tilesX, tilesY, layers, tileX, tileY, rests }) {
  put("resting", new Uint32Array([tilesX, tilesY, layers, tileX, tileY, rests.length > 0 ? put("rests", rests) : 0]));
}

/** Hands a frame to the renderer. */
function take(next) {
  const { shading } = next;
  if (next.ground) {
    module._picture_texture(putTexture(next.texture));
    check(module._picture_ground(renderer, putMesh("ground", next.ground)));
  }
  const values = put("values", shading.values), columns = put("columns", shading.columns);
  const surface = putMesh("surface", next.surface), liquid = put("liquid", shading.liquid);
  check(module._picture_liquid(renderer, surface, liquid, columns, values - shading.valuesAt));
  check(module._picture_bodies(renderer, putMesh("bodies", next.bodies)));
  put("look", shading.look);
  putResting(next.resting);
  frame = { fastest: next.fastest, number: next.number, time: next.time, liquid: next.present > 0 && next.surface.triangleCount > 0 };
  dirty = true;
}

/** Tells the page of a frame that the GPU has finished. Returns whether the GPU is free. */
function finish() {
  if (!unfinished) return true;
  const { sync } = unfinished; // null if the context was lost
  if (sync && !gl.isContextLost() && gl.getSyncParameter(sync, gl.SYNC_STATUS) !== gl.SIGNALED) return false;
  gl.deleteSync(sync);
  const { from, told } = unfinished, { draft } = told;
  postMessage({ type: "drawn", ...told, milliseconds: performance.now() - from });
  unfinished = null;
  if (draft) return true;
  if (!shown) simulation?.postMessage("shown");
  shown = true;
  return true;
}

/** Points the camera, for drawing and for picking. */
function aim() {
  const at = put("orbit", new Float64Array(orbit)), around = put("box", new Float64Array(box));
  module._picture_camera(at, around, width / height, 0);
}

/** Gives the canvas its new size, which empties it: only before a picture is drawn. */
function resize() {
  Object.assign(canvas, { width, height });
  check(module._picture_resize(renderer, width, height));
  resized = false;
}

/** Draws the frame: the first time a draft, since the programs of a whole picture take long to compile. Returns whether it is a draft. */
function drawFrame() {
  if (drafted) {
    check(module._picture_draw(renderer, blocks.look.address, overlay, frame.time));
    return false;
  }
  check(module._picture_draft(renderer, blocks.look.address));
  drafted = !globalThis.onlyDrafts; // tests set that
  dirty = true;
  return true;
}

/** Draws the newest frame once the GPU has finished the last one: frames never queue up. */
function draw() {
  requestAnimationFrame(draw);
  if (!finish() || !dirty || !frame || !box || stopped) return;
  dirty = false;
  attempt(() => {
    const from = performance.now();
    if (resized) resize();
    aim();
    const draft = drawFrame();
    const at = { bodies: blocks.bodies.address, resting: blocks.resting.address, box: blocks.box.address, fastest: frame.fastest };
    marks.draw(module, at, put);
    const sync = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    unfinished = { sync, from, told: { scene, frame: frame.number, liquid: frame.liquid, draft, overlay, which: marks.which } };
    gl.flush();
    mark("first picture sent"); // what follows is the time of the GPU
  });
}

/** Runs a function; if it fails, drawing stops until the next scene, and the page is told. */
function attempt(act) {
  try {
    act();
  } catch (error) {
    stopped = true;
    postMessage({ type: "failed", text: `The picture cannot be drawn: ${error.message}` });
  }
}

function receive(port, message) {
  if (message.type === "scene") {
    scene = message.id;
    box = [...message.low, ...message.high];
    frame = null;
    stopped = !renderer;
    return;
  }
  if (renderer) attempt(() => take(message.frame));
  port.postMessage("taken");
}

/** Makes the renderer in the WebGL context, unless that is lost: restore() makes it then. */
function makeRenderer() {
  if (gl.isContextLost()) return;
  module.GL.makeContextCurrent(module.GL.registerContext(gl, { majorVersion: 2, enableExtensionsByDefault: true }));
  renderer = module._picture_create(width, height);
  drafted = false;
  if (!gl.isContextLost()) check(renderer);
}

/** The browser has taken the context away: nothing is drawn until it gives it back. */
function lose(event) {
  event.preventDefault(); // it may be restored
  stopped = true;
  unfinished = frame = null;
  if (renderer) module._picture_destroy(renderer);
  renderer = 0;
}

/** The context is back, and empty: the simulation sends everything again. */
function restore() {
  if (!module) return; // start() makes the renderer
  makeRenderer();
  stopped = !renderer;
  simulation?.postMessage("again");
}

/** Makes the renderer on the canvas. */
async function start(message) {
  ({ canvas } = message);
  marks = new Marks(message.over);
  const options = { antialias: false, alpha: false, preserveDrawingBuffer: true, powerPreference: "high-performance" };
  gl = canvas.getContext("webgl2", options);
  if (!gl) {
    postMessage({ type: "failed", text: NO_WEBGL });
    return;
  }
  canvas.addEventListener("webglcontextlost", lose); // it can be lost before the module is there
  canvas.addEventListener("webglcontextrestored", () => attempt(restore));
  Object.assign(globalThis, { pictureContext: gl }); // for tests and for the console
  mark("WebGL ready");
  module = await instantiate(factory, (await given) ?? (await compile(new URL("picture.wasm", import.meta.url))));
  makeRenderer();
  mark("renderer ready");
  begin();
  draw();
}

function pick({ id, x, y }) {
  if (frame) aim();
  const found = frame ? module._picture_pick(blocks.bodies.address, x, y, width, height) : 0;
  const [px, py, pz, body] = found ? new Float64Array(module.HEAPU8.buffer, found, 5) : [NaN, NaN, NaN, -1];
  postMessage({ type: "picked", id, at: Number.isFinite(px) ? [px, py, pz] : null, body });
}

const commands = {
  port({ port }) {
    simulation = port;
    shown = false;
    port.onmessage = ({ data }) => void begun.then(() => receive(port, data));
  },
  canvas: start,
  size(message) {
    ({ width, height } = message);
    marks.resize(message.over);
    resized = dirty = true;
  },
  orbit({ azimuth, elevation, angle, zoom, aimed, target, turn }) {
    orbit = [azimuth, elevation, angle, zoom, aimed ? 1 : 0, ...target, turn];
    dirty = true;
  },
  overlay({ number }) {
    overlay = number;
    dirty = true;
  },
  marks({ which }) {
    marks.which = which;
    dirty = true;
  },
  pick,
  async grab({ id }) {
    const whole = new OffscreenCanvas(canvas.width, canvas.height), pen = whole.getContext("2d");
    pen.drawImage(canvas, 0, 0);
    marks.addTo(pen, whole.width, whole.height);
    postMessage({ type: "grabbed", id, blob: await whole.convertToBlob({ type: "image/png" }) });
  },
};

let queue = Promise.resolve();
onmessage = ({ data }) => {
  if (data.type === "compiled") {
    give(data.compiled);
    return;
  }
  queue = queue
    .then(() => commands[data.type](data))
    .catch((error) => postMessage({ type: "failed", id: data.id, text: `The picture cannot be drawn: ${error.message}` }));
};
