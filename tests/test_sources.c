/* Liquid in and out over time against what was asked: hydrographs, levels, pressure, rain, losses, moving places, and
   what cross-sections count. Whatever happens, the ledger is exact. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/platform.h"
#include "physics/physics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void run(rn_world *world, double seconds, int frames) {
    for (int i = 0; i < frames; i++) {
        assert_int_equal(rn_world_step(world, seconds / frames), RN_OK);
        assert_true(rn_world_audit(world).drift == 0.0);
    }
}

static double unit_of(const rn_world *world) {
    rn_world_info info = rn_world_describe(world);
    return info.quantum * info.cell_size * info.cell_size;
}

static rn_world *tray(int cells, double cell) {
    return make_world(&(setup){.nx = cells, .ny = cells, .cell = cell, .lid = 50.0 * cell, .friction = 0.5});
}

static int add(rn_world *world, rn_source_def def) {
    int source = rn_world_source(world, &def);
    if (source < 0) fail_msg("%s", rn_last_error());
    return source;
}

static int section(rn_world *world, double x0, double y0, double x1, double y1) {
    int made = rn_world_section(world, x0, y0, x1, y1);
    if (made < 0) fail_msg("%s", rn_last_error());
    return made;
}

/* ---- By rate ------------------------------------------------------------------------------------------------- */

static const rn_series_point flood[] = {{0.5, 0.0}, {1.0, 6e-6}, {1.25, 2e-6}, {2.0, 1e-6}};

/* The area under the points, ends held. */
static double flood_until(double time) {
    double sum = 0.0;
    for (int i = 0; i < 3 && flood[i].time < time; i++) {
        double end = fmin(time, flood[i + 1].time), width = flood[i + 1].time - flood[i].time;
        double high = flood[i].value + (flood[i + 1].value - flood[i].value) * (end - flood[i].time) / width;
        sum += 0.5 * (flood[i].value + high) * (end - flood[i].time);
    }
    return sum + fmax(time - 2.0, 0.0) * flood[3].value;
}

static void a_hydrograph_pours_its_integral(void **state) {
    (void)state;
    for (int frames = 1; frames <= 300; frames += 299) {
        rn_world *world = tray(40, 1e-3);
        add(world, (rn_source_def){.at = {0.02, 0.02, 0.01}, .radius = 4e-3, .series = flood, .series_count = 4});
        double time = 0.0;
        for (int i = 0; i < frames; i++) {
            run(world, 3.0 / frames, 1);
            time += 3.0 / frames;
            double poured = rn_world_audit(world).poured;
            assert_true(fabs(poured - flood_until(time)) < 80.0 * unit_of(world)); /* a quantum for each column */
        }
        assert_true(rn_world_audit(world).poured > 0.99 * flood_until(3.0));
        rn_world_destroy(world);
    }
}

/* A series runs only between start and stop, and a drain has one too. */
static void a_series_keeps_start_and_stop(void **state) {
    (void)state;
    rn_world *world = tray(20, 1e-3);
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_DEPTH, .value = 5e-3});
    double full = rn_world_audit(world).poured;
    rn_source_def def = {.at = {0.005, 0.01, 0.01}, .radius = 4e-3, .series = flood, .series_count = 4};
    def.start = 0.75;
    def.stop = 1.5;
    int source = add(world, def);
    def.kind = RN_SOURCE_DRAIN;
    def.at.x = 0.015;
    add(world, def);
    run(world, 2.0, 40);
    rn_audit audit = rn_world_audit(world);
    double wanted = flood_until(1.5) - flood_until(0.75);
    assert_true(fabs(audit.poured - full - wanted) < 80.0 * unit_of(world));
    assert_true(fabs(audit.drained - wanted) < 80.0 * unit_of(world));
    /* a new rate takes the series' place, and the window stays */
    assert_int_equal(rn_world_set_rate(world, source, 1.0), RN_OK);
    run(world, 0.5, 5);
    assert_true(rn_world_audit(world).poured == audit.poured);
    rn_world_destroy(world);
}

static void a_side_pours_all_along_it(void **state) {
    (void)state;
    for (int side = 0; side < 4; side++) {
        rn_world *world = tray(12, 1e-2);
        add(world, (rn_source_def){.along_side = true, .side = (rn_side)side, .rate = 1e-5, .stop = 1e-3});
        run(world, 1e-3, 1);
        for (int i = 0; i < 12; i++) {
            int x = side == RN_SIDE_WEST ? 0 : side == RN_SIDE_EAST ? 11 : i;
            int y = side == RN_SIDE_SOUTH ? 0 : side == RN_SIDE_NORTH ? 11 : i;
            assert_true(fabs(depth_at(world, x, y) - 1e-8 / 12.0 / 1e-4) <= rn_world_describe(world).quantum);
        }
        assert_true(fabs(rn_world_volume(world) - 1e-8) < 12.0 * unit_of(world));
        rn_world_destroy(world);
    }
}

/* ---- By level and by pressure -------------------------------------------------------------------------------- */

