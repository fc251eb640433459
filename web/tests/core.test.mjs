// The package in node: what it opens, measures, writes and refuses.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";
import { Memory } from "../package/memory.js";
import { POLICY, serve } from "../serve.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const folder = process.env.RUNNEL_SITE ? join(process.env.RUNNEL_SITE, "../package") : join(root, "build/web/package");
const skip = !existsSync(join(folder, "dist/runnel.wasm")) && `${folder} is not built (make web)`;
const { load } = skip ? {} : await import(pathToFileURL(join(folder, "index.js")));
const runnel = skip ? null : await load();
const bowl = {
  grid: { cells: [60, 60], cell: 0.002 },
  solid: { type: "bowl", radius: 0.05, depth: 0.025, at: [0.06, 0.06, 0] },
  liquid: "water",
  sources: [{ at: [0.05, 0.06, 0.03], radius: 0.006, rate: 1e-5 }],
};
const run = (scene, frames) => {
  for (let i = 0; i < frames; i++) scene.step();
  return scene;
};

test("a volume is what was poured, to the last quantum", { skip }, () => {
  const scene = run(runnel.open(bowl), 20), { present, poured, drift } = scene.numbers();
  assert.equal(drift, 0);
  assert.equal(present, poured);
  const { data, rowStride, cellsX, cellsY } = scene.field("depth");
  let sum = 0;
  for (let y = 0; y < cellsY; y++) for (let x = 0; x < cellsX; x++) sum += data[y * rowStride + x] * 4e-6;
  assert.ok(Math.abs(sum - present) < 1e-6 * present, `the depths add up to ${sum} m³`);
  scene.close();
});

test("meshes are views of the module's memory", { skip }, () => {
  const scene = run(runnel.open(bowl), 5);
  assert.equal(scene.update(), true, "the first update has ground");
  assert.equal(scene.update(), false);
  const { positions, indices, vertexCount } = scene.mesh("surface");
  assert.equal(positions.length, 3 * vertexCount);
  assert.ok(indices.every((index) => index < vertexCount));
  assert.equal(positions.buffer, scene.mesh("ground").positions.buffer);
  scene.close();
});

test("a checkpoint and the text of a scene continue to the bit", { skip }, () => {
  const scene = run(runnel.open(bowl), 5), again = runnel.open(scene.save()), other = run(runnel.open(scene.text()), 5);
  assert.equal(again.hash(), scene.hash());
  assert.equal(other.hash(), scene.hash());
  assert.equal(run(again, 3).hash(), run(scene, 3).hash());
  for (const one of [scene, again, other]) one.close();
});

test("a checkpoint ends the rain, and after it is restored there can be rain again", { skip }, () => {
  const scene = runnel.open({ ...bowl, sources: [] });
  scene.act("rain 1e-3");
  const before = run(scene, 3).numbers().poured;
  assert.ok(before > 0);
  const again = runnel.open(scene.save());
  assert.equal(run(again, 3).numbers().poured, before, "the rain has ended");
  assert.equal(again.hash(), run(scene, 3).hash(), "in both");
  again.act("rain 2e-3");
  const twice = run(again, 3).numbers().poured - before;
  assert.ok(Math.abs(twice - 2 * before) < 1e-3 * before, `${twice} m³ fell, twice ${before} m³`);
  again.act("rain 0");
  const ended = again.numbers().poured;
  assert.equal(run(again, 3).numbers().poured, ended);
  for (const one of [scene, again]) one.close();
});

test("threads of node give the same bits, and meshes that they made while memory grew are whole", { skip }, async () => {
  const many = await load({ threads: 3 });
  assert.equal(many.threads, 3);
  const size = () => many.open({ ...bowl, grid: { cells: [4, 4], cell: 0.03 } }).field("depth").data.buffer.byteLength;
  const before = size();
  const wide = { ...bowl, grid: { cells: [500, 500], cell: 0.00028 } };
  const [one, other] = [runnel, many].map((module) => run(module.open(wide), 2));
  const [own, theirs] = [one, other].map((scene) => (scene.update(), scene.mesh("ground")));
  assert.ok(other.field("depth").data.buffer.byteLength > before, "memory has grown");
  assert.ok(theirs.vertexCount > 100000);
  assert.ok(Buffer.from(theirs.positions.slice().buffer).equals(Buffer.from(own.positions.slice().buffer)), "the ground is the same");
  assert.ok(Buffer.from(theirs.indices.slice().buffer).equals(Buffer.from(own.indices.slice().buffer)));
  assert.equal(other.hash(), one.hash());
  for (const scene of [one, other]) scene.close();
});

