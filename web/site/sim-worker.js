// The worker that simulates. It steps the scene at its pace, makes its meshes, and hands them to the worker that draws
// (picture-worker.js) through a port, one frame at a time, when the other side has taken the last one.
//
// From the page: {type: "port", port}, "start" {threads}, "compiled" {compiled}, "open" {id, preview, name | text, files | geometry, cells | checkpoint},
// "play" {playing, speed}, "step", "act" {text}, "body" {json}, "get" {id, what}.
// To the page: "ready" {threads}, "preview" {scene}, "opened" {id, scene}, "got" {id, value}, "failed" {id, text}, "paused",
// "changed" {scene}, "dead" {text}, "notice" {text, error}, "mark" {name, at}, and "numbers" {numbers, probes, milliseconds, realTime}, at most 20 times a second.
import { canUseThreads, load } from "./package/index.js";
import { coarser } from "./page/coarse.js";
import { namedFiles } from "./page/named.js";

const BETWEEN_NUMBERS = 50; // ms
const PREVIEW = -1; // the number of a frame of a coarse scene
const LONGEST_HOLD = 3000; // ms
const AHEAD = 15; // frames that a dry coarse scene runs, so that it shows liquid
const AHEAD_TIME = 200; // ms that they may take
const ARRAYS = ["positions", "normals", "colours", "opacity", "velocities", "menisci", "ids", "indices"];

let runnel, scene, description, port;
let number = 0; // of the request that opened the scene
let playing = false, speed = 1;
let due = 0; // ms, when the next step is due
let free = true; // the other worker waits for a frame
let dirty = true; // the state has changed since the last frame
let wantGround = true;
let held = true; // nothing has been drawn yet: the first picture gets all cores
let rain = ""; // the last action that set it
let numbersAt = 0, stepMilliseconds = 0, realTime = 0, steppedAt = 0, waiting = false;

let give; // the page compiles the module; null: it could not
const given = new Promise((done) => (give = done));
const marked = new Set();

/** Marks a moment of the page's start in its performance timeline, the first time. */
function mark(name) {
  if (marked.has(name)) return;
  marked.add(name);
  postMessage({ type: "mark", name, at: performance.timeOrigin + performance.now() });
}

/** A copy of a mesh; its buffers are added to `transfer`. */
function copyMesh(of, name, transfer) {
  const mesh = of.mesh(name), copy = { vertexCount: mesh.vertexCount, triangleCount: mesh.triangleCount };
  for (const array of ARRAYS) {
    if (!mesh[array]) continue;
    copy[array] = mesh[array].slice();
    transfer.push(copy[array].buffer);
  }
  return copy;
}

/** Sends the meshes of a scene, which are up to date, to the worker that draws. */
function sendMeshes(of, number, ground) {
  const transfer = [], shading = of.shading(), { time, present, fastest } = of.numbers();
  const frame = { surface: copyMesh(of, "surface", transfer), bodies: copyMesh(of, "bodies", transfer), shading, number, time, present, fastest };
  frame.resting = of.resting();
  if (ground) frame.ground = copyMesh(of, "ground", transfer);
  if (ground) frame.texture = of.texture();
  if (frame.texture) transfer.push(frame.texture.pixels.buffer);
  transfer.push(shading.values.buffer);
  port.postMessage({ type: "frame", frame }, transfer);
  mark("first mesh");
  free = false;
}

function sendFrame() {
  if (!free || !dirty || !port) return;
  wantGround = scene.update() || wantGround;
  sendMeshes(scene, scene.numbers().frame, wantGround);
  wantGround = dirty = false;
}

function sendNumbers() {
  numbersAt = performance.now();
  const probes = description.probes.length > 0 ? scene.probes() : [];
  postMessage({ type: "numbers", numbers: scene.numbers(), probes, milliseconds: stepMilliseconds, realTime });
}

function step() {
  const from = performance.now();
  scene.step();
  const now = performance.now();
  stepMilliseconds = now - from;
  if (steppedAt > 0) realTime += 0.1 * ((1000 * description.frame_time) / Math.max(now - steppedAt, 0.01) - realTime);
  steppedAt = now;
  dirty = true;
}

/** One turn: a step if one is due, then a frame and numbers. */
function tick() {
  waiting = false;
  if (!scene) return;
  try {
    const now = performance.now();
    if (playing && !held && now >= due) {
      due = Math.max(due + (1000 * description.frame_time) / speed, now - 100);
      step();
    }
    sendFrame();
    if (playing && !held && performance.now() - numbersAt >= BETWEEN_NUMBERS) sendNumbers();
  } catch (error) {
    playing = false;
    postMessage({ type: "paused" });
    tell(error);
    return;
  }
  schedule();
}

/** Tells the page of a failure. A module that has trapped, for want of memory for example, cannot go on. */
function tell(error, id) {
  if (error instanceof WebAssembly.RuntimeError) postMessage({ type: "dead", text: error.message });
  else if (id === undefined) postMessage({ type: "notice", text: error.message, error: true });
  else postMessage({ type: "failed", id, text: error.message });
}

const soon = new MessageChannel();
soon.port1.onmessage = tick;

function schedule() {
  if (waiting || !scene || ((!playing || held) && !dirty)) return;
  waiting = true;
  const left = playing && !held ? due - performance.now() : 15;
  if (left > 2) setTimeout(tick, Math.min(left, 40));
  else soon.port2.postMessage(0);
}

/** The bytes of a file of the site. */
async function fetchFile(path) {
  const answer = await fetch(new URL(`scenes/${path}`, import.meta.url));
  if (!answer.ok) throw new Error(`${path} could not be loaded (${answer.status}).`);
  return new Uint8Array(await answer.arrayBuffer());
}

