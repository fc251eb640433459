// The page: wires the controls to the simulation (sim-worker.js) and to the picture (picture-worker.js). Nothing here
// computes; the page stays free for the hand.
import * as format from "./format.js";
import { Hand } from "./pointer.js";
import { Plot } from "./plot.js";
import { fromFragment, toFragment } from "./share.js";
import { tools, Use } from "./tools.js";

const $ = (id) => document.getElementById(id);
const LONGEST_OPEN = 30000; // ms, after which opening a scene may be cancelled by the page itself
const MOST_FILE = 64 << 20; // bytes of a dropped file
const canvas = $("view"), plot = new Plot($("plot"));

const state = { tool: "pour", scene: null, orbit: null, home: null, playing: true, use: null, picking: false, next: null,
  numbers: null, threads: 1, index: [], source: null, opening: 0 };

// ---- Messages ----

function say(text) {
  $("message-text").textContent = text;
  $("message").hidden = !text;
}
$("message-close").onclick = () => say("");

function busy(text) {
  $("busy").hidden = !text;
  $("busy-text").textContent = text ?? "";
}

let hintTimer = 0;
function hint(text) {
  $("hint").textContent = text;
  $("hint").classList.remove("gone");
  clearTimeout(hintTimer);
  hintTimer = setTimeout(() => $("hint").classList.add("gone"), 6000);
}

// ---- Workers ----

let sim, picture;
const size = () => {
  const box = canvas.getBoundingClientRect(), ratio = Math.min(devicePixelRatio || 1, 2);
  return { width: Math.max(1, Math.round(box.width * ratio)), height: Math.max(1, Math.round(box.height * ratio)) };
};

const fromPicture = {
  ready() {},
  drawn() {
    document.body.dataset.drawn = performance.now().toFixed(0);
    busy(null);
  },
  hit({ hit }) {
    state.picking = false;
    if (hit && state.use) state.use.at(hit);
    if (state.next) pick(...state.next);
  },
  picture({ blob }) { save(`${state.scene?.name ?? "scene"}.png`, blob); },
  failure({ text }) { busy(null); say(text); },
};

const fromSim = {
  ready({ threads }) {
    state.threads = threads;
    document.body.dataset.threads = threads;
    keepForLater();
  },
  busy({ text }) { busy(text); },
  opened,
  numbers: showNumbers,
  paused() { setPlaying(false, true); },
  acted({ action }) { if (action.startsWith("drop ")) busy(null); document.body.dataset.acted = action; },
  hash({ hash, frame }) { document.body.dataset.hash = hash; document.body.dataset.frame = frame; },
  bench({ seconds, hash, frames: count }) { document.body.dataset.bench = `${count} ${seconds} ${hash}`; },
  text: share,
  files({ files }) { for (const { name, bytes } of files) save(`${state.scene.name}-${name}`, new Blob([bytes])); },
  failure({ text }) {
    clearTimeout(state.opening);
    busy(null);
    say(text);
    if (!state.scene && state.source?.fallback) openNamed("vertebra");
  },
};

function startPicture() {
  if (!canvas.transferControlToOffscreen) return say("This browser cannot draw in a worker (OffscreenCanvas). A newer one can.");
  picture = new Worker("picture-worker.js", { type: "module" });
  picture.onmessage = ({ data }) => fromPicture[data.kind](data);
  picture.onerror = (event) => say(`The picture has stopped: ${event.message}`);
  const offscreen = canvas.transferControlToOffscreen();
  picture.postMessage({ kind: "start", canvas: offscreen, ...size() }, [offscreen]);
}

function startSim() {
  sim?.terminate();
  sim = new Worker("sim-worker.js", { type: "module" });
  sim.onmessage = ({ data }) => fromSim[data.kind](data);
  sim.onerror = (event) => { busy(null); say(`The simulation has stopped: ${event.message}`); };
  const channel = new MessageChannel();
  picture?.postMessage({ kind: "frames", port: channel.port1 }, [channel.port1]);
  const wanted = Number(new URLSearchParams(location.search).get("threads")) || Math.min(navigator.hardwareConcurrency || 1, 8);
  sim.postMessage({ kind: "start", threads: wanted, pictures: channel.port2 }, [channel.port2]);
}

const send = (kind, rest = {}) => sim.postMessage({ kind, ...rest });
const act = (action) => send("act", { action });

