// Mouse, pen and fingers on the picture. One pointer uses the tool; the right or middle button and two fingers move the
// camera.

/**
 * @typedef {object} Pointing
 * @property {HTMLCanvasElement} canvas
 * @property {import("./orbit.js").Camera} camera
 * @property {import("./tools.js").Hand} hand
 * @property {(x: number, y: number) => Promise<import("./workers.js").Picked>} pick  of device pixels
 */

const SHORTEST = 250; // ms, that a tap uses a tool
const SECOND_FINGER = 80; // ms, in which a second finger makes it a pinch

export class Pointer {
  #p;
  #down = new Map(); // pointers that are down: id to {x, y}
  #mode = "none"; // "tool", "turn", "pan" or "pinch"
  #working = false; // the tool is in use
  #since = 0;
  #place = null; // where to pick next
  #picking = false;
  #first = false;
  #finger = 0; // timer of a finger that may become a pinch

  /** @param {Pointing} pointing */
  constructor(pointing) {
    this.#p = pointing;
    const { canvas } = pointing;
    canvas.addEventListener("pointerdown", (event) => this.#press(event));
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    for (const type of ["pointerup", "pointercancel"]) canvas.addEventListener(type, (event) => this.#lift(event));
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
  }

  #press(event) {
    const { canvas, hand } = this.#p;
    canvas.setPointerCapture(event.pointerId);
    canvas.focus({ preventScroll: true, focusVisible: false });
    this.#down.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    if (this.#down.size === 2) {
      this.#forget();
      this.end();
      this.#mode = "pinch";
    } else if (this.#down.size === 1) {
      const turns = event.button === 2 || hand.tool === "look" || (event.button === 0 && event.altKey);
      this.#mode = event.button === 1 ? "pan" : turns ? "turn" : "tool";
      if (this.#mode === "tool") this.#touch(event.pointerType === "touch", event.offsetX, event.offsetY);
    }
  }

  /** Begins to use the tool; with a finger a moment later, unless a second finger comes. */
  #touch(finger, x, y) {
    if (!finger) this.begin(x, y);
    else this.#finger = setTimeout(() => this.#beginFinger(), SECOND_FINGER);
  }

  #beginFinger() {
    const at = [...this.#down.values()][0];
    this.#forget();
    if (at) this.begin(at.x, at.y);
  }

  #forget() {
    clearTimeout(this.#finger);
    this.#finger = 0;
  }

  /** Begins to use the tool at a place of the picture, in CSS pixels. */
  begin(x, y) {
    this.#working = this.#first = true;
    this.#since = performance.now();
    this.#pick(x, y);
  }

  /** Ends the use of the tool. A tap uses it for a moment. */
  end() {
    if (!this.#working) return;
    const left = SHORTEST - (performance.now() - this.#since);
    if (left > 0 || this.#first) {
      const since = this.#since;
      setTimeout(() => this.#since === since && this.end(), Math.max(left, 20));
      return;
    }
    this.#working = false;
    this.#p.hand.release();
  }

  /** Whether the tool is in use. */
  get working() {
    return this.#working;
  }

  /** Asks what is under a place, one question at a time, and uses the tool there. */
  async #pick(x, y) {
    const { canvas, hand, pick } = this.#p;
    this.#place = { x, y };
    if (this.#picking) return;
    this.#picking = true;
    while (this.#place && this.#working) {
      const { x: px, y: py } = this.#place;
      this.#place = null;
      const scale = canvas.clientWidth > 0 ? Number(canvas.dataset.pixels ?? 1) : 1;
      const picked = await pick(px * scale, py * scale).catch(() => ({ at: null, body: -1 }));
      if (!this.#working) break;
      if (!this.#first) hand.move(picked);
      else if (!hand.press(picked)) this.#turnInstead();
      this.#first = false;
    }
    this.#picking = false;
  }

  /** Nothing is under the pointer: the movement turns the camera. */
  #turnInstead() {
    this.#working = false;
    if (this.#mode === "tool") this.#mode = "turn";
  }

  #move(event) {
    const before = this.#down.get(event.pointerId);
    if (!before) return;
    const { canvas, camera } = this.#p;
    const [dx, dy] = [event.offsetX - before.x, event.offsetY - before.y];
    if (this.#mode === "pinch") this.#pinch(event.pointerId, event.offsetX, event.offsetY);
    this.#down.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    if (this.#mode === "turn") camera.turn(dx, dy, canvas.clientWidth, canvas.clientHeight);
    else if (this.#mode === "pan") camera.pan(dx, dy, canvas.clientHeight);
    else if (this.#mode === "tool" && this.#working) this.#pick(event.offsetX, event.offsetY);
  }

  /** Two fingers: apart zooms, around twists, together turns. */
  #pinch(id, x, y) {
    const { canvas, camera } = this.#p;
    const other = [...this.#down].find(([key]) => key !== id)?.[1];
    const before = this.#down.get(id);
    if (!other || !before) return;
    const [ax, ay, bx, by] = [before.x - other.x, before.y - other.y, x - other.x, y - other.y];
    const apart = Math.hypot(ax, ay);
    if (apart > 10) camera.zoom(Math.hypot(bx, by) / apart);
    let angle = Math.atan2(by, bx) - Math.atan2(ay, ax);
    if (angle > Math.PI) angle -= 2 * Math.PI;
    if (angle < -Math.PI) angle += 2 * Math.PI;
    camera.twist(angle);
    camera.turn((x - before.x) / 2, (y - before.y) / 2, canvas.clientWidth, canvas.clientHeight);
  }

  #lift(event) {
    if (!this.#down.has(event.pointerId)) return;
    if (this.#finger) this.#beginFinger();
    this.#down.delete(event.pointerId);
    if (this.#mode === "tool" && this.#down.size === 0) this.end();
    if (this.#down.size === 0) this.#mode = "none";
    else if (this.#mode === "pinch") this.#mode = "turn";
  }

  #wheel(event) {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? event.deltaY * 16 : event.deltaY;
    this.#p.camera.zoom(Math.exp(-0.0016 * Math.max(-400, Math.min(400, lines))));
  }
}
