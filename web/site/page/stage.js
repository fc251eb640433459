// The picture's place on the page: its size in device pixels, and what is shown while a scene loads.
import { element } from "./dom.js";

const MOST = 2.5e6; // pixels of the picture

export class Stage {
  #poster = element("poster");
  #busy = element("busy");
  #waiting = true;

  /** @param {HTMLCanvasElement} canvas @param {(width: number, height: number) => void} resized in device pixels */
  constructor(canvas, resized) {
    this.#poster.addEventListener("error", () => (this.#poster.hidden = true));
    const measure = () => {
      const { clientWidth: width, clientHeight: height } = canvas;
      if (width === 0 || height === 0) return;
      const pixels = Math.min(devicePixelRatio || 1, Math.sqrt(MOST / (width * height)));
      canvas.dataset.pixels = String(pixels);
      resized(Math.round(width * pixels), Math.round(height * pixels));
    };
    new ResizeObserver(measure).observe(canvas);
    measure();
  }

  /** A scene is being opened: shows its poster, unless it is the scene that is on the screen. */
  waitFor(name, same) {
    this.#waiting = true;
    if (!same) {
      this.#poster.hidden = !name;
      if (name) this.#poster.src = `posters/${name}.webp`;
    }
    this.busy("Preparing the scene…");
  }

  /** A picture was drawn: the first one of a scene ends the wait. */
  drawn() {
    if (!this.#waiting) return;
    this.#waiting = false;
    this.idle();
  }

  busy(text) {
    element("busy-text").textContent = text;
    this.#busy.hidden = false;
  }

  idle() {
    this.#busy.hidden = true;
    this.#poster.hidden = true;
  }
}
