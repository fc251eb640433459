/* What bounds substeps, as rn_world_stats tells. */
#include "tray_worlds.h"

#include <math.h>

enum { N = 32 };

static rn_world *canal(double depth, double speed, double viscosity) {
    double depths[N];
    for (int i = 0; i < N; i++) depths[i] = depth;
    rn_world *world =
        make_world(&(setup){.nx = N, .ny = 1, .cell = 0.1, .lid = 5.0, .viscosity = viscosity, .periodic_x = true});
    set_depths(world, depths);
    rn_view f = rn_world_view(world, RN_FIELD_FLUX_X);
    for (int i = 0; i < N; i++) f.data[i] = (float)(speed * depth * 0.1);
    rn_world_commit(world);
    return world;
}

static void assert_bound(rn_world *world, double seconds, rn_bound bound) {
    assert_int_equal(rn_world_step(world, seconds), RN_OK);
    const rn_world_stats stats = rn_world_get_stats(world);
    uint64_t sum = 0;
    for (int k = 0; k < RN_BOUNDS; k++) sum += stats.bounded[k];
    assert_true(sum == stats.steps && sum > 0);
    if (stats.bounded[bound] != sum) fail_msg("%d of %d substeps", (int)stats.bounded[bound], (int)sum);
    rn_world_destroy(world);
}

static void calls_may_be_shorter_than_substeps(void **state) {
    (void)state;
    assert_bound(canal(1.0, 0.1, 0.0), 1e-6, RN_BOUND_CALL);
}

static void slow_deep_water_is_bound_by_waves(void **state) {
    (void)state;
    rn_world *world = canal(1.0, 0.1, 0.0);
    rn_world_step(world, 0.5);
    const rn_world_stats stats = rn_world_get_stats(world);
    assert_int_equal(stats.bound, RN_BOUND_WAVES);
    assert_true(fabs(stats.bound_depth - 1.0) < 1e-3 && fabs(stats.bound_speed - 0.1) < 1e-3);
    assert_bound(world, 0.5, RN_BOUND_WAVES);
}

static void fast_streams_are_bound_by_their_speed(void **state) {
    (void)state;
    assert_bound(canal(0.1, 5.0, 0.0), 0.5, RN_BOUND_SPEED);
}

/* A fast film that drag is about to stop. */
static void thin_films_are_bound_by_drag(void **state) {
    (void)state;
    rn_world *world = canal(1e-3, 2.0, 1e-3);
    rn_world_step(world, 1e-3);
    assert_int_equal(rn_world_get_stats(world).bound, RN_BOUND_DRAG);
    rn_world_destroy(world);
}

static void dry_ground_is_bound_by_sources(void **state) {
    (void)state;
    rn_world *world = canal(0.0, 0.0, 0.0);
    assert_int_equal(rn_world_step(world, 1e-6), RN_OK);
    assert_int_equal(rn_world_get_stats(world).bound, RN_BOUND_CALL);
    assert_true(rn_world_get_stats(world).bound_depth == 0.0);
    rn_world_pour(world, (rn_vec3){1.05, 0.05, 4.0}, 0.0, 0.01);
    assert_int_equal(rn_world_step(world, 1e-6), RN_OK);
    assert_int_equal(rn_world_get_stats(world).bound, RN_BOUND_SOURCES);
    rn_world_destroy(world);
}

/* Water poured into one dry cell: with the depth Q t / cell^2, waves cross 0.9 of a cell within t. */
static void steps_on_dry_ground_follow_from_the_rate(void **state) {
    (void)state;
    for (double rate = 1e-9; rate < 1.0; rate *= 7.0) {
        rn_world *world = canal(0.0, 0.0, 0.0);
        const double cell = rn_world_describe(world).cell_size;
        rn_world_pour(world, (rn_vec3){1.05, 0.05, 4.0}, 0.0, rate);
        assert_int_equal(rn_world_step(world, 1e-9), RN_OK);
        const double wanted = pow(0.9 * cell * cell / sqrt(9.81 * rate), 2.0 / 3.0);
        assert_true(fabs(rn_world_get_stats(world).limit / wanted - 1.0) < 1e-6);
        rn_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_may_be_shorter_than_substeps),
        cmocka_unit_test(slow_deep_water_is_bound_by_waves),
        cmocka_unit_test(fast_streams_are_bound_by_their_speed),
        cmocka_unit_test(thin_films_are_bound_by_drag),
        cmocka_unit_test(dry_ground_is_bound_by_sources),
        cmocka_unit_test(steps_on_dry_ground_follow_from_the_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
