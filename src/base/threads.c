/* A pool of threads. A round is one call of rn_parallel_for: each thread begins with its own share of the items and
   then helps the others. Threads spin for a short time between rounds, and sleep after that. */
#include "base/threads.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/platform.h"

#include <pthread.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>

enum {
    MOST_THREADS = 64,
    MOST_WORKERS = 1024, /* of a host */
    PIECES = 10,         /* per thread: wet rows cost more than dry ones, and threads may join late */
    SPINS = 9000,        /* about 150 us: longer than the time between two passes of a step, also with bodies */
    POLITE = 64,         /* spins after which another thread may have the core */
    LINE = 64,
};

/* The items that one thread begins with; others take from it once they have finished theirs. */
typedef struct share {
    alignas(LINE) atomic_int next; /* first item that has not been taken */
    int end;
} share;

typedef struct helper {
    rn_pool *pool;
    pthread_t thread;
    int index;
} helper;

/* Fields of `gate`: number of the round, whether threads may still join, and how many have. */
#define ROUND(gate)  ((uint32_t)((gate) >> 32))
#define OPEN         (UINT64_C(1) << 31)
#define INSIDE(gate) ((uint32_t)(gate)&0x7fffffffu)

struct rn_pool {
    /* Changed in every round. Threads that join too late are not waited for: the caller does everything that nobody
       else has begun, so it never matters which threads get to run. */
    alignas(LINE) _Atomic uint64_t gate;
    rn_task task;
    void *context;
    int piece;

    alignas(LINE) atomic_int asleep; /* workers asleep that have not been called; changes under the lock */
    int calls;                       /* number of sleepers to wake */
    atomic_bool quit;
    pthread_mutex_t lock;
    pthread_cond_t wake;

    rn_hooks hooks;
    int size, started, helpers; /* workers with the caller; helper threads; how many of those may run at once */
    atomic_flag running;
    helper crew[MOST_THREADS];
    share shares[MOST_THREADS];
};

/* Pauses for about 10 ns. On aarch64 `yield` takes no time, and threads that poll slow down those that write. */
static void pause_shortly(void) {
#if defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#elif defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/* Waits a moment, for the `times`-th time, from 0. Yields at every POLITE-th, because the thread that it waits for may
   need this core. */
static void spin_once(int times) {
    if (times % POLITE == POLITE - 1) sched_yield();
    else pause_shortly();
}

/* Runs pieces of the round as worker `index`, its own share first, then what is left of the others', until every piece
   has been taken. Others may still be running theirs. */
static void run_share(rn_pool *pool, int index) {
    for (int i = 0; i < pool->size; i++) {
        share *from = &pool->shares[index + i < pool->size ? index + i : index + i - pool->size];
        while (atomic_load_explicit(&from->next, memory_order_relaxed) < from->end) {
            const int begin = atomic_fetch_add_explicit(&from->next, pool->piece, memory_order_relaxed);
            if (begin >= from->end) break;
            const int end = from->end - begin < pool->piece ? from->end : begin + pool->piece;
            pool->task(pool->context, begin, end, index);
        }
    }
}

/* Counts this thread into round `round` if that is still open. Returns false if it is too late. */
static bool join_round(rn_pool *pool, uint32_t round) {
    uint64_t gate = atomic_load_explicit(&pool->gate, memory_order_relaxed);
    while (ROUND(gate) == round && gate & OPEN)
        if (atomic_compare_exchange_weak_explicit(&pool->gate, &gate, gate + 1, memory_order_acquire,
                                                  memory_order_relaxed))
            return true;
    return false;
}

/* Sleeps until this thread is called, until a round other than `seen` has begun, or until the pool quits. No call is
   missed: either the thread that counts itself asleep sees the new round, or the thread that begins the round sees a
   sleeper. */
static void sleep_until_called(rn_pool *pool, uint32_t seen) {
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->asleep, 1);
    while (pool->calls == 0 && !atomic_load(&pool->quit) && ROUND(atomic_load(&pool->gate)) == seen)
        pthread_cond_wait(&pool->wake, &pool->lock);
    if (pool->calls > 0) pool->calls--;
    else atomic_fetch_sub(&pool->asleep, 1);
    pthread_mutex_unlock(&pool->lock);
}

