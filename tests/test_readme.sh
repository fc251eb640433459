#!/bin/sh
# The README's hello world is examples/hello.c, word for word, and that of docs/bodies.md examples/bodies.c. The README leads to
# every page of docs. CITATION.cff has the version.
set -eu
cd "$1"
first() { awk '/^```c$/ {on = !seen; seen = 1; next} /^```$/ {on = 0} on' "$1"; }
first README.md | diff - examples/hello.c && echo "the README's hello world is examples/hello.c"
first docs/bodies.md | diff - examples/bodies.c && echo "that of docs/bodies.md is examples/bodies.c"
for page in docs/*.md docs/gallery/README.md; do
    grep -qF "($page)" README.md || { echo "README.md has no link to $page" >&2; exit 1; }
done
version=$(sed -n 's/^project(runnel VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
grep -qx "version: $version" CITATION.cff || { echo "CITATION.cff has another version than $version" >&2; exit 1; }
