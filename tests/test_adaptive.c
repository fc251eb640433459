/* The adaptive packets solver: tiles of different resolution. Errors and reflections against theory are in
   app/physics/tiles.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "physics/physics.h"

#include <runnel/runnel.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 160 };

static rn_packets_def packets(int levels, double tolerance) {
    return (rn_packets_def){.count = 2, .smoothing = 1.05, .courant = 0.5, .levels = levels, .tolerance = tolerance};
}

static void is_refused(const rn_packets_def *def, rn_model model, const char *words) {
    rn_terrain *terrain = make_terrain(
        2, 1, 1.0, 2.0, (const rn_column[]){{-INFINITY, 0.0, 2.0}, {-INFINITY, 0.0, 2.0}}, (const int32_t[]){1, 1});
    rn_world_def world = rn_world_default();
    world.terrain = terrain;
    world.solver = "packets";
    world.model = model;
    world.packets = *def;
    rn_world *made = NULL;
    assert_int_equal(rn_world_create(&world, &made), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), words));
    rn_terrain_destroy(terrain);
}

static void bad_parameters_are_refused(void **state) {
    (void)state;
    rn_packets_def def = packets(RN_PACKETS_LEVELS + 1, 0.0);
    is_refused(&def, RN_MODEL_PHYSICAL, "packets.levels is 4");
    def.levels = -1;
    is_refused(&def, RN_MODEL_PHYSICAL, "packets.levels is -1");
    def = packets(2, 0.0);
    is_refused(&def, RN_MODEL_PAPER, "packets.levels is 2");
    def.tolerance = -1.0;
    is_refused(&def, RN_MODEL_PHYSICAL, "packets.tolerance is -1");
    def.tolerance = NAN;
    is_refused(&def, RN_MODEL_PHYSICAL, "packets.tolerance");
    def = packets(2, 0.0);
    def.fine[0] = 3.0;
    is_refused(&def, RN_MODEL_PHYSICAL, "packets.fine");
}

/* A basin with a rough bed, a hill that is an island, and a pit. */
static void rough_bed(double *heights) {
    uint32_t seed = 11;
    for (int i = 0; i < SIDE * SIDE; i++) {
        const double x = i % SIDE - 40.0, y = i / SIDE - 110.0;
        heights[i] = 0.3 * random_unit(&seed) + 3.0 * exp(-(x * x + y * y) / 150.0);
    }
}

static rn_world *rough_world(int threads, bool periodic, bool open_east) {
    static double heights[SIDE * SIDE];
    rough_bed(heights);
    return make_world(&(setup){.nx = SIDE,
                               .ny = SIDE,
                               .cell = 1.0,
                               .heights = heights,
                               .lid = 6.0,
                               .periodic_x = periodic,
                               .periodic_y = periodic,
                               .open_east = open_east,
                               .threads = threads,
                               .packets = packets(3, 0.02),
                               .passages = FLOW_PACKETS});
}

/* Tiles of a level. */
static int tiles_at(const rn_world *world, int level) {
    const rn_tiles tiles = rn_world_tiles(world);
    int count = 0;
    for (int i = 0; i < tiles.tiles_x * tiles.tiles_y; i++) count += tiles.levels[i] == level;
    return count;
}

static void add_hump(rn_world *world, double x, double y, double height) {
    const rn_view depth = rn_world_view(world, RN_FIELD_DEPTH);
    for (int j = 0; j < SIDE; j++)
        for (int i = 0; i < SIDE; i++) {
            const double r = (i - x) * (i - x) + (j - y) * (j - y);
            float *at = &depth.data[j * depth.row_stride + i];
            if (*at > 0.0f) *at += (float)(height * exp(-r / 30.0));
        }
    assert_int_equal(rn_world_commit(world), RN_OK);
}

static void lakes_rest_at_every_level(void **state) {
    (void)state;
    for (int periodic = 0; periodic < 2; periodic++) {
        rn_world *world = rough_world(2, periodic, false);
        rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 2.0});
        double *before = malloc(SIDE * SIDE * sizeof *before);
        for (int i = 0; i < SIDE * SIDE; i++) before[i] = depth_at(world, i % SIDE, i / SIDE);
        for (int i = 0; i < 60; i++) rn_world_step(world, 0.5);
        assert_true(tiles_at(world, 3) > 10 && tiles_at(world, 2) > 0 && tiles_at(world, 0) > 4);
        for (int i = 0; i < SIDE * SIDE; i++) assert_true(depth_at(world, i % SIDE, i / SIDE) == before[i]);
        assert_true(rn_world_get_stats(world).fastest == 0.0);
        free(before);
        rn_world_destroy(world);
    }
}

