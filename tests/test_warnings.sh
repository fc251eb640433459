#!/bin/bash
# clang, which builds the fuzzers, warns of other things than gcc; needs clang.
set -e
command -v clang >/dev/null || exit 77
cd "$(dirname "$0")/.."
# Headers of libraries that not every machine has, and where Debian keeps those of NIfTI.
has() { echo "#include <$1>" | clang -fsyntax-only -isystem /usr/include/nifti -x c - 2>/dev/null; }
for file in $(git ls-files 'src/*.c' 'app/*.c'); do
    case $file in
    src/io/nifti/*) has nifti2_io.h || continue ;;
    src/io/teem/*) has teem/nrrd.h || continue ;;
    src/io/nanovdb/*) has nanovdb/PNanoVDB.h || continue ;;
    esac
    clang -fsyntax-only -Werror -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wmissing-prototypes \
        -Wstrict-prototypes -std=c17 -D_DEFAULT_SOURCE -Iinclude -Isrc -isystem /usr/include/nifti "$file"
done
