/* How the lanes of a machine share a loop over columns.

   On a CPU the lanes of a vector walk through a loop together: each pass of the loop works on RN_LANES columns. On a
   GPU (RN_GPU, src/cuda) a lane is a thread of a block, and a vector has one float: each lane works on columns of its
   own, and lanes wait for each other where one reads what another has written. The lanes of a block stand in ranks:
   each rank works on rows of its own. A loop that is written with these macros gives the same bits on both. */
#ifndef RN_BASE_LANES_H
#define RN_BASE_LANES_H

#include "base/wide.h"

#include <stddef.h>

/* On a GPU a sweep over faces works on pieces of a tile, of at most so many columns along x and y. */
enum { RN_PIECE_X = 32, RN_PIECE_Y = 16 };

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

/* RN_FOR_LANES(n, begin, end) { ... } is the loop over columns begin to end - 1; here every lane takes one of
   rn_lane_count. RN_FOR_ROWS(y, begin, end) is the loop over rows; every rank takes one of rn_rank_count.
   RN_LANES_MEMORY(type, name) declares a pointer `name` to a `type` that all lanes share. */
#define RN_FOR_LANES(n, begin, end)                                                                                    \
    for (int32_t n = (begin) + rn_lane(), n##_end = (end); n < n##_end; n += rn_lane_count())
#define RN_FOR_ROWS(y, begin, end)  for (int y = (begin) + rn_rank(), y##_end = (end); y < y##_end; y += rn_rank_count())
#define RN_LANES_MEMORY(type, name) type *const name = rn_lanes_memory(sizeof(type))

#else

/* RN_FOR_LANES, RN_FOR_ROWS, RN_LANES_MEMORY and rn_lanes_meet on a CPU: each pass takes RN_LANES columns, and there is
   nothing to share or to wait for. */
#define RN_FOR_LANES(n, begin, end) for (int32_t n = (begin), n##_end = (end); n < n##_end; n += RN_LANES)
#define RN_FOR_ROWS(y, begin, end)  for (int y = (begin), y##_end = (end); y < y##_end; y++)
#define RN_LANES_MEMORY(type, name) type name##_memory, *const name = &name##_memory
static inline void rn_lanes_meet(void) {}

#endif

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
