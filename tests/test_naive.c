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
static void compare_column(const char *name, int substep, int x, int y, float got, float expected) {
    if (memcmp(&got, &expected, sizeof got) != 0)
        fail_msg("substep %d: %s at x %d y %d is %.9g (%a), the plain loops have %.9g (%a)", substep, name, x, y, got,
                 got, expected, expected);
}

static void compare_state(int substep, const rn_world *world, const naive *n) {
    const rn_view depth = rn_world_view(world, RN_FIELD_DEPTH);
    const rn_view flux_x = rn_world_view(world, RN_FIELD_FLUX_X), flux_y = rn_world_view(world, RN_FIELD_FLUX_Y);
    for (int y = 0; y < n->ny; y++)
        for (int x = 0; x < n->nx; x++) {
            const int c = naive_at(n, x, y);
            compare_column("depth", substep, x, y, depth.data[y * depth.row_stride + x], n->depth[c]);
        }
    for (int y = 0; y < n->ny; y++)
        for (int x = 0; x < n->nx; x++) {
            const int c = naive_at(n, x, y);
            compare_column("flux_x", substep, x, y, flux_x.data[y * flux_x.row_stride + x], naive_flux(n, 0, c));
            compare_column("flux_y", substep, x, y, flux_y.data[y * flux_y.row_stride + x], naive_flux(n, 1, c));
        }
}

/* Of all columns, those from which something flows. */
static double moving(const naive *n) {
    int count = 0;
    for (int y = 0; y < n->ny; y++)
        for (int x = 0; x < n->nx; x++) {
            const int c = naive_at(n, x, y);
            count += n->speed[0][c] != 0.0f || n->speed[1][c] != 0.0f;
        }
    return (double)count / (n->nx * n->ny);
}

/* Substeps as long as they may be nearly, after a short one. */
static void step_both(rn_world *world, naive *n, int substeps) {
    for (int i = 0; i < substeps; i++) {
        const double dt = i == 0 ? 1e-6 : 0.9 * rn_world_get_stats(world).limit;
        assert_int_equal(rn_world_step(world, dt), RN_OK);
        assert_int_equal(rn_world_get_stats(world).substeps, 1);
        naive_step(n, dt);
        compare_state(i, world, n);
    }
}

/* The share of columns from which something flows in the end. */
static double compare_world(rn_world *world, const rn_world_def *def, int substeps) {
    naive n;
    assert_true(naive_create(&n, world, def));
    step_both(world, &n, substeps);
    const double share = moving(&n);
    naive_destroy(&n);
    return share;
}

static void compare(water_kind kind, int nx, int ny, int threads, int substeps) {
    rn_world *world = NULL;
    rn_world_def def;
    assert_int_equal(water_create(kind, nx, ny, threads, NULL, &world, &def), RN_OK);
    const double share = compare_world(world, &def, getenv("RUNNEL_LONG") ? substeps : substeps / 2);
    if (kind == WATER_STILL) assert_true(share == 0.0);
    else assert_true(share > 0.005);
    rn_world_destroy(world);
}

/* Less than a tile wide; then one column more than a tile, and than a run of tiles; several of them; and tiles with
   others all around. */
static void compare_all(water_kind kind) {
    compare(kind, 61, 47, 1, 200);
    compare(kind, 61, 47, 3, 400);
    compare(kind, 65, 17, 1, 200);
    compare(kind, 257, 33, 2, 100);
    compare(kind, 330, 20, 3, 100);
    compare(kind, 200, 60, 2, 200);
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

/* ---- Grounds of many kinds ------------------------------------------------------------------------------------- */

typedef struct scene {
    double cell;      /* m */
    double slope;     /* of an incline along both axes */
    double rough;     /* cells: bumps of random height */
    double depth;     /* cells, in patches; elsewhere it is dry */
    double viscosity; /* m^2/s */
    double friction;  /* share of speed kept per second */
    double manning, chezy;
    double lid; /* cells above the lowest ground; 0: far away */
} scene;

static double random_unit(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) / 16777216.0;
}

enum { SCENE_X = 150, SCENE_Y = 70 };

static rn_terrain *make_ground(const scene *s) {
    rn_column *columns = malloc(SCENE_X * SCENE_Y * sizeof *columns);
    int32_t *counts = malloc(SCENE_X * SCENE_Y * sizeof *counts);
    uint32_t seed = 1;
    for (int i = 0; i < SCENE_X * SCENE_Y; i++) {
        const double incline = s->slope * (i % SCENE_X + 0.4 * (i / SCENE_X)), bump = s->rough * random_unit(&seed);
        columns[i] = (rn_column){-INFINITY, s->cell * (incline + bump), INFINITY};
        counts[i] = 1;
    }
    rn_terrain_def def = rn_terrain_default();
    def.cells_x = SCENE_X, def.cells_y = SCENE_Y, def.cell_size = s->cell;
    def.lid = s->cell * (s->lid > 0.0 ? s->lid : s->slope * (SCENE_X + SCENE_Y) + s->rough + 4.0 * s->depth + 10.0);
    for (int i = 0; i < SCENE_X * SCENE_Y; i++) columns[i].ceil = def.lid;
    def.columns = columns, def.columns_per_cell = counts;
    rn_terrain *terrain = NULL;
    assert_int_equal(rn_terrain_create(&def, &terrain), RN_OK);
    free(columns);
    free(counts);
    return terrain;
}

