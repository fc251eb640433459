// Opens scenes: one at a time, with the poster or a message while it loads. A scene that fails leaves the old one open.
import { element } from "./dom.js";
import { notify, sentence } from "./notices.js";

const LONGEST = 60000; // ms, that a scene may take to open; tests set globalThis.longestOpening

/**
 * @typedef {object} Current  The scene that is open.
 * @property {object} request  that opened it
 * @property {string | null} name  in the gallery
 * @property {string} title
 */

export class Opening {
  /** @type {Current | null} */
  current = null;
  #workers;
  #stage;
  #shown;
  #count = 0;
  #opening = false;
  #lost = false; // the simulation was ended, and its scene with it

  /**
   * @param {import("./workers.js").Workers} workers
   * @param {import("./stage.js").Stage} stage
   * @param {(scene: any, name: string | null) => void} shown is called with every scene that was opened
   */
  constructor(workers, stage, shown) {
    this.#workers = workers;
    this.#stage = stage;
    this.#shown = shown;
    element("cancel").addEventListener("click", () => {
      if (this.#opening) this.stop("Opening the scene was cancelled.");
      else stage.idle();
    });
  }

  /**
   * Ends the simulation, which is stuck or broken, and opens the last scene again from its beginning.
   * @param {string} reason  a sentence for the user
   */
  stop(reason) {
    this.#lost = true;
    const opening = this.#opening;
    this.#workers.restart(reason);
    if (opening) return; // open() fails with the reason, and goes on
    notify(reason, { error: true });
    void this.#recover(null);
  }

  /** Opens the last scene in a new simulation, unless it is the one that has just failed. */
  async #recover(failed) {
    if (!this.#lost) return;
    this.#lost = false;
    const last = this.current;
    this.current = null;
    if (last && last.request !== failed) await this.open(last.request, last);
  }

  /** Opens a shipped scene. @param {string} name */
  byName(name) {
    return this.open({ name }, { name, title: name });
  }

  /** Opens the current scene from its beginning. */
  async again() {
    if (this.current) await this.open(this.current.request, this.current);
  }

  /** Opens a scene, and says why if that fails. @param {object} request @param {{name?: string | null, title: string}} of */
  async open(request, { name = null, title }) {
    const number = ++this.#count;
    const same = this.current?.name === name && name !== null;
    this.#stage.waitFor(name, same);
    this.#opening = true;
    const limit = setTimeout(
      () => this.stop("The scene took longer than a minute to prepare, and was stopped."),
      globalThis.longestOpening ?? LONGEST,
    );
    try {
      const scene = await this.#workers.open({ ...request, preview: !same && this.current?.request !== request });
      this.current = { request, name, title }; // also if another was asked for since: the simulation has this one now
      if (number === this.#count) this.#opening = false;
      this.#stage.opened(scene.number, number === this.#count);
      this.#shown({ ...scene, title: scene.title || title }, name);
    } catch (error) {
      if (number === this.#count) {
        this.#stage.idle();
        this.#opening = false;
      }
      notify(sentence(error), { error: true });
      await this.#recover(request);
    } finally {
      clearTimeout(limit);
    }
  }

  /** Whether a scene is being opened. */
  get busy() {
    return this.#opening;
  }

  /** A name for files of this scene. */
  get fileName() {
    const title = this.current?.name ?? this.current?.title ?? "scene";
    return title.replace(/[^\w-]+/g, "-").slice(0, 60) || "scene";
  }
}
