/* Momentum that liquid carries along: what the rows of `runnel validate` do not say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "physics/physics.h"

#include <math.h>

static double total(rn_world *world, rn_field field) {
    rn_view f = rn_world_view(world, field);
    double sum = 0.0;
    for (int y = 0; y < f.cells_y; y++)
        for (int x = 0; x < f.cells_x; x++) sum += f.data[y * f.row_stride + x];
    return sum;
}

/* On level ground without drag or walls, only moved: never made, never lost. */
static void momentum_is_conserved(void **state) {
    (void)state;
    enum { N = 24 };
    const double cell = 0.02;
    rn_world *world =
        make_world(&(setup){.nx = N, .ny = N, .cell = cell, .lid = 0.3, .periodic_x = true, .periodic_y = true});
    double depth[N * N];
    rn_view fx = rn_world_view(world, RN_FIELD_FLUX_X), fy = rn_world_view(world, RN_FIELD_FLUX_Y);
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) {
            depth[y * N + x] = 0.05 + (hypot(x - 8.0, y - 14.0) < 5.0 ? 0.05 : 0.0);
            fx.data[y * fx.row_stride + x] = (float)(cell * 0.05 * 0.8 * (y > 12 ? 1.0 : 0.2));
            fy.data[y * fy.row_stride + x] = (float)(cell * 0.05 * -0.5 * (x > 6 ? 1.0 : 0.1));
        }
    set_depths(world, depth);
    const double x0 = total(world, RN_FIELD_FLUX_X), y0 = total(world, RN_FIELD_FLUX_Y);
    double moved = 0.0;
    for (int i = 0; i < 100; i++) {
        rn_world_step(world, 0.01);
        moved = fmax(moved, fabs(total(world, RN_FIELD_FLUX_X) / x0 - 1.0));
        moved = fmax(moved, fabs(total(world, RN_FIELD_FLUX_Y) / y0 - 1.0));
    }
    assert_true(moved < 5e-3); /* speeds belong half a substep after depths */
    assert_true(rn_world_audit(world).drift == 0.0);
    rn_world_destroy(world);
}

/* A stream without drag is as fast as its fall makes it. */
static void a_stream_is_as_fast_as_its_fall(void **state) {
    (void)state;
    enum { N = 100 };
    const double cell = 5e-3, S = 0.3, head = S * cell * N, exact = sqrt(2.0 * GRAVITY * head / (1.0 + S * S));
    double heights[8 * N];
    for (int i = 0; i < 8 * N; i++) heights[i] = S * cell * (N - 1 - i % N);
    rn_world *world =
        make_world(&(setup){.nx = N, .ny = 8, .cell = cell, .heights = heights, .lid = head + 0.05, .open_east = true});
    rn_world_pour(world, (rn_vec3){0.04, 0.02, head}, 0.01, 2e-5);
    for (int frame = 0; frame < 300; frame++) rn_world_step(world, 1.0 / 60.0);
    const double fastest = rn_world_get_stats(world).fastest;
    rn_world_destroy(world);
    assert_true(fastest > 0.9 * exact && fastest < 1.1 * exact);
}

static uint64_t hash_of_run(int threads) {
    rn_terrain_def ground = rn_terrain_default();
    ground.cells_x = 50;
    ground.cells_y = 41;
    ground.cell_size = 1e-3;
    ground.bottom = -0.02;
    ground.lid = 0.044;
    ground.solid = rn_sdf_move(rn_sdf_bowl(0.02, 0.01), (rn_vec3){0.025, 0.02, 0.0});
    rn_terrain *terrain = NULL;
    assert_int_equal(rn_terrain_create(&ground, &terrain), RN_OK);
    rn_world_def def = rn_world_default();
    def.terrain = terrain;
    def.threads = threads;
    def.edges[RN_SIDE_EAST] = RN_EDGE_OPEN;
    rn_world *world = NULL;
    assert_int_equal(rn_world_create(&def, &world), RN_OK);
    rn_terrain_destroy(terrain);
    rn_world_pour(world, (rn_vec3){0.012, 0.02, 0.02}, 0.004, 2e-5);
    for (int frame = 0; frame < 60; frame++) rn_world_step(world, 1.0 / 60.0);
    uint64_t hash = rn_world_hash(world);
    rn_world_destroy(world);
    return hash;
}

static void the_same_for_any_threads(void **state) {
    (void)state;
    const uint64_t once = hash_of_run(1);
    assert_true(once == hash_of_run(2));
    assert_true(once == hash_of_run(3));
    assert_true(once == hash_of_run(8));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_is_conserved),
        cmocka_unit_test(a_stream_is_as_fast_as_its_fall),
        cmocka_unit_test(the_same_for_any_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
