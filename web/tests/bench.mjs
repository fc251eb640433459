// Scenes without drawing, in a worker of the page: for bits.test.mjs and speed.mjs.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { launch, openPage, SITE } from "./browser.mjs";

const here = dirname(fileURLToPath(import.meta.url));
export const ROOT = join(here, "../..");

/** The text of a shipped scene that names no files. */
export const textOf = (name) => readFileSync(join(ROOT, "scenes", `${name}.json`), "utf8");

/** Opens a page whose workers may run scenes; run(name, frames, threads) resolves to {threads, seconds, hash, gap, blocked}:
    meanwhile, gap (ms) is the longest time between two frames of the page, also where it only lacks a core, and blocked (ms) the
    longest task of its main thread, 0 if none takes 50 ms or more. */
export async function openBench() {
  const site = await launch([join(here, "bench"), SITE]);
  const { page } = await openPage(site, "package/README.txt"); // any address of the site: nothing else must run
  const run = (scene, frames, threads) => page.evaluate((job) => new Promise((done, fail) => {
    let last = performance.now(), gap = 0, blocked = 0, running = true;
    const tasks = new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => (blocked = Math.max(blocked, duration))));
    tasks.observe({ type: "longtask" });
    const beat = (now) => {
      gap = Math.max(gap, now - last);
      last = now;
      if (running) requestAnimationFrame(beat);
    };
    requestAnimationFrame(beat);
    const worker = new Worker("/bench-worker.js", { type: "module" });
    worker.onmessage = ({ data }) => {
      running = false;
      tasks.disconnect();
      worker.terminate();
      if (data.error) fail(new Error(data.error));
      else done({ ...data, gap, blocked });
    };
    worker.onerror = (event) => fail(new Error(event.message ?? "the worker failed"));
    worker.postMessage(job);
  }), { scene, text: textOf(scene), files: {}, frames, threads });
  return { run, close: () => site.close() };
}
