/* Worlds as a host program uses them: liquid in and out, the ledger, edges, gravity, queries, hooks, bad input. */
#include "base/platform.h"
#include "tray_worlds.h"

#include <math.h>
#include <string.h>

static void a_source_pours_exactly_its_rate(void **state) {
    (void)state;
    rn_world *world = tray(40);
    rn_source_def def = rn_source_default();
    def.at = (rn_vec3){0.02, 0.02, 0.01};
    def.radius = 0.004;
    def.rate = 3e-6;
    def.start = 0.25;
    def.stop = 1.0;
    assert_int_equal(rn_world_add_source(world, &def), 0);
    run(world, 120);
    rn_audit audit = rn_world_audit(world);
    rn_world_info info = rn_world_describe(world);
    double unit = info.quantum * info.cell_size * info.cell_size;
    /* at most one quantum per column of the disk is still owed */
    assert_true(fabs(audit.poured - 3e-6 * 0.75) < 80.0 * unit);
    assert_true(audit.drift == 0.0);
    assert_true(audit.present == audit.poured);
    rn_world_destroy(world);
}

/* A drizzle of a thousandth of a quantum per substep and column still arrives in full. */
static void a_drizzle_is_not_lost(void **state) {
    (void)state;
    rn_world *world = tray(10);
    rn_world_info info = rn_world_describe(world);
    double unit = info.quantum * info.cell_size * info.cell_size;
    rn_world_pour(world, (rn_vec3){0.005, 0.005, 0.01}, 0.0, unit / 10.0);
    run(world, 6000); /* 100 s: 10 quanta */
    double quanta = rn_world_audit(world).poured / unit;
    assert_true(quanta >= 9.0 && quanta <= 10.0);
    rn_world_destroy(world);
}

static void a_drain_empties_the_tray(void **state) {
    (void)state;
    rn_world *world = tray(20);
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_DEPTH, .value = 2e-3});
    double start = rn_world_volume(world);
    assert_true(fabs(start - 0.02 * 0.02 * 2e-3) < 1e-3 * start);
    rn_world_drain(world, (rn_vec3){0.01, 0.01, 0.0}, 0.003, INFINITY);
    run(world, 1200);
    rn_audit audit = rn_world_audit(world);
    assert_true(audit.drift == 0.0);
    assert_true(audit.drained > 0.95 * start);
    assert_true(fabs(audit.present + audit.drained - start) < 1e-12 * start);
    rn_world_destroy(world);
}

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    rn_world *world = world_on(level_ground(4, 4, 1e-3, 0.0, 0.002), NULL);
    rn_world_pour(world, (rn_vec3){0.002, 0.002, 0.0}, 0.001, 1e-7);
    run(world, 60);
    rn_audit audit = rn_world_audit(world);
    double room = 0.004 * 0.004 * 0.002;
    assert_true(audit.drift == 0.0);
    assert_true(audit.present <= room);
    assert_true(audit.present > 0.98 * room);
    assert_true(fabs(audit.poured + audit.refused - 1e-7) < 1e-4 * 1e-7);
    rn_world_destroy(world);
}

static void liquid_leaves_over_open_edges(void **state) {
    (void)state;
    for (int side = 0; side < 4; side++) {
        rn_world_def def = rn_world_default();
        def.edges[side] = RN_EDGE_OPEN;
        rn_world *world = world_on(level_ground(30, 30, 1e-3, 0.0, 0.05), &def);
        rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_DEPTH, .value = 5e-3});
        double start = rn_world_volume(world);
        run(world, 120);
        rn_audit audit = rn_world_audit(world);
        assert_true(audit.drift == 0.0);
        assert_true(audit.left > 0.7 * start);
        assert_true(fabs(audit.left + audit.present - start) < 1e-12 * start);
        rn_world_destroy(world);
    }
}

/* The four edges are alike: the same tray, turned, loses the same liquid to the quantum. */
static void open_edges_are_alike(void **state) {
    (void)state;
    double left[4];
    for (int side = 0; side < 4; side++) {
        rn_world_def def = rn_world_default();
        def.edges[side] = RN_EDGE_OPEN;
        rn_world *world = world_on(level_ground(24, 24, 1e-3, 0.0, 0.05), &def);
        rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_DEPTH, .value = 5e-3});
        run(world, 30);
        left[side] = rn_world_audit(world).left;
        rn_world_destroy(world);
    }
    for (int side = 1; side < 4; side++) assert_true(left[side] == left[0]);
}

