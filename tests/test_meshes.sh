#!/bin/bash
# The meshes in scenes/meshes are those that tools/meshes/make.c makes, byte for byte.
#   usage: test_meshes.sh MAKE-MESHES REPOSITORY
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$1" "$2/scenes" "$scratch" >/dev/null
diff -r "$scratch" "$2/scenes/meshes" || {
    echo "scenes/meshes is not what is made now; if that is meant: build/make-meshes scenes scenes/meshes" >&2
    exit 1
}
