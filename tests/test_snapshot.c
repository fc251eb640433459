/* Going back, and going on elsewhere: a restored world continues bit for bit, and no bytes can break one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "physics/physics.h"
#include "purse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CELLS = 28 };
static const double size = CELLS * 0.005;

/* Kinds of worlds that have everything between them. */
static rn_world *make(int kind) {
    rn_terrain *terrain = random_stacks(CELLS, 3, 0.005, 3 + (uint32_t)(kind > 3 ? kind - 3 : kind), STACKS_RAGGED);
    rn_world_def def = rn_world_default();
    def.terrain = terrain;
    def.dig = 0.004;
    for (int side = 0; side < 4; side++)
        def.edges[side] = kind == 2 || kind == 5 ? RN_EDGE_PERIODIC : side == 1 ? RN_EDGE_OPEN : RN_EDGE_WALL;
    if (kind == 2 || kind == 5) def.drop_x = 0.001;
    if (kind == 3) def.model = RN_MODEL_PAPER;
    rn_world *world = NULL;
    assert_int_equal(rn_world_create(&def, &world), RN_OK);
    rn_terrain_destroy(terrain);
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 0.012});
    rn_world_pour(world, (rn_vec3){size / 2, size / 2, 0.04}, 0.01, 3e-6);
    rn_world_drain(world, (rn_vec3){size / 4, size / 4, 0.04}, 0.0, INFINITY);
    if (kind == 0) return world;
    const rn_waypoint path[] = {{0, {0.02, 0.02, 0.04}}, {1, {0.11, 0.1, 0.04}}};
    const rn_series_point hydrograph[] = {{0, 0}, {0.5, 4e-6}, {1, 1e-6}};
    rn_source_def moving = rn_source_default();
    moving.path = path;
    moving.path_count = 2;
    moving.radius = 0.008;
    moving.series = hydrograph;
    moving.series_count = 3;
    assert_true(rn_world_add_source(world, &moving) >= 0);
    rn_sdf *region = rn_sdf_move(rn_sdf_box((rn_vec3){0.06, 0.06, 1}), (rn_vec3){0.05, 0.05, 0});
    rn_source_def rain = {.kind = RN_SOURCE_RAIN, .rate = 1e-4, .shape = region};
    rn_source_def loss = {.kind = RN_SOURCE_INFILTRATION, .rate = 3e-5};
    rn_source_def head = {.kind = RN_SOURCE_HEAD, .level = 0.03, .resistance = 4e3, .at = {0.1, 0.03, 0.04}};
    assert_true(rn_world_add_source(world, &rain) >= 0 && rn_world_add_source(world, &loss) >= 0);
    assert_true(rn_world_add_source(world, &head) >= 0);
    if (kind != 3) assert_int_equal(rn_world_set_friction(world, region, 0.1), RN_OK);
    rn_sdf_destroy(region);
    assert_int_equal(rn_world_add_section(world, 0.07, 0, 0.07, size), 0);
    rn_solid_def ball = {.shape = rn_sdf_sphere(0.02), .at = {0, 0.07, 0.02}};
    rn_solid_def hole = {.shape = rn_sdf_box((rn_vec3){0.03, 0.02, 0.01}), .carve = true, .hidden = true};
    assert_int_equal(rn_world_add_solid(world, &ball), 0);
    assert_int_equal(rn_world_add_solid(world, &hole), 1);
    return world;
}

/* A frame whose happenings follow from its number. */
static void frame(rn_world *world, int kind, int number) {
    if (kind > 0) {
        rn_vec3 at = {0.003 * number, 0.07, 0.02}, turn = {0, 3.0 * number, 0};
        assert_int_equal(rn_world_move_solid(world, 0, at, rn_quat_from_degrees(turn)), RN_OK);
        assert_int_equal(rn_world_move_solid(world, 1, (rn_vec3){0.1, 0.04, 0.003}, rn_quat_from_degrees(turn)), RN_OK);
        assert_int_equal(rn_world_show_solid(world, 1, number % 20 >= 8), RN_OK);
        if (number % 12 == 11) {
            rn_sdf *brush = rn_sdf_move(rn_sdf_sphere(0.01), (rn_vec3){0.002 * number, 0.1, 0.01});
            assert_int_equal(rn_world_sculpt(world, brush, true), RN_OK);
            rn_sdf_destroy(brush);
        }
    }
    if (number == 22) rn_world_set_rate(world, 0, 1e-6);
    assert_int_equal(rn_world_step(world, 1.0 / 60.0), RN_OK);
}

