// Stands in for the worker that draws: a hill and a level of liquid.
let canvas = null, pen = null, level = 0, frame = 0, scene = 0, orbit = { azimuth: 0, zoom: 1 };

function draw() {
  if (!pen) return;
  const { width, height } = canvas;
  const sky = pen.createLinearGradient(0, 0, 0, height);
  sky.addColorStop(0, "#8e9aa6");
  sky.addColorStop(1, "#cfd3d6");
  pen.fillStyle = sky;
  pen.fillRect(0, 0, width, height);
  pen.fillStyle = "#d9cdb4";
  pen.beginPath();
  pen.ellipse(width / 2 + orbit.azimuth, height * 0.72, width * 0.3 * orbit.zoom, height * 0.35 * orbit.zoom, 0, 0, 7);
  pen.fill();
  pen.fillStyle = "#8d1414";
  pen.beginPath();
  pen.ellipse(width / 2 + orbit.azimuth, height * 0.6, width * (0.05 + 0.2 * level), height * (0.05 + 0.1 * level), 0, 0, 7);
  pen.fill();
  postMessage({ type: "drawn", scene, frame, milliseconds: 1 });
}

const commands = {
  port: (m) => (m.port.onmessage = ({ data }) => (({ scene, level, frame } = data), draw())),
  canvas: (m) => ((canvas = m.canvas), (pen = canvas.getContext("2d"))),
  size: (m) => ((canvas.width = m.width), (canvas.height = m.height), draw()),
  orbit: (m) => ((orbit = m), draw()),
  pick: (m) => postMessage({ type: "picked", id: m.id, at: [0.05 + 1e-4 * (m.x - canvas.width / 2), 0.05, 0.02], body: 3 }),
  grab: async (m) => postMessage({ type: "grabbed", id: m.id, blob: await canvas.convertToBlob() }),
};

onmessage = ({ data }) => commands[data.type]?.(data);
