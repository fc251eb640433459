// The camera: a point on a circle around the scene, as rn_orbit of include/runnel/render.h describes it.

/**
 * @typedef {object} Orbit
 * @property {number} azimuth    degrees
 * @property {number} elevation  degrees above the horizon
 * @property {number} angle      degrees, vertical field of view; below 0: parallel projection
 * @property {number} zoom       1: the whole scene
 * @property {boolean} aimed     it looks at target, otherwise at the middle of the scene
 * @property {[number, number, number]} target  m
 * @property {number} turn       degrees per second
 */

/** @type {Orbit} */
const DEFAULT = { azimuth: 30, elevation: 35, angle: 0, zoom: 1, aimed: false, target: [0, 0, 0], turn: 0 };
const ROOM = 0.85; // of a view's zoom: bars cover the edges of the picture, and on a phone it is narrow
const RADIANS = Math.PI / 180;
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

export class Camera {
  /** @type {Orbit} */
  orbit = { ...DEFAULT };
  #scene = null;
  #changed;

  /** @param {(orbit: Orbit) => void} changed is called, at most once a frame of the screen, when the camera has moved */
  constructor(changed) {
    let waiting = false;
    this.#changed = () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        changed(this.orbit);
      });
    };
  }

  /** Takes the first view of a scene. */
  show(scene) {
    this.#scene = scene;
    this.view(0);
  }

  /** Takes a view of the scene by its number. */
  view(number) {
    const view = this.#scene?.views?.[number];
    this.orbit = { ...DEFAULT, ...view, target: [...(view?.target ?? [0, 0, 0])], turn: 0 };
    if (!(this.orbit.zoom > 0)) this.orbit.zoom = 1;
    this.orbit.zoom *= ROOM;
    this.#changed();
  }

  /** Turns by a movement over a picture. All in pixels. */
  turn(dx, dy, width, height) {
    this.orbit.azimuth -= (180 * dx) / Math.max(width, 1);
    this.orbit.elevation = clamp(this.orbit.elevation + (120 * dy) / Math.max(height, 1), 2, 90);
    this.#changed();
  }

  /** Turns about the vertical, by an angle in radians. */
  twist(angle) {
    this.orbit.azimuth += angle / RADIANS;
    this.#changed();
  }

  /** @param {number} factor above 1: closer */
  zoom(factor) {
    this.orbit.zoom = clamp(this.orbit.zoom * factor, 0.2, 50);
    this.#changed();
  }

  /** Moves the scene by pixels of a picture that is `height` pixels high. */
  pan(dx, dy, height) {
    if (!this.#scene) return;
    const { low, high } = this.#scene;
    const o = this.orbit;
    if (!o.aimed) {
      o.target = low.map((value, i) => (value + high[i]) / 2);
      o.aimed = true;
    }
    const size = Math.hypot(...low.map((value, i) => high[i] - value));
    const metres = size / (o.zoom * Math.max(height, 1));
    const [sa, ca] = [Math.sin(o.azimuth * RADIANS), Math.cos(o.azimuth * RADIANS)];
    const [se, ce] = [Math.sin(o.elevation * RADIANS), Math.cos(o.elevation * RADIANS)];
    // right = (ca, sa, 0), up = (-sa se, ca se, ce): azimuth 0 looks north.
    const [right, up] = [-dx * metres, dy * metres];
    o.target = [o.target[0] + right * ca - up * sa * se, o.target[1] + right * sa + up * ca * se, o.target[2] + up * ce];
    this.#changed();
  }
}
