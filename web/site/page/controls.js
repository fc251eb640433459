// The panel: brush, liquid, weather, gravity and view, and the bar of tools.
import { element, icon, make } from "./dom.js";
import { check, choices, select, slider } from "./fields.js";
import * as format from "./format.js";
import { ARROWS, RESTING } from "../marks.js";
import { BODIES, TOOLS } from "./tools.js";

const LIQUIDS = ["water", "blood", "milk", "coffee", "espresso", "oil", "glycerol", "honey", "paint", "mercury"];
const OVERLAYS = ["Natural", "Depth", "Speed", "Layers", "Full passages", "Mesh", "Distance to the edge"];
const RADIANS = Math.PI / 180;
const capital = (word) => word[0].toUpperCase() + word.slice(1);

/**
 * @typedef {object} Playground  What the controls act on.
 * @property {import("./tools.js").Hand} hand
 * @property {(tool: string) => void} chosen is called with the tool that is in hand from now on
 * @property {import("./orbit.js").Camera} camera
 * @property {(action: string) => void} act
 * @property {(number: number) => void} overlay
 * @property {(which: number) => void} marks
 */

export class Controls {
  /** @type {Record<string, any>} */
  fields = {};
  #p;
  #gravity = 9.81;
  #tilt = [0, 0];

  /** @param {Playground} playground */
  constructor(playground) {
    this.#p = playground;
    this.#makeTools();
    this.#makeBrush();
    this.#makeLiquid();
    this.#makeWorld();
    this.#makeView();
    this.choose("pour");
  }

