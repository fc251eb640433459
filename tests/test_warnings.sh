#!/bin/bash
# clang, which builds the fuzzers, warns of other things than gcc; needs clang.
set -e
command -v clang >/dev/null || exit 77
cd "$(dirname "$0")/.."
gdal=$(pkg-config --cflags gdal 2>/dev/null | sed 's/-I/-isystem /') || gdal=""
for file in $(git ls-files 'src/*.c' 'app/*.c'); do
    case $file in src/io/gdal/*) [ -n "$gdal" ] || continue ;; esac
    clang -fsyntax-only -Werror -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wmissing-prototypes \
        -Wstrict-prototypes -std=c17 -D_DEFAULT_SOURCE -Iinclude -Isrc $gdal \
        -DRN_GDAL_LIBRARY='""' "$file"
done
