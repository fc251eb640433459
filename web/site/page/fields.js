// Labelled form fields of the panel: sliders, selects, boxes to tick and rows of choices.
import { make } from "./dom.js";

let made = 0;

/**
 * A slider with its value at the right.
 * @param {object} o
 * @param {string} o.name
 * @param {number} o.low
 * @param {number} o.high
 * @param {boolean} [o.logarithmic]
 * @param {number} [o.steps]
 * @param {(value: number) => string} o.show
 * @param {(value: number) => void} o.change
 */
export function slider({ name, low, high, logarithmic = false, steps = 200, show, change }) {
  const id = `field-${++made}`;
  const input = make("input", { type: "range", id, min: "0", max: String(steps), step: "1" });
  const output = make("output", { for: id });
  const row = make("div", { class: "row" }, make("label", { for: id }, name), output, input);
  const [from, to] = logarithmic ? [Math.log(low), Math.log(high)] : [low, high];
  const valueAt = (place) => {
    const value = from + ((to - from) * place) / steps;
    return logarithmic ? Math.exp(value) : value;
  };
  let now = low;
  const draw = () => {
    output.textContent = show(now);
    input.setAttribute("aria-valuetext", `${show(now)}`);
    const [place, zero] = [Number(input.value) / steps, low < 0 && !logarithmic ? -low / (high - low) : 0];
    input.style.setProperty("--from", `${100 * Math.min(place, zero)}%`);
    input.style.setProperty("--filled", `${100 * Math.max(place, zero)}%`);
  };
  const set = (value) => {
    now = value;
    const place = logarithmic ? Math.log(Math.min(Math.max(value, low), high)) : value;
    input.value = String(Math.round(((place - from) / (to - from)) * steps));
    draw();
  };
  const takeOver = (value) => {
    now = value;
    draw();
    change(value);
  };
  input.addEventListener("input", () => takeOver(valueAt(Number(input.value))));
  /** Moves by a number of steps of 1/40 of the range. */
  const nudge = (count) => {
    const place = Math.min(Math.max(Number(input.value) + (count * steps) / 40, 0), steps);
    input.value = String(place);
    takeOver(valueAt(Number(input.value)));
  };
  return { row, input, set, draw, nudge, value: () => now };
}

/** A drop-down list. options: [value, title] pairs. */
export function select({ name, options, change }) {
  const id = `field-${++made}`;
  const list = make("select", { id });
  const fill = (entries) => list.replaceChildren(...entries.map(([value, title]) => make("option", { value }, title)));
  fill(options);
  list.addEventListener("change", () => change(list.value));
  const row = make("div", { class: "row choice" }, make("label", { for: id }, name), list);
  return { row, list, fill, set: (value) => void (list.value = value) };
}

/** A box to tick. change: is called with whether it is ticked. */
export function check({ name, change }) {
  const input = make("input", { type: "checkbox" });
  const row = make("label", { class: "check" }, input, make("span", {}, name));
  input.addEventListener("change", () => change(input.checked));
  return { row, input, toggle: () => input.click() };
}

/** A row of buttons of which one is chosen. options: [value, title] pairs. */
export function choices({ name, options, change }) {
  const group = `group-${++made}`;
  const inputs = options.map(([value]) => make("input", { type: "radio", name: group, value }));
  const labels = options.map(([, title], i) => make("label", {}, inputs[i], make("span", {}, title)));
  const row = make("fieldset", { class: "choices" }, make("legend", { class: "hidden" }, name), ...labels);
  row.addEventListener("change", (event) => change(/** @type {HTMLInputElement} */ (event.target).value));
  const set = (value) => inputs.forEach((input) => (input.checked = input.value === value));
  return { row, set };
}
