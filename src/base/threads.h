/* A pool of threads with one main function, rn_parallel_for. */
#ifndef RN_BASE_THREADS_H
#define RN_BASE_THREADS_H

#include <runnel/base.h>

typedef struct rn_pool rn_pool;

/* Creates a pool. threads: including the caller, at most 64; 0: one per core; with the host's task hooks it is ignored,
   and there are as many as the host has workers. More threads than cores take turns. hooks may be NULL. Returns NULL on
   failure, with an error text; fewer threads than asked for is no failure. */
rn_pool *rn_pool_create(const rn_hooks *hooks, int threads);
/* The result of a caller whose rn_pool_create with these hooks gave NULL: RN_INVALID if the hooks are incomplete, else
   RN_MEMORY. The error text stays that of rn_pool_create. */
rn_result rn_pool_refusal(const rn_hooks *hooks);
/* Stops and joins its threads, and frees the pool; NULL is allowed. No task may be running. */
void rn_pool_destroy(rn_pool *pool);

/* The number of workers: a task's `worker` is from 0 to this - 1. */
int rn_pool_size(const rn_pool *pool);

/* Calls task(context, begin, end, worker) for pieces that together are 0..count-1, on this thread and the others, and
   waits for all of them; nothing if count <= 0. A thread begins with the same part every time, which its cache may
   still hold, and then helps the others. Results must not depend on the split: tasks write only to their own items. A
   task must not call this, nor may two threads at once with the same pool: that is reported as misuse, and nothing
   runs. */
void rn_parallel_for(rn_pool *pool, int count, rn_task task, void *context);

/* The same for loops that are too short for threads: the caller runs them alone. On a GPU lanes share the items, and
   run them at the same time. */
#define rn_short_for(pool, count, task, context) ((void)(pool), (task)((context), 0, (count), 0))

#if defined(RN_GPU) /* blocks share the items, or lanes of a block; they see a copy of a context that is a local       \
                       variable */
void rn_gpu_for(int count, rn_task task, const void *context, size_t size);
void rn_gpu_short(int count, rn_task task, const void *context, size_t size);
#define rn_parallel_for(pool, count, task, context) ((void)(pool), rn_gpu_for(count, task, context, sizeof *(context)))
#undef rn_short_for
#define rn_short_for(pool, count, task, context) ((void)(pool), rn_gpu_short(count, task, context, sizeof *(context)))
#endif

/* What the items of rn_short_for, and lanes that work together, may do to numbers that they share. Add, raise to
   `value`, or set bits: `value` may be negative; a float that is raised must not be. Raise or lower an integer:
   rn_short_lower_64 returns the value before. Take the next number of a count; and claim what is 0, which becomes 1:
   false if it has been claimed before. */
#if defined(RN_GPU) /* atomic */
void rn_short_add(int64_t *to, int64_t value);
void rn_short_raise(float *to, float value);
void rn_short_set(uint32_t *to, uint32_t bits);
void rn_short_raise_64(uint64_t *to, uint64_t value);
int64_t rn_short_lower_64(int64_t *to, int64_t value);
int32_t rn_short_count(int32_t *count);
bool rn_short_claim(int32_t *mark);
#else
static inline void rn_short_add(int64_t *to, int64_t value) { *to += value; }
static inline void rn_short_raise(float *to, float value) { *to = value > *to ? value : *to; }
static inline void rn_short_set(uint32_t *to, uint32_t bits) { *to |= bits; }
static inline void rn_short_raise_64(uint64_t *to, uint64_t value) { *to = value > *to ? value : *to; }
static inline int64_t rn_short_lower_64(int64_t *to, int64_t value) {
    const int64_t was = *to;
    *to = value < was ? value : was;
    return was;
}
static inline int32_t rn_short_count(int32_t *count) { return (*count)++; }
static inline bool rn_short_claim(int32_t *mark) {
    const bool free = *mark == 0;
    *mark = 1;
    return free;
}
#endif

#endif
