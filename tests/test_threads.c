/* Sharing work: each item once whoever does it, any number of threads, the host's instead of our own, and the same
   bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/platform.h"
#include "base/threads.h"

#include <pthread.h>
#include <runnel/runnel.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Threads of which only some can be had. */
enum { ALL = 1 << 30 };
static int threads_left = ALL;
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *context);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *context);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *context) {
    if (threads_left-- <= 0) return 11;
    return __real_pthread_create(thread, attributes, start, context);
}

/* ---- Pools ----------------------------------------------------------------------------------------------------- */

enum { ITEMS = 10000, WORKERS = 1024 };

typedef struct tally {
    int times[ITEMS]; /* that an item was done */
    int64_t sums[WORKERS];
    atomic_int inside[WORKERS]; /* calls that run with this number */
    atomic_bool wrong;
    int pause; /* us, for every piece */
} tally;

static void count_items(void *context, int begin, int end, int worker) {
    tally *t = context;
    if (begin >= end) atomic_store(&t->wrong, true);
    if (worker < 0 || worker >= WORKERS || atomic_fetch_add(&t->inside[worker], 1) != 0) atomic_store(&t->wrong, true);
    for (int i = begin; i < end; i++) {
        t->times[i]++;
        t->sums[worker] += i;
    }
    if (t->pause) usleep((useconds_t)t->pause);
    atomic_fetch_sub(&t->inside[worker], 1);
}

static void share_out(rn_pool *pool, int count, int pause) {
    static tally t;
    memset(&t, 0, sizeof t);
    t.pause = pause;
    rn_parallel_for(pool, count, count_items, &t);
    int64_t sum = 0;
    for (int i = 0; i < WORKERS; i++) {
        if (t.sums[i] && i >= rn_pool_size(pool)) fail_msg("worker %d of %d", i, rn_pool_size(pool));
        sum += t.sums[i];
    }
    assert_false(t.wrong);
    assert_int_equal(sum, (int64_t)count * (count - 1) / 2);
    for (int i = 0; i < ITEMS; i++) assert_int_equal(t.times[i], i < count);
}

static void each_item_once(void **state) {
    (void)state;
    const int counts[] = {0, 1, 2, 3, 7, 63, 64, 65, 1000, ITEMS};
    for (int threads = 1; threads <= 64; threads += threads < 9 ? 1 : 11) {
        rn_pool *pool = rn_pool_create(NULL, threads);
        assert_int_equal(rn_pool_size(pool), threads);
        for (int again = 0; again < 20; again++)
            for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) share_out(pool, counts[i], 0);
        share_out(pool, 100, 100);
        rn_pool_destroy(pool);
    }
}

/* More of them are not made, and none means one per core. */
static void any_number_of_threads(void **state) {
    (void)state;
    rn_pool *pool = rn_pool_create(NULL, 1000);
    assert_int_equal(rn_pool_size(pool), 64);
    share_out(pool, ITEMS, 0);
    rn_pool_destroy(pool);
    pool = rn_pool_create(NULL, 0);
    assert_int_equal(rn_pool_size(pool), rn_cores() < 64 ? rn_cores() : 64);
    share_out(pool, ITEMS, 0);
    rn_pool_destroy(pool);
}

static void some_threads_cannot_be_had(void **state) {
    (void)state;
    for (int left = 0; left < 3; left++) {
        threads_left = left;
        rn_pool *pool = rn_pool_create(NULL, 4);
        threads_left = ALL;
        assert_int_equal(rn_pool_size(pool), left + 1);
        share_out(pool, ITEMS, 0);
        rn_pool_destroy(pool);
    }
}

/* Pools end at once, at whatever their threads are: not yet running, spinning or asleep. */
static void pools_end(void **state) {
    (void)state;
    const useconds_t rests[] = {0, 10, 100, 3000};
    for (int i = 0; i < 40; i++) {
        rn_pool *pool = rn_pool_create(NULL, 2 + i % 7);
        if (i % 3) share_out(pool, 200, 0);
        usleep(rests[i % 4]);
        if (i % 5 == 0) share_out(pool, 200, 0);
        rn_pool_destroy(pool);
    }
}

/* Threads that have gone to sleep are there again when there is work: two pieces that wait for each other. */
typedef struct meeting {
    atomic_int here;
    atomic_bool missed;
} meeting;