/* A tray fed from its western side stands at that level in the end, from below as from above. */
static void a_level_is_reached_and_held(void **state) {
    (void)state;
    for (int above = 0; above < 2; above++) {
        rn_world *world = tray(24, 1e-2);
        double q = rn_world_describe(world).quantum;
        if (above) rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_DEPTH, .value = 0.05});
        add(world, (rn_source_def){.kind = RN_SOURCE_LEVEL, .level = 0.03, .along_side = true, .side = RN_SIDE_WEST});
        run(world, 60.0, 600);
        for (int i = 0; i < 24 * 24; i++) assert_true(fabs(depth_at(world, i % 24, i / 24) - 0.03) < 64.0 * q);
        rn_audit audit = rn_world_audit(world);
        if (above) assert_true(audit.drained > 0.19 * 0.24 * 0.24 * 0.1 && audit.poured > audit.drained);
        assert_true(audit.refused == 0.0);
        rn_world_destroy(world);
    }
}

/* A tide: the surface follows the series, sea to land and back, and dry steps may be long. */
static void a_level_follows_its_series(void **state) {
    (void)state;
    const rn_series_point tide[] = {{0.0, -1.0}, {100.0, 0.0}, {160.0, 0.5}, {220.0, 0.1}};
    rn_world *world = make_world(&(setup){.nx = 8, .ny = 1, .cell = 1.0, .lid = 5.0, .friction = 0.5});
    add(world, (rn_source_def){.kind = RN_SOURCE_LEVEL, .series = tide, .series_count = 4, .along_side = true});
    assert_int_equal(rn_world_step(world, 100.0), RN_OK); /* the sea stands below the ground */
    assert_true(rn_world_progress(world).substeps < 20);
    assert_true(rn_world_volume(world) < 1e-3);
    run(world, 60.0, 120);
    assert_true(fabs(depth_at(world, 0, 0) - 0.5) < 1e-3 && depth_at(world, 7, 0) > 0.25);
    run(world, 120.0, 240);
    assert_true(fabs(depth_at(world, 0, 0) - 0.1) < 1e-3 && fabs(depth_at(world, 7, 0) - 0.1) < 1e-2);
    rn_audit audit = rn_world_audit(world);
    assert_true(audit.drained > 0.2 * 8.0);
    assert_int_equal(rn_world_set_level(world, 0, 0.2), RN_OK);
    run(world, 1.0, 2);
    assert_true(fabs(depth_at(world, 0, 0) - 0.2) < 1e-3);
    rn_world_destroy(world);
}

/* The level in a basin of area A nears the head as e^(-t / (resistance A)). */
static void bleeding_nears_its_head(void **state) {
    (void)state;
    const double head = 0.02, area = 64e-6, tau = 2.0;
    for (int points = 0; points < 2; points++) {
        rn_world *world = tray(8, 1e-3);
        rn_source_def def = {.kind = RN_SOURCE_HEAD, .level = head, .resistance = tau / area, .at = {4e-3, 4e-3, 0.01}};
        def.radius = points ? 0.0 : 3e-3;
        add(world, def);
        for (int k = 1; k <= 4; k++) {
            run(world, 1.0, 100);
            double mean = rn_world_volume(world) / area, exact = head * (1.0 - exp(-k / tau));
            assert_true(fabs(mean / exact - 1.0) < 5e-3);
        }
        run(world, 60.0, 60);
        assert_true(fabs(rn_world_volume(world) / area - head) < 1e-3 * head);
        rn_audit audit = rn_world_audit(world);
        assert_true(audit.drained == 0.0 && audit.refused == 0.0);
        rn_world_destroy(world);
    }
}

/* Stable whatever the resistance and the step, and nothing flows back. Without resistance the liquid's own swing
   carries it beyond the head. */
static void any_resistance_is_stable(void **state) {
    (void)state;
    const double resistances[] = {0.0, 1e-3, 1e3, 1e6, 1e12};
    for (int i = 0; i < 5; i++) {
        rn_world *world = tray(8, 1e-3);
        add(world, (rn_source_def){
                       .kind = RN_SOURCE_HEAD, .level = 0.02, .resistance = resistances[i], .at = {4e-3, 4e-3, 0.0}});
        assert_int_equal(rn_world_step(world, 8.0), RN_OK);
        rn_audit audit = rn_world_audit(world);
        assert_true(audit.drift == 0.0 && audit.drained == 0.0);
        assert_true(rn_world_progress(world).deepest < 0.03);
        if (i < 3) assert_true(audit.present / (0.02 * 64e-6) > 1.0);
        rn_world_set_level(world, 0, 0.0);
        run(world, 1.0, 10);
        assert_true(rn_world_audit(world).drained == 0.0);
        rn_world_destroy(world);
    }
}

/* ---- Rain and losses ------------------------------------------------------------------------------------------- */

/* Far less than one quantum a substep still arrives in full. */
static void rain_fills_a_closed_basin(void **state) {
    (void)state;
    double heights[30 * 20];
    uint32_t random = 4;
    for (int i = 0; i < 600; i++) heights[i] = 0.5 * random_unit(&random);
    rn_world *world =
        make_world(&(setup){.nx = 30, .ny = 20, .cell = 1.0, .heights = heights, .lid = 4.0, .friction = 0.5});
    add(world, (rn_source_def){.kind = RN_SOURCE_RAIN, .rate = 1e-6});
    run(world, 500.0, 500);
    rn_audit audit = rn_world_audit(world);
    assert_true(fabs(audit.poured - 1e-6 * 600.0 * 500.0) <= 600.0 * unit_of(world));
    assert_true(audit.poured > 0.9 * 1e-6 * 600.0 * 500.0);
    rn_world_destroy(world);
}

