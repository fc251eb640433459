/* Columns that are solid in a part of their area, and pipes that are shut in a part of their width. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "physics/physics.h"
#include "pipe_worlds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static float quanta(const rn_world *world, double height) {
    return (float)(rint(height / world->quantum) * world->quantum);
}

/* From low to high a share of the cell is solid (m above the datum). */
static rn_partial_solid part_of(const rn_world *world, double low, double high, double share) {
    rn_partial_solid part = {quanta(world, low), quanta(world, high), 0.0f};
    part.depth = quanta(world, share * (part.high - part.low));
    return part;
}

static void begin(rn_world *world) {
    assert_int_equal(rn_columns_allow_partial(world->columns), RN_OK);
    rn_reshape_begin(&world->solids.reshaping);
}

/* The lowest column of a cell gets a part. */
static void set_part(rn_world *world, int x, int y, rn_partial_solid part) {
    const rn_state *s = state_of(world);
    rn_column_shape gaps[RN_MOST_LAYERS];
    int count = 0;
    for (; count < s->columns.grid.layers; count++) {
        const int32_t slot = rn_slot(&s->columns.grid, count, y, x);
        if (s->columns.base[slot] >= RN_NO_COLUMN) break;
        gaps[count] = (rn_column_shape){s->columns.base[slot], s->columns.ceil[slot],
                                        count == 0 ? part : rn_column_partial(&s->columns, slot)};
    }
    assert_int_equal(rn_reshape_add(&world->solids.reshaping, world->columns, x, y, gaps, count), RN_OK);
}

static void finish(rn_world *world, const rn_face_blockage *shuts, size_t count) {
    rn_reshaping *r = &world->solids.reshaping;
    assert_int_equal(rn_reshape_apply(r, &solver_of(world)->seams, state_of(world), world->pool), RN_OK);
    rn_reshape_shut(state_of(world), world->pool, shuts, count, 0.0f);
    world->ledger.displaced += r->trapped;
    world->ledger.left += r->left;
    solver_of(world)->touched = true;
}

/* ---- The maths -------------------------------------------------------------------------------------------- */

static void depth_and_stand_are_inverse(void **state) {
    (void)state;
    const rn_partial_solid part = {0.5f, 1.25f, 0.625f};
    const float base = 0.25f;
    float before = -1.0f;
    for (float depth = 0.0f; depth < 2.0f; depth += 0.01f) {
        const float stand = rn_partial_height(&part, base, depth), back = rn_partial_depth(&part, base, base + stand);
        assert_true(fabsf(back - depth) < 1e-5f && stand > before && stand >= depth);
        before = stand;
    }
    assert_true(rn_partial_height(&part, base, 0.25f) == 0.25f);
    assert_true(fabsf(rn_partial_height(&part, base, 2.0f) - 2.625f) < 1e-6f);
    assert_true(fabsf(rn_partial_open(0.0f, 2.0f, 0.5f, 1.0f, 0.5f) - 0.875f) < 1e-6f);
    assert_true(rn_partial_open(0.0f, 0.25f, 0.5f, 1.0f, 0.5f) == 1.0f);
}

/* ---- Swings ------------------------------------------------------------------------------------------------ */

enum { BASIN = 14, TUNNEL = 40, CELLS = 2 * BASIN + TUNNEL };
#define CELL     1e-3
#define CEILING  5e-3
#define LEVEL    20e-3
#define LID      50e-3
#define FIRST_UP 0.5e-3

static rn_world *make_basins(flow_method passages) {
    rn_column columns[CELLS];
    int32_t counts[CELLS];
    for (int i = 0; i < CELLS; i++) {
        const bool tunnel = i >= BASIN && i < BASIN + TUNNEL;
        columns[i] = (rn_column){-INFINITY, 0.0, tunnel ? CEILING : LID};
        counts[i] = 1;
    }
    return make_world_on(make_terrain(CELLS, 1, CELL, LID, columns, counts),
                         &(setup){.passages = passages, .courant = 0.5});
}

