// Plots of the last minutes: volume, speed of the simulation, and the probes of the scene.
import { element, make } from "./dom.js";
import * as format from "./format.js";

const LONGEST = 400; // values of a plot

/** One line over time on a canvas of its own. */
class Plot {
  #values = [];
  #canvas = make("canvas", { "aria-hidden": "true" });
  #value = make("span", { class: "value" }, "–");
  #show;
  #fromZero;

  constructor(name, show, fromZero) {
    this.#show = show;
    this.#fromZero = fromZero;
    this.box = make("div", { class: "plot" }, make("span", { class: "name" }, name), this.#value, this.#canvas);
  }

  add(value) {
    if (!Number.isFinite(value)) return;
    this.#values.push(value);
    if (this.#values.length > LONGEST) this.#values.shift();
  }

  draw() {
    if (this.#values.length === 0) return;
    this.#value.textContent = this.#show(this.#values.at(-1));
    const [width, height] = [this.#canvas.clientWidth, this.#canvas.clientHeight];
    if (width === 0) return;
    const scale = devicePixelRatio || 1;
    const [w, h] = [Math.round(width * scale), Math.round(height * scale)];
    if (this.#canvas.width !== w || this.#canvas.height !== h) Object.assign(this.#canvas, { width: w, height: h });
    const pen = this.#canvas.getContext("2d");
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    this.#trace(pen, width, height);
    const colour = getComputedStyle(this.box).getPropertyValue("--accent").trim();
    pen.strokeStyle = colour;
    pen.lineWidth = 1.5;
    pen.lineJoin = "round";
    pen.stroke();
    pen.lineTo(((this.#values.length - 1) / (LONGEST - 1)) * width, height);
    pen.lineTo(0, height);
    pen.globalAlpha = 0.12;
    pen.fillStyle = colour;
    pen.fill();
    pen.globalAlpha = 1;
  }

  /** The scale spans at least 1 % of the greatest value, so that ripples do not look like waves. */
  #trace(pen, width, height) {
    let low = Math.min(...this.#values);
    const high = Math.max(...this.#values);
    if (this.#fromZero) low = Math.min(low, 0);
    const span = Math.max(high - low, Math.abs(high) * 1e-2, 1e-30);
    pen.beginPath();
    this.#values.forEach((value, i) => {
      pen.lineTo((i / (LONGEST - 1)) * width, height - 2 - ((height - 4) * (value - low)) / span);
    });
  }
}

export class Plots {
  #plots = [];
  #probes = [];
  #waiting = false;

  /** Starts empty plots for a scene. */
  show(scene) {
    const volume = new Plot("Volume", (value) => format.volume(value), false);
    const real = new Plot("× real time", (value) => format.digits(value, 3), true);
    this.#probes = (scene.probes ?? []).slice(0, 6).map(({ name, section }) =>
      section
        ? new Plot(`Flow through ${name}`, (value) => format.rate(value), true)
        : new Plot(`Level at ${name}`, (value) => format.length(value, 4), false),
    );
    this.#plots = [volume, real, ...this.#probes];
    element("plots").replaceChildren(...this.#plots.map((plot) => plot.box));
  }

  /** Adds the numbers of a frame. */
  add({ numbers, probes, realTime }) {
    if (this.#plots.length === 0) return;
    this.#plots[0].add(numbers.present);
    this.#plots[1].add(realTime);
    this.#probes.forEach((plot, i) => plot.add(probes[i]?.values[0]));
    if (this.#waiting) return;
    this.#waiting = true;
    requestAnimationFrame(() => {
      this.#waiting = false;
      for (const plot of this.#plots) plot.draw();
    });
  }
}
