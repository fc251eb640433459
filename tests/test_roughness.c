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
    return rn_sdf_move(rn_sdf_box((rn_vec3){x1 - x0, y1 - y0, z1 - z0}),
                       (rn_vec3){0.5 * (x0 + x1), 0.5 * (y0 + y1), 0.5 * (z0 + z1)});
}

static void roughen(rn_world *world, rn_sdf *region, double friction) {
    assert_int_equal(rn_world_set_friction(world, region, friction), RN_OK);
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
    rn_world *world = make_world(&(setup){
        .nx = NX, .ny = NY, .cell = cell, .heights = heights, .lid = 0.4, .periodic_x = true, .drop_x = S * cell * NX});
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

static uint64_t hash_of_stack(double friction, double everywhere, uint32_t seed) {
    rn_world *world = make_world_on(random_stacks(24, 3, seed % 2 ? 1e-2 : 1e-3, seed, STACKS_PLAIN),
                                    &(setup){.viscosity = 4e-6, .friction = friction});
    if (everywhere > 0.0) roughen(world, NULL, everywhere);
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_DEPTH, .value = 0.004});
    for (int i = 0; i < 40; i++) rn_world_step(world, 2e-3);
    uint64_t hash = rn_world_hash(world);
    rn_world_destroy(world);
    return hash;
}

