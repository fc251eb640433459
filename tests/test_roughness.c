/* Friction that differs from region to region. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "physics/physics.h"
#include "pipe_worlds.h"

#include <math.h>
#include <string.h>

static rn_sdf *box(double x0, double x1, double y0, double y1, double z0, double z1) {
    return rn_sdf_move(rn_sdf_box((rn_vec3){x1 - x0, y1 - y0, z1 - z0}, 0.0),
                       (rn_vec3){0.5 * (x0 + x1), 0.5 * (y0 + y1), 0.5 * (z0 + z1)});
}

static void roughen(rn_world *world, rn_sdf *region, double friction) {
    assert_int_equal(rn_world_roughen(world, region, friction), RN_OK);
    rn_sdf_destroy(region);
}

/* Two lanes of one endless slope, side by side: each flows at its own gS/(kappa (1 + S^2)). */
static void each_region_has_its_own_speed(void **state) {
    (void)state;
    enum { NX = 32, NY = 8 };
    const double S = 0.05, cell = 0.05, depth = 0.05, omegas[2] = {0.1, 0.6};
    double heights[NX * NY], depths[NX * NY];
    for (int i = 0; i < NX * NY; i++) {
        heights[i] = S * cell * (NX - 1 - i % NX);
        depths[i] = depth;
    }
    for (int advection = 0; advection < 2; advection++) {
        rn_world *world = make_world(&(setup){.nx = NX,
                                              .ny = NY,
                                              .cell = cell,
                                              .heights = heights,
                                              .lid = 0.4,
                                              .periodic_x = true,
                                              .drop_x = S * cell * NX,
                                              .advection = advection});
        roughen(world, box(-1.0, 9.0, -1.0, NY / 2 * cell, -1.0, 1.0), omegas[0]);
        roughen(world, box(-1.0, 9.0, NY / 2 * cell, 9.0, -1.0, 1.0), omegas[1]);
        set_depths(world, depths);
        rn_world_step(world, 60.0);
        rn_view f = rn_world_view(world, RN_FIELD_FLUX_X);
        for (int y = 0; y < NY; y++) {
            double kappa = -log(omegas[y >= NY / 2]), exact = GRAVITY * S / (kappa * (1.0 + S * S));
            for (int x = 0; x < NX; x++) {
                double speed = f.data[y * f.row_stride + x] / (cell * depth);
                if (fabs(speed / exact - 1.0) > 1e-3) fail_msg("%g m/s at y = %d, not %g", speed, y, exact);
            }
        }
        rn_world_destroy(world);
    }
}

static uint64_t hash_of_stack(double friction, double everywhere, bool advection, uint32_t seed) {
    rn_world *world = make_world_on(random_stacks(24, 3, seed % 2 ? 1e-2 : 1e-3, seed, STACKS_PLAIN),
                                    &(setup){.viscosity = 4e-6, .friction = friction, .advection = advection});
    if (everywhere > 0.0) roughen(world, NULL, everywhere);
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_DEPTH, .value = 0.004});
    for (int i = 0; i < 40; i++) rn_world_step(world, 2e-3);
    uint64_t hash = rn_world_hash(world);
    rn_world_destroy(world);
    return hash;
}

/* The same roughness everywhere is the same as none in particular, to the bit, loose pipes included. */
static void even_roughness_is_friction(void **state) {
    (void)state;
    for (uint32_t seed = 1; seed <= 4; seed++) {
        bool advection = seed > 2;
        uint64_t plain = hash_of_stack(0.3, 0.0, advection, seed);
        assert_true(plain == hash_of_stack(0.3, 0.3, advection, seed));
        assert_true(plain == hash_of_stack(0.9, 0.3, advection, seed));
        assert_true(plain != hash_of_stack(0.9, 0.0, advection, seed));
    }
}

/* Ground at 0 under a slab from 0.02 to 0.03: a region roughens the beds that it reaches, no others. */
static void a_region_roughens_the_beds_it_meets(void **state) {
    (void)state;
    enum { N = 6 };
    rn_column columns[2 * N * N];
    int32_t counts[N * N];
    for (int i = 0; i < N * N; i++) {
        columns[2 * i] = (rn_column){-INFINITY, 0.0, 0.02};
        columns[2 * i + 1] = (rn_column){0.02, 0.03, 0.1};
        counts[i] = 2;
    }
    rn_world *world = make_world_on(make_terrain(N, N, 0.01, 0.1, columns, counts), &(setup){.friction = 0.5});
    const size_t before = rn_world_describe(world).bytes;
    assert_null(state_of(world)->columns.kappa);
    roughen(world, box(0.0, 0.03, 0.0, 0.06, 0.025, 0.05), 0.1); /* the slab's top, west half */
    roughen(world, box(0.0, 0.06, 0.0, 0.03, 0.0, 0.01), 0.2);   /* stands on the ground, south half */
    rn_sdf *air = box(0.0, 0.06, 0.0, 0.06, 0.05, 0.08);
    assert_int_equal(rn_world_roughen(world, air, 0.9), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "no ground"));
    rn_sdf_destroy(air);
    const rn_state *s = state_of(world);
    assert_int_equal(rn_world_describe(world).bytes, before + (size_t)s->columns.grid.slots * sizeof *s->columns.kappa);
    for (int y = -1; y <= N; y++)
        for (int x = -1; x <= N; x++) {
            double ground = s->columns.kappa[rn_slot(&s->columns.grid, 0, y, x)],
                   slab = s->columns.kappa[rn_slot(&s->columns.grid, 1, y, x)];
            assert_true(fabs(ground + log(y < N / 2 ? 0.2 : 0.5)) < 1e-6);
            assert_true(fabs(slab + log(x < N / 2 ? 0.1 : 0.5)) < 1e-6);
        }
    rn_world_destroy(world);
}

static void refuses(rn_world *world, rn_sdf *region, double friction, const char *words) {
    assert_int_equal(rn_world_roughen(world, region, friction), RN_INVALID);
    if (!strstr(rn_last_error(), words)) fail_msg("\"%s\" does not say \"%s\"", rn_last_error(), words);
    rn_sdf_destroy(region);
}

static void bad_roughness_is_refused(void **state) {
    (void)state;
    rn_world *world = make_world(&(setup){.nx = 4, .ny = 4, .cell = 0.01, .lid = 0.1});
    refuses(world, NULL, 0.0, "friction is 0");
    refuses(world, NULL, 1.5, "friction is 1.5");
    refuses(world, NULL, NAN, "friction");
    assert_null(state_of(world)->columns.kappa);
    rn_world_destroy(world);
    world = make_world(&(setup){.nx = 4, .ny = 4, .cell = 0.01, .lid = 0.1, .model = RN_MODEL_PAPER});
    refuses(world, NULL, 0.5, "paper");
    rn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_region_has_its_own_speed),
        cmocka_unit_test(even_roughness_is_friction),
        cmocka_unit_test(a_region_roughens_the_beds_it_meets),
        cmocka_unit_test(bad_roughness_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
