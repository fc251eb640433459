/* One wide-float type: RN_LANES floats that the kernels treat as one number. Written in the vector extensions
   that gcc and clang share, so + - * / and comparisons are the language's own; each lane is exactly the IEEE
   operation, so any width gives the same bits. */
#ifndef RN_BASE_WIDE_H
#define RN_BASE_WIDE_H

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { RN_LANES = 4 };

typedef float rn_wide __attribute__((vector_size(RN_LANES * sizeof(float))));
typedef int32_t rn_mask __attribute__((vector_size(RN_LANES * sizeof(int32_t)))); /* a lane is 0 or -1 */

#define RN_INLINE static inline __attribute__((always_inline))

RN_INLINE rn_wide rn_load(const float *from) {
    rn_wide value;
    memcpy(&value, from, sizeof value);
    return value;
}

RN_INLINE void rn_store(float *to, rn_wide value) { memcpy(to, &value, sizeof value); }

RN_INLINE rn_wide rn_splat(float value) { return value - (rn_wide){0}; }

RN_INLINE rn_wide rn_select(rn_mask mask, rn_wide yes, rn_wide no) {
    return (rn_wide)((mask & (rn_mask)yes) | (~mask & (rn_mask)no));
}

/* 0 where the mask is false. */
RN_INLINE rn_wide rn_keep(rn_mask mask, rn_wide value) { return (rn_wide)(mask & (rn_mask)value); }

RN_INLINE rn_wide rn_lesser(rn_wide a, rn_wide b) { return rn_select(a < b, a, b); }
RN_INLINE rn_wide rn_greater(rn_wide a, rn_wide b) { return rn_select(a > b, a, b); }
RN_INLINE rn_wide rn_positive(rn_wide a) { return rn_keep(a > 0.0f, a); }
RN_INLINE rn_wide rn_size(rn_wide a) { return (rn_wide)((rn_mask)a & 0x7fffffff); }

/* The size of a with the sign of b. */
RN_INLINE rn_wide rn_signed(rn_wide a, rn_wide b) {
    return (rn_wide)((rn_mask)rn_size(a) | ((rn_mask)b & (int32_t)0x80000000));
}

/* a with its sign turned where b is negative. */
RN_INLINE rn_wide rn_flipped(rn_wide a, rn_wide b) {
    return (rn_wide)((rn_mask)a ^ ((rn_mask)b & (int32_t)0x80000000));
}

/* Towards zero, for sizes below 2^31. */
RN_INLINE rn_wide rn_trunc(rn_wide a) { return __builtin_convertvector(__builtin_convertvector(a, rn_mask), rn_wide); }

RN_INLINE rn_wide rn_root(rn_wide a) {
    for (int lane = 0; lane < RN_LANES; lane++) a[lane] = sqrtf(a[lane]);
    return a;
}

RN_INLINE int rn_any(rn_mask mask) {
    int64_t halves[RN_LANES / 2];
    memcpy(halves, &mask, sizeof halves);
    for (int i = 1; i < RN_LANES / 2; i++) halves[0] |= halves[i];
    return halves[0] != 0;
}

RN_INLINE float rn_greatest(rn_wide a) {
    float most = a[0];
    for (int lane = 1; lane < RN_LANES; lane++) most = a[lane] > most ? a[lane] : most;
    return most;
}

#endif
