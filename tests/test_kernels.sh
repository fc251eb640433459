#!/bin/bash
# Every header of src/kernels compiles alone as C++ and, where nvcc is installed, for a GPU; and tests/kernel_values.c,
# which test_kernels compares as C and as C++, calls every function that they have.
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
            -ffp-contract=off -I src -c -o "$scratch/alone.o" "$scratch/alone.cpp"
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
    # 177: a function that is not called.
    for header in src/kernels/*.h; do
        "$nvcc" -std=c++17 -arch=sm_90 --fmad=false -Werror all-warnings -diag-suppress 177 -I src -x cu \
            -c -o "$scratch/alone.o" "$header"
    done
    "$nvcc" -std=c++17 -arch=sm_90 --fmad=false -Werror all-warnings -I src -I tests -x cu \
        -c -o "$scratch/values.o" tests/kernel_values.c
else
    echo "kernels: nvcc is not installed, so nothing was compiled for a GPU"
fi
[ $did = 1 ] || { echo "kernels: no C++ compiler is installed"; exit 77; }
