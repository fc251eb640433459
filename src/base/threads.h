/* A small pool of threads behind one call, rn_parallel_for. */
#ifndef RN_BASE_THREADS_H
#define RN_BASE_THREADS_H

#include <runnel/base.h>

typedef struct rn_pool rn_pool;

/* threads = 0: one per core; with the host's task hooks as many as it has workers. More threads than cores take turns.
   NULL on failure, with an error text. */
rn_pool *rn_pool_create(const rn_hooks *hooks, int threads);
void rn_pool_destroy(rn_pool *pool);

/* A task's `worker` counts from 0 and is below this. */
int rn_pool_size(const rn_pool *pool);

/* Splits 0..count-1 into pieces that the threads share, and waits for all of them. A thread begins with the same part
   every time, which its cache may still have, and then helps the others.
   Results must not depend on the split: tasks write only what belongs to their own items. A task must not call this. */
void rn_parallel_for(rn_pool *pool, int count, rn_task task, void *context);

#if defined(RN_GPU) /* blocks share the items; they see a copy of a context that is a local variable */
void rn_gpu_for(int count, rn_task task, const void *context, size_t size);
#define rn_parallel_for(pool, count, task, context) ((void)(pool), rn_gpu_for(count, task, context, sizeof *(context)))
#endif

#endif
