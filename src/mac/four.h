/* Four floats that are processed together, on every machine: one value of four particles, or four values of one.
   Loops that write to the grid use them instead of rn_wide, because particles that follow each other often write to the
   same faces. */
#ifndef RN_MAC_FOUR_H
#define RN_MAC_FOUR_H

#include "base/inline.h"

#include <stdint.h>

typedef float rn_four __attribute__((vector_size(16)));
typedef int32_t rn_four_ints __attribute__((vector_size(16)));

/* Reads four floats from memory of any alignment. */
RN_INLINE rn_four rn_four_load(const float *from) {
    rn_four value;
    __builtin_memcpy(&value, from, sizeof value);
    return value;
}

/* Adds four floats to memory of any alignment. */
RN_INLINE void rn_four_add(float *to, rn_four value) {
    value = rn_four_load(to) + value;
    __builtin_memcpy(to, &value, sizeof value);
}

/* In each lane |b| if it is larger than a, otherwise a. */
RN_INLINE rn_four rn_four_largest(rn_four a, rn_four b) {
    const rn_four_ints size = (rn_four_ints)b & INT32_MAX, larger = (rn_four)size > a;
    return (rn_four)((size & larger) | ((rn_four_ints)a & ~larger));
}

/* The four lanes numbered i, j, k and l, which must be constants: 0 to 3 are those of a, 4 to 7 those of b. */
#if defined(__clang__)
#define RN_FOUR_PICK(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else
#define RN_FOUR_PICK(a, b, i, j, k, l) __builtin_shuffle(a, b, (rn_four_ints){i, j, k, l})
#endif

/* Turns rows into columns: lane n of row m becomes lane m of row n. */
RN_INLINE void rn_four_transpose(rn_four row[4]) {
    const rn_four low = RN_FOUR_PICK(row[0], row[1], 0, 4, 1, 5), high = RN_FOUR_PICK(row[0], row[1], 2, 6, 3, 7);
    const rn_four low2 = RN_FOUR_PICK(row[2], row[3], 0, 4, 1, 5), high2 = RN_FOUR_PICK(row[2], row[3], 2, 6, 3, 7);
    row[0] = RN_FOUR_PICK(low, low2, 0, 1, 4, 5);
    row[1] = RN_FOUR_PICK(low, low2, 2, 3, 6, 7);
    row[2] = RN_FOUR_PICK(high, high2, 0, 1, 4, 5);
    row[3] = RN_FOUR_PICK(high, high2, 2, 3, 6, 7);
}

#endif
