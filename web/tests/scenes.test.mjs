// Scenes of the gallery in the playground: each opens, runs and shows liquid. Needs the built site (make web) and Chromium. Set
// NIGHTLY=1 for all scenes. All tests use one page, since compiling its shaders takes long without a GPU.
import assert from "node:assert/strict";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { SITE, launch, missing, openPage, volumeOf, waitForDrawn, waitForPicture, waitUntil } from "./browser.mjs";

const skip = missing(SITE);
const SHORT = ["spill", "bowl", "pond"];
const [NATURAL, SPEED] = [0, 2]; // colours of the panel
const LONGEST = 240; // frames until liquid is seen: in a jug it is hidden at first
let site, page, context, errors;

before(async () => {
  if (!skip) site = await launch([SITE]);
});
after(async () => {
  await context?.close();
  await site?.close();
});

/** Opens a scene, which does not play yet: in a new page, or in the page that has shown the last one. */
async function open(name) {
  if (!page) ({ page, context, errors } = await openPage(site, `#scene=${name}&paused`));
  else {
    await page.evaluate((hash) => {
      delete document.body.dataset.frame;
      delete document.body.dataset.drawn;
      location.hash = hash;
    }, `#scene=${name}&paused`);
  }
  await page.evaluate(() => (globalThis.slow = Infinity)); // pictures keep their size, however busy the machine is
  await waitUntil(page, (wanted) => globalThis.runnelPage.opening.current?.name === wanted, name);
  await page.waitForSelector("#busy", { state: "hidden" }); // once a picture of this scene is drawn
  await waitForPicture(page, 0);
}

/** The picture as the renderer has drawn it, without the page around it: 96 x 54 pixels, red, green, blue and opacity of each. */
const picture = (page) => page.evaluate(async () => {
  const [width, height] = [96, 54];
  const small = await createImageBitmap(await globalThis.runnelPage.workers.grab(), { resizeWidth: width, resizeHeight: height });
  const pen = new OffscreenCanvas(width, height).getContext("2d");
  pen.drawImage(small, 0, 0);
  return [...pen.getImageData(0, 0, width, height).data];
});

/** The picture in these colours; with `frames`, the one 60 frames later, which has that number. An overlay colours liquid alone: where
    it changes the picture, liquid is seen. */
async function pictureAs(overlay, frames = 0) {
  await waitForDrawn(page, frames > 0 ? { overlay, frame: frames } : { overlay }, () => page.evaluate(([number, steps]) => {
    const { workers } = globalThis.runnelPage;
    for (let i = 0; i < steps; i++) workers.step();
    workers.overlay(number);
  }, [overlay, frames > 0 ? 60 : 0]));
  return picture(page);
}

/** How many values of two pictures differ by more than an eye overlooks. */
const differing = (a, b) => a.filter((value, i) => Math.abs(value - b[i]) > 16).length;

/** Keeps a screenshot to look at, beside the site. */
async function keep(name, page) {
  await mkdir(join(SITE, "../pictures"), { recursive: true });
  await page.locator("#picture").screenshot({ path: join(SITE, "../pictures", `${name}.png`) });
}

async function scenes() {
  const groups = JSON.parse(await readFile(join(SITE, "gallery.json"), "utf8"));
  return process.env.NIGHTLY ? groups.flatMap((group) => group.scenes.map(({ name }) => name)) : SHORT;
}

for (const name of skip ? SHORT : await scenes()) {
  test(`${name} loads, runs 60 frames and shows liquid`, { skip }, async () => {
    await open(name);
    await waitUntil(page, () => !globalThis.runnelPage.stage.growing); // both pictures have the same number of pixels
    const first = await pictureAs(SPEED);
    let seen = 0;
    for (let frames = 60; frames <= LONGEST && seen <= 60; frames += 60) {
      const before = await pictureAs(SPEED, frames);
      if (frames === 60) assert.ok(differing(before, first) > 60, "the picture has changed");
      seen = differing(await pictureAs(NATURAL), before);
    }
    await keep(name, page);
    assert.ok((await volumeOf(page, "present")) > 0, "there is liquid");
    assert.ok(seen > 60, `${seen} values of the picture are of liquid`);
    assert.deepEqual(errors, []);
  });
}