static void liquid_leaves_through_holes(void **state) {
    (void)state;
    rn_column columns[25];
    int32_t counts[25];
    int found = 0;
    for (int i = 0; i < 25; i++) {
        counts[i] = i == 12 ? 0 : 1;
        if (counts[i]) columns[found++] = (rn_column){-INFINITY, 0.0, 0.05};
    }
    rn_terrain_def def = rn_terrain_default();
    def.cells_x = def.cells_y = 5;
    def.cell_size = 1e-3;
    def.lid = 0.05;
    def.columns = columns;
    def.columns_per_cell = counts;
    rn_terrain *terrain = NULL;
    assert_int_equal(rn_terrain_create(&def, &terrain), RN_OK);
    rn_world *world = world_on(terrain, NULL);
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_DEPTH, .value = 3e-3});
    double start = rn_world_volume(world);
    run(world, 120);
    rn_audit audit = rn_world_audit(world);
    assert_true(audit.drift == 0.0);
    assert_true(audit.left > 0.9 * start);
    rn_world_destroy(world);
}

/* Pipes over a periodic edge are kept twice; whatever happens at the edge, both copies must agree. */
static void periodic_edges_keep_volume(void **state) {
    (void)state;
    for (int variant = 0; variant < 2; variant++) {
        rn_column columns[12];
        int32_t counts[12];
        for (int i = 0; i < 12; i++) {
            /* one wall, one step beside it: the bed's slope is seen from one side only */
            double base = i == 1 ? 0.0199999 : i == 0 ? 0.003 : 0.0;
            columns[i] = (rn_column){-INFINITY, variant ? base : 0.0, 0.02};
            counts[i] = 1;
        }
        rn_terrain_def ground = rn_terrain_default();
        ground.cells_x = 2;
        ground.cells_y = 6;
        ground.cell_size = 0.005;
        ground.lid = 0.02;
        ground.columns = columns;
        ground.columns_per_cell = counts;
        rn_terrain *terrain = NULL;
        assert_int_equal(rn_terrain_create(&ground, &terrain), RN_OK);
        rn_world_def def = rn_world_default();
        for (int side = 0; side < 4; side++) def.edges[side] = RN_EDGE_PERIODIC;
        rn_world *world = world_on(terrain, &def);
        rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_DEPTH, .value = 0.004});
        rn_world_drain(world, (rn_vec3){0.0025, 0.0025, 0.0}, 0.0, INFINITY);
        for (int i = 0; i < 60; i++) {
            run(world, 1);
            assert_true(rn_world_audit(world).drift == 0.0);
        }
        rn_world_destroy(world);
    }
}

/* One long call is cut to what the pour can bear, also where everything is dry at first. */
static void long_calls_onto_dry_ground(void **state) {
    (void)state;
    double deepest[2];
    for (int k = 0; k < 2; k++) {
        rn_world *world = tray(40);
        rn_source_def def = rn_source_default();
        def.at = (rn_vec3){0.02, 0.02, 0.01};
        def.radius = 0.003;
        def.rate = 1e-5;
        def.start = 0.5;
        assert_int_equal(rn_world_add_source(world, &def), 0);
        for (int i = 0; i < (k ? 200 : 1); i++) rn_world_step(world, k ? 0.01 : 2.0);
        rn_audit audit = rn_world_audit(world);
        assert_true(audit.refused == 0.0);
        assert_true(fabs(audit.poured - 1.5e-5) < 1e-3 * 1.5e-5);
        deepest[k] = rn_world_get_stats(world).deepest;
        rn_world_destroy(world);
    }
    assert_true(fabs(deepest[0] / deepest[1] - 1.0) < 0.05);
}

static void absurd_numbers_stay_harmless(void **state) {
    (void)state;
    rn_world *world = tray(6);
    assert_int_equal(rn_world_pour(world, (rn_vec3){0.003, 0.003, 0.0}, 0.001, 1e12), 0);
    rn_view f = rn_world_view(world, RN_FIELD_FLUX_X);
    f.data[1] = 3e38f;
    f.data[2] = -INFINITY;
    rn_world_commit(world);
    run(world, 3);
    rn_audit audit = rn_world_audit(world);
    assert_true(audit.drift == 0.0 && audit.refused > 1e4 && /* the most that is counted */
                isfinite(f.data[1]));
    rn_world_destroy(world);
    rn_terrain *terrain = level_ground(4, 4, 1e-3, 0.0, 90.0);
    rn_world_def def = rn_world_default();
    def.terrain = terrain;
    assert_int_equal(rn_world_create(&def, &world), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "lower the lid"));
    rn_terrain_destroy(terrain);
}

