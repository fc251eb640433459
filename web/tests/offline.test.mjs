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

/** Acts, and waits until the browser has activated the service worker that was waiting. An empty page listens: it uses none. */
async function takeOver(context, act) {
  const listener = await context.newCDPSession(await context.newPage()), states = new Map();
  const is = (id, wanted) => states.get(id) === wanted;
  const find = async (test) => {
    for (const end = Date.now() + LIMIT; ![...states.keys()].some(test); ) {
      assert.ok(Date.now() < end, `the service workers are ${[...states.values()].join(", ")}`);
      await new Promise((done) => setTimeout(done, 50));
    }
    return [...states.keys()].find(test);
  };
  listener.on("ServiceWorker.workerVersionUpdated", ({ versions }) => versions.forEach(({ versionId, status }) => states.set(versionId, status)));
  await listener.send("ServiceWorker.enable");
  const waiting = await find((id) => is(id, "installed"));
  await act();
  await find((id) => id === waiting && is(id, "activated"));
}

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
  await takeOver(context, () => page.close());
  const next = await context.newPage();
  await next.goto(`${server.url}#scene=spill&paused`);
  assert.equal(await brand(next), "newer");
  await waitUntil(next, () => caches.keys().then((names) => names.length === 1));
  assert.deepEqual(errors, []);
  await context.close();
});
