#!/bin/bash
# Bodies of base/wide.h for other machines: WebAssembly's runs in node, those of x86-64 at least compile. What is not
# installed is left out; with nothing left the test counts as skipped (77).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
flags=(-std=gnu17 -Wall -Wextra -Wconversion -Werror -ffp-contract=off -fno-math-errno -ffreestanding -I "$here/../src")
did=0

command -v clang >/dev/null || { echo "wide: clang is not installed"; exit 77; }

for body in "" -mavx2 -DRN_WIDE_PLAIN; do
    if echo "#include <immintrin.h>" | clang --target=x86_64-linux-gnu -ffreestanding -fsyntax-only -x c - 2>/dev/null; then
        clang --target=x86_64-linux-gnu "${flags[@]}" $body -fsyntax-only "$here/wide_checks.c"
        did=1
    fi
done

if command -v wasm-ld >/dev/null && command -v node >/dev/null && clang --print-targets | grep -q wasm32; then
    for level in -O0 -O2; do
        clang --target=wasm32 -msimd128 -nostdlib "${flags[@]}" $level -DWIDE_CHECKS=wide_checks \
            -Wl,--no-entry -Wl,--export=wide_checks -Wl,--export=__heap_base -o "$scratch/wide.wasm" "$here/wide_checks.c"
        node -e '
            const fs = require("fs");
            const wasm = new WebAssembly.Instance(new WebAssembly.Module(fs.readFileSync(process.argv[1]))).exports;
            const lanes = wasm.__heap_base.value, memory = new Uint8Array(wasm.memory.buffer);
            const wrong = wasm.wide_checks(lanes);
            if (wrong) {
                console.error(Buffer.from(memory.slice(wrong, memory.indexOf(0, wrong))).toString());
                process.exit(1);
            }
            if (memory[lanes] !== 4) throw new Error("WebAssembly with " + memory[lanes] + " lanes");
        ' "$scratch/wide.wasm"
    done
    did=1
fi
[ $did = 1 ] || { echo "wide: clang knows no other machine here"; exit 77; }
