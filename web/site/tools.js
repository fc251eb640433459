// The tools, and the actions that they send to the simulation.

const icon = (path) => `<svg viewBox="0 0 24 24" aria-hidden="true">${path}</svg>`;
const paths = {
  pour: '<path d="M12 3c3.5 4.6 6 7.800 6 11a6 6 0 0 1-12 0c0-3.200 2.500-6.400 6-11z"/>',
  suck: '<path d="M12 21V9M7 13l5-5 5 5M6 4h12"/>',
  push: '<path d="M3 12h13M12 7l5 5-5 5M21 5v14"/>',
  dig: '<path d="M4 20l8-8M11 5l8 8-3 3-8-8zM13 3l8 8"/>',
  raise: '<path d="M3 19l6-10 4 6 3-4 5 8z"/>',
  drop: '<path d="M5 9l7-4 7 4v7l-7 4-7-4zM5 9l7 4 7-4M12 13v7"/>',
  drag: '<path d="M8 12V5a1.500 1.500 0 0 1 3 0v6M11 10V4a1.500 1.500 0 0 1 3 0v7M14 10V6a1.500 1.500 0 0 1 3 0v8c0 4-2 6-5 6s-5-2-6-5l-2-3a1.500 1.500 0 0 1 2.500-1.500L8 13"/>',
  look: '<path d="M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12z"/><circle cx="12" cy="12" r="3"/>',
};

export const tools = [
  { name: "pour", label: "Pour", hint: "Press and drag to pour" },
  { name: "suck", label: "Suck", hint: "Press to suck liquid away" },
  { name: "push", label: "Push", hint: "Drag to push the liquid" },
  { name: "dig", label: "Dig", hint: "Drag to dig" },
  { name: "raise", label: "Raise", hint: "Drag to raise the ground" },
  { name: "drop", label: "Drop", hint: "Press to drop a body" },
  { name: "drag", label: "Grab", hint: "Drag a body" },
  { name: "look", label: "Look", hint: "Drag to turn the camera" },
].map((tool) => ({ ...tool, icon: icon(paths[tool.name]) }));

const MOST_NUMBERS = (numbers) => numbers.map((value) => Number(value.toPrecision(12))).join(" ");

/** One use of a tool, from press to release. */
export class Use {
  /** setting: { radius, rate, size, body, gravity, cell }, SI units. */
  constructor(tool, setting, send) {
    Object.assign(this, { tool, setting, send, before: null, body: -1 });
  }

  /** The hand is over a point: hit is x, y, z (m), the number of a body or -1, and its distance. */
  at(hit) {
    const [x, y, z, body] = hit, { radius, rate, size, gravity, cell } = this.setting, first = this.before === null;
    const far = first ? Infinity : Math.hypot(x - this.before[0], y - this.before[1], z - this.before[2]);
    const act = (name, ...numbers) => this.send(`${name} ${MOST_NUMBERS(numbers)}`);
    if (this.tool === "pour" || this.tool === "suck") act(this.tool, x, y, z + 0.5 * cell, radius, rate);
    else if (this.tool === "push" && !first && far > 0.2 * radius) {
      const strength = 0.5 * gravity;
      act("push", x, y, 2 * radius, (strength * (x - this.before[0])) / far, (strength * (y - this.before[1])) / far);
    } else if ((this.tool === "dig" || this.tool === "raise") && far > 0.3 * radius) act(this.tool, x, y, z, radius);
    else if (this.tool === "drop" && first) this.send(`drop ${MOST_NUMBERS([x, y, z + size, size])} ${this.setting.body}`);
    else if (this.tool === "drag") {
      if (first) this.body = body;
      if (this.body >= 0) act("drag", this.body, x, y, z + 0.5 * size);
    }
    if (first || far > 0.2 * radius) this.before = [x, y, z];
  }

  end() {
    if (this.tool !== "drop" && this.tool !== "dig" && this.tool !== "raise") this.send("release");
  }
}