/* The main function of a helper thread, whose argument is its `helper`: spins, then sleeps until a round begins, does
   its share if it is in time, and repeats until the pool quits. */
static void *run_helper(void *argument) {
    const helper *self = argument;
    rn_pool *pool = self->pool;
    uint32_t seen = 0;
    for (;;) {
        uint32_t round = seen;
        for (int times = 0; round == seen && times < SPINS && pool->helpers; times++) {
            spin_once(times);
            round = ROUND(atomic_load_explicit(&pool->gate, memory_order_relaxed));
        }
        if (round == seen) sleep_until_called(pool, seen);
        round = ROUND(atomic_load_explicit(&pool->gate, memory_order_acquire));
        if (atomic_load_explicit(&pool->quit, memory_order_relaxed)) return NULL;
        if (round == seen) continue;
        seen = round;
        if (!join_round(pool, round)) continue;
        run_share(pool, self->index);
        atomic_fetch_sub_explicit(&pool->gate, 1, memory_order_release);
    }
}

/* Wakes helpers until `wanted` are awake, at most pool->helpers. Does not wait for them. Waking takes longer than most
   rounds, so none is woken if enough are awake already. */
static void wake_helpers(rn_pool *pool, int wanted) {
    if (wanted > pool->helpers) wanted = pool->helpers;
    if (pool->started - atomic_load(&pool->asleep) >= wanted) return;
    pthread_mutex_lock(&pool->lock);
    const int asleep = atomic_load(&pool->asleep), missing = wanted - (pool->started - asleep);
    for (int i = 0; i < missing && i < asleep; i++) {
        pool->calls++;
        atomic_fetch_sub(&pool->asleep, 1);
        pthread_cond_signal(&pool->wake);
    }
    pthread_mutex_unlock(&pool->lock);
}

/* Returns RN_INVALID, with a message, unless a host gives all hooks for its threads, with 1 to MOST_WORKERS workers, or
   none. */
static rn_result check_hooks(const rn_hooks *hooks) {
    const bool some = hooks->workers || hooks->task_start || hooks->task_wait;
    const bool all = hooks->task_start && hooks->task_wait && hooks->workers >= 1 && hooks->workers <= MOST_WORKERS;
    if (!some || all) return RN_OK;
    return rn_fail(
        RN_INVALID,
        "hooks: a host with threads of its own must set task_start, task_wait and workers from 1 to %d (workers is %d)",
        MOST_WORKERS, hooks->workers);
}

/* Starts helpers for this many threads, the caller included (0: one per core), at most MOST_THREADS; fewer if the
   system refuses. Sets pool->started, pool->size, and pool->helpers: at most one fewer than cores. */
static void start_threads(rn_pool *pool, int threads) {
    const int cores = rn_cores();
    int wanted = threads > 0 ? threads : cores;
    if (wanted > MOST_THREADS) wanted = MOST_THREADS;
    pool->helpers = wanted < cores ? wanted - 1 : cores - 1;
    for (int i = 1; i < wanted; i++) {
        helper *self = &pool->crew[i];
        *self = (helper){.pool = pool, .index = i};
        if (pthread_create(&self->thread, NULL, run_helper, self) != 0) break;
        pool->started++;
    }
    pool->size = pool->started + 1; /* fewer threads than requested give the same result */
}

rn_pool *rn_pool_create(const rn_hooks *hooks, int threads) {
    if (hooks && check_hooks(hooks) != RN_OK) return NULL;
    rn_pool *pool = rn_alloc(hooks, 1, sizeof *pool);
    if (!pool) return NULL;
    if (hooks) pool->hooks = *hooks;
    atomic_flag_clear(&pool->running);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    if (pool->hooks.task_start) pool->size = pool->hooks.workers;
    else start_threads(pool, threads);
    return pool;
}

