#!/bin/bash
# The npm package and the page, as tools/build-web made them.   usage: test_web.sh FOLDER PART
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$1
part=$2
[ -e "$folder/site/index.html" ] || { echo "there is no $folder/site: make web" && exit 77; }
command -v node >/dev/null || { echo "there is no node: tools/setup web" && exit 77; }
tests=$root/web/tests
export RUNNEL_SITE=$folder/site

# What needs a browser is skipped where there is none.
case $part in
core | hashes* | package) ;;
*)
    node --input-type=module -e "import { missing, SITE } from '$tests/browser.mjs';
        const why = missing(SITE);
        if (why) { console.log(why); process.exit(77); }"
    ;;
esac

case $part in
hashes) # a scene of each kind, a few frames: layers, passages, packets, 3D, bodies
    node "$tests/hashes.mjs" "$folder/package" "$root" bowl:3 passages:3 valley:2 whirlpool:3 culvert:3 three-layers:3 ducks:3 \
        puddle:3 drip:1 incline:3 ;;
hashes-all)
    node "$tests/hashes.mjs" "$folder/package" "$root"
    THREADS=3 node "$tests/hashes.mjs" "$folder/package" "$root" ;;
package) bash "$tests/package.sh" "$folder/package" "$root" ;;
core) node --test "$tests/core.test.mjs" "$tests/bodies.test.mjs" ;;
bits | alone | looks | page | files | life | offline | scenes) node --test "$tests/$part.test.mjs" ;;
bits-all | scenes-all) NIGHTLY=1 node --test "$tests/${part%-all}.test.mjs" ;;
speed) node "$tests/speed.mjs" "$folder/package" "$(dirname "$folder")/runnel" ;;
esac
