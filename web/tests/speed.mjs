// Speed of incline and vertebra in node and in the page, without drawing, beside the command's; and how long the page waits for a
// frame of its own meanwhile.   node speed.mjs PACKAGE RUNNEL
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { openBench, ROOT, textOf } from "./bench.mjs";

const [folder, runnel] = process.argv.slice(2);
const FRAMES = 60, scratch = mkdtempSync(join(tmpdir(), "runnel-speed-"));

function native(name, threads) {
  const args = ["run", name, "--frames", String(FRAMES), "--no-render", "--threads", String(threads), "--json", "--out", scratch];
  const told = JSON.parse(execFileSync(runnel, args, { env: { ...process.env, RUNNEL_SCENES: join(ROOT, "scenes") }, encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"] }));
  return told.stepping_s;
}

const { load } = await import(pathToFileURL(resolve(folder, "index.js")));
async function inNode(name) {
  const scene = (await load()).open(textOf(name), { name }), from = performance.now();
  for (let i = 0; i < FRAMES; i++) scene.step();
  return (performance.now() - from) / 1000;
}

const bench = await openBench();
console.log("scene,threads,where,seconds,share of native,longest gap of the page (ms)");
for (const name of ["incline", "vertebra"]) {
  for (const threads of [1, 2]) {
    const own = native(name, threads);
    const row = (where, seconds, gap = "") => console.log(`${name},${threads},${where},${seconds.toFixed(3)},${(own / seconds).toFixed(2)},${gap}`);
    row("native", own);
    if (threads === 1) row("node", await inNode(name));
    const { seconds, gap } = await bench.run(name, FRAMES, threads);
    row("page", seconds, gap.toFixed(0));
  }
}
await bench.close();
rmSync(scratch, { recursive: true });
