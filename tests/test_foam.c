/* Foam: born where liquid churns, carried with the flow, gone after some seconds, none on films. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "render/foam.h"
#include "surface_meshes.h"

#include <math.h>

enum { NX = 60, NY = 5 };
static const float cell = 0.1f;

/* A channel of this depth (m) with one vertex per column, all moving along x at `speed` (m/s). */
typedef struct channel {
    stack columns;
    rn_mesh mesh;
    float velocities[3 * NX * NY], churn[NX * NY];
    uint32_t ids[NX * NY];
    rn_foam foam;
} channel;

static void channel_make(channel *c, float depth, float speed) {
    memset(c, 0, sizeof *c);
    c->columns = stack_make(NX, NY, 1, cell, 10.0f);
    for (uint32_t i = 0; i < NX * NY; i++) {
        c->columns.base[i] = 0;
        c->columns.ceil[i] = 10;
        c->columns.depth[i] = depth;
        c->ids[i] = i;
        c->velocities[3 * i] = speed;
    }
    c->mesh = (rn_mesh){.ids = c->ids, .velocities = c->velocities, .vertex_count = NX * NY};
}

/* One frame of 1/60 s. churn: 1/s, at x = 10. */
static void step(channel *c, float churn) {
    memset(c->churn, 0, sizeof c->churn);
    for (int y = 0; y < NY; y++) c->churn[y * NX + 10] = churn;
    assert_int_equal(rn_foam_follow(&c->foam, &c->mesh, &c->columns.columns, 1.0f / 60.0f, c->churn), RN_OK);
}

/* Where the foam of the middle row is (cells), and how much. */
static float middle_of_foam(const channel *c, float *sum) {
    float moment = 0;
    *sum = 0;
    for (int x = 0; x < NX; x++) {
        const float f = c->churn[NY / 2 * NX + x];
        assert_true(f >= 0 && f <= 1);
        *sum += f;
        moment += f * (float)x;
    }
    return moment / fmaxf(*sum, 1e-9f);
}

static void channel_free(channel *c) {
    rn_foam_free(&c->foam);
    stack_free(&c->columns);
}

static void foam_is_carried_and_dies(void **state) {
    (void)state;
    static channel c;
    float first, later;
    channel_make(&c, cell, 2.0f);
    step(&c, 20.0f);
    assert_true(fabsf(middle_of_foam(&c, &first) - 10.0f) < 0.01f && first > 0.9f);
    for (int i = 0; i < 60; i++) step(&c, 0);
    const float at = middle_of_foam(&c, &later);
    print_message("after 1 s: %.1f cells downstream, %.2f of the foam\n", (double)at - 10, (double)(later / first));
    assert_true(fabsf(at - 30.0f) < 0.5f); /* 2 m/s for 1 s */
    assert_true(later < 0.7f * first && later > 0.4f * first);
    for (int i = 0; i < 420; i++) step(&c, 0);
    middle_of_foam(&c, &later);
    assert_true(later < 0.02f * first);
    channel_free(&c);
}

/* A steady source has a wake downstream, and nothing upstream. */
static void wakes_are_downstream(void **state) {
    (void)state;
    static channel c;
    channel_make(&c, cell, 2.0f);
    for (int i = 0; i < 180; i++) step(&c, 20.0f);
    const float *row = c.churn + NY / 2 * NX;
    assert_true(row[5] == 0 && row[20] > 0.4f && row[20] > row[40] && row[40] > 0.2f);
    channel_free(&c);
}

static void films_have_none(void **state) {
    (void)state;
    static channel c;
    float sum;
    channel_make(&c, 0.1f * cell, 2.0f);
    for (int i = 0; i < 10; i++) step(&c, 50.0f);
    middle_of_foam(&c, &sum);
    assert_true(sum == 0);
    channel_free(&c);
}

/* Slow liquid makes no bubbles; from about 0.8 m/s on, it does. */
static void fast_liquid_takes_in_air(void **state) {
    (void)state;
    assert_true(rn_foam_air(0.0f) == 0.0f && rn_foam_air(0.3f) == 0.0f && rn_foam_air(2.0f) == 1.0f);
    assert_true(rn_foam_air(0.8f) > 0.3f && rn_foam_air(0.8f) < 0.7f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(foam_is_carried_and_dies),
        cmocka_unit_test(wakes_are_downstream),
        cmocka_unit_test(films_have_none),
        cmocka_unit_test(fast_liquid_takes_in_air),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
