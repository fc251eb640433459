// The two workers of the playground: one simulates, one draws. They exchange meshes with each other through a channel;
// the page sends commands and receives numbers. The page itself never computes or draws the liquid.

import { picture, simulation } from "./early.js";

/**
 * @typedef {object} Picked  What is under a pixel.
 * @property {[number, number, number] | null} at  m
 * @property {number} body  its number; below 0: none
 */

export class Workers extends EventTarget {
  #sim;
  #picture;
  #asked = new Map(); // questions to either worker: id to {worker, done, failed}
  #last = 0;
  #threads = 1;

  /** @param {HTMLCanvasElement} canvas  of the picture @param {HTMLCanvasElement} marks  over it; the worker draws to both from now on */
  constructor(canvas, marks) {
    super();
    this.#picture = this.#start("picture-worker.js");
    this.#startSim();
    const drawn = canvas.transferControlToOffscreen(), over = marks.transferControlToOffscreen();
    this.#picture.postMessage({ type: "canvas", canvas: drawn, over }, [drawn, over]);
    void picture.then((compiled) => this.#picture.postMessage({ type: "compiled", compiled }));
  }

  #startSim() {
    this.#sim = this.#start("sim-worker.js");
    const { port1, port2 } = new MessageChannel();
    this.#sim.postMessage({ type: "port", port: port1 }, [port1]);
    this.#picture.postMessage({ type: "port", port: port2 }, [port2]);
    const sim = this.#sim;
    void simulation.then((compiled) => sim.postMessage({ type: "compiled", compiled }));
  }

  /** Ends the simulation, whatever it does, and starts a new one without a scene. Its questions fail with `text`. */
  restart(text) {
    this.#sim.terminate();
    for (const [id, { worker, failed }] of this.#asked) {
      if (worker !== this.#sim) continue;
      this.#asked.delete(id);
      failed(new Error(text));
    }
    this.#startSim();
    this.start(this.#threads);
  }

  #start(file) {
    const worker = new Worker(new URL(`../${file}`, import.meta.url), { type: "module" });
    worker.addEventListener("message", ({ data }) => this.#receive(data));
    worker.addEventListener("error", (event) => {
      this.#tell("stopped", { text: event.message || `${file} could not be loaded` });
    });
    return worker;
  }

  /** Settles the question that a message answers, or passes the message on as an event. */
  #receive(message) {
    if (message.type === "mark") {
      performance.mark(message.name, { startTime: Math.max(message.at - performance.timeOrigin, 0) });
      return;
    }
    const waiting = message.id === undefined ? undefined : this.#asked.get(message.id);
    if (!waiting) {
      this.#tell(message.type, message);
      return;
    }
    this.#asked.delete(message.id);
    if (message.type === "failed") waiting.failed(new Error(message.text));
    else waiting.done(message);
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  #ask(worker, message, transfer = []) {
    const id = ++this.#last;
    return new Promise((done, failed) => {
      this.#asked.set(id, { worker, done, failed });
      worker.postMessage({ ...message, id }, transfer);
    });
  }

  /** Calls a function with every message of a type. @param {string} type @param {(message: any) => void} act */
  on(type, act) {
    this.addEventListener(type, (event) => act(/** @type {CustomEvent} */ (event).detail));
  }

  /** Starts the simulation with this many threads. "ready" follows. @param {number} threads */
  start(threads) {
    this.#threads = threads;
    this.#sim.postMessage({ type: "start", threads });
  }

  /** Opens a scene; see the worker for the kinds of request. @returns {Promise<any>} its description, and its number */
  async open(request) {
    const { id, scene } = await this.#ask(this.#sim, { type: "open", ...request });
    return { ...scene, number: id };
  }

  /** @param {boolean} playing @param {number} speed simulated seconds per second */
  play(playing, speed) {
    this.#sim.postMessage({ type: "play", playing, speed });
  }

  /** Runs one frame. */
  step() {
    this.#sim.postMessage({ type: "step" });
  }

  /** Performs an action. @param {string} text for example "pour 0.1 0.1 0.05 0.01 1e-5" */
  act(text) {
    this.#sim.postMessage({ type: "act", text });
  }

  /** @param {"hash"|"text"|"checkpoint"|"ply"|"glb"|"log"} what */
  async get(what) {
    return (await this.#ask(this.#sim, { type: "get", what })).value;
  }

  /** Sets the size of the picture, and that of the marks over it, with the device pixels of a CSS pixel.
      @param {number} width @param {number} height device pixels @param {{width: number, height: number, scale: number}} over */
  resize(width, height, over) {
    this.#picture.postMessage({ type: "size", width, height, over });
  }

  /** Moves the camera. @param {import("./orbit.js").Orbit} orbit */
  look(orbit) {
    this.#picture.postMessage({ type: "orbit", ...orbit });
  }

  /** Colours the liquid by a quantity; 0: natural colours. @param {number} number */
  overlay(number) {
    this.#picture.postMessage({ type: "overlay", number });
  }

  /** Shows marks over the picture. @param {number} which  ARROWS, RESTING, both or none */
  marks(which) {
    this.#picture.postMessage({ type: "marks", which });
  }

  /** Finds what is under a pixel. @param {number} x @param {number} y device pixels @returns {Promise<Picked>} */
  pick(x, y) {
    return this.#ask(this.#picture, { type: "pick", x, y });
  }

  /** The picture as it is now. @returns {Promise<Blob>} */
  async grab() {
    return (await this.#ask(this.#picture, { type: "grab" })).blob;
  }
}
