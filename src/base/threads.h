/* A small pool of threads behind one call, rn_parallel_for. */
#ifndef RN_BASE_THREADS_H
#define RN_BASE_THREADS_H

#include <runnel/base.h>

typedef struct rn_pool rn_pool;

/* Handles the items from begin to end - 1. `worker` counts from 0 and is below rn_pool_size. */
typedef void (*rn_task)(void *context, int begin, int end, int worker);

/* threads = 0: one per core. NULL on failure, with an error text. */
rn_pool *rn_pool_create(const rn_hooks *hooks, int threads);
void rn_pool_destroy(rn_pool *pool);
int rn_pool_size(const rn_pool *pool);

/* Splits 0..count-1 into pieces that the threads share, and waits for all of them.
   Results must not depend on the split: tasks write only what belongs to their own items. */
void rn_parallel_for(rn_pool *pool, int count, rn_task task, void *context);

#endif
