// Lists the scenes of a site in scenes/index.json, and its files in sw.js.   node index-site.mjs SITE
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

const site = process.argv[2];
// Those that show most come first; adaptive and hydrograph are too large or too slow for a page.
const first = ["vertebra", "bowl", "teapot", "splash", "ducks", "whirlpool", "valley", "puddle", "honey", "drops"];
const left = new Set(["vertebra-mesh"]);

const scenes = readdirSync(join(site, "scenes")).filter((name) => name.endsWith(".json") && name !== "index.json")
  .map((name) => name.slice(0, -5)).filter((name) => !left.has(name))
  .map((name) => ({ name, title: JSON.parse(readFileSync(join(site, "scenes", `${name}.json`), "utf8")).title }));
const rank = ({ name }) => (first.includes(name) ? first.indexOf(name) : first.length);
scenes.sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
const files = [...readdirSync(join(site, "scenes/meshes")).map((name) => `meshes/${name}`), "valley.png"];
writeFileSync(join(site, "scenes/index.json"), JSON.stringify({ scenes, files }));

const walk = (folder) => readdirSync(folder).flatMap((name) => {
  const path = join(folder, name);
  return statSync(path).isDirectory() ? walk(path) : [relative(site, path)];
});
// Kept from the start: the page and the texts of scenes. The rest is kept once it is used.
const later = /^(vendor|posters|scenes\/meshes)\/|\.png$|^package\/dist\/|^sw\.js$/;
const all = walk(site).filter((name) => !later.test(name)).sort();
const hash = createHash("sha256");
for (const name of walk(site).sort()) hash.update(name).update(readFileSync(join(site, name)));
const worker = readFileSync(join(site, "sw.js"), "utf8").replace("@VERSION@", `runnel-${hash.digest("hex").slice(0, 16)}`)
  .replace('["@FILES@"]', JSON.stringify(["./", ...all]));
writeFileSync(join(site, "sw.js"), worker);
