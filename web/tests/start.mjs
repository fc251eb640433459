// How long the page takes to its first liquid, and what for: its own marks, in ms since it was asked for. From "first picture sent" to
// "first liquid" the GPU works; where there is none, its stand-in compiles the shaders for the processor, which takes seconds.
//   node start.mjs [SCENE...]
import { launch, openPage, SITE, waitUntil } from "./browser.mjs";

const names = process.argv.slice(2);
const site = await launch([SITE]);
// The server compresses a file when it is asked for the first time; others have compressed it long before.
for (const file of ["package/dist/runnel-threads.wasm", "picture.wasm"]) await (await fetch(site.url + file, { headers: { "Accept-Encoding": "br" } })).arrayBuffer();
console.log("scene,moment,ms");
for (const name of names.length > 0 ? names : ["spill", "vertebra"]) {
  const { page, context } = await openPage(site, `#scene=${name}`);
  await waitUntil(page, () => performance.getEntriesByName("first liquid").length > 0);
  const marks = await page.evaluate(() => performance.getEntriesByType("mark").map(({ name: what, startTime }) => [what, startTime]));
  for (const [what, at] of marks.sort((a, b) => a[1] - b[1])) console.log(`${name},${what},${at.toFixed(0)}`);
  await context.close();
}
await site.close();