static void compare_scene(const scene *s, int substeps) {
    rn_world_def def = rn_world_default();
    rn_world *world = NULL;
    rn_terrain *terrain = make_ground(s);
    def.terrain = terrain;
    def.liquid.viscosity = s->viscosity, def.friction = s->friction, def.manning = s->manning, def.chezy = s->chezy;
    def.threads = 2;
    if (s->lid > 0.0) def.passages = RN_PASSAGES_NONE;
    assert_int_equal(rn_world_create(&def, &world), RN_OK);
    rn_terrain_destroy(terrain);
    const rn_view depth = rn_world_view(world, RN_FIELD_DEPTH);
    uint32_t seed = 2;
    for (int y = 0; y < SCENE_Y; y++)
        for (int x = 0; x < SCENE_X; x++) {
            const double some = s->cell * s->depth * (0.8 + 0.2 * random_unit(&seed));
            depth.data[y * depth.row_stride + x] = (x / 37 + y / 29) % 2 == 0 ? (float)some : 0.0f;
        }
    assert_int_equal(rn_world_commit(world), RN_OK);
    assert_true(compare_world(world, &def, getenv("RUNNEL_LONG") ? substeps : substeps / 3) > 0.005);
    rn_world_destroy(world);
}

static void dam_on_flat_ground(void **state) {
    (void)state;
    compare_scene(&(scene){.cell = 1.0, .depth = 2.0, .friction = 1.0}, 300);
    compare_scene(&(scene){.cell = 0.01, .depth = 0.5, .friction = 0.5}, 300);
    compare_scene(&(scene){.cell = 30.0, .depth = 0.1, .friction = 1.0}, 300);
}

static void rough_and_dry(void **state) {
    (void)state;
    compare_scene(&(scene){.cell = 0.5, .rough = 0.9, .depth = 0.6, .friction = 0.9}, 300);
    compare_scene(&(scene){.cell = 0.5, .rough = 3.0, .depth = 1.5, .friction = 1.0}, 300);
    compare_scene(&(scene){.cell = 0.002, .slope = 0.1, .rough = 0.5, .depth = 0.3, .viscosity = 1e-6, .friction = 0.7},
                  300);
}

static void steep_films(void **state) {
    (void)state;
    compare_scene(&(scene){.cell = 0.002, .slope = 1.0, .depth = 0.2, .viscosity = 4e-6, .friction = 1.0}, 300);
    compare_scene(&(scene){.cell = 0.001, .slope = 3.0, .depth = 0.5, .viscosity = 1e-3, .friction = 1.0}, 300);
    compare_scene(&(scene){.cell = 0.005, .slope = 0.6, .rough = 0.3, .depth = 0.1, .viscosity = 1e-5, .friction = 0.9},
                  300);
}

/* Without falls or walls nearby tiles are done by loops that know of no ceiling. */
static void below_a_lid(void **state) {
    (void)state;
    compare_scene(&(scene){.cell = 0.01, .rough = 0.3, .depth = 0.6, .friction = 0.5, .lid = 0.75}, 300);
    compare_scene(&(scene){.cell = 1.0, .depth = 0.6, .friction = 0.9, .lid = 0.61}, 300);
}

static void manning_and_chezy(void **state) {
    (void)state;
    compare_scene(&(scene){.cell = 5.0, .slope = 0.02, .depth = 0.1, .friction = 1.0, .manning = 0.03}, 300);
    compare_scene(
        &(scene){
            .cell = 5.0, .slope = 0.3, .rough = 1.5, .depth = 0.05, .friction = 0.99, .manning = 0.06, .chezy = 40.0},
        300);
}

/* ---- States that are set by hand ------------------------------------------------------------------------------ */

static float *at(rn_view view, int x, int y) { return &view.data[y * view.row_stride + x]; }

typedef struct hill_push {
    int axis, x, y;
    float flux; /* m^3/s */
} hill_push;

/* A dry world of 0.1 m cells below a lid at 1 m, whose ground falls off by `slope` (m a cell) all around a flat top of
   so many cells; all that is in it is set by hand. */
