// Speed of incline and vertebra in node and in the page, without drawing, beside the command's; the longest time between two frames
// of the page meanwhile, and its longest task, if one takes 50 ms or more. Fails if a row is missing or
// the page uses other threads than asked for; no figure makes it fail.   node speed.mjs PACKAGE RUNNEL
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { openBench, ROOT, textOf } from "./bench.mjs";

const [folder, runnel] = process.argv.slice(2);
// Enough frames that the optimising compiler of the browser, which works on the second core at first, is a small share of the time.
const FRAMES = { incline: 240, vertebra: 120 }, scratch = mkdtempSync(join(tmpdir(), "runnel-speed-"));

function native(name, threads) {
  const args = ["run", name, "--frames", String(FRAMES[name]), "--no-render", "--threads", String(threads), "--json", "--out", scratch];
  const told = JSON.parse(execFileSync(runnel, args, { env: { ...process.env, RUNNEL_SCENES: join(ROOT, "scenes") }, encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"] }));
  return told.stepping_s;
}

const { load } = await import(pathToFileURL(resolve(folder, "index.js")));
async function inNode(name) {
  const scene = (await load()).open(textOf(name), { name }), from = performance.now();
  for (let i = 0; i < FRAMES[name]; i++) scene.step();
  return (performance.now() - from) / 1000;
}

const bench = await openBench();
let rows = 0;
console.log("scene,threads,where,seconds,share of native,longest gap of the page (ms),longest task of the page (ms)");
for (const name of Object.keys(FRAMES)) {
  for (const threads of [1, 2]) {
    const own = native(name, threads);
    const row = (where, seconds, gap = "", blocked = "") => {
      rows += seconds > 0;
      console.log(`${name},${threads},${where},${seconds.toFixed(3)},${(own / seconds).toFixed(2)},${gap},${blocked}`);
    };
    row("native", own);
    if (threads === 1) row("node", await inNode(name));
    const { seconds, gap, blocked, threads: used } = await bench.run(name, FRAMES[name], threads);
    if (used !== threads) throw new Error(`the page used ${used} of ${threads} threads`);
    row("page", seconds, gap.toFixed(0), blocked.toFixed(0));
  }
}
await bench.close();
rmSync(scratch, { recursive: true });
if (rows !== 10) throw new Error(`${rows} rows of 10 have a time`);