/** A shipped scene with the files that it names. */
async function shipped(name) {
  if (!/^[a-z0-9-]+$/.test(name)) throw new Error(`There is no scene "${name}".`);
  const text = new TextDecoder().decode(await fetchFile(`${name}.json`).catch(() => {
    throw new Error(`There is no scene "${name}", or it could not be loaded.`);
  }));
  const names = namedFiles(JSON.parse(text));
  const files = await Promise.all(names.map(async (file) => [file, await fetchFile(file)]));
  return { text, name, files: Object.fromEntries(files) };
}

/** What to open: {text, name, files}; text is bytes for a checkpoint. */
async function sourceOf({ source, text, files, geometry, cells, checkpoint }) {
  if (source) return source;
  if (checkpoint) return { text: new Uint8Array(checkpoint), name: "checkpoint", files: {} };
  if (geometry) return { ...runnel.sceneOf(geometry.name, new Uint8Array(geometry.bytes), { cells }), name: "scene" };
  return { text, name: "scene", files: Object.fromEntries(files.map((file) => [file.name, new Uint8Array(file.bytes)])) };
}

/** Starts Rapier, which moves rigid bodies. It is loaded with the first body. */
async function startEngine() {
  if (runnel.hasEngine) return;
  const { startRapier } = await import("./rapier-engine.js");
  await startRapier(runnel);
}

/** Tells the page and the worker that draws which scene follows. */
function announce(described, id) {
  port.postMessage({ type: "scene", id, low: described.low, high: described.high });
  postMessage({ type: "preview", scene: described });
}

/** Shows a coarse form of a scene while the scene itself is prepared. Returns whether it did. */
function preview({ text, name, files }, id) {
  let rough = null;
  try {
    const coarse = coarser(text);
    if (!coarse) return false;
    rough = runnel.open(coarse, { name, files });
    const dry = rough.numbers().present === 0, end = performance.now() + AHEAD_TIME;
    for (let i = 0; dry && i < AHEAD && performance.now() < end; i++) rough.step();
    rough.update();
    announce(rough.describe(), id);
    sendMeshes(rough, PREVIEW, true);
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError) throw error; // the module is dead: to close a scene might never end
    rough?.close();
    return false; // opening the scene itself says why
  }
  rough.close();
  return true;
}

/** Shows the scene that is open again, after the preview of one that could not be opened. */
function showAgain() {
  wantGround = dirty = true;
  if (!scene) return;
  announce(description, number);
  schedule();
}

async function open(request) {
  const source = await sourceOf(request), { text, name, files } = source;
  mark("scene loaded");
  if (typeof text !== "string" || text.includes('"bodies"')) await startEngine();
  const previewed = request.preview && preview(source, request.id);
  let next = null;
  try {
    next = runnel.open(text, { name, files });
  } catch (error) {
    if (previewed) showAgain();
    throw error;
  }
  scene?.close();
  scene = next;
  number = request.id;
  description = scene.describe();
  mark("scene built");
  if (held) setTimeout(release, LONGEST_HOLD);
  wantGround = dirty = true;
  realTime = steppedAt = 0;
  rain = "";
  due = performance.now();
  port.postMessage({ type: "scene", id: number, low: description.low, high: description.high });
  postMessage({ type: "opened", id: request.id, scene: description });
  sendNumbers();
  schedule();
}

/** Lets the scene play: something has been drawn, or drawing takes so long that it may not come. */
function release() {
  if (!held) return;
  held = false;
  due = performance.now();
  schedule();
}

const values = {
  hash: () => scene.hash(),
  text: () => scene.text(),
  checkpoint: () => {
    const bytes = scene.save(); // ends what the tools do, and the rain
    if (rain) scene.act(rain);
    return bytes;
  },
  ply: () => scene.export("ply"),
  glb: () => scene.export("glb"),
};

const commands = {
  port(message) {
    port = message.port;
    port.onmessage = ({ data }) => {
      if (data === "shown") release();
      else if (data === "again") wantGround = dirty = true; // what was drawn is lost
      else free = true;
      schedule();
    };
  },
  async start({ threads }) {
    runnel = await load({ threads: canUseThreads() ? threads : 1, compiled: await given });
    mark("simulation ready");
    postMessage({ type: "ready", threads: runnel.threads });
  },
  open,
  play(message) {
    ({ playing, speed } = message);
    due = performance.now();
    steppedAt = 0;
    if (scene && !playing) sendNumbers();
    schedule();
  },
  step() {
    if (!scene) return; // opening the first one was cancelled
    step();
    sendNumbers();
    schedule();
  },
  async act({ text }) {
    if (text.startsWith("drop ")) await startEngine();
    scene.act(text);
    if (text.startsWith("rain ")) rain = text;
    if (text.startsWith("set liquid=")) postMessage({ type: "changed", scene: scene.describe() });
    dirty = true;
    schedule();
  },
  async body({ json }) {
    await startEngine();
    scene.addBody(JSON.parse(json));
    dirty = true;
    schedule();
  },
  get({ id, what }) {
    if (!scene) throw new Error("No scene is open.");
    postMessage({ type: "got", id, value: values[what]() });
  },
};

let queue = Promise.resolve();
onmessage = ({ data }) => {
  if (data.type === "compiled") {
    give(data.compiled);
    return;
  }
  if (data.type === "open" && data.name) {
    data.source = shipped(data.name); // loads while the module starts
    data.source.catch(() => {}); // open() tells
  }
  queue = queue
    .then(() => commands[data.type](data))
    .catch((error) => tell(error, data.id));
};