typedef struct hill {
    rn_world *world;
    rn_world_def def;
    rn_view depth, flux[2];
    hill_push pushes[4];
    int push_count;
} hill;

static hill make_hill(int nx, int ny, double top, double flat, double slope) {
    rn_column *columns = malloc((size_t)(nx * ny) * sizeof *columns);
    int32_t *counts = malloc((size_t)(nx * ny) * sizeof *counts);
    for (int i = 0; i < nx * ny; i++) {
        const double away = fabs(i % nx - 0.5 * (nx - 1)) + fabs(i / nx - 0.5 * (ny - 1)) - flat;
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
    h.flux[0] = rn_world_view(h.world, RN_FIELD_FLUX_X);
    h.flux[1] = rn_world_view(h.world, RN_FIELD_FLUX_Y);
    return h;
}

static void push(hill *h, int axis, int x, int y, float flux) {
    *at(h->flux[axis], x, y) = flux;
    h->pushes[h->push_count++] = (hill_push){axis, x, y, flux};
}

/* `in`: what comes must be limited by the room that is there, otherwise what goes by what there is. */
static void compare_hill(hill *h, bool in) {
    naive n;
    assert_int_equal(rn_world_commit(h->world), RN_OK);
    assert_true(naive_create(&n, h->world, &h->def));
    for (int i = 0; i < h->push_count; i++) {
        const hill_push *p = &h->pushes[i];
        naive_push(&n, p->axis, naive_at(&n, p->x, p->y), p->flux);
    }
    step_both(h->world, &n, 50);
    assert_true(n.limited[in] > 0);
    naive_destroy(&n);
    rn_world_destroy(h->world);
}

/* A summit just below the lid, whose column gets more than it has room for. */
static void summit(void **state) {
    (void)state;
    hill h = make_hill(128, 32, 0.97, 1.0, 0.09);
    *at(h.depth, 63, 15) = 0.024f;
    *at(h.depth, 64, 15) = *at(h.depth, 63, 16) = 0.025f;
    push(&h, 0, 63, 15, -0.0025f), push(&h, 1, 63, 15, -0.0025f);
    push(&h, 0, 62, 15, -0.0003f), push(&h, 1, 63, 14, -0.0003f);
    compare_hill(&h, true);
}

/* Thin water that bursts from a peak to all four sides, within a single tile: each face takes less than a third of what
   is there, all of them together more than all of it. */
static void burst(void **state) {
    (void)state;
    hill h = make_hill(41, 13, 0.5, 0.0, 0.02);
    *at(h.depth, 20, 6) = 0.005f;
    push(&h, 0, 20, 6, 0.00025f), push(&h, 1, 20, 6, 0.00025f);
    push(&h, 0, 19, 6, -0.00025f), push(&h, 1, 20, 5, -0.00025f);
    compare_hill(&h, false);
}

/* What the bench rows say of their waters. */
static void falls(void **state) {
    (void)state;
    for (water_kind kind = WATER_ROUGH; kind <= WATER_STILL; kind++) {
        rn_world *world = NULL;
        rn_world_def def;
        assert_int_equal(water_create(kind, 400, 400, 1, NULL, &world, &def), RN_OK);
        const rn_world_info info = rn_world_describe(world);
        assert_int_equal(info.layers, 1);
        if (kind == WATER_VIOLENT || kind == WATER_BRIMMING) assert_true(info.falls > 1000);
        else assert_int_equal(info.falls, 0);
        rn_world_destroy(world);
    }
}

/* docs/step.md says what they are; padding weighs most in small worlds. */
static void a_column_takes_so_many_bytes(void **state) {
    (void)state;
    const int sizes[][2] = {{64, 64}, {65, 64}, {100, 100}, {129, 200}, {1000, 1000}};
    for (water_kind kind = WATER_ROUGH; kind <= WATER_STILL; kind++)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            const int nx = sizes[i][0], ny = sizes[i][1];
            rn_world *world = NULL;
            rn_world_def def;
            assert_int_equal(water_create(kind, nx, ny, 1, NULL, &world, &def), RN_OK);
            assert_int_equal(rn_world_step(world, 1e-5), RN_OK);
            const double bytes = (double)rn_world_describe(world).bytes / nx / ny;
            if (bytes > (nx < 1000 ? 108.0 : 80.0)) fail_msg("%d x %d columns take %.1f bytes each", nx, ny, bytes);
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
        cmocka_unit_test(dam_on_flat_ground),
        cmocka_unit_test(rough_and_dry),
        cmocka_unit_test(steep_films),
        cmocka_unit_test(manning_and_chezy),
        cmocka_unit_test(below_a_lid),
        cmocka_unit_test(falls),
        cmocka_unit_test(summit),
        cmocka_unit_test(a_column_takes_so_many_bytes),
        cmocka_unit_test(burst),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
