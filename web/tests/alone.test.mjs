// The page alone, with workers that stand in for the simulation: links, files and keys. Needs Chromium. looks.test.mjs has layout and labels.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { FAKE, drop, hollowStl, launch, linkOf, messageOf, missing, openPage, volumeOf, waitForFrame, waitForTitle, waitUntil } from "./browser.mjs";

const skip = missing(null);
let site, kept; // the page that tests share, loaded anew for each; those with options of their own have another

before(async () => {
  if (!skip) site = await launch(FAKE);
});
after(async () => {
  await kept?.context.close();
  await site?.close();
});

const log = (page) => page.evaluate(() => globalThis.runnelPage.workers.get("log"));
/** Waits until the simulation was sent an action. */
const waitForAction = (page, action) =>
  waitUntil(page, (source) => globalThis.runnelPage.workers.get("log").then((text) => new RegExp(source, "m").test(text)), action.source);
const open = async (fragment = "", options = null) => {
  let opened = kept;
  if (options || !kept) opened = await openPage(site, fragment, options ?? {});
  else {
    kept.errors.length = 0;
    await kept.page.goto("about:blank");
    await kept.page.goto(site.url + fragment);
  }
  if (!options) kept = opened;
  await opened.page.waitForSelector("#busy", { state: "hidden" });
  return opened;
};

test("mouse, keys and sliders send actions", { skip }, async () => {
  const { page, errors } = await open("#scene=spill");
  const before = await volumeOf(page, "present");
  const box = await page.locator("#picture").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await waitForAction(page, /^pour 0\.05\d* 0\.05\d* 0\.02\d* 0\.00\d+ \S+$/);
  await waitUntil(page, (least) => Number(document.querySelector("#ledger .present td").dataset.value) > least, before);
  await page.keyboard.press("5");
  await page.mouse.up();
  await waitForAction(page, /^release$/); // also with another tool in hand
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await waitForAction(page, /^drop .* duck$/);
  await page.locator("#liquid select").selectOption("honey");
  await waitUntil(page, () => globalThis.runnelPage.controls.fields.viscosity.value() === 1e-2);
  await page.getByLabel("Viscosity").fill("150");
  await page.keyboard.press("Escape");
  await page.locator("#picture").focus();
  await page.keyboard.press("ArrowRight");
  await waitForAction(page, /^set liquid\.viscosity=\S+$/);
  await waitForAction(page, /^set gravity=\[0\.\d+, 0\.\d*, -9\.\d+\]$/);
  assert.deepEqual(errors, []);
});

test("every tool does its work where the mouse is, and from the keyboard in the middle of the picture", { skip }, async () => {
  const { page, errors } = await open("#scene=spill");
  const box = await page.locator("#picture").boundingBox(), y = box.y + box.height / 2;
  const at = (share) => page.mouse.move(box.x + share * box.width, y);
  for (const [key, action] of [
    ["3", /^suck 0\.0\d+ 0\.05\d* 0\.02\d* 0\.00\d+ \S+$/],
    ["4", /^push 0\.0\d+ 0\.05\d* 0\.0\d+ 4\.9\d* 0$/],
    ["6", /^drag 3 0\.0\d+ 0\.05\d* 0\.0[12]\d*$/],
    ["7", /^dig 0\.0\d+ 0\.05\d* 0\.0[12]\d* 0\.00\d+$/],
    ["8", /^raise 0\.0\d+ 0\.05\d* 0\.0[12]\d* 0\.00\d+$/],
  ]) {
    await page.keyboard.press(key);
    await at(0.4);
    await page.mouse.down();
    await waitUntil(page, () => globalThis.runnelPage.pointer.working);
    await at(0.6);
    await waitForAction(page, action);
    await page.mouse.up();
    await waitUntil(page, () => !globalThis.runnelPage.pointer.working);
  }
  await page.keyboard.press("2");
  await page.locator("#picture").focus();
  await page.keyboard.press("Enter");
  await waitForAction(page, /^pour 0\.05\d* 0\.05\d* \S+ \S+ \S+$/);
  assert.ok(await page.isVisible("#aim"));
  await page.keyboard.press("Enter");
  await page.waitForSelector("#aim", { state: "hidden" });
  await page.keyboard.press("w");
  await waitForAction(page, /^rain 0\.00\d+$/);
  assert.deepEqual(errors, []);
});

