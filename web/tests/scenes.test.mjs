// Scenes of the gallery in the playground: each opens, runs and shows liquid. Needs the built site (make web) and Chromium. Set
// NIGHTLY=1 for all scenes. All tests use one page, since compiling its shaders takes long without a GPU.
import assert from "node:assert/strict";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { SITE, launch, missing, openPage, volumeOf, waitForFrame, waitForPicture, waitUntil } from "./browser.mjs";

const skip = missing(SITE);
const SHORT = ["spill", "bowl", "pond"];
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
    const first = await picture(page);
    await page.selectOption("#speed", "64");
    await page.click("#play");
    await waitForFrame(page, 60);
    await waitForPicture(page, 60);
    await page.click("#play");
    assert.ok((await volumeOf(page, "present")) > 0, "there is liquid");
    const changed = differing(await picture(page), first);
    await keep(name, page);
    assert.ok(changed > 60, `${changed} values of the picture have changed`);
    assert.deepEqual(errors, []);
  });
}
