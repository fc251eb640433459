/* What is left out because nothing can have changed, or because it is calm, changes no bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "physics/physics.h"
#include "pipe_worlds.h"
#include "solver/graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A world of random stacks, wide enough for several tiles, that is stirred now and then and left alone in between. */
static rn_world *any_world(uint32_t seed, bool skip_nothing) {
    uint32_t random = seed * 7919u + 3u;
    double drawn[12]; /* in order: that of arguments is anybody's */
    for (int i = 0; i < 12; i++) drawn[i] = random_unit(&random);
    const int cells = 20 + (int)(110.0 * drawn[0]), layers = 1 + (int)(3.0 * drawn[1]);
    const double cell = drawn[2] < 0.5 ? 1e-3 : 1e-2;
    rn_terrain *terrain = random_stacks(cells, layers, cell, seed + 11, drawn[3] < 0.5 ? STACKS_RAGGED : STACKS_PLAIN);
    setup s = {.passages = drawn[4] < 0.5 ? FLOW_NONE : FLOW_DEFAULT,
               .viscosity = drawn[5] < 0.3 ? 0.0 : 4e-6,
               .friction = 0.05 + 0.9 * drawn[6],
               .model = drawn[7] < 0.2 ? RN_MODEL_PAPER : RN_MODEL_PHYSICAL,
               .threads = 1 + (int)(3.0 * drawn[8]),
               .max_substeps = 50};
    s.open_west = drawn[9] < 0.3;
    rn_world *world = make_world_on(terrain, &s);
    state_of(world)->schedule.skip_nothing = skip_nothing;
    const double length = cells * cell;
    rn_world_pour(world, (rn_vec3){length * drawn[10], length * drawn[11], 0.02}, 3.0 * cell, 2e-1 * cell * cell);
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 0.02 * drawn[0]});
    return world;
}

/* Tiles whose last blocks have one column, or that have one more; bodies wade through some of them. */
static rn_world *waded_world(int cells, int layers, rn_model model, bool skip_nothing) {
    const setup s = {
        .model = model, .passages = FLOW_DEFAULT, .viscosity = 4e-6, .friction = 0.3, .threads = 2, .max_substeps = 50};
    rn_world *world = make_world_on(random_stacks(cells, layers, 1e-2, 5, STACKS_PLAIN), &s);
    state_of(world)->schedule.skip_nothing = skip_nothing;
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 0.02});
    rn_shape *crate = rn_shape_box((rn_vec3){0.035, 0.03, 0.03});
    for (int i = 0; i < 6; i++) {
        rn_body_def def = rn_body_default();
        def.shape = crate;
        def.mode = i % 3 ? RN_BODY_BLOCKS : RN_BODY_FLOATS;
        def.pose.at = (rn_vec3){0.01 * cells * (i + 0.7) / 6.0, 0.01 * cells * (i % 2 ? 0.3 : 0.8), 0.02};
        assert_int_equal(rn_bodies_add(world, &def), i);
    }
    rn_shape_destroy(crate);
    return world;
}

static void wade(rn_world *world, int frame) {
    for (int i = 0; i < 6; i++) {
        rn_pose pose = rn_bodies_describe(world, i).pose;
        pose.at.x += frame < 16 ? 2e-3 * (i - 3) : 0.0;
        pose.at.z += frame < 16 ? 1e-3 * (i % 2 ? 1 : -1) : 0.0;
        assert_int_equal(rn_bodies_move(world, i, &pose), RN_OK);
    }
    assert_int_equal(rn_world_step(world, 4e-3), RN_OK);
    assert_true(rn_world_audit(world).drift == 0.0);
}

static void a_rest_beside_bodies_changes_no_bit(void **state) {
    (void)state;
    static const int cells[] = {9, 57, 65, 121};
    for (int run = 0; run < 16; run += getenv("RUNNEL_LONG") ? 1 : 3) {
        rn_world *worlds[2];
        for (int k = 0; k < 2; k++)
            worlds[k] = waded_world(cells[run / 4], 1 + run % 2, run / 2 % 2 ? RN_MODEL_PHYSICAL : RN_MODEL_PAPER, k);
        for (int frame = 0; frame < 30; frame++) {
            for (int k = 0; k < 2; k++) wade(worlds[k], frame);
            if (rn_world_hash(worlds[0]) != rn_world_hash(worlds[1])) fail_msg("run %d, frame %d", run, frame);
        }
        for (int k = 0; k < 2; k++) rn_world_destroy(worlds[k]);
    }
}

