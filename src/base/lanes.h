/* How the lanes of a machine share a loop over columns.

   On a CPU the lanes of a vector walk through a loop together: each pass of the loop works on RN_LANES columns. On a
   GPU (RN_GPU, src/cuda) a lane is a thread of a block, and a vector has one float: each lane works on columns of its
   own, and lanes wait for each other where one reads what another has written. The lanes of a block stand in ranks:
   each rank works on rows of its own. A loop that is written with these macros gives the same bits on both.

   The solver's own code runs on one lane of a GPU, whose other lanes wait. rn_lanes_run has all of them work: on a CPU
   it just calls a function. Such a function, and those that it calls, work "by lanes": all lanes call them with the
   same arguments, and go through the same loops and conditions wherever lanes meet. Local variables are each lane's
   own: the work gets a copy of the context, in which pointers to local variables of the caller are of use to the caller
   only. */
#ifndef RN_BASE_LANES_H
#define RN_BASE_LANES_H

#include "base/wide.h"

#include <stdbool.h>
#include <stddef.h>

/* On a GPU a sweep over faces works on pieces of a tile, of at most so many columns along x and y. */
enum { RN_PIECE_X = 32, RN_PIECE_Y = 16 };

enum { RN_LANES_CONTEXT = 512 }; /* bytes */
/* The size of a context; a larger one does not compile: no array has -1 elements. */
#define RN_LANES_SIZE(context) (sizeof(context) * sizeof(char[sizeof(context) <= RN_LANES_CONTEXT ? 1 : -1]))

#if defined(RN_GPU)

/* The number of this lane in its rank, from 0, and the number of lanes of a rank. */
int rn_lane(void);
int rn_lane_count(void);
/* The number of this lane's rank in its block, from 0, and the number of ranks of the block. */
int rn_rank(void);
int rn_rank_count(void);
/* A barrier: waits until all lanes of the block are here. */
void rn_lanes_meet(void);
/* Returns `size` bytes of memory, not cleared, that all lanes of the block share until the sweep returns. A sweep may
   call this only once. */
void *rn_lanes_memory(size_t size);

/* Has all lanes of the block call work(copy of *context), and returns when they have. Only a lane that works alone may
   call this, and the work must not. The context has at most RN_LANES_CONTEXT bytes. */
#define rn_lanes_run(work, context) rn_lanes_order(work, context, RN_LANES_SIZE(*(context)))
void rn_lanes_order(void (*work)(const void *context), const void *context, size_t size);
/* The number of this lane in its block, from 0, and the number of lanes of the block. */
int rn_lanes_own(void);
int rn_lanes_all(void);
/* What all lanes find together; all of them must call it, and get the same result. The largest `value`, of 0 or more;
   whether `value` is true for some lane; and the sum of `value` over the lanes before this one, in order, with *all the
   sum over all lanes. Lanes wait for each other. These use the memory of rn_lanes_memory, so sweeps that have such
   memory must not call them. */
float rn_lanes_greatest(float value);
bool rn_lanes_any(bool value);
int64_t rn_lanes_before(int64_t value, int64_t *all);

/* Has all blocks of the GPU share items 0 to count - 1: the lanes of a block call work(context, item) together. All
   lanes of the block that runs the solver's own code must call this together, with the same arguments, and wait for the
   end; pointers to local variables must not be in the context, of which other blocks see a copy. */
#define rn_lanes_spread(count, work, context)                                                                          \
    rn_lanes_spread_items(count, work, context, sizeof(*(context)) * sizeof(char[sizeof(*(context)) <= 64 ? 1 : -1]))
void rn_lanes_spread_items(int count, void (*work)(const void *context, int item), const void *context, size_t size);

/* RN_FOR_ITEMS(n, begin, end) { ... } is the loop over items begin to end - 1 by all lanes of the block. In
   RN_FOR_ROUNDS every lane makes the same number of passes, so that lanes may meet in it: in the last one `n` may be
   `end` or more. */
