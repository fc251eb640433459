#!/bin/sh
# The README's hello world is examples/hello.c, word for word.
set -eu
cd "$1"
awk '/^```c$/ {on = 1; next} /^```$/ {on = 0} on' README.md | diff - examples/hello.c && echo "the README's hello world is examples/hello.c"
