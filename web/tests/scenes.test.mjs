// Scenes of the gallery in the playground: each opens, runs and shows liquid. Needs the built site (make web) and Chromium. Set
// NIGHTLY=1 for all scenes.
import assert from "node:assert/strict";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { SITE, launch, missing, openPage, volumeOf, waitForFrame, waitForPicture, waitUntil } from "./browser.mjs";

const skip = missing(SITE);
const SHORT = ["spill", "bowl", "pond"];
let site;

before(async () => {
  if (!skip) site = await launch([SITE]);
});
after(() => site?.close());

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
    const { page, context, errors } = await openPage(site, `#scene=${name}&paused`);
    await page.waitForSelector("#busy", { state: "hidden" });
    await waitForPicture(page, 0);
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
    await context.close();
  });
}
