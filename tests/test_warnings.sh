#!/bin/bash
# clang warns of other things than gcc; needs clang. What the fuzzers link it compiles with the same warnings in make fuzz, so
# these are left out unless RUNNEL_LONG is set.
set -e
command -v clang >/dev/null || exit 77
cd "$(dirname "$0")/.."
gdal=$(pkg-config --cflags gdal 2>/dev/null | sed 's/-I/-isystem /') || gdal=""
libraries="$gdal -isystem /usr/include/nifti"
# Headers of libraries that not every machine has.
has() { echo "#include <$1>" | clang -E $libraries -x c - >/dev/null 2>&1; }
has gdal.h && libraries="$libraries -DRN_GDAL_LIBRARY=\"\""
has assimp/scene.h && libraries="$libraries -DRN_ASSIMP_LIBRARY=\"\""
has netcdf.h && libraries="$libraries -DRN_NETCDF_LIBRARY=\"\""
has ode/ode.h && libraries="$libraries -DRN_ODE_LIBRARY=\"\""
sources="src/cuda/*.c src/*/no_*/*.c app/*.c"
[ -z "${RUNNEL_LONG-}" ] || sources="src/*.c app/*.c"
set -f # git knows what is meant
for file in $(git ls-files $sources); do
    more=""
    case $file in
    src/cuda/machine_ptx.c) continue ;; # clang for another machine: tools/make-ptx
    src/cuda/driver.c) more='-DRN_CUDA_PTX="/dev/null" -Wno-pedantic' ;;
    src/cuda/device.c | src/cuda/*_only.c | src/cuda/machine_threads.c | src/cuda/linked_step.c | src/cuda/plain_*.c | src/cuda/solve.c | src/cuda/surface_program.c) more="-DRN_GPU -DRN_WIDE_PLAIN" ;;
    app/view/window/*) has GLFW/glfw3.h || continue ;;
    src/io/read/assimp/*) has assimp/scene.h || continue ;;
    src/io/read/gdal/*) has gdal.h || continue ;;
    src/adapters/ode/*) has ode/ode.h || continue ;;
    src/io/read/nifti/*) has nifti2_io.h || continue ;;
    src/io/read/teem/*) has teem/nrrd.h || continue ;;
    src/io/read/nanovdb/*) has nanovdb/PNanoVDB.h || continue ;;
    esac
    clang -fsyntax-only -Werror -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wmissing-prototypes \
        -Wstrict-prototypes -std=c17 -D_DEFAULT_SOURCE -Iinclude -Isrc -Iapp $libraries $more "$file"
done
