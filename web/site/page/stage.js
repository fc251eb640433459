// The picture's place on the page: its size in device pixels, and what is shown while a scene loads.
import { element } from "./dom.js";

const MOST = 2.5e6; // pixels of the picture
const SLOW = 60; // ms of a frame; slower pictures get fewer pixels; tests set globalThis.slow
const STALL = 180; // ms; what a frame takes beyond that is not counted: one alone never costs pixels
const LONG = 5000; // ms, after which opening a scene can be cancelled; tests set globalThis.patience
const COARSEST = 0.35; // pixels per CSS pixel
const FIRST = 0.3; // share of the pixels, along a side, of the first picture
const GROWTH = 1.6; // of a side, while pictures take little time

export class Stage {
  #poster = element("poster");
  #busy = element("busy");
  #waiting = true;
  #ready = false; // the scene that is waited for is open
  #scene = 0; // the number of the scene that is open
  #measure;
  #coarse = FIRST; // share of the pixels, along a side
  growing = true; // the pictures get more pixels, until they are slow or have all
  #timer = 0; // of the button that cancels
  #spent = 0; // ms of a frame, on average
  #late = false; // the last picture was too slow for more pixels
  #shown = false; // a scene has been drawn
  #whole = false; // not as a draft
  #flows = false; // with liquid

  /** @param {HTMLCanvasElement} canvas @param {(width: number, height: number, over: {width: number, height: number, scale: number}) => void} resized in device pixels */
  constructor(canvas, resized) {
    this.#poster.addEventListener("error", () => (this.#poster.hidden = true));
    this.#measure = () => {
      const { clientWidth: width, clientHeight: height } = canvas;
      if (width === 0 || height === 0) return;
      const finest = Math.min(devicePixelRatio || 1, Math.sqrt(MOST / (width * height)));
      const pixels = Math.max(finest * this.#coarse, Math.min(finest, COARSEST));
      canvas.dataset.pixels = String(pixels);
      const scale = Math.min(devicePixelRatio || 1, 2);
      resized(Math.round(width * pixels), Math.round(height * pixels), { width: Math.round(width * scale), height: Math.round(height * scale), scale });
    };
    new ResizeObserver(this.#measure).observe(canvas);
    this.#measure();
  }

  /** A scene is being opened: shows its poster, unless it is the scene that is on the screen. */
  waitFor(name, same) {
    this.#waiting = true;
    this.#ready = this.#late = false;
    this.growing = true;
    if (!same) {
      this.#poster.hidden = !name;
      if (name) this.#poster.src = `posters/${name}.webp`;
    }
    this.busy("Preparing the scene…");
  }

  /** A scene is open; its picture follows. @param {number} scene  its number @param {boolean} awaited  it is the one that is waited for */
  opened(scene, awaited) {
    this.#scene = scene;
    this.#ready = awaited;
  }

  /** Whether a picture is of the scene that is open: pictures of the last one may still be on their way. @param {number} scene */
  shows(scene) {
    return scene === this.#scene;
  }

  /**
   * A picture was drawn: the first one of a scene ends the wait; one of its preview takes the place of the poster.
   * @param {number} milliseconds that it took @param {{scene: number, preview: boolean, liquid?: boolean, draft?: boolean}} shows
   */
  drawn(milliseconds, { scene, preview, liquid = false, draft = false }) {
    const first = !this.#shown;
    if (this.#waiting && !preview && !(this.#ready && this.shows(scene))) return;
    if (first) performance.mark("first picture");
    if (liquid && !this.#flows) performance.mark("first liquid");
    this.#shown = true;
    this.#flows ||= liquid;
    if (preview) {
      this.#poster.hidden = true;
      this.#busy.classList.toggle("aside", this.#waiting);
    } else if (this.#waiting) this.idle();
    if (draft) return;
    const compiled = !this.#whole; // it has compiled shaders: its time says nothing
    this.#whole = true;
    if (compiled) {
      performance.mark("first whole picture");
      this.#measure();
    } else this.#suit(milliseconds);
  }

  /** Gives pictures more pixels at first, while they take little time, and fewer if they take long. */
  #suit(milliseconds) {
    const slow = globalThis.slow ?? SLOW;
    this.#spent += 0.25 * (Math.min(milliseconds, STALL) - this.#spent);
    if (this.growing) {
      const late = milliseconds * GROWTH ** 2 >= slow, alone = late && !this.#late;
      this.#late = late;
      this.growing = this.#coarse < 1 && (!late || alone);
      if (!this.growing) return;
      if (alone) this.#spent = 0; // it may have compiled shaders: another picture of this size tells
      else this.#coarse = Math.min(1, this.#coarse * GROWTH);
    } else {
      if (this.#spent < slow || this.#coarse < 0.2) return;
      this.#coarse *= 0.8;
      this.#spent = 0;
    }
    this.#measure();
  }

  /** Says what the page waits for. A scene that takes long can be cancelled. */
  busy(text) {
    element("busy-text").textContent = text;
    this.#busy.hidden = false;
    clearTimeout(this.#timer);
    element("cancel").hidden = true;
    this.#timer = setTimeout(() => (element("cancel").hidden = false), globalThis.patience ?? LONG);
  }

  /** Nothing is waited for. */
  idle() {
    this.#waiting = false;
    clearTimeout(this.#timer);
    this.#busy.hidden = true;
    this.#busy.classList.remove("aside");
    this.#poster.hidden = true;
  }
}
