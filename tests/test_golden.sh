#!/bin/bash
# The state of every shipped scene after a few frames, to the bit: runnel run NAME --frames 10 --hash.
# After a change that is meant to change bits: tests/test_golden.sh build/runnel --write
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
program=$1
# EMULATOR: what runs a program of another system. THREADS: all must give the same.
runnel() { ${EMULATOR:-} "$program" "$@"; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export RUNNEL_SCENES=$here/../scenes
for scene in $(runnel scenes --json | python3 -c 'import json,sys; [print(s["name"]) for s in json.load(sys.stdin)["scenes"]]'); do
    for threads in ${THREADS:-1 3}; do
        hash=$(runnel run "$scene" --frames 10 --no-frames --threads $threads --hash --out "$scratch/out" 2>/dev/null | sed -n 's/^hash //p')
        [ $threads = "${THREADS:-1}" ] && echo "$scene $hash" >>"$scratch/found" && continue
        [ "$(tail -n 1 "$scratch/found")" = "$scene $hash" ] || { echo "$scene: $threads threads give $hash" >&2; exit 1; }
    done
done
if [ "${2:-}" = --write ]; then
    cp "$scratch/found" "$here/golden.txt"
else
    diff "$here/golden.txt" "$scratch/found" && echo "$(wc -l <"$scratch/found") scenes give their golden hashes"
fi