/* What the map and the region say, column by column, before anything flows. */
static void rain_has_a_map_and_a_region(void **state) {
    (void)state;
    const float map[] = {0.0f, 1.0f};
    rn_world *world = make_world(&(setup){.nx = 16, .ny = 8, .cell = 1.0, .lid = 4.0, .friction = 0.5});
    rn_sdf *south = rn_sdf_move(rn_sdf_box((rn_vec3){100.0, 8.0, 1.0}, 0.0), (rn_vec3){0.0, 0.0, 2.0});
    add(world,
        (rn_source_def){.kind = RN_SOURCE_RAIN, .rate = 0.1, .map = map, .map_x = 2, .map_y = 1, .shape = south});
    rn_sdf_destroy(south);
    assert_int_equal(rn_world_step(world, 0.1), RN_OK);
    double q = rn_world_describe(world).quantum;
    assert_int_equal(rn_world_progress(world).substeps, 1);
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 16; x++) {
            double share = fmin(fmax((x + 0.5) / 8.0 - 0.5, 0.0), 1.0); /* linear between the middles of the two */
            assert_true(fabs(depth_at(world, x, y) - (y < 4 ? 0.01 * share : 0.0)) < 2.0 * q);
        }
    assert_true(rn_world_audit(world).drift == 0.0);
    assert_int_equal(rn_world_set_rate(world, 0, 6.0 * q), RN_OK); /* some tenths of a quantum for each substep */
    const double before = rn_world_audit(world).poured;
    run(world, 50.0, 500);
    double wanted = 0.0;
    for (int x = 0; x < 16; x++) wanted += 4.0 * fmin(fmax((x + 0.5) / 8.0 - 0.5, 0.0), 1.0) * 6.0 * 50.0;
    assert_true(fabs((rn_world_audit(world).poured - before) / q - wanted) < 2.0 * 64.0);
    rn_world_destroy(world);
}

/* Past an open edge lies a sink on every row; rain must not fall into it, wherever a row ends. */
static void rain_stays_within_its_rows(void **state) {
    (void)state;
    double heights[7 * 3];
    for (int i = 0; i < 21; i++) heights[i] = i == 10 ? 0.0 : 5.0;
    for (int nx = 4; nx <= 7; nx++) {
        rn_world *world = make_world(&(setup){.nx = nx,
                                              .ny = 3,
                                              .cell = 1.0,
                                              .heights = heights,
                                              .lid = 9.0,
                                              .friction = 0.5,
                                              .open_west = true,
                                              .open_east = true});
        add(world, (rn_source_def){.kind = RN_SOURCE_RAIN, .rate = 1e-3});
        add(world, (rn_source_def){.kind = RN_SOURCE_INFILTRATION, .rate = 2e-4});
        run(world, 5.0, 50);
        rn_audit audit = rn_world_audit(world);
        assert_true(fabs(audit.poured - 5e-3 * nx * 3) < 3.0 * nx * unit_of(world));
        rn_world_destroy(world);
    }
}

/* Two columns to a cell in the west; the east is roofed up to the lid. */
static rn_world *roofed_world(void) {
    rn_column columns[6 * 2];
    int32_t counts[6];
    int found = 0;
    for (int x = 0; x < 6; x++) {
        counts[x] = x < 3 ? 2 : 1;
        columns[found++] = (rn_column){-INFINITY, 0.0, x < 5 ? (x < 3 ? 1.0 : 4.0) : 3.0};
        if (x < 3) columns[found++] = (rn_column){1.0, 2.0, 4.0};
    }
    return make_world_on(make_terrain(6, 1, 1.0, 4.0, columns, counts), &(setup){.friction = 0.5});
}

static void rain_lands_on_top_and_not_under_roofs(void **state) {
    (void)state;
    rn_world *world = roofed_world();
    add(world, (rn_source_def){.kind = RN_SOURCE_RAIN, .rate = 1e-2});
    assert_int_equal(rn_world_step(world, 1e-2), RN_OK);
    rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
    for (int x = 0; x < 6; x++) {
        assert_true((d.data[x] > 0.0f) == (x == 3 || x == 4));
        if (x < 3) assert_true(d.data[d.layer_stride + x] > 0.0f);
    }
    assert_true(rn_world_audit(world).drift == 0.0);
    rn_world_destroy(world);
}

static void losses_take_their_rate(void **state) {
    (void)state;
    for (int kind = RN_SOURCE_EVAPORATION; kind <= RN_SOURCE_INFILTRATION; kind++) {
        rn_world *world = roofed_world();
        rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 0.5});
        double start = rn_world_volume(world);
        const rn_series_point series[] = {{0.0, 0.0}, {10.0, 1e-3}};
        add(world, (rn_source_def){.kind = (rn_source_kind)kind, .series = series, .series_count = 2});
        run(world, 10.0, 100);
        /* the sky sees two of the six cells' water */
        double wanted = 5e-3 * (kind == RN_SOURCE_EVAPORATION ? 2.0 : 6.0), drained = rn_world_audit(world).drained;
        assert_true(fabs(drained - wanted) < 6.0 * unit_of(world));
        assert_true(fabs(start - rn_world_volume(world) - drained) < 1e-12);
        assert_int_equal(rn_world_set_rate(world, 0, 1.0), RN_OK); /* all there is, and no more */
        run(world, 10.0, 100);
        if (kind == RN_SOURCE_INFILTRATION) assert_true(rn_world_volume(world) == 0.0);
        rn_world_destroy(world);
    }
}

