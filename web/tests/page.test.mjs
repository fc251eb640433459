// The playground with the real simulation: needs the built site (make web) and Chromium. Set NIGHTLY=1 for all scenes.
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { serve } from "../serve.mjs";
import { SITE, axe, drop, hollowStl, hollowTiff, launch, messageOf, missing, openPage, volumeOf, waitForFrame, waitForTitle, waitUntil } from "./browser.mjs";

const skip = missing(SITE);
const SHORT = ["spill", "bowl", "pond"];
let site;

before(async () => {
  if (!skip) site = await launch([SITE]);
});
after(() => site?.close());

/** The scene's hash, as the page's worker gives it. */
const hashOf = (page) => page.evaluate(() => globalThis.runnelPage.workers.get("hash"));

/** The picture as it is on the screen. */
const picture = (page) => page.locator("#picture").screenshot();

/** Keeps a picture to look at, beside the site. */
async function keep(name, shot) {
  await mkdir(join(SITE, "../pictures"), { recursive: true });
  await writeFile(join(SITE, "../pictures", `${name}.png`), shot);
}

/** Volumes of the ledger at one moment (m³). */
const volumesOf = (page) =>
  page.$$eval("#ledger tr", (rows) => Object.fromEntries(rows.map((row) => [row.className, Number(row.querySelector("td").dataset.value)])));

async function scenes() {
  const groups = JSON.parse(await readFile(join(SITE, "gallery.json"), "utf8"));
  return process.env.NIGHTLY ? groups.flatMap((group) => group.scenes.map(({ name }) => name)) : SHORT;
}

for (const name of skip ? SHORT : await scenes()) {
  test(`${name} loads, runs 60 frames and shows liquid`, { skip }, async () => {
    const { page, context, errors } = await openPage(site, `#scene=${name}&paused`);
    await page.waitForSelector("#busy", { state: "hidden" });
    await waitForFrame(page, 0);
    const dry = await picture(page);
    await page.selectOption("#speed", "64");
    await page.click("#play");
    await waitForFrame(page, 60);
    await page.click("#play");
    assert.ok((await volumeOf(page, "present")) > 0, "there is liquid");
    await page.waitForTimeout(500);
    const wet = await picture(page);
    await keep(name, wet);
    assert.notDeepEqual(wet, dry, "the picture has changed");
    assert.deepEqual(errors, []);
    await context.close();
  });
}

test("pouring with the mouse raises the volume by what was poured", { skip }, async () => {
  const { page, context, errors } = await openPage(site, "#scene=bowl");
  await page.waitForSelector("#busy", { state: "hidden" });
  await waitForFrame(page, 2);
  const before = await volumesOf(page);
  const box = await page.locator("#picture").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.waitForTimeout(1500);
  await page.mouse.up();
  await page.waitForTimeout(600);
  await page.click("#play");
  await page.waitForTimeout(400);
  const now = await volumesOf(page);
  const [poured, present] = [now.poured - before.poured, now.present - before.present];
  assert.ok(poured > 1e-7, `${poured} m³ were poured`);
  assert.ok(Math.abs(present - poured) <= 1e-6 * poured, `${present} m³ are more present, ${poured} m³ were poured`);
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
  assert.match(await page.textContent("#threads"), /[2-9] threads/, "the page is isolated");
  assert.deepEqual(errors, []);
  await context.close();
});
