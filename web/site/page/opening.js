// Opens scenes: one at a time, with the poster or a message while it loads. A scene that fails leaves the old one open.
import { notify, sentence } from "./notices.js";

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

  /**
   * @param {import("./workers.js").Workers} workers
   * @param {import("./stage.js").Stage} stage
   * @param {(scene: any, name: string | null) => void} shown is called with every scene that was opened
   */
  constructor(workers, stage, shown) {
    this.#workers = workers;
    this.#stage = stage;
    this.#shown = shown;
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
    this.#stage.waitFor(name, this.current?.name === name && name !== null);
    try {
      const scene = await this.#workers.open(request);
      if (number !== this.#count) return;
      this.current = { request, name, title };
      this.#shown({ ...scene, title: scene.title || title }, name);
    } catch (error) {
      if (number === this.#count) this.#stage.idle();
      notify(sentence(error), { error: true });
    }
  }

  /** A name for files of this scene. */
  get fileName() {
    const title = this.current?.name ?? this.current?.title ?? "scene";
    return title.replace(/[^\w-]+/g, "-").slice(0, 60) || "scene";
  }
}
