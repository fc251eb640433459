/* Steps of a world: budgets and limits, how fast liquid may flow, and the same bits again. */
#include "tray_worlds.h"

#include <math.h>
#include <string.h>

static void count_warning(void *user, rn_log_level level, const char *text) {
    if (level == RN_LOG_WARNING && strstr(text, "time runs slower")) ++*(int *)user;
}

static void a_budget_slows_time_and_says_so(void **state) {
    (void)state;
    int warnings = 0;
    rn_world_def def = rn_world_default();
    def.max_substeps = 2;
    def.hooks = (rn_hooks){.user = &warnings, .log = count_warning};
    rn_world *world = world_on(level_ground(20, 20, 1e-3, 0.0, 0.05), &def);
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_DEPTH, .value = 0.02});
    run(world, 10);
    rn_world_stats stats = rn_world_get_stats(world);
    assert_int_equal(stats.substeps, 2);
    assert_int_equal(warnings, 1);
    assert_true(stats.time < 0.9 * stats.asked);
    assert_true(fabs(stats.asked - 10.0 / 60.0) < 1e-12);
    rn_world_destroy(world);
}

static void substeps_keep_the_limit(void **state) {
    (void)state;
    rn_world *world = tray(40);
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_DEPTH, .value = 0.02});
    run(world, 1);
    rn_world_stats stats = rn_world_get_stats(world);
    double limit = 0.85 * 1e-3 / sqrt(2.0 * 9.81 * 0.02);
    assert_true(stats.dt <= limit * 1.001 && stats.dt > 0.8 * limit);
    assert_int_equal(stats.substeps, (int)ceil(1.0 / 60.0 / limit));
    assert_true(fabs(stats.time - 1.0 / 60.0) < 1e-12);
    rn_world_destroy(world);
}

/* However many substeps a call takes, rounding leaves no sliver of a last one, in which level water would lose its
 * flux. */
static void long_calls_end_without_a_sliver(void **state) {
    (void)state;
    enum { N = 8 };
    double depth[N];
    for (int i = 0; i < N; i++) depth[i] = 0.01 + 1e-4 * cos(3.14159265 * (i + 0.5) / N);
    rn_world *world = make_world(&(setup){.nx = N, .ny = 1, .cell = 1.25e-4, .lid = 0.02});
    set_depths(world, depth);
    for (int call = 0; call < 8; call++) {
        rn_world_step(world, 20.0 + call);
        rn_world_stats stats = rn_world_get_stats(world);
        assert_true(stats.substeps > 10000 && stats.dt > 0.5 * stats.limit);
    }
    rn_world_destroy(world);
}

/* The more viscous, the slower the front. */
static void viscosity_is_monotone(void **state) {
    (void)state;
    const double viscosities[] = {0.0, 1e-6, 4e-6, 4e-5, 4e-4, 4e-3, 0.4, 40.0};
    double before = INFINITY;
    for (int i = 0; i < 8; i++) {
        double heights[120], depth[120] = {0};
        for (int x = 0; x < 120; x++) heights[x] = 0.1 * 1e-3 * (119 - x);
        for (int x = 5; x < 25; x++) depth[x] = 3e-3;
        rn_world *world = make_world(&(setup){.nx = 120,
                                              .ny = 1,
                                              .cell = 1e-3,
                                              .heights = heights,
                                              .lid = 0.03,
                                              .viscosity = viscosities[i],
                                              .friction = 0.5});
        set_depths(world, depth);
        run(world, 12);
        double moment = 0.0, mass = 0.0;
        for (int x = 0; x < 120; x++) {
            assert_true(depth_at(world, x, 0) >= 0.0);
            moment += x * depth_at(world, x, 0);
            mass += depth_at(world, x, 0);
        }
        assert_true(moment / mass <= before);
        before = moment / mass;
        assert_true(rn_world_audit(world).drift == 0.0);
        rn_world_destroy(world);
    }
    assert_true(before < 14.6); /* at 40 m2/s it has hardly moved */
}

/* Without drag pipes would speed up for ever; no flow may be faster than its height can make it, nor a sample. */
static void no_flow_outruns_its_head(void **state) {
    (void)state;
    const double viscosities[] = {0.0, 1e-7, 1e-6};
    for (int k = 0; k < 3; k++) {
        double heights[8 * 100];
        for (int i = 0; i < 800; i++) heights[i] = 0.3 * 5e-4 * (99 - i % 100);
        rn_world *world = make_world(&(setup){.nx = 100,
                                              .ny = 8,
                                              .cell = 5e-4,
                                              .heights = heights,
                                              .lid = 0.04,
                                              .viscosity = viscosities[k],
                                              .friction = 0.5});
        rn_world_pour(world, (rn_vec3){0.004, 0.002, 0.03}, 0.001, 1e-6);
        for (int frame = 0; frame < 30; frame++) {
            run(world, 1);
            const double fastest = rn_world_get_stats(world).fastest;
            assert_true(fastest <= 2.2 * sqrt(9.81 * 0.025));
            for (int x = 0; x < 100; x++) {
                rn_sample sample = rn_world_sample_layer(world, (x + 0.5) * 5e-4, 0.002, 0);
                assert_true(hypot(sample.velocity_x, sample.velocity_y) <= 1.5 * fastest + 1e-9);
            }
        }
        rn_world_destroy(world);
    }
}

