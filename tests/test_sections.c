/* What cross-sections count, and all kinds of sources at once beside them: the ledger, the same bits, memory. */
#include "base/platform.h"
#include "source_worlds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int section(rn_world *world, double x0, double y0, double x1, double y1) {
    int made = rn_world_add_section(world, x0, y0, x1, y1);
    if (made < 0) fail_msg("%s", rn_last_error());
    return made;
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
    for (uint32_t seed = 1; seed <= (getenv("RUNNEL_LONG") ? 4 : 2); seed++) {
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
                passed += rn_world_read_section(world, sides[i]).volume;
                rate += rn_world_read_section(world, sides[i]).discharge;
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
        assert_true(rn_world_read_section(world, slant).volume == -rn_world_read_section(world, lower[2]).volume);
        rn_world_destroy(world);
    }
}

/* Slanted lines all the way round: the staircase leaves on each side the cells whose middles lie there. */
static void a_slanted_ring_counts_every_quantum(void **state) {
    (void)state;
    const double c = 1e-3;
    const int corners[5][2] = {{9, 3}, {14, 7}, {7, 13}, {2, 8}, {9, 3}};
    rn_world *world = make_world_on(random_stacks(16, 3, c, 7, STACKS_PLAIN), &(setup){.friction = 0.5});
    rn_sdf *west = rn_sdf_box((rn_vec3){0.016, 0.1, 1.0});
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
    for (int i = 0; i < 4; i++) passed += rint(rn_world_read_section(world, i).volume / unit_of(world));
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
        double unit = unit_of(world), w = rn_world_read_section(world, west).volume / unit;
        double e = rn_world_read_section(world, east).volume / unit;
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
    rn_section a = rn_world_read_section(world, straight), b = rn_world_read_section(world, slanted);
    rn_section c = rn_world_read_section(world, reversed);
    /* the current runs to +x, to the right of both lines */
    double q = a.discharge / 4.0;
    assert_true(q < 0.0 && fabs(b.discharge / a.discharge - 1.0) < 1e-4);
    assert_true(c.discharge == -b.discharge && c.volume == -b.volume && c.area == b.area);
    assert_true(fabs(a.length - 4.0) < 1e-12 && fabs(b.length - 5.0) < 1e-12);
    assert_true(fabs(a.area - 4.0 * 0.5) < 1e-3 && fabs(b.area - 5.0 * 0.5) < 1e-3);
    rn_sample sample = rn_world_sample(world, (rn_vec3){3.2, 3.2, 1.0});
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
    for (uint32_t seed = 1; seed <= (getenv("RUNNEL_LONG") ? 6 : 2); seed++) {
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

/* ---- Memory -------------------------------------------------------------------------------------------------- */

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
        if (rn_world_add_source(world, &defs[i]) < 0) return false;
    return rn_world_add_section(world, 0.0, 0.0, 0.016, 0.011) >= 0;
}

static void a_step_allocates_nothing_and_failures_are_survived(void **state) {
    (void)state;
    bool done = false;
    for (long n = 0; n < 100 && !done; n++) {
        counting c = {.fail_after = -1};
        rn_terrain *terrain = random_stacks(16, 2, 1e-3, 5, STACKS_PLAIN);
        rn_world_def def = rn_world_default();
        def.terrain = terrain;
        def.passages = RN_PASSAGES_NONE; /* they grow with what is flooded: tests/test_passage_faults.c */
        def.hooks = (rn_hooks){.user = &c, .alloc = count_alloc, .free = count_free};
        rn_world *world = NULL;
        assert_int_equal(rn_world_create(&def, &world), RN_OK);
        rn_terrain_destroy(terrain);
        c.fail_after = n;
        done = build_all(world);
        if (!done) assert_non_null(strstr(rn_last_error(), "memory"));
        c.fail_after = 0;
        run(world, 0.1, 6);
        rn_world_destroy(world);
        assert_int_equal(c.allocated, c.freed);
    }
    assert_true(done);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_closed_section_counts_every_quantum),
        cmocka_unit_test(a_slanted_ring_counts_every_quantum),
        cmocka_unit_test(sections_at_the_edges),
        cmocka_unit_test(discharge_and_area_of_a_slanted_line),
        cmocka_unit_test(everything_at_once_stays_exact),
        cmocka_unit_test(the_same_bits_for_any_threads_gauged_or_not),
        cmocka_unit_test(a_step_allocates_nothing_and_failures_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
