// The page in Chromium: it draws, pours, shares, opens files and survives broken ones.
//   node page.mjs SITE ROOT [PART...]    without parts: all
import { readFileSync } from "node:fs";
import { deflateRawSync } from "node:zlib";
import { count, expect, openPage } from "./browser.mjs";

const [site, root, ...parts] = process.argv.slice(2);
const bowl = readFileSync(`${root}/scenes/bowl.json`, "utf8");
const link = (text) => `#s=${deflateRawSync(text).toString("base64url")}`;

/** A tetrahedron as a binary STL, 80 mm wide. */
function stl() {
  const corners = [[0, 0, 0], [80, 0, 0], [40, 70, 0], [40, 25, 50]], faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
  const bytes = Buffer.alloc(84 + 50 * faces.length);
  bytes.writeUInt32LE(faces.length, 80);
  faces.forEach((face, i) => face.forEach((corner, j) => corners[corner].forEach((value, k) =>
    bytes.writeFloatLE(value, 84 + 50 * i + 12 + 12 * j + 4 * k))));
  return bytes;
}

/** Whether the picture has more than one colour: [number of colours, share of reddish pixels]. */
async function colours(page) {
  const shot = await page.locator("#view").screenshot();
  return page.evaluate(async (code) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${code}`)).blob()).catch(() => null);
    if (!image) return null;
    const canvas = new OffscreenCanvas(image.width, image.height), context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height), seen = new Set();
    let red = 0;
    for (let i = 0; i < data.length; i += 4) {
      seen.add((data[i] >> 3) * 1024 + (data[i + 1] >> 3) * 32 + (data[i + 2] >> 3));
      red += data[i] > 90 && data[i] > 2 * data[i + 1];
    }
    return [seen.size, (4 * red) / data.length];
  }, shot.toString("base64"));
}

const all = {
  async pour({ page, go, wait, data, message, told }) {
    const before = told.sent;
    await go("#scene=bowl");
    const first = await wait(({ drawn, frame }) => drawn && frame > 0, "a picture");
    console.log(`bowl: first picture after ${first.drawn} ms, ${((told.sent - before) / 1e6).toFixed(2)} MB sent, ${first.threads} threads`);
    expect(Number(first.threads) >= 2, "the isolated page has no threads");
    await page.click("#play");
    await page.evaluate(() => playground.send("hash"));
    const still = await wait(({ hash }) => hash, "a hash");
    const box = await page.locator("#view").boundingBox();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 3];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await wait(({ acted }) => acted?.startsWith("pour "), "the tool");
    const rate = Number((await data()).acted.split(" ")[5]);
    const from = Number((await data()).poured);
    await page.evaluate(() => playground.send("step", { frames: 6 }));
    const poured = await wait(({ frame }) => Number(frame) >= Number(still.frame) + 6, "six frames");
    await page.mouse.up();
    const scene = JSON.parse(bowl), own = scene.sources?.[0]?.rate ?? 0;
    const wanted = (rate + own) * 6 * (scene.frame_time ?? 1 / 60), got = Number(poured.poured) - from;
    expect(Math.abs(got - wanted) < 0.02 * wanted, `pouring raised the volume by ${got} m³, it should be ${wanted}`);
    expect((await message()) === "", `the page says: ${await message()}`);
  },

  async share({ page, go, wait }) {
    await go("#scene=bowl");
    const first = await wait(({ start, drawn }) => start && drawn, "the scene");
    await page.click("#share-button");
    const { link: shared } = await wait(({ link: made }) => made, "the link");
    await go(new URL(shared).hash);
    const again = await wait(({ start }) => start, "the shared scene");
    expect(again.start === first.start, `the shared scene starts at ${again.start}, not ${first.start}`);
    await page.click("#play");
    await page.evaluate(() => playground.send("restart"));
    await page.evaluate(() => { playground.send("play", { on: false }); playground.send("restart"); playground.send("step", { frames: 10 }); playground.send("hash"); });
    const golden = /^bowl 10 ([0-9a-f]{16})/m.exec(readFileSync(`${root}/tests/golden.txt`, "utf8"))[1];
    const done = await wait(({ hash, frame }) => hash && Number(frame) >= 10, "ten frames");
    expect(done.hash === golden, `ten frames of the shared scene give ${done.hash}, not ${golden}`);
  },

  async files({ page, go, wait, message }) {
    await go("#scene=bowl");
    await wait(({ drawn }) => drawn, "the scene");
    await page.setInputFiles("#file", { name: "hill.stl", mimeType: "model/stl", buffer: stl() });
    await wait(({ scene, frame }) => scene?.startsWith("hill") && Number(frame) > 2, "the dropped mesh as ground");
    const broken = [["a.stl", "solid nothing"], ["b.png", "no picture"], ["c.json", '{"grid": '], ["d.rnl", "x"], ["e.obj", "f 1 2 3"],
      ["f.tif", "II*\0\0"], ["g.txt", ""]];
    for (const [name, content] of broken) {
      await page.evaluate(() => document.getElementById("message-close").click());
      await page.setInputFiles("#file", { name, mimeType: "", buffer: Buffer.from(content) });
      for (let i = 0; i < 400 && !(await message()); i++) await page.waitForTimeout(25);
      expect((await message()).length > 15, `${name}: there is no message`);
    }
    await wait(({ scene }) => scene?.startsWith("hill"), "the scene from before");
  },

  async links({ go, wait, message, page }) {
    const good = link(JSON.stringify({ name: "bowl", scene: JSON.parse(bowl) }));
    const bad = [good.slice(0, good.length / 2), "#s=%%%", link("[]"), link('{"scene": {"grid": {"cells": [1e9, 1e9]}}}'),
      link('{"scene": {"terrain": {"file": "/etc/passwd"}}}'), link("x".repeat(2 << 20)), "#scene=../../x"];
    for (const fragment of bad) {
      await go(fragment);
      for (let i = 0; i < 400 && !(await message()) && fragment !== bad[6]; i++) await page.waitForTimeout(25);
      if (fragment !== bad[6]) expect((await message()).length > 15, `${fragment.slice(0, 40)}: there is no message`);
    }
    await wait(({ scene }) => scene === "vertebra", "the first scene in place of a broken link");
  },

  async labels({ page, go, wait }) {
    await go("#scene=bowl");
    await wait(({ drawn }) => drawn, "the scene");
    await page.click("#play");
    const axe = readFileSync(new URL("../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
    await page.evaluate(axe);
    const check = async (where) => {
      const { violations } = await page.evaluate(() => axe.run());
      expect(violations.length === 0, `${where}: ${violations.map(({ id, nodes }) => `${id} (${nodes[0].html.slice(0, 120)})`).join("; ")}`);
    };
    await check("the page");
    await page.click("#scenes-button");
    expect(await page.locator("#cards button").count() > 30, "the gallery has too few scenes");
    await check("the gallery");
    await page.keyboard.press("Escape");
    await page.click("#files-button");
    await check("the files");
    await page.keyboard.press("Escape");
    await page.selectOption("#overlay", "1");
    await page.evaluate(() => { const slider = document.getElementById("viscosity"); slider.value = -3; slider.dispatchEvent(new Event("input")); });
    await wait(({ acted }) => acted?.startsWith("set liquid.viscosity=1.0000e-3"), "the slider");
  },
};

let failed = 0;
for (const name of parts.length ? parts : Object.keys(all)) {
  const opened = await openPage(site);
  try {
    await all[name](opened);
    const odd = opened.problems.filter((text) => !/GPU stall|swiftshader|GroupMarkerNotSet/i.test(text));
    expect(odd.length === 0, `the console says: ${odd.slice(0, 3).join(" | ")}`);
  } catch (error) {
    failed++;
    console.log(`${name}: ${error.message}`);
  }
  await opened.close();
}
console.log(failed ? `${failed} parts failed` : `the page passes ${count()} checks`);
process.exit(failed ? 1 : 0);
