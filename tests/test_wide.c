/* Every body of base/wide.h that this machine can run; tests/test_wide.sh has the others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/wide.h"

const char *wide_checks_natural(int *lanes);
const char *wide_checks_simple(int *lanes);
const char *wide_checks_wider(int *lanes);
const char *wide_checks_one(int *lanes);

static void check(const char *(*checks)(int *), int lanes_wanted) {
    int lanes = 0;
    const char *wrong = checks(&lanes);
    if (wrong) fail_msg("%s", wrong);
    assert_int_equal(lanes, lanes_wanted);
}

static void natural(void **state) {
    (void)state;
    check(wide_checks_natural, RN_LANES);
}

static void plain(void **state) {
    (void)state;
    check(wide_checks_simple, 1);
}

static void one(void **state) { /* C++ */
    (void)state;
    check(wide_checks_one, 1);
}

#if defined(HAS_WIDER)
static void avx2(void **state) {
    (void)state;
    if (!__builtin_cpu_supports("avx2")) skip();
    check(wide_checks_wider, 8);
}
#endif

/* gcc 12 for x86-64 drops the rounding of both if it makes one vector of them. */
static void narrow_pair(const double from[2], float to[2], double sum[2]) {
    to[0] = (float)from[0], to[1] = (float)from[1];
    sum[0] += (double)to[0], sum[1] += (double)to[1];
}

static void doubles_become_floats(void **state) {
    (void)state;
    const double thirds[2] = {1.0 / 3.0, 2.0 / 3.0};
    float narrow[2];
    double sum[2] = {0};
    void (*volatile narrowed)(const double *, float *, double *) = narrow_pair; /* no compiler sees through this call */
    narrowed(thirds, narrow, sum);
    assert_true(sum[0] == (double)0x1.555556p-2f && sum[1] == (double)0x1.555556p-1f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubles_become_floats),
        cmocka_unit_test(natural),
        cmocka_unit_test(plain),
        cmocka_unit_test(one),
#if defined(HAS_WIDER)
        cmocka_unit_test(avx2),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