static uint64_t run(rn_world *world, int kind, int from, int to) {
    for (int i = from; i < to; i++) frame(world, kind, i);
    return rn_world_hash(world);
}

static rn_snapshot *save(rn_world *world) {
    rn_snapshot *snapshot = NULL;
    assert_int_equal(rn_world_save(world, &snapshot), RN_OK);
    return snapshot;
}

static void restored_worlds_continue_bit_for_bit(void **state) {
    (void)state;
    for (int kind = 0; kind < 6; kind++)
        for (int at = getenv("RUNNEL_LONG") ? 1 : 1 + 13 * (kind % 3); at < 40; at += getenv("RUNNEL_LONG") ? 13 : 39) {
            rn_world *world = make(kind);
            run(world, kind, 0, at);
            rn_snapshot *snapshot = save(world);
            const uint64_t then = rn_world_hash(world), end = run(world, kind, at, 60);
            assert_int_equal(rn_world_restore(world, snapshot), RN_OK);
            assert_true(rn_world_hash(world) == then);
            assert_true(rn_world_audit(world).drift == 0.0);
            assert_true(run(world, kind, at, 60) == end);
            rn_section passed = kind ? rn_world_read_section(world, 0) : (rn_section){0};
            const int64_t columns = rn_world_describe(world).columns;
            rn_world_destroy(world);

            /* elsewhere, from bytes */
            size_t bytes;
            const void *data = rn_snapshot_bytes(snapshot, &bytes);
            rn_snapshot *copy = NULL;
            assert_int_equal(rn_snapshot_create(NULL, data, bytes, &copy), RN_OK);
            world = make(kind);
            assert_int_equal(rn_world_restore(world, copy), RN_OK);
            assert_true(run(world, kind, at, 60) == end);
            assert_true(!kind || rn_world_read_section(world, 0).volume == passed.volume);
            assert_true(rn_world_describe(world).columns == columns);
            rn_world_destroy(world);
            rn_snapshot_destroy(copy);
            rn_snapshot_destroy(snapshot);
        }
}

/* Liquid that solid has pushed away and not given back yet is part of a state, with bodies or without. */
static void held_liquid_is_saved(void **state) {
    (void)state;
    const rn_model models[] = {RN_MODEL_PHYSICAL, RN_MODEL_PAPER};
    for (int i = 0; i < 2; i++) {
        rn_world *world = make_world(&(setup){
            .model = models[i], .nx = 12, .ny = 12, .cell = 0.01, .lid = 0.3, .friction = 0.5, .give_back = 0.5});
        rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 0.05});
        assert_int_equal(rn_world_step(world, 0.01), RN_OK);
        rn_sdf *ball = rn_sdf_move(rn_sdf_sphere(0.03), (rn_vec3){0.06, 0.06, 0.0});
        assert_int_equal(rn_world_sculpt(world, ball, false), RN_OK);
        rn_sdf_destroy(ball);
        assert_int_equal(rn_world_step(world, 0.01), RN_OK);
        assert_true(rn_world_audit(world).body_offset < 0.0);
        rn_snapshot *snapshot = save(world);
        assert_int_equal(rn_world_step(world, 0.2), RN_OK);
        const uint64_t end = rn_world_hash(world);
        assert_int_equal(rn_world_restore(world, snapshot), RN_OK);
        assert_true(rn_world_audit(world).body_offset < 0.0 && rn_world_audit(world).drift == 0.0);
        assert_int_equal(rn_world_step(world, 0.2), RN_OK);
        assert_true(rn_world_hash(world) == end);
        rn_snapshot_destroy(snapshot);
        rn_world_destroy(world);
    }
}

/* Caves carved above a roof: layers that the other world has never had. */
static void carve_caves(rn_world *world) {
    const rn_vec3 at[2] = {{0.03, 0.05, 0.075}, {0.06, 0.05, 0.08}};
    for (int i = 0; i < 2; i++) {
        rn_sdf *cave = rn_sdf_move(rn_sdf_box((rn_vec3){0.04, 0.04, 0.02}), at[i]);
        assert_int_equal(rn_world_sculpt(world, cave, true), RN_OK);
        rn_sdf_destroy(cave);
    }
}