/* How long (s) a swing between two basins takes, with shares of the basins' area and of the
   tunnel's width open. */
static double period(flow_method passages, double open_basins, double open_tunnel) {
    rn_world *world = make_basins(passages);
    rn_face_blockage shuts[TUNNEL + 1];
    begin(world);
    for (int x = 0; x < CELLS; x++) {
        const bool tunnel = x >= BASIN && x < BASIN + TUNNEL;
        const double open = tunnel ? open_tunnel : open_basins;
        if (open < 1.0) set_part(world, x, 0, part_of(world, 0.0, tunnel ? CEILING : LID, 1.0 - open));
    }
    for (int i = 0; i <= TUNNEL; i++)
        shuts[i] = (rn_face_blockage){2 * (BASIN - 1 + i), 0.0f, (float)CEILING, (float)(1.0 - open_tunnel), 0.0f};
    finish(world, shuts, open_tunnel < 1.0 ? TUNNEL + 1 : 0);
    for (int x = 0; x < CELLS; x++) {
        const bool tunnel = x >= BASIN && x < BASIN + TUNNEL;
        const double level = LEVEL + (x < BASIN ? FIRST_UP : -FIRST_UP);
        rn_world_view(world, RN_FIELD_DEPTH).data[x] = (float)(tunnel ? CEILING * open_tunnel : level * open_basins);
    }
    assert_int_equal(rn_world_commit(world), RN_OK);
    double crossed[3], before = 1.0;
    for (int found = 0; found < 3;) {
        const double dt = step_within_limit(world), time = rn_world_get_stats(world).time;
        double after = 0.0;
        for (int x = 0; x < BASIN; x++) after += depth_at(world, x, 0) - depth_at(world, CELLS - 1 - x, 0);
        if (after * before < 0.0) crossed[found++] = time - dt * after / (after - before);
        before = after;
        assert_true(time < 10.0 && rn_world_audit(world).drift == 0.0);
    }
    rn_world_destroy(world);
    return crossed[2] - crossed[0];
}

/* The period goes with the root of the area, and of the tunnel's length over its width; the basins' own inertia counts
   like some more of the length. */
static void shares_of_cells_and_pipes_count(void **state) {
    (void)state;
    const flow_method ways[] = {FLOW_UNIFIED_LONG, FLOW_IMPLICIT};
    for (int i = 0; i < 2; i++) {
        const double whole = period(ways[i], 1.0, 1.0), basins = 2.0 * (BASIN - 1) * (CEILING / LEVEL) / 3.0;
        assert_true(fabs(period(ways[i], 0.5, 1.0) / whole / sqrt(0.5) - 1.0) < 0.01);
        const double longer = (2.0 * (TUNNEL + 1) + basins) / (TUNNEL + 1 + basins);
        assert_true(fabs(period(ways[i], 1.0, 0.5) / whole / sqrt(longer) - 1.0) < 0.01);
    }
}

/* ---- Rest and volume ----------------------------------------------------------------------------------------- */

enum { SIDE = 24 };

static rn_world *make_pool(flow_method passages) {
    rn_column columns[SIDE * SIDE];
    int32_t counts[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++) {
        columns[i] = (rn_column){-INFINITY, 0.0, 10.0};
        counts[i] = 1;
    }
    return make_world_on(make_terrain(SIDE, SIDE, 1.0, 10.0, columns, counts), &(setup){.passages = passages});
}

