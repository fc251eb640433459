// Lists the files of a site for its service worker, in sw-files.js, and marks its page as built: only then does the page
// register the service worker.   usage: node web/list-site.mjs SITE
import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";

const out = process.argv[2];
if (!out) {
  console.error("usage: node web/list-site.mjs SITE");
  process.exit(2);
}

const page = join(out, "index.html");
await writeFile(page, (await readFile(page, "utf8")).replace("<head>", '<head data-built="yes">'));

const files = (await readdir(out, { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile() && !/^sw(-files)?\.js$|\.map$|\.d\.ts$/.test(entry.name))
  .map((entry) => relative(out, join(entry.parentPath ?? entry.path, entry.name)).split(sep).join("/"))
  .sort();
const hash = createHash("sha256");
for (const file of files) hash.update(file).update(await readFile(join(out, file)));
const later = /^(scenes|posters|vendor)\/|rapier/; // no module: a page must never get that of another version
const list = (name, rows) => `const ${name} = ${JSON.stringify(rows, null, 1)};\n`;
await writeFile(
  join(out, "sw-files.js"),
  list("VERSION", hash.digest("hex").slice(0, 16)) +
    list("SHELL", ["./", ...files.filter((file) => !later.test(file))]) +
    list("REST", files.filter((file) => later.test(file))),
);
