/* Bodies in liquid, where a figure alone would not do: what ends where it should, what flows under. */
#include "body_worlds.h"

#include <math.h>
#include <stdio.h>

/* The rows alias-* of validate would mean nothing if any way of blocking passed. Prints the waves that the two methods
   of the explicit solver make, for docs/bodies.md. */
static void whole_cells_throw_waves(void **state) {
    (void)state;
    const double speeds[] = {0.05, 0.2, 1.0}; /* m/s; at the last, the pillar drifts with the current */
    for (int i = 0; i < 3; i++) {
        const double cells = alias_waves(FLOW_DEFAULT, RN_BLOCKING_CELLS, speeds[i]);
        const double shares = alias_waves(FLOW_DEFAULT, RN_BLOCKING_SHARES, speeds[i]);
        printf("pillar at %g m/s: highest wave %.2g m with shares, %.2g m with cells\n", speeds[i], shares, cells);
        assert_true(cells >= 0.16);
        assert_true(shares < 0.5 * cells);
    }
}

/* Of all its sides only the large ones are stable below and above. */
static void rafts_come_to_lie_flat(void **state) {
    (void)state;
    uint32_t random = 5;
    for (int i = 0; i < 10; i++) {
        rn_world *world = make_world(&(setup){.nx = 24, .ny = 24, .cell = 0.25, .lid = 8.0, .friction = 0.5});
        fill_to(world, 2.0);
        rn_body_def def = body_at(3.1, 2.9, 2.3);
        def.pose.turn = (rn_quat){random_unit(&random) - 0.5, random_unit(&random) - 0.5, random_unit(&random) - 0.5,
                                  random_unit(&random) - 0.5};
        adrift raft = set_adrift(world, make_body(world, def, rn_shape_box((rn_vec3){1.2, 1.0, 0.5})));
        for (int k = 0; k < 3000; k++) drift_on(world, &raft, 1, STEP);
        const double up = turned_by(raft.pose.turn, (rn_vec3){0.0, 0.0, 1.0}).z;
        if (!(fabs(up) > 0.99)) fail_msg("raft %d lies at %g", i, up);
        assert_true(rn_world_audit(world).drift == 0.0);
        rn_world_destroy(world);
    }
}

/* ---- Flow under bodies --------------------------------------------------------------------------------------------
 */

enum { NX = 40, NY = 8 };
static const double gap = 1.0, lorry_from = 17.3, lorry_long = 6.0; /* m */

/* A box as wide as the channel, on four wheels that leave a gap below it. */
static void park_lorry(rn_world *world) {
    const rn_quat across = turn_about((rn_vec3){1.0, 0.0, 0.0}, 0.5 * acos(-1.0));
    rn_shape *lorry = rn_shape_box((rn_vec3){lorry_long, NY, 3.0}), *wheel = rn_shape_cylinder(0.5 * gap, 0.5);
    for (int i = 0; i < 4; i++) {
        const rn_vec3 at = {i % 2 ? 2.0 : -2.0, i / 2 ? 3.0 : -3.0, -1.5 - 0.5 * gap};
        assert_int_equal(rn_shape_add(lorry, wheel, at, across), RN_OK);
    }
    rn_shape_destroy(wheel);
    rn_body_def def = body_at(lorry_from + 0.5 * lorry_long, 0.5 * NY, gap + 1.5);
    def.mode = RN_BODY_BLOCKS;
    make_body(world, def, lorry);
}

/* The same channel with a slab for a lorry, that is part of the ground. */
static rn_terrain *slab_terrain(bool slab) {
    rn_column columns[NX * NY];
    int32_t counts[NX * NY];
    for (int i = 0; i < NX * NY; i++) {
        const bool under = slab && i % NX >= (int)lorry_from && i % NX < (int)(lorry_from + lorry_long);
        columns[i] = (rn_column){-INFINITY, 0.0, under ? gap : 8.0};
        counts[i] = 1;
    }
    return make_terrain(NX, NY, 1.0, 8.0, columns, counts);
}

