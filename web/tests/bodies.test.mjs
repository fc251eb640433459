// Bodies that Rapier moves: joints hold, and what rests sleeps until something wakes it. In node.
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const site = process.env.RUNNEL_SITE ?? join(dirname(fileURLToPath(import.meta.url)), "../../build/web/site");
const skip = !existsSync(join(site, "vendor/rapier.js")) && `${site} is not built (make web)`;
const copy = mkdtempSync(join(tmpdir(), "runnel-rapier-"));
after(() => rmSync(copy, { recursive: true }));

/** The package with Rapier; calls: how often the engine was asked for what. */
async function start() {
  mkdirSync(join(copy, "vendor"));
  writeFileSync(join(copy, "package.json"), '{"type": "module"}');
  for (const file of ["rapier-engine.js", "vendor/rapier.js"]) cpSync(join(site, file), join(copy, file));
  const { startRapier } = await import(pathToFileURL(join(copy, "rapier-engine.js")));
  const { load } = await import(pathToFileURL(join(site, "../package/index.js")));
  const runnel = await load(), calls = {};
  await startRapier({ setEngine: (make) => runnel.setEngine((memory) => new Proxy(make(memory), {
    get: (engine, name) => engine[name] && ((...words) => ((calls[name] = (calls[name] ?? 0) + 1), engine[name](...words))),
  })) });
  return { runnel, calls };
}
const { runnel, calls } = skip ? {} : await start();

/** A floor of 6 x 6 m, dry. */
const floor = (bodies, joints = [], more = {}) => runnel.open({
  grid: { cells: [30, 30], cell: 0.2 }, solid: { type: "plane", at: [0, 0, 0] }, liquid: "water", bodies, joints, ...more });
const cube = (name, at, more = {}) => ({ name, shape: { type: "box", size: [0.3, 0.3, 0.3] }, density: 500, at, ...more });
const run = (scene, frames) => {
  for (let i = 0; i < frames; i++) scene.step();
  return scene;
};
const away = (a, b) => Math.hypot(...a.map((value, i) => value - b[i]));
const near = (value, wanted, off, what) => assert.ok(Math.abs(value - wanted) <= off, `${what}: ${value}, not ${wanted}`);

test("joints hold bodies to the ground and to each other", { skip }, () => {
  const bar = { shape: { type: "box", size: [1, 0.1, 0.1] }, density: 500 };
  const scene = floor([
    cube("hung", [2, 1, 3]),
    { ...bar, name: "down", at: [2, 3, 3] },
    { ...bar, name: "up", at: [2, 5, 3] },
    cube("lift", [4, 1, 3], { turn: [0, 0, 30] }),
    cube("one", [4, 4, 3], { turn: [20, 0, 0] }),
    cube("two", [4.6, 4, 3], { turn: [0, 40, 10] }),
  ], [
    { type: "ball", body: "hung", at: [1, 1, 3] },
    { type: "hinge", body: "down", at: [1.5, 3, 3], axis: [0, 1, 0], limits: [-10, 30] },
    { type: "hinge", body: "up", at: [1.5, 5, 3], axis: [0, -1, 0], limits: [-20, 40] },
    { type: "slider", body: "lift", axis: [0, 0, 2], limits: [-0.5, 1] },
    { type: "fixed", body: "one", to: "two" },
  ]);
  for (let i = 0; i < 180; i++) {
    scene.step();
    near(away(scene.body(0).at, [1, 1, 3]), 1, 0.02, "the ball holds its body 1 m away");
    near(away(scene.body(4).at, scene.body(5).at), 0.6, 0.02, "the fixed bodies stay apart");
  }
  // As with ODE: a rotation about y by +30 degrees turns the bar's end downwards, and one about -y by -20 degrees does.
  for (const [body, angle] of [[1, 30], [2, 20]]) {
    const { at } = scene.body(body);
    near((Math.atan2(3 - at[2], at[0] - 1.5) * 180) / Math.PI, angle, 2, `the hinge of body ${body} ends`);
    near(at[1], [3, 5][body - 1], 0.02, "it stays in its plane");
  }
  near(scene.body(3).at[2], 2.5, 0.02, "the slider ends");
  near(away(scene.body(3).at.slice(0, 2), [4, 1]), 0, 0.01, "it does not leave its line");
  scene.close();
});

test("bodies of different rotations are joined about one axis", { skip }, () => {
  const scene = floor([
    cube("held", [3, 3, 3], { turn: [0, 0, 50] }),
    cube("swings", [3.5, 3, 3], { turn: [70, 0, 0] }),
  ], [
    { type: "fixed", body: "held" },
    { type: "hinge", body: "swings", to: "held", at: [3.2, 3, 3], axis: [0, 1, 0] },
  ]);
  const most = { swing: 0 };
  for (let i = 0; i < 120; i++) {
    scene.step();
    const { at } = scene.body(1);
    near(at[1], 3, 0.01, "it swings in its plane");
    near(away(at, [3.2, 3, 3]), 0.3, 0.02, "around the hinge");
    most.swing = Math.max(most.swing, 3 - at[2]);
  }
  assert.ok(most.swing > 0.25, `it swings ${most.swing} m down`);
  near(away(scene.body(0).at, [3, 3, 3]), 0, 0.01, "the other is held");
  scene.close();
});

test("a wrong joint is refused with a sentence", { skip }, () => {
  assert.throws(() => floor([cube("a", [3, 3, 1])], [{ type: "hinge", body: "a", axis: [0, 0, 0] }]), /axis/);
});

/** A crate that has come to rest and sleeps. */
function sleeper(more = {}) {
  const scene = run(floor([cube("crate", [3, 3, 0.4])], [], more), 150);
  const before = { ...calls };
  run(scene, 10);
  assert.equal(calls.force, before.force, "it gets no forces");
  assert.equal(calls.pose, before.pose, "its pose is not asked for");
  return scene;
}
const wakes = (scene, frames) => {
  const { force } = calls;
  run(scene, frames);
  assert.ok(calls.force > force, "it is awake");
};

test("a crate at rest sleeps, and wakes when the user drags it, tilts gravity or drops another on it", { skip }, () => {
  for (const [action, frames] of [["drag 0 3.5 3 1", 3], ["set gravity=[2, 0, -9.6]", 3]]) {
    const scene = sleeper();
    scene.act(action);
    wakes(scene, frames);
    scene.close();
  }
  const scene = sleeper();
  scene.addBody(cube("another", [3.1, 3, 1.2]));
  const { at } = scene.body(0);
  run(scene, 60);
  assert.ok(away(scene.body(0).at, at) > 1e-4, "it was hit");
  scene.close();
});

test("water wakes a sleeping crate, and it floats away", { skip }, () => {
  const scene = sleeper();
  scene.act("pour 1 1 0.2 0.5 10");
  wakes(scene, 200);
  assert.ok(scene.body(0).at[2] > 0.25, `it floats at ${scene.body(0).at[2]} m`);
  scene.close();
});