/* The same roughness everywhere is the same as none in particular, to the bit, irregular pipes included. */
static void even_roughness_is_friction(void **state) {
    (void)state;
    for (uint32_t seed = 1; seed <= 4; seed++) {
        uint64_t plain = hash_of_stack(0.3, 0.0, seed);
        assert_true(plain == hash_of_stack(0.3, 0.3, seed));
        assert_true(plain == hash_of_stack(0.9, 0.3, seed));
        assert_true(plain != hash_of_stack(0.9, 0.0, seed));
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
    assert_int_equal(rn_world_set_friction(world, air, 0.9), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "touches no ground"));
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

static rn_roughness_def law(rn_friction_law which, double value, const rn_sdf *region) {
    rn_roughness_def def = rn_roughness_default();
    def.law = which;
    def.value = value;
    def.region = region;
    return def;
}

/* West of x = 0.03 Manning's n, in the south Chezy's C, elsewhere what the world has. Each region has its law alone. */
static void a_region_has_its_law_alone(void **state) {
    (void)state;
    enum { N = 6 };
    rn_world_def def = rn_world_default();
    rn_world *world = make_world(&(setup){.nx = N, .ny = N, .cell = 0.01, .lid = 0.1, .friction = 0.5});
    const rn_columns *c = &state_of(world)->columns;
    rn_sdf *west = box(-1.0, 0.03, -1.0, 1.0, -1.0, 0.05), *south = box(-1.0, 1.0, -1.0, 0.03, -1.0, 0.05);
    roughen(world, box(0.03, 1.0, -1.0, 1.0, -1.0, 0.05), 0.2);
    assert_null(c->manning);
    rn_roughness_def in_west = law(RN_FRICTION_MANNING, 0.03, west), in_south = law(RN_FRICTION_CHEZY, 50.0, south);
    assert_int_equal(rn_world_set_roughness(world, &in_west), RN_OK);
    assert_int_equal(rn_world_set_roughness(world, &in_south), RN_OK);
    for (int y = -1; y <= N; y++)
        for (int x = -1; x <= N; x++) {
            const int32_t slot = rn_slot(&c->grid, 0, y, x);
            const bool is_south = y < N / 2, is_west = !is_south && x < N / 2;
            const double g = -def.gravity.z;
            assert_true(fabs(c->kappa[slot] - (is_south || is_west ? 0.0 : -log(0.2))) < 1e-6);
            assert_true(fabs(c->manning[slot] - (is_west ? g * 0.03 * 0.03 : 0.0)) < 1e-8);
            assert_true(fabs(c->chezy[slot] - (is_south ? g / 2500.0 : 0.0)) < 1e-8);
        }
    rn_sdf_destroy(west);
    rn_sdf_destroy(south);
    rn_world_destroy(world);
}

/* A world's own Manning number is the law's, and a region with plain friction has none of it. */
static void plain_regions_in_a_world_with_manning(void **state) {
    (void)state;
    rn_world_def def = rn_world_default();
    rn_column columns[16];
    int32_t counts[16];
    for (int i = 0; i < 16; i++) {
        columns[i] = (rn_column){-INFINITY, 0.0, 10.0};
        counts[i] = 1;
    }
    rn_terrain *terrain = make_terrain(4, 4, 1.0, 10.0, columns, counts);
    def.terrain = terrain;
    def.friction = 1.0;
    def.manning = 0.03;
    def.chezy = 40.0;
    rn_world *world = NULL;
    assert_int_equal(rn_world_create(&def, &world), RN_OK);
    rn_terrain_destroy(terrain);
    const rn_step_params *is = &solver_of(world)->params;
    assert_true(is->kappa == 0.0f && fabsf(is->manning - 9.81f * 9e-4f) < 1e-8f &&
                fabsf(is->chezy - 0.00613125f) < 1e-8f);
    roughen(world, box(-1.0, 2.0, -1.0, 9.0, -1.0, 1.0), 0.5);
    const rn_columns *c = &state_of(world)->columns;
    const int32_t west = rn_slot(&c->grid, 0, 1, 1), east = west + 1;
    assert_true(c->kappa[west] > 0.69f && c->manning[west] == 0.0f && c->chezy[west] == 0.0f);
    assert_true(c->kappa[east] == 0.0f && c->manning[east] == is->manning && c->chezy[east] == is->chezy);
    rn_world_destroy(world);
}

/* Two by three numbers from the south-west, 2 m apart, over cells of 1 m: NAN and what lies outside stay. */
static void maps_are_laid_over_the_ground(void **state) {
    (void)state;
    rn_world *world = make_world(&(setup){.nx = 6, .ny = 6, .cell = 1.0, .lid = 10.0, .friction = 0.5});
    const rn_columns *c = &state_of(world)->columns;
    const float map[] = {0.01f, 0.02f, 0.03f, NAN, 0.05f, 0.06f};
    rn_roughness_def def = law(RN_FRICTION_MANNING, 0.0, NULL);
    def.map = map;
    def.map_x = 2;
    def.map_y = 3;
    def.map_spacing_x = def.map_spacing_y = 2.0;
    def.map_origin_x = def.map_origin_y = 1.0;
    assert_int_equal(rn_world_set_roughness(world, &def), RN_OK);
    for (int y = 0; y < 6; y++)
        for (int x = 0; x < 6; x++) {
            const double n = x < 4 ? (double)map[y / 2 * 2 + x / 2] : NAN;
            const int32_t slot = rn_slot(&c->grid, 0, y, x);
            assert_true(fabs(c->manning[slot] - (isnan(n) ? 0.0 : 9.81 * n * n)) < 1e-7);
            assert_true(fabs(c->kappa[slot] - (isnan(n) ? -log(0.5) : 0.0)) < 1e-6);
        }
    def.map_spacing_x = def.map_spacing_y = 0.0; /* stretched: 3 by 2 cells each */
    assert_int_equal(rn_world_set_roughness(world, &def), RN_OK);
    for (int y = 0; y < 6; y++)
        for (int x = 0; x < 6; x++) {
            const double n = (double)map[y / 2 * 2 + x / 3];
            if (!isnan(n)) assert_true(fabs(c->manning[rn_slot(&c->grid, 0, y, x)] - 9.81 * n * n) < 1e-7);
        }
    def.map_spacing_x = def.map_spacing_y = 2.0;
    def.map_origin_x = 100.0;
    assert_int_equal(rn_world_set_roughness(world, &def), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "the map covers no ground"));
    def.map = (const float[]){0.01f, 37.0f, 0.0f, 0.0f, 0.0f, 0.0f};
    assert_int_equal(rn_world_set_roughness(world, &def), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "holds 37 at column 1, row 0"));
    def.map_spacing_y = NAN;
    assert_int_equal(rn_world_set_roughness(world, &def), RN_INVALID);
    def.map_x = 0;
    assert_int_equal(rn_world_set_roughness(world, &def), RN_INVALID);
    rn_world_destroy(world);
}