static double discharge(flow_method passages, bool lorry) {
    rn_world *world = make_world_on(slab_terrain(!lorry), &(setup){.passages = passages, .friction = 0.3});
    if (lorry) park_lorry(world);
    assert_int_equal(rn_world_commit(world), RN_OK);
    fill_to(world, 2.25);
    hold_side(world, RN_SIDE_WEST, 2.5);
    hold_side(world, RN_SIDE_EAST, 2.0);
    const int section = rn_world_add_section(world, 30.0, NY, 30.0, 0.0);
    for (int i = 0; i < 1200; i++) step(world, 0.05);
    const double before = rn_world_read_section(world, section).volume;
    for (int i = 0; i < 400; i++) step(world, 0.05);
    const double q = (rn_world_read_section(world, section).volume - before) / 20.0;
    rn_world_destroy(world);
    return q;
}

static void water_flows_under_a_lorry(void **state) {
    (void)state;
    for (int m = 0; m < 2; m++) {
        const double under = discharge(both[m], true), slab = discharge(both[m], false);
        if (!(slab > 0.5 && fabs(under / slab - 1.0) < 0.3)) fail_msg("%d: %g of %g m3/s", m, under, slab);
    }
}

static void levels_meet_under_a_lorry(void **state) {
    (void)state;
    for (int m = 0; m < 2; m++) {
        rn_world *world = make_world_on(slab_terrain(false), &(setup){.passages = both[m], .friction = 0.3});
        park_lorry(world);
        assert_int_equal(rn_world_commit(world), RN_OK);
        fill_west(world, lorry_from, 2.5);
        fill_to(world, 1.5);
        for (int i = 0; i < 4000; i++) step(world, 0.05);
        const double a = rn_world_sample_layer(world, 5.5, 4.5, 0).level,
                     b = rn_world_sample_layer(world, 35.5, 4.5, 0).level;
        if (!(fabs(a - b) < 0.01 && a > 1.6)) fail_msg("%d: %g and %g m", m, a, b);
        rn_world_destroy(world);
    }
}

/* ---- Threads --------------------------------------------------------------------------------------------------------
 */

static uint64_t crowd_hash(flow_method passages, int threads) {
    enum { BODIES = 40 };
    rn_world *world = make_world(&(setup){
        .nx = 64, .ny = 64, .cell = 0.5, .lid = 8.0, .friction = 0.5, .threads = threads, .passages = passages});
    fill_to(world, 1.5);
    adrift bodies[BODIES];
    uint32_t random = 11;
    for (int i = 0; i < BODIES; i++) {
        rn_body_def def = body_at(2.0 + 28.0 * random_unit(&random), 2.0 + 28.0 * random_unit(&random), 2.0);
        def.mode = i % 2 ? RN_BODY_BLOCKS : RN_BODY_FLOATS;
        def.pose.turn = turn_about((rn_vec3){random_unit(&random), 1.0, random_unit(&random)}, 0.3 * i);
        bodies[i] = set_adrift(world, make_body(world, def, rn_shape_box((rn_vec3){1.5, 1.0, 0.7})));
    }
    for (int i = 0; i < 60; i++) drift_on(world, bodies, BODIES, STEP);
    const uint64_t hash = rn_world_hash(world);
    assert_true(rn_world_audit(world).drift == 0.0);
    rn_world_destroy(world);
    return hash;
}

static void crowds_go_alike_with_any_threads(void **state) {
    (void)state;
    for (int m = 0; m < 2; m++) {
        const uint64_t one = crowd_hash(both[m], 1);
        assert_true(crowd_hash(both[m], 2) == one);
        assert_true(crowd_hash(both[m], 3) == one);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_cells_throw_waves),          cmocka_unit_test(rafts_come_to_lie_flat),
        cmocka_unit_test(water_flows_under_a_lorry),        cmocka_unit_test(levels_meet_under_a_lorry),
        cmocka_unit_test(crowds_go_alike_with_any_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
