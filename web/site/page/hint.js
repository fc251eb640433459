// A hint over the picture: what the tool in hand does, until the user has pressed on the picture for the first time.
import { element } from "./dom.js";
import { TOOLS } from "./tools.js";

const around = matchMedia("(pointer: coarse)").matches ? "two fingers" : "the right button";

export class Hint {
  #box = element("hint");
  #used = false;

  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    const end = () => {
      this.#used = true;
      this.#box.hidden = true;
    };
    canvas.addEventListener("pointerdown", end, { once: true });
  }

  /** Says what a tool does. @param {string} name */
  tool(name) {
    const { help } = TOOLS.find((one) => one.name === name);
    this.#box.textContent = name === "look" ? `Drag to ${help}` : `Press and hold to ${help}; look around with ${around}`;
  }

  /** The scene is on the screen. */
  show() {
    this.#box.hidden = this.#used;
  }
}