static void meet(void *context, int begin, int end, int worker) {
    meeting *m = context;
    (void)begin, (void)end, (void)worker;
    atomic_fetch_add(&m->here, 1);
    for (int ms = 0; atomic_load(&m->here) < 2; ms++) {
        if (ms > 3600000) atomic_store(&m->missed, true); /* not merely slow */
        if (ms > 3600000) return;
        usleep(1000);
    }
}

static void sleepers_wake(void **state) {
    (void)state;
    if (rn_cores() < 2) skip();
    rn_pool *pool = rn_pool_create(NULL, 5);
    for (int i = 0; i < 30; i++) {
        usleep(i % 2 ? 2000 : 0);
        meeting m = {0};
        rn_parallel_for(pool, 2, meet, &m);
        assert_false(m.missed);
    }
    rn_pool_destroy(pool);
}

static int misuses;
static void count_misuse(void *user, const char *rule, const char *file, int line) {
    (void)user, (void)rule, (void)file, (void)line;
    misuses++;
}

static void call_again(void *context, int begin, int end, int worker) {
    (void)end, (void)worker;
    if (begin == 0) rn_parallel_for(context, 10, count_items, NULL);
}

static void a_task_that_shares_out_is_misuse(void **state) {
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        misuses = 0;
        rn_pool *pool = rn_pool_create(&(rn_hooks){.misuse = count_misuse}, threads);
        rn_parallel_for(pool, 100, call_again, pool);
        assert_int_equal(misuses, 1);
        share_out(pool, 100, 0);
        rn_pool_destroy(pool);
    }
}

/* ---- Hosts ----------------------------------------------------------------------------------------------------- */

/* One that does it all itself, from the last item to the first, in pieces of its own. */
static void *start_backwards(void *user, rn_task task, int count, int least, void *context) {
    int *starts = user;
    ++*starts;
    assert_true(least >= 1 && least <= count);
    for (int end = count; end > 0; end -= 3) task(context, end < 3 ? 0 : end - 3, end, end % 4);
    return NULL;
}

static void wait_for_nothing(void *user, void *started) {
    (void)user, (void)started;
    fail_msg("nothing was started");
}

/* One with a thread for every worker, made anew every time. */
enum { HOST_WORKERS = 3 };
typedef struct host host;
typedef struct host_thread {
    pthread_t thread;
    host *of;
    int index;
} host_thread;
struct host {
    host_thread threads[HOST_WORKERS];
    rn_task task;
    void *context;
    int count, least, starts;
    atomic_int next;
};

static void *host_work(void *argument) {
    const host_thread *self = argument;
    host *h = self->of;
    for (;;) {
        const int begin = atomic_fetch_add(&h->next, h->least), end = begin + h->least;
        if (begin >= h->count) return NULL;
        h->task(h->context, begin, end < h->count ? end : h->count, self->index);
    }
}

static void *host_start(void *user, rn_task task, int count, int least, void *context) {
    host *h = user;
    h->task = task, h->context = context, h->count = count, h->least = least;
    h->starts++;
    atomic_store(&h->next, 0);
    for (int i = 0; i < HOST_WORKERS; i++) {
        h->threads[i].of = h, h->threads[i].index = i;
        assert_int_equal(pthread_create(&h->threads[i].thread, NULL, host_work, &h->threads[i]), 0);
    }
    return h;
}

static void host_wait(void *user, void *started) {
    host *h = user;
    assert_ptr_equal(started, h);
    for (int i = 0; i < HOST_WORKERS; i++) pthread_join(h->threads[i].thread, NULL);
}

static void a_host_shares_out(void **state) {
    (void)state;
    static host h;
    int starts = 0;
    const rn_hooks hosts[] = {
        {.user = &starts, .workers = 4, .task_start = start_backwards, .task_wait = wait_for_nothing},
        {.user = &h, .workers = HOST_WORKERS, .task_start = host_start, .task_wait = host_wait}};
    for (int i = 0; i < 2; i++) {
        threads_left = i ? ALL : 0; /* and has no threads of ours */
        rn_pool *pool = rn_pool_create(&hosts[i], 64);
        assert_int_equal(rn_pool_size(pool), hosts[i].workers);
        for (int count = 0; count < 100; count += 9) share_out(pool, count, 0);
        share_out(pool, ITEMS, 0);
        rn_pool_destroy(pool);
        threads_left = ALL;
    }
    assert_int_equal(starts, 12); /* all but the one without items */
    assert_int_equal(h.starts, 12);
}

