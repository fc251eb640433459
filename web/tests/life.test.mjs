// What happens to a page over time: a draft and a coarse picture first, a lost WebGL context; and the example with
// three.js. offline.test.mjs has the service worker. Needs the built site (make web) and Chromium.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { serve } from "../serve.mjs";
import { coarser } from "../site/page/coarse.js";
import { SITE, launch, linkOf, messageOf, missing, openPage, waitForFrame, waitForPicture, waitUntil } from "./browser.mjs";

const web = join(dirname(fileURLToPath(import.meta.url)), "..");
const skip = missing(SITE);
let site;

before(async () => {
  if (!skip) site = await launch([SITE]);
});
after(() => site?.close());

/** How many different colours the picture has, of 64 x 36 pixels. */
const colours = (page) => page.evaluate(async () => {
  const small = await createImageBitmap(await globalThis.runnelPage.workers.grab(), { resizeWidth: 64, resizeHeight: 36 });
  const pen = new OffscreenCanvas(64, 36).getContext("2d");
  pen.drawImage(small, 0, 0);
  return new Set(new Uint32Array(pen.getImageData(0, 0, 64, 36).data.buffer)).size;
});

test("a coarse scene keeps its size, and small or unusual grids have none", () => {
  const grid = (cells, cell) => JSON.stringify({ grid: { cells, cell } });
  assert.deepEqual(JSON.parse(coarser(grid([200, 200], 0.0005))).grid, { cells: [50, 50], cell: 0.002 });
  assert.deepEqual(JSON.parse(coarser(grid([230, 150], 0.001))).grid, { cells: [46, 30], cell: 0.005 });
  for (const text of [grid([60, 60], 1), grid(["=a", 200], 1), grid([200], 1), grid([1e9, 1e9], "=a"), "{}"]) assert.equal(coarser(text), null);
  assert.equal(coarser(new Uint8Array(4)), null);
});

test("a coarse picture comes before the scene itself, which then has all its cells", { skip }, async () => {
  const scene = { grid: { cells: [200, 200], cell: 0.0005 }, liquid: "water",
    solid: { type: "bowl", radius: 0.045, depth: 0.02, at: [0.05, 0.05, 0] }, sources: [{ at: [0.05, 0.05, 0.03], radius: 0.005, rate: 1e-5 }] };
  const { page, context, errors } = await openPage(site, `${linkOf(JSON.stringify(scene))}&paused`);
  await page.waitForSelector("#busy", { state: "hidden" });
  const at = await page.evaluate(() => Object.fromEntries(performance.getEntriesByType("mark").map(({ name, startTime }) => [name, startTime])));
  assert.ok(at["first mesh"] < at["scene built"], `first mesh ${at["first mesh"]} ms, scene built ${at["scene built"]} ms`);
  const cells = await page.evaluate(() => globalThis.runnelPage.workers.get("text").then((text) => JSON.parse(text).grid.cells));
  assert.deepEqual(cells, [200, 200]);
  assert.equal(await page.evaluate(() => document.body.dataset.frame), "0");
  assert.deepEqual(errors, []);
  await context.close();
});

test("the first picture is a draft, and shows the liquid", { skip }, async () => {
  const { page, context, errors } = await openPage({ browser: site.browser, url: "about:blank" });
  let send;
  const held = new Promise((done) => (send = done));
  await page.route("**/picture.wasm", (route) => held.then(() => route.continue()));
  const blood = { grid: { cells: [40, 40], cell: 0.002 }, solid: { type: "bowl", radius: 0.035, depth: 0.018, at: [0.04, 0.04, 0] }, liquid: "blood",
    fills: [{ level: -0.004 }] };
  await page.goto(`${site.url}${linkOf(JSON.stringify(blood))}&paused`);
  const find = () => page.workers().find((one) => one.url().includes("picture-worker"));
  const worker = find() ?? (await page.waitForEvent("worker", { predicate: () => Boolean(find()) }).then(find));
  await worker.evaluate(() => (globalThis.onlyDrafts = true));
  send();
  await waitUntil(page, () => performance.getEntriesByName("first liquid").length > 0);
  const red = await page.evaluate(async () => {
    const small = await createImageBitmap(await globalThis.runnelPage.workers.grab(), { resizeWidth: 64, resizeHeight: 36 });
    const pen = new OffscreenCanvas(64, 36).getContext("2d");
    pen.drawImage(small, 0, 0);
    const { data } = pen.getImageData(0, 0, 64, 36);
    return Array.from({ length: 64 * 36 }, (_, i) => data[4 * i] > 2 * data[4 * i + 1] + 10).filter(Boolean).length;
  });
  assert.ok(red > 40, `${red} of 2304 pixels are red`);
  assert.equal(await page.evaluate(() => performance.getEntriesByName("first whole picture").length), 0);
  await worker.evaluate(() => (globalThis.onlyDrafts = false));
  await waitForPicture(page, 0);
  assert.equal(await page.evaluate(() => performance.getEntriesByName("first whole picture").length), 1);
  assert.deepEqual(errors, []);
  await context.close();
});