test("the gallery shows all posters, and a click opens a scene", { skip }, async () => {
  const { page, errors } = await open("#scene=spill");
  await page.click("#choose");
  const cards = page.locator("#gallery .card"), count = await cards.count();
  assert.ok(count >= 42, `${count} scenes`);
  for (let i = 0; i < count; i++) {
    const poster = cards.nth(i).locator("img");
    await poster.scrollIntoViewIfNeeded();
    await waitUntil(page, (at) => document.querySelectorAll("#gallery .card img")[at].complete, i);
    assert.ok(await poster.evaluate((image) => image.naturalWidth > 0), `poster ${i}`);
  }
  assert.equal(await page.getAttribute("#gallery .card[aria-current]", "data-scene"), "spill");
  await page.click('#gallery .card[data-scene="bowl"]');
  await waitUntil(page, () => globalThis.runnelPage.opening.current?.name === "bowl");
  assert.match(page.url(), /#scene=bowl$/);
  assert.ok(!(await page.locator("#gallery").evaluate((gallery) => gallery.open)));
  assert.equal(await page.getAttribute("#gallery .card[aria-current]", "data-scene"), "bowl");
  assert.deepEqual(errors, []);
});

test("a browser that lacks something gets a sentence", { skip }, async () => {
  const { page, context } = await openPage({ browser: site.browser, url: "about:blank" });
  await page.addInitScript(() => delete globalThis.OffscreenCanvas);
  await page.goto(`${site.url}#scene=spill`);
  await waitUntil(page, () => document.querySelector("#busy-text").textContent.startsWith("This browser lacks drawing in a worker"));
  await context.close();
});

test("a hint says what to do, until the user does it", { skip }, async () => {
  const { page, errors } = await open("#scene=spill");
  await page.waitForSelector("#hint", { state: "visible" });
  assert.match(await page.innerText("#hint"), /to pour/);
  await page.keyboard.press("1");
  assert.match(await page.innerText("#hint"), /to look around/);
  const box = await page.locator("#picture").boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await page.waitForSelector("#hint", { state: "hidden" });
  assert.deepEqual(errors, []);
});

test("two fingers turn and zoom, and do not pour", { skip }, async () => {
  const { page, context } = await open("#scene=spill", { hasTouch: true });
  const touch = await context.newCDPSession(page);
  const at = (points) => points.map(([x, y], id) => ({ x, y, id }));
  const before = await page.evaluate(() => globalThis.runnelPage.camera.orbit.zoom);
  await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: at([[250, 300], [350, 300]]) });
  for (let i = 1; i <= 5; i++) {
    await touch.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: at([[250 - 10 * i, 300], [350 + 10 * i, 300]]) });
  }
  await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await waitUntil(page, (least) => globalThis.runnelPage.camera.orbit.zoom > least, 1.5 * before);
  const azimuth = await page.evaluate(() => globalThis.runnelPage.camera.orbit.azimuth);
  await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: at([[250, 300], [350, 300]]) });
  for (let i = 1; i <= 5; i++) {
    await touch.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: at([[250 + 10 * i, 300], [350 + 10 * i, 300]]) });
  }
  await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await waitUntil(page, (was) => Math.abs(globalThis.runnelPage.camera.orbit.azimuth - was) > 1, azimuth);
  assert.equal(await log(page), "");
  await context.close();
});

test("a link restores a scene", { skip }, async () => {
  const { page, errors } = await open(`${linkOf('{"title": "By link ✓", "grid": {}}')}&paused`);
  assert.equal(await page.textContent("#title"), "By link ✓");
  await page.keyboard.press("2");
  await page.getByLabel("Rain").fill("50");
  await page.click("#share");
  await page.waitForSelector("#link[open]");
  const link = await page.inputValue("#link-text");
  assert.deepEqual(errors, []);
  const other = await open(new URL(link).hash);
  assert.equal(await other.page.textContent("#title"), "By link ✓");
  assert.deepEqual(other.errors, []);
});

const BAD_LINKS = [
  ["truncated", () => linkOf(JSON.stringify({ a: "b".repeat(500) + Math.random() })).slice(0, -6), /incomplete or damaged/],
  ["not base64", () => "#s=%00<script>", /incomplete or damaged/],
  ["not JSON", () => linkOf("{]"), /not valid JSON/],
  ["not an object", () => linkOf("[1]"), /not a scene/],
  ["names a file", () => linkOf('{"solid": {"of": [{"file": "https://example.org/x.stl"}]}}'), /Links cannot open files/],
  ["inflates to 100 MB", () => linkOf(`{"a": "${" ".repeat(1e8)}"}`).slice(0, 48003), /larger than 1 MB|too long/],
  ["deep", () => linkOf("[".repeat(50000) + "]".repeat(50000)), /JSON|not a scene|nested/],
  ["deep objects", () => linkOf('{"a":'.repeat(2000) + "1" + "}".repeat(2000)), /nested/],
  ["too long", () => `#s=${"A".repeat(60000)}`, /too long/],
  ["no such name", () => "#scene=..%2F..", /no scene of the gallery/],
];

