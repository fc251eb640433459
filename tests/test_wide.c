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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(natural),
        cmocka_unit_test(plain),
        cmocka_unit_test(one),
#if defined(HAS_WIDER)
        cmocka_unit_test(avx2),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