/* Saved and restored, and kept where the ground is dug. */
static void laws_are_part_of_the_ground(void **state) {
    (void)state;
    rn_world *world = make_world(&(setup){.nx = 6, .ny = 6, .cell = 1.0, .lid = 10.0, .friction = 0.5});
    const rn_columns *c = &state_of(world)->columns;
    rn_roughness_def def = law(RN_FRICTION_MANNING, 0.03, NULL);
    rn_snapshot *plain = NULL, *snapshot = NULL;
    assert_int_equal(rn_world_save(world, &plain), RN_OK);
    assert_int_equal(rn_world_set_roughness(world, &def), RN_OK);
    assert_int_equal(rn_world_save(world, &snapshot), RN_OK);
    const int32_t slot = rn_slot(&c->grid, 0, 3, 3);
    const float before = c->manning[slot];
    def.value = 0.1;
    assert_int_equal(rn_world_set_roughness(world, &def), RN_OK);
    assert_true(c->manning[slot] != before);
    assert_int_equal(rn_world_restore(world, snapshot), RN_OK);
    assert_true(c->manning[slot] == before && c->manning[rn_slot(&c->grid, 0, -1, -1)] == before);
    assert_int_not_equal(rn_world_restore(world, plain), RN_OK); /* of a world without */
    rn_sdf *bump = box(2.0, 4.0, 2.0, 4.0, -1.0, 2.0);
    assert_int_equal(rn_world_sculpt(world, bump, false), RN_OK);
    assert_int_equal(rn_world_commit(world), RN_OK);
    assert_true(state_of(world)->columns.base[slot] > 1.0f && state_of(world)->columns.manning[slot] == before);
    rn_sdf_destroy(bump);
    rn_snapshot_destroy(plain);
    rn_snapshot_destroy(snapshot);
    rn_world_destroy(world);
}

static void refuses_law(rn_world *world, rn_friction_law which, double value, const char *words) {
    const rn_roughness_def def = law(which, value, NULL);
    assert_int_equal(rn_world_set_roughness(world, &def), RN_INVALID);
    if (!strstr(rn_last_error(), words)) fail_msg("\"%s\" does not say \"%s\"", rn_last_error(), words);
}

static void refuses(rn_world *world, rn_sdf *region, double friction, const char *words) {
    assert_int_equal(rn_world_set_friction(world, region, friction), RN_INVALID);
    if (!strstr(rn_last_error(), words)) fail_msg("\"%s\" does not say \"%s\"", rn_last_error(), words);
    rn_sdf_destroy(region);
}

static void bad_roughness_is_refused(void **state) {
    (void)state;
    rn_world *world = make_world(&(setup){.nx = 4, .ny = 4, .cell = 0.01, .lid = 0.1});
    refuses(world, NULL, 0.0, "friction is 0");
    refuses(world, NULL, 1.5, "friction is 1.5");
    refuses(world, NULL, NAN, "friction");
    refuses_law(world, RN_FRICTION_MANNING, -0.01, "manning is -0.01; it must be from 0 to 10");
    refuses_law(world, RN_FRICTION_CHEZY, 0.0, "chezy is 0; it must be from 0.1 to 1e6");
    refuses_law(world, (rn_friction_law)7, 0.0, "law is 7");
    assert_null(state_of(world)->columns.kappa);
    rn_world_destroy(world);
    world = make_world(&(setup){.nx = 4, .ny = 4, .cell = 0.01, .lid = 0.1, .model = RN_MODEL_PAPER});
    refuses(world, NULL, 0.5, "paper");
    rn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_region_has_its_own_speed),         cmocka_unit_test(even_roughness_is_friction),
        cmocka_unit_test(a_region_roughens_the_beds_it_meets),   cmocka_unit_test(a_region_has_its_law_alone),
        cmocka_unit_test(plain_regions_in_a_world_with_manning), cmocka_unit_test(maps_are_laid_over_the_ground),
        cmocka_unit_test(laws_are_part_of_the_ground),           cmocka_unit_test(bad_roughness_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
