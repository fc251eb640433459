/* Liquid in and out over time against what was asked: hydrographs, levels, pressure, rain, losses, moves. */
#include "source_worlds.h"

#include <math.h>
#include <string.h>

static rn_world *tray(int cells, double cell) {
    return make_world(&(setup){.nx = cells, .ny = cells, .cell = cell, .lid = 50.0 * cell, .friction = 0.5});
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

/* A disk that the host moves pours where it is, and owes nothing to where it was. */
static void a_disk_is_moved_by_hand(void **state) {
    (void)state;
    rn_world *moved = tray(20, 1e-3), *led = tray(20, 1e-3);
    const rn_vec3 from = {0.005, 0.005, 0.01}, to = {0.015, 0.012, 0.01};
    const rn_waypoint path[] = {{0.0, from}, {0.4999, from}, {0.5, to}};
    rn_source_def def = {.at = from, .radius = 2.5e-3, .rate = 1e-7};
    const int source = add(moved, def);
    def.path = path, def.path_count = 3;
    add(led, def);
    run(moved, 0.5, 50);
    run(led, 0.5, 50);
    assert_int_equal(rn_world_move_source(moved, source, to), RN_OK);
    run(moved, 0.5, 50);
    run(led, 0.5, 50);
    assert_true(rn_world_sample(moved, to).depth > 0.0);
    assert_true(fabs(rn_world_sample(moved, to).depth / rn_world_sample(led, to).depth - 1.0) < 0.02);
    const rn_audit audit = rn_world_audit(moved);
    assert_true(audit.drift == 0.0 && fabs(audit.poured - 1e-7) < 40.0 * unit_of(moved));
    rn_world_destroy(moved);
    rn_world_destroy(led);
}

/* Sources that are added and removed, as with the mouse, do not use up memory. */
static void removed_sources_hold_no_columns(void **state) {
    (void)state;
    rn_world *world = tray(20, 1e-3);
    const rn_vec3 at = {0.01, 0.01, 0.01};
    const int first = rn_world_pour(world, at, 8e-3, 1e-7);
    const size_t with_one = rn_world_describe(world).bytes;
    assert_int_equal(rn_world_remove_source(world, first), RN_OK);
    const size_t without = rn_world_describe(world).bytes;
    assert_true(without + 200 * 20 < with_one);
    for (int i = 0; i < 8; i++)
        assert_int_equal(rn_world_remove_source(world, rn_world_pour(world, at, 8e-3, 1e-7)), RN_OK);
    assert_int_equal(rn_world_describe(world).bytes, without);
    run(world, 0.1, 2);
    assert_true(rn_world_audit(world).poured == 0.0);
    rn_world_destroy(world);
}

/* Numbers stay as they are, and a removed one is refused by name. */
static void sources_forces_and_sections_are_removed(void **state) {
    (void)state;
    rn_world *world = tray(20, 1e-3);
    const rn_vec3 at = {0.01, 0.01, 0.01};
    const int first = rn_world_pour(world, at, 2e-3, 1e-7), second = rn_world_pour(world, at, 2e-3, 1e-7);
    const int section = rn_world_add_section(world, 0.0, 0.01, 0.02, 0.01);
    const int force = rn_world_add_force(world, &(rn_force_def){.push = {1.0, 0.0}});
    rn_snapshot *before = NULL;
    assert_int_equal(rn_world_save(world, &before), RN_OK);
    assert_int_equal(rn_world_remove_source(world, first), RN_OK);
    assert_false(rn_world_has_source(world, first));
    assert_true(rn_world_has_source(world, second) && !rn_world_has_source(world, 2) &&
                !rn_world_has_source(world, -1));
    assert_int_equal(rn_world_set_rate(world, first, 1.0), RN_INVALID);
    assert_int_equal(rn_world_move_source(world, first, at), RN_INVALID);
    assert_int_equal(rn_world_remove_source(world, first), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "there is no source 0"));
    assert_int_equal(rn_world_remove_section(world, section), RN_OK);
    assert_false(rn_world_has_section(world, section));
    assert_true(rn_world_read_section(world, section).length == 0.0);
    assert_int_equal(rn_world_remove_section(world, section), RN_INVALID);
    assert_int_equal(rn_world_remove_force(world, force), RN_OK);
    assert_false(rn_world_has_force(world, force));
    assert_int_equal(rn_world_set_force(world, force, &(rn_force_def){0}), RN_INVALID);
    run(world, 1.0, 10);
    assert_true(fabs(rn_world_audit(world).poured - 1e-7) < 40.0 * unit_of(world));
    assert_int_equal(rn_world_restore(world, before), RN_OK); /* removed is removed */
    assert_false(rn_world_has_source(world, first));
    assert_int_equal(rn_world_save(world, &before), RN_OK);
    rn_world *again = tray(20, 1e-3); /* and stays so in a world that is made anew */
    rn_world_pour(again, at, 2e-3, 1e-7);
    rn_world_pour(again, at, 2e-3, 1e-7);
    rn_world_add_section(again, 0.0, 0.01, 0.02, 0.01);
    assert_int_equal(rn_world_restore(again, before), RN_OK);
    assert_false(rn_world_has_source(again, first));
    assert_true(rn_world_has_source(again, second));
    rn_snapshot_destroy(before);
    rn_world_destroy(again);
    rn_world_destroy(world);
}

