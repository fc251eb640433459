/* Loops of the passes over words and bits of a set of cells (surface/links.h), once for CPU and GPU.

   On a CPU a task takes a row: its words one after another, and the set bits of a word one after another or in runs. On
   a GPU (RN_GPU, src/cuda/surface_program.c) a task takes one word of a row, whose number is `worker`, and the lanes of
   a rank share the bits of the word: bit b always belongs to the same lane. What lanes have found is put together by
   rn_bits_of_all, and a single lane writes it. Such loops give the same bits on both. */
#ifndef RN_SURFACE_EACH_H
#define RN_SURFACE_EACH_H

#include "surface/links.h"

#if defined(RN_GPU)

/* As in base/lanes.h, which names numbers as surface/links.h does. */
int rn_lane(void);
int rn_lane_count(void);
/* The union of the words that all lanes of the rank pass. All of them call these two together. */
uint64_t rn_bits_of_all(uint64_t bits);
/* The sum of the counts of the lanes before this one; *all: of all lanes. */
uint32_t rn_count_before(uint32_t count, uint32_t *all);
/* Atomic: sets bits of a word; adds to a count. */
void rn_put_bits(uint64_t *to, uint64_t bits);
void rn_put_count(uint32_t *to, uint32_t count);

/* RN_EACH_WORD(i, count, worker) { ... }: words of a row. RN_EACH_BIT(bit, set) { ... }: set bits of a word.
   RN_EACH_RUN(first, count, set) { ... }: runs of set bits; here each has one. RN_ONE_LANE statement: what one lane
   does for its rank. RN_ALONE statement: what a task does for a whole row; here the program has done it before.
   RN_APART statement: what it does for a word because it does not know what was done before that. */
#define RN_EACH_WORD(i, count, worker) for (int i = (worker), i##_once = 1; i##_once; i##_once = 0)
#define RN_EACH_BIT(bit, set)                                                                                          \
    for (uint64_t bit##_set = (set), bit##_once = 1; bit##_once; bit##_once = 0)                                       \
        for (int bit = rn_lane(); bit < 64; bit += rn_lane_count())                                                    \
            if (bit##_set >> bit & 1)
#define RN_EACH_RUN(first, count, set)                                                                                 \
    RN_EACH_BIT (first, set)                                                                                           \
        for (int count = 1, count##_once = 1; count##_once; count##_once = 0)
#define RN_ONE_LANE if (rn_lane() == 0)
#define RN_ALONE    if (0)
#define RN_APART
/* RN_EACH_PLACE(bit, set, has) { ... }: the bits of a word for which the lanes need places in the mesh one after
   another: all lanes of a rank run the same passes of the loop, and may count together; `has` says whether this lane
   has a bit. */
#define RN_EACH_PLACE(bit, set, has)                                                                                   \
    for (uint64_t bit##_set = (set), bit##_once = 1; bit##_once; bit##_once = 0)                                       \
        for (int bit##_from = 0; bit##_from < 64; bit##_from += rn_lane_count())                                       \
            for (int bit = bit##_from + rn_lane(), has = bit < 64 && bit##_set >> bit & 1, has##_once = 1; has##_once; \
                 has##_once = 0)
/* RN_EACH_ITEM(i, begin, end) { ... }: items that belong to a task. */
#define RN_EACH_ITEM(i, begin, end)                                                                                    \
    for (uint32_t i = (begin) + (uint32_t)rn_lane(), i##_end = (end); i < i##_end; i += (uint32_t)rn_lane_count())
/* Sets `word` to the bits 0 to count - 1 for which a condition in terms of i holds. */
#define RN_BITS_WHERE(word, i, count, condition)                                                                       \
    do {                                                                                                               \
        uint64_t own_bits = 0;                                                                                         \
        for (int i = rn_lane(); i < (count); i += rn_lane_count()) own_bits |= (uint64_t)((condition) != 0) << i;      \
        (word) = rn_bits_of_all(own_bits);                                                                             \
    } while (0)

#else

#define RN_EACH_WORD(i, count, worker) for (int i = ((void)(worker), 0), i##_end = (count); i < i##_end; i++)
#define RN_EACH_BIT(bit, set)                                                                                          \
    for (uint64_t bit##_rest = (set); bit##_rest; bit##_rest &= bit##_rest - 1)                                        \
        for (int bit = __builtin_ctzll(bit##_rest), bit##_once = 1; bit##_once; bit##_once = 0)
#define RN_EACH_RUN(first, count, set)                                                                                 \
    for (uint64_t first##_rest = (set); first##_rest;)                                                                 \
        for (int first = __builtin_ctzll(first##_rest), count = rn_run_of(first##_rest >> first),                      \
                 first##_once = ((first##_rest &= rn_bits_from(first + count)), 1);                                    \
             first##_once; first##_once = 0)
#define RN_ONE_LANE
#define RN_ALONE
#define RN_APART if (0)
#define RN_EACH_PLACE(bit, set, has)                                                                                   \
    RN_EACH_BIT (bit, set)                                                                                             \
        for (int has = 1, has##_once = 1; has##_once; has##_once = 0)
#define RN_EACH_ITEM(i, begin, end) for (uint32_t i = (begin), i##_end = (end); i < i##_end; i++)
static inline uint64_t rn_bits_of_all(uint64_t bits) { return bits; }
static inline uint32_t rn_count_before(uint32_t count, uint32_t *all) {
    *all = count;
    return 0;
}
static inline void rn_put_bits(uint64_t *to, uint64_t bits) { *to |= bits; }
static inline void rn_put_count(uint32_t *to, uint32_t count) { *to += count; }

/* Packs 64 bytes that are 0 or 1 into the bits of a word, eight at a time: a product gathers eight bytes in its
   highest byte. */
static inline uint64_t rn_pack_bytes(const uint8_t bytes[64]) {
    uint64_t word = 0;
    for (int i = 0; i < 8; i++) {
        uint64_t eight = 0;
        for (int k = 0; k < 8; k++) eight |= (uint64_t)bytes[8 * i + k] << (8 * k);
        word |= (eight * UINT64_C(0x0102040810204080) >> 56) << (8 * i);
    }
    return word;
}

#define RN_BITS_WHERE(word, i, count, condition)                                                                       \
    do {                                                                                                               \
        uint8_t all_bytes[64] = {0};                                                                                   \
        RN_EACH_ALONE                                                                                                  \
        for (int i = 0; i < (count); i++) all_bytes[i] = (uint8_t)(condition);                                         \
        (word) = rn_pack_bytes(all_bytes);                                                                             \
    } while (0)

#endif

/* The most layers of columns, on a device and on the CPU, and those that memory of a task is made for here. */
enum { RN_DEVICE_LAYERS = 8, RN_HOST_LAYERS = 63 };
#if defined(RN_GPU)
enum { RN_SURFACE_LAYERS = RN_DEVICE_LAYERS };
#else
enum { RN_SURFACE_LAYERS = RN_HOST_LAYERS };
#endif

#endif