static rn_world *vault(void) {
    rn_column columns[10 * 10];
    int32_t counts[10 * 10];
    for (int i = 0; i < 10 * 10; i++) {
        columns[i] = (rn_column){-INFINITY, 0.0, 0.05};
        counts[i] = 1;
    }
    return make_world_on(make_terrain(10, 10, 0.01, 0.2, columns, counts),
                         &(setup){.nx = 10, .ny = 10, .cell = 0.01, .friction = 0.5});
}

static void new_layers_come_with_their_pipes(void **state) {
    (void)state;
    rn_world *world = vault(), *other = vault();
    carve_caves(world);
    assert_int_equal(rn_world_commit(world), RN_OK);
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 0.08});
    rn_snapshot *snapshot = save(world);
    assert_int_equal(rn_world_restore(other, snapshot), RN_OK);
    assert_true(rn_world_describe(other).pipes == rn_world_describe(world).pipes);
    assert_true(rn_world_describe(other).columns == rn_world_describe(world).columns);
    for (int i = 0; i < 30; i++) {
        rn_world_step(world, 1.0 / 60.0);
        rn_world_step(other, 1.0 / 60.0);
    }
    assert_true(rn_world_hash(other) == rn_world_hash(world));
    rn_snapshot_destroy(snapshot);
    rn_world_destroy(world);
    rn_world_destroy(other);
}

/* What was added since is gone; what was removed since cannot come back. */
static void additions_are_undone(void **state) {
    (void)state;
    rn_world *world = make(1);
    run(world, 1, 0, 10);
    rn_snapshot *snapshot = save(world);
    const uint64_t end = run(world, 1, 10, 20);
    rn_world_pour(world, (rn_vec3){0.02, 0.1, 0.04}, 0.01, 1e-5);
    rn_world_add_solid(world, &(rn_solid_def){.shape = rn_sdf_sphere(0.03), .at = {0.1, 0.1, 0}});
    run(world, 1, 20, 25);
    assert_int_equal(rn_world_restore(world, snapshot), RN_OK);
    assert_true(run(world, 1, 10, 20) == end);
    assert_int_equal(rn_world_remove_solid(world, 1), RN_OK);
    assert_int_equal(rn_world_restore(world, snapshot), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "does not fit"));
    rn_snapshot_destroy(snapshot);
    rn_world_destroy(world);
}

static void other_worlds_and_versions_are_refused(void **state) {
    (void)state;
    rn_world *world = make(0), *other = make(1);
    rn_snapshot *snapshot = save(world), *changed = NULL;
    const uint64_t before = rn_world_hash(other);
    assert_int_equal(rn_world_restore(other, snapshot), RN_INVALID);
    assert_true(rn_world_hash(other) == before);
    size_t bytes;
    const uint8_t *data = rn_snapshot_bytes(snapshot, &bytes);
    uint8_t *copy = malloc(bytes);
    assert_non_null(copy);
    memcpy(copy, data, bytes);
    copy[4] = 9; /* the version */
    assert_int_equal(rn_snapshot_create(NULL, copy, bytes, &changed), RN_OK);
    assert_int_equal(rn_world_restore(world, changed), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "version 9"));
    rn_snapshot_destroy(changed);
    for (size_t cut = 0; cut < bytes; cut += 1 + bytes / 97) {
        assert_int_equal(rn_snapshot_create(NULL, data, cut, &changed), RN_OK);
        assert_int_equal(rn_world_restore(world, changed), RN_INVALID);
        rn_snapshot_destroy(changed);
    }
    free(copy);
    rn_snapshot_destroy(snapshot);
    rn_world_destroy(world);
    rn_world_destroy(other);
}

/* What a world saves of itself passes every check that bytes from elsewhere meet. */
static void assert_sound(rn_world *world) {
    assert_true(rn_world_audit(world).drift == 0.0);
    rn_snapshot *saved = save(world), *copy = NULL;
    size_t bytes;
    const void *data = rn_snapshot_bytes(saved, &bytes);
    assert_int_equal(rn_snapshot_create(NULL, data, bytes, &copy), RN_OK);
    assert_int_equal(rn_world_restore(world, copy), RN_OK);
    rn_snapshot_destroy(copy);
    rn_snapshot_destroy(saved);
}

