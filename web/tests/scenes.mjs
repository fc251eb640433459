// Every scene of the gallery loads in Chromium, runs 60 frames and shows liquid.   node scenes.mjs SITE PICTURES [SCENE...]
import { mkdirSync, readFileSync } from "node:fs";
import { expect, openPage } from "./browser.mjs";

const [site, pictures, ...names] = process.argv.slice(2);
mkdirSync(pictures, { recursive: true });
const { scenes } = JSON.parse(readFileSync(`${site}/scenes/index.json`, "utf8"));
const frames = Number(process.env.FRAMES ?? 60);
const opened = await openPage(site, { width: 900, height: 560 });
let failed = 0;
for (const { name } of scenes.filter((scene) => !names.length || names.includes(scene.name))) {
  try {
    await opened.go(`#scene=${name}`);
    await opened.wait(({ scene, drawn }) => scene === name && drawn, "the scene");
    await opened.page.evaluate((count) => { playground.send("play", { on: false }); playground.send("step", { frames: count }); }, frames);
    const done = await opened.wait(({ frame }) => Number(frame) >= frames, `${frames} frames`);
    expect(Number(done.present) > 0, "there is no liquid");
    await opened.page.locator("#view").screenshot({ path: `${pictures}/${name}.png` });
    expect(opened.problems.length === 0, `the console says: ${opened.problems[0]}`);
  } catch (error) {
    failed++;
    console.log(`${name}: ${error.message}`);
    opened.problems.length = 0;
  }
}
await opened.close();
console.log(failed ? `${failed} scenes failed` : "every scene of the gallery runs and shows liquid");
process.exit(failed ? 1 : 0);