test("tiles at rest are counted for every layer that is there now", { skip }, async () => {
  const own = await load(); // that a failure may break
  const flat = { grid: { cells: [400, 400], cell: 0.01, lid: 4 }, solid: { type: "plane", at: [0, 0, 0] }, liquid: "water" };
  const scene = run(own.open(flat), 1), { tilesX, tilesY, layers } = scene.resting();
  assert.equal(layers, 1);
  scene.act("raise 2 2 2 0.5"); // a ball in the air: liquid may lie on it and below it
  const { layers: more, rests } = run(scene, 1).resting();
  assert.equal(more, 2);
  assert.equal(rests.length, 2 * tilesX * tilesY);
  for (let i = 0; i < 20; i++) run(own.open(bowl), 1).close(); // these notice if the list has overwritten what lies behind it
  scene.close();
});

test("nothing is freed in a module that has trapped", () => {
  const freed = [], memory = new Memory({ lengthBytesUTF8: () => 1, stringToUTF8: () => {}, _malloc: () => 8, _free: (address) => freed.push(address) });
  const fails = (error) => assert.throws(() => memory.with(["text"], () => {
    throw error;
  }), error);
  fails(new Error("a wrong text"));
  assert.deepEqual(freed, [8]);
  fails(new WebAssembly.RuntimeError("unreachable"));
  assert.deepEqual(freed, [8], "its memory may be locked for ever");
});

test("actions act, and wrong ones say what would be right", { skip }, () => {
  const scene = run(runnel.open(bowl), 2);
  scene.act("set liquid.viscosity=1e-3");
  assert.equal(scene.describe().liquid.viscosity, 1e-3);
  assert.deepEqual(scene.describe().gravity, [0, 0, -9.81]);
  scene.act("set gravity=[1, 0, -9.75]");
  assert.deepEqual(scene.describe().gravity, [1, 0, -9.75]);
  scene.act("set liquid.contact_angle=50");
  assert.equal(scene.describe().liquid.contact_angle, 50);
  scene.act("suck 0.06 0.06 0 0.01 1e-5");
  assert.ok(run(scene, 5).numbers().drained > 0);
  assert.throws(() => scene.act("poor 1 2 3"), /did you mean "pour"/);
  assert.throws(() => scene.act("pour 1"), /pour X Y Z RADIUS RATE/);
  scene.close();
  assert.throws(() => scene.step(), /closed/);
});

test("files are written, and a mesh becomes ground", { skip }, () => {
  const scene = run(runnel.open(bowl), 2);
  assert.equal(String.fromCharCode(...scene.export("glb")[0].bytes.slice(0, 4)), "glTF");
  assert.equal(String.fromCharCode(...scene.export("ply")[0].bytes.slice(0, 3)), "ply");
  assert.throws(() => scene.export("doc"), /"doc" is not a kind of file/);
  scene.close();
  const { text, files } = runnel.sceneOf("arch.ply", readFileSync(join(root, "scenes/meshes/arch.ply")), { cells: 40 });
  const arch = run(runnel.open(text, { files }), 2);
  assert.ok(arch.numbers().present > 0);
  arch.close();
});

test("meshes and terrains of every kind that the page takes become ground", { skip }, () => {
  const corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
  const lines = (rows, word = "") => rows.map((row) => `${word}${row.join(" ")}\n`).join("");
  const kinds = {
    "a.obj": lines(corners, "v ") + lines(faces.map((face) => face.map((i) => i + 1)), "f "),
    "a.off": `OFF\n4 4 6\n${lines(corners)}${lines(faces, "3 ")}`,
    "a.ply": `ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 4\n` +
      `property list uchar int vertex_indices\nend_header\n${lines(corners)}${lines(faces, "3 ")}`,
    "a.stl": `solid a\n${faces.map((face) => `facet normal 0 0 0\nouter loop\n${lines(face.map((i) => corners[i]), "vertex ")}endloop\nendfacet\n`).join("")}endsolid a\n`,
    "a.asc": `ncols 4\nnrows 4\nxllcorner 0\nyllcorner 0\ncellsize 1\n${"3 1 1 3\n".repeat(4)}`,
    "a.png": readFileSync(join(root, "scenes/valley.png")),
  };
  for (const [name, content] of Object.entries(kinds)) {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content);
    const { text, files } = runnel.sceneOf(name, bytes, { cells: 30 }), scene = run(runnel.open(text, { files }), 1);
    assert.ok(scene.update(), name);
    const { positions } = scene.mesh("ground"), heights = positions.filter((_, i) => i % 3 === 2);
    assert.ok(Math.max(...heights) > Math.min(...heights), `${name}: the ground is not flat`);
    scene.close();
  }
});