/* Tilted gravity: water in a tray comes to rest as a tilted plane. */
static void a_tilted_tray_settles_level(void **state) {
    (void)state;
    rn_world_def def = rn_world_default();
    def.gravity = (rn_vec3){0.5, -0.25, -9.81};
    def.friction = 0.05;
    rn_world *world = world_on(level_ground(32, 32, 1e-2, 0.0, 0.2), &def);
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_DEPTH, .value = 0.05});
    run(world, 1800);
    rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
    double q = rn_world_describe(world).quantum;
    for (int y = 0; y < 32; y++)
        for (int x = 0; x < 31; x++) {
            double step = (double)d.data[y * d.row_stride + x + 1] - d.data[y * d.row_stride + x];
            assert_true(fabs(step - 0.5 / 9.81 * 1e-2) < 8.0 * q);
        }
    rn_world_destroy(world);
}

/* A film on a table tilted through gravity flows as Nusselt's on that plane, depth measured across it. */
static void a_tilted_film_flows_as_nusselt(void **state) {
    (void)state;
    const double angle = 0.3, depth = 3e-4, nu = 4e-6;
    rn_world_def def = rn_world_default();
    def.gravity = (rn_vec3){9.81 * sin(angle), 0.0, -9.81 * cos(angle)};
    def.liquid.viscosity = nu;
    def.friction = 1.0;
    def.edges[RN_SIDE_WEST] = def.edges[RN_SIDE_EAST] = RN_EDGE_PERIODIC;
    rn_world *world = world_on(level_ground(64, 1, 5e-4, 0.0, 2e-3), &def);
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_DEPTH, .value = depth});
    run(world, 60);
    double flux = rn_world_view(world, RN_FIELD_FLUX_X).data[10] / 5e-4;
    assert_true(fabs(flux / (9.81 * sin(angle) * depth * depth * depth / (3.0 * nu)) - 1.0) < 1e-3);
    assert_true(rn_world_audit(world).drift == 0.0);
    rn_world_destroy(world);
}

/* What the host writes into fluxes at periodic edges keeps the volume. */
static void written_fluxes_keep_volume(void **state) {
    (void)state;
    rn_world_def def = rn_world_default();
    for (int side = 0; side < 4; side++) def.edges[side] = RN_EDGE_PERIODIC;
    rn_world *world = world_on(level_ground(17, 13, 1e-3, 0.0, 0.05), &def);
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_DEPTH, .value = 5e-3});
    rn_view fx = rn_world_view(world, RN_FIELD_FLUX_X), fy = rn_world_view(world, RN_FIELD_FLUX_Y);
    uint32_t random = 1;
    for (int y = 0; y < 13; y++)
        for (int x = 0; x < 17; x++) {
            fx.data[y * fx.row_stride + x] = (float)(1e-6 * (random_unit(&random) - 0.5));
            fy.data[y * fy.row_stride + x] = (float)(1e-6 * (random_unit(&random) - 0.5));
        }
    rn_world_commit(world);
    run(world, 30);
    assert_true(rn_world_audit(world).drift == 0.0);
    rn_world_destroy(world);
}

static void written_depths_are_mended_and_booked(void **state) {
    (void)state;
    rn_world *world = tray(4);
    rn_view d = rn_world_view(world, RN_FIELD_DEPTH), f = rn_world_view(world, RN_FIELD_FLUX_X);
    d.data[0] = NAN;
    d.data[1] = -1.0f;
    d.data[2] = 1e30f;
    d.data[3] = 0.01f;
    f.data[1] = INFINITY;
    assert_int_equal(rn_world_commit(world), RN_OK);
    double q = rn_world_describe(world).quantum;
    assert_true(d.data[0] == 0.0f && d.data[1] == 0.0f && f.data[1] == 0.0f);
    assert_true(fabs(d.data[2] - 0.05) <= q && fabs(d.data[3] - 0.01) <= q);
    rn_audit audit = rn_world_audit(world);
    assert_true(audit.drift == 0.0 && audit.poured == audit.present && audit.present > 0.0);
    d.data[2] = 0.0f;
    rn_world_commit(world);
    audit = rn_world_audit(world);
    assert_true(audit.drift == 0.0 && audit.drained > 0.0);
    run(world, 10);
    assert_true(rn_world_audit(world).drift == 0.0);
    rn_world_destroy(world);
}

