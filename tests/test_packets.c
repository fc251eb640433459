/* The packets solver: what it refuses, packets that travel far, walls, gauges and models. What every solver has to do
   is in tests/test_solvers.c, and physics in app/physics/packets.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "physics/physics.h"

#include <math.h>
#include <string.h>

enum { SIDE = 40 };

static rn_terrain *level_ground(void) {
    rn_column columns[SIDE * SIDE];
    int32_t counts[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++) {
        columns[i] = (rn_column){-INFINITY, 0.0, 2.0};
        counts[i] = 1;
    }
    return make_terrain(SIDE, SIDE, 1.0, 2.0, columns, counts);
}

static rn_world_def packets_on(const rn_terrain *terrain) {
    rn_world_def def = rn_world_default();
    def.terrain = terrain;
    def.solver = "packets";
    def.friction = 1.0;
    def.liquid.viscosity = 0.0;
    return def;
}

static void is_refused(const rn_world_def *def, const char *words) {
    rn_world *world = NULL;
    assert_int_equal(rn_world_create(def, &world), RN_INVALID);
    assert_null(world);
    assert_non_null(strstr(rn_last_error(), words));
}

static void bad_parameters_are_refused(void **state) {
    (void)state;
    rn_terrain *terrain = level_ground();
    rn_world_def def = packets_on(terrain);
    def.packets.smoothing = 1.0;
    is_refused(&def, "checkerboard");
    def.packets.smoothing = 2.5;
    is_refused(&def, "above 1, and at most 2");
    def.packets.smoothing = NAN;
    is_refused(&def, "above 1, and at most 2");
    def = packets_on(terrain);
    def.packets.count = 1;
    is_refused(&def, "three cells");
    def.packets.count = 5;
    is_refused(&def, "2, 3 or 4");
    def = packets_on(terrain);
    def.packets.courant = 1.5;
    is_refused(&def, "stable up to 1");
    def.packets.courant = 0.0;
    is_refused(&def, "stable up to 1");
    def = packets_on(terrain);
    def.packets.trace = (rn_trace)7;
    is_refused(&def, "RN_TRACE_EULER");
    def = packets_on(terrain);
    def.passages = RN_PASSAGES_AXIS;
    is_refused(&def, "no passages");
    rn_terrain_destroy(terrain);
}

static void overhangs_are_refused(void **state) {
    (void)state;
    const rn_column roofed[] = {{-INFINITY, 0.0, 0.5}, {-INFINITY, 0.0, 2.0}};
    rn_terrain *terrain = make_terrain(2, 1, 1.0, 2.0, roofed, (const int32_t[]){1, 1});
    rn_world_def def = packets_on(terrain);
    is_refused(&def, "ceilings, overhangs or passages");
    rn_terrain_destroy(terrain);
    terrain = level_ground();
    def = packets_on(terrain);
    rn_world *world = NULL;
    assert_int_equal(rn_world_create(&def, &world), RN_OK);
    rn_sdf *slab = rn_sdf_move(rn_sdf_box((rn_vec3){10.0, 10.0, 0.2}), (rn_vec3){20.0, 20.0, 1.0});
    const uint64_t before = rn_world_hash(world);
    assert_int_equal(rn_world_sculpt(world, slab, false), RN_OK); /* takes effect with the next step */
    assert_int_equal(rn_world_step(world, 0.1), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "several columns in a cell"));
    assert_true(rn_world_hash(world) == before);
    rn_sdf_destroy(slab);
    rn_world_destroy(world);
    rn_terrain_destroy(terrain);
}

