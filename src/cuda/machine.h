/* What a GPU has and C lacks: blocks, shared memory and atomic operations. base/lanes.h has the lanes of a block. Two
   implementations: machine_ptx.c for NVIDIA GPUs, machine_threads.c with threads of the CPU for tests. */
#ifndef RN_CUDA_MACHINE_H
#define RN_CUDA_MACHINE_H

#include "base/lanes.h"

#include <stdbool.h>

/* Memory that the threads of a block share, as a part of the type of a pointer: GPUs access it faster so. */
#if defined(__NVPTX__)
#define RN_SHARED __attribute__((address_space(3)))
#else
#define RN_SHARED
#endif

/* Words of a job of the program of surfaces. */
enum { RN_SURFACE_JOB_WORDS = 256 };

/* The number of this thread's block, from 0. */
int machine_block(void);
/* The number of blocks that run the program. */
int machine_blocks(void);
/* The memory that the threads of a block share, from byte `from` on. There are RN_GPU_SHARED bytes, in a plain world
   RN_PLAIN_SHARED, in a linked one RN_LINKED_SHARED, which is not checked. */
void *machine_shared(size_t from);
RN_SHARED void *machine_near(size_t from); /* the same, as such a pointer */
/* Copies four floats into such memory, later: machine_fetched waits for all copies of this thread. Both addresses are
   multiples of 16. */
void machine_fetch(RN_SHARED float *to, const float *from);
void machine_fetched(void);
/* Whether an address is that of a local variable of this thread, which other threads cannot read. */
bool machine_is_own(const void *address);
/* A barrier of blocks. machine_arrive adds 1 to *count; all that this thread and, before rn_lanes_meet, its block have
   written is seen by a thread that has read the new count with machine_arrived. */
void machine_arrive(volatile uint32_t *count);
/* The number of arrivals so far. */
uint32_t machine_arrived(const volatile uint32_t *count);
/* The count alone, to wait with: what others have written is not seen yet, and caches stay as they are. */
uint32_t machine_count(const volatile uint32_t *count);
/* Called in loops that wait for another block; lets other threads run where that is needed. */
void machine_pause(void);

/* Atomic operations on *to, in memory of a block or of all: adds, replaces, sets bits, raises or lowers to `value`.
   machine_add, machine_swap and machine_min_64 return the value before. None is a fence. */
int machine_add(int *to, int value);
int machine_swap(int *to, int value);
void machine_or(int *to, int bits);
void machine_max(int *to, int value);
void machine_min(int *to, int value);
void machine_max_64(uint64_t *to, uint64_t value);
int64_t machine_min_64(int64_t *to, int64_t value);
void machine_add_64(int64_t *to, int64_t value);
/* The threads that run together with this one, a group: its number among them, how many they are at most, the largest
   `value` of theirs, and the sum of `value` over those before this one, with *all the sum over all. All of a group must
   call the last two together. Groups of a block follow each other in the order of its lanes. */
int machine_group_lane(void);
int machine_group_size(void);
int machine_group_max(int value);
int64_t machine_group_before(int64_t value, int64_t *all);
/* A barrier of all lanes of the block, as rn_lanes_meet, which tells whether `value` is true for some lane. Not in the
   program of plain worlds. */
bool machine_meet_any(bool value);
#if defined(RN_GPU)
/* The lanes of a rank together (surface/each.h): the union of the words that they pass, and the sum of the counts of
   the lanes before this one; *all: of all. All lanes of the rank must call them together, and what they have written
   before is then seen by all. rn_put_bits and rn_put_count are atomic. */
uint64_t rn_bits_of_all(uint64_t bits);
uint32_t rn_count_before(uint32_t count, uint32_t *all);
void rn_put_bits(uint64_t *to, uint64_t bits);
void rn_put_count(uint32_t *to, uint32_t count);
#endif
/* In the program of plain worlds a block has one thread more, which decides the lengths of substeps: it has no lane and
   no rank, and rn_lanes_meet does not count it. Whether this thread is such a one; and a barrier of all with it. */
bool machine_is_clock(void);
void machine_meet_clock(void);

/* The bits of a float as an integer. */
static inline int rn_float_bits(float value) {
    int bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#endif