static void fills(void **state) {
    (void)state;
    rn_terrain_def def = rn_terrain_default();
    def.cells_x = def.cells_y = 60;
    def.cell_size = 1e-3;
    def.bottom = -0.01;
    def.lid = 0.05;
    /* a floor, and a slab above it over half the domain */
    def.solid = rn_sdf_union(rn_sdf_plane((rn_vec3){0, 0, 0}, (rn_vec3){0, 0, 1}),
                             rn_sdf_move(rn_sdf_box((rn_vec3){0.06, 0.06, 0.004}), (rn_vec3){0.0, 0.03, 0.012}), 0.0);
    rn_terrain *terrain = NULL;
    assert_int_equal(rn_terrain_create(&def, &terrain), RN_OK);
    rn_world *world = world_on(terrain, NULL);
    assert_int_equal(rn_world_describe(world).layers, 2);
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 0.006});
    assert_true(fabs(rn_world_volume(world) / (0.06 * 0.06 * 0.006) - 1.0) < 1e-4);
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 0.006}); /* nothing to add */
    assert_true(fabs(rn_world_volume(world) / (0.06 * 0.06 * 0.006) - 1.0) < 1e-4);
    double before = rn_world_volume(world);
    rn_sdf *region = rn_sdf_move(rn_sdf_box((rn_vec3){0.06, 0.06, 0.004}), (rn_vec3){0.0, 0.03, 0.017});
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_DEPTH, .value = 0.002, .shape = region});
    rn_sdf_destroy(region);
    assert_true(fabs((rn_world_volume(world) - before) / (0.03 * 0.06 * 0.002) - 1.0) < 1e-3);
    before = rn_world_volume(world);
    rn_sdf *drop = rn_sdf_move(rn_sdf_sphere(0.008), (rn_vec3){0.045, 0.03, 0.03});
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_SHAPE, .shape = drop});
    rn_sdf_destroy(drop);
    /* shapes ask for a depth; the floor already holds 6 mm of it */
    assert_true(rn_world_volume(world) > before);
    assert_true(rn_world_audit(world).drift == 0.0);
    rn_sample top = rn_world_sample(world, (rn_vec3){0.01, 0.03, 0.03}),
              below = rn_world_sample(world, (rn_vec3){0.01, 0.03, 0.005});
    assert_true(top.found && below.found && top.layer == 1 && below.layer == 0);
    assert_true(fabs(top.level - 0.016) < 1e-4 && fabs(below.level - 0.006) < 1e-4);
    assert_true(fabs(below.ceil - 0.010) < 1e-6);
    assert_false(rn_world_sample(world, (rn_vec3){0.01, 0.03, -0.005}).found);
    assert_false(rn_world_sample(world, (rn_vec3){1.0, 0.03, 0.0}).found);
    assert_false(rn_world_sample_layer(world, 0.05, 0.03, 1).found);
    assert_true(rn_world_sample_layer(world, 0.01, 0.03, 1).found);
    rn_world_destroy(world);
}

/* A tilted surface and a uniform current, sampled between cells. */
static void samples_are_smooth(void **state) {
    (void)state;
    rn_world *world = tray(20);
    rn_view d = rn_world_view(world, RN_FIELD_DEPTH), f = rn_world_view(world, RN_FIELD_FLUX_X);
    for (int y = 0; y < 20; y++)
        for (int x = 0; x < 20; x++) {
            d.data[y * d.row_stride + x] = (float)(5e-3 + 1e-4 * x + 2e-4 * y);
            if (x < 19) f.data[y * f.row_stride + x] = (float)(0.1 * (5e-3 + 1e-4 * (x + 0.5) + 2e-4 * y) * 1e-3);
        }
    rn_world_commit(world);
    rn_sample s = rn_world_sample(world, (rn_vec3){0.01, 0.0103, 0.02});
    assert_true(s.found && s.layer == 0);
    assert_true(fabs(s.level - (5e-3 + 1e-4 * 9.5 + 2e-4 * 9.8)) < 1e-7);
    assert_true(fabs(s.depth - s.level) < 1e-12);
    assert_true(fabs(s.velocity_x - 0.1) < 1e-4 && fabs(s.velocity_y) < 1e-9);
    double nx = -0.1, ny = -0.2, length = sqrt(1.0 + nx * nx + ny * ny);
    assert_true(fabs(s.normal.x - nx / length) < 1e-4 && fabs(s.normal.y - ny / length) < 1e-4);
    rn_world_destroy(world);
}

