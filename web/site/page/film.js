// A film of the picture, recorded by the browser. The picture's own canvas belongs to a worker and cannot be recorded
// everywhere, so every picture is copied to another canvas, with the marks over it.

const FORMATS = [
  ["video/mp4;codecs=avc1.640028", "mp4"],
  ["video/webm;codecs=vp9", "webm"],
  ["video/webm", "webm"],
];
const LONGEST = 600; // s

const even = (pixels) => Math.max(2, 2 * Math.round(pixels / 2)); // as encoders want it

export class Film {
  #canvases;
  #tick;
  #recorder = null;
  #parts = [];
  #timer = 0;
  #copy = document.createElement("canvas");

  /** @param {HTMLCanvasElement[]} canvases  each over the one before @param {(seconds: number) => void} tick is called every second */
  constructor(canvases, tick) {
    this.#canvases = canvases;
    this.#tick = tick;
  }

  /** Whether this browser can record. */
  static possible(canvas) {
    return typeof MediaRecorder === "function" && typeof canvas.captureStream === "function";
  }

  get running() {
    return this.#recorder !== null;
  }

  start() {
    const [type, ending] = FORMATS.find(([name]) => MediaRecorder.isTypeSupported(name)) ?? ["", "webm"];
    const [canvas] = this.#canvases, pixels = Number(canvas.dataset.pixels ?? 1);
    this.#copy.width = even(canvas.clientWidth * pixels);
    this.#copy.height = even(canvas.clientHeight * pixels);
    this.add();
    const stream = this.#copy.captureStream(30);
    this.#parts = [];
    this.#recorder = new MediaRecorder(stream, { mimeType: type || undefined, videoBitsPerSecond: 12e6 });
    this.#recorder.ending = ending;
    this.#recorder.addEventListener("dataavailable", ({ data }) => this.#parts.push(data));
    this.#recorder.start(1000);
    let seconds = 0;
    this.#tick(0);
    this.#timer = setInterval(() => {
      this.#tick(++seconds);
      if (seconds >= LONGEST) this.#recorder?.pause();
    }, 1000);
  }

  /** Adds the picture as it is now. */
  add() {
    const { width, height } = this.#copy;
    for (const canvas of this.#canvases) this.#copy.getContext("2d").drawImage(canvas, 0, 0, width, height);
  }

  /** Ends the film. @returns {Promise<{blob: Blob, ending: string}>} */
  async end() {
    const recorder = this.#recorder;
    this.#recorder = null;
    clearInterval(this.#timer);
    const stopped = new Promise((done) => recorder.addEventListener("stop", done, { once: true }));
    recorder.stop();
    await stopped;
    for (const track of recorder.stream.getTracks()) track.stop();
    return { blob: new Blob(this.#parts, { type: recorder.mimeType }), ending: recorder.ending };
  }
}