// ---- Scenes ----

async function fetchBytes(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path} cannot be loaded (${answer.status})`);
  return new Uint8Array(await answer.arrayBuffer());
}

/** The shipped files that a text of a scene names. */
async function filesOf(text) {
  const files = {};
  for (const name of state.index.files) if (text.includes(`"${name}"`)) files[name] = await fetchBytes(`scenes/${name}`);
  return files;
}

function openScene(what) {
  say("");
  busy("Building the scene");
  state.source = what;
  clearTimeout(state.opening);
  state.opening = setTimeout(() => {
    state.scene = null;
    startSim();
    busy(null);
    say("This scene takes too long to build, so it was stopped. Fewer cells, or a smaller mesh, would do.");
  }, LONGEST_OPEN);
  send("open", what);
}

async function openText(name, text, rest = {}) {
  try {
    openScene({ name, text, files: await filesOf(text), ...rest });
  } catch (error) {
    busy(null);
    say(error.message);
  }
}

async function openNamed(name) {
  const entry = state.index.scenes.find((scene) => scene.name === name);
  if (!entry) return say(`There is no scene "${name}"; the button Scenes shows all of them.`);
  busy("Loading the scene");
  try {
    const text = new TextDecoder().decode(await fetchBytes(`scenes/${name}.json`));
    await openText(name, text);
  } catch (error) {
    busy(null);
    say(error.message);
  }
}

function opened({ description, hash, seconds }) {
  clearTimeout(state.opening);
  busy(state.scene ? null : "Drawing");
  state.scene = description;
  state.cells = description.grid;
  document.body.dataset.scene = description.name;
  document.body.dataset.start = hash;
  document.body.dataset.built = seconds.toFixed(2);
  $("title").textContent = description.title;
  document.title = `${description.title || description.name} · runnel`;
  $("about").textContent = description.about;
  const side = Math.max(description.grid.cells_x, description.grid.cells_y) * description.grid.cell_size;
  state.side = side;
  state.gravity = Math.abs(description.gravity) || 9.81;
  state.rain = 0;
  for (const id of ["tilt-x", "tilt-y", "rain", "radius", "rate"]) $(id).value = 0;
  $("viscosity").value = Math.log10(Math.max(description.liquid.viscosity, 1e-7));
  fill($("liquid"), [...new Set([description.liquid.name, ...$("liquid").dataset.all.split(" ")])].map((name) => [name, name]));
  fill($("camera"), description.views.map(({ name }, i) => [i, name]));
  fill($("plot-what"), [["present", "Volume"], ["deepest", "Greatest depth"], ["fastest", "Greatest speed"],
    ...description.probes.map((probe, i) => [`probe${i}`, `${probe.name}: ${probe.section ? "discharge" : "level"}`])]);
  plot.clear();
  chooseView(0);
  showSettings();
  $("overlay").value = 0;
  picture?.postMessage({ kind: "overlay", value: 0 });
  send("speed", { value: Number($("speed").value) });
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) setPlaying(false);
  else send("play", { on: state.playing });
  hint(tools.find(({ name }) => name === state.tool).hint);
}

const fill = (select, options) => select.replaceChildren(...options.map(([value, text]) => new Option(text, value)));

// ---- Numbers ----

const ledger = [["poured", "Poured"], ["drained", "Drained"], ["left", "Left the scene"], ["displaced", "Displaced"],
  ["refused", "Refused"], ["present", "Present"], ["drift", "Drift"]];
$("ledger").tBodies[0].replaceChildren(...ledger.map(([name, label]) => {
  const row = document.createElement("tr"), head = document.createElement("th"), cell = document.createElement("td");
  head.scope = "row";
  head.textContent = label;
  cell.id = `ledger-${name}`;
  if (name === "present") row.className = "sum";
  row.append(head, cell);
  return row;
}));

function showNumbers({ numbers, probes, speed, stepSeconds }) {
  state.numbers = numbers;
  for (const [name] of ledger) $(`ledger-${name}`).textContent = format.volume(numbers[name]);
  Object.assign(document.body.dataset, { present: numbers.present, poured: numbers.poured, frame: numbers.frame, time: numbers.time });
  const slow = state.playing && speed > 0 && speed < 0.9 * Number($("speed").value) ? ` · ${format.trim(speed)}×` : "";
  $("clock").textContent = `${numbers.time.toFixed(2)} s${slow}`;
  $("clock").title = `A step takes ${format.trim(1000 * stepSeconds)} ms on ${state.threads} thread${state.threads > 1 ? "s" : ""}`;
  const what = $("plot-what").value, probe = /^probe(\d+)$/.exec(what);
  const value = probe ? probes[Number(probe[1])]?.values[0] : numbers[what];
  plot.unit = { present: format.volume, deepest: format.length, fastest: (v) => `${format.trim(v)} m/s` }[what] ?? format.trim;
  if (value !== undefined) plot.add(numbers.time, value);
}
$("plot-what").onchange = () => plot.clear();

// ---- Settings ----

const setting = () => {
  const scale = 10 ** Number($("radius").value), radius = 0.05 * state.side * scale;
  const usual = Math.PI * (0.05 * state.side) ** 2 * 0.3 * Math.sqrt(state.gravity * 0.05 * state.side);
  return { radius, rate: usual * 10 ** Number($("rate").value), size: 0.1 * state.side * scale, body: $("body").value,
    gravity: state.gravity, cell: state.cells.cell_size };
};

function showSettings() {
  const now = setting();
  $("radius-out").textContent = format.length(state.tool === "drop" ? now.size : now.radius);
  $("rate-out").textContent = format.rate(now.rate);
  $("viscosity-out").textContent = format.viscosity(10 ** Number($("viscosity").value));
  $("rain-out").textContent = format.rain(rainRate());
  for (const id of ["tilt-x", "tilt-y"]) $(`${id}-out`).textContent = `${Number($(id).value)}°`;
  $("rate-row").hidden = state.tool !== "pour" && state.tool !== "suck";
  $("body-row").hidden = state.tool !== "drop";
}

const rainRate = () => Number($("rain").value) ** 2 * 0.5 * 0.05 * (state.side ?? 1);
const set = (change) => act(`set ${change}`);

function tilt() {
  const [east, north] = ["tilt-x", "tilt-y"].map((id) => (Number($(id).value) * Math.PI) / 180);
  const x = Math.sin(east), y = Math.sin(north), z = -Math.sqrt(Math.max(0.05, 1 - x * x - y * y));
  set(`gravity=[${[x, y, z].map((part) => (part * state.gravity).toFixed(6)).join(", ")}]`);
  showSettings();
}

$("liquid").dataset.all = [...$("liquid").options].map(({ text }) => text).join(" ");
$("radius").oninput = $("rate").oninput = $("body").onchange = showSettings;
$("viscosity").oninput = () => { set(`liquid.viscosity=${(10 ** Number($("viscosity").value)).toExponential(4)}`); showSettings(); };
$("liquid").onchange = () => set(`liquid=${$("liquid").value}`);
$("rain").oninput = () => { act(`rain ${rainRate()}`); showSettings(); };
$("tilt-x").oninput = $("tilt-y").oninput = tilt;
$("overlay").onchange = () => picture.postMessage({ kind: "overlay", value: Number($("overlay").value) });

// ---- Tools ----

$("tools").replaceChildren(...tools.map(({ name, label, icon }) => {
  const button = document.createElement("button");
  button.type = "button";
  button.role = "radio";
  button.dataset.tool = name;
  button.innerHTML = icon;
  button.append(label);
  button.onclick = () => chooseTool(name);
  return button;
}));

function chooseTool(name) {
  state.tool = name;
  for (const button of $("tools").children) {
    const chosen = button.dataset.tool === name;
    button.ariaChecked = String(chosen);
    button.tabIndex = chosen ? 0 : -1;
  }
  if (state.scene) showSettings();
  hint(tools.find((tool) => tool.name === name).hint);
}
$("tools").onkeydown = (event) => {
  const move = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (!move) return;
  event.preventDefault();
  const next = (tools.findIndex(({ name }) => name === state.tool) + move + tools.length) % tools.length;
  chooseTool(tools[next].name);
  $("tools").children[next].focus();
};

function pick(x, y) {
  state.next = state.picking ? [x, y] : null;
  if (state.picking) return;
  state.picking = true;
  picture.postMessage({ kind: "pick", x, y });
}

// ---- Camera ----

const sendOrbit = () => picture?.postMessage({ kind: "orbit", orbit: state.orbit });

function chooseView(index) {
  const view = state.scene.views[index];
  state.orbit = [view.azimuth, view.elevation, view.angle, view.zoom || 1, view.aimed ? 1 : 0, ...view.target, 0];
  sendOrbit();
}
$("camera").onchange = () => chooseView(Number($("camera").value));

const turn = (dx, dy) => {
  if (!state.orbit) return;
  state.orbit[0] = (state.orbit[0] - 0.3 * dx) % 360;
  state.orbit[1] = Math.min(90, Math.max(-10, state.orbit[1] + 0.3 * dy));
  sendOrbit();
};

let looking = null;
new Hand(canvas, {
  turn,
  zoom(factor) {
    if (!state.orbit) return;
    state.orbit[3] = Math.min(20, Math.max(0.3, state.orbit[3] * factor));
    sendOrbit();
  },
  slide(dx, dy) {
    if (!state.orbit) return;
    const { low, high } = state.scene, angle = (state.orbit[0] * Math.PI) / 180, step = state.side / 700 / state.orbit[3];
    if (!state.orbit[4]) state.orbit.splice(4, 4, 1, ...low.map((from, i) => (from + high[i]) / 2));
    state.orbit[5] -= step * (dx * Math.cos(angle) + dy * Math.sin(angle));
    state.orbit[6] -= step * (dx * Math.sin(angle) - dy * Math.cos(angle));
    sendOrbit();
  },
  begin(x, y) {
    if (!state.scene) return;
    if (state.tool === "look") { looking = [x, y]; return; }
    state.use = new Use(state.tool, setting(), act);
    pick(x, y);
  },
  move(x, y) {
    const box = canvas.getBoundingClientRect();
    if (looking) {
      turn((x - looking[0]) * box.width, (y - looking[1]) * box.height);
      looking = [x, y];
    } else if (state.use) pick(x, y);
  },
  end() {
    looking = null;
    state.use?.end();
    state.use = state.next = null;
  },
});

// ---- Time ----

function setPlaying(on, told = false) {
  state.playing = on;
  $("play").textContent = on ? "Pause" : "Play";
  $("play").ariaPressed = String(on);
  if (!told) send("play", { on });
}
$("play").onclick = () => setPlaying(!state.playing);
$("step").onclick = () => { setPlaying(false); send("step"); };
$("reset").onclick = () => { if (state.scene) { plot.clear(); send("restart"); } };
$("speed").onchange = () => send("speed", { value: Number($("speed").value) });
document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, select, button, dialog") || event.ctrlKey || event.metaKey) return;
  const keys = { " ": () => $("play").click(), ".": () => $("step").click(), r: () => $("reset").click() };
  if (!keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
});

// ---- Dialogs: scenes, files, sharing ----

for (const button of document.querySelectorAll("[data-close]")) button.onclick = () => button.closest("dialog").close();
$("files-button").onclick = () => $("files").showModal();
$("scenes-button").onclick = () => {
  if (!$("cards").children.length) fillGallery();
  $("gallery").showModal();
};

function fillGallery() {
  $("cards").replaceChildren(...state.index.scenes.map(({ name, title }) => {
    const item = document.createElement("li"), button = document.createElement("button"), image = new Image(320, 200);
    image.src = `posters/${name}.webp`;
    image.alt = "";
    image.loading = "lazy";
    image.onerror = () => { image.src = "icon.svg"; };
    const label = document.createElement("span");
    label.textContent = title;
    button.type = "button";
    button.dataset.scene = name;
    button.append(image, label);
    button.onclick = () => {
      $("gallery").close();
      history.replaceState(null, "", `#scene=${name}`);
      openNamed(name);
    };
    item.append(button);
    return item;
  }));
}