/* One word or two become what a step could not count on: no number, or far too large a one. */
static void change_number(uint8_t *bytes, size_t at, int which) {
    static const uint64_t odd[] = {
        0x7ff0000000000000, 0xffefffffffffffff, 0x7fefffffffffffff, 0x4ca0000000000000, 0x7fffffffffffffff,
        0x8000000000000000, 0x7f7fffff,         0xff7fffff,         0x7f800000,         0x5f7fffff,
    };
    memcpy(bytes + at / 4 * 4, &odd[which % 10], odd[which % 10] >> 32 ? 8 : 4);
}

/* Bytes changed at random are refused, or give a world that is whole: drift 0, every depth within its column. */
static void damaged_bytes_do_no_harm(void **state) {
    (void)state;
    uint32_t random = 5;
    rn_world *world = make(1);
    run(world, 1, 0, 12);
    rn_snapshot *snapshot = save(world), *changed = NULL;
    size_t bytes;
    const uint8_t *data = rn_snapshot_bytes(snapshot, &bytes);
    uint8_t *copy = malloc(bytes);
    assert_non_null(copy);
    int taken = 0;
    for (int i = 0; i < (getenv("RUNNEL_LONG") ? 500 : 150); i++) {
        memcpy(copy, data, bytes);
        /* half of them near the start or the end, where the counts are */
        for (int k = 0; k < 1 + i % 3; k++) {
            double where = random_unit(&random);
            size_t at = i % 2 ? (size_t)(where * (double)bytes) : bytes - 1 - (size_t)(where * 3000);
            if (i % 4 < 2) copy[at] = (uint8_t)(256 * random_unit(&random));
            else change_number(copy, at < bytes - 8 ? at : bytes - 8, (int)(1000 * random_unit(&random)));
        }
        assert_int_equal(rn_snapshot_create(NULL, copy, bytes, &changed), RN_OK);
        if (rn_world_restore(world, changed) == RN_OK) {
            taken++;
            assert_sound(world);
            rn_world_step(world, 1e-4);
            assert_sound(world);
            assert_int_equal(rn_world_restore(world, snapshot), RN_OK);
        }
        rn_snapshot_destroy(changed);
    }
    assert_true(taken > (getenv("RUNNEL_LONG") ? 10 : 3));
    free(copy);
    rn_snapshot_destroy(snapshot);
    rn_world_destroy(world);
}

/* The memory of an earlier snapshot is used again. */
static void saving_again_allocates_nothing(void **state) {
    (void)state;
    rn_world *world = make(0);
    rn_snapshot *snapshot = save(world);
    size_t bytes;
    const void *first = rn_snapshot_bytes(snapshot, &bytes);
    run(world, 0, 0, 3);
    assert_int_equal(rn_world_save(world, &snapshot), RN_OK);
    assert_ptr_equal(rn_snapshot_bytes(snapshot, &bytes), first);
    rn_snapshot_destroy(snapshot);
    rn_world_destroy(world);
}

/* ---- Without memory ------------------------------------------------------------------------------------------- */

static rn_world *rainy_plain(purse *p) {
    enum { N = 12 };
    rn_world_def def = rn_world_default();
    rn_column columns[N * N];
    int32_t counts[N * N];
    for (int i = 0; i < N * N; i++) {
        columns[i] = (rn_column){-INFINITY, 0.0, 2.0};
        counts[i] = 1;
    }
    def.terrain = make_terrain(N, N, 0.1, 2.0, columns, counts);
    def.hooks = (rn_hooks){.user = p, .alloc = purse_spend, .free = purse_give_back};
    rn_world *world = NULL;
    p->left = 100000;
    assert_int_equal(rn_world_create(&def, &world), RN_OK);
    rn_terrain_destroy((rn_terrain *)def.terrain);
    return world;
}

/* Rain with shares of its own for each column. */
static void let_it_rain(rn_world *world) {
    rn_sdf *region = rn_sdf_box((rn_vec3){3.0, 3.0, 3.0});
    rn_source_def rain = rn_source_default();
    rain.kind = RN_SOURCE_RAIN;
    rain.rate = 0.01;
    rain.shape = region;
    assert_true(rn_world_add_source(world, &rain) >= 0);
    rn_sdf_destroy(region);
}

/* A slab over the ground, and so a second layer. */
static void hang_slab(rn_world *world) {
    rn_sdf *slab = rn_sdf_move(rn_sdf_box((rn_vec3){0.6, 0.6, 0.1}), (rn_vec3){0.6, 0.6, 1.0});
    assert_int_equal(rn_world_sculpt(world, slab, false), RN_OK);
    rn_sdf_destroy(slab);
}

