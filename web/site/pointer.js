// Mouse, touch and keys on the picture: one finger or the left button uses the tool, two fingers or the right button turn
// and zoom the camera, the wheel zooms.

export class Hand {
  /** on: { turn(dx, dy), zoom(factor), slide(dx, dy), begin(x, y), move(x, y), end() }; x and y from 0 to 1. */
  constructor(canvas, on) {
    this.canvas = canvas;
    this.on = on;
    this.pointers = new Map();
    this.mode = null;
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => this.up(event));
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      on.zoom(Math.exp(-0.0015 * event.deltaY));
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  }

  down(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, [event.clientX, event.clientY]);
    if (this.pointers.size === 2) {
      if (this.mode === "tool") this.on.end();
      this.mode = "pinch";
    } else if (this.pointers.size === 1) {
      const camera = event.button === 2 || event.button === 1 || event.altKey;
      this.mode = camera ? (event.shiftKey ? "slide" : "turn") : "tool";
      if (this.mode === "tool") this.on.begin(...this.place(event));
    }
  }

  move(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const now = [event.clientX, event.clientY], dx = now[0] - before[0], dy = now[1] - before[1];
    if (this.mode === "pinch" && this.pointers.size === 2) {
      const other = [...this.pointers].find(([id]) => id !== event.pointerId)[1];
      const far = (a) => Math.hypot(a[0] - other[0], a[1] - other[1]);
      this.on.zoom(far(now) / Math.max(far(before), 1));
      this.on.turn(dx / 2, dy / 2);
    }
    this.pointers.set(event.pointerId, now);
    if (this.mode === "turn") this.on.turn(dx, dy);
    else if (this.mode === "slide") this.on.slide(dx, dy);
    else if (this.mode === "tool") this.on.move(...this.place(event));
  }

  up(event) {
    if (!this.pointers.delete(event.pointerId)) return;
    if (this.mode === "tool") this.on.end();
    if (this.pointers.size === 0 || this.mode === "tool") this.mode = null;
  }

  key(event) {
    const turns = { ArrowLeft: [-24, 0], ArrowRight: [24, 0], ArrowUp: [0, -24], ArrowDown: [0, 24] };
    if (turns[event.key]) this.on.turn(...turns[event.key]);
    else if (event.key === "+" || event.key === "=") this.on.zoom(1.15);
    else if (event.key === "-") this.on.zoom(1 / 1.15);
    else return;
    event.preventDefault();
  }
}
