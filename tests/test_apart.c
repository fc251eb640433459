/* Readers in processes of their own: what they hand over, and what the host hears of those that go wrong. */
#include "base/error.h"
#include "base/memory.h"
#include "io/file/apart.h"
#include "sanitized.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const rn_apart_limits limits = {.path = "cow.obj", .kind = "meshes"};

/* Of a sentence that may be longer. */
static void assert_told(const char *part) {
    if (!strstr(rn_last_error(), part)) fail_msg("\"%s\" does not hold \"%s\"", rn_last_error(), part);
}

static void assert_no_children(void) { assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); }

static rn_result count_up(void *context, rn_reply *reply) {
    const size_t count = *(const size_t *)context;
    uint32_t *numbers = rn_alloc(NULL, count, sizeof *numbers);
    if (!numbers) return RN_MEMORY;
    for (size_t i = 0; i < count; i++) numbers[i] = (uint32_t)i;
    *reply = (rn_reply){numbers, count * sizeof *numbers};
    return RN_OK;
}

/* Many times what a pipe holds. */
static void test_large_reply(void **state) {
    (void)state;
    size_t count = 3000001;
    rn_reply reply;
    assert_int_equal(rn_apart(count_up, &count, &limits, &reply), RN_OK);
    assert_int_equal(reply.size, count * sizeof(uint32_t));
    const uint32_t *numbers = reply.bytes;
    for (size_t i = 0; i < count; i++)
        if (numbers[i] != i) fail_msg("number %zu is %u", i, numbers[i]);
    rn_free(NULL, reply.bytes);
    assert_no_children();
}

static void test_empty_reply(void **state) {
    (void)state;
    size_t count = 0;
    rn_reply reply;
    assert_int_equal(rn_apart(count_up, &count, &limits, &reply), RN_OK);
    assert_int_equal(reply.size, 0);
    rn_free(NULL, reply.bytes);
}

static void test_reply_limit(void **state) {
    (void)state;
    size_t count = 300000;
    rn_reply reply;
    rn_apart_limits small = limits;
    small.reply_size = 1 << 20;
    assert_int_equal(rn_apart(count_up, &count, &small, &reply), RN_LIMIT);
    assert_told("cow.obj: holds more than the 1 MiB allowed");
    assert_null(reply.bytes);
    assert_no_children();
}

/* What the work changes stays where it is done, and what it prints is not seen. */
static rn_result change(void *context, rn_reply *reply) {
    (void)reply;
    *(int *)context = 2;
    puts("noise");
    fputs("noise", stderr);
    fflush(stdout);
    return rn_fail(RN_FORMAT, "cow.obj:3: a face needs corners");
}

static void test_own_sentence(void **state) {
    (void)state;
    int value = 1;
    rn_reply reply;
    fflush(stdout);
    int ends[2], before = dup(STDOUT_FILENO);
    assert_int_equal(pipe(ends), 0);
    dup2(ends[1], STDOUT_FILENO);
    rn_result result = rn_apart(change, &value, &limits, &reply);
    dup2(before, STDOUT_FILENO);
    close(before);
    close(ends[1]);
    char heard[8];
    assert_int_equal(read(ends[0], heard, sizeof heard), 0);
    close(ends[0]);
    assert_int_equal(result, RN_FORMAT);
    assert_string_equal(rn_last_error(), "cow.obj:3: a face needs corners");
    assert_int_equal(value, 1);
    assert_no_children();
}

typedef enum fault { ABORTS, FOLLOWS_NULL, LEAVES, WRITES_RUBBISH, LOOPS, SLEEPS, ALLOCATES, STOPS } fault;

static rn_result go_wrong(void *context, rn_reply *reply) {
    (void)reply;
    volatile int *nowhere = NULL;
    volatile size_t total = 0;
    switch (*(const fault *)context) {
    case ABORTS: abort();
    case FOLLOWS_NULL: *nowhere = 1; break;
    case LEAVES: _exit(0);
    case WRITES_RUBBISH: /* to whatever is open, the pipe among it */
        for (int file = 3; file < 64; file++)
            if (write(file, "all of this is rubbish, and more of it than a header has", 56) < 0) continue;
        _exit(0);
    case LOOPS:
        for (;;) total++;
    case SLEEPS:
        for (;;) pause();
    case ALLOCATES:
        for (void *volatile more;;)
            if (!(more = malloc(16 << 20))) abort();
    case STOPS: raise(SIGINT);
    }
    return RN_OK;
}