  #makeTools() {
    for (const { name, title, key } of TOOLS) {
      const input = make("input", { type: "radio", name: "tool", value: name });
      const label = make("label", { class: "tool", title: `${title} (${key})` }, input, icon(name), make("span", {}, title));
      input.addEventListener("change", () => this.choose(name));
      element("tools").append(label);
    }
  }

  /** Chooses a tool. @param {string} name */
  choose(name) {
    this.#p.hand.tool = name;
    element("tools").querySelector(`input[value=${name}]`).checked = true;
    element("stage").dataset.tool = name;
    this.fields.bodies.row.hidden = name !== "drop";
    this.#p.chosen(name);
  }

  #makeBrush() {
    const { hand } = this.#p;
    const bodies = choices({
      name: "Body to drop",
      options: BODIES.map((body) => [body, capital(body)]),
      change: (body) => (hand.body = body),
    });
    const radius = slider({
      name: "Radius",
      low: 0.1,
      high: 10,
      logarithmic: true,
      show: () => format.length(hand.radius),
      change: (value) => {
        hand.brush = value;
        radius.draw();
      },
    });
    const rate = slider({
      name: "Pour rate",
      low: 0.01,
      high: 100,
      logarithmic: true,
      show: () => format.rate(hand.rate),
      change: (value) => {
        hand.flow = value;
        rate.draw();
      },
    });
    bodies.set(hand.body);
    Object.assign(this.fields, { bodies, radius, rate });
    element("brush").append(bodies.row, radius.row, rate.row);
  }

  #makeLiquid() {
    const liquid = select({
      name: "Liquid",
      options: LIQUIDS.map((name) => [name, capital(name)]),
      change: (name) => this.#set(`liquid=${name}`),
    });
    const viscosity = slider({
      name: "Viscosity",
      low: 1e-7,
      high: 1e-1,
      logarithmic: true,
      show: format.viscosity,
      change: (value) => this.#set(`liquid.viscosity=${value.toPrecision(6)}`),
    });
    const angle = slider({
      name: "Contact angle",
      low: 1,
      high: 170,
      steps: 169,
      show: (value) => `${value.toFixed(0)}°`,
      change: (value) => this.#set(`liquid.contact_angle=${value.toFixed(0)}`),
    });
    Object.assign(this.fields, { liquid, viscosity, angle });
    element("liquid").append(liquid.row, viscosity.row, angle.row);
  }

  #makeWorld() {
    // The slider goes from none over a drizzle to a cloudburst, whatever the size of the scene.
    const fall = (place) => (place <= 0 ? 0 : this.#p.hand.defaults.radius * 10 ** (4 * (place - 1)));
    const rain = slider({
      name: "Rain",
      low: 0,
      high: 1,
      steps: 100,
      show: (place) => (place <= 0 ? "none" : `${format.digits(fall(place) * 3.6e6, 2)} mm/h`),
      change: (place) => this.#p.act(`rain ${fall(place)}`),
    });
    const tilts = ["x", "y"].map((axis, i) =>
      slider({
        name: `Tilt along ${axis}`,
        low: -30,
        high: 30,
        steps: 120,
        show: (value) => `${value.toFixed(1).replace("-", "−")}°`,
        change: (value) => {
          this.#tilt[i] = value;
          this.#sendTilt();
        },
      }),
    );
    const level = make("button", { type: "button", class: "quiet small" }, "Level");
    level.addEventListener("click", () => this.level());
    Object.assign(this.fields, { rain, tiltX: tilts[0], tiltY: tilts[1] });
    element("world").append(rain.row, tilts[0].row, tilts[1].row, level);
  }

  /** Gravity straight down. */
  level() {
    this.#tilt = [0, 0];
    this.fields.tiltX.set(0);
    this.fields.tiltY.set(0);
    this.#sendTilt();
  }

  #sendTilt() {
    const [x, y] = this.#tilt.map((degrees) => Math.tan(degrees * RADIANS));
    const down = this.#gravity / Math.sqrt(1 + x * x + y * y);
    this.#set(`gravity=[${[x * down, y * down, -down].map((value) => value.toPrecision(9)).join(", ")}]`);
  }

  #makeView() {
    const view = select({ name: "Camera", options: [], change: (number) => this.#p.camera.view(Number(number)) });
    const overlay = select({
      name: "Colours",
      options: OVERLAYS.map((title, i) => [String(i), title]),
      change: (number) => this.#p.overlay(Number(number)),
    });
    const tell = () => this.#p.marks((arrows.input.checked ? ARROWS : 0) | (resting.input.checked ? RESTING : 0));
    const arrows = check({ name: "Flow arrows", change: tell });
    const resting = check({ name: "Tiles at rest", change: tell });
    Object.assign(this.fields, { view, overlay, arrows, resting });
    element("view").append(view.row, overlay.row, arrows.row, resting.row);
  }

  /** Shows the next camera or the next colours. @param {"view"|"overlay"} which */
  next(which) {
    const { list } = this.fields[which];
    if (list.options.length === 0) return;
    list.selectedIndex = (list.selectedIndex + 1) % list.options.length;
    list.dispatchEvent(new Event("change"));
  }

  #set(change) {
    this.#p.act(`set ${change}`);
  }

  /** Shows the liquid of a scene. */
  showLiquid({ liquid }) {
    const { fields } = this;
    fields.liquid.set(liquid.name);
    fields.viscosity.set(liquid.viscosity);
    fields.angle.set(liquid.contact_angle);
  }

  /** Shows the values of a scene that was opened. */
  show(scene) {
    const { gravity } = scene;
    this.#gravity = Math.hypot(...gravity);
    this.#tilt = [0, 1].map((i) => Math.atan2(gravity[i], -gravity[2]) / RADIANS);
    this.#p.hand.fit(scene, this.#gravity);
    const { fields } = this;
    fields.radius.set(this.#p.hand.brush);
    fields.rate.set(this.#p.hand.flow);
    this.showLiquid(scene);
    fields.rain.set(0);
    fields.tiltX.set(this.#tilt[0]);
    fields.tiltY.set(this.#tilt[1]);
    fields.view.fill((scene.views ?? []).map((view, i) => [String(i), capital(view.name || `view ${i + 1}`)]));
    fields.view.row.hidden = (scene.views ?? []).length < 2;
  }
}
