#!/bin/bash
# web/make-posters draws the scenes that lack the poster of the web page or that of the chooser, and no others.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{web/site/posters,scenes/posters,bin}
cp "$here/../web/make-posters" "$work/web"
touch "$work"/scenes/{both,no-png,no-webp,neither,schema}.json "$work"/web/site/posters/{both,no-png}.webp \
    "$work"/scenes/posters/{both,no-webp}.png
echo >"$work/web/gallery.py"
printf '#!/bin/sh\necho "$2" >>"%s/drawn"\n' "$work" >"$work/bin/runnel"
printf '#!/bin/sh\nfor last; do :; done\ntouch "$last"\n' >"$work/bin/ffmpeg"
chmod +x "$work"/bin/*
PATH=$work/bin:$PATH "$work/web/make-posters" runnel
drawn=$(tr '\n' ' ' <"$work/drawn")
[ "$drawn" = "neither no-png no-webp " ] || { echo "posters were drawn of: $drawn"; exit 1; }
for name in both no-png no-webp neither; do
    [ -e "$work/web/site/posters/$name.webp" ] && [ -e "$work/scenes/posters/$name.png" ] || { echo "$name lacks a poster"; exit 1; }
done