test("what cannot be opened is named, with what would be right", { skip }, () => {
  assert.throws(() => runnel.open('{"grid": '), /^Error: scene\.json:1:9: this is not valid JSON/);
  assert.throws(() => runnel.open({ grid: { cells: [1e9, 1] } }), /"grid.cells.0" is 1000000000; it must be from 1 to 65536/);
  assert.throws(() => runnel.open(new Uint8Array([1, 2, 3])), /scene\.rnl/);
  assert.throws(() => runnel.sceneOf("a.stl", new TextEncoder().encode("solid nothing")), /a\.stl: is cut short/);
  assert.throws(() => runnel.sceneOf("a.obj", new TextEncoder().encode("f 1 2 3")), /a\.obj/);
});

test("a package without its WebAssembly file is refused, and the process lives", { skip }, () => {
  const copy = mkdtempSync(join(tmpdir(), "runnel-package-"));
  cpSync(folder, copy, { recursive: true });
  for (const file of ["runnel", "runnel-threads"]) rmSync(join(copy, `dist/${file}.wasm`));
  const script = `import { load } from ${JSON.stringify(pathToFileURL(join(copy, "index.js")))};
    for (const threads of [1, 2]) await load({ threads }).catch(({ code }) => console.log(code));
    await new Promise((done) => setTimeout(done, 50));
    console.log("lives");`;
  const said = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  assert.equal(said, "ENOENT\nENOENT\nlives\n");
  rmSync(copy, { recursive: true });
});

test("what the page keeps at once is at most 1.5 MB as it is served, and what it loads is 0.9 MB", { skip }, (t) => {
  const site = join(folder, "../site");
  const shell = JSON.parse(/const SHELL = (\[[^\]]*\])/.exec(readFileSync(join(site, "sw-files.js"), "utf8"))[1]);
  const module = /^package\/dist\/runnel(-threads)?\./;
  const sizes = shell.filter((file) => file !== "./").map((file) => {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 7 }; // as web/serve.mjs
    return { file, bytes: brotliCompressSync(readFileSync(join(site, file)), { params }).length };
  });
  const sumOf = (rows) => rows.reduce((sum, { bytes }) => sum + bytes, 0);
  const [rest, modules] = [false, true].map((wanted) => sizes.filter(({ file }) => module.test(file) === wanted));
  const [many, one] = ["-threads", ""].map((kind) => sumOf(modules.filter(({ file }) => file.includes("-threads") === (kind !== ""))));
  t.diagnostic(`compressed: ${sumOf(rest)} bytes, ${many} of the module with threads, ${one} of the module without`);
  assert.ok(sizes.length > 30, `${sizes.length} files`);
  assert.ok(many > 3e5 && one > 3e5, "there are two modules");
  assert.ok(sumOf(rest) + Math.max(many, one) <= 0.9e6, `${sumOf(rest)} bytes and ${many} or ${one}`);
  assert.ok(sumOf(sizes) <= 1.5e6, `${sumOf(sizes)} bytes are kept`);
});

test("the server sends the headers that threads need, and a policy without inline code or other sites", { skip }, async () => {
  const server = await serve([join(folder, "../site")]);
  try {
    const { headers } = await fetch(server.url);
    assert.equal(headers.get("cross-origin-opener-policy"), "same-origin");
    assert.equal(headers.get("cross-origin-embedder-policy"), "require-corp");
    assert.equal(headers.get("content-security-policy"), POLICY);
    const page = await (await fetch(`${server.url}index.html`)).text(), own = /Content-Security-Policy" content="([^"]*)"/.exec(page)[1];
    for (const policy of [POLICY, own]) {
      assert.match(policy, /default-src 'none'/);
      assert.match(policy, /script-src 'self' 'wasm-unsafe-eval';/);
      assert.match(policy, /connect-src 'self';/);
      assert.doesNotMatch(policy, /unsafe-inline|unsafe-eval'? 'unsafe|https?:|\*/);
    }
    assert.equal((await fetch(`${server.url}..%2f..%2fpackage.json`)).status, 404);
  } finally {
    await server.close();
  }
});
