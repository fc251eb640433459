// What tests of the page share: a server, Chromium, and pages that fail the test if they log an error.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateRawSync } from "node:zlib";
import { serve } from "../serve.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);
/** ms, that a page may take for anything: only a page that hangs fails by it. */
export const LIMIT = 600000;
const PATHS = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The folder of the built site. */
export const SITE = process.env.RUNNEL_SITE ?? join(here, "../../build/web/site");
/** The page with workers that stand in for the simulation. */
export const FAKE = [join(here, "fake"), join(here, "../site"), join(here, ".."), join(here, "../..")];

const chromiumPath = PATHS.find((path) => path && existsSync(path));

const find = (name) => {
  try {
    return require(name);
  } catch {
    return null;
  }
};

/** Why the tests cannot run here; false: they can. */
export const missing = (site) =>
  (!find("playwright-core") && "playwright-core is not installed (npm install in web/)") ||
  (!chromiumPath && "there is no Chromium") ||
  (site && !existsSync(join(site, "index.html")) && `${site} is not built (make web)`) ||
  false;

/** Starts a server of folders and a browser. */
export async function launch(folders) {
  const server = await serve(folders);
  const browser = await find("playwright-core").chromium.launch({
    executablePath: chromiumPath,
    timeout: LIMIT,
    args: ["--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader", "--disable-dev-shm-usage"],
  });
  return {
    url: server.url,
    browser,
    async close() {
      await browser.close();
      await server.close();
    },
  };
}

/** Opens a page at a fragment, with few pixels, since they are drawn without a GPU. `errors` lists what it logs as errors. */
export async function openPage({ browser, url }, fragment = "", options = {}) {
  const context = await browser.newContext({ viewport: { width: 780, height: 480 }, deviceScaleFactor: 0.5, serviceWorkers: "block", ...options });
  context.setDefaultTimeout(LIMIT);
  const page = await context.newPage();
  // Slow machines may take their time; what waits for the user comes at once.
  await page.addInitScript((limit) => Object.assign(globalThis, { longestOpening: limit, patience: 200 }), LIMIT);
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" && errors.push(`${message.text()} ${message.location().url}`));
  await page.goto(url + fragment);
  return { page, context, errors };
}