/* Rain under a low lid is refused and booked, as any pour is. */
static void rain_never_passes_the_lid(void **state) {
    (void)state;
    rn_world *world = make_world(&(setup){.nx = 5, .ny = 5, .cell = 0.1, .lid = 0.01, .friction = 0.5});
    add(world, (rn_source_def){.kind = RN_SOURCE_RAIN, .rate = 1e-2});
    run(world, 2.0, 20);
    rn_audit audit = rn_world_audit(world);
    assert_true(fabs(audit.present - 0.25 * 0.01) < 25.0 * unit_of(world));
    assert_true(fabs(audit.poured + audit.refused - 0.25 * 0.02) < 30.0 * unit_of(world));
    rn_world_destroy(world);
}

/* ---- Moving places ------------------------------------------------------------------------------------------- */

/* A film that stands still by itself, so that the trace of a moving drain stays. */
static rn_world *thick_film(void) {
    rn_world_def def = rn_world_default();
    def.liquid.viscosity = 40.0;
    rn_terrain_def ground = rn_terrain_default();
    ground.cells_x = 30, ground.cells_y = 10, ground.cell_size = 1e-3, ground.bottom = -0.01, ground.lid = 0.02;
    ground.solid = rn_sdf_plane((rn_vec3){0, 0, 0}, (rn_vec3){0, 0, 1});
    rn_terrain *terrain = NULL;
    rn_world *world = NULL;
    assert_int_equal(rn_terrain_create(&ground, &terrain), RN_OK);
    def.terrain = terrain;
    assert_int_equal(rn_world_create(&def, &world), RN_OK);
    rn_terrain_destroy(terrain);
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_DEPTH, .value = 1e-3});
    return world;
}

static int suck(rn_world *world, const rn_waypoint *path) {
    return add(world, (rn_source_def){
                          .kind = RN_SOURCE_DRAIN, .rate = INFINITY, .path = path, .path_count = 2, .radius = 1.5e-3});
}

static void a_drain_moves_along_its_path(void **state) {
    (void)state;
    const rn_waypoint path[] = {{1.0, {0.002, 0.005, 0.01}}, {3.0, {0.028, 0.005, 0.01}}};
    rn_world *world = thick_film();
    suck(world, path);
    run(world, 1.0, 10);
    assert_true(depth_at(world, 2, 5) == 0.0 && depth_at(world, 10, 5) > 9e-4);
    run(world, 1.0, 10); /* half way: the middle of the tray */
    assert_true(depth_at(world, 8, 5) < 1e-4 && depth_at(world, 14, 5) == 0.0 && depth_at(world, 22, 5) > 9e-4);
    assert_true(depth_at(world, 8, 9) > 9e-4);
    run(world, 3.0, 30);
    for (int x = 3; x < 28; x++) assert_true(depth_at(world, x, 5) < 1e-4);
    rn_world_destroy(world);
    /* however fast it moves and however long the step, no cell of its way is skipped */
    const rn_waypoint dash[] = {{1.0, {0.002, 0.005, 0.01}}, {1.02, {0.028, 0.005, 0.01}}};
    world = thick_film();
    suck(world, dash);
    assert_int_equal(rn_world_step(world, 1.0), RN_OK);
    assert_int_equal(rn_world_step(world, 0.1), RN_OK);
    for (int x = 2; x < 29; x++) assert_true(depth_at(world, x, 5) < 1e-4);
    rn_world_destroy(world);
}

/* What it owes goes with it: less than a quantum for each of the columns it passes, and yet all arrives. */
static void a_moving_drizzle_is_not_lost(void **state) {
    (void)state;
    rn_waypoint path[40];
    for (int i = 0; i < 40; i++) path[i] = (rn_waypoint){0.25 * i, {0.001 + 0.0004 * i, 0.01 + 0.008 * sin(i), 0.01}};
    rn_world *world = tray(20, 1e-3);
    double unit = unit_of(world);
    add(world, (rn_source_def){.rate = 7.0 * unit, .path = path, .path_count = 40, .radius = 3e-3});
    run(world, 30.0, 600);
    double quanta = rn_world_audit(world).poured / unit;
    assert_true(quanta <= 210.0 && quanta > 210.0 - 48.0);
    rn_world_destroy(world);
}

/* ---- Cross-sections ------------------------------------------------------------------------------------------- */

static double inside(rn_world *world, int x0, int y0, int x1, int y1) {
    rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
    double sum = 0.0;
    for (int layer = 0; layer < d.layers; layer++)
        for (int y = y0; y < y1; y++)
            for (int x = x0; x < x1; x++) sum += d.data[layer * d.layer_stride + y * d.row_stride + x];
    return sum / rn_world_describe(world).quantum;
}