test("rain goes on while a checkpoint is downloaded", { skip }, async () => {
  const dry = { grid: { cells: [40, 40], cell: 0.002 }, solid: { type: "bowl", radius: 0.03, depth: 0.015, at: [0.04, 0.04, 0] }, liquid: "water" };
  const { page, context, errors } = await openPage(site, linkOf(JSON.stringify(dry)));
  await page.waitForSelector("#busy", { state: "hidden" });
  await page.getByLabel("Rain").fill("90");
  await waitUntil(page, () => Number(document.body.dataset.poured) > 0);
  assert.ok(await page.evaluate(() => globalThis.runnelPage.workers.get("checkpoint").then(({ length }) => length)));
  await waitForFrame(page, (await page.evaluate(() => Number(document.body.dataset.frame))) + 3); // numbers from before may be on their way
  const before = await page.evaluate(() => Number(document.body.dataset.poured));
  await waitUntil(page, (least) => Number(document.body.dataset.poured) > least, before);
  assert.deepEqual(errors, []);
  await context.close();
});

test("a lost WebGL context is restored, and the picture with it", { skip }, async () => {
  const { page, context, errors } = await openPage(site, "#scene=bowl&paused");
  await page.waitForSelector("#busy", { state: "hidden" });
  const whole = await colours(page);
  assert.ok(whole > 20, `${whole} colours`);
  const worker = page.workers().find((one) => one.url().includes("picture-worker"));
  await worker.evaluate(() => new Promise((done) => {
    const gl = globalThis.pictureContext, lose = gl.getExtension("WEBGL_lose_context");
    gl.canvas.addEventListener("webglcontextlost", () => setTimeout(() => lose.restoreContext()));
    gl.canvas.addEventListener("webglcontextrestored", done);
    lose.loseContext();
  }));
  await page.click("#step");
  await waitForPicture(page, 1);
  const again = await colours(page);
  assert.ok(again > 0.8 * whole, `${again} colours of ${whole}`);
  assert.deepEqual(errors, []);
  await context.close();
});

test("a WebGL context that is lost while the module is loaded comes back", { skip }, async () => {
  const { page, context, errors } = await openPage({ browser: site.browser, url: "about:blank" });
  let send;
  const lost = new Promise((done) => (send = done));
  await page.route("**/picture.wasm", (route) => lost.then(() => route.continue()));
  await page.goto(`${site.url}#scene=spill&paused`);
  const find = () => page.workers().find((one) => one.url().includes("picture-worker"));
  const worker = find() ?? (await page.waitForEvent("worker", { predicate: () => Boolean(find()) }).then(find));
  await waitUntil(worker, () => Boolean(globalThis.pictureContext));
  await worker.evaluate(() => new Promise((done) => {
    const gl = globalThis.pictureContext;
    globalThis.back = gl.getExtension("WEBGL_lose_context");
    gl.canvas.addEventListener("webglcontextlost", done);
    globalThis.back.loseContext();
  }));
  send();
  await waitUntil(page, () => performance.getEntriesByName("renderer ready").length > 0);
  await worker.evaluate(() => globalThis.back.restoreContext());
  await waitForPicture(page, 0);
  assert.deepEqual(errors, []);
  await context.close();
});

test("a browser without WebGL 2 gets a sentence, and the page lives", { skip }, async () => {
  const { page, context } = await openPage({ browser: site.browser, url: "about:blank" });
  await page.route("**/picture-worker.js", async (route) => {
    const answer = await route.fetch();
    const without = `const usual = OffscreenCanvas.prototype.getContext;
      OffscreenCanvas.prototype.getContext = function (kind, ...more) { return kind === "webgl2" ? null : usual.call(this, kind, ...more); };`;
    await route.fulfill({ response: answer, body: without + (await answer.text()) });
  });
  await page.goto(`${site.url}#scene=spill`);
  assert.match(await messageOf(page), /^This browser has no WebGL 2, which draws the picture\./);
  await page.waitForSelector("#busy", { state: "hidden" });
  await waitForFrame(page, 5);
  await context.close();
});

test("the example with three.js fills its bowl", { skip }, async (t) => {
  const server = await serve([join(web, "examples"), join(SITE, ".."), web]);
  t.after(() => server.close());
  const { page, context, errors } = await openPage({ browser: site.browser, url: server.url }, "three.html", { bypassCSP: true });
  await waitUntil(page, () => Number(document.body.dataset.volume) > 3e-7);
  const picture = await page.screenshot();
  assert.ok(picture.length > 3000, "something is drawn");
  assert.deepEqual(errors, []);
  await context.close();
});
