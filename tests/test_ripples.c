/* Detail outdoors: ripples go on past their edges, and liquid churns where its velocity changes. */
#include "render/ripples.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SIDE = RN_RIPPLES_SIDE };

static int differ(uint8_t (*texels)[4], int x0, int y0, int x1, int y1, int channel) {
    return abs(texels[y0 * SIDE + x0][channel] - texels[y1 * SIDE + x1][channel]);
}

/* The step over the seam is none that there are not elsewhere. */
static void test_seamless(void **state) {
    (void)state;
    uint8_t(*texels)[4] = malloc(SIDE * SIDE * sizeof *texels);
    assert_non_null(texels);
    rn_ripples_make(texels);
    for (int channel = 0; channel < 4; channel++) {
        int within = 0, over = 0, sum = 0;
        for (int i = 0; i < SIDE; i++) {
            for (int x = 1; x < SIDE; x++) {
                within = (int)fmax(within, differ(texels, x - 1, i, x, i, channel));
                within = (int)fmax(within, differ(texels, i, x - 1, i, x, channel));
            }
            over = (int)fmax(over, differ(texels, SIDE - 1, i, 0, i, channel));
            over = (int)fmax(over, differ(texels, i, SIDE - 1, i, 0, channel));
            for (int x = 0; x < SIDE; x++) sum += texels[i * SIDE + x][channel];
        }
        assert_true(over <= within && within < 64);
        if (channel < 2) assert_true(abs(sum / (SIDE * SIDE) - 127) <= 1); /* waves lean to no side */
    }
    free(texels);
}

/* What turns like a wheel differs by the same everywhere, however steep the triangles are. */
static void test_churn(void **state) {
    (void)state;
    float positions[] = {0, 0, 0, 2, 0, 0, 2, 2, 5, 0, 2, 0}, velocities[12], churn[4], room[8];
    uint32_t indices[] = {0, 1, 2, 0, 2, 3};
    rn_mesh m = {.positions = positions, .velocities = velocities, .indices = indices};
    m.vertex_count = 4;
    m.triangle_count = 2;
    for (int v = 0; v < 4; v++) { /* turns at 3 rad/s, while all of it drifts */
        velocities[3 * v] = 7 - 3 * positions[3 * v + 1];
        velocities[3 * v + 1] = -2 + 3 * positions[3 * v];
        velocities[3 * v + 2] = 100 * (float)v;
    }
    rn_churn_find(&m, churn, room);
    for (int v = 0; v < 4; v++) assert_float_equal(churn[v], 3 * sqrtf(2), 1e-5);
    for (int i = 0; i < 12; i++) velocities[i] = 9;
    rn_churn_find(&m, churn, room);
    for (int v = 0; v < 4; v++) assert_float_equal(churn[v], 0, 0);
    m.velocities = NULL;
    churn[2] = 5;
    rn_churn_find(&m, churn, room);
    assert_float_equal(churn[2], 0, 0);
}

/* Triangles that stand upright say nothing. */
static void test_upright(void **state) {
    (void)state;
    float positions[] = {0, 0, 0, 1, 0, 0, 1, 0, 4}, velocities[] = {0, 0, 0, 5, 5, 5, 1, 2, 3}, churn[3], room[6];
    uint32_t indices[] = {0, 1, 2};
    const rn_mesh m = {
        .positions = positions, .velocities = velocities, .indices = indices, .vertex_count = 3, .triangle_count = 1};
    rn_churn_find(&m, churn, room);
    for (int v = 0; v < 3; v++) assert_float_equal(churn[v], 0, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seamless),
        cmocka_unit_test(test_churn),
        cmocka_unit_test(test_upright),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