/* Whichever allocation fails, the world runs on, and can be restored again. */
static void a_restore_without_memory_leaves_a_world_that_runs(void **state) {
    (void)state;
    purse first = {0}, second = {0};
    rn_world *world = rainy_plain(&first);
    rn_snapshot *snapshot = NULL;
    let_it_rain(world);
    hang_slab(world);
    assert_int_equal(rn_world_step(world, 0.1), RN_OK);
    assert_int_equal(rn_world_save(world, &snapshot), RN_OK);
    int refused = 0;
    for (bool done = false; !done; refused += !done) {
        rn_world *other = rainy_plain(&second);
        let_it_rain(other);
        second.left = refused;
        done = rn_world_restore(other, snapshot) == RN_OK;
        second.left = 100000;
        if (!done) assert_int_equal(rn_world_step(other, 0.1), RN_OK);
        assert_int_equal(rn_world_restore(other, snapshot), RN_OK);
        assert_true(rn_world_hash(other) == rn_world_hash(world));
        rn_world_destroy(other);
    }
    assert_true(refused > 10);
    rn_snapshot_destroy(snapshot);
    rn_world_destroy(world);
    assert_int_equal(first.held, 0);
    assert_int_equal(second.held, 0);
}

/* Rain that comes after columns could not grow has room for all that grow later. */
static void rain_after_a_change_without_memory(void **state) {
    (void)state;
    uint64_t hash = 0;
    int refused = 0;
    for (bool done = false; !done; refused += !done) {
        purse p = {0};
        rn_world *world = rainy_plain(&p);
        let_it_rain(world);
        hang_slab(world);
        p.left = refused;
        done = rn_world_commit(world) == RN_OK;
        p.left = 100000;
        let_it_rain(world);
        assert_int_equal(rn_world_commit(world), RN_OK);
        assert_int_equal(rn_world_describe(world).layers, 2);
        for (int i = 0; i < 3; i++) assert_int_equal(rn_world_step(world, 0.1), RN_OK);
        if (refused == 0) hash = rn_world_hash(world);
        assert_true(rn_world_hash(world) == hash);
        rn_world_destroy(world);
        assert_int_equal(p.held, 0);
    }
    assert_true(refused > 10);
}

/* A rate that the host has set in place of a series comes back too, in a world whose source still has its series. */
static void a_rate_in_place_of_a_series_is_saved(void **state) {
    (void)state;
    static const rn_series_point flood[] = {{0, 0}, {1, 4e-6}};
    rn_world *worlds[2];
    for (int i = 0; i < 2; i++) {
        worlds[i] = vault();
        rn_source_def def = rn_source_default();
        def.at = (rn_vec3){0.005, 0.005, 0.02}, def.radius = 2e-3, def.series = flood, def.series_count = 2;
        assert_true(rn_world_add_source(worlds[i], &def) >= 0);
    }
    const int source = 0;
    assert_true(rn_world_has_source(worlds[0], source));
    assert_int_equal(rn_world_set_rate(worlds[0], source, 3e-6), RN_OK);
    rn_snapshot *saved = NULL;
    assert_int_equal(rn_world_save(worlds[0], &saved), RN_OK);
    assert_int_equal(rn_world_restore(worlds[1], saved), RN_OK);
    for (int i = 0; i < 2; i++) assert_int_equal(rn_world_step(worlds[i], 0.2), RN_OK);
    assert_true(rn_world_audit(worlds[1]).poured > 5e-7);
    assert_true(rn_world_hash(worlds[0]) == rn_world_hash(worlds[1]));
    rn_snapshot_destroy(saved);
    for (int i = 0; i < 2; i++) rn_world_destroy(worlds[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restored_worlds_continue_bit_for_bit),
        cmocka_unit_test(held_liquid_is_saved),
        cmocka_unit_test(a_rate_in_place_of_a_series_is_saved),
        cmocka_unit_test(new_layers_come_with_their_pipes),
        cmocka_unit_test(additions_are_undone),
        cmocka_unit_test(other_worlds_and_versions_are_refused),
        cmocka_unit_test(damaged_bytes_do_no_harm),
        cmocka_unit_test(saving_again_allocates_nothing),
        cmocka_unit_test(a_restore_without_memory_leaves_a_world_that_runs),
        cmocka_unit_test(rain_after_a_change_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
