/* One wide-float type: RN_LANES floats that the kernels treat as one number. It is a vector type of gcc and clang: +
   - / and comparisons are built in, value[lane] is a lane, and each lane is exactly the IEEE operation, so any width
   gives the same bits. Other operations have one body per instruction set, chosen when a file is compiled: AVX2 (8
   lanes), NEON and WebAssembly's SIMD (4), SSE2 (4), any other machine (4), with RN_WIDE_PLAIN plain C (1), and with
   RN_WIDE_GENERIC=8 portable code, so that tests can try every width. C++ and CUDA use base/wide_one.h: one lane, as
   a struct. */
#ifndef RN_BASE_WIDE_H
#define RN_BASE_WIDE_H

#include "base/inline.h"

#include <stdint.h>
#if __STDC_HOSTED__
#include <math.h>
#include <string.h>
#endif

#if defined(__cplusplus)
#include "base/wide_one.h"
#elif defined(RN_WIDE_PLAIN)
#define RN_LANES    1
#define RN_ISA_NAME plain
#elif defined(RN_WIDE_GENERIC)
#define RN_LANES    RN_WIDE_GENERIC
#define RN_ISA_NAME generic
#elif defined(__AVX2__)
#include <immintrin.h>
#define RN_WIDE_AVX2 1
#define RN_LANES     8
#define RN_ISA_NAME  avx2
#elif defined(__SSE2__)
#include <emmintrin.h>
#define RN_WIDE_SSE2 1
#define RN_LANES     4
#define RN_ISA_NAME  sse2
#elif defined(__ARM_NEON) && defined(__aarch64__) /* 32-bit NEON flushes denormals */
#include <arm_neon.h>
#define RN_WIDE_NEON 1
#define RN_LANES     4
#define RN_ISA_NAME  neon
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#define RN_WIDE_WASM 1
#define RN_LANES     4
#define RN_ISA_NAME  wasm
#else
#define RN_LANES    4
#define RN_ISA_NAME generic
#endif

enum { RN_LANES_MOST = 8 }; /* the widest body: arrays of whole vectors have multiples of this length */

/* A name of this body: RN_ISA(rn_sweeps) is rn_sweeps_neon. */
#define RN_ISA(name)             RN_ISA_PASTED(name, RN_ISA_NAME)
#define RN_ISA_PASTED(name, set) RN_ISA_JOINED(name, set)
#define RN_ISA_JOINED(name, set) name##_##set

#if !defined(__cplusplus)

typedef float rn_wide __attribute__((vector_size(RN_LANES * sizeof(float))));
typedef int32_t rn_mask __attribute__((vector_size(RN_LANES * sizeof(int32_t)))); /* a lane is 0 or -1 */

/* Reads RN_LANES floats from memory of any alignment. */
RN_INLINE rn_wide rn_load(const float *from) {
    rn_wide value;
    __builtin_memcpy(&value, from, sizeof value);
    return value;
}

/* Writes RN_LANES floats to memory of any alignment. */
RN_INLINE void rn_store(float *to, rn_wide value) { __builtin_memcpy(to, &value, sizeof value); }

/* One value in all lanes. */
RN_INLINE rn_wide rn_splat(float value) { return value - (rn_wide){0}; }

/* RN_LANES bytes as numbers from 0 to 255: rn_load_bytes(flags) != 0 is a mask. */
RN_INLINE rn_mask rn_load_bytes(const uint8_t *from) {
    typedef uint8_t bytes __attribute__((vector_size(RN_LANES)));
    bytes some;
    __builtin_memcpy(&some, from, sizeof some);
#if defined(RN_WIDE_AVX2)
    uint64_t eight;
    __builtin_memcpy(&eight, &some, sizeof eight);
    return (rn_mask)_mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)eight));
#elif defined(RN_WIDE_SSE2)
    int four;
    __builtin_memcpy(&four, &some, sizeof four);
    const __m128i zero = _mm_setzero_si128(), pairs = _mm_unpacklo_epi8(_mm_cvtsi32_si128(four), zero);
    return (rn_mask)_mm_unpacklo_epi16(pairs, zero);
