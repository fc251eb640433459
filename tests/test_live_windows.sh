#!/bin/bash
# The examples that run a scene live in a window open one, draw, take keys and close, in 150 lines each.   tests/test_live_windows.sh BUILD SCENES
set -euo pipefail
build=$(realpath "$1") scenes=$(realpath "$2") here=$(dirname "$(realpath "$0")")
command -v xvfb-run >/dev/null || { echo "there is no xvfb-run"; exit 77; }
tried=0
for name in glfw sdl; do
    program=$build/live-$name
    [ -x "$program" ] || continue
    tried=1
    lines=$(cat "$here/../examples/live.h" "$here/../examples/live_$name.c" | wc -l)
    [ "$lines" -le 150 ] || { echo "live_$name.c and live.h have $lines lines"; exit 1; }
    # Also while it is minimised, in its first frames.
    xvfb-run -a -s "-screen 0 1280x800x24" timeout 50 env LD_PRELOAD="${ZERO_SIZE:-}" "$program" "$scenes/bowl.json" 8
    xvfb-run -a -s "-screen 0 1280x800x24" timeout 50 python3 "$here/live_keys.py" "$program" "$scenes/u-tube.json"
    # Bad input is answered by a sentence, with the window already open.
    said=$(xvfb-run -a -s "-screen 0 1280x800x24" timeout 50 "$program" "$scenes/none.json" 8 2>&1) && exit 1
    grep -q "none.json" <<<"$said" || { echo "live-$name says: $said"; exit 1; }
done
[ "$tried" = 1 ] || { echo "neither GLFW nor SDL2 was there when this was built"; exit 77; }
said=$(env -u DISPLAY -u WAYLAND_DISPLAY "$build/live-glfw" "$scenes/bowl.json" 2>&1) && exit 1
grep -q "display" <<<"$said"