/* Around any box, on stacks of columns with falls, holes and layers: what came in is what is there, to the quantum. */
static void a_closed_section_counts_every_quantum(void **state) {
    (void)state;
    for (uint32_t seed = 1; seed <= 4; seed++) {
        const double c = 1e-3;
        rn_world *world = make_world_on(random_stacks(16, 3, c, seed, seed % 2 ? STACKS_PLAIN : STACKS_RAGGED),
                                        &(setup){.friction = 0.5});
        rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 0.02});
        add(world, (rn_source_def){.rate = 1e-6, .at = {1.5e-3, 1.5e-3, 1.0}, .radius = 1e-3});
        int sides[4] = {section(world, 4 * c, 5 * c, 12 * c, 5 * c), section(world, 12 * c, 5 * c, 12 * c, 13 * c),
                        section(world, 12 * c, 13 * c, 4 * c, 13 * c), section(world, 4 * c, 13 * c, 4 * c, 5 * c)};
        /* the same box as two triangles: the slanted side is one staircase, seen from both */
        int lower[3] = {sides[0], sides[1], section(world, 12 * c, 13 * c, 4 * c, 5 * c)};
        int slant = section(world, 4 * c, 5 * c, 12 * c, 13 * c);
        const double unit = unit_of(world), before = inside(world, 4, 5, 12, 13);
        double holes = 0.0;
        for (int frame = 0; frame < 30; frame++) {
            double start = inside(world, 4, 5, 12, 13), rate = 0.0;
            run(world, 1.0 / 60.0, 1);
            double passed = 0.0;
            for (int i = 0; i < 4; i++) {
                passed += rn_world_section_read(world, sides[i]).volume;
                rate += rn_world_section_read(world, sides[i]).discharge;
            }
            double gained = inside(world, 4, 5, 12, 13) - before;
            holes = rint(passed / unit) - gained; /* what has left through holes within */
            assert_true(holes >= 0.0);
            if (rn_world_audit(world).left == 0.0) {
                assert_true(holes == 0.0);
                double change = (inside(world, 4, 5, 12, 13) - start) * unit * 60.0;
                assert_true(fabs(rate - change) < 1e-9 * fabs(change) + 1e-18);
            }
        }
        assert_true(rn_world_section_read(world, slant).volume == -rn_world_section_read(world, lower[2]).volume);
        rn_world_destroy(world);
    }
}

/* Slanted lines all the way round: the staircase leaves on each side the cells whose middles lie there. */
static void a_slanted_ring_counts_every_quantum(void **state) {
    (void)state;
    const double c = 1e-3;
    const int corners[5][2] = {{9, 3}, {14, 7}, {7, 13}, {2, 8}, {9, 3}};
    rn_world *world = make_world_on(random_stacks(16, 3, c, 7, STACKS_PLAIN), &(setup){.friction = 0.5});
    rn_sdf *west = rn_sdf_box((rn_vec3){0.016, 0.1, 1.0}, 0.0);
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 0.02, .shape = west});
    rn_sdf_destroy(west);
    for (int i = 0; i < 4; i++)
        section(world, corners[i][0] * c, corners[i][1] * c, corners[i + 1][0] * c, corners[i + 1][1] * c);
    double held[2] = {0}, passed = 0.0;
    for (int after = 0; after < 2; after++) {
        for (int y = 0; y < 16; y++)
            for (int x = 0; x < 16; x++) {
                bool within = true;
                for (int i = 0; i < 4; i++) {
                    const int *a = corners[i], *b = corners[i + 1];
                    within &= (b[0] - a[0]) * (y + 0.5 - a[1]) - (b[1] - a[1]) * (x + 0.5 - a[0]) > 0.0;
                }
                if (within) held[after] += inside(world, x, y, x + 1, y + 1);
            }
        if (!after) run(world, 0.2, 12);
    }
    for (int i = 0; i < 4; i++) passed += rint(rn_world_section_read(world, i).volume / unit_of(world));
    assert_true(held[1] != held[0] && passed == held[1] - held[0]);
    rn_world_destroy(world);
}

/* With open and with periodic edges, over falls too: exact, no matter where the line lies. */
static void sections_at_the_edges(void **state) {
    (void)state;
    double heights[60];
    for (int i = 0; i < 60; i++) heights[i] = i % 10 < 3 ? 0.05 : 0.0; /* a cliff within, and one over the edge */
    for (int variant = 0; variant < 2; variant++) {
        rn_world *world = make_world(&(setup){.nx = 10,
                                              .ny = 6,
                                              .cell = 0.01,
                                              .heights = heights,
                                              .lid = 0.2,
                                              .friction = 0.5,
                                              .open_west = variant == 0,
                                              .open_east = variant == 0,
                                              .periodic_x = variant == 1});
        rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_DEPTH, .value = 0.02});
        rn_world_pour(world, (rn_vec3){0.03, 0.03, 0.1}, 0.01, 1e-4);
        int west = section(world, 0.0, 0.0, 0.0, 0.06), east = section(world, 0.1, 0.06, 0.1, 0.0);
        run(world, 1.0, 60);
        double unit = unit_of(world), w = rn_world_section_read(world, west).volume / unit;
        double e = rn_world_section_read(world, east).volume / unit;
        if (variant == 0) assert_true(rint(w + e) == rint(rn_world_audit(world).left / unit) && w > 0.0 && e > 0.0);
        else assert_true(rint(w) == -rint(e) && w != 0.0);
        rn_world_destroy(world);
    }
}