static void only_disks_are_moved(void **state) {
    (void)state;
    rn_world *world = tray(20, 1e-3);
    const rn_vec3 at = {0.01, 0.01, 0.01};
    const rn_waypoint path[] = {{0.0, at}};
    const int side = add(world, (rn_source_def){.along_side = true, .rate = 1e-7});
    const int rain = add(world, (rn_source_def){.kind = RN_SOURCE_RAIN, .rate = 1e-7});
    const int led = add(world, (rn_source_def){.radius = 1e-3, .rate = 1e-7, .path = path, .path_count = 1});
    assert_int_equal(rn_world_move_source(world, side, at), RN_INVALID);
    assert_int_equal(rn_world_move_source(world, rain, at), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "is not a disk"));
    assert_int_equal(rn_world_move_source(world, led, at), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "follows its own path"));
    const int disk = rn_world_pour(world, at, 1e-3, 1e-7);
    assert_int_equal(rn_world_move_source(world, disk, (rn_vec3){1.0, 0.0, 0.0}), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "outside the domain"));
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
    assert_true(rn_world_get_stats(world).substeps < 20);
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
            if (points && k < 3) continue; /* what comes at a point has to spread first */
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
        assert_true(rn_world_get_stats(world).deepest < 0.03);
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
    rn_sdf *south = rn_sdf_move(rn_sdf_box((rn_vec3){100.0, 8.0, 1.0}), (rn_vec3){0.0, 0.0, 2.0});
    add(world,
        (rn_source_def){.kind = RN_SOURCE_RAIN, .rate = 0.1, .map = map, .map_x = 2, .map_y = 1, .shape = south});
    rn_sdf_destroy(south);
    assert_int_equal(rn_world_step(world, 0.1), RN_OK);
    double q = rn_world_describe(world).quantum;
    assert_int_equal(rn_world_get_stats(world).substeps, 1);
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

/* Past an open edge lies a sink on every row; rain must not fall into it, wherever a row ends, or a part of it: rows
   are treated in parts of 64 columns. */
static void rain_stays_within_its_rows(void **state) {
    (void)state;
    static const int widths[] = {4, 5, 6, 7, 63, 64, 65, 129};
    double heights[129 * 3];
    for (int i = 0; i < 129 * 3; i++) heights[i] = i == 10 ? 0.0 : 5.0;
    for (size_t k = 0; k < sizeof widths / sizeof widths[0]; k++) {
        const int nx = widths[k];
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

/* ---- What is owed, and long calls ---------------------------------------------------------------------------- */

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
            deepest[many] = rn_world_get_stats(world).deepest;
            volume[many] = rn_world_volume(world);
            rn_world_destroy(world);
        }
        assert_true(fabs(deepest[0] / deepest[1] - 1.0) < 0.05 && fabs(volume[0] / volume[1] - 1.0) < 0.05);
    }
}

/* ---- Bad input ----------------------------------------------------------------------------------------------- */

static void refuses(rn_world *world, rn_source_def def, const char *words) {
    assert_int_equal(rn_world_add_source(world, &def), -1);
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
    assert_int_equal(rn_world_add_section(world, 0.0, 0.0, 1.0, 0.0), -1);
    assert_non_null(strstr(rn_last_error(), "outside the domain"));
    assert_int_equal(rn_world_add_section(world, 0.0, NAN, 0.0, 0.0), -1);
    assert_int_equal(rn_world_add_section(world, 1e-3, 1e-3, 1.2e-3, 1.2e-3), -1);
    assert_non_null(strstr(rn_last_error(), "shorter than a cell"));
    rn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hydrograph_pours_its_integral),
        cmocka_unit_test(a_series_keeps_start_and_stop),
        cmocka_unit_test(a_disk_is_moved_by_hand),
        cmocka_unit_test(sources_forces_and_sections_are_removed),
        cmocka_unit_test(removed_sources_hold_no_columns),
        cmocka_unit_test(only_disks_are_moved),
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
        cmocka_unit_test(what_is_owed_is_in_the_hash),
        cmocka_unit_test(long_calls_are_cut),
        cmocka_unit_test(bad_sources_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