test("broken links give a sentence, and the page lives on", { skip }, async () => {
  const { page, errors } = await open(BAD_LINKS[0][1]());
  assert.match(await messageOf(page), BAD_LINKS[0][2], "a page that begins with a broken link");
  for (const [what, link, message] of BAD_LINKS) {
    await page.evaluate(() => document.querySelector("#notices").replaceChildren());
    await page.evaluate((hash) => (location.hash = hash), link());
    assert.match(await messageOf(page), message, what);
    assert.match(await page.textContent("#title"), /coffee/, what);
  }
  const frame = await page.evaluate(() => Number(document.body.dataset.frame));
  await waitForFrame(page, frame + 2);
  assert.deepEqual(errors, []);
});

test("fuzzed links never hang the page", { skip }, async () => {
  const { page, errors } = await open("#scene=spill");
  const good = linkOf(JSON.stringify({ title: "x", solid: { type: "plane", at: [1, 2, 3] } }));
  let seed = 7;
  const random = (below) => (seed = (seed * 48271) % 2147483647) % below;
  for (let i = 0; i < 60; i++) {
    const letters = [...good.slice(3)];
    for (let k = 0; k <= random(4); k++) letters[random(letters.length)] = "AZaz09-_%&="[random(11)];
    await page.evaluate((hash) => (location.hash = hash), `#s=${letters.slice(0, 1 + random(letters.length)).join("")}`);
  }
  const frame = await page.evaluate(() => Number(document.body.dataset.frame));
  await waitUntil(page, (last) => Number(document.body.dataset.frame) !== last, frame);
  assert.deepEqual(errors, []);
});

test("the title is that of the scene that runs, also if another was asked for and failed", { skip }, async () => {
  const { page } = await open("#scene=spill");
  await page.evaluate(() => {
    const { opening } = globalThis.runnelPage;
    void opening.open({ text: '{"title": "Overtaken"}', files: [] }, { title: "" });
    void opening.byName("nothing");
  });
  await messageOf(page);
  assert.equal(await page.textContent("#title"), "Overtaken");
});

test("of two quick links the last one counts, also if the first takes longer to read", { skip }, async () => {
  const { page, errors } = await open("#scene=spill");
  await page.evaluate(async ([first, second]) => {
    const Stream = globalThis.DecompressionStream, held = new Promise((done) => (globalThis.release = done));
    globalThis.DecompressionStream = function (kind) { // the first one ends only when it is released
      globalThis.DecompressionStream = Stream;
      const { writable, readable } = new Stream(kind);
      return { writable, readable: readable.pipeThrough(new TransformStream({ flush: () => held })) };
    };
    const read = new Promise((done) => addEventListener("hashchange", done, { once: true }));
    location.hash = first;
    await read;
    location.hash = second;
  }, [linkOf('{"title": "First"}'), linkOf('{"title": "Second"}')]);
  await waitForTitle(page, "Second");
  await page.evaluate(() => globalThis.release());
  const before = await page.evaluate(() => Number(document.body.dataset.frame));
  await waitUntil(page, (last) => Number(document.body.dataset.frame) > last + 20, before);
  assert.equal(await page.textContent("#title"), "Second");
  assert.deepEqual(errors, []);
});

test("a picture of the old scene does not end the wait for the new one", { skip }, async () => {
  const { page, errors } = await open("#scene=spill");
  await page.evaluate((hash) => (location.hash = hash), linkOf('{"title": "Stuck", "hangs": true}'));
  await page.waitForSelector("#busy", { state: "visible" });
  await page.evaluate(() => {
    globalThis.pictures = 0;
    globalThis.runnelPage.workers.on("drawn", () => globalThis.pictures++);
    for (let i = 0; i < 3; i++) globalThis.runnelPage.workers.look({ azimuth: i, zoom: 1 });
  });
  await waitUntil(page, () => globalThis.pictures >= 3);
  assert.ok(await page.isVisible("#busy"), "the page still waits");
  await page.click("#cancel");
  await page.waitForSelector("#busy", { state: "hidden" });
  assert.deepEqual(errors, []);
});

test("a late picture of the old scene does not count for the one that has just opened", { skip }, async () => {
  const { page, errors } = await open("#scene=spill&paused");
  const waits = await page.evaluate(() => {
    const { stage, workers } = globalThis.runnelPage, busy = document.querySelector("#busy");
    const drawn = (scene, frame) => {
      workers.dispatchEvent(new CustomEvent("drawn", { detail: { scene, frame, liquid: true, draft: false, milliseconds: 1 } }));
      return [busy.hidden, document.body.dataset.drawn];
    };
    stage.waitFor("bowl", false);
    stage.opened(1000, true);
    return [drawn(999, 77), drawn(1000, 0)];
  });
  assert.deepEqual(waits, [[false, "0"], [true, "0"]]);
  assert.deepEqual(errors, []);
});

