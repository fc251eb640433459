// The simulation: steps the scene at its pace, makes its meshes and hands them to the worker that draws. Commands come
// from the page; frames go through the port, one at a time, when the other side has taken the last one.
import { load, canUseThreads } from "./package/index.js";
import { readGeoTiff } from "./geotiff.js";

let runnel, scene, description, source, port;
let playing = true, speed = 1, due = 0, free = true, dirty = true, wantGround = true, last = 0, waiting = false;
let stepSeconds = 0, measured = 0, began = 0;

const tell = (message, transfer = []) => postMessage(message, transfer);
const fail = (error) => tell({ kind: "failure", text: String(error?.message ?? error) });

const copy = (array) => array && array.slice();

function meshCopy(name, transfer) {
  const mesh = scene.mesh(name), out = { vertexCount: mesh.vertexCount, triangleCount: mesh.triangleCount };
  for (const array of ["positions", "normals", "colours", "opacity", "velocities", "menisci", "ids", "indices"]) {
    if (!mesh[array]) continue;
    out[array] = copy(mesh[array]);
    transfer.push(out[array].buffer);
  }
  return out;
}

function sendFrame() {
  if (!free || !dirty || !scene) return;
  wantGround = scene.update() || wantGround;
  const transfer = [], shading = scene.shading();
  const frame = { kind: "frame", surface: meshCopy("surface", transfer), bodies: meshCopy("bodies", transfer), shading,
    time: scene.numbers().time };
  if (wantGround) frame.ground = meshCopy("ground", transfer);
  transfer.push(shading.values.buffer);
  port.postMessage(frame, transfer);
  free = wantGround = dirty = false;
}

function sendNumbers(now) {
  if (now - last < 90) return;
  last = now;
  tell({ kind: "numbers", numbers: scene.numbers(), probes: description.probes.length ? scene.probes() : [], speed: measured,
    stepSeconds });
}

function step() {
  const from = performance.now();
  scene.step();
  const now = performance.now();
  stepSeconds = (now - from) / 1000;
  if (began) measured = 0.9 * measured + 0.1 * Math.min(speed, (description.frame_time * 1000) / Math.max(now - began, 0.01));
  began = now;
  dirty = true;
}

function tick() {
  waiting = false;
  if (!scene) return;
  try {
    const now = performance.now(), interval = (1000 * description.frame_time) / speed;
    if (playing && now >= due) {
      due = Math.max(due + interval, now - 100);
      step();
    }
    sendFrame();
    sendNumbers(performance.now());
  } catch (error) {
    playing = false;
    tell({ kind: "paused" });
    fail(error);
  }
  schedule();
}

const channel = new MessageChannel();
channel.port1.onmessage = tick;

function schedule() {
  if (waiting || !scene) return;
  waiting = true;
  const left = playing ? due - performance.now() : 40;
  if (left > 2) setTimeout(tick, Math.min(left, 40));
  else channel.port2.postMessage(0);
}

async function open(what) {
  const began = performance.now();
  let { text, name, files, bytes } = what;
  if (bytes) {
    const ending = name.toLowerCase().split(".").pop();
    if (ending === "rnl") text = bytes;
    else if (ending === "json") text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    else if (ending === "tif" || ending === "tiff") ({ text, files } = runnel.sceneOf(`${name}.asc`, await readGeoTiff(bytes)));
    else ({ text, files } = runnel.sceneOf(name, bytes, { cells: 140 }));
  }
  if (/"bodies"/.test(typeof text === "string" ? text : "") && !runnel.hasEngine) await startEngine();
  const next = runnel.open(text, { name: name.replace(/\.\w+$/, ""), files });
  scene?.close();
  scene = next;
  source = { text, name, files };
  description = scene.describe();
  wantGround = dirty = true;
  due = performance.now();
  began && (measured = 0);
  port.postMessage({ kind: "scene", low: description.low, high: description.high });
  tell({ kind: "opened", description, hash: scene.hash(), seconds: (performance.now() - began) / 1000 });
  schedule();
}

async function startEngine() {
  tell({ kind: "busy", text: "Loading the engine of rigid bodies" });
  const { startRapier } = await import("./rapier-engine.js");
  await startRapier(runnel);
}

const commands = {
  async start({ threads, pictures }) {
    port = pictures;
    port.onmessage = () => { free = true; schedule(); };
    runnel = await load({ threads: canUseThreads() ? threads : 1 });
    tell({ kind: "ready", threads: runnel.threads });
  },
  open,
  async restart() { if (source) await open({ ...source }); },
  async act({ action }) {
    if (!scene) return;
    if (action.startsWith("drop ") && !runnel.hasEngine) await startEngine();
    scene.act(action);
    dirty = true;
    tell({ kind: "acted", action });
    schedule();
  },
  play({ on }) { playing = on; due = performance.now(); began = 0; schedule(); },
  speed({ value }) { speed = value; due = performance.now(); },
  step({ frames = 1 }) { for (let i = 0; i < frames; i++) step(); last = 0; schedule(); },
  hash() { tell({ kind: "hash", hash: scene.hash(), frame: scene.numbers().frame }); },
  text() { tell({ kind: "text", text: scene.text(), name: source.name }); },
  export({ format }) {
    const files = format === "rnl" ? [{ name: "checkpoint.rnl", bytes: scene.save() }]
      : format === "json" ? [{ name: "scene.json", bytes: new TextEncoder().encode(scene.text()) }] : scene.export(format);
    tell({ kind: "files", files: files.map(({ name, bytes }) => ({ name, bytes: bytes.slice() })) });
  },
  async bench({ frames }) {
    playing = false;
    const from = performance.now();
    for (let i = 0; i < frames; i++) scene.step();
    tell({ kind: "bench", seconds: (performance.now() - from) / 1000, hash: scene.hash(), frames });
  },
};

let queue = Promise.resolve();
onmessage = ({ data }) => {
  queue = queue.then(() => commands[data.kind](data)).catch(fail);
};
