/* The library's step against the plain loops of app/physics/naive.c, to the bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "physics/naive.h"
#include "physics/waters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The first column whose value is another fails the test. */
static void compare_field(int substep, int threads, const char *name, rn_view ours, const float *plain) {
    for (int y = 0; y < ours.cells_y; y++)
        for (int x = 0; x < ours.cells_x; x++) {
            const int c = y * ours.cells_x + x;
            const float got = ours.data[y * ours.row_stride + x], expected = plain[c];
            if (memcmp(&got, &expected, sizeof got) != 0)
                fail_msg("%d thread(s), substep %d: %s at x %d y %d is %.9g (%a), the plain loops have %.9g (%a)",
                         threads, substep, name, x, y, got, got, expected, expected);
        }
}

static double moving(const naive *n) {
    int count = 0;
    for (int c = 0; c < n->nx * n->ny; c++) count += n->flux_x[c] != 0.0f || n->flux_y[c] != 0.0f;
    return (double)count / (n->nx * n->ny);
}

static void compare(water_kind kind, int nx, int ny, int threads, int substeps) {
    rn_world *world = NULL;
    rn_world_def def;
    assert_int_equal(water_create(kind, nx, ny, threads, &world, &def), RN_OK);
    naive n;
    assert_true(naive_create(&n, world, &def));
    for (int i = 0; i < substeps; i++) {
        const double dt = i == 0 ? 1e-6 : 0.9 * rn_world_progress(world).limit;
        assert_int_equal(rn_world_step(world, dt), RN_OK);
        assert_int_equal(rn_world_progress(world).substeps, 1);
        naive_step(&n, (float)dt);
        compare_field(i, threads, "depth", rn_world_view(world, RN_FIELD_DEPTH), n.depth);
        compare_field(i, threads, "flux_x", rn_world_view(world, RN_FIELD_FLUX_X), n.flux_x);
        compare_field(i, threads, "flux_y", rn_world_view(world, RN_FIELD_FLUX_Y), n.flux_y);
    }
    if (kind == WATER_STILL) assert_true(moving(&n) == 0.0);
    else assert_true(moving(&n) > 0.005);
    naive_destroy(&n);
    rn_world_destroy(world);
}

/* Less than a tile wide; then one column more than a tile, and than a run of tiles; and several of them. */
static void compare_all(water_kind kind) {
    compare(kind, 61, 47, 1, 400);
    compare(kind, 61, 47, 3, 400);
    compare(kind, 65, 17, 1, 200);
    compare(kind, 257, 33, 2, 100);
    compare(kind, 330, 20, 3, 100);
}

static void rough(void **state) {
    (void)state;
    compare_all(WATER_ROUGH);
}

static void film(void **state) {
    (void)state;
    compare_all(WATER_FILM);
}

static void dam(void **state) {
    (void)state;
    compare_all(WATER_DAM);
}

static void half_dry(void **state) {
    (void)state;
    compare_all(WATER_HALF_DRY);
}

static void violent(void **state) {
    (void)state;
    compare_all(WATER_VIOLENT);
}

static void brimming(void **state) {
    (void)state;
    compare_all(WATER_BRIMMING);
}

static void hollow(void **state) {
    (void)state;
    compare_all(WATER_HOLLOW);
}

static void still(void **state) {
    (void)state;
    compare_all(WATER_STILL);
}

static float *at(rn_view view, int x, int y) { return &view.data[y * view.row_stride + x]; }

/* A dry world of 0.1 m cells below a lid at 1 m, whose ground falls off from the middle column by `slope`; all that is
   in it is set by hand. */
typedef struct hill {
    rn_world *world;
    rn_world_def def;
    rn_view depth, flux_x, flux_y;
} hill;

static hill make_hill(int nx, int ny, double top, double slope) {
    rn_column *columns = malloc((size_t)(nx * ny) * sizeof *columns);
    int32_t *counts = malloc((size_t)(nx * ny) * sizeof *counts);
    for (int i = 0; i < nx * ny; i++) {
        const double away = fabs(i % nx - 0.5 * (nx - 1)) + fabs(i / nx - 0.5 * (ny - 1)) - 1.0;
        columns[i] = (rn_column){-INFINITY, fmax(top - slope * fmax(away, 0.0), 0.0), 1.0};
        counts[i] = 1;
    }
    rn_terrain_def ground = rn_terrain_default();
    ground.cells_x = nx, ground.cells_y = ny, ground.cell_size = 0.1, ground.lid = 1.0;
    ground.columns = columns, ground.columns_per_cell = counts;
    rn_terrain *terrain = NULL;
    assert_int_equal(rn_terrain_create(&ground, &terrain), RN_OK);
    hill h = {.def = rn_world_default()};
    h.def.terrain = terrain, h.def.friction = 1.0, h.def.liquid.viscosity = 0.0, h.def.passages = RN_PASSAGES_NONE;
    assert_int_equal(rn_world_create(&h.def, &h.world), RN_OK);
    rn_terrain_destroy(terrain);
    free(columns);
    free(counts);
    h.depth = rn_world_view(h.world, RN_FIELD_DEPTH);
    h.flux_x = rn_world_view(h.world, RN_FIELD_FLUX_X);
    h.flux_y = rn_world_view(h.world, RN_FIELD_FLUX_Y);
    return h;
}