test("a scene that never opens can be cancelled, and the last one comes back", { skip }, async () => {
  const { page, errors } = await open("#scene=spill");
  await page.evaluate((hash) => (location.hash = hash), linkOf('{"title": "Stuck", "hangs": true}'));
  await page.click("#cancel");
  assert.match(await messageOf(page), /cancelled/);
  await page.waitForSelector("#busy", { state: "hidden" });
  assert.match(await page.textContent("#title"), /coffee/);
  await waitForFrame(page, 2);
  assert.deepEqual(errors, []);
});

test("a scene that takes too long to open is stopped, and the last one comes back", { skip }, async () => {
  const { page, errors } = await open("#scene=spill");
  await page.evaluate((hash) => {
    const limits = [100], { longestOpening: usual } = globalThis; // the scene that comes back has the usual one
    Object.defineProperty(globalThis, "longestOpening", { get: () => limits.pop() ?? usual });
    location.hash = hash;
  }, linkOf('{"title": "Stuck", "hangs": true}'));
  assert.match(await messageOf(page), /took longer than a minute/);
  await waitUntil(page, () => /coffee/.test(document.querySelector("#title").textContent) && document.querySelector("#busy").hidden);
  assert.deepEqual(errors, []);
});

test("a simulation that fails starts again with the last scene that has opened", { skip }, async () => {
  const { page, errors } = await open("#scene=spill&paused");
  const comesBack = async (fail, argument) => {
    for (let i = 0; i < 5; i++) await page.click("#step");
    await waitForFrame(page, 5);
    await page.evaluate(fail, argument);
    assert.match(await messageOf(page), /The simulation has failed: unreachable\. The scene is back at its start/);
    await page.evaluate(() => document.querySelector("#notices").replaceChildren());
    await waitUntil(page, () => document.body.dataset.frame === "0" && document.querySelector("#busy").hidden);
    assert.match(await page.textContent("#title"), /coffee/);
  };
  await comesBack(() => globalThis.runnelPage.act("trap"));
  await comesBack((hash) => (location.hash = hash), linkOf('{"title": "Traps", "traps": true}'));
  assert.deepEqual(errors, []);
});

test("files: what opens, and sentences for what does not", { skip }, async () => {
  const { page, errors } = await open("#scene=spill");
  const cases = [
    [[{ name: "big.stl", size: 101e6 }], /big\.stl has 101 MB; the page opens files of up to 100 MB/],
    [[{ name: "notes.docx", bytes: Buffer.from("x") }], /notes\.docx is of a kind that cannot be opened/],
    [[{ name: "empty.ply", bytes: Buffer.alloc(0) }], /empty\.ply is empty/],
    [[{ name: "bad.json", bytes: Buffer.from("{") }], /bad\.json is not valid JSON/],
    [[{ name: "bad.png", bytes: Buffer.from("not a picture") }], /bad\.png is not a PNG/],
    [[{ name: "mesh.json", bytes: Buffer.from('{"solid": {"file": "a/part.stl"}}') }], /uses a\/part\.stl\. Drop the scene together/],
    [[{ name: "broken.stl", bytes: Buffer.from("solid") }], /broken\.stl: is not a mesh/],
  ];
  for (const [files, message] of cases) {
    await page.evaluate(() => document.querySelector("#notices").replaceChildren());
    await drop(page, files);
    assert.match(await messageOf(page), message);
    await page.waitForSelector("#busy", { state: "hidden" });
    assert.match(await page.textContent("#title"), /coffee/);
  }
  await drop(page, [{ name: "hollow.stl", bytes: hollowStl() }]);
  await waitForTitle(page, "hollow.stl");
  const scene = Buffer.from('{"title": "Own", "solid": {"file": "a/part.stl"}}');
  await drop(page, [{ name: "part.stl", bytes: hollowStl() }, { name: "own.json", bytes: scene }]);
  await waitForTitle(page, "Own");
  assert.deepEqual(errors, []);
});

test("downloads: scene and picture", { skip }, async () => {
  const { page, errors } = await open("#scene=spill");
  for (const [title, ending] of [["Scene", /spill\.json$/], ["Picture", /spill\.png$/]]) {
    const saved = page.waitForEvent("download");
    await page.locator("#downloads").getByRole("button", { name: title }).click();
    assert.match((await saved).suggestedFilename(), ending);
  }
  assert.deepEqual(errors, []);
});