/* A uniform current through a line at any angle: discharge and wetted area are those of the plane through it. */
static void discharge_and_area_of_a_slanted_line(void **state) {
    (void)state;
    double heights[64 * 64];
    for (int i = 0; i < 64 * 64; i++) heights[i] = 1e-3 * (63 - i % 64);
    rn_world *world = make_world(&(setup){.nx = 64,
                                          .ny = 64,
                                          .cell = 0.1,
                                          .heights = heights,
                                          .lid = 2.0,
                                          .friction = 0.5,
                                          .periodic_x = true,
                                          .periodic_y = true,
                                          .drop_x = 0.064});
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_DEPTH, .value = 0.5});
    const int straight = section(world, 3.2, 1.0, 3.2, 5.0), slanted = section(world, 1.0, 1.0, 4.0, 5.0);
    const int reversed = section(world, 4.0, 5.0, 1.0, 1.0);
    run(world, 5.0, 50);
    rn_section a = rn_world_section_read(world, straight), b = rn_world_section_read(world, slanted);
    rn_section c = rn_world_section_read(world, reversed);
    /* the current runs to +x, to the right of both lines */
    double q = a.discharge / 4.0;
    assert_true(q < 0.0 && fabs(b.discharge / a.discharge - 1.0) < 1e-4);
    assert_true(c.discharge == -b.discharge && c.volume == -b.volume && c.area == b.area);
    assert_true(fabs(a.length - 4.0) < 1e-12 && fabs(b.length - 5.0) < 1e-12);
    assert_true(fabs(a.area - 4.0 * 0.5) < 1e-3 && fabs(b.area - 5.0 * 0.5) < 1e-3);
    rn_sample sample = rn_world_at(world, (rn_vec3){3.2, 3.2, 1.0});
    assert_true(fabs(-q / 0.5 / sample.velocity_x - 1.0) < 0.02);
    rn_world_destroy(world);
}

/* ---- All of it at once --------------------------------------------------------------------------------------- */

static const rn_series_point waves[] = {{0.0, 0.02}, {0.3, 0.035}, {0.7, 0.01}};
static const rn_waypoint tour[] = {{0.0, {2e-3, 2e-3, 1.0}}, {0.5, {14e-3, 13e-3, 1.0}}, {0.9, {3e-3, 14e-3, 0.0}}};

static rn_world *busy_world(uint32_t seed, int threads, bool gauged) {
    rn_terrain *terrain = random_stacks(16, 3, 1e-3, seed, STACKS_RAGGED);
    rn_world_def def = rn_world_default();
    def.terrain = terrain;
    def.threads = threads;
    def.edges[RN_SIDE_EAST] = RN_EDGE_OPEN;
    rn_world *world = NULL;
    assert_int_equal(rn_world_create(&def, &world), RN_OK);
    rn_terrain_destroy(terrain);
    add(world, (rn_source_def){.rate = 3e-6, .path = tour, .path_count = 3, .radius = 2e-3});
    add(world, (rn_source_def){.kind = RN_SOURCE_LEVEL, .series = waves, .series_count = 3, .along_side = true});
    add(world, (rn_source_def){
                   .kind = RN_SOURCE_HEAD, .level = 0.1, .resistance = 1e5, .at = {8e-3, 8e-3, 0.0}, .radius = 2e-3});
    add(world, (rn_source_def){.kind = RN_SOURCE_DRAIN, .rate = 1e-6, .path = tour, .path_count = 3, .radius = 1e-3});
    const float map[] = {0.2f, 1.0f, 0.5f, 0.0f};
    add(world, (rn_source_def){.kind = RN_SOURCE_RAIN, .rate = 1e-3, .map = map, .map_x = 2, .map_y = 2});
    add(world, (rn_source_def){.kind = RN_SOURCE_EVAPORATION, .rate = 2e-4});
    add(world, (rn_source_def){.kind = RN_SOURCE_INFILTRATION, .rate = 1e-4});
    if (gauged) section(world, 0.0, 0.0, 0.016, 0.011);
    return world;
}

/* Every quantum booked, every depth whole and under its ceiling, on layers with holes and falls. */
static void everything_at_once_stays_exact(void **state) {
    (void)state;
    for (uint32_t seed = 1; seed <= 6; seed++) {
        rn_world *world = busy_world(seed, 1, true);
        double q = rn_world_describe(world).quantum;
        rn_view d = rn_world_view(world, RN_FIELD_DEPTH), b = rn_world_view(world, RN_FIELD_BASE),
                c = rn_world_view(world, RN_FIELD_CEIL);
        for (int frame = 0; frame < 60; frame++) {
            run(world, 1.0 / 60.0, 1);
            for (ptrdiff_t layer = 0; layer < d.layers; layer++)
                for (ptrdiff_t i = 0; i < 16 * 16; i++) {
                    ptrdiff_t at = layer * d.layer_stride + i / 16 * d.row_stride + i % 16;
                    if (b.data[at] >= RN_NO_COLUMN) continue;
                    double depth = d.data[at];
                    assert_true(depth >= 0.0 && rint(depth / q) * q == depth && b.data[at] + depth <= c.data[at]);
                }
        }
        rn_audit audit = rn_world_audit(world);
        assert_true(audit.poured > 0.0 && audit.drained > 0.0);
        rn_world_destroy(world);
    }
}

static uint64_t hash_after(int threads, bool gauged, int frames) {
    rn_world *world = busy_world(3, threads, gauged);
    run(world, frames / 60.0, frames);
    uint64_t hash = rn_world_hash(world);
    rn_world_destroy(world);
    return hash;
}

static void the_same_bits_for_any_threads_gauged_or_not(void **state) {
    (void)state;
    uint64_t once = hash_after(1, false, 40);
    assert_true(once == hash_after(2, false, 40) && once == hash_after(5, false, 40));
    assert_true(once == hash_after(2, true, 40));
}