rn_result rn_pool_refusal(const rn_hooks *hooks) {
    return hooks && check_hooks(hooks) != RN_OK ? RN_INVALID : RN_MEMORY;
}

void rn_pool_destroy(rn_pool *pool) {
    if (!pool) return;
    pthread_mutex_lock(&pool->lock);
    atomic_store(&pool->quit, true);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 1; i <= pool->started; i++) pthread_join(pool->crew[i].thread, NULL);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->lock);
    const rn_hooks hooks = pool->hooks;
    rn_free(&hooks, pool);
}

int rn_pool_size(const rn_pool *pool) { return pool->size; }

/* Runs a task for items 0 to count - 1, at least 1, on this thread and the pool's own, and waits until all of it is
   done. */
static void run_round(rn_pool *pool, int count, rn_task task, void *context) {
    const int pieces = pool->size * PIECES < count ? pool->size * PIECES : count;
    pool->task = task;
    pool->context = context;
    pool->piece = (count + pieces - 1) / pieces;
    for (int i = 0; i < pool->size; i++) {
        pool->shares[i].end = (int)((int64_t)count * (i + 1) / pool->size);
        atomic_store_explicit(&pool->shares[i].next, (int)((int64_t)count * i / pool->size), memory_order_relaxed);
    }
    const uint64_t round = ROUND(atomic_load_explicit(&pool->gate, memory_order_relaxed)) + UINT64_C(1);
    atomic_store(&pool->gate, round << 32 | OPEN);
    wake_helpers(pool, pieces - 1);
    run_share(pool, 0);
    uint64_t gate = atomic_fetch_and_explicit(&pool->gate, ~OPEN, memory_order_acquire);
    for (int times = 0; INSIDE(gate) > 0; times++) {
        spin_once(times < SPINS ? times : POLITE - 1);
        gate = atomic_load_explicit(&pool->gate, memory_order_acquire);
    }
}

/* A task on the host's threads, and how many of its items are done. */
typedef struct host_task {
    const rn_pool *pool;
    rn_task task;
    void *context;
    atomic_int done;
} host_task;

/* Runs a piece, items begin to end - 1 of a host_task, on one of the host's threads and counts its items. A worker
   beyond the host's is misuse. */
static void run_host_piece(void *context, int begin, int end, int worker) {
    host_task *e = context;
    if (!RN_REQUIRE(&e->pool->hooks, worker >= 0 && worker < e->pool->hooks.workers)) return;
    e->task(e->context, begin, end, worker);
    atomic_fetch_add_explicit(&e->done, end - begin, memory_order_relaxed);
}

/* Runs a task on the host's threads and waits for it; a host that does not run every item once misuses the API. */
static void run_hosted(const rn_pool *pool, int count, rn_task task, void *context) {
    const rn_hooks *hooks = &pool->hooks;
    host_task e = {.pool = pool, .task = task, .context = context};
    void *started = hooks->task_start(hooks->user, run_host_piece, count, count / (pool->size * PIECES) + 1, &e);
    if (started) hooks->task_wait(hooks->user, started);
    const int every_item = count, done = atomic_load_explicit(&e.done, memory_order_relaxed);
    (void)RN_REQUIRE(hooks, done == every_item);
}

void rn_parallel_for(rn_pool *pool, int count, rn_task task, void *context) {
    if (count <= 0) return;
    const bool inside_a_task = atomic_flag_test_and_set_explicit(&pool->running, memory_order_relaxed);
    if (!RN_REQUIRE(&pool->hooks, !inside_a_task)) return;
    if (pool->size == 1 || count == 1) task(context, 0, count, 0);
    else if (pool->hooks.task_start) run_hosted(pool, count, task, context);
    else run_round(pool, count, task, context);
    atomic_flag_clear_explicit(&pool->running, memory_order_relaxed);
}