static uint64_t hash_of_run(int threads, double offset) {
    const double cell = 1e-3;
    rn_terrain_def ground = rn_terrain_default();
    ground.cells_x = 50;
    ground.cells_y = 41;
    ground.cell_size = cell;
    ground.bottom = offset - 0.02;
    ground.lid = offset + 0.044;
    ground.solid = rn_sdf_move(rn_sdf_bowl(0.02, 0.01), (rn_vec3){0.025, 0.02, offset});
    rn_terrain *terrain = NULL;
    assert_int_equal(rn_terrain_create(&ground, &terrain), RN_OK);
    rn_world_def def = rn_world_default();
    def.threads = threads;
    def.edges[RN_SIDE_EAST] = RN_EDGE_OPEN;
    rn_world *world = world_on(terrain, &def);
    rn_world_pour(world, (rn_vec3){0.012, 0.02, offset + 0.02}, 0.004, 2e-5);
    run(world, 60);
    uint64_t hash = rn_world_hash(world);
    rn_world_destroy(world);
    return hash;
}

static void the_same_twice_and_for_any_threads(void **state) {
    (void)state;
    uint64_t once = hash_of_run(1, 0.0);
    assert_true(once == hash_of_run(1, 0.0));
    assert_true(once == hash_of_run(2, 0.0));
    assert_true(once == hash_of_run(3, 0.0));
    assert_true(once == hash_of_run(8, 0.0));
}

/* A DEM at 3,000 m behaves like one at 0: the same scene, moved by a multiple of the quantum, gives the same bits. */
static void heights_far_from_zero(void **state) {
    (void)state;
    double heights[24 * 24];
    uint32_t random = 9;
    for (int i = 0; i < 24 * 24; i++) heights[i] = rint(4096.0 * random_unit(&random)) / 1024.0;
    uint64_t hash[2];
    for (int far = 0; far < 2; far++) {
        double moved[24 * 24];
        for (int i = 0; i < 24 * 24; i++) moved[i] = heights[i] + (far ? 3000.0 : 0.0);
        rn_world *world = make_world(
            &(setup){.nx = 24, .ny = 24, .cell = 10.0, .heights = moved, .lid = far ? 3020.0 : 20.0, .friction = 0.5});
        rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = far ? 3002.0 : 2.0});
        rn_world_pour(world, (rn_vec3){120.0, 120.0, far ? 3010.0 : 10.0}, 25.0, 100.0);
        run(world, 120);
        assert_true(rn_world_audit(world).drift == 0.0);
        hash[far] = rn_world_hash(world);
        rn_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
}

/* Past a periodic edge columns are copies: pipes between them would be no part of the state, and yet bound the step. */
static void copies_have_no_pipes_of_their_own(void **state) {
    (void)state;
    enum { N = 6 };
    double heights[N * N], depths[N * N];
    for (int i = 0; i < N * N; i++) {
        heights[i] = 0.0;
        depths[i] = 1e-3 * (1 + i / N);
    }
    rn_world *world =
        make_world(&(setup){.nx = N, .ny = N, .cell = 1e-3, .heights = heights, .lid = 0.05, .periodic_x = true});
    set_depths(world, depths);
    rn_view f = rn_world_view(world, RN_FIELD_FLUX_Y);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(rn_world_step(world, 1e-3), RN_OK);
        f = rn_world_view(world, RN_FIELD_FLUX_Y);
        for (int y = 0; y < N; y++) assert_true(f.data[y * f.row_stride + N] == 0.0f);
    }
    assert_true(f.data[2 * f.row_stride] != 0.0f);
    rn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_budget_slows_time_and_says_so), cmocka_unit_test(substeps_keep_the_limit),
        cmocka_unit_test(long_calls_end_without_a_sliver), cmocka_unit_test(viscosity_is_monotone),
        cmocka_unit_test(no_flow_outruns_its_head),        cmocka_unit_test(the_same_twice_and_for_any_threads),
        cmocka_unit_test(heights_far_from_zero),           cmocka_unit_test(copies_have_no_pipes_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