#define RN_FOR_ITEMS(n, begin, end)                                                                                    \
    for (int32_t n = (begin) + rn_lanes_own(), n##_end = (end); n < n##_end; n += rn_lanes_all())
#define RN_FOR_ROUNDS(n, begin, end)                                                                                   \
    for (int32_t n = (begin) + rn_lanes_own(), n##_end = (end); n - rn_lanes_own() < n##_end; n += rn_lanes_all())

/* RN_FOR_LANES(n, begin, end) { ... } is the loop over columns begin to end - 1; here every lane takes one of
   rn_lane_count. RN_FOR_COLUMNS is the same for bodies that handle one column on a CPU too. RN_FOR_ROWS(y, begin, end)
   is the loop over rows; every rank takes one of rn_rank_count. RN_LANES_MEMORY(type, name) declares a pointer `name`
   to a `type` that all lanes share. */
#define RN_FOR_LANES(n, begin, end)                                                                                    \
    for (int32_t n = (begin) + rn_lane(), n##_end = (end); n < n##_end; n += rn_lane_count())
#define RN_FOR_COLUMNS              RN_FOR_LANES
#define RN_FOR_ROWS(y, begin, end)  for (int y = (begin) + rn_rank(), y##_end = (end); y < y##_end; y += rn_rank_count())
#define RN_LANES_MEMORY(type, name) type *const name = rn_lanes_memory(sizeof(type))

#else

/* RN_FOR_LANES, RN_FOR_ROWS, RN_LANES_MEMORY and rn_lanes_meet on a CPU: each pass takes RN_LANES columns, and there is
   nothing to share or to wait for. */
#define RN_FOR_LANES(n, begin, end) for (int32_t n = (begin), n##_end = (end); n < n##_end; n += RN_LANES)
#define RN_FOR_COLUMNS              RN_FOR_ITEMS
#define RN_FOR_ROWS(y, begin, end)  for (int y = (begin), y##_end = (end); y < y##_end; y++)
#define RN_LANES_MEMORY(type, name) type name##_memory, *const name = &name##_memory
static inline void rn_lanes_meet(void) {}

#define rn_lanes_run(work, context)  (work)(context)
#define RN_FOR_ITEMS(n, begin, end)  for (int32_t n = (begin), n##_end = (end); n < n##_end; n++)
#define RN_FOR_ROUNDS(n, begin, end) RN_FOR_ITEMS (n, begin, end)
static inline int rn_lanes_own(void) { return 0; }
static inline int rn_lanes_all(void) { return 1; }
static inline float rn_lanes_greatest(float value) { return value; }
static inline bool rn_lanes_any(bool value) { return value; }
static inline int64_t rn_lanes_before(int64_t value, int64_t *all) {
    *all = value;
    return 0;
}

#endif

/* RN_FOR_VECTORS(n, begin, end) { ... } is the loop over columns begin to end - 1 by all lanes of the block, whole
   vectors on a CPU. */
#define RN_FOR_VECTORS(n, begin, end)                                                                                  \
    for (int32_t n = (begin) + rn_lanes_own() * RN_LANES, n##_end = (end); n < n##_end; n += rn_lanes_all() * RN_LANES)

/* The place of this lane's item in a list of `*count` items to which lanes append, in order, if `there`; *count becomes
   the new number. All lanes call it, each with a count of its own. */
static inline int32_t rn_lanes_place(bool there, int32_t *count) {
    int64_t all;
    const int32_t place = *count + (int32_t)rn_lanes_before(there, &all);
    *count += (int32_t)all;
    return place;
}

/* Replaces every value by the sum of those before it, and sets values[count] to the sum of all: exact, unless it wraps.
   Lanes wait for each other at the end. */
static inline void rn_lanes_sums(int64_t *values, int32_t count) {
    const int32_t begin = (int32_t)((int64_t)count * rn_lanes_own() / rn_lanes_all());
    const int32_t end = (int32_t)((int64_t)count * (rn_lanes_own() + 1) / rn_lanes_all());
    uint64_t own = 0;
    int64_t all;
    for (int32_t i = begin; i < end; i++) own += (uint64_t)values[i];
    uint64_t sum = (uint64_t)rn_lanes_before((int64_t)own, &all);
    for (int32_t i = begin; i < end; i++) {
        const uint64_t value = (uint64_t)values[i];
        values[i] = (int64_t)sum;
        sum += value;
    }
    if (rn_lanes_own() == 0) values[count] = all;
    rn_lanes_meet();
}

/* Copies exactly `count` floats, which must not overlap; on a GPU the lanes of the block share the work, and do not
   wait for each other. */
static inline void rn_lanes_copy(float *to, const float *from, int count) {
#if defined(RN_GPU)
    RN_FOR_LANES (n, 0, count) to[n] = from[n];
#else
    memcpy(to, from, (size_t)count * sizeof *to);
#endif
}

#endif