/* Two minutes pass whenever somebody looks. */
static double quick_clock(void) {
    static double now;
    return now += 120;
}

static void check(fault what, rn_result wanted, const char *sentence) {
    rn_reply reply;
    rn_apart_limits hasty = limits;
    if (what == LOOPS) hasty.seconds = 1;
    if (what == SLEEPS) hasty.now = quick_clock;
    hasty.memory = (size_t)256 << 20;
    rn_result result = rn_apart(go_wrong, &what, &hasty, &reply);
    assert_told(sentence);
    assert_int_equal(result, wanted);
    assert_null(reply.bytes);
    assert_no_children();
}

static void test_crashes(void **state) {
    (void)state;
    static const char crashed[] = "cow.obj: the reader of meshes crashed on it";
    check(ABORTS, RN_FORMAT, crashed);
    check(FOLLOWS_NULL, RN_FORMAT, crashed);
    check(LEAVES, RN_FORMAT, crashed);
    check(WRITES_RUBBISH, RN_FORMAT, crashed);
}

static void test_time(void **state) {
    (void)state;
    struct rusage used;
    check(SLEEPS, RN_LIMIT, "cow.obj: takes more than 600 s to read");
    assert_int_equal(getrusage(RUSAGE_CHILDREN, &used), 0);
    const long before = used.ru_utime.tv_sec + used.ru_stime.tv_sec;
    check(LOOPS, RN_LIMIT, "cow.obj: takes more than 1 s to read");
    assert_int_equal(getrusage(RUSAGE_CHILDREN, &used), 0);
    assert_in_range(used.ru_utime.tv_sec + used.ru_stime.tv_sec - before, 0, 3);
}

static void test_memory(void **state) {
    (void)state;
    if (SANITIZED) skip();
    check(ALLOCATES, RN_MEMORY, "cow.obj: takes more than 256 MiB of memory to read");
}

static void test_interrupted(void **state) {
    (void)state;
    signal(SIGINT, SIG_IGN); /* as a host may */
    check(STOPS, RN_INTERRUPTED, "cow.obj: reading was interrupted");
    signal(SIGINT, SIG_DFL);
}

/* A host that has no use for its children's ends. */
static void test_ignored_children(void **state) {
    (void)state;
    signal(SIGCHLD, SIG_IGN);
    size_t count = 1000;
    rn_reply reply;
    assert_int_equal(rn_apart(count_up, &count, &limits, &reply), RN_OK);
    rn_free(NULL, reply.bytes);
    check(ABORTS, RN_FORMAT, "crashed");
    signal(SIGCHLD, SIG_DFL);
}

/* Several at once, from threads that allocate all the while. A sanitizer's allocator may be left locked in the child.
 */
static void *read_many(void *context) {
    (void)context;
    for (int i = 0; i < 20; i++) {
        size_t count = (size_t)(1000 * i);
        rn_reply reply;
        rn_result result = rn_apart(count_up, &count, &limits, &reply);
        const bool right = result == RN_OK && reply.size == count * sizeof(uint32_t) &&
                           (count == 0 || ((uint32_t *)reply.bytes)[count - 1] == count - 1);
        rn_free(NULL, reply.bytes);
        if (!right) return "wrong";
    }
    return NULL;
}

static void test_threads(void **state) {
    (void)state;
    if (SANITIZED) skip();
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&threads[i], NULL, read_many, NULL), 0);
    for (int i = 0; i < 4; i++) {
        void *said;
        pthread_join(threads[i], &said);
        assert_null(said);
    }
    assert_no_children();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_large_reply),      cmocka_unit_test(test_empty_reply),
        cmocka_unit_test(test_reply_limit),      cmocka_unit_test(test_own_sentence),
        cmocka_unit_test(test_crashes),          cmocka_unit_test(test_time),
        cmocka_unit_test(test_memory),           cmocka_unit_test(test_interrupted),
        cmocka_unit_test(test_ignored_children), cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