/* A thin sheet, ten times as fast as its waves, on periodic or walled ground. */
static rn_world *fast_sheet(bool periodic, rn_model model, int threads, double depth, double speed) {
    rn_terrain *terrain = level_ground();
    rn_world_def def = packets_on(terrain);
    def.model = model;
    def.threads = threads;
    for (int side = 0; periodic && side < 4; side++) def.edges[side] = RN_EDGE_PERIODIC;
    rn_world *world = NULL;
    assert_int_equal(rn_world_create(&def, &world), RN_OK);
    rn_terrain_destroy(terrain);
    double depths[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++) {
        const double x = i % SIDE - 12.0, y = i / SIDE - 16.0;
        depths[i] = x * x + y * y < 36.0 ? depth : 0.0;
    }
    set_depths(world, depths);
    rn_view fx = rn_world_view(world, RN_FIELD_FLUX_X), fy = rn_world_view(world, RN_FIELD_FLUX_Y);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x + 1 < SIDE; x++) {
            fx.data[y * fx.row_stride + x] = (float)(speed * 0.5 * (depths[y * SIDE + x] + depths[y * SIDE + x + 1]));
            if (y + 1 < SIDE)
                fy.data[y * fy.row_stride + x] =
                    (float)(-0.3 * speed * 0.5 * (depths[y * SIDE + x] + depths[(y + 1) * SIDE + x]));
        }
    assert_int_equal(rn_world_commit(world), RN_OK);
    return world;
}

static double middle_x(rn_world *world) {
    double sum = 0.0, moment = 0.0;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            sum += depth_at(world, x, y);
            moment += depth_at(world, x, y) * x;
        }
    return moment / sum;
}

/* m/s along x, of all liquid. */
static double mean_speed(const rn_world *world) {
    const rn_view fx = rn_world_view(world, RN_FIELD_FLUX_X);
    double sum = 0.0;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) sum += fx.data[y * fx.row_stride + x];
    return sum / rn_world_volume(world);
}

static void packets_travel_many_cells_in_a_substep(void **state) {
    (void)state;
    rn_world *world = fast_sheet(false, RN_MODEL_PHYSICAL, 1, 0.01, 20.0);
    const double before = middle_x(world), volume = rn_world_volume(world), speed = mean_speed(world);
    assert_int_equal(rn_world_step(world, 0.5), RN_OK);
    const rn_world_stats stats = rn_world_get_stats(world);
    assert_true(20.0 * stats.dt > 2.0); /* cells */
    assert_true(speed > 18.0 && fabs(middle_x(world) - before - 0.5 * speed) < 0.02 * 0.5 * speed);
    assert_true(fabs(mean_speed(world) - speed) < 0.02 * speed);
    assert_true(rn_world_volume(world) == volume && rn_world_audit(world).drift == 0.0);
    rn_world_destroy(world);
}

/* Walls turn them round: nothing is lost, and nothing clumps beside the wall. */
static void packets_bounce(void **state) {
    (void)state;
    rn_world *world = fast_sheet(false, RN_MODEL_PHYSICAL, 1, 0.01, 20.0);
    const double volume = rn_world_volume(world), speed = mean_speed(world);
    rn_world_step(world, 1.0);
    rn_world_step(world, 0.5);
    assert_true(mean_speed(world) < 0.5 * speed); /* what has been turned round meets the rest */
    double beside = 0.0;
    for (int y = 0; y < SIDE; y++) beside += depth_at(world, SIDE - 1, y);
    assert_true(beside < 0.3 * volume);
    for (int i = 0; i < 40; i++) rn_world_step(world, 0.5);
    assert_true(rn_world_volume(world) == volume && broken_columns(world) == 0.0);
    rn_world_destroy(world);
}

