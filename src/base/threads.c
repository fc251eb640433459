#include "base/threads.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/platform.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { MAX_THREADS = 64, SPINS = 4000, PIECES = 6 };

typedef struct worker {
    rn_pool *pool;
    pthread_t thread;
    int index;
    int spins; /* before it sleeps: spinning pays between the passes of one step, not when threads outnumber cores */
} worker;

struct rn_pool {
    rn_hooks hooks;
    int size, started, cores;
    rn_task task;
    void *context;
    int count, piece;
    atomic_int next;   /* first item that nobody has taken yet */
    atomic_uint round; /* counts rn_parallel_for calls: workers start when it moves */
    atomic_int busy;   /* workers that have not finished this round */
    atomic_bool quit;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    worker workers[MAX_THREADS];
};

static void relax(void) {
#if defined(__aarch64__)
    __asm__ volatile("yield");
#elif defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/* Threads take pieces as they get done: wet rows cost more than dry ones. */
static void run_share(rn_pool *pool, int index) {
    for (;;) {
        int begin = atomic_fetch_add_explicit(&pool->next, pool->piece, memory_order_relaxed);
        if (begin >= pool->count) return;
        int end = begin + pool->piece < pool->count ? begin + pool->piece : pool->count;
        pool->task(pool->context, begin, end, index);
    }
}

static void *work(void *argument) {
    worker *self = argument;
    rn_pool *pool = self->pool;
    unsigned seen = 0;
    for (;;) {
        int spins = self->spins;
        while (atomic_load_explicit(&pool->round, memory_order_acquire) == seen && spins-- > 0) relax();
        if (atomic_load_explicit(&pool->round, memory_order_acquire) == seen) {
            pthread_mutex_lock(&pool->lock);
            while (atomic_load(&pool->round) == seen) pthread_cond_wait(&pool->wake, &pool->lock);
            pthread_mutex_unlock(&pool->lock);
        }
        seen++;
        if (atomic_load(&pool->quit)) return NULL;
        run_share(pool, self->index);
        atomic_fetch_sub_explicit(&pool->busy, 1, memory_order_release);
    }
}

static void start_round(rn_pool *pool) {
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add_explicit(&pool->round, 1, memory_order_release);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
}

rn_pool *rn_pool_create(const rn_hooks *hooks, int threads) {
    rn_pool *pool = rn_alloc(hooks, 1, sizeof *pool);
    if (!pool) return NULL;
    if (hooks) pool->hooks = *hooks;
    pool->cores = rn_cores();
    int wanted = threads > 0 ? threads : pool->cores;
    if (wanted > MAX_THREADS) wanted = MAX_THREADS;
    int spins = wanted <= pool->cores ? SPINS : 0;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    for (int i = 1; i < wanted; i++) {
        worker *self = &pool->workers[i];
        *self = (worker){.pool = pool, .index = i, .spins = spins};
        if (pthread_create(&self->thread, NULL, work, self) != 0) break;
        pool->started++;
    }
    pool->size = pool->started + 1; /* fewer threads than asked for still give the same result */
    return pool;
}

void rn_pool_destroy(rn_pool *pool) {
    if (!pool) return;
    atomic_store(&pool->quit, true);
    start_round(pool);
    for (int i = 1; i <= pool->started; i++) pthread_join(pool->workers[i].thread, NULL);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->lock);
    rn_hooks hooks = pool->hooks;
    rn_free(&hooks, pool);
}

int rn_pool_size(const rn_pool *pool) { return pool->size; }

void rn_parallel_for(rn_pool *pool, int count, rn_task task, void *context) {
    if (pool->size == 1 || count <= 1) {
        if (count > 0) task(context, 0, count, 0);
        return;
    }
    pool->task = task;
    pool->context = context;
    pool->count = count;
    pool->piece = count / (pool->size * PIECES) + 1;
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    atomic_store_explicit(&pool->busy, pool->size - 1, memory_order_relaxed);
    start_round(pool);
    run_share(pool, 0);
    for (int spins = 0; atomic_load_explicit(&pool->busy, memory_order_acquire) > 0; spins++) {
        if (spins < SPINS && pool->size <= pool->cores) relax();
        else sched_yield();
    }
}
