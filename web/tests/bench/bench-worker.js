// Runs a scene in a worker of the site, without drawing: {scene, text, files, frames, threads} gives {threads, seconds, hash}.
import { load } from "/package/index.js";

onmessage = async ({ data: { scene: name, text, files, frames, threads } }) => {
  try {
    const runnel = await load({ threads });
    const scene = runnel.open(text, { name, files });
    const from = performance.now();
    for (let i = 0; i < frames; i++) scene.step();
    postMessage({ threads: runnel.threads, seconds: (performance.now() - from) / 1000, hash: scene.hash() });
  } catch (error) {
    postMessage({ error: error.message });
  }
};
