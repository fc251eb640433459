// The playground with the real simulation: tools, links, files and work without a server. Needs the built site (make web) and
// Chromium. scenes.test.mjs has the scenes of the gallery.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { serve } from "../serve.mjs";
import { SITE, axe, drop, hollowStl, hollowTiff, launch, linkOf, messageOf, missing, openPage, volumeOf, waitForFrame, waitForTitle,
  waitUntil } from "./browser.mjs";

const skip = missing(SITE);
let site;

before(async () => {
  if (!skip) site = await launch([SITE]);
});
after(() => site?.close());

/** The scene's hash, as the page's worker gives it. */
const hashOf = (page) => page.evaluate(() => globalThis.runnelPage.workers.get("hash"));

/** Volumes of the ledger at one moment (m³). */
const volumesOf = (page) =>
  page.$$eval("#ledger tr", (rows) => Object.fromEntries(rows.map((row) => [row.className, Number(row.querySelector("td").dataset.value)])));

const DRY = {
  grid: { cells: [100, 100], cell: 0.001 },
  solid: { type: "bowl", radius: 0.04, depth: 0.02, at: [0.05, 0.05, 0] },
  liquid: "water",
};

test("pouring with the mouse raises the volume by what was poured", { skip }, async () => {
  const { page, context, errors } = await openPage(site, linkOf(JSON.stringify(DRY)));
  await page.waitForSelector("#busy", { state: "hidden" });
  await waitForFrame(page, 2);
  assert.equal((await volumesOf(page)).poured, 0, "the scene itself pours nothing");
  const box = await page.locator("#picture").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await waitUntil(page, () => Number(document.body.dataset.poured) > 1e-7);
  await page.mouse.up();
  const { poured, present, left } = await volumesOf(page);
  assert.ok(Math.abs(present + left - poured) <= 1e-6 * poured, `${poured} m³ were poured, ${present} m³ are present, ${left} m³ have left`);
  assert.deepEqual(errors, []);
  await context.close();
});

test("a slider acts, and a shared link restores the scene to the same hash", { skip }, async () => {
  const { page, context, errors } = await openPage(site, "#scene=incline&paused");
  await page.waitForSelector("#busy", { state: "hidden" });
  const first = await hashOf(page);
  const slider = page.getByLabel("Viscosity");
  await slider.focus();
  for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowRight");
  await page.click("#share");
  await page.waitForSelector("#link[open]");
  const link = await page.inputValue("#link-text");
  assert.match(link, /#s=/);
  await page.keyboard.press("Escape");
  for (let i = 0; i < 5; i++) await page.click("#step");
  await waitForFrame(page, 5);
  const changed = await hashOf(page);
  const other = await openPage(site, `${new URL(link).hash}&paused`);
  await other.page.waitForSelector("#busy", { state: "hidden" });
  for (let i = 0; i < 5; i++) await other.page.click("#step");
  await waitForFrame(other.page, 5);
  assert.equal(await hashOf(other.page), changed);
  assert.notEqual(first, changed);
  assert.deepEqual([...errors, ...other.errors], []);
  await other.context.close();
  await context.close();
});

test("a dropped STL becomes ground, and bad files get a sentence", { skip }, async () => {
  const { page, context, errors } = await openPage(site, "#scene=spill&paused");
  await page.waitForSelector("#busy", { state: "hidden" });
  await drop(page, [{ name: "broken.stl", bytes: Buffer.from("solid nothing\nfacet normal x y\n") }]);
  assert.match(await messageOf(page), /broken/);
  assert.match(await page.textContent("#title"), /coffee/i, "the old scene stays");
  await drop(page, [{ name: "hollow.stl", bytes: hollowStl() }]);
  await waitForTitle(page, "hollow");
  await page.waitForSelector("#busy", { state: "hidden" });
  await page.click("#play");
  await waitForFrame(page, 5);
  assert.deepEqual(errors, []);
  await context.close();
});

test("a duck falls into the bowl, and a dropped GeoTIFF becomes ground", { skip }, async () => {
  const { page, context, errors } = await openPage(site, "#scene=bowl");
  await page.waitForSelector("#busy", { state: "hidden" });
  await page.evaluate(() => globalThis.runnelPage.workers.on("numbers", ({ numbers }) => (globalThis.bodies = numbers.bodies)));
  await page.keyboard.press("5");
  await page.locator("#picture").click();
  await waitUntil(page, () => globalThis.bodies === 1);
  await drop(page, [{ name: "hollow.tif", bytes: hollowTiff() }]);
  await waitForTitle(page, "hollow");
  await page.waitForSelector("#busy", { state: "hidden" });
  await waitForFrame(page, 2);
  assert.deepEqual(errors, []);
  await context.close();
});

test("a GeoTIFF in degrees has its metres at its latitude", { skip }, async () => {
  const { page, context, errors } = await openPage(site, "#scene=spill&paused");
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
  await context.close();
});

test("the page passes axe-core with a scene open", { skip }, async () => {
  const { page, context } = await openPage(site, "#scene=spill&paused", { bypassCSP: true });
  await page.waitForSelector("#busy", { state: "hidden" });
  assert.deepEqual(await axe(page), []);
  await context.close();
});

test("the page works without its server once it was loaded", { skip }, async () => {
  const server = await serve([SITE]);
  const { page, context, errors } = await openPage({ browser: site.browser, url: server.url }, "#scene=incline", { serviceWorkers: "allow" });
  await waitForFrame(page, 1);
  await waitUntil(page, () => caches.match("scenes/incline.json").then(Boolean));
  await waitUntil(page, () => caches.match("package/dist/runnel-threads.wasm").then(Boolean));
  await server.close();
  await page.reload();
  await waitForFrame(page, 1);
  assert.ok(await page.evaluate(() => globalThis.crossOriginIsolated), "the page may use threads");
  assert.deepEqual(errors, []);
  await context.close();
});