/* Random parts in every cell, and faces as open as the less open of their cells. */
static void scatter(rn_world *world, uint32_t *random, double most) {
    double share[SIDE * SIDE], low[SIDE * SIDE], high[SIDE * SIDE];
    rn_face_blockage *shuts = calloc(2 * SIDE * SIDE, sizeof *shuts);
    size_t count = 0;
    begin(world);
    for (int i = 0; i < SIDE * SIDE; i++) {
        const bool any = random_unit(random) < 0.5;
        share[i] = any ? most * random_unit(random) : 0.0;
        low[i] = random_unit(random) < 0.3 ? 2.0 * random_unit(random) : 0.0;
        high[i] = low[i] + 0.5 + 3.0 * random_unit(random);
        set_part(world, i % SIDE, i / SIDE, any ? part_of(world, low[i], high[i], share[i]) : (rn_partial_solid){0});
    }
    for (int i = 0; i < 2 * SIDE * SIDE; i++) {
        const int cell = i / 2, next = i % 2 == 0 ? cell + 1 : cell + SIDE;
        const bool inside = i % 2 == 0 ? cell % SIDE + 1 < SIDE : next < SIDE * SIDE;
        if (!inside) continue;
        const int more = share[next] > share[cell] ? next : cell;
        if (share[more] > 0.0)
            shuts[count++] = (rn_face_blockage){i, (float)low[more], (float)high[more], (float)share[more], 0.3f};
    }
    finish(world, shuts, count);
    free(shuts);
}

static void a_lake_around_parts_is_still(void **state) {
    (void)state;
    const flow_method ways[] = {FLOW_UNIFIED_LONG, FLOW_IMPLICIT};
    for (int i = 0; i < 2; i++) {
        rn_world *world = make_pool(ways[i]);
        uint32_t random = 7;
        scatter(world, &random, 0.99);
        assert_int_equal(rn_world_fill(world, &(rn_fill_def){RN_FILL_LEVEL, 2.0, NULL}), RN_OK);
        for (int x = 0; x < SIDE; x++)
            assert_true(
                fabs(rn_column_level(&state_of(world)->columns, rn_slot(&state_of(world)->columns.grid, 0, 5, x)) -
                     2.0) < 0.005);
        for (int frame = 0; frame < 200; frame++) {
            assert_int_equal(rn_world_step(world, 0.05), RN_OK);
            double moved = 0.0;
            for (int32_t p = 0; p < state_of(world)->graph.irregular_count; p++)
                moved += fabs(state_of(world)->graph.irregular_flux[p]);
            if (frame > 100) assert_true(moved == 0.0);
        }
        assert_true(rn_world_audit(world).drift == 0.0);
        rn_world_destroy(world);
    }
}

/* Parts that come, grow and go while liquid splashes: nothing is lost, and no column overflows. */
static void nothing_is_lost(void **state) {
    (void)state;
    const flow_method ways[] = {FLOW_UNIFIED_LONG, FLOW_IMPLICIT, FLOW_NONE};
    for (int i = 0; i < 3; i++) {
        rn_world *world = make_pool(ways[i]);
        uint32_t random = 3 + (uint32_t)i;
        assert_int_equal(rn_world_fill(world, &(rn_fill_def){RN_FILL_LEVEL, 1.5, NULL}), RN_OK);
        for (int frame = 0; frame < 60; frame++) {
            if (frame % 3 == 0) scatter(world, &random, frame % 2 ? 0.9 : 0.3);
            assert_int_equal(rn_world_step(world, 0.05), RN_OK);
            assert_true(rn_world_audit(world).drift == 0.0);
            for (int c = 0; c < SIDE * SIDE; c++) {
                const int32_t slot = rn_slot(&state_of(world)->columns.grid, 0, c / SIDE, c % SIDE);
                assert_true(state_of(world)->columns.depth[slot] >= 0.0f &&
                            rn_column_room(&state_of(world)->columns, slot) >= 0.0f);
                assert_true(isfinite(rn_column_level(&state_of(world)->columns, slot)));
            }
        }
        rn_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depth_and_stand_are_inverse),
        cmocka_unit_test(shares_of_cells_and_pipes_count),
        cmocka_unit_test(a_lake_around_parts_is_still),
        cmocka_unit_test(nothing_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
