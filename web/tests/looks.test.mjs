// How the page looks, with workers that stand in for the simulation: labels, contrast and layout, on windows of all sizes, dark and
// light. Needs Chromium.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { FAKE, axe, launch, missing, openPage } from "./browser.mjs";

const skip = missing(null);
let site, page, context, errors;

before(async () => {
  if (skip) return;
  site = await launch(FAKE);
  ({ page, context, errors } = await openPage(site, "#scene=spill", { bypassCSP: true, reducedMotion: "reduce" }));
  await page.waitForSelector("#busy", { state: "hidden" });
  await page.keyboard.press(" ");
});
after(async () => {
  await context?.close();
  await site?.close();
});

const DIALOGS = [["#choose", "#gallery"], ["#help", "#keys"], ["#share", "#link"]];

/** The parts of the page that lie outside of the window or, without being meant to scroll, are wider than it. */
const overflowing = () => page.evaluate(() => {
  const wide = document.documentElement.scrollWidth - innerWidth;
  const outside = [...document.querySelectorAll(".bar button, .transport button, .transport select, dialog[open], dialog[open] button")]
    .filter((one) => one.checkVisibility())
    .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 || one.getBoundingClientRect().left < -1);
  return [...(wide > 0 ? [`the page is ${wide} pixels too wide`] : []), ...outside.map(({ id, className }) => `#${id} .${className}`)];
});

for (const [name, width, height, colorScheme, dialogs] of [
  ["a wide window, dark", 1440, 900, "dark", DIALOGS],
  ["a tablet, light", 1024, 768, "light", DIALOGS],
  ["a phone, dark", 390, 844, "dark", DIALOGS],
  ["a small phone, light", 360, 740, "light", []],
]) {
  test(`axe-core passes, and nothing overflows, on ${name}`, { skip }, async () => {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const small = width < 800;
    if (small) assert.deepEqual(await axe(page), []);
    if (small && (await page.getAttribute("#fold", "aria-expanded")) === "false") await page.click("#fold");
    assert.deepEqual(await axe(page), [], "with the panel");
    assert.deepEqual(await overflowing(), []);
    for (const [button, dialog] of dialogs) {
      await page.click(button);
      await page.waitForSelector(`${dialog}[open]`);
      assert.deepEqual(await axe(page), [], dialog);
      assert.deepEqual(await overflowing(), [], dialog);
      await page.keyboard.press("Escape");
    }
    assert.deepEqual(errors, []);
  });
}

test("large numbers fit between the buttons of a small phone", { skip }, async () => {
  await page.setViewportSize({ width: 360, height: 740 });
  const covered = await page.evaluate(() => {
    document.querySelector("#time").textContent = "38 min 04 s";
    document.querySelector("#volume").textContent = "1\u2009013\u2009000 m³";
    const boxes = [...document.querySelectorAll("#restart, #play, #step, #time, #volume, #speed")].map((one) => {
      const text = new Range();
      text.selectNodeContents(one);
      return { id: one.id, box: (one.matches("dd") ? text : one).getBoundingClientRect() };
    });
    const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
    const over = boxes.filter(({ box }, i) => box.right > innerWidth || boxes.slice(0, i).some((other) => !apart(box, other.box))).map(({ id }) => id);
    const play = document.querySelector("#play").getBoundingClientRect();
    return play.width === play.height ? over : [...over, "play is not round"];
  });
  assert.deepEqual(covered, []);
});

test("reduced motion stops all animation", { skip }, async () => {
  const moving = () => page.evaluate(() => {
    document.querySelector("#busy").hidden = false; // its drop falls and rises
    const found = document.getAnimations().length;
    document.querySelector("#busy").hidden = true;
    return found;
  });
  await page.emulateMedia({ reducedMotion: "no-preference" });
  assert.ok((await moving()) > 0, "usually the drop moves");
  await page.emulateMedia({ reducedMotion: "reduce" });
  assert.equal(await moving(), 0);
});
