// The playground with the real simulation: tools, marks and links. Needs the built site (make web) and Chromium. files.test.mjs
// has files, scenes.test.mjs the scenes of the gallery. All tests use one page, since loading one takes long.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ARROWS, RESTING } from "../site/marks.js";
import { SITE, axe, launch, linkOf, missing, openPage, waitForDrawn, waitForFrame, waitForPicture, waitForTitle, waitUntil } from "./browser.mjs";

const skip = missing(SITE);
const DRY = {
  title: "Dry",
  grid: { cells: [80, 80], cell: 0.00125 },
  solid: { type: "bowl", radius: 0.04, depth: 0.02, at: [0.05, 0.05, 0] },
  liquid: "water",
};
const POOL = { title: "Pool", grid: { cells: [96, 96], cell: 0.001 }, solid: { type: "plane", at: [0, 0, 0] }, liquid: "water", fills: [{ level: 0.01 }] };
const RIVER = { title: "River", grid: { cells: [80, 80], cell: 0.00125 }, solid: { type: "plane", at: [0, 0, 0] }, liquid: "coffee", gravity: [3, 0, -9],
  fills: [{ level: 0.004 }] };
let site, page, context, errors;

before(async () => {
  if (skip) return;
  site = await launch([SITE]);
  ({ page, context, errors } = await openPage(site, linkOf(JSON.stringify(DRY)), { bypassCSP: true }));
  await page.waitForSelector("#busy", { state: "hidden" });
  await page.evaluate(() => (globalThis.slow = Infinity)); // pictures keep their size, however busy the machine is
});
after(async () => {
  await context?.close();
  await site?.close();
});

/** The scene's hash, as the page's worker gives it. */
const hashOf = () => page.evaluate(() => globalThis.runnelPage.workers.get("hash"));

/** Volumes of the ledger at one moment (m³). */
const volumesOf = () =>
  page.$$eval("#ledger tr", (rows) => Object.fromEntries(rows.map((row) => [row.className, Number(row.querySelector("td").dataset.value)])));

/** Opens the scene of a link, which begins at frame 0, on the same page. */
async function open(link, title) {
  await page.evaluate((hash) => {
    delete document.body.dataset.frame;
    delete document.body.dataset.drawn;
    location.hash = hash;
  }, link);
  await waitForTitle(page, title);
  await waitForPicture(page, 0);
  await page.waitForSelector("#busy", { state: "hidden" });
}

/** How many pixels of the picture, as it is downloaded, are nearly of a colour. */
const pixelsLike = (r, g, b) => page.evaluate(async (wanted) => {
  const picture = await createImageBitmap(await globalThis.runnelPage.workers.grab());
  const pen = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
  pen.drawImage(picture, 0, 0);
  const { data } = pen.getImageData(0, 0, picture.width, picture.height);
  let found = 0;
  for (let i = 0; i < data.length; i += 4) found += wanted.every((value, k) => Math.abs(data[i + k] - value) < 40) ? 1 : 0;
  return found;
}, [r, g, b]);

/** Opens a scene, runs this many frames, and waits until their picture has all pixels. */
async function openAt(scene, frames) {
  await open(`${linkOf(JSON.stringify(scene))}&paused`, scene.title);
  for (let i = 0; i < frames; i++) await page.click("#step");
  await waitForPicture(page, frames);
  assert.equal(await page.evaluate(() => document.body.dataset.frame), String(frames), "a scene that is opened paused begins at frame 0");
  await waitUntil(page, () => !globalThis.runnelPage.stage.growing);
}

/** Presses a key, and waits for a picture with these marks. */
const mark = (key, which) => waitForDrawn(page, { which }, async () => {
  await page.locator("#picture").focus();
  await page.keyboard.press(key);
});

test("pouring with the mouse raises the volume by what was poured", { skip }, async () => {
  await waitForFrame(page, 2);
  assert.equal((await volumesOf()).poured, 0, "the scene itself pours nothing");
  const box = await page.locator("#picture").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await waitUntil(page, () => Number(document.body.dataset.poured) > 1e-7);
  await page.mouse.up();
  const { poured, present, left } = await volumesOf();
  assert.ok(Math.abs(present + left - poured) <= 1e-6 * poured, `${poured} m³ were poured, ${present} m³ are present, ${left} m³ have left`);
  assert.deepEqual(errors, []);
});

test("arrows show the flow, also in the picture that is downloaded", { skip }, async () => {
  await openAt(RIVER, 10);
  const plain = await pixelsLike(255, 255, 255);
  await mark("a", ARROWS);
  assert.ok(await page.getByLabel("Flow arrows").isChecked());
  const marked = await pixelsLike(255, 255, 255);
  assert.ok(marked > plain + 10, `${marked} white pixels, ${plain} without arrows`);
  await mark("a", 0);
  assert.equal(await pixelsLike(255, 255, 255), plain, "and they go");
  assert.deepEqual(errors, []);
});

test("tiles at rest are marked", { skip }, async () => {
  await openAt(POOL, 3);
  const green = () => pixelsLike(120, 215, 165);
  const plain = await green();
  await mark("t", RESTING);
  const marked = await green();
  assert.ok(marked > plain + 20, `${marked} green pixels, ${plain} without marks`);
  await mark("t", 0);
  assert.equal(await green(), plain, "and they go");
  assert.deepEqual(errors, []);
});

test("a slider acts, and a shared link restores the scene to the same hash", { skip }, async () => {
  const fiveFrames = async () => {
    for (let i = 0; i < 5; i++) await page.click("#step");
    await waitForFrame(page, 5);
    return hashOf();
  };
  await open("#scene=incline&paused", "incline");
  const usual = await fiveFrames();
  await page.evaluate(() => globalThis.runnelPage.opening.again());
  await page.getByLabel("Viscosity").focus();
  for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowRight");
  await page.click("#share");
  await page.waitForSelector("#link[open]");
  const link = await page.inputValue("#link-text");
  assert.match(link, /#s=/);
  await page.keyboard.press("Escape");
  const changed = await fiveFrames();
  await open(`${new URL(link).hash}&paused`, "incline");
  assert.equal(await fiveFrames(), changed);
  assert.notEqual(changed, usual, "the slider acts");
  assert.deepEqual(errors, []);
});

test("the page passes axe-core with a scene open", { skip }, async () => {
  assert.deepEqual(await axe(page), []);
});
