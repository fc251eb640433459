// The picture: draws frames of the simulation with the renderer of runnel, in WebGL 2, on a canvas that the page has handed
// over. It never waits for the simulation.
import factory from "./picture.js";

const ARRAYS = [["positions", 3], ["normals", 3], ["colours", 3], ["opacity", 1], ["velocities", 3], ["menisci", 4],
  ["ids", 1], ["indices", 0]];
let module, canvas, renderer, port, box = null, ready = false;
let width = 640, height = 400, overlay = 0, time = 0, dirty = true, drawn = 0, failed = false;
let orbit = [30, 35, 0, 1, 0, 0, 0, 0, 0];
const held = {};

function put(name, bytes) {
  const block = (held[name] ??= { address: 0, size: 0 });
  if (block.size < bytes.byteLength || !block.address) {
    if (block.address) module._free(block.address);
    block.size = Math.ceil(bytes.byteLength * 1.25) + 64;
    block.address = module._malloc(block.size);
    if (!block.address) throw new Error("there is not enough memory for the picture");
  }
  module.HEAPU8.set(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength), block.address);
  return block.address;
}

function putMesh(name, mesh) {
  const words = new Uint32Array(12);
  ARRAYS.forEach(([array], i) => { words[i] = mesh[array] ? put(`${name}.${array}`, mesh[array]) : 0; });
  words.set([mesh.vertexCount, mesh.triangleCount, mesh.vertexCount, mesh.triangleCount], 8);
  return put(name, words);
}

const check = (fine) => { if (!fine) throw new Error(module.UTF8ToString(module._picture_error())); };

function take(frame) {
  const { shading } = frame;
  if (frame.ground) check(module._picture_ground(renderer, putMesh("ground", frame.ground)));
  const values = put("values", shading.values);
  const columns = put("columns", shading.columns);
  check(module._picture_liquid(renderer, putMesh("surface", frame.surface), put("liquid", shading.liquid), columns,
    values - shading.valuesAt));
  held.bodiesMesh = putMesh("bodies", frame.bodies);
  check(module._picture_bodies(renderer, held.bodiesMesh));
  put("look", shading.look);
  time = frame.time;
  ready = dirty = true;
}

function draw() {
  if (dirty && ready && box && !failed) {
    dirty = false;
    try {
      const at = put("orbit", new Float64Array(orbit)), around = put("box", new Float64Array(box));
      module._picture_camera(at, around, width / height, 0);
      check(module._picture_draw(renderer, held.look.address, overlay, time));
      if (!drawn++) postMessage({ kind: "drawn" });
    } catch (error) {
      failed = true;
      postMessage({ kind: "failure", text: `The picture cannot be drawn: ${error.message}` });
    }
  }
  requestAnimationFrame(draw);
}

const commands = {
  async start(data) {
    canvas = data.canvas;
    ({ width, height } = data);
    canvas.width = width;
    canvas.height = height;
    const context = canvas.getContext("webgl2", { antialias: false, alpha: false, preserveDrawingBuffer: true, powerPreference: "high-performance" });
    if (!context) return postMessage({ kind: "failure", text: "This browser has no WebGL 2, which draws the picture. Another browser, or hardware acceleration in its settings, may help." });
    module = await factory();
    module.GL.makeContextCurrent(module.GL.registerContext(context, { majorVersion: 2, enableExtensionsByDefault: true }));
    renderer = module._picture_create(width, height);
    check(renderer);
    draw();
    postMessage({ kind: "ready" });
  },
  async frames(data) {
    port = data.port;
    port.onmessage = ({ data: message }) => {
      try {
        if (message.kind === "scene") { box = [...message.low, ...message.high]; failed = false; }
        else if (renderer) take(message);
      } catch (error) {
        postMessage({ kind: "failure", text: `The picture cannot be drawn: ${error.message}` });
      }
      if (message.kind === "frame") port.postMessage("taken");
    };
  },
  size(data) {
    ({ width, height } = data);
    canvas.width = width;
    canvas.height = height;
    if (renderer) check(module._picture_resize(renderer, width, height));
    dirty = true;
  },
  orbit(data) { orbit = data.orbit; dirty = true; },
  overlay(data) { overlay = data.value; dirty = true; },
  pick({ id, x, y }) {
    let hit = null;
    if (ready && held.bodiesMesh) {
      const at = module._picture_pick(held.bodiesMesh, x * width, y * height, width, height);
      if (at) hit = [...new Float64Array(module.HEAPU8.buffer, at, 5)];
    }
    postMessage({ kind: "hit", id, hit });
  },
  async picture() {
    dirty = true;
    const blob = await canvas.convertToBlob({ type: "image/png" });
    postMessage({ kind: "picture", blob });
  },
};

let queue = Promise.resolve();
onmessage = ({ data }) => {
  queue = queue.then(() => commands[data.kind](data)).catch((error) =>
    postMessage({ kind: "failure", text: `The picture cannot be drawn: ${error.message}` }));
};