/* What is owed is state: two worlds that differ in nothing else differ in their hashes. */
static void what_is_owed_is_in_the_hash(void **state) {
    (void)state;
    rn_world *a = tray(4, 1e-3), *b = tray(4, 1e-3);
    double q = rn_world_describe(a).quantum;
    add(a, (rn_source_def){.kind = RN_SOURCE_RAIN, .rate = 0.25 * q});
    add(b, (rn_source_def){.kind = RN_SOURCE_RAIN, .rate = 0.5 * q});
    assert_true(rn_world_hash(a) == rn_world_hash(b));
    run(a, 1.0, 1);
    run(b, 1.0, 1);
    assert_true(rn_world_volume(a) == 0.0 && rn_world_volume(b) == 0.0);
    assert_true(rn_world_hash(a) != rn_world_hash(b));
    rn_world_destroy(a);
    rn_world_destroy(b);
}

/* One long call onto dry ground is cut to what each kind can bear. */
static void long_calls_are_cut(void **state) {
    (void)state;
    const rn_series_point burst[] = {{5.0, 0.0}, {5.1, 3e-4}, {6.0, 0.0}};
    const float cloud[] = {0.0f, 1.0f};
    const rn_source_def kinds[] = {
        {.at = {0.1, 0.1, 1.0}, .radius = 0.02, .series = burst, .series_count = 3},
        {.kind = RN_SOURCE_LEVEL, .level = 0.05, .along_side = true, .start = 5.0},
        {.kind = RN_SOURCE_HEAD, .level = 0.05, .resistance = 10.0, .at = {0.1, 0.1, 1.0}, .start = 5.0},
        {.kind = RN_SOURCE_RAIN, .rate = 0.01, .start = 5.0, .map = cloud, .map_x = 2, .map_y = 1},
    };
    for (int k = 0; k < 4; k++) {
        double deepest[2], volume[2];
        for (int many = 0; many < 2; many++) {
            rn_world *world = tray(20, 0.01);
            add(world, kinds[k]);
            for (int i = 0; i < (many ? 1200 : 1); i++) rn_world_step(world, many ? 0.01 : 12.0);
            assert_true(rn_world_audit(world).drift == 0.0);
            deepest[many] = rn_world_progress(world).deepest;
            volume[many] = rn_world_volume(world);
            rn_world_destroy(world);
        }
        assert_true(fabs(deepest[0] / deepest[1] - 1.0) < 0.05 && fabs(volume[0] / volume[1] - 1.0) < 0.05);
    }
}

/* ---- Memory and bad input ------------------------------------------------------------------------------------ */