static void a_rest_changes_no_bit(void **state) {
    (void)state;
    int64_t resting = 0;
    const uint32_t seeds = getenv("RUNNEL_LONG") ? 14 : 5;
    for (uint32_t seed = 1; seed <= seeds; seed++) {
        rn_world *worlds[2] = {any_world(seed, false), any_world(seed, true)};
        for (int frame = 0; frame < 60; frame++) {
            for (int k = 0; k < 2; k++) {
                if (frame == 20) rn_world_set_rate(worlds[k], 0, 0.0);
                if (frame == 30 && !solver_of(worlds[k])->params.paper) {
                    rn_sdf *anywhere = rn_sdf_box((rn_vec3){10, 10, 10});
                    assert_int_equal(rn_world_set_friction(worlds[k], anywhere, 1.0), RN_OK);
                    rn_sdf_destroy(anywhere);
                }
                if (frame == 40) rn_world_set_rate(worlds[k], 0, 1e-7);
                assert_int_equal(rn_world_step(worlds[k], frame % 7 == 0 ? 2e-3 : 4e-3), RN_OK);
            }
            if (rn_world_hash(worlds[0]) != rn_world_hash(worlds[1])) fail_msg("seed %u, frame %d", seed, frame);
            for (int32_t i = 0; i < rn_tile_count(&state_of(worlds[0])->columns.grid); i++)
                resting += !state_of(worlds[0])->schedule.tiles[i].awake;
        }
        for (int k = 0; k < 2; k++) rn_world_destroy(worlds[k]);
    }
    assert_true(resting > 100);
}

/* A ramp with steps and an open edge, where a pour comes and goes, and from time to time all liquid around a place is
   taken away at once, while it still flows. */
static rn_world *make_ramp(uint32_t seed, bool skip_nothing) {
    enum { NX = 150, NY = 40 };
    static rn_column columns[NX * NY];
    static int32_t counts[NX * NY];
    uint32_t random = seed;
    for (int i = 0; i < NX * NY; i++) {
        columns[i] = (rn_column){-1.0, 2e-4 * (i % NX) + (i % NX / 40) * 2.5e-3 + 2e-4 * random_unit(&random), 0.06};
        counts[i] = 1;
    }
    const setup s = {.model = seed % 2 ? RN_MODEL_PHYSICAL : RN_MODEL_PAPER,
                     .viscosity = 1e-6,
                     .friction = 0.9,
                     .threads = 1 + (int)(seed % 3),
                     .open_west = true};
    rn_world *world = make_world_on(make_terrain(NX, NY, 1e-3, 0.06, columns, counts), &s);
    state_of(world)->schedule.skip_nothing = skip_nothing;
    rn_world_pour(world, (rn_vec3){0.03 + 0.1 * random_unit(&random), 0.02, 0.06}, 4e-3, 2e-6);
    rn_world_drain(world, (rn_vec3){0.15 * random_unit(&random), 0.02, 0.06}, 0.03, 0.0);
    rn_world_drain(world, (rn_vec3){0.075, 0.02, 0.06}, 0.1, 0.0);
    return world;
}

static void what_dries_up_at_once_changes_no_bit(void **state) {
    (void)state;
    for (uint32_t seed = 1; seed <= 2; seed++) {
        rn_world *worlds[2] = {make_ramp(seed, false), make_ramp(seed, true)};
        for (int frame = 0; frame < 120; frame++) {
            for (int k = 0; k < 2; k++) {
                rn_world_set_rate(worlds[k], 0, frame % 30 < 18 ? 2e-6 : 0.0);
                rn_world_set_rate(worlds[k], 1, frame % 13 == 12 ? INFINITY : 0.0);
                rn_world_set_rate(worlds[k], 2, frame % 40 == 39 ? INFINITY : 0.0);
                assert_int_equal(rn_world_step(worlds[k], 4e-3), RN_OK);
            }
            if (rn_world_hash(worlds[0]) != rn_world_hash(worlds[1])) fail_msg("seed %u, frame %d", seed, frame);
        }
        for (int k = 0; k < 2; k++) rn_world_destroy(worlds[k]);
    }
}

/* An edit makes room for pipes first and may still fail then: the lists of the last substep must have come along. */
static void check_more_room(rn_model model) {
    rn_world *worlds[2];
    for (int k = 0; k < 2; k++) {
        const setup s = {.model = model, .viscosity = 1e-6, .friction = 0.5, .threads = 1};
        worlds[k] = make_world_on(random_stacks(40, 3, 1e-3, 5, STACKS_RAGGED), &s);
        rn_world_fill(worlds[k], &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 0.006});
    }
    for (int frame = 0; frame < 10; frame++) {
        rn_state *s = state_of(worlds[1]);
        if (frame == 5) assert_int_equal(rn_graph_reserve(s, 2 * (size_t)s->graph.irregular_capacity), RN_OK);
        for (int k = 0; k < 2; k++) assert_int_equal(rn_world_step(worlds[k], 4e-3), RN_OK);
        if (rn_world_hash(worlds[0]) != rn_world_hash(worlds[1])) fail_msg("frame %d", frame);
    }
    for (int k = 0; k < 2; k++) rn_world_destroy(worlds[k]);
}

static void more_room_changes_no_bit(void **state) {
    (void)state;
    check_more_room(RN_MODEL_PHYSICAL);
    check_more_room(RN_MODEL_PAPER);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rest_changes_no_bit), cmocka_unit_test(a_rest_beside_bodies_changes_no_bit),
        cmocka_unit_test(what_dries_up_at_once_changes_no_bit), cmocka_unit_test(more_room_changes_no_bit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