/* Waves, rain, a spring and a drain over a rough bed, also over edges. */
static rn_world *storm(int threads, bool periodic, bool open_east) {
    rn_world *world = rough_world(threads, periodic, open_east);
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 2.0});
    add_hump(world, 150.0, 10.0, 0.3);
    for (int i = 0; i < 20; i++) rn_world_step(world, 0.4);
    rn_world_pour(world, (rn_vec3){100.0, 90.0, 5.0}, 4.0, 1.0);
    rn_world_drain(world, (rn_vec3){30.0, 20.0, 5.0}, 4.0, 0.5);
    rn_world_add_source(world, &(rn_source_def){.kind = RN_SOURCE_RAIN, .rate = 1e-4});
    return world;
}

static void mass_is_exact_and_threads_give_the_same_bits(void **state) {
    (void)state;
    const int threads[] = {1, 3, 2, 8}, crews = getenv("RUNNEL_LONG") ? 4 : 2;
    for (int way = 0; way < 3; way++) {
        uint64_t hashes[4];
        for (int k = 0; k < crews; k++) {
            rn_world *world = storm(threads[k], way == 1, way == 2);
            for (int i = 0; i < 20; i++) {
                assert_int_equal(rn_world_step(world, 0.4), RN_OK);
                assert_true(rn_world_audit(world).drift == 0.0 && broken_columns(world) == 0.0);
            }
            const rn_tiles tiles = rn_world_tiles(world);
            assert_true(tiles.active < SIDE * SIDE * 3 / 4 && tiles_at(world, 0) > 0);
            assert_true(tiles_at(world, 1) > 0 && (way == 2 || tiles_at(world, 2) > 0));
            hashes[k] = rn_world_hash(world);
            rn_world_destroy(world);
        }
        for (int k = 1; k < crews; k++) assert_true(hashes[k] == hashes[0]);
    }
}

static void a_restored_world_goes_on_with_the_same_bits(void **state) {
    (void)state;
    for (int steps = 1; steps < 12; steps += 5) {
        rn_world *world = storm(1, false, false), *other = storm(2, false, false);
        rn_snapshot *snapshot = NULL;
        for (int i = 0; i < steps; i++) rn_world_step(world, 0.23);
        assert_int_equal(rn_world_save(world, &snapshot), RN_OK);
        for (int i = 0; i < 10; i++) rn_world_step(world, 0.4);
        const uint64_t hash = rn_world_hash(world);
        assert_int_equal(rn_world_restore(world, snapshot), RN_OK);
        assert_int_equal(rn_world_restore(other, snapshot), RN_OK);
        assert_int_equal(tiles_at(world, 1), tiles_at(other, 1));
        for (int i = 0; i < 10; i++) rn_world_step(world, 0.4), rn_world_step(other, 0.4);
        assert_true(rn_world_hash(world) == hash && rn_world_hash(other) == hash);
        rn_snapshot_destroy(snapshot);
        rn_world_destroy(world);
        rn_world_destroy(other);
    }
}

static rn_world *flat_world(int levels, double tolerance) {
    return make_world(&(setup){.nx = SIDE,
                               .ny = SIDE,
                               .cell = 1.0,
                               .lid = 6.0,
                               .packets = packets(levels, tolerance),
                               .passages = FLOW_PACKETS});
}

/* Where a wave is, tiles are fine, and ahead of it and behind it they are coarse; and the wave is as without. */
/* A drain without a bound empties coarse tiles at once, over a rough bed: none of their columns owes liquid, and tiles
   become fine a level at a time. */
static void coarse_tiles_are_emptied(void **state) {
    (void)state;
    uint64_t hashes[3];
    const int threads[] = {1, 3, 1};
    for (int k = 0; k < 3; k++) {
        rn_world *world = rough_world(threads[k], false, false);
        rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 2.0});
        for (int i = 0; i < 40; i++) rn_world_step(world, 0.5);
        assert_true(tiles_at(world, 3) > 10);
        rn_world_drain(world, (rn_vec3){110.0, 50.0, 5.0}, 45.0, INFINITY);
        for (int i = 0; i < 30; i++) {
            rn_snapshot *now = NULL;
            assert_int_equal(rn_world_step(world, 0.2), RN_OK);
            assert_true(rn_world_audit(world).drift == 0.0 && broken_columns(world) == 0.0);
            if (k < 2) continue;
            assert_int_equal(rn_world_save(world, &now), RN_OK); /* and goes on from every state */
            assert_int_equal(rn_world_restore(world, now), RN_OK);
            rn_snapshot_destroy(now);
        }
        hashes[k] = rn_world_hash(world);
        rn_world_destroy(world);
    }
    assert_true(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
}

