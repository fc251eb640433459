#!/bin/bash
# Every header of src/kernels compiles alone as C++. tests/kernel_values.c, which test_kernels compares as C and as C++,
# calls every function that they have, and compiles for a GPU where nvcc is installed.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
cd "$here"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null || true)
did=0

for header in src/kernels/*.h; do
    printf '#include "%s"\n' "${header#src/}" >"$scratch/alone.cpp"
    for compiler in g++ clang++; do
        command -v $compiler >/dev/null || continue
        $compiler -std=c++17 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-unused-function -Werror \
            -I src -fsyntax-only "$scratch/alone.cpp"
        did=1
    done
    for name in $(sed -nE 's/^(RN_KERNEL|RN_SCALAR|RN_INLINE|RN_MENISCUS|static inline) [^(]*(rn_[a-z_]+)\(.*/\2/p' "$header"); do
        grep -q "$name(" tests/kernel_values.c || {
            echo "kernels: $name of $header is not called by tests/kernel_values.c"
            exit 1
        }
    done
    ! grep -nE '^static inline' "$header" || { echo "kernels: $header: use RN_KERNEL or RN_SCALAR, for CUDA"; exit 1; }
done
if [ -n "$nvcc" ]; then
    "$nvcc" -std=c++17 -arch=sm_90 --fmad=false -Werror all-warnings -I src -I tests -x cu \
        -c -o "$scratch/values.o" tests/kernel_values.c
else
    echo "kernels: nvcc is not installed, so nothing was compiled for a GPU"
fi
[ $did = 1 ] || { echo "kernels: no C++ compiler is installed"; exit 77; }
