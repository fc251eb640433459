/* The body of base/wide.h for C++ and CUDA: one lane. nvcc compiles it for the GPU, where a thread is a lane, and any
   C++ compiler for the CPU, so that tests run the same kernels without a GPU.

   C++ has no vector of one float with the operators of C, so lanes are two small structs. float and bool would not
   suffice: a comparison must give a mask, ~ of a true bool is true, (rn_mask)a must be the bits of a, and a[0] a
   lane. Compilers optimise the structs away: a comparison and a selection become one instruction each, without a
   mask. */
#ifndef RN_BASE_WIDE_ONE_H
#define RN_BASE_WIDE_ONE_H

#include "base/inline.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define RN_LANES    1
#define RN_ISA_NAME one
#define RN_MEMBER   RN_HOST_DEVICE RN_ALWAYS_INLINE

/* rn_bits_of: the bits of a float as an integer; rn_of_bits: the float with these bits. */
RN_INLINE int32_t rn_bits_of(float value) {
    int32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The float with these bits. */
RN_INLINE float rn_of_bits(int32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

struct rn_mask;

/* Aggregates without constructors: `rn_wide zero = {0}` and `rn_flow out;` mean what they mean in C. */
struct rn_wide {
    float v;
    RN_MEMBER explicit operator rn_mask() const;
    RN_MEMBER float operator[](int) const { return v; }
    RN_MEMBER float &operator[](int) { return v; }
};

struct rn_mask {
    int32_t v; /* 0 or -1, or the bits of a float */
    RN_MEMBER explicit operator rn_wide() const { return rn_wide{rn_of_bits(v)}; }
    RN_MEMBER int32_t operator[](int) const { return v; }
    RN_MEMBER int32_t &operator[](int) { return v; }
};

RN_MEMBER rn_wide::operator rn_mask() const { return rn_mask{rn_bits_of(v)}; }

#define RN_ARITHMETIC(op)                                                                                              \
    RN_INLINE rn_wide operator op(rn_wide a, rn_wide b) { return rn_wide{a.v op b.v}; }                                \
    RN_INLINE rn_wide operator op(float a, rn_wide b) { return rn_wide{a op b.v}; }                                    \
    RN_INLINE rn_wide operator op(rn_wide a, float b) { return rn_wide{a.v op b}; }                                    \
    RN_INLINE rn_wide &operator op##=(rn_wide &a, rn_wide b) { return a = a op b; }                                    \
    RN_INLINE rn_wide &operator op##=(rn_wide &a, float b) { return a = a op b; }
RN_ARITHMETIC(+)
RN_ARITHMETIC(-)
RN_ARITHMETIC(*)
RN_ARITHMETIC(/)
#undef RN_ARITHMETIC
RN_INLINE rn_wide operator-(rn_wide a) { return rn_wide{-a.v}; }

#define RN_COMPARISON(op)                                                                                              \
    RN_INLINE rn_mask operator op(rn_wide a, rn_wide b) { return rn_mask{-(int32_t)(a.v op b.v)}; }                    \
    RN_INLINE rn_mask operator op(float a, rn_wide b) { return rn_mask{-(int32_t)(a op b.v)}; }                        \
    RN_INLINE rn_mask operator op(rn_wide a, float b) { return rn_mask{-(int32_t)(a.v op b)}; }                        \
    RN_INLINE rn_mask operator op(rn_mask a, rn_mask b) { return rn_mask{-(int32_t)(a.v op b.v)}; }                    \
    RN_INLINE rn_mask operator op(rn_mask a, int32_t b) { return rn_mask{-(int32_t)(a.v op b)}; }
RN_COMPARISON(<)
RN_COMPARISON(<=)
RN_COMPARISON(>)
RN_COMPARISON(>=)
RN_COMPARISON(==)
RN_COMPARISON(!=)
#undef RN_COMPARISON

#define RN_BITWISE(op)                                                                                                 \
    RN_INLINE rn_mask operator op(rn_mask a, rn_mask b) { return rn_mask{a.v op b.v}; }                                \
    RN_INLINE rn_mask operator op(rn_mask a, int32_t b) { return rn_mask{a.v op b}; }                                  \
    RN_INLINE rn_mask &operator op##=(rn_mask &a, rn_mask b) { return a = a op b; }
RN_BITWISE(&)
RN_BITWISE(|)
RN_BITWISE(^)
#undef RN_BITWISE
RN_INLINE rn_mask operator~(rn_mask a) { return rn_mask{~a.v}; }

/* On the bits of a float as an integer. Sums stay within 32 bits, and shifted values are not negative. */
RN_INLINE rn_mask operator+(rn_mask a, rn_mask b) { return rn_mask{a.v + b.v}; }
RN_INLINE rn_mask operator-(int32_t a, rn_mask b) { return rn_mask{a - b.v}; }
RN_INLINE rn_mask operator>>(rn_mask a, int count) { return rn_mask{a.v >> count}; }

/* The functions of base/wide.h, described there. */
RN_INLINE rn_wide rn_load(const float *from) { return rn_wide{*from}; }
RN_INLINE void rn_store(float *to, rn_wide value) { *to = value.v; }
RN_INLINE rn_wide rn_splat(float value) { return rn_wide{value}; }
RN_INLINE rn_mask rn_load_bytes(const uint8_t *from) { return rn_mask{*from}; }
RN_INLINE rn_mask rn_lane_numbers(void) { return rn_mask{0}; }

RN_INLINE rn_wide rn_select(rn_mask mask, rn_wide yes, rn_wide no) { return mask.v ? yes : no; }
RN_INLINE rn_wide rn_keep(rn_mask mask, rn_wide value) { return rn_wide{mask.v ? value.v : 0.0f}; }

/* A GPU has one instruction for rn_lesser, and one for rn_greater, which ignore a NaN. */
RN_INLINE rn_wide rn_lesser(rn_wide a, rn_wide b) {
#if defined(__CUDA_ARCH__)
    return rn_wide{fminf(a.v, b.v)};
#else
    return rn_wide{a.v < b.v ? a.v : b.v};
#endif
}
RN_INLINE rn_wide rn_greater(rn_wide a, rn_wide b) {
#if defined(__CUDA_ARCH__)
    return rn_wide{fmaxf(a.v, b.v)};
#else
    return rn_wide{a.v > b.v ? a.v : b.v};
#endif
}
RN_INLINE rn_wide rn_positive(rn_wide a) { return rn_greater(a, rn_wide{0.0f}); } /* of -0 and +0 a GPU returns +0 */

RN_INLINE rn_wide rn_size(rn_wide a) { return rn_wide{fabsf(a.v)}; }
RN_INLINE rn_wide rn_add_scaled(rn_wide a, rn_wide b, float scale) { return a + b * scale; }
RN_INLINE rn_wide rn_apart(rn_wide a, rn_wide b) { return rn_size(a - b); }
RN_INLINE rn_wide rn_signed(rn_wide a, rn_wide b) { return rn_wide{copysignf(a.v, b.v)}; }
RN_INLINE rn_wide rn_flipped(rn_wide a, rn_wide b) {
    return rn_wide{rn_of_bits(rn_bits_of(a.v) ^ (rn_bits_of(b.v) & INT32_MIN))};
}
RN_INLINE rn_wide rn_trunc(rn_wide a) { return rn_wide{truncf(a.v)}; }
RN_INLINE rn_wide rn_root(rn_wide a) { return rn_wide{sqrtf(a.v)}; }

RN_INLINE int rn_any(rn_mask mask) { return mask.v != 0; }
RN_INLINE int rn_all(rn_mask mask) { return mask.v != 0; }
RN_INLINE float rn_greatest(rn_wide a) { return a.v; }
RN_INLINE float rn_least(rn_wide a) { return a.v; }
RN_INLINE rn_wide rn_behind(rn_wide before, rn_wide) { return before; }

#endif
