// Stands in for the simulation in tests of the page alone: fills a box of one litre at the rates that it is told.
let port = null, scene = null, number = 0, timer = 0, playing = true, speed = 1, frame = 0, poured = 0, rate = 0, text = "{}";
let actions = [];

const numbers = () => ({
  type: "numbers",
  numbers: { frame, time: frame / 60, poured, present: poured, drained: 0, left: 0, displaced: 0, bodyOffset: 0, refused: 0, drift: 0 },
  probes: [{ values: [0.01 + 0.002 * Math.sin(frame / 20), 0] }], milliseconds: 2, realTime: 1 + 0.1 * Math.sin(frame / 9),
});

function step() {
  frame++;
  poured += rate / 60;
  port?.postMessage({ scene: number, frame, level: Math.min(1, poured * 1e4) });
}

function describe(title) {
  return {
    name: title, title, about: "Blood rises from a point above the arch and runs down over bone.", low: [0, 0, 0], high: [0.1, 0.1, 0.05],
    gravity: [0, 0, -9.81], views: [{ name: "behind", azimuth: 20, elevation: 30, zoom: 1 }, { name: "close", azimuth: 90, elevation: 50, zoom: 2 }],
    probes: [{ name: "gauge", section: false }], grid: { cell_size: 0.0005 }, liquid: { name: "blood", viscosity: 4e-6, contact_angle: 80 },
  };
}

/** What a module does that has failed: it tells, and answers no question. */
const trap = () => postMessage({ type: "dead", text: "unreachable" });

const commands = {
  port: (m) => (port = m.port),
  start: (m) => postMessage({ type: "ready", threads: m.threads }),
  async open(m) {
    try {
      text = m.text ?? "{}";
      if (m.name) text = await (await fetch(`scenes/${m.name}.json`)).text();
      const json = JSON.parse(text);
      while (json.hangs); // forever
      if (json.traps) return trap();
      if (m.geometry && m.geometry.bytes.byteLength < 84) throw new Error(`${m.geometry.name}: is not a mesh`);
      scene = describe(m.geometry?.name ?? json.title ?? "A scene");
      number = m.id;
      frame = 0;
      poured = 2e-6;
      rate = 0;
      actions = [];
      postMessage({ type: "opened", id: m.id, scene });
      postMessage(numbers());
      port?.postMessage({ scene: number, frame: 0, level: 0.02 });
    } catch (error) {
      postMessage({ type: "failed", id: m.id, text: error.message });
    }
  },
  play(m) {
    ({ playing, speed } = m);
    clearInterval(timer);
    if (playing) timer = setInterval(() => (step(), frame % 3 || postMessage(numbers())), 16 / speed);
  },
  step: () => (step(), postMessage(numbers())),
  act(m) {
    actions.push(m.text);
    const words = m.text.split(" ");
    if (words[0] === "pour") rate = Number(words[5]);
    if (words[0] === "release") rate = 0;
    if (words[0] === "trap") trap();
    if (words[1]?.startsWith("liquid=")) postMessage({ type: "changed", scene: { liquid: { name: "honey", viscosity: 1e-2, contact_angle: 60 } } });
    if (words[1] === "liquid=mercury") postMessage({ type: "notice", text: "Mercury is heavy", error: false });
  },
  get: (m) => postMessage({ type: "got", id: m.id, value: m.what === "hash" ? "0123456789abcdef" : m.what === "log" ? actions.join("\n") : text }),
};

onmessage = ({ data }) => commands[data.type]?.(data);
