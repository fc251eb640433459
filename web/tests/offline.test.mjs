// The service worker: the page without its server, no requests after it was loaded, and a new version of the site. Needs the built site
// (make web) and Chromium.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { serve } from "../serve.mjs";
import { LIMIT, SITE, launch, missing, openPage, waitForFrame, waitUntil } from "./browser.mjs";

const web = join(dirname(fileURLToPath(import.meta.url)), "..");
const skip = missing(SITE);
let site;

before(async () => {
  if (!skip) site = await launch([SITE]);
});
after(() => site?.close());

test("the page works without its server once it was loaded", { skip }, async (t) => {
  const server = await serve([SITE]);
  t.after(() => server.close());
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

test("a new version of the site waits until the pages of the old one are closed", { skip }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "runnel-site-")), page1 = join(folder, "index.html");
  cpSync(SITE, folder, { recursive: true });
  const server = await serve([folder]);
  t.after(async () => { // also after a failure: an open server would keep the test running for ever
    await server.close();
    rmSync(folder, { recursive: true });
  });
  const { page, context, errors } = await openPage({ browser: site.browser, url: server.url }, "#scene=spill&paused", { serviceWorkers: "allow" });
  const brand = (of) => of.textContent(".brand span");
  await waitUntil(page, () => navigator.serviceWorker.ready.then(({ active }) => active?.state === "activated"));
  writeFileSync(page1, readFileSync(page1, "utf8").replace("<span>runnel</span>", "<span>newer</span>"));
  execFileSync(process.execPath, [join(web, "list-site.mjs"), folder]);
  await page.reload();
  assert.equal(await brand(page), "runnel", "the old version is still shown");
  await waitUntil(page, () => navigator.serviceWorker.getRegistration().then((registration) => registration.update().then(() => Boolean(registration.waiting))));
  await page.close();
  let next = null, shown = null;
  const end = Date.now() + LIMIT;
  while (shown !== "newer") { // it takes over once the browser has let go of the page; a page that is opened at that moment may not load
    assert.ok(Date.now() < end, `the new version is not shown, but ${shown}`);
    await next?.close();
    await new Promise((done) => setTimeout(done, 200));
    next = await context.newPage();
    const loads = next.goto(`${server.url}#scene=spill&paused`, { timeout: 30000 });
    shown = await loads.then(() => brand(next)).catch(String);
  }
  await waitUntil(next, () => caches.keys().then((names) => names.length === 1));
  assert.deepEqual(errors, []);
  await context.close();
});