static void old_errors_are_not_told_again(void **state) {
    (void)state;
    rn_terrain *terrain = NULL;
    rn_terrain_def def = rn_terrain_default();
    def.solid = rn_sdf_subtract(rn_sdf_sphere(-1.0), rn_sdf_sphere(1.0), 0.0);
    assert_int_equal(rn_terrain_create(&def, &terrain), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "sphere"));
    def = rn_terrain_default();
    assert_int_equal(rn_terrain_create(&def, &terrain), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "neither a solid nor columns"));
}

/* ---- Hooks ------------------------------------------------------------------------------------------------- */

typedef struct counting {
    long allocated, freed, misused;
    long fail_after; /* -1: never */
} counting;

static void *count_alloc(void *user, size_t size) {
    counting *c = user;
    if (c->fail_after == 0) return NULL;
    if (c->fail_after > 0) c->fail_after--;
    c->allocated++;
    return rn_aligned_alloc(64, size);
}

static void count_free(void *user, void *memory) {
    ((counting *)user)->freed++;
    rn_aligned_free(memory);
}

static void count_misuse(void *user, const char *rule, const char *file, int line) {
    (void)rule, (void)file, (void)line;
    ((counting *)user)->misused++;
}

static rn_result build_counted(counting *c, rn_terrain **terrain, rn_world **world) {
    rn_hooks hooks = {.user = c, .alloc = count_alloc, .free = count_free, .misuse = count_misuse};
    rn_terrain_def ground = rn_terrain_default();
    ground.cells_x = ground.cells_y = 12;
    ground.cell_size = 1e-3;
    ground.solid = rn_sdf_move(rn_sdf_bowl(0.005, 0.002), (rn_vec3){0.006, 0.006, 0.0});
    ground.hooks = hooks;
    rn_result result = rn_terrain_create(&ground, terrain);
    if (result != RN_OK) return result;
    rn_world_def def = rn_world_default();
    def.terrain = *terrain;
    def.hooks = hooks;
    def.threads = 2;
    def.edges[0] = RN_EDGE_OPEN;
    result = rn_world_create(&def, world);
    if (result != RN_OK) return result;
    return rn_world_pour(*world, (rn_vec3){0.006, 0.006, 0.01}, 0.002, 1e-6) == 0 ? RN_OK : RN_MEMORY;
}

static void a_warm_step_allocates_nothing(void **state) {
    (void)state;
    counting c = {.fail_after = -1};
    rn_terrain *terrain = NULL;
    rn_world *world = NULL;
    assert_int_equal(build_counted(&c, &terrain, &world), RN_OK);
    run(world, 2);
    long before = c.allocated;
    c.fail_after = 0;
    run(world, 60);
    assert_int_equal(c.allocated, before);
    assert_true(rn_world_volume(world) > 0.0);
    rn_view none = rn_world_view(world, (rn_field)99);
    assert_true(none.data == NULL && c.misused == 1);
    rn_world_destroy(world);
    rn_terrain_destroy(terrain);
    assert_int_equal(c.allocated, c.freed);
}

static void every_failing_allocation_is_survived(void **state) {
    (void)state;
    bool done = false;
    for (long n = 0; n < 200 && !done; n++) {
        counting c = {.fail_after = n};
        rn_terrain *terrain = NULL;
        rn_world *world = NULL;
        rn_result result = build_counted(&c, &terrain, &world);
        done = result == RN_OK;
        if (!done) {
            assert_int_equal(result, RN_MEMORY);
            assert_non_null(strstr(rn_last_error(), "memory"));
        }
        rn_world_destroy(world);
        rn_terrain_destroy(terrain);
        assert_int_equal(c.allocated, c.freed);
    }
    assert_true(done);
}

/* ---- Bad input ----------------------------------------------------------------------------------------------- */

static void refuses(rn_world_def def, const char *words) {
    rn_terrain *terrain = level_ground(4, 4, 1e-3, 0.0, 0.05);
    def.terrain = terrain;
    rn_world *world = (rn_world *)1;
    assert_int_equal(rn_world_create(&def, &world), RN_INVALID);
    assert_null(world);
    if (!strstr(rn_last_error(), words)) fail_msg("\"%s\" does not say \"%s\"", rn_last_error(), words);
    rn_terrain_destroy(terrain);
}