#elif defined(RN_WIDE_NEON)
    uint32_t four;
    __builtin_memcpy(&four, &some, sizeof four);
    return (rn_mask)vmovl_u16(vget_low_u16(vmovl_u8(vcreate_u8(four))));
#else
    return __builtin_convertvector(some, rn_mask);
#endif
}

/* The number of each lane: 0, 1, 2... */
RN_INLINE rn_mask rn_lane_numbers(void) {
#if RN_LANES == 8
    return (rn_mask){0, 1, 2, 3, 4, 5, 6, 7};
#elif RN_LANES == 4
    return (rn_mask){0, 1, 2, 3};
#else
    return (rn_mask){0};
#endif
}

/* In each lane `yes` where the mask is true, else `no`. */
RN_INLINE rn_wide rn_select(rn_mask mask, rn_wide yes, rn_wide no) {
#if defined(RN_WIDE_AVX2)
    return (rn_wide)_mm256_blendv_ps((__m256)no, (__m256)yes, (__m256)mask);
#elif defined(RN_WIDE_NEON)
    return (rn_wide)vbslq_f32((uint32x4_t)mask, (float32x4_t)yes, (float32x4_t)no);
#elif defined(RN_WIDE_WASM)
    return (rn_wide)wasm_v128_bitselect((v128_t)yes, (v128_t)no, (v128_t)mask);
#else
    return (rn_wide)((mask & (rn_mask)yes) | (~mask & (rn_mask)no));
#endif
}

/* In each lane the value where the mask is true, else +0. */
RN_INLINE rn_wide rn_keep(rn_mask mask, rn_wide value) { return (rn_wide)(mask & (rn_mask)value); }

/* a < b ? a : b, one instruction where available. Gives b if a is NaN; b must not be NaN. Of two zeros of different
   sign either may result: callers avoid those where the sign matters. */
RN_INLINE rn_wide rn_lesser(rn_wide a, rn_wide b) {
#if defined(RN_WIDE_AVX2)
    return (rn_wide)_mm256_min_ps((__m256)a, (__m256)b);
#elif defined(RN_WIDE_SSE2)
    return (rn_wide)_mm_min_ps((__m128)a, (__m128)b);
#elif defined(RN_WIDE_NEON)
    return (rn_wide)vminnmq_f32((float32x4_t)a, (float32x4_t)b);
#elif defined(RN_WIDE_WASM)
    return (rn_wide)wasm_f32x4_pmin((v128_t)b, (v128_t)a);
#else
    return rn_select(a < b, a, b);
#endif
}

/* a > b ? a : b, one instruction where available. Gives b if a is NaN; b must not be NaN. Of two zeros of different
   sign either may result: callers avoid those where the sign matters. */
RN_INLINE rn_wide rn_greater(rn_wide a, rn_wide b) {
#if defined(RN_WIDE_AVX2)
    return (rn_wide)_mm256_max_ps((__m256)a, (__m256)b);
#elif defined(RN_WIDE_SSE2)
    return (rn_wide)_mm_max_ps((__m128)a, (__m128)b);
#elif defined(RN_WIDE_NEON)
    return (rn_wide)vmaxnmq_f32((float32x4_t)a, (float32x4_t)b);
#elif defined(RN_WIDE_WASM)
    return (rn_wide)wasm_f32x4_pmax((v128_t)b, (v128_t)a);
#else
    return rn_select(a > b, a, b);
#endif
}

/* a where it is above 0, otherwise +0: also for -0 and NaN. */
RN_INLINE rn_wide rn_positive(rn_wide a) { return rn_greater(a, (rn_wide){0}); }

/* |a| */
RN_INLINE rn_wide rn_size(rn_wide a) {
#if defined(RN_WIDE_NEON)
    return (rn_wide)vabsq_f32((float32x4_t)a);
#else
    return (rn_wide)((rn_mask)a & 0x7fffffff);
#endif
}

/* a + b * scale, where the product is exact because the scale is a power of two: with or without fused rounding the
   result is the same. */
RN_INLINE rn_wide rn_add_scaled(rn_wide a, rn_wide b, float scale) {
#if defined(RN_WIDE_NEON)
    return (rn_wide)vfmaq_n_f32((float32x4_t)a, (float32x4_t)b, scale);
#else
    return a + b * scale;
#endif
}