static void *start_nothing(void *user, rn_task task, int count, int least, void *context) {
    (void)user, (void)task, (void)count, (void)least, (void)context;
    return NULL;
}

static void *start_as_nobody(void *user, rn_task task, int count, int least, void *context) {
    (void)user, (void)least;
    task(context, 0, count, 2);
    return NULL;
}

static void hosts_keep_to_the_rules(void **state) {
    (void)state;
    static tally t;
    rn_hooks hooks = {.misuse = count_misuse, .workers = 2, .task_start = start_nothing, .task_wait = wait_for_nothing};
    for (int i = 0; i < 2; i++) {
        misuses = 0;
        hooks.task_start = i ? start_as_nobody : start_nothing;
        rn_pool *pool = rn_pool_create(&hooks, 0);
        rn_parallel_for(pool, 10, count_items, &t);
        assert_int_equal(misuses, 1 + i); /* nothing was done, and by nobody */
        rn_pool_destroy(pool);
    }
    const rn_hooks halves[] = {{.workers = 2},
                               {.task_start = host_start, .task_wait = host_wait},
                               {.task_start = host_start, .workers = 2},
                               {.task_wait = host_wait, .workers = 2},
                               {.task_start = host_start, .task_wait = host_wait, .workers = -1},
                               {.task_start = host_start, .task_wait = host_wait, .workers = 1025}};
    for (size_t i = 0; i < sizeof halves / sizeof halves[0]; i++) {
        assert_null(rn_pool_create(&halves[i], 0));
        assert_non_null(strstr(rn_last_error(), "task_start, task_wait and workers"));
        assert_int_equal(rn_pool_refusal(&halves[i]), RN_INVALID);
        rn_terrain_def ground = rn_terrain_default();
        ground.cells_x = ground.cells_y = 4;
        ground.cell_size = 0.01;
        ground.solid = rn_sdf_plane((rn_vec3){0, 0, 0}, (rn_vec3){0, 0, 1});
        ground.hooks = halves[i];
        ground.threads = 2;
        rn_terrain *terrain;
        assert_int_equal(rn_terrain_create(&ground, &terrain), RN_INVALID);
    }
    assert_int_equal(rn_pool_refusal(NULL), RN_MEMORY);
}

/* ---- Worlds ---------------------------------------------------------------------------------------------------- */

static uint64_t hash_after(const char *scene, int threads, const rn_hooks *hooks) {
    char path[256];
    snprintf(path, sizeof path, "scenes/%s.json", scene);
    rn_scene_def def = {.path = path, .threads = threads};
    if (hooks) def.hooks = *hooks;
    rn_scene *s = NULL;
    if (rn_scene_open(&def, &s) != RN_OK) fail_msg("%s", rn_last_error());
    for (int frame = 0; frame < 5; frame++) assert_int_equal(rn_scene_step(s), RN_OK);
    const uint64_t hash = rn_world_hash(rn_scene_world(s));
    rn_scene_close(s);
    return hash;
}

static void worlds_do_not_notice(void **state) {
    (void)state;
    const char *const scenes[] = {"spill", "three-layers"};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        const uint64_t hash = hash_after(scenes[i], 1, NULL);
        const int counts[] = {2, 3, 5, 8, 64};
        for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++)
            if (hash_after(scenes[i], counts[k], NULL) != hash) fail_msg("%s with %d threads", scenes[i], counts[k]);
        static host h;
        int starts = 0;
        const rn_hooks backwards = {
            .user = &starts, .workers = 4, .task_start = start_backwards, .task_wait = wait_for_nothing};
        const rn_hooks threaded = {
            .user = &h, .workers = HOST_WORKERS, .task_start = host_start, .task_wait = host_wait};
        if (hash_after(scenes[i], 1, &backwards) != hash) fail_msg("%s, backwards", scenes[i]);
        if (hash_after(scenes[i], 1, &threaded) != hash) fail_msg("%s on the host's threads", scenes[i]);
        assert_true(starts > 0 && h.starts > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_item_once),
        cmocka_unit_test(any_number_of_threads),
        cmocka_unit_test(some_threads_cannot_be_had),
        cmocka_unit_test(pools_end),
        cmocka_unit_test(sleepers_wake),
        cmocka_unit_test(a_task_that_shares_out_is_misuse),
        cmocka_unit_test(a_host_shares_out),
        cmocka_unit_test(hosts_keep_to_the_rules),
        cmocka_unit_test(worlds_do_not_notice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