$("share-button").onclick = () => state.scene && send("text");

async function share({ text, name }) {
  const own = Object.keys(state.source?.files ?? {}).some((file) => !state.index.files.includes(file));
  if (own || state.source?.bytes) return say("This scene uses a file of yours, which a link cannot hold. Download the scene instead, and send both.");
  const link = `${location.origin}${location.pathname}${await toFragment(name, text)}`;
  history.replaceState(null, "", new URL(link).hash);
  document.body.dataset.link = link;
  try {
    await navigator.clipboard.writeText(link);
    hint(`The link is copied: ${link.length} characters`);
  } catch {
    hint("The link is in the address bar");
  }
}

function save(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
for (const button of document.querySelectorAll("[data-save]")) {
  button.onclick = () => {
    if (!state.scene) return;
    if (button.dataset.save === "png") picture.postMessage({ kind: "picture" });
    else send("export", { format: button.dataset.save });
  };
}

let recorder = null;
$("film").onclick = () => {
  if (recorder) return recorder.stop();
  const type = ["video/mp4", "video/webm;codecs=vp9", "video/webm"].find((kind) => globalThis.MediaRecorder?.isTypeSupported(kind));
  if (!type || !canvas.captureStream) return say("This browser cannot record a film (MediaRecorder).");
  const parts = [];
  recorder = new MediaRecorder(canvas.captureStream(60), { mimeType: type, videoBitsPerSecond: 8e6 });
  recorder.ondataavailable = ({ data }) => parts.push(data);
  recorder.onstop = () => {
    save(`${state.scene?.name ?? "runnel"}.${type.includes("mp4") ? "mp4" : "webm"}`, new Blob(parts, { type }));
    recorder = null;
    $("film").textContent = "Record a film";
    $("film").ariaPressed = "false";
  };
  recorder.start(500);
  $("film").textContent = "Stop recording";
  $("film").ariaPressed = "true";
};

async function openFile(file) {
  $("files").close();
  const ending = file.name.toLowerCase().split(".").pop();
  const known = ["stl", "obj", "ply", "off", "png", "tif", "tiff", "asc", "json", "rnl"];
  if (!known.includes(ending)) return say(`${file.name}: files that end in .${ending} cannot be opened; ${known.slice(0, -1).join(", ")} and rnl can.`);
  if (file.size > MOST_FILE) return say(`${file.name} has ${(file.size / 1048576).toFixed(0)} MB; at most ${MOST_FILE >> 20} MB can be opened in a browser. The runnel command opens larger ones.`);
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (ending === "json") openText(file.name.replace(/\.json$/i, ""), new TextDecoder().decode(bytes));
  else openScene({ name: file.name, bytes, files: {} });
}
$("file").onchange = () => { if ($("file").files[0]) openFile($("file").files[0]); $("file").value = ""; };
addEventListener("dragover", (event) => { event.preventDefault(); document.body.classList.add("dropping"); });
addEventListener("dragleave", (event) => { if (!event.relatedTarget) document.body.classList.remove("dropping"); });
addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("dropping");
  if (event.dataTransfer.files[0]) openFile(event.dataTransfer.files[0]);
});

