// A browser with the page, for tests. Nothing here waits for a fixed time; limits are only against hanging.
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import { serve } from "../serve.mjs";

const LIMIT = 50000; // ms

/** Opens the page. Resolves to { page, go, data, wait, problems, told, close }; problems collects what the console reports. */
export async function openPage(site, { isolated = true, width = 520, height = 420, ...rest } = {}) {
  const server = await serve(site, { isolated });
  const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync);
  const browser = await chromium.launch({ executablePath,
    args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"] });
  const context = await browser.newContext({ viewport: { width, height }, acceptDownloads: true, ...rest });
  const page = await context.newPage(), problems = [];
  page.setDefaultTimeout(LIMIT);
  page.on("console", (message) => { if (["error", "warning"].includes(message.type())) problems.push(message.text()); });
  page.on("pageerror", (error) => problems.push(error.message));
  const data = () => page.evaluate(() => ({ ...document.body.dataset }));
  const message = () => page.evaluate(() => (document.getElementById("message").hidden ? "" : document.getElementById("message-text").textContent));
  /** Waits until `fine` is true of the page's data. */
  const wait = async (fine, what = fine.toString()) => {
    for (const end = Date.now() + LIMIT; Date.now() < end; await new Promise((done) => setTimeout(done, 50))) {
      const now = await data();
      if (fine(now)) return now;
    }
    throw new Error(`waited in vain for ${what}; the page says: ${await message()} ${JSON.stringify(await data())}`);
  };
  const go = async (fragment = "") => {
    await page.goto("about:blank");
    await page.goto(server.url + fragment);
  };
  return { page, go, data, wait, message, problems, told: server.told, url: server.url,
    close: async () => { await browser.close(); server.close(); } };
}

let checks = 0;
export function expect(fine, sentence) {
  checks++;
  if (!fine) throw new Error(sentence);
}
export const count = () => checks;
