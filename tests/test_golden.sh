#!/bin/bash
# The state of every shipped scene after each of a few frames, to the bit, for several numbers of threads; where it is
# another one, the first frame and column that differ. Scenes with bodies go on until those are in the water.
# Bodies that an engine moves go as tests/poses/SCENE.poses says: runnel run SCENE --frames N --no-render --record-poses FILE
# After a change that is meant to change bits: tests/test_golden.sh build/runnel --write
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
program=$1
bits=${program%runnel*}tests/bits${program##*runnel}
# EMULATOR: what runs a program of another system. THREADS: all must give the same; golden hashes are of one thread, so three
# by themselves tell of both, and RUNNEL_LONG has 1, 2, 3 and 8. FRAMES: no more, where that is slow; LONG_FRAMES: instead of it
# where RUNNEL_LONG is set.
# SCENES: only these. PART=2/3: the second third of them, so that several may run at a time.
runnel() { ${EMULATOR:-} "$program" "$@"; }
bits() { ${EMULATOR:-} "$bits" "$@" --scenes "$here/../scenes" --poses "$here/poses"; }
[ -z "${RUNNEL_LONG-}" ] || [ -z "${LONG_FRAMES-}" ] || export FRAMES=$LONG_FRAMES
export RUNNEL_SCENES=$here/../scenes
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
scenes=$(runnel scenes --json | python3 -c '
import json, os, sys
most = int(os.environ.get("FRAMES", "10000"))
frames = {"dam": 520, "drift": 60, "ducks": 60, "hill": 90, "instrument": 30, "logs": 90,
          "splash": 3, "drip": 6, "honey": 6, "pour": 3, "fig18": 2}
names = [scene["name"] for scene in json.load(sys.stdin)["scenes"]]
chosen = os.environ.get("SCENES", "").split() or names
assert set(chosen) <= set(names), f"there are no scenes {set(chosen) - set(names)}"
part, parts = map(int, os.environ.get("PART", "1/1").split("/"))
names = [name for name in names if name in chosen][part - 1::parts]
print(*[f"{name}:{min(frames.get(name, 10), most)}" for name in names])')

if [ "${2:-}" = --write ]; then
    bits golden "$here/golden.txt" --write --threads 1 $scenes
    exit
fi
bits golden "$here/golden.txt" --threads "${THREADS:-${RUNNEL_LONG:+1,2,}3${RUNNEL_LONG:+,8}}" $scenes

[[ ${PART:-1/1} == 1/* ]] || exit 0
# The command prints the same hash.
hash=$(runnel run passages --frames 10 --no-render --hash --out "$scratch/out" 2>/dev/null | sed -n 's/^hash //p' | tr -d '\r')
grep -q "^passages 10 $hash " "$here/golden.txt" || { echo "runnel run passages --frames 10 --hash gives $hash" >&2; exit 1; }

# A column with one wrong bit is found: against golden prints, and among threads.
for threads in 1 1,2; do
    bits golden "$here/golden.txt" --threads $threads --break 3,0,48,60 passages >"$scratch/broken" && status=0 || status=$?
    [ $status = 1 ] && grep -q "^passages, frame 3:" "$scratch/broken" && grep -q "y 48, x 60" "$scratch/broken" || {
        echo "a broken column was not found:" >&2
        cat "$scratch/broken" >&2
        exit 1
    }
done