static void bad_worlds_are_refused(void **state) {
    (void)state;
    rn_world_def def = rn_world_default();
#define WITH(change, words)                                                                                            \
    do {                                                                                                               \
        rn_world_def d = def;                                                                                          \
        d.change;                                                                                                      \
        refuses(d, words);                                                                                             \
    } while (0)
    WITH(liquid.viscosity = -3.0, "viscosity is -3; it must be from 0");
    WITH(liquid.viscosity = NAN, "viscosity");
    WITH(friction = 0.0, "friction is 0");
    WITH(friction = 1.5, "friction is 1.5");
    WITH(friction = NAN, "friction");
    WITH(gravity.z = 9.81, "gravity.z is 9.81; it must be negative");
    WITH(gravity.x = INFINITY, "gravity");
    WITH(edges[0] = RN_EDGE_PERIODIC, "periodic");
    WITH(drop_x = 0.1, "not periodic");
    WITH(drop_y = NAN, "drop");
    WITH(max_substeps = -1, "max_substeps");
    WITH(threads = -1, "threads");
#undef WITH
    rn_world *world = NULL;
    assert_int_equal(rn_world_create(&def, &world), RN_INVALID);
}

static void bad_calls_are_refused(void **state) {
    (void)state;
    rn_world *world = tray(8);
    const rn_vec3 inside = {0.004, 0.004, 0.0};
    assert_int_equal(rn_world_pour(world, (rn_vec3){0.1, 0.0, 0.0}, 0.001, 1e-6), -1);
    assert_non_null(strstr(rn_last_error(), "outside the domain"));
    assert_int_equal(rn_world_pour(world, (rn_vec3){NAN, 0.0, 0.0}, 0.001, 1e-6), -1);
    assert_int_equal(rn_world_pour(world, inside, -1.0, 1e-6), -1);
    assert_int_equal(rn_world_pour(world, inside, 0.001, -1e-6), -1);
    assert_int_equal(rn_world_pour(world, inside, 0.001, NAN), -1);
    assert_int_equal(rn_world_pour(world, inside, 0.001, INFINITY), -1);
    assert_int_equal(rn_world_drain(world, inside, 0.001, INFINITY), 0);
    assert_int_equal(rn_world_set_rate(world, 7, 1.0), RN_INVALID);
    assert_int_equal(rn_world_step(world, -1.0), RN_INVALID);
    assert_int_equal(rn_world_step(world, NAN), RN_INVALID);
    assert_int_equal(rn_world_step(world, 0.0), RN_OK);
    assert_int_equal(rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = NAN}), RN_INVALID);
    assert_int_equal(rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_DEPTH, .value = -1.0}), RN_INVALID);
    assert_int_equal(rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_SHAPE}), RN_INVALID);
    rn_liquid liquid;
    assert_false(rn_liquid_find("lava", &liquid));
    assert_non_null(strstr(rn_last_error(), "blood"));
    for (int i = 0; rn_liquid_at(i); i++) assert_true(rn_liquid_find(rn_liquid_at(i)->name, &liquid));
    rn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_source_pours_exactly_its_rate),
        cmocka_unit_test(a_drizzle_is_not_lost),
        cmocka_unit_test(a_drain_empties_the_tray),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(liquid_leaves_over_open_edges),
        cmocka_unit_test(open_edges_are_alike),
        cmocka_unit_test(liquid_leaves_through_holes),
        cmocka_unit_test(periodic_edges_keep_volume),
        cmocka_unit_test(long_calls_onto_dry_ground),
        cmocka_unit_test(absurd_numbers_stay_harmless),
        cmocka_unit_test(a_tilted_tray_settles_level),
        cmocka_unit_test(a_tilted_film_flows_as_nusselt),
        cmocka_unit_test(written_fluxes_keep_volume),
        cmocka_unit_test(written_depths_are_mended_and_booked),
        cmocka_unit_test(fills),
        cmocka_unit_test(samples_are_smooth),
        cmocka_unit_test(old_errors_are_not_told_again),
        cmocka_unit_test(a_warm_step_allocates_nothing),
        cmocka_unit_test(every_failing_allocation_is_survived),
        cmocka_unit_test(bad_worlds_are_refused),
        cmocka_unit_test(bad_calls_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