/* |a - b| */
RN_INLINE rn_wide rn_apart(rn_wide a, rn_wide b) {
#if defined(RN_WIDE_NEON)
    return (rn_wide)vabdq_f32((float32x4_t)a, (float32x4_t)b);
#else
    return rn_size(a - b);
#endif
}

/* The absolute value of a with the sign of b. */
RN_INLINE rn_wide rn_signed(rn_wide a, rn_wide b) {
#if defined(RN_WIDE_NEON) || defined(RN_WIDE_WASM)
    return rn_select((rn_mask){0} | INT32_MIN, b, a);
#else
    return (rn_wide)((rn_mask)rn_size(a) | ((rn_mask)b & INT32_MIN));
#endif
}

/* a with its sign reversed where b is negative. */
RN_INLINE rn_wide rn_flipped(rn_wide a, rn_wide b) { return (rn_wide)((rn_mask)a ^ ((rn_mask)b & INT32_MIN)); }

/* a rounded towards zero, for absolute values below 2^31; a zero may have either sign. */
RN_INLINE rn_wide rn_trunc(rn_wide a) {
#if defined(RN_WIDE_AVX2)
    return (rn_wide)_mm256_round_ps((__m256)a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
#elif defined(RN_WIDE_SSE2)
    return (rn_wide)_mm_cvtepi32_ps(_mm_cvttps_epi32((__m128)a));
#elif defined(RN_WIDE_NEON)
    return (rn_wide)vrndq_f32((float32x4_t)a);
#elif defined(RN_WIDE_WASM)
    return (rn_wide)wasm_f32x4_trunc((v128_t)a);
#else
    for (int lane = 0; lane < RN_LANES; lane++) a[lane] = __builtin_truncf(a[lane]);
    return a;
#endif
}

/* The square root, correctly rounded (IEEE 754). */
RN_INLINE rn_wide rn_root(rn_wide a) {
#if defined(RN_WIDE_AVX2)
    return (rn_wide)_mm256_sqrt_ps((__m256)a);
#elif defined(RN_WIDE_SSE2)
    return (rn_wide)_mm_sqrt_ps((__m128)a);
#elif defined(RN_WIDE_NEON)
    return (rn_wide)vsqrtq_f32((float32x4_t)a);
#elif defined(RN_WIDE_WASM)
    return (rn_wide)wasm_f32x4_sqrt((v128_t)a);
#else
    for (int lane = 0; lane < RN_LANES; lane++) a[lane] = __builtin_sqrtf(a[lane]);
    return a;
#endif
}

/* gcc 12 takes a true mask of one lane for 1 instead of -1 where it knows that the mask is not 0. So it must not know.
 */
#if defined(__NVPTX__)
#define RN_OPAQUE(value) (void)(value)
#else
#define RN_OPAQUE(value) __asm__("" : "+r"(value))
#endif

/* Whether any bit of any lane is set: for masks, or for floats none of which is -0. */
RN_INLINE int rn_any(rn_mask mask) {
#if defined(RN_WIDE_AVX2)
    return !_mm256_testz_si256((__m256i)mask, (__m256i)mask);
#elif defined(RN_WIDE_SSE2)
    return _mm_movemask_epi8(_mm_cmpeq_epi32((__m128i)mask, _mm_setzero_si128())) != 0xffff;
#elif defined(RN_WIDE_NEON)
    return vgetq_lane_u64((uint64x2_t)vpmaxq_u32((uint32x4_t)mask, (uint32x4_t)mask), 0) != 0;
#elif defined(RN_WIDE_WASM)
    return wasm_v128_any_true((v128_t)mask);
#else
    int32_t all = mask[0];
    for (int lane = 1; lane < RN_LANES; lane++) all |= mask[lane];
    RN_OPAQUE(all);
    return all != 0;
#endif
}

/* Whether every lane of a mask is true; for masks only. */
RN_INLINE int rn_all(rn_mask mask) {
#if defined(RN_WIDE_AVX2)
    return _mm256_movemask_ps((__m256)mask) == 0xff;
#elif defined(RN_WIDE_SSE2)
    return _mm_movemask_ps((__m128)mask) == 0xf;
#elif defined(RN_WIDE_NEON)
    return vgetq_lane_u64((uint64x2_t)vpminq_u32((uint32x4_t)mask, (uint32x4_t)mask), 0) == UINT64_MAX;
#elif defined(RN_WIDE_WASM)
    return wasm_i32x4_all_true((v128_t)mask);
#else
    int32_t all = mask[0];
    for (int lane = 1; lane < RN_LANES; lane++) all &= mask[lane];
    RN_OPAQUE(all);
    return all != 0;
#endif
}

#if defined(RN_WIDE_AVX2)
RN_INLINE __m128 rn_lower_half(rn_wide a) { return _mm256_castps256_ps128((__m256)a); }
RN_INLINE __m128 rn_upper_half(rn_wide a) { return _mm256_extractf128_ps((__m256)a, 1); }
#endif

/* The largest of all lanes, none of which may be NaN. */
RN_INLINE float rn_greatest(rn_wide a) {
#if defined(RN_WIDE_NEON)
    return vmaxnmvq_f32((float32x4_t)a);
#elif defined(RN_WIDE_AVX2) || defined(RN_WIDE_SSE2)
#if defined(RN_WIDE_AVX2)
    __m128 most = _mm_max_ps(rn_lower_half(a), rn_upper_half(a));
#else
    __m128 most = (__m128)a;
#endif
    most = _mm_max_ps(most, _mm_movehl_ps(most, most));
    return _mm_cvtss_f32(_mm_max_ss(most, _mm_shuffle_ps(most, most, 1)));
#else
    float most = a[0];
    for (int lane = 1; lane < RN_LANES; lane++) most = a[lane] > most ? a[lane] : most;
    return most;
#endif
}

/* The smallest of all lanes, none of which may be NaN. */
RN_INLINE float rn_least(rn_wide a) {
#if defined(RN_WIDE_NEON)
    return vminnmvq_f32((float32x4_t)a);
#elif defined(RN_WIDE_AVX2) || defined(RN_WIDE_SSE2)
#if defined(RN_WIDE_AVX2)
    __m128 least = _mm_min_ps(rn_lower_half(a), rn_upper_half(a));
#else
    __m128 least = (__m128)a;
#endif
    least = _mm_min_ps(least, _mm_movehl_ps(least, least));
    return _mm_cvtss_f32(_mm_min_ss(least, _mm_shuffle_ps(least, least, 1)));
#else
    float least = a[0];
    for (int lane = 1; lane < RN_LANES; lane++) least = a[lane] < least ? a[lane] : least;
    return least;
#endif
}

/* The floats one position before `here`, where `before` holds the RN_LANES floats before it: the last lane of
   `before`, then all of `here` except its last. */
RN_INLINE rn_wide rn_behind(rn_wide before, rn_wide here) {
#if defined(RN_WIDE_AVX2)
    const __m256i across = (__m256i)_mm256_permute2f128_ps((__m256)before, (__m256)here, 0x21);
    return (rn_wide)_mm256_alignr_epi8((__m256i)here, across, 12);
#elif defined(RN_WIDE_SSE2)
    const __m128 turn = _mm_shuffle_ps((__m128)here, (__m128)here, _MM_SHUFFLE(2, 1, 0, 3));
    const __m128 last = _mm_shuffle_ps((__m128)before, (__m128)before, _MM_SHUFFLE(3, 3, 3, 3));
    return (rn_wide)_mm_move_ss(turn, last);
#elif defined(RN_WIDE_NEON)
    return (rn_wide)vextq_f32((float32x4_t)before, (float32x4_t)here, 3);
#elif defined(RN_WIDE_WASM)
    return (rn_wide)wasm_i32x4_shuffle((v128_t)before, (v128_t)here, 3, 4, 5, 6);
#else
    float line[2 * RN_LANES];
    rn_store(line, before);
    rn_store(line + RN_LANES, here);
    return rn_load(line + RN_LANES - 1);
#endif
}

#endif /* C */

#endif
