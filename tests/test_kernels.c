/* src/kernels compiled as C++ with one lane, which is how CUDA compiles it, gives the bits that C gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel_values.h"

enum { ROUNDS = 6 };

static uint32_t seed = 2463534242u;

static uint32_t random_word(void) {
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed;
}

static float of_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float between(float low, float high) { return low + (high - low) * ((float)(random_word() >> 8) * 0x1p-24f); }

/* The NaN that this machine computes. Of two NaNs an operation may give either, so all must be the same. */
static float machine_nan(void) {
    volatile float zero = 0.0f;
    return zero / zero;
}

/* Zeros of both signs, the smallest and the largest, what is infinite, NaN, and any other bits. */
static float edge(void) {
    static const uint32_t specials[] = {0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff,
                                        0x00800000, 0x80800000, 0x3f800000, 0xbf800000, 0x3f7fffff, 0x34000000,
                                        0x33800000, 0x35860000, 0x4b000000, 0x7f7fffff, 0xff7fffff, 0x7f800000,
                                        0xff800000, 0x7fc00000, 0x358637bd, 0x40490fdb};
    const uint32_t kind = random_word() % 3;
    if (kind == 1) return (float)((int32_t)random_word() % 16) * 0x1p-24f;
    const uint32_t word = random_word();
    const float any = of_bits(kind == 0 ? specials[word % (sizeof specials / sizeof *specials)] : word);
    return any == any ? any : machine_nan();
}

/* What a step could ask: depths of 0 or more in quanta, ceilings above, slopes and drags above 0, no -0. */
static float sound(int k) {
    const float scale = random_word() % 4 ? 1.0f : 1e-5f;
    switch (k) {
    case 0:
    case 3: return between(0.0f, 1.0f) * scale; /* base */
    case 1:
    case 4: return random_word() % 3 ? between(0.0f, 0.5f) * scale : 0.0f; /* depth */
    case 2:
    case 5: return random_word() % 2 ? 1e30f : between(1.0f, 2.0f);                  /* ceiling */
    case 6: return random_word() % 5 ? between(1e-6f, 0.5f) : between(2e-7f, 1e-5f); /* H */
    case 8: return between(1.0f, 4.0f);                                              /* e */
    case 9: return between(1e-6f, 1e-3f);                                            /* D */
    case 10: return random_word() % 2 ? 1.0f : between(1.0f, 50.0f);                 /* m, phi */
    case 15: return random_word() % 3 ? between(0.0f, 1.0f) : 1.0f;                  /* a share */
    case 13:
    case 16:
    case 17:
    case 18:
    case 19:
    case 20:
    case 21: return between(1e-6f, 1.0f);
    case 22:
    case 23: return between(0.01f, 1.0f);                 /* a part */
    default: return between(-0.1f, 0.1f) * scale + 1e-9f; /* signed */
    }
}

static const kernel_case cases[] = {
    {.cell = 0.01f, .dt = 1e-3f, .nu3 = 3e-6f, .fastest = 10.0f},
    {.cell = 0.0005f, .dt = 1e-4f, .nu3 = 1.2e-5f, .fastest = 0.5f, .implicit = true},
    {.cell = 0.0005f, .dt = 1e-4f, .nu3 = 3e-6f, .fastest = 1.0f, .contact = true},
    {.cell = 1.0f, .dt = 1e-2f, .nu3 = 0.0f, .fastest = 40.0f},
};

static bool same(float a, float b) {
    if (a != a || b != b) return a != a && b != b;
    return !memcmp(&a, &b, sizeof a);
}

typedef struct rows {
    float in[KERNEL_INPUTS * KERNEL_ROWS];
    float cpp[KERNEL_VALUES_MOST * KERNEL_ROWS], c[KERNEL_VALUES_MOST * KERNEL_ROWS];
} rows;

static void compare(rows *r, kernel_values *c, bool edges) {
    for (int round = 0; round < ROUNDS; round++) {
        const kernel_case *how = &cases[round % (int)(sizeof cases / sizeof *cases)];
        for (int k = 0; k < KERNEL_INPUTS; k++)
            for (int row = 0; row < KERNEL_ROWS; row++)
                r->in[k * KERNEL_ROWS + row] = edges && random_word() % 3 == 0 ? edge() : sound(k);
        const int count = kernel_values_one(how, r->in, r->cpp);
        assert_int_equal(c(how, r->in, r->c), count);
        assert_true(count <= KERNEL_VALUES_MOST);
        for (int v = 0; v < count; v++)
            for (int row = 0; row < KERNEL_ROWS; row++) {
                const float cpp = r->cpp[v * KERNEL_ROWS + row], plain = r->c[v * KERNEL_ROWS + row];
                if (!same(cpp, plain))
                    fail_msg("%s: C++ gives %a, C %a (row %d)", kernel_value_name(v), (double)cpp, (double)plain, row);
            }
    }
}

/* One lane as well, so whatever comes in, the bits agree. */
static void edges_as_plain_c(void **state) { compare(*state, kernel_values_plain, true); }

/* As many lanes as the machine has: of two zeros its minimum may take either, and a lost number may be seen by the
   lanes beside it, so only what a step could ask. */
static void sound_as_this_machine(void **state) { compare(*state, kernel_values_natural, false); }

static int setup(void **state) { return (*state = malloc(sizeof(rows))) ? 0 : -1; }
static int teardown(void **state) { return free(*state), 0; }

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(edges_as_plain_c, setup, teardown),
        cmocka_unit_test_setup_teardown(sound_as_this_machine, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
