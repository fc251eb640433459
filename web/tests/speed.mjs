// Speed of incline and vertebra in node and in the page, drawing off, beside the command's, and how long the page is blocked.
//   node speed.mjs FOLDER ROOT RUNNEL
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { resolve } from "node:path";
import { openPage } from "./browser.mjs";

const [folder, root, runnel] = process.argv.slice(2);
const FRAMES = 60;
const read = (name) => readFileSync(`${root}/scenes/${name}.json`, "utf8");

function native(name, threads) {
  const run = () => {
    const from = performance.now();
    return [execFileSync(runnel, ["run", name, "--frames", String(FRAMES), "--no-render", "--threads", String(threads), "--json", "--out", `${folder}/speed`],
      { env: { ...process.env, RUNNEL_SCENES: `${root}/scenes` }, encoding: "utf8" }), performance.now() - from];
  };
  const [text, all] = run(), told = JSON.parse(text);
  return told.seconds ?? told.wall_seconds ?? all / 1000;
}

async function inNode(name) {
  const { load } = await import(pathToFileURL(resolve(folder, "package/index.js")));
  const scene = (await load()).open(read(name), { name });
  const from = performance.now();
  for (let i = 0; i < FRAMES; i++) scene.step();
  return (performance.now() - from) / 1000;
}

async function inPage(name, threads) {
  const opened = await openPage(`${folder}/site`);
  await opened.go(`?threads=${threads}#scene=${name}`);
  await opened.wait(({ scene, drawn }) => scene === name && drawn);
  await opened.page.evaluate(() => {
    let last = performance.now(), worst = 0;
    const beat = (now) => { worst = Math.max(worst, now - last); last = now; document.body.dataset.worst = worst.toFixed(1); requestAnimationFrame(beat); };
    requestAnimationFrame(beat);
  });
  await opened.page.evaluate((frames) => playground.send("bench", { frames }), FRAMES);
  const { bench, worst } = await opened.wait(({ bench: done }) => done);
  await opened.close();
  return [Number(bench.split(" ")[1]), Number(worst)];
}

console.log("scene,threads,where,seconds,share of native");
for (const name of ["incline", "vertebra"]) {
  for (const threads of [1, 2]) {
    const own = native(name, threads), rows = [["native", own]];
    if (threads === 1) rows.push(["node", await inNode(name)]);
    const [page, worst] = await inPage(name, threads);
    rows.push(["page", page]);
    for (const [where, seconds] of rows) console.log(`${name},${threads},${where},${seconds.toFixed(2)},${(own / seconds).toFixed(2)}`);
    console.log(`${name},${threads},longest gap between two frames of the page,${(worst / 1000).toFixed(3)},`);
  }
}