/** Waits until a function of the page returns something true. The page's policy forbids Playwright's waitForFunction. */
export async function waitUntil(page, test, argument) {
  const end = Date.now() + LIMIT;
  while (!(await page.evaluate(test, argument))) {
    if (Date.now() > end) throw new Error(`not so after ${LIMIT} ms: ${test}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** Waits until the simulation has reached a frame. */
export const waitForFrame = (page, frame) => waitUntil(page, (least) => Number(document.body.dataset.frame ?? -1) >= least, frame);

/** Waits until the picture shows a frame. */
export const waitForPicture = (page, frame) => waitUntil(page, (least) => Number(document.body.dataset.drawn ?? -1) >= least, frame);

/** Acts, and waits for a picture that "drawn" describes so: one from before may still be on its way. */
export async function waitForDrawn(page, wanted, act) {
  await page.evaluate(() => (globalThis.lastDrawn ??= globalThis.runnelPage.workers.on("drawn", (drawn) => (globalThis.lastDrawn = drawn)) ?? {}));
  await act();
  await waitUntil(page, (values) => Object.entries(values).every(([key, value]) => globalThis.lastDrawn[key] === value), wanted);
}

/** Waits for the title of a scene. */
export const waitForTitle = (page, title) => waitUntil(page, (text) => document.querySelector("#title").textContent.includes(text), title);

/** A volume of the ledger (m³). */
export const volumeOf = (page, row) => page.$eval(`#ledger .${row} td`, (cell) => Number(cell.dataset.value));

/** The last message on the page. */
export async function messageOf(page) {
  await page.waitForSelector("#notices .notice");
  return page.$eval("#notices .notice:last-child p", (p) => p.textContent);
}

/** The fragment of a link to the text of a scene. */
export const linkOf = (text) => `#s=${deflateRawSync(Buffer.from(text)).toString("base64url")}`;

/** Drops files on the page. files: [{name, bytes}] or [{name, size}] for a file of zeros. */
export async function drop(page, files) {
  const data = await page.evaluateHandle((list) => {
    const transfer = new DataTransfer();
    for (const { name, base64, size } of list) {
      const bytes = base64 === undefined ? new Uint8Array(size) : Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
      transfer.items.add(new File([bytes], name));
    }
    return transfer;
  }, files.map(({ name, bytes, size }) => ({ name, size, base64: bytes && Buffer.from(bytes).toString("base64") })));
  await page.dispatchEvent("#picture", "drop", { dataTransfer: data });
}

/** Violations of axe-core, as lines. */
export async function axe(page) {
  const source = await readFile(require.resolve("axe-core/axe.min.js"), "utf8");
  await page.evaluate(source);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  return violations.map(({ id, help, nodes }) => `${id}: ${help} (${nodes.map((node) => node.target.join(" ")).join(", ")})`);
}

/** The bytes of a binary STL of a bowl-like pyramid, 0.1 m wide: closed, with a hollow on top. */
export function hollowStl() {
  const s = 0.1, h = 0.03, low = 0.01, m = s / 2;
  const corners = [[0, 0], [s, 0], [s, s], [0, s]];
  const faces = [];
  for (let i = 0; i < 4; i++) {
    const [a, b] = [corners[i], corners[(i + 1) % 4]];
    faces.push([[...a, h], [...b, h], [m, m, low]]); // the hollow
    faces.push([[...a, 0], [...b, 0], [...b, h]], [[...a, 0], [...b, h], [...a, h]]); // sides
    faces.push([[...b, 0], [...a, 0], [m, m, 0]]); // the bottom
  }
  const bytes = Buffer.alloc(84 + 50 * faces.length);
  bytes.writeUInt32LE(faces.length, 80);
  faces.forEach((face, i) => face.flat().forEach((value, k) => bytes.writeFloatLE(value, 84 + 50 * i + 12 + 4 * k)));
  return bytes;
}

/** The bytes of a TIFF of a hollow: 40 x 30 heights as floats, without compression, 5 m apart. With degrees: a second of arc apart,
    its middle at 60 degrees north. */
export function hollowTiff({ degrees = false } = {}) {
  const [width, height, start] = [40, 30, 8];
  const heights = Float32Array.from({ length: width * height }, (_, i) => 50 + 0.02 * (((i % width) - 20) ** 2 + (Math.floor(i / width) - 15) ** 2));
  const scale = start + heights.byteLength;
  const tags = [
    [256, 3, 1, width], [257, 3, 1, height], [258, 3, 1, 32], [259, 3, 1, 1], [262, 3, 1, 1], [273, 4, 1, start], [277, 3, 1, 1],
    [278, 3, 1, height], [279, 4, 1, heights.byteLength], [339, 3, 1, 3], [33550, 12, 3, scale], [33922, 12, 6, scale + 24],
  ];
  const keys = degrees ? [1, 1, 0, 1, 1024, 0, 1, 2] : []; // the model is geographic
  if (degrees) tags.push([34735, 3, keys.length, scale + 72]);
  const spacing = degrees ? 1 / 3600 : 5;
  const [west, north] = degrees ? [10, 60 + (height / 2) * spacing] : [500000, 4500000];
  const table = scale + 72 + 2 * keys.length;
  const bytes = Buffer.alloc(table + 2 + 12 * tags.length + 4);
  bytes.write("II*\0", "latin1");
  bytes.writeUInt32LE(table, 4);
  heights.forEach((value, i) => bytes.writeFloatLE(value, start + 4 * i));
  keys.forEach((value, i) => bytes.writeUInt16LE(value, scale + 72 + 2 * i));
  [spacing, spacing, 0, 0, 0, 0, west, north, 0].forEach((value, i) => bytes.writeDoubleLE(value, scale + 8 * i));
  bytes.writeUInt16LE(tags.length, table);
  tags.forEach(([tag, type, count, value], i) => {
    const at = table + 2 + 12 * i;
    bytes.writeUInt16LE(tag, at);
    bytes.writeUInt16LE(type, at + 2);
    bytes.writeUInt32LE(count, at + 4);
    bytes.writeUInt32LE(value, at + 8);
  });
  return bytes;
}
