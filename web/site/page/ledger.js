// The ledger: where the liquid came from and where it went.
import { element, make } from "./dom.js";
import * as format from "./format.js";

const ROWS = [
  ["poured", "Poured"],
  ["drained", "Drained"],
  ["left", "Left over the edges"],
  ["displaced", "Displaced by the ground"],
  ["bodyOffset", "Held by bodies"],
  ["refused", "Refused"],
  ["present", "Present"],
  ["drift", "Drift"],
];
const ALWAYS = new Set(["poured", "left", "present", "drift"]);

export class Ledger {
  #cells = new Map();

  constructor() {
    for (const [key, name] of ROWS) {
      const cell = make("td", {}, "0 ml");
      const row = make("tr", { class: key }, make("th", { scope: "row" }, name), cell);
      row.hidden = !ALWAYS.has(key);
      this.#cells.set(key, { cell, row });
      element("ledger").querySelector("tbody").append(row);
    }
  }

  /** Shows the volumes of a frame (m³). Rows that stay zero are not shown. */
  show(numbers) {
    for (const [key, { cell, row }] of this.#cells) {
      const value = numbers[key];
      if (value) row.hidden = false;
      const shown = key === "drift" && value === 0 ? "none" : format.volume(value ?? 0);
      if (cell.textContent !== shown) cell.textContent = shown;
      cell.dataset.value = String(value ?? 0);
    }
  }
}
