#!/bin/bash
# The meshes in scenes/meshes are those that tools/meshes/make.c and moving.c make, byte for byte.
#   usage: test_meshes.sh MAKE-MESHES MAKE-MOVING-MESHES REPOSITORY
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$1" "$3/scenes" "$scratch" >/dev/null
"$2" "$scratch" >/dev/null
diff -r "$scratch" "$3/scenes/meshes" || {
    echo "scenes/meshes is not what is made now; if that is meant: build/make-meshes scenes scenes/meshes," >&2
    echo "build/make-moving-meshes scenes/meshes" >&2
    exit 1
}
