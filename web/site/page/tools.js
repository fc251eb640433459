// The tools: what each does at a point of the scene. A tool sends actions, lines of text as app/view/action.h lists them.

/** All tools: name, title, digit of the key, help. */
export const TOOLS = [
  { name: "look", title: "Look", key: "1", help: "look around" },
  { name: "pour", title: "Pour", key: "2", help: "pour" },
  { name: "suck", title: "Suck", key: "3", help: "suck" },
  { name: "push", title: "Push", key: "4", help: "push the liquid" },
  { name: "drop", title: "Drop", key: "5", help: "drop a body" },
  { name: "drag", title: "Drag", key: "6", help: "drag a body" },
  { name: "dig", title: "Dig", key: "7", help: "dig" },
  { name: "raise", title: "Raise", key: "8", help: "raise the ground" },
];

/** The bodies that the tool "drop" has. */
export const BODIES = ["box", "duck", "log", "car"];

const text = (...words) => words.map((word) => (typeof word === "number" ? String(Math.fround(word)) : word)).join(" ");

export class Hand {
  tool = "pour";
  body = "duck";
  brush = 1; // relative to the default radius
  flow = 1; // relative to the default rate
  /** Default radius (m), rate (m³/s) and body size (m) of the scene. */
  defaults = { radius: 0.01, rate: 1e-6, size: 0.02 };
  #gravity = 9.81;
  #cell = 0.001;
  #act;
  #last = null; // where push, dig and raise last acted
  #held = -1; // the body that is dragged

  /** @param {(action: string) => void} act performs an action */
  constructor(act) {
    this.#act = act;
  }

  /** Sets the defaults from the size of a scene. */
  fit(scene, gravity) {
    const side = Math.min(scene.high[0] - scene.low[0], scene.high[1] - scene.low[1]);
    const radius = 0.05 * side;
    this.#gravity = gravity;
    this.#cell = scene.grid?.cell_size ?? side / 200;
    this.defaults = { radius, rate: Math.PI * radius * radius * 0.3 * Math.sqrt(gravity * radius), size: 0.1 * side };
  }

  get radius() {
    return this.brush * this.defaults.radius;
  }

  get rate() {
    return this.flow * this.defaults.rate;
  }

  /** Begins the use of the tool. Returns whether it works there. @param {import("./workers.js").Picked} picked */
  press(picked) {
    this.#last = picked.at;
    this.#held = this.tool === "drag" && picked.body >= 0 ? picked.body : -1;
    if (this.tool === "drag") return this.#held >= 0;
    if (!picked.at || this.tool === "look") return false;
    this.#use(picked.at, true);
    return true;
  }

  /** Continues the use of the tool at another point. @param {import("./workers.js").Picked} picked */
  move(picked) {
    if (picked.at) this.#use(picked.at, false);
  }

  /** Ends the use of the tool. */
  release() {
    this.#act("release"); // the tool may have been changed meanwhile
    this.#held = -1;
  }

  #use([x, y, z], first) {
    const radius = this.radius;
    switch (this.tool) {
      case "pour":
        return this.#act(text("pour", x, y, z + 0.5 * this.#cell, radius, this.rate));
      case "suck":
        return this.#act(text("suck", x, y, z + 0.5 * this.#cell, radius, 2 * this.rate));
      case "push":
        return this.#push(x, y, radius);
      case "dig":
      case "raise":
        return this.#shape([x, y, z], radius, first);
      case "drop":
        if (first) this.#drop(x, y, z);
        return;
      case "drag":
        if (this.#held >= 0) this.#act(text("drag", this.#held, x, y, z + 0.25 * this.defaults.size));
    }
  }

  /** Pushes the liquid the way that the pointer has moved since the last push, once that is far enough. */
  #push(x, y, radius) {
    const [dx, dy] = [x - this.#last[0], y - this.#last[1]];
    const way = Math.hypot(dx, dy);
    if (way < 0.2 * radius) return;
    const strength = 0.5 * this.#gravity;
    this.#act(text("push", x, y, 2 * radius, (strength * dx) / way, (strength * dy) / way));
    this.#last = [x, y, 0];
  }

  #shape(at, radius, first) {
    const far = Math.hypot(at[0] - this.#last[0], at[1] - this.#last[1]);
    if (!first && far < 0.3 * radius) return;
    this.#act(text(this.tool, ...at, radius));
    this.#last = at;
  }

  #drop(x, y, z) {
    const size = this.defaults.size * this.brush;
    this.#act(text("drop", x, y, z + size, size, this.body));
  }
}