// ---- Start ----

async function openFragment() {
  try {
    const found = await fromFragment(location.hash);
    if (found?.text) return openText(found.name, found.text, { fallback: true });
    await openNamed(found?.name ?? "vertebra");
  } catch (error) {
    say(error.message.charAt(0).toUpperCase() + error.message.slice(1) + ".");
    if (!state.scene) {
      const text = $("message-text").textContent;
      await openNamed("vertebra");
      say(text);
    }
  }
}

async function start() {
  busy("Loading");
  if (typeof WebAssembly !== "object") return say("This browser has no WebAssembly, which the liquid needs.");
  startPicture();
  startSim();
  chooseTool("pour");
  new ResizeObserver(() => picture?.postMessage({ kind: "size", ...size() })).observe(canvas);
  state.index = JSON.parse(new TextDecoder().decode(await fetchBytes("scenes/index.json")));
  await openFragment();
  addEventListener("hashchange", openFragment);
}

/** Lets the service worker keep what has been loaded, the workers' files too. */
async function keepForLater() {
  if (!navigator.serviceWorker) return;
  try {
    await navigator.serviceWorker.register("sw.js");
    const worker = (await navigator.serviceWorker.ready).active;
    const core = state.threads > 1 ? ["runnel-threads.js", "runnel-threads.wasm", "runnel-threads.worker.js"] : ["runnel.js", "runnel.wasm"];
    const files = [...core.map((name) => `package/dist/${name}`), ...performance.getEntriesByType("resource").map(({ name }) => name)];
    worker.postMessage(files.map((name) => new URL(name, location.href).href));
  } catch { /* private windows have none; the page works without */ }
}
start();

// For tests: what a user could do with the controls.
globalThis.playground = { send, act, state, openNamed };
