/* Rings of waves around the foot of a falling sheet: they run outwards, fade, and leave films and thick liquids alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "render/splash.h"
#include "surface_meshes.h"

#include <math.h>

enum { SIDE = 81, POOL = SIDE * SIDE, FOOT = POOL };
static const float cell = 0.0025f;

/* A level pool with one vertex per column, and the foot of a sheet in its middle. */
typedef struct pool {
    stack columns;
    rn_mesh mesh;
    float positions[3 * (POOL + 1)], velocities[3 * (POOL + 1)], churn[POOL + 1];
    uint32_t ids[POOL + 1];
} pool;

/* depth: m; speed: m/s, of the sheet, downwards. */
static void pool_make(pool *p, float depth, float speed) {
    memset(p, 0, sizeof *p);
    p->columns = stack_make(SIDE, SIDE, 1, cell, 10.0f);
    for (uint32_t i = 0; i < POOL + 1; i++) {
        const uint32_t at = i == FOOT ? POOL / 2 : i;
        p->positions[3 * i] = ((float)(at % SIDE) + 0.5f) * cell;
        p->positions[3 * i + 1] = ((float)(at / SIDE) + 0.5f) * cell;
        p->positions[3 * i + 2] = depth;
        p->ids[i] = i == FOOT ? POOL + RN_SHEET_ROWS : i;
        if (i != FOOT) p->columns.depth[i] = depth;
    }
    p->velocities[3 * FOOT + 2] = -speed;
    p->mesh =
        (rn_mesh){.positions = p->positions, .velocities = p->velocities, .ids = p->ids, .vertex_count = POOL + 1};
}

/* The slope of the surface away from the foot, this many cells along x and y from it, at a time (s). */
static float slope_at(pool *p, const rn_liquid *liquid, double time, int x, int y) {
    static float rings[POOL + 1][3];
    assert_int_equal(rn_splash_add(&p->mesh, &p->columns.columns, liquid, p->churn, rings), RN_OK);
    const float *ring = rings[(SIDE / 2 + y) * SIDE + SIDE / 2 + x], way = hypotf((float)x, (float)y);
    const double pace = (double)rn_splash_pace(liquid, &p->columns.columns);
    const float most = way > 0 ? (ring[0] * (float)x + ring[1] * (float)y) / way : 0;
    return most * (float)sin((double)ring[2] - pace * time);
}

/* The steepest slope at `x` cells from the foot within a second. */
static float steepest(pool *p, const rn_liquid *liquid, int x) {
    float most = 0;
    for (int frame = 0; frame < 60; frame++) most = fmaxf(most, fabsf(slope_at(p, liquid, frame / 60.0, x, 0)));
    return most;
}

/* The slowest waves on water are 17.1 mm long, 6.8 cells, and run 0.23 m/s. */
static void rings_run_outwards_and_fade(void **state) {
    (void)state;
    static pool p;
    const rn_liquid water = rn_liquid_water();
    const double later = (double)(3 * cell) / 0.231;
    pool_make(&p, 0.02f, 2.0f);
    const float near = steepest(&p, &water, 2), far = steepest(&p, &water, 10);
    print_message("steepest slopes 2 and 10 cells from the foot: %.3f and %.3f\n", (double)near, (double)far);
    assert_true(near > 0.1f && near < 0.4f && far > 0.005f && far < 0.6f * near);
    for (int frame = 0; frame < 10; frame++) { /* three cells farther out, the same phase later */
        const float here = slope_at(&p, &water, frame / 60.0, 3, 0) / steepest(&p, &water, 3);
        const float there = slope_at(&p, &water, frame / 60.0 + later, 6, 0) / steepest(&p, &water, 6);
        assert_true(fabsf(here - there) < 0.1f);
    }
    const float slope = slope_at(&p, &water, 0.1, 5, 0);
    assert_true(fabsf(slope - slope_at(&p, &water, 0.1, 0, 5)) < 1e-4f);
    assert_true(fabsf(slope - slope_at(&p, &water, 0.1, -5, 0)) < 1e-4f);
    assert_true(fabsf(slope - slope_at(&p, &water, 0.1, -3, 4)) < 1e-4f);
    assert_true(slope_at(&p, &water, 0.1, 15, 0) == 0);
    stack_free(&p.columns);
}

static void not_in_films_or_honey_or_where_it_drips(void **state) {
    (void)state;
    static pool p;
    const rn_liquid water = rn_liquid_water();
    rn_liquid honey;
    assert_true(rn_liquid_find("honey", &honey));
    pool_make(&p, 0.0002f, 2.0f);
    assert_true(steepest(&p, &water, 2) < 0.03f);
    stack_free(&p.columns);
    pool_make(&p, 0.02f, 2.0f);
    assert_true(steepest(&p, &honey, 4) < 1e-6f);
    assert_true(p.churn[POOL / 2] > 0);
    stack_free(&p.columns);
    pool_make(&p, 0.02f, 0.1f);
    assert_true(steepest(&p, &water, 2) == 0);
    assert_true(p.churn[POOL / 2] == 0); /* too slow to make bubbles */
    stack_free(&p.columns);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rings_run_outwards_and_fade),
        cmocka_unit_test(not_in_films_or_honey_or_where_it_drips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