static void tiles_follow_a_wave(void **state) {
    (void)state;
    rn_world *world = flat_world(2, 0.002), *uniform = flat_world(0, 0.0);
    rn_world *const both[] = {world, uniform};
    for (int k = 0; k < 2; k++) {
        rn_world_fill(both[k], &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 2.0});
        add_hump(both[k], 8.0, 8.0, 0.6);
        for (int i = 0; i < 40; i++) rn_world_step(both[k], 0.5);
    }
    const rn_tiles tiles = rn_world_tiles(world);
    const double r = 20.0 * sqrt(GRAVITY * 2.0) / sqrt(2.0); /* m, along the diagonal */
    const int there = (int)((8.0 + r) / RN_PACKETS_TILE);
    assert_int_equal(tiles.levels[there * tiles.tiles_x + there], 0);
    assert_int_equal(tiles.levels[tiles.tiles_x * tiles.tiles_y - 1], 2);
    double worst = 0.0, highest = 0.0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        const double level = depth_at(uniform, i % SIDE, i / SIDE);
        worst = fmax(worst, fabs(depth_at(world, i % SIDE, i / SIDE) - level));
        highest = fmax(highest, fabs(level - 2.0));
    }
    assert_true(highest > 0.01 && worst < 0.03 * highest);
    assert_true(tiles.active < SIDE * SIDE / 2);
    rn_world_destroy(world);
    rn_world_destroy(uniform);
}

/* Sections count what passes between columns: meanwhile all tiles are fine. */
static void sections_count_every_quantum(void **state) {
    (void)state;
    rn_world *world = flat_world(3, 0.002);
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 2.0});
    add_hump(world, 40.0, 80.0, 0.6);
    for (int i = 0; i < 16; i++) rn_world_step(world, 0.5);
    assert_true(tiles_at(world, 0) < 50);
    double west[2] = {0};
    const int section = rn_world_add_section(world, 90.0, 0.0, 90.0, SIDE);
    for (int when = 0; when < 2; when++) {
        for (int i = 0; i < SIDE * 90; i++) west[when] += depth_at(world, i % 90, i / 90);
        for (int i = 0; when == 0 && i < 10; i++) rn_world_step(world, 0.5);
    }
    assert_int_equal(tiles_at(world, 0), 100);
    assert_true(west[0] != west[1]);
    assert_true(fabs(fabs(rn_world_read_section(world, section).volume) - fabs(west[0] - west[1])) < 1e-9);
    rn_world_destroy(world);
}

/* A force on coarse tiles gives them the momentum that it has, and dry tiles are left alone. */
static void forces_reach_coarse_tiles(void **state) {
    (void)state;
    rn_world *world = flat_world(3, 1.0);
    rn_sdf *region = rn_sdf_move(rn_sdf_box((rn_vec3){80.0, 80.0, 10.0}), (rn_vec3){40.0, 40.0, 0.0});
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 2.0, .shape = region});
    rn_sdf_destroy(region);
    rn_world_step(world, 0.5);
    assert_true(tiles_at(world, RN_TILE_IDLE) > 20);
    rn_world_destroy(world);
    world = flat_world(3, 1.0);
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 2.0});
    for (int i = 0; i < 10; i++) rn_world_step(world, 0.5);
    assert_int_equal(tiles_at(world, 3), 100);
    assert_true(rn_world_add_force(world, &(rn_force_def){.push = {0.2, 0.0}}) >= 0);
    rn_world_step(world, 0.1);
    assert_true(fabs(rn_world_sample(world, (rn_vec3){80.0, 80.0, 3.0}).velocity_x - 0.02) < 1e-4);
    rn_world_destroy(world);
}

/* A map with tiles has lines where tiles begin, and a uniform world none. */
static void maps_show_tiles(void **state) {
    (void)state;
    static uint8_t pixels[2][SIDE * SIDE * 3];
    for (int levels = 0; levels < 3; levels += 2) {
        rn_world *world = flat_world(levels, 0.0);
        rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 2.0});
        rn_world_step(world, 0.5);
        for (int tiles = 0; tiles < 2; tiles++) {
            const rn_top_view_def def = {.width = SIDE, .plain = true, .tiles = tiles};
            assert_int_equal(rn_top_view(world, &def, pixels[tiles]), RN_OK);
        }
        const size_t line = 3 * (size_t)RN_PACKETS_TILE, between = 3 * ((size_t)SIDE + 1);
        assert_int_equal(memcmp(pixels[0] + line, pixels[1] + line, 3) != 0, levels > 0);
        assert_memory_equal(pixels[0] + between, pixels[1] + between, 3);
        rn_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_parameters_are_refused),
        cmocka_unit_test(lakes_rest_at_every_level),
        cmocka_unit_test(mass_is_exact_and_threads_give_the_same_bits),
        cmocka_unit_test(a_restored_world_goes_on_with_the_same_bits),
        cmocka_unit_test(coarse_tiles_are_emptied),
        cmocka_unit_test(tiles_follow_a_wave),
        cmocka_unit_test(sections_count_every_quantum),
        cmocka_unit_test(forces_reach_coarse_tiles),
        cmocka_unit_test(maps_show_tiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
