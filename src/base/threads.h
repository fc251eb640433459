/* A pool of threads with one main function, rn_parallel_for. */
#ifndef RN_BASE_THREADS_H
#define RN_BASE_THREADS_H

#include <runnel/base.h>

typedef struct rn_pool rn_pool;

/* Makes a pool. threads = 0: one per core; with the host's task hooks as many as it has workers. More threads than
   cores take turns. NULL on failure, with an error text. */
rn_pool *rn_pool_create(const rn_hooks *hooks, int threads);
void rn_pool_destroy(rn_pool *pool);

/* The number of workers: a task's `worker` is from 0 to this - 1. */
int rn_pool_size(const rn_pool *pool);

/* Splits 0..count-1 into pieces for the threads, and waits for all of them. A thread begins with the same part every
   time, which its cache may still hold, and then helps the others. Results must not depend on the split: tasks write
   only to their own items. A task must not call this. */
void rn_parallel_for(rn_pool *pool, int count, rn_task task, void *context);

#if defined(RN_GPU) /* blocks share the items; they see a copy of a context that is a local variable */
void rn_gpu_for(int count, rn_task task, const void *context, size_t size);
#define rn_parallel_for(pool, count, task, context) ((void)(pool), rn_gpu_for(count, task, context, sizeof *(context)))
#endif

#endif