/* Two steps of one substep each, as the naive solver does them. */
static void compare_hill(hill *h, const double seconds[2]) {
    naive n;
    assert_int_equal(rn_world_commit(h->world), RN_OK);
    assert_true(naive_create(&n, h->world, &h->def));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(rn_world_step(h->world, seconds[i]), RN_OK);
        assert_int_equal(rn_world_progress(h->world).substeps, 1);
        naive_step(&n, (float)seconds[i]);
        compare_field(i, 1, "depth", rn_world_view(h->world, RN_FIELD_DEPTH), n.depth);
    }
    naive_destroy(&n);
    rn_world_destroy(h->world);
}

/* A summit just below the lid: its column gets more than it has room for and gives more than it has, where the ceiling
   of its tile seems far. */
static void summit(void **state) {
    (void)state;
    hill h = make_hill(128, 32, 0.97, 0.09);
    *at(h.depth, 63, 15) = 0.01f;
    *at(h.depth, 64, 15) = *at(h.depth, 63, 16) = 0.025f;
    *at(h.flux_x, 63, 15) = *at(h.flux_y, 63, 15) = -0.00175f;
    *at(h.flux_x, 62, 15) = *at(h.flux_y, 63, 14) = -0.001f;
    compare_hill(&h, (const double[]){1e-6, 0.049});
}

/* Level water that bursts out of one column to all four sides, within a single tile: each pipe takes less than a third
   of what is there, all of them together more than all of it. */
static void burst(void **state) {
    (void)state;
    enum { NX = 40, NY = 12 };
    hill h = make_hill(NX, NY, 0.0, 0.0);
    const float dt = 0.075f, flux = 0.28f * 0.05f * 0.01f / dt; /* m^3/s: 0.28 of the column in the second substep */
    for (int i = 0; i < NX * NY; i++) *at(h.depth, i % NX, i / NX) = 0.05f;
    *at(h.flux_x, 20, 6) = *at(h.flux_y, 20, 6) = flux;
    *at(h.flux_x, 19, 6) = *at(h.flux_y, 20, 5) = -flux;
    compare_hill(&h, (const double[]){(double)1e-4f, (double)dt});
}

/* What the bench rows say of their waters. */
static void falls(void **state) {
    (void)state;
    for (water_kind kind = WATER_ROUGH; kind <= WATER_STILL; kind++) {
        rn_world *world = NULL;
        rn_world_def def;
        assert_int_equal(water_create(kind, 400, 400, 1, &world, &def), RN_OK);
        const rn_world_info info = rn_world_describe(world);
        assert_int_equal(info.layers, 1);
        if (kind == WATER_VIOLENT || kind == WATER_BRIMMING) assert_true(info.falls > 1000);
        else assert_int_equal(info.falls, 0);
        rn_world_destroy(world);
    }
}

/* docs/step.md says what they are; padding weighs most in small worlds. */
static void a_column_takes_at_most_64_bytes(void **state) {
    (void)state;
    const int sizes[][2] = {{64, 64}, {65, 64}, {100, 100}, {129, 200}, {1000, 1000}};
    for (water_kind kind = WATER_ROUGH; kind <= WATER_STILL; kind++)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            const int nx = sizes[i][0], ny = sizes[i][1];
            rn_world *world = NULL;
            rn_world_def def;
            assert_int_equal(water_create(kind, nx, ny, 1, &world, &def), RN_OK);
            assert_int_equal(rn_world_step(world, 1e-5), RN_OK);
            const double bytes = (double)rn_world_describe(world).bytes / nx / ny;
            if (bytes > 64.0) fail_msg("%d x %d columns take %.1f bytes each", nx, ny, bytes);
            rn_world_destroy(world);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rough),
        cmocka_unit_test(film),
        cmocka_unit_test(dam),
        cmocka_unit_test(half_dry),
        cmocka_unit_test(violent),
        cmocka_unit_test(brimming),
        cmocka_unit_test(hollow),
        cmocka_unit_test(still),
        cmocka_unit_test(falls),
        cmocka_unit_test(summit),
        cmocka_unit_test(a_column_takes_at_most_64_bytes),
        cmocka_unit_test(burst),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
