// Files on the playground with the real simulation: dropped meshes, terrains and bodies, and downloads. Needs the built site (make web)
// and Chromium. All tests use one page, since loading one takes long.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { SITE, drop, hollowStl, hollowTiff, launch, linkOf, messageOf, missing, openPage, waitForFrame, waitForTitle, waitUntil } from "./browser.mjs";

const skip = missing(SITE);
const FULL = { title: "Full", grid: { cells: [40, 40], cell: 0.002 }, solid: { type: "bowl", radius: 0.035, depth: 0.018, at: [0.04, 0.04, 0] },
  liquid: "water", sources: [{ at: [0.04, 0.04, 0.02], radius: 0.006, rate: 2e-5 }] };
let site, page, context, errors;

before(async () => {
  if (skip) return;
  site = await launch([SITE]);
  ({ page, context, errors } = await openPage(site, linkOf(JSON.stringify(FULL))));
  await page.waitForSelector("#busy", { state: "hidden" });
});
after(async () => {
  await context?.close();
  await site?.close();
});

/** Waits until a file is open as a scene. */
async function opened(title) {
  await waitForTitle(page, title);
  await page.waitForSelector("#busy", { state: "hidden" });
}

/** Addresses of all that the page and its workers have loaded. */
async function loaded() {
  const urls = () => performance.getEntriesByType("resource").map(({ name }) => name);
  return (await Promise.all([page, ...page.workers().filter((one) => /(sim|picture)-worker/.test(one.url()))].map((one) => one.evaluate(urls)))).flat();
}

test("nothing is loaded from elsewhere, and nothing more while the scene runs", { skip }, async () => {
  await waitForFrame(page, 5);
  const before = await loaded();
  assert.ok(before.some((url) => url.includes("runnel")), `${before.length} files`);
  assert.deepEqual(before.filter((url) => !url.startsWith(site.url)), []);
  assert.deepEqual(before.filter((url) => /rapier|geotiff/.test(url)), [], "these come with the first body and the first GeoTIFF");
  const frame = await page.evaluate(() => Number(document.body.dataset.frame));
  await page.getByLabel("Viscosity").press("ArrowRight");
  await page.locator("#picture").focus(); // sliders keep their keys
  await waitForFrame(page, frame + 10);
  assert.deepEqual((await loaded()).slice(before.length), []);
});

test("a duck falls into the bowl", { skip }, async () => {
  await page.evaluate(() => globalThis.runnelPage.workers.on("numbers", ({ numbers }) => (globalThis.bodies = numbers.bodies)));
  await page.keyboard.press("5");
  await page.locator("#picture").click();
  await waitUntil(page, () => globalThis.bodies === 1);
  assert.ok((await loaded()).some((url) => url === `${site.url}vendor/rapier.js`), "it is moved by Rapier");
  assert.deepEqual(errors, []);
});

test("PLY, glTF, checkpoint and film are downloaded, and the checkpoint opens again", { skip }, async () => {
  const kept = {};
  await waitForFrame(page, 5);
  await page.click("#play");
  for (const [title, ending, letters] of [["PLY", ".ply", "ply"], ["glTF", ".glb", "glTF"], ["Checkpoint", ".rnl", ""]]) { // PLY: several files
    const saved = page.waitForEvent("download", (file) => file.suggestedFilename().endsWith(ending));
    await page.locator("#downloads").getByRole("button", { name: title, exact: true }).click();
    const bytes = await readFile(await (await saved).path());
    assert.equal(bytes.subarray(0, letters.length).toString("latin1"), letters, title);
    kept[title] = bytes;
  }
  const hash = () => page.evaluate(() => globalThis.runnelPage.workers.get("hash"));
  const before = await hash();
  await page.evaluate(() => delete document.body.dataset.frame);
  await drop(page, [{ name: "kept.rnl", bytes: kept.Checkpoint }]);
  await waitForFrame(page, 5);
  await page.waitForSelector("#busy", { state: "hidden" });
  assert.equal(await hash(), before);
  await page.locator("#film").click();
  await page.click("#step");
  await waitUntil(page, () => /\([1-9]/.test(document.querySelector("#film").textContent));
  const film = page.waitForEvent("download");
  await page.locator("#film").click();
  const bytes = await readFile(await (await film).path());
  assert.ok(bytes.length > 500, `the film has ${bytes.length} bytes`);
  assert.match((await film).suggestedFilename(), /\.(webm|mp4)$/);
  assert.deepEqual(errors, []);
});

test("a dropped STL becomes ground, and bad files get a sentence", { skip }, async () => {
  const title = await page.textContent("#title");
  await drop(page, [{ name: "broken.stl", bytes: Buffer.from("solid nothing\nfacet normal x y\n") }]);
  assert.match(await messageOf(page), /broken/);
  assert.equal(await page.textContent("#title"), title, "the old scene stays");
  await drop(page, [{ name: "hollow.stl", bytes: hollowStl() }]);
  await opened("hollow");
  await page.click("#step");
  await waitForFrame(page, 1);
  assert.deepEqual(errors, []);
});

test("a dropped GeoTIFF becomes ground", { skip }, async () => {
  await drop(page, [{ name: "valley.tif", bytes: hollowTiff() }]);
  await opened("valley");
  await page.click("#step");
  await waitForFrame(page, 1);
  assert.deepEqual(errors, []);
});

test("a GeoTIFF in degrees has its metres at its latitude", { skip }, async () => {
  const headOf = (tiff) => page.evaluate(async (base64) => {
    const { gridOf } = await import("/page/terrain.js");
    const { bytes } = await gridOf("hollow.tif", Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)).buffer);
    const [dx, dy] = ["dx", "dy"].map((key) => Number(new RegExp(`^${key} (.*)$`, "m").exec(new TextDecoder().decode(bytes))[1]));
    return { dx, dy };
  }, tiff.toString("base64"));
  assert.deepEqual(await headOf(hollowTiff()), { dx: 5, dy: 5 });
  const { dx, dy } = await headOf(hollowTiff({ degrees: true }));
  assert.ok(Math.abs(dy - 111320 / 3600) < 1e-6, `${dy} m along y`);
  assert.ok(Math.abs(dx - dy / 2) < 1e-6, `${dx} m along x: half as much at 60 degrees`);
  assert.deepEqual(errors, []);
});
