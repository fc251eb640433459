// The hashes of shipped scenes by the package in node, beside those of tests/golden.txt.
//   node hashes.mjs PACKAGE ROOT [SCENE[:FRAMES]...]    without names: all scenes; THREADS=N: with so many threads
import { readFileSync, readdirSync, existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { resolve } from "node:path";

const [folder, root, ...names] = process.argv.slice(2);
const { load } = await import(pathToFileURL(resolve(folder, "index.js")));

const golden = new Map();
for (const line of readFileSync(`${root}/tests/golden.txt`, "utf8").split("\n")) {
  const [scene, frame, hash] = line.split(" ", 3);
  if (hash) golden.set(`${scene} ${frame}`, hash);
}
const files = {};
for (const name of readdirSync(`${root}/scenes/meshes`)) files[`meshes/${name}`] = readFileSync(`${root}/scenes/meshes/${name}`);
files["valley.png"] = readFileSync(`${root}/scenes/valley.png`);
const all = readdirSync(`${root}/scenes`).filter((name) => name.endsWith(".json") && name !== "schema.json");
const chosen = names.length ? names : all.map((name) => name.slice(0, -5));

const threads = Number(process.env.THREADS ?? 1);
const runnel = await load({ threads, print: () => {} });
if (runnel.threads !== threads) throw new Error(`${runnel.threads} of ${threads} threads can be used here`);
let wrong = 0;
for (const word of chosen) {
  const [name, most] = word.split(":");
  const log = `${root}/tests/poses/${name}.poses`;
  const began = performance.now();
  const scene = runnel.open(readFileSync(`${root}/scenes/${name}.json`, "utf8"),
    { name, files, poses: existsSync(log) ? readFileSync(log) : null });
  let frame = 0, bad = 0;
  while (golden.has(`${name} ${frame + 1}`) && frame < Number(most ?? Infinity)) {
    scene.step();
    frame++;
    const hash = scene.hash(), wanted = golden.get(`${name} ${frame}`);
    if (hash !== wanted && !bad++) console.log(`${name}, frame ${frame}: the hash is ${hash}, it should be ${wanted}`);
  }
  if (!frame) bad++, console.log(`${name}: tests/golden.txt has no such scene`);
  if (process.env.VERBOSE) console.log(`${name}: ${frame} frames, ${((performance.now() - began) / 1000).toFixed(1)} s`);
  wrong += bad > 0;
  scene.close();
}
console.log(wrong ? `${wrong} of ${chosen.length} scenes differ` : `${chosen.length} scenes give their golden hashes with ${threads === 1 ? "one thread" : `${threads} threads`}`);
process.exit(wrong ? 1 : 0);
