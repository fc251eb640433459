// The keys, in one list: the page acts on it, and the help shows it. They are those of the window of "runnel view".
import { element, make } from "./dom.js";
import { TOOLS } from "./tools.js";

/**
 * @typedef {object} Key
 * @property {string} key    as in KeyboardEvent.key, with "shift+" or "ctrl+"
 * @property {string} [show] on the help page
 * @property {string} [help] empty: belongs to the key before
 * @property {string} group
 * @property {(a: any) => void} run
 */

const arrows = (prefix, group, help, run) => [
  { key: `${prefix}ArrowLeft`, show: `${prefix.replace("+", " ")}← → ↑ ↓`, help, group, run: (a) => run(a, -1, 0) },
  { key: `${prefix}ArrowRight`, group, run: (a) => run(a, 1, 0) },
  { key: `${prefix}ArrowUp`, group, run: (a) => run(a, 0, 1) },
  { key: `${prefix}ArrowDown`, group, run: (a) => run(a, 0, -1) },
];

const turn = (a, x, y) => a.camera.turn(-20 * x, 20 * y, a.canvas.clientWidth, a.canvas.clientHeight);
const pan = (a, x, y) => a.camera.pan(-20 * x, 20 * y, a.canvas.clientHeight);
const tilt = (a, x, y) => {
  if (x) a.controls.fields.tiltX.nudge(x);
  if (y) a.controls.fields.tiltY.nudge(y);
};

/** @type {Key[]} */
export const KEYS = [
  { key: " ", show: "space", help: "play or pause", group: "Time", run: (a) => a.togglePlay() },
  { key: ".", help: "one frame", group: "Time", run: (a) => a.step() },
  { key: "r", show: "R", help: "back to the start", group: "Time", run: (a) => a.restart() },
  { key: "-", show: "− +", help: "slower or faster", group: "Time", run: (a) => a.changeSpeed(-1) },
  { key: "+", group: "Time", run: (a) => a.changeSpeed(1) },
  { key: "=", group: "Time", run: (a) => a.changeSpeed(1) },
  ...TOOLS.map(({ name, key, help }) => ({ key, help, group: "Tools", run: (a) => a.controls.choose(name) })),
  { key: "Enter", show: "enter", help: "start or stop the tool", group: "Tools", run: (a) => a.useTool() },
  { key: "[", show: "[ ]", help: "smaller or larger brush", group: "Tools", run: (a) => a.controls.fields.radius.nudge(-1) },
  { key: "]", group: "Tools", run: (a) => a.controls.fields.radius.nudge(1) },
  { key: ",", show: ", ;", help: "pour less or more", group: "Tools", run: (a) => a.controls.fields.rate.nudge(-1) },
  { key: ";", group: "Tools", run: (a) => a.controls.fields.rate.nudge(1) },
  { key: "w", show: "W", help: "rain on or off", group: "Liquid and gravity", run: (a) => a.toggleRain() },
  { key: "z", show: "Z X", help: "less or more viscous", group: "Liquid and gravity", run: (a) => a.controls.fields.viscosity.nudge(-1) },
  { key: "x", group: "Liquid and gravity", run: (a) => a.controls.fields.viscosity.nudge(1) },
  ...arrows("", "Liquid and gravity", "tilt", tilt),
  { key: "0", help: "gravity straight down", group: "Liquid and gravity", run: (a) => a.controls.level() },
  ...arrows("shift+", "View", "turn", turn),
  ...arrows("ctrl+", "View", "pan", pan),
  { key: "PageUp", show: "page ↑ ↓", help: "zoom", group: "View", run: (a) => a.camera.zoom(1.25) },
  { key: "PageDown", group: "View", run: (a) => a.camera.zoom(0.8) },
  { key: "Home", show: "home", help: "first camera", group: "View", run: (a) => a.camera.view(0) },
  { key: "v", show: "V", help: "next camera", group: "View", run: (a) => a.controls.next("view") },
  { key: "o", show: "O", help: "next colours", group: "View", run: (a) => a.controls.next("overlay") },
  { key: "a", show: "A", help: "flow arrows", group: "View", run: (a) => a.controls.fields.arrows.toggle() },
  { key: "t", show: "T", help: "tiles at rest", group: "View", run: (a) => a.controls.fields.resting.toggle() },
  { key: "m", show: "M", help: "show or hide the panel", group: "View", run: (a) => a.togglePanel() },
  { key: "c", show: "C", help: "choose a scene", group: "Files", run: (a) => a.showGallery() },
  { key: "s", show: "S", help: "share", group: "Files", run: (a) => a.share() },
  { key: "F8", help: "start or end a film", group: "Files", run: () => document.getElementById("film")?.click() },
  { key: "?", help: "this page", group: "Files", run: () => element("keys").showModal() },
  { key: "Escape", show: "esc", help: "the tool Look", group: "Tools", run: (a) => a.controls.choose("look") },
];

const FORM = "input:not([type=radio], [type=checkbox]), select, textarea, [contenteditable]";

/** Acts on keys. Fields of forms keep theirs, and so do open dialogs. */
export function listenToKeys(app) {
  addEventListener("keydown", (event) => {
    const target = /** @type {Element} */ (event.target);
    if (event.altKey || event.metaKey || document.querySelector("dialog[open]") || target.matches?.(FORM)) return;
    if ([" ", "Enter"].includes(event.key) && target.closest?.("button, a, summary, input")) return;
    if (target.matches?.("input[type=radio]") && event.key.startsWith("Arrow")) return;
    const arrow = event.key.startsWith("Arrow");
    if (target.closest?.("#panel") && (arrow || ["PageUp", "PageDown", "Home"].includes(event.key))) return; // they scroll it
    if (event.ctrlKey && !arrow) return;
    const prefix = arrow && event.ctrlKey ? "ctrl+" : arrow && event.shiftKey ? "shift+" : "";
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const found = KEYS.find(({ key }) => key === prefix + name);
    if (!found) return;
    event.preventDefault();
    found.run(app);
  });
}

const POINTING = [
  ["drag", "use the tool"],
  ["right button or two fingers", "look around"],
  ["wheel or pinch", "zoom"],
  ["middle button", "pan"],
  ["drop a file", "open it"],
];

/** Fills the help page. */
export function makeHelp() {
  const list = (rows, wrap) =>
    make("dl", {}, ...rows.map(([key, help]) => make("div", {}, make("dt", {}, wrap(key)), make("dd", {}, help))));
  const asKey = (key) => make("kbd", {}, key);
  const groups = ["Time", "Tools", "Liquid and gravity", "View", "Files"].map((group) =>
    make("section", {}, make("h3", {}, group), list(KEYS.filter((k) => k.group === group && k.help).map((k) => [k.show ?? k.key, k.help]), asKey)),
  );
  element("keys-list").replaceChildren(make("section", { class: "pointing" }, make("h3", {}, "Mouse and touch"), list(POINTING, String)), ...groups);
}
