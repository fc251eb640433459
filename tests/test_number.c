/* Decimal numbers in text files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/file/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double must_parse(const char *text) {
    double number = 12345;
    if (!rn_number_parse(text, strlen(text), &number)) fail_msg("\"%s\" is not read", text);
    return number;
}

static void numbers_are_those_of_the_compiler(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double number;
    } cases[] = {{"0", 0},
                 {"-.5", -.5},
                 {"+7.", 7},
                 {"2e-3", 2e-3},
                 {"1E+2", 1e2},
                 {"007", 7},
                 {"691234.25", 691234.25},
                 {"0.1", 0.1},
                 {"3.141592653589793", 3.141592653589793},
                 {"9007199254740993", 9007199254740992.0}, /* 2^53 + 1 lies between two doubles */
                 {"123456789012345678901234567890", 123456789012345678901234567890.0},
                 {"1e22", 1e22},
                 {"1e23", 1e23},
                 {"1.7976931348623157e308", 1.7976931348623157e308},
                 {"4.9e-324", 4.9e-324},
                 {"2.2250738585072014e-308", 2.2250738585072014e-308},
                 {"0.000000000000000000000000000001", 1e-30}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (must_parse(cases[i].text) != cases[i].number)
            fail_msg("\"%s\" is read as %.17g", cases[i].text, must_parse(cases[i].text));
    assert_true(signbit(must_parse("-0")));
}

static void what_is_not_finite_is_read(void **state) {
    (void)state;
    static const char *const nothing[] = {"nan", "NaN", "-nan", "nan(ind)", "-nan(ind)", "1.#IND", "-1.#QNAN"};
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++) assert_true(isnan(must_parse(nothing[i])));
    assert_true(must_parse("inf") == (double)INFINITY && must_parse("+Infinity") == (double)INFINITY);
    assert_true(must_parse("1.#INF") == (double)INFINITY && must_parse("-1.#INF00") == -(double)INFINITY);
    assert_true(must_parse("-inf") == -(double)INFINITY && must_parse("1e999") == (double)INFINITY);
}

static void other_texts_are_refused(void **state) {
    (void)state;
    static const char *const others[] = {"",   "-",  ".",   "+.",    "e5", "1e",      "1e+",   "1,5",  "0x10", "1 ",
                                         " 1", "1f", "--1", "1.2.3", "in", "infinit", "nanny", "nan(", "four"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        double number = 12345;
        if (rn_number_parse(others[i], strlen(others[i]), &number)) fail_msg("\"%s\" is read as %g", others[i], number);
        assert_true(number == 12345);
    }
    char longest[300];
    double number;
    memset(longest, '1', sizeof longest);
    assert_true(rn_number_parse(longest, 255, &number));
    assert_false(rn_number_parse(longest, 256, &number));
    assert_true(rn_number_parse("12345", 3, &number) && number == 123); /* no more bytes than are given */
}

/* Digits, points and exponents of all kinds are rounded as strtod does it. */
static void numbers_are_rounded_to_the_nearest(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 20000; i++) {
        char text[64];
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const uint64_t digits = seed >> (i % 60);
        const int exponent = (int)(seed >> 33) % 40 - 20, before = i % 12;
        if (i % 3 == 0) snprintf(text, sizeof text, "%llue%d", (unsigned long long)digits, exponent);
        else if (i % 3 == 1) snprintf(text, sizeof text, "-%d.%llu", before, (unsigned long long)digits);
        else snprintf(text, sizeof text, ".%0*llu", before + 1, (unsigned long long)digits);
        if (must_parse(text) != strtod(text, NULL))
            fail_msg("\"%s\" is read as %.17g, not %.17g", text, must_parse(text), strtod(text, NULL));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_those_of_the_compiler),
        cmocka_unit_test(what_is_not_finite_is_read),
        cmocka_unit_test(other_texts_are_refused),
        cmocka_unit_test(numbers_are_rounded_to_the_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
