#!/bin/bash
# The package as npm packs it, installed in a clean folder: the example of its README prints what the README says, the types fit, and
# vite bundles it.   usage: package.sh PACKAGE ROOT
set -euo pipefail
package=$(realpath "$1")
root=$(realpath "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
npm pack --silent "$package" >/dev/null
tar tzf ./*.tgz | grep -q 'package/dist/runnel.wasm' || { echo "the package lacks dist/runnel.wasm" >&2; exit 1; }
mkdir app && cd app
echo '{"name": "app", "private": true, "type": "module"}' >package.json
npm install --silent --offline --no-audit --no-fund ../*.tgz

# The README's example prints what the README says.
block() { sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" node_modules/@runnel-liquid/core/README.md | sed '1d;$d'; }
block js >example.js
block text >wanted
node example.js >out
[ -s wanted ] && diff wanted out >&2 || { echo "README.md: the example does not print what it should (above)" >&2; exit 1; }

# The types: a right use compiles, a wrong one does not.
cat >right.ts <<'TS'
import { canUseThreads, load, type Scene } from "@runnel-liquid/core";
const runnel = await load({ threads: canUseThreads() ? 2 : 1 });
const scene: Scene = runnel.open({ grid: { cells: [10, 10], cell: 0.01 } }, { name: "x" });
scene.step();
const depths: Float32Array = scene.field("depth").data;
export const sum: number = depths.length + scene.mesh("surface").vertexCount + scene.numbers().present;
TS
sed 's/scene.step()/scene.stepp()/' right.ts >wrong.ts
tsc=("$root/web/node_modules/.bin/tsc" --noEmit --strict --target esnext --module nodenext --moduleResolution nodenext)
told=$("${tsc[@]}" right.ts wrong.ts) && { echo "index.d.ts: a wrong use compiles" >&2; exit 1; }
! grep -v '^wrong\.ts(' <<<"$told" || { echo "index.d.ts: a right use does not compile" >&2; exit 1; }
grep -q stepp <<<"$told" || { echo "index.d.ts: a wrong use fails for another reason: $told" >&2; exit 1; }

echo '<!doctype html><script type="module" src="example.js"></script>' >index.html
"$root/web/node_modules/.bin/vite" build --logLevel error --target esnext
ls dist/assets/*.wasm >/dev/null || { echo "vite left out the module" >&2; exit 1; }
lines=$(wc -l <"$root/web/examples/three.html")
[ "$lines" -lt 100 ] || { echo "the example with three.js has $lines lines" >&2; exit 1; }
echo "the package works in a clean folder, in node and with vite"
