// Puts the static site together: the page, scenes, posters, the reader of GeoTIFF files, and the list of files for the
// service worker.   usage: node web/make-site.mjs OUT
// Modules that were compiled must be in OUT before: the list has them too.
import { createHash } from "node:crypto";
import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const web = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2];
if (!out) {
  console.error("usage: node web/make-site.mjs OUT");
  process.exit(2);
}

await mkdir(join(out, "vendor"), { recursive: true });
await cp(join(web, "site"), out, { recursive: true });
await cp(join(web, "../scenes"), join(out, "scenes"), { recursive: true });
const reader = join(web, "node_modules/geotiff/dist-browser/geotiff.js");
const script = await readFile(reader, "utf8").catch(() => null);
if (script === null) console.error("make-site: web/node_modules has no geotiff; the site will not read GeoTIFF files (npm ci)");
else await writeFile(join(out, "vendor/geotiff.js"), script.replace(/\n\/\/# sourceMappingURL=.*/, ""));

// The page registers the service worker only if it was built.
const page = join(out, "index.html");
await writeFile(page, (await readFile(page, "utf8")).replace("<head>", '<head data-built="yes">'));

const files = (await readdir(out, { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile() && !/^sw(-files)?\.js$|\.map$|\.d\.ts$/.test(entry.name))
  .map((entry) => relative(out, join(entry.parentPath ?? entry.path, entry.name)).split(sep).join("/"))
  .sort();
const hash = createHash("sha256");
for (const file of files) hash.update(file).update(await readFile(join(out, file)));
const later = /^(scenes|posters|vendor)\/|rapier/;
const list = (name, rows) => `const ${name} = ${JSON.stringify(rows, null, 1)};\n`;
await writeFile(
  join(out, "sw-files.js"),
  list("VERSION", hash.digest("hex").slice(0, 16)) +
    list("SHELL", ["./", ...files.filter((file) => !later.test(file))]) +
    list("REST", files.filter((file) => later.test(file))),
);
