/* The free-surface conditions of Gates 2001: three rules against each of the 63 listed cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/gates.h"

#include "physics/gates_listing.h"

#include <math.h>

enum { CASES = 64, STATES = 1000 };

static uint32_t seed;
static double random_number(double low, double high) {
    seed = seed * 1664525u + 1013904223u;
    return low + (high - low) * (seed >> 8) / 16777216.0;
}

/* A cell with random speeds, sides and body force. Sides are equal if `even`. */
typedef struct state {
    float face[6], spacing[3], gain[3];
    double listed[6], sides[3], force[3];
} state;

static const double dt = 0.5; /* s; a power of two, so that gain = force dt is exact */

static state make_state(int even) {
    state s;
    for (int i = 0; i < 6; i++) s.listed[i] = s.face[i] = (float)random_number(-2.0, 2.0);
    for (int a = 0; a < 3; a++) {
        s.sides[a] = s.spacing[a] = a && even ? s.spacing[0] : (float)random_number(0.3, 3.0);
        s.force[a] = (float)random_number(-9.0, 9.0);
        s.gain[a] = (float)(s.force[a] * dt);
    }
    return s;
}

static void unpack(unsigned flag, uint8_t empty[6]) {
    for (int i = 0; i < 6; i++) empty[i] = flag >> (5 - i) & 1u;
}

/* The largest speed that a term of a formula may have, which bounds its rounding. */
static double scale_of(const state *s) {
    double sum = 0.0, longest = 0.0;
    for (int a = 0; a < 3; a++) {
        sum += (fabs(s->listed[2 * a]) + fabs(s->listed[2 * a + 1]) + 2.0 * fabs(s->force[a] * dt)) / s->sides[a];
        longest = fmax(longest, s->sides[a]);
    }
    return sum * longest;
}

static void rules_match_the_listing(int even) {
    for (unsigned flag = 0; flag < CASES; flag++) {
        uint8_t empty[6];
        unpack(flag, empty);
        for (int i = 0; i < STATES; i++) {
            state s = make_state(even);
            const double rounding = 4e-7 * scale_of(&s);
            gates_listing(flag, s.listed, s.sides, s.force, dt);
            rn_gates(s.face, empty, s.spacing, s.gain);
            for (int f = 0; f < 6; f++)
                if (!(fabs((double)s.face[f] - s.listed[f]) <= rounding))
                    fail_msg("case %02x, face %d: %.8g, the paper has %.8g", flag, f, (double)s.face[f], s.listed[f]);
        }
    }
}

static void cubes_match_the_listing(void **unused) {
    (void)unused;
    rules_match_the_listing(1);
}

static void unequal_sides_match_the_listing(void **unused) {
    (void)unused;
    rules_match_the_listing(0);
}

/* Faces to neighbours that are not empty keep their speeds to the bit. */
static void other_faces_are_left_alone(void **unused) {
    (void)unused;
    for (unsigned flag = 0; flag < CASES; flag++) {
        uint8_t empty[6];
        unpack(flag, empty);
        state s = make_state(0), before = s;
        rn_gates(s.face, empty, s.spacing, s.gain);
        for (int f = 0; f < 6; f++)
            if (!empty[f]) assert_true(s.face[f] == before.face[f]);
    }
}

static double divergence(const float face[6], const float spacing[3]) {
    double sum = 0.0;
    for (int a = 0; a < 3; a++) sum += ((double)face[2 * a + 1] - (double)face[2 * a]) / (double)spacing[a];
    return sum;
}

/* All but the lonely cell, 111111, whose faces fall freely. */
static void all_cases_but_one_are_free_of_divergence(void **unused) {
    (void)unused;
    int zero = 0;
    for (unsigned flag = 1; flag < CASES; flag++) {
        uint8_t empty[6];
        unpack(flag, empty);
        double worst = 0.0;
        for (int i = 0; i < STATES; i++) {
            state s = make_state(0);
            rn_gates(s.face, empty, s.spacing, s.gain);
            worst = fmax(worst, fabs(divergence(s.face, s.spacing)));
        }
        zero += worst < 2e-5;
        if (flag == CASES - 1) assert_true(worst > 1.0);
    }
    assert_int_equal(zero, 62);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cubes_match_the_listing),
        cmocka_unit_test(unequal_sides_match_the_listing),
        cmocka_unit_test(other_faces_are_left_alone),
        cmocka_unit_test(all_cases_but_one_are_free_of_divergence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
