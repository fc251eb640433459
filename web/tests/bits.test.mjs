// The same bits in the browser: hashes of scenes with one, two and three threads are those of tests/golden.txt.
// Set NIGHTLY=1 for all scenes that need no other file.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { missing, SITE } from "./browser.mjs";
import { openBench, ROOT, textOf } from "./bench.mjs";

const skip = missing(SITE);
const golden = readFileSync(join(ROOT, "tests/golden.txt"), "utf8");
const all = readdirSync(join(ROOT, "scenes")).filter((name) => name.endsWith(".json") && name !== "schema.json")
  .map((name) => name.slice(0, -5)).filter((name) => !/meshes\/|\.png|"bodies"/.test(textOf(name)));
const names = process.env.NIGHTLY ? all : ["bowl", "passages", "whirlpool", "drip"];
let bench;

before(async () => {
  if (!skip) bench = await openBench();
});
after(() => bench?.close());

for (const name of names) {
  test(`${name} has its golden hash in the browser`, { skip }, async () => {
    const hashOf = (frame) => new RegExp(`^${name} ${frame} ([0-9a-f]{16})`, "m").exec(golden)?.[1];
    const frames = [3, 2, 1].find(hashOf), wanted = hashOf(frames); // slow scenes have fewer hashes
    for (const threads of [1, 2, 3]) {
      const { hash, threads: used } = await bench.run(name, frames, threads);
      assert.equal(used, threads, "the page may use threads");
      assert.equal(hash, wanted, `${threads} threads`);
    }
  });
}