static void threads_give_the_same_bits(void **state) {
    (void)state;
    for (int model = 0; model < 2; model++)
        for (int periodic = 0; periodic < 2; periodic++) {
            uint64_t hashes[3];
            for (int threads = 1; threads <= 3; threads++) {
                rn_world *world = fast_sheet(periodic, (rn_model)model, threads, 0.01, 20.0);
                assert_true(rn_world_pour(world, (rn_vec3){20.0, 20.0, 1.0}, 3.0, 5.0) >= 0);
                for (int i = 0; i < 10; i++) assert_int_equal(rn_world_step(world, 0.3), RN_OK);
                assert_true(rn_world_audit(world).drift == 0.0 && broken_columns(world) == 0.0);
                hashes[threads - 1] = rn_world_hash(world);
                rn_world_destroy(world);
            }
            assert_true(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
        }
}

/* Four sections around a square count what comes into it, also by its corners and by packets from afar. */
static void sections_count_every_quantum(void **state) {
    (void)state;
    const double speeds[] = {0.3, 20.0};
    for (int k = 0; k < 2; k++) {
        rn_world *world = fast_sheet(false, RN_MODEL_PHYSICAL, 2, k ? 0.01 : 0.5, speeds[k]);
        const double low = 10.0, high = 28.0;
        const int sections[] = {
            rn_world_add_section(world, low, low, high, low), rn_world_add_section(world, high, low, high, high),
            rn_world_add_section(world, high, high, low, high), rn_world_add_section(world, low, high, low, low)};
        double inside[2], passed = 0.0;
        for (int when = 0; when < 2; when++) {
            inside[when] = 0.0;
            for (int y = 10; y < 28; y++)
                for (int x = 10; x < 28; x++) inside[when] += depth_at(world, x, y);
            for (int i = 0; when == 0 && i < 5; i++) rn_world_step(world, 0.2);
        }
        for (int i = 0; i < 4; i++) passed += rn_world_read_section(world, sections[i]).volume;
        assert_true(inside[1] != inside[0]);
        assert_true(fabs(passed - (inside[1] - inside[0])) < 1e-9);
        rn_world_destroy(world);
    }
}

static rn_world *level_world(const rn_packets_def *packets, rn_model model) {
    return make_world(&(setup){.nx = SIDE,
                               .ny = SIDE,
                               .cell = 1.0,
                               .lid = 2.0,
                               .passages = FLOW_PACKETS,
                               .packets = *packets,
                               .model = model});
}

/* On level ground a lake rests in the paper's model too, with any number of packets and any smoothing. */
static void level_lakes_rest_in_both_models(void **state) {
    (void)state;
    for (int k = 0; k < 12; k++) {
        const rn_packets_def packets = {.count = 2 + k % 3,
                                        .smoothing = k < 6 ? 1.05 : 1.7,
                                        .courant = 1.0,
                                        .trace = k % 2 ? RN_TRACE_MIDPOINT : RN_TRACE_EULER};
        rn_world *world = level_world(&packets, k % 4 < 2 ? RN_MODEL_PAPER : RN_MODEL_PHYSICAL);
        rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_DEPTH, .value = 0.7});
        const double before = depth_at(world, 0, 0);
        for (int i = 0; i < 20; i++) rn_world_step(world, 0.5);
        for (int i = 0; i < SIDE * SIDE; i++) assert_true(depth_at(world, i % SIDE, i / SIDE) == before);
        rn_world_destroy(world);
    }
}

/* At the largest substep that is allowed, noise dies away in both models. */
static void the_pressure_step_is_stable_up_to_its_limit(void **state) {
    (void)state;
    for (int k = 0; k < 8; k++) {
        const rn_packets_def packets = {
            .count = 2 + k % 2, .smoothing = k < 4 ? 1.05 : 1.3, .courant = RN_PACKETS_COURANT};
        rn_world *world = level_world(&packets, k & 2 ? RN_MODEL_PAPER : RN_MODEL_PHYSICAL);
        double depths[SIDE * SIDE], most = 0.0;
        uint32_t seed = 9;
        for (int i = 0; i < SIDE * SIDE; i++) depths[i] = 0.7 + 0.02 * (random_unit(&seed) - 0.5);
        set_depths(world, depths);
        for (int i = 0; i < 1000; i++) rn_world_step(world, 0.38);
        for (int i = 0; i < SIDE * SIDE; i++) most = fmax(most, fabs(depth_at(world, i % SIDE, i / SIDE) - 0.7));
        assert_true(most < 0.01);
        rn_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_parameters_are_refused),
        cmocka_unit_test(overhangs_are_refused),
        cmocka_unit_test(packets_travel_many_cells_in_a_substep),
        cmocka_unit_test(packets_bounce),
        cmocka_unit_test(threads_give_the_same_bits),
        cmocka_unit_test(sections_count_every_quantum),
        cmocka_unit_test(level_lakes_rest_in_both_models),
        cmocka_unit_test(the_pressure_step_is_stable_up_to_its_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