typedef struct counting {
    long allocated, freed, fail_after; /* -1: never */
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

static bool build_all(rn_world *world) {
    const float map[] = {0.5f};
    const rn_source_def defs[] = {
        {.rate = 1e-6, .path = tour, .path_count = 3, .radius = 2e-3},
        {.kind = RN_SOURCE_LEVEL, .series = waves, .series_count = 3, .along_side = true},
        {.kind = RN_SOURCE_RAIN, .rate = 1e-3, .map = map, .map_x = 1, .map_y = 1},
    };
    for (int i = 0; i < 3; i++)
        if (rn_world_source(world, &defs[i]) < 0) return false;
    return rn_world_section(world, 0.0, 0.0, 0.016, 0.011) >= 0;
}

static void a_step_allocates_nothing_and_failures_are_survived(void **state) {
    (void)state;
    bool done = false;
    for (long n = 0; n < 100 && !done; n++) {
        counting c = {.fail_after = -1};
        rn_terrain *terrain = random_stacks(16, 2, 1e-3, 5, STACKS_PLAIN);
        rn_world_def def = rn_world_default();
        def.terrain = terrain;
        def.passages = RN_PASSAGES_NONE; /* they grow with what is flooded: tests/test_passages.c */
        def.hooks = (rn_hooks){.user = &c, .alloc = count_alloc, .free = count_free};
        rn_world *world = NULL;
        assert_int_equal(rn_world_create(&def, &world), RN_OK);
        rn_terrain_destroy(terrain);
        c.fail_after = n;
        done = build_all(world);
        if (!done) assert_non_null(strstr(rn_last_error(), "memory"));
        c.fail_after = 0;
        run(world, 1.0, 60);
        rn_world_destroy(world);
        assert_int_equal(c.allocated, c.freed);
    }
    assert_true(done);
}

static void refuses(rn_world *world, rn_source_def def, const char *words) {
    assert_int_equal(rn_world_source(world, &def), -1);
    if (!strstr(rn_last_error(), words)) fail_msg("\"%s\" does not say \"%s\"", rn_last_error(), words);
}

static void bad_sources_are_refused(void **state) {
    (void)state;
    rn_world *world = tray(8, 1e-3);
    const rn_vec3 at = {4e-3, 4e-3, 0.0};
    const rn_series_point back[] = {{0, 1}, {2, 1}, {1, 1}}, nan[] = {{0, 1}, {1, NAN}}, minus[] = {{0, 1}, {1, -1}};
    const rn_series_point never[] = {{NAN, 1}};
    const rn_waypoint out[] = {{0, {4e-3, 4e-3, 0}}, {1, {1.0, 0, 0}}}, twice[] = {{1, {0, 0, 0}}, {1, {0, 0, 0}}};
    const float map[] = {0.5f, 1.5f};
#define SERIES(points, n) .series = (points), .series_count = (n)
    refuses(world, (rn_source_def){.at = at, SERIES(back, 3)}, "point 2 of its series comes at 1 s, not after the 2 s");
    refuses(world, (rn_source_def){.at = at, SERIES(nan, 2)}, "point 1 of its series is nan; it must be 0 or more");
    refuses(world, (rn_source_def){.at = at, SERIES(minus, 2)}, "point 1 of its series is -1; it must be 0 or more");
    refuses(world, (rn_source_def){.at = at, SERIES(never, 1)}, "point 0 of its series comes at nan s");
    refuses(world, (rn_source_def){.at = at, SERIES(back, 0)}, "its series has 0 points");
    refuses(world, (rn_source_def){.at = at, SERIES(back, RN_MOST_POINTS + 1)}, "its series has 1000001 points");
    refuses(world, (rn_source_def){.kind = RN_SOURCE_LEVEL, .at = at, SERIES(nan, 2)}, "it must be finite (m)");
    refuses(world, (rn_source_def){.path = out, .path_count = 2}, "waypoint 1 of its path is at (1, 0, 0), outside");
    refuses(world, (rn_source_def){.path = twice, .path_count = 2}, "waypoint 1 of its path comes at 1 s, not after");
    refuses(world, (rn_source_def){.path = twice, .path_count = 0}, "its path has 0 waypoints");
    refuses(world, (rn_source_def){.kind = RN_SOURCE_LEVEL, .level = NAN, .at = at}, "level is nan");
    refuses(world, (rn_source_def){.kind = RN_SOURCE_HEAD, .resistance = -1.0, .at = at}, "resistance is -1");
    refuses(world, (rn_source_def){.kind = RN_SOURCE_RAIN, .rate = INFINITY}, "the rain's rate is inf");
    refuses(world, (rn_source_def){.kind = RN_SOURCE_EVAPORATION, .rate = -1.0}, "the evaporation's rate is -1");
    refuses(world, (rn_source_def){.kind = RN_SOURCE_RAIN, .map = map, .map_x = 2, .map_y = 1}, "1.5");
    refuses(world, (rn_source_def){.kind = RN_SOURCE_RAIN, .map = map}, "map is 0 by 0");
    refuses(world, (rn_source_def){.kind = (rn_source_kind)17}, "kind is 17");
    refuses(world, (rn_source_def){.along_side = true, .side = (rn_side)4}, "side is 4");
    rn_sdf *far = rn_sdf_move(rn_sdf_sphere(1e-3), (rn_vec3){9, 9, 9});
    refuses(world, (rn_source_def){.kind = RN_SOURCE_RAIN, .rate = 1.0, .shape = far}, "covers no column");
    rn_sdf_destroy(far);
    assert_int_equal(rn_world_set_level(world, 0, 1.0), RN_INVALID);
    assert_int_equal(rn_world_pour(world, at, 0.0, 1e-6), 0);
    assert_int_equal(rn_world_set_level(world, 0, 1.0), RN_INVALID);
    assert_int_equal(rn_world_set_rate(world, 0, NAN), RN_INVALID);
    assert_int_equal(rn_world_section(world, 0.0, 0.0, 1.0, 0.0), -1);
    assert_non_null(strstr(rn_last_error(), "outside the domain"));
    assert_int_equal(rn_world_section(world, 0.0, NAN, 0.0, 0.0), -1);
    assert_int_equal(rn_world_section(world, 1e-3, 1e-3, 1.2e-3, 1.2e-3), -1);
    assert_non_null(strstr(rn_last_error(), "shorter than a cell"));
    rn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hydrograph_pours_its_integral),
        cmocka_unit_test(a_series_keeps_start_and_stop),
        cmocka_unit_test(a_side_pours_all_along_it),
        cmocka_unit_test(a_level_is_reached_and_held),
        cmocka_unit_test(a_level_follows_its_series),
        cmocka_unit_test(bleeding_nears_its_head),
        cmocka_unit_test(any_resistance_is_stable),
        cmocka_unit_test(rain_fills_a_closed_basin),
        cmocka_unit_test(rain_has_a_map_and_a_region),
        cmocka_unit_test(rain_stays_within_its_rows),
        cmocka_unit_test(rain_lands_on_top_and_not_under_roofs),
        cmocka_unit_test(losses_take_their_rate),
        cmocka_unit_test(rain_never_passes_the_lid),
        cmocka_unit_test(a_drain_moves_along_its_path),
        cmocka_unit_test(a_moving_drizzle_is_not_lost),
        cmocka_unit_test(a_closed_section_counts_every_quantum),
        cmocka_unit_test(a_slanted_ring_counts_every_quantum),
        cmocka_unit_test(sections_at_the_edges),
        cmocka_unit_test(discharge_and_area_of_a_slanted_line),
        cmocka_unit_test(everything_at_once_stays_exact),
        cmocka_unit_test(the_same_bits_for_any_threads_gauged_or_not),
        cmocka_unit_test(what_is_owed_is_in_the_hash),
        cmocka_unit_test(long_calls_are_cut),
        cmocka_unit_test(a_step_allocates_nothing_and_failures_are_survived),
        cmocka_unit_test(bad_sources_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
