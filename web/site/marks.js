// Marks over the picture: arrows along the flow and tiles at rest. The module finds where they are (app/view/window/marks.c);
// here they are drawn, on a canvas of their own with all pixels of the screen, in the colours of the window of "runnel view".

export const ARROWS = 1, RESTING = 2;
const APART = 16; // CSS pixels between arrows

export class Marks {
  which = 0; // ARROWS, RESTING, both or none
  counts = { arrows: 0, patches: 0 }; // that are shown
  #canvas;
  #pen;
  #size = { width: 0, height: 0, scale: 1 };

  /** @param {OffscreenCanvas} canvas */
  constructor(canvas) {
    this.#canvas = canvas;
    this.#pen = canvas.getContext("2d");
  }

  /** Sets the size in device pixels, and how many of them are a CSS pixel. */
  resize({ width, height, scale }) {
    this.#size = { width, height, scale };
  }

  /**
   * Draws the marks of the newest frame anew, or removes them.
   * @param {any} module  of the renderer, whose camera is aimed
   * @param {{bodies: number, resting: number, box: number, fastest: number}} frame  addresses in the module; m/s
   * @param {(name: string, bytes: Float64Array) => number} put  copies bytes into the module
   */
  draw(module, { bodies, resting, box, fastest }, put) {
    const { width, height, scale } = this.#size;
    Object.assign(this.counts, { arrows: 0, patches: 0 });
    if (this.#canvas.width !== width || this.#canvas.height !== height) Object.assign(this.#canvas, { width, height });
    else this.#pen.clearRect(0, 0, width, height);
    if (!this.which) return;
    const picture = put("marks", new Float64Array([width, height, APART * scale, fastest]));
    const found = module._picture_marks(bodies, resting, box, picture, this.which);
    const words = new Uint32Array(module.HEAPU8.buffer, found, 6);
    Object.assign(this.counts, { arrows: words[3], patches: words[4] });
    this.#drawPatches(new DataView(module.HEAPU8.buffer, words[1], 36 * words[4]), words[4], scale);
    this.#drawArrows(new Float32Array(module.HEAPU8.buffer, words[0], 4 * words[3]), scale);
  }

  #drawPatches(data, count, scale) {
    const pen = this.#pen, sides = new Path2D(), inside = new Path2D();
    const corner = (i, k) => [data.getFloat32(36 * i + 8 * (k % 4), true), data.getFloat32(36 * i + 8 * (k % 4) + 4, true)];
    for (let i = 0; i < count; i++) {
      const drawn = data.getUint32(36 * i + 32, true);
      for (let k = 0; k < 4; k++) {
        if (k === 0) inside.moveTo(...corner(i, 0));
        else inside.lineTo(...corner(i, k));
        if (!((drawn >> k) & 1)) continue;
        sides.moveTo(...corner(i, k));
        sides.lineTo(...corner(i, k + 1));
      }
      inside.closePath();
    }
    Object.assign(pen, { fillStyle: "rgb(90 220 150 / 0.27)", strokeStyle: "rgb(90 220 150 / 0.78)", lineWidth: scale });
    pen.fill(inside);
    pen.stroke(sides);
  }

  #drawArrows(data, scale) {
    const pen = this.#pen, lines = new Path2D(), heads = new Path2D(), long = 5 * scale;
    for (let i = 0; i < data.length; i += 4) {
      const [px, py, qx, qy] = data.subarray(i, i + 4);
      const far = Math.max(Math.hypot(qx - px, qy - py), 1e-3), dx = ((qx - px) / far) * long, dy = ((qy - py) / far) * long;
      lines.moveTo(px, py);
      lines.lineTo(qx, qy);
      heads.moveTo(qx, qy);
      heads.lineTo(qx - dx - dy / 2, qy - dy + dx / 2);
      heads.lineTo(qx - dx + dy / 2, qy - dy - dx / 2);
      heads.closePath();
    }
    Object.assign(pen, { strokeStyle: "rgb(255 255 255 / 0.78)", fillStyle: "rgb(255 255 255 / 0.9)", lineWidth: 1.4 * scale });
    pen.stroke(lines);
    pen.fill(heads);
  }

  /** Draws the marks over a picture of the scene. @param {OffscreenCanvasRenderingContext2D} pen @param {number} width @param {number} height */
  addTo(pen, width, height) {
    if (this.which) pen.drawImage(this.#canvas, 0, 0, width, height);
  }
}
