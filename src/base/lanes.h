/* How the lanes of a machine share a loop over columns.

   On a CPU the lanes of a vector walk through a loop together: each pass of the loop works on RN_LANES columns. On a
   GPU (RN_GPU, src/cuda) a lane is a thread of a block, and a vector has one float: each lane works on columns of its
   own, and lanes wait for each other where one reads what another has written. A loop that is written with these
   macros gives the same bits on both. */
#ifndef RN_BASE_LANES_H
#define RN_BASE_LANES_H

#include "base/wide.h"

#include <stddef.h>

#if defined(RN_GPU)

/* This thread's number in its block, and how many there are. */
int rn_lane(void);
int rn_lane_count(void);
/* Waits for all lanes of the block. */
void rn_lanes_meet(void);
/* Memory that all lanes of the block share, until the sweep returns. Each sweep asks once. */
void *rn_lanes_memory(size_t size);

#define RN_FOR_LANES(n, begin, end)                                                                                    \
    for (int32_t n = (begin) + rn_lane(), n##_end = (end); n < n##_end; n += rn_lane_count())
#define RN_LANES_MEMORY(type, name) type *const name = rn_lanes_memory(sizeof(type))

#else

#define RN_FOR_LANES(n, begin, end) for (int32_t n = (begin), n##_end = (end); n < n##_end; n += RN_LANES)
#define RN_LANES_MEMORY(type, name) type name##_memory, *const name = &name##_memory
static inline void rn_lanes_meet(void) {}

#endif

/* Copies `count` floats, and none beyond them. */
static inline void rn_lanes_copy(float *to, const float *from, int count) {
#if defined(RN_GPU)
    RN_FOR_LANES (n, 0, count) to[n] = from[n];
#else
    memcpy(to, from, (size_t)count * sizeof *to);
#endif
}

#endif
