/* The few things that a GPU has and C has not. */
#ifndef RN_CUDA_MACHINE_H
#define RN_CUDA_MACHINE_H

#include "base/lanes.h"

#include <stdbool.h>

/* This thread's block, and how many there are. */
int machine_block(void);
int machine_blocks(void);
/* Memory that the threads of a block share, from this byte on. */
void *machine_shared(size_t from);
/* Whether an address is that of a local variable, which other threads cannot read. */
bool machine_is_own(const void *address);
/* What this thread has written or seen, others see before what it writes next. */
void machine_fence(void);
void machine_pause(void);

/* At once; these return the value from before. */
int machine_add(int *to, int value);
void machine_or(int *to, int bits);
void machine_max(int *to, int value);
void machine_min(int *to, int value);
void machine_max_64(uint64_t *to, uint64_t value);

static inline int rn_float_bits(float value) {
    int bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#endif
