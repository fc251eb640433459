/* Flow through what is full to its ceiling, by every method: what equalises, what stays, what is refused. */
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

static const flow_method every[] = {FLOW_UNIFIED_LONG, FLOW_IMPLICIT, FLOW_UNIFIED, FLOW_AXIS, FLOW_NONE};
enum { EVERY = sizeof every / sizeof every[0], BEST = 2 /* the first two have a length and turn corners */ };

static void run(rn_world *world, double seconds) {
    for (int i = 0; i < (int)lround(60.0 * seconds); i++) assert_int_equal(rn_world_step(world, 1.0 / 60.0), RN_OK);
    assert_true(rn_world_audit(world).drift == 0.0);
    assert_true(broken_columns(world) == 0.0);
}

static uint64_t hash_of_depths(const rn_world *world) {
    rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
    uint64_t hash = 1469598103934665603u;
    for (int l = 0; l < d.layers; l++)
        for (int y = 0; y < d.cells_y; y++)
            for (int x = 0; x < d.cells_x; x++) {
                uint32_t bits;
                memcpy(&bits, &d.data[l * d.layer_stride + y * d.row_stride + x], sizeof bits);
                hash = (hash ^ bits) * 1099511628211u;
            }
    return hash;
}

static double gap(const rn_world *world, const plan *p, char a, char b) {
    return plan_level(world, p, a) - plan_level(world, p, b);
}

/* One row of cells with a floor and a ceiling each (m), and the level to which the left and the right half are filled.
 */
enum { MOST_ROW = 160 };
typedef struct row {
    int nx;
    double floor[MOST_ROW], ceil[MOST_ROW];
} row;

static rn_world *row_world(const row *r, const setup *s, double left, double right) {
    rn_column columns[MOST_ROW];
    int32_t counts[MOST_ROW];
    const double lid = 40e-3;
    for (int i = 0; i < r->nx; i++) {
        columns[i] = (rn_column){-INFINITY, r->floor[i], r->ceil[i] > 0.0 ? r->ceil[i] : lid};
        counts[i] = 1;
    }
    rn_world *world = make_world_on(make_terrain(r->nx, 1, 1e-3, lid, columns, counts), s);
    rn_view d = rn_world_view(world, RN_FIELD_DEPTH), b = rn_world_view(world, RN_FIELD_BASE),
            c = rn_world_view(world, RN_FIELD_CEIL);
    const double q = rn_world_describe(world).quantum;
    for (int i = 0; i < r->nx; i++) {
        const double level = rint((i < r->nx / 2 ? left : right) / q) * q;
        d.data[i] = (float)fmax(0.0, fmin(level, c.data[i]) - b.data[i]);
    }
    assert_int_equal(rn_world_commit(world), RN_OK);
    return world;
}

static double row_level(const rn_world *world, int from, int to) {
    rn_view d = rn_world_view(world, RN_FIELD_DEPTH), b = rn_world_view(world, RN_FIELD_BASE);
    double sum = 0.0;
    for (int i = from; i < to; i++) sum += (double)b.data[i] + d.data[i];
    return sum / (to - from);
}

/* ---- What passes ------------------------------------------------------------------------------------------- */

static void a_full_column_stops_the_flow_without_passages(void **state) {
    (void)state;
    const plan p = utube_plan(5);
    rn_world *world = plan_world(&p, &(setup){.passages = FLOW_NONE});
    plan_fill(world, &p, (double[]){22e-3, 18e-3});
    const uint64_t before = hash_of_depths(world);
    run(world, 1.0);
    assert_true(hash_of_depths(world) == before);
    rn_world_destroy(world);
}

/* From 4 mm apart to within 1 % of that. */
static void equalises(const plan *p, int basins, flow_method method) {
    rn_world *world = plan_world(p, &(setup){.passages = method, .viscosity = 1e-6, .friction = 0.005});
    plan_fill(world, p, (double[]){22e-3, 18e-3, 19e-3, 20e-3});
    const double volume = rn_world_volume(world);
    run(world, 5.0);
    for (int k = 1; k < basins; k++) assert_true(fabs(gap(world, p, 'A', (char)('A' + k))) < 0.04e-3);
    assert_true(rn_world_volume(world) == volume);
    rn_world_destroy(world);
}

static void levels_equalise(void **state) {
    (void)state;
    plan corner = plan_solid(17, 17), branches = plan_solid(24, 16), blind = plan_solid(24, 12);
    plan_draw(&corner, 0, 0, 5, 5, 'A');
    plan_draw(&corner, 5, 1, 9, 2, '.');
    plan_draw(&corner, 12, 3, 2, 9, '.');
    plan_draw(&corner, 11, 12, 6, 5, 'B');
    plan_draw(&branches, 0, 0, 6, 6, 'A');
    plan_draw(&branches, 18, 0, 6, 6, 'B');
    plan_draw(&branches, 9, 10, 6, 6, 'C');
    plan_draw(&branches, 6, 2, 12, 2, '.');
    plan_draw(&branches, 11, 4, 2, 6, '.');
    plan_draw(&blind, 0, 0, 6, 6, 'A');
    plan_draw(&blind, 18, 0, 6, 6, 'B');
    plan_draw(&blind, 6, 2, 12, 2, '.');
    plan_draw(&blind, 8, 4, 2, 8, '.');
    for (int m = 0; m < BEST; m++) {
        const plan straight = utube_plan(20);
        equalises(&straight, 2, every[m]);
        equalises(&corner, 2, every[m]);
        equalises(&branches, 3, every[m]);
        equalises(&blind, 2, every[m]);
    }
    const plan straight = utube_plan(12);
    equalises(&straight, 2, FLOW_AXIS);
    equalises(&straight, 2, FLOW_UNIFIED);
}

static void the_default_is_unified_long(void **state) {
    (void)state;
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        const plan p = utube_plan(8);
        rn_world *world = plan_world(&p, &(setup){.passages = k ? FLOW_UNIFIED_LONG : FLOW_DEFAULT});
        plan_fill(world, &p, (double[]){22e-3, 18e-3});
        run(world, 0.2);
        hash[k] = hash_of_depths(world);
        rn_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
}

static void a_vault_and_a_sloping_tunnel_equalise(void **state) {
    (void)state;
    row vault = {.nx = 40}, slope = {.nx = 40};
    for (int i = 0; i < 40; i++) {
        const bool tunnel = i >= 10 && i < 30;
        const double along = (i - 9.5) / 20.0;
        vault.ceil[i] = tunnel ? 3e-3 + 5e-3 * sin(acos(-1.0) * along) : 0.0;
        slope.floor[i] = i < 10 ? 0.0 : tunnel ? 8e-3 * along : 8e-3;
        slope.ceil[i] = tunnel ? slope.floor[i] + 5e-3 : 0.0;
    }
    for (int m = 0; m < BEST; m++)
        for (int k = 0; k < 2; k++) {
            const setup s = {.passages = every[m], .viscosity = 1e-6, .friction = 0.005};
            rn_world *world = row_world(k ? &slope : &vault, &s, 24e-3, 20e-3);
            run(world, 5.0);
            assert_true(fabs(row_level(world, 0, 10) - row_level(world, 30, 40)) < 0.04e-3);
            rn_world_destroy(world);
        }
}

/* A third mouth, high above the levels, hangs on a shaft of the tunnel that starts full. It must not stall the others,
   and gets no more than the shaft spills. */
static void a_dry_high_mouth_stalls_nothing(void **state) {
    (void)state;
    enum { BASIN = 10, TUNNEL = 12, NX = 2 * BASIN + TUNNEL, SHAFT = 16 };
    for (int m = 0; m < BEST; m++) {
        rn_column columns[2 * NX];
        int32_t counts[2 * NX];
        for (int i = 0; i < 2 * NX; i++) {
            const int x = i % NX;
            const bool tunnel = x >= BASIN && x < BASIN + TUNNEL, shaft = x == SHAFT;
            columns[i] = (rn_column){-INFINITY, 0.0, tunnel ? (shaft ? 32e-3 : 5e-3) : 40e-3};
            if (i >= NX) columns[i] = (rn_column){-INFINITY, shaft ? 30e-3 : 39e-3, 40e-3};
            counts[i] = 1;
        }
        rn_world *world = make_world_on(make_terrain(NX, 2, 1e-3, 40e-3, columns, counts),
                                        &(setup){.passages = every[m], .viscosity = 1e-6, .friction = 0.005});
        rn_view d = rn_world_view(world, RN_FIELD_DEPTH), c = rn_world_view(world, RN_FIELD_CEIL);
        for (int x = 0; x < NX; x++) d.data[x] = x < BASIN ? 22e-3f : x < BASIN + TUNNEL ? c.data[x] : 18e-3f;
        assert_int_equal(rn_world_commit(world), RN_OK);
        run(world, 5.0);
        assert_true(fabs(row_level(world, 0, BASIN) - row_level(world, NX - BASIN, NX)) < 0.04e-3);
        assert_true(d.data[d.row_stride + SHAFT] <= 2e-3f);
        rn_world_destroy(world);
    }
}

static void a_passage_drains_through_an_open_edge(void **state) {
    (void)state;
    plan p = plan_solid(30, 1);
    plan_draw(&p, 0, 0, 15, 1, 'A');
    plan_draw(&p, 15, 0, 15, 1, '.');
    for (int m = 0; m < EVERY; m++) {
        rn_world *world = plan_world(&p, &(setup){.passages = every[m], .open_east = true});
        plan_fill(world, &p, (double[]){22e-3});
        const double volume = rn_world_volume(world);
        run(world, 5.0);
        const rn_audit audit = rn_world_audit(world);
        if (every[m] != FLOW_NONE) assert_true(audit.left > 0.7 * volume);
        assert_true(fabs(audit.left + audit.present - volume) < 1e-12 * volume);
        rn_world_destroy(world);
    }
}

/* Nothing leads out of it: it stays exactly full, whatever goes on outside. */
static void a_sealed_chamber_stays_full_and_still(void **state) {
    (void)state;
    plan p = plan_solid(20, 12);
    plan_draw(&p, 0, 0, 10, 12, 'A');
    plan_draw(&p, 13, 3, 5, 6, ':');
    for (int m = 0; m < EVERY; m++) {
        rn_world *world = plan_world(&p, &(setup){.passages = every[m]});
        plan_fill(world, &p, (double[]){10e-3});
        rn_view d = rn_world_view(world, RN_FIELD_DEPTH), c = rn_world_view(world, RN_FIELD_CEIL);
        for (int y = 0; y < 12; y++) d.data[y * d.row_stride] += 4e-3f;
        assert_int_equal(rn_world_commit(world), RN_OK);
        run(world, 1.0);
        rn_view fx = rn_world_view(world, RN_FIELD_FLUX_X), fy = rn_world_view(world, RN_FIELD_FLUX_Y);
        for (int i = 0; i < p.nx * p.ny; i++) {
            if (p.letters[i] != ':') continue;
            const ptrdiff_t at = i / p.nx * d.row_stride + i % p.nx;
            assert_true(d.data[at] == c.data[at] && fx.data[at] == 0.0f && fy.data[at] == 0.0f);
        }
        rn_world_destroy(world);
    }
}

/* ---- The papers' methods and their limits --------------------------------------------------------------------- */

static double passed_the_bend(flow_method method, double seconds) {
    const plan p = bend_plan();
    rn_world *world = plan_world(&p, &(setup){.passages = method});
    plan_fill(world, &p, (double[]){22e-3, 18e-3});
    run(world, seconds);
    const double risen = plan_level(world, &p, 'B') - 18e-3;
    rn_world_destroy(world);
    return risen;
}

static void axis_passages_end_at_corners(void **state) {
    (void)state;
    const double solved = passed_the_bend(FLOW_UNIFIED_LONG, 0.1);
    assert_true(solved > 0.2e-3);
    assert_true(fabs(passed_the_bend(FLOW_AXIS, 0.1)) < 0.05 * solved);
    assert_true(passed_the_bend(FLOW_UNIFIED, 0.1) > 0.2e-3);
}

static double quarter_period(flow_method method, int length) {
    const plan p = utube_plan(length);
    rn_world *world = plan_world(&p, &(setup){.passages = method});
    plan_fill(world, &p, (double[]){20.5e-3, 19.5e-3});
    const double time = first_crossing(world, &p, 'A', 'B', 1.0);
    rn_world_destroy(world);
    return time;
}

static void unified_passages_know_no_length(void **state) {
    (void)state;
    assert_true(utube_frequency(5) > 2.0 * utube_frequency(80));
    assert_true(fabs(quarter_period(FLOW_UNIFIED, 80) / quarter_period(FLOW_UNIFIED, 5) - 1.0) < 0.05);
    for (int m = 0; m < BEST; m++) assert_true(quarter_period(every[m], 80) > 2.0 * quarter_period(every[m], 5));
}

/* ---- Siphons -------------------------------------------------------------------------------------------------- */

enum { BASIN = 30, RISE = 20, SIPHON = 2 * BASIN + 2 * RISE };

/* A tunnel of 4 mm height over a hump of 20 mm. */
static row hump(void) {
    row r = {.nx = SIPHON};
    for (int i = 0; i < RISE; i++) {
        r.floor[BASIN + i] = r.floor[SIPHON - 1 - BASIN - i] = (i + 1) * 1e-3;
        r.ceil[BASIN + i] = r.ceil[SIPHON - 1 - BASIN - i] = (i + 5) * 1e-3;
    }
    return r;
}

static void a_dry_siphon_never_starts(void **state) {
    (void)state;
    const row r = hump();
    for (int m = 0; m < EVERY; m++) {
        rn_world *world = row_world(&r, &(setup){.passages = every[m], .viscosity = 1e-6}, 15e-3, 8e-3);
        const uint64_t before = hash_of_depths(world);
        run(world, 1.0);
        assert_true(hash_of_depths(world) == before);
        rn_world_destroy(world);
    }
}

/* Either air gets in and both halves drain to their sides, or it holds and the levels meet; then it is over. */
static void a_full_siphon_drains_and_stops(void **state) {
    (void)state;
    const row r = hump();
    for (int m = 0; m < BEST; m++) {
        rn_world *world = row_world(&r, &(setup){.passages = every[m], .friction = 0.1}, 15e-3, 8e-3);
        rn_view d = rn_world_view(world, RN_FIELD_DEPTH), b = rn_world_view(world, RN_FIELD_BASE),
                c = rn_world_view(world, RN_FIELD_CEIL);
        for (int i = BASIN; i < SIPHON - BASIN; i++) d.data[i] = c.data[i] - b.data[i];
        assert_int_equal(rn_world_commit(world), RN_OK);
        run(world, 8.0);
        const double left = row_level(world, 0, BASIN), right = row_level(world, SIPHON - BASIN, SIPHON);
        const bool dry = d.data[SIPHON / 2] < 0.2e-3f && d.data[SIPHON / 2 - 1] < 0.2e-3f;
        assert_true(left < 20e-3 && right > 8.5e-3);
        if (!dry) assert_true(fabs(left - right) < 0.1e-3);
        if (every[m] == FLOW_IMPLICIT) assert_true(dry && left > right + 2e-3); /* it knows no suction */
        run(world, 2.0);
        assert_true(fabs(row_level(world, 0, BASIN) - left) < 0.1e-3);
        rn_world_destroy(world);
    }
}

/* ---- Rest, groups, mirror images ----------------------------------------------------------------------------- */

static void a_flooded_lake_stays_still(void **state) {
    (void)state;
    for (int m = 0; m < EVERY; m++) {
        rn_world *world = make_world_on(random_stacks(12, 3, 1e-3, 5, STACKS_PLAIN),
                                        &(setup){.passages = every[m], .viscosity = 4e-6, .friction = 0.5});
        rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 0.012});
        const uint64_t before = hash_of_depths(world);
        for (int i = 0; i < 2000; i++) step_within_limit(world);
        assert_true(hash_of_depths(world) == before);
        if (every[m] != FLOW_NONE) assert_true(rn_world_progress(world).flooded > 50);
        assert_int_equal(rn_world_progress(world).fallbacks, 0);
        rn_world_destroy(world);
    }
}

static void a_wall_splits_a_passage_and_leaves_it_whole(void **state) {
    (void)state;
    const plan p = utube_plan(20);
    const double cell = UTUBE_CELL;
    for (int m = 0; m < BEST; m++) {
        rn_world *world = plan_world(&p, &(setup){.passages = every[m], .viscosity = 1e-6, .friction = 0.01});
        plan_fill(world, &p, (double[]){20e-3, 20e-3});
        const double volume = rn_world_volume(world);
        run(world, 0.1);
        assert_int_equal(rn_world_progress(world).passages, 1);
        assert_int_equal(rn_world_progress(world).flooded, 20);
        rn_solid_def def = {.shape = rn_sdf_box((rn_vec3){2.0 * cell, 1.0, 0.1}, 0.0), .at = {24.0 * cell, 0.0, 0.0}};
        const int wall = rn_world_solid(world, &def);
        assert_true(wall >= 0);
        run(world, 2.0);
        assert_int_equal(rn_world_progress(world).passages, 2);
        assert_int_equal(rn_world_progress(world).flooded, 18);
        assert_int_equal(rn_world_show_solid(world, wall, false), RN_OK);
        run(world, 4.0);
        assert_int_equal(rn_world_progress(world).passages, 1);
        assert_int_equal(rn_world_progress(world).flooded, 20);
        assert_true(rn_world_audit(world).displaced == 0.0);
        assert_true(rn_world_volume(world) == volume);
        rn_world_destroy(world);
    }
}

/* Not to the bit: what is left over of a rounding must go somewhere. */
static void mirror_images_stay_close(void **state) {
    (void)state;
    plan p = plan_solid(41, 9);
    plan_draw(&p, 0, 0, 8, 9, 'A');
    plan_draw(&p, 8, 3, 25, 3, '.');
    plan_draw(&p, 16, 0, 9, 9, 'B');
    plan_draw(&p, 33, 0, 8, 9, 'A');
    for (int m = 0; m < BEST; m++) {
        rn_world *world = plan_world(&p, &(setup){.passages = every[m], .viscosity = 1e-6});
        plan_fill(world, &p, (double[]){18e-3, 22e-3});
        for (int i = 0; i < 500; i++) step_within_limit(world);
        rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
        const double q = rn_world_describe(world).quantum;
        assert_true(fabs(plan_level(world, &p, 'A') - 18e-3) > 1e-5); /* something has moved */
        for (int y = 0; y < p.ny; y++)
            for (int x = 0; x < p.nx; x++) {
                const float *line = d.data + y * d.row_stride;
                assert_true(fabs((double)line[x] - line[p.nx - 1 - x]) <= 64.0 * q);
            }
        rn_world_destroy(world);
    }
}

/* ---- One set of bits -------------------------------------------------------------------------------------------- */

static void a_restored_world_goes_the_same_way(void **state) {
    (void)state;
    const plan p = bend_plan();
    for (int m = 0; m < EVERY; m++) {
        rn_world *world = plan_world(&p, &(setup){.passages = every[m], .viscosity = 1e-6});
        plan_fill(world, &p, (double[]){22e-3, 4e-3}); /* its tunnel is about to open at one end */
        rn_snapshot *snapshot = NULL;
        uint64_t hash[2];
        for (int i = 0; i < 30; i++) step_within_limit(world);
        assert_int_equal(rn_world_save(world, &snapshot), RN_OK);
        for (int k = 0; k < 2; k++) {
            for (int i = 0; i < 50; i++) rn_world_step(world, 2e-3);
            hash[k] = rn_world_hash(world);
            if (k == 0) assert_int_equal(rn_world_restore(world, snapshot), RN_OK);
        }
        assert_true(hash[0] == hash[1]);
        rn_snapshot_destroy(snapshot);
        rn_world_destroy(world);
    }
}

/* One made in the same way goes on from the snapshot as well: no hidden state. */
static void another_world_goes_on_from_a_snapshot(void **state) {
    (void)state;
    const plan p = utube_plan(20);
    for (int m = 0; m < EVERY; m++) {
        rn_snapshot *snapshot = NULL;
        uint64_t hash[2];
        for (int k = 0; k < 2; k++) {
            rn_world *world = plan_world(&p, &(setup){.passages = every[m]});
            plan_fill(world, &p, (double[]){22e-3, 18e-3});
            for (int i = 0; i < 50 && k == 0; i++) rn_world_step(world, 2e-3);
            if (k == 0) assert_int_equal(rn_world_save(world, &snapshot), RN_OK);
            else assert_int_equal(rn_world_restore(world, snapshot), RN_OK);
            for (int i = 0; i < 50; i++) rn_world_step(world, 2e-3);
            hash[k] = rn_world_hash(world);
            rn_world_destroy(world);
        }
        rn_snapshot_destroy(snapshot);
        assert_true(hash[0] == hash[1]);
    }
}

static uint64_t hash_with_threads(flow_method method, int threads) {
    rn_terrain *terrain = random_stacks(24, 3, 1e-3, 9, STACKS_PLAIN);
    rn_world_def def = rn_world_default();
    def.terrain = terrain;
    choose_method(&def, method);
    def.threads = threads;
    rn_world *world = NULL;
    assert_int_equal(rn_world_create(&def, &world), RN_OK);
    rn_terrain_destroy(terrain);
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 0.008});
    rn_world_pour(world, (rn_vec3){0.01, 0.012, 0.04}, 3e-3, 4e-6);
    rn_world_drain(world, (rn_vec3){0.02, 0.018, 0.0}, 3e-3, 2e-6);
    for (int i = 0; i < 60; i++) rn_world_step(world, 1e-3);
    const uint64_t hash = rn_world_hash(world);
    rn_world_destroy(world);
    return hash;
}

static void any_threads_give_the_same(void **state) {
    (void)state;
    for (int m = 0; m < EVERY; m++) {
        const uint64_t one = hash_with_threads(every[m], 1);
        assert_true(one == hash_with_threads(every[m], 2));
        assert_true(one == hash_with_threads(every[m], 3));
    }
}

/* ---- Viscosity ----------------------------------------------------------------------------------------------- */

/* Between plates the drag is 12 nu/H^2. With much of it a U-tube creeps to its level, by the slower root of
   M x'' + (12 nu/H^2) L x' + (2 g H/W) x = 0, M the length that its frequency without drag stands for. */
static void drag_between_plates_is_poiseuilles(void **state) {
    (void)state;
    const int length = 80;
    const plan p = utube_plan(length);
    const double stiff = 2.0 * GRAVITY * UTUBE_TUNNEL / (UTUBE_BASIN * UTUBE_CELL), omega = utube_frequency(length),
                 mass = stiff / (omega * omega);
    for (int m = 0; m < BEST; m++)
        for (int k = 0; k < 2; k++) {
            const double nu = k ? 2e-4 : 1e-4,
                         half = 6.0 * nu / (UTUBE_TUNNEL * UTUBE_TUNNEL) * length * UTUBE_CELL / mass,
                         rate = half - sqrt(half * half - omega * omega);
            rn_world *world = plan_world(&p, &(setup){.passages = every[m], .viscosity = nu});
            plan_fill(world, &p, (double[]){20.5e-3, 19.5e-3});
            run(world, 0.3);
            const double first = gap(world, &p, 'A', 'B');
            run(world, 0.5);
            assert_true(fabs(log(first / gap(world, &p, 'A', 'B')) / 0.5 / rate - 1.0) < 0.03);
            rn_world_destroy(world);
        }
}

/* What a section across the tunnel counts is what the basins have lost and won. */
static void a_section_sees_what_passes(void **state) {
    (void)state;
    const plan p = bend_plan();
    for (int m = 0; m < BEST; m++) {
        rn_world *world = plan_world(&p, &(setup){.passages = every[m]});
        plan_fill(world, &p, (double[]){22e-3, 18e-3});
        const int middle = rn_world_section(world, 20e-3, 12e-3, 20e-3, 0.0),
                  mouth = rn_world_section(world, 24e-3, 28e-3, 36e-3, 28e-3);
        assert_true(middle >= 0 && mouth >= 0);
        const double before = plan_level(world, &p, 'B');
        run(world, 0.1);
        const double won = (plan_level(world, &p, 'B') - before) * 144e-6;
        assert_true(won > 1e-8);
        assert_true(fabs(rn_world_section_read(world, mouth).volume / won - 1.0) < 1e-3);
        assert_true(fabs(rn_world_section_read(world, middle).volume / won - 1.0) < 1e-2);
        rn_world_destroy(world);
    }
}

/* ---- Bad input, and solves that fail ------------------------------------------------------------------------- */

static void refuses(rn_world_def def, const char *words) {
    rn_terrain *terrain = random_stacks(4, 1, 1e-3, 1, STACKS_PLAIN);
    def.terrain = terrain;
    rn_world *world = NULL;
    assert_int_equal(rn_world_create(&def, &world), RN_INVALID);
    assert_null(world);
    assert_non_null(strstr(rn_last_error(), words));
    rn_terrain_destroy(terrain);
}

static void bad_passages_are_refused(void **state) {
    (void)state;
    rn_world_def def = rn_world_default();
    def.solver = "implicit";
#define WITH(change, words)                                                                                            \
    do {                                                                                                               \
        rn_world_def d = def;                                                                                          \
        d.change;                                                                                                      \
        refuses(d, words);                                                                                             \
    } while (0)
    WITH(model = RN_MODEL_PAPER, "paper");
    WITH(model = (d.solver = NULL, d.passages = RN_PASSAGES_UNIFIED_LONG, RN_MODEL_PAPER), "paper");
    WITH(passages = RN_PASSAGES_UNIFIED_LONG, "implicit solver has passages of its own");
    WITH(solver = "quick", "there is no solver \"quick\" for the backend \"cpu\"; there are \"explicit\" (cpu)");
    WITH(backend = "abacus", "there is no solver \"implicit\" for the backend \"abacus\"");
    WITH(advection = true, "advection");
    WITH(courant = NAN, "courant");
    WITH(courant = 0.0, "courant is 0;");
    WITH(courant = -1.0, "courant is -1;");
    WITH(courant = 1e9, "courant is 1e+09;");
    WITH(solver_iterations = 0, "solver_iterations is 0;");
    WITH(solver_iterations = -5, "solver_iterations");
    WITH(passages = (d.solver = NULL, (rn_passages)99), "passages");
    WITH(passages = (d.solver = NULL, (rn_passages)-1), "passages");
#undef WITH
}

typedef struct heard {
    int warnings, residuals;
} heard;

static void listen(void *user, rn_log_level level, const char *text) {
    heard *h = user;
    if (level != RN_LOG_WARNING) return;
    h->warnings++;
    h->residuals += strstr(text, "residual") != NULL;
}

/* A sharp step in deep water, which one iteration cannot solve: told once, done explicitly, nothing lost. */
static void a_solve_that_fails_is_done_explicitly(void **state) {
    (void)state;
    enum { N = 48 };
    const double cell = 1e-3, depth = 40e-3, step = 8e-3;
    heard told = {0, 0};
    float *after[2] = {NULL, NULL};
    for (int k = 0; k < 2; k++) {
        rn_column columns[N * N];
        int32_t counts[N * N];
        for (int i = 0; i < N * N; i++) {
            columns[i] = (rn_column){-INFINITY, 0.0, 0.08};
            counts[i] = 1;
        }
        rn_terrain *terrain = make_terrain(N, N, cell, 0.08, columns, counts);
        rn_world_def def = rn_world_default();
        def.terrain = terrain;
        choose_method(&def, k ? FLOW_IMPLICIT : FLOW_NONE);
        def.solver_iterations = 1;
        if (k) def.hooks = (rn_hooks){.user = &told, .log = listen};
        rn_world *world = NULL;
        assert_int_equal(rn_world_create(&def, &world), RN_OK);
        rn_terrain_destroy(terrain);
        rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
        for (int y = 0; y < N; y++)
            for (int x = 0; x < N; x++)
                d.data[y * d.row_stride + x] = (float)(depth + (x < N / 2 && y < N / 2 ? step : 0.0));
        assert_int_equal(rn_world_commit(world), RN_OK);
        for (int i = 0; i < 10; i++) {
            assert_int_equal(rn_world_step(world, 5e-3), RN_OK);
            assert_true(rn_world_audit(world).drift == 0.0);
        }
        if (k) assert_true(rn_world_progress(world).fallbacks > 0);
        after[k] = calloc(N * N, sizeof *after[k]);
        for (int i = 0; i < N * N; i++) after[k][i] = d.data[i / N * d.row_stride + i % N];
        rn_world_destroy(world);
    }
    double apart = 0.0;
    for (int i = 0; i < N * N; i++) apart += fabs((double)after[0][i] - after[1][i]) / (N * N);
    free(after[0]);
    free(after[1]);
    assert_true(apart < 0.05 * step);
    assert_int_equal(told.warnings, 1);
    assert_int_equal(told.residuals, 1);
}

/* ---- Memory ----------------------------------------------------------------------------------------------------- */

typedef struct counting {
    long asked, fail_from; /* -1: never */
} counting;

static void *count_alloc(void *user, size_t size) {
    counting *c = user;
    if (c->fail_from >= 0 && c->asked++ >= c->fail_from) return NULL;
    return rn_aligned_alloc(64, size);
}

static void count_free(void *user, void *memory) {
    (void)user;
    rn_aligned_free(memory);
}

static rn_world *counted_world(counting *c, flow_method method) {
    const plan p = bend_plan();
    rn_world *world = plan_world(&p, &(setup){.passages = method,
                                              .viscosity = 1e-6,
                                              .hooks = {.user = c, .alloc = count_alloc, .free = count_free}});
    plan_fill(world, &p, (double[]){22e-3, 4e-3});
    return world;
}

/* Memory that runs out while a tunnel fills up: the step says so, nothing is lost, and it goes on when there is more.
 */
static void failing_allocations_are_survived(void **state) {
    (void)state;
    for (int m = 0; m < EVERY; m++)
        for (long n = 0, failed = 1; failed; n++) {
            counting c = {.fail_from = -1};
            rn_world *world = counted_world(&c, every[m]);
            const double volume = rn_world_volume(world);
            c = (counting){.fail_from = n};
            failed = 0;
            for (int i = 0; i < 40; i++) failed += rn_world_step(world, 2e-3) != RN_OK;
            if (failed) assert_non_null(strstr(rn_last_error(), "memory"));
            assert_true(rn_world_audit(world).drift == 0.0 && rn_world_volume(world) == volume);
            c.fail_from = -1;
            assert_int_equal(rn_world_step(world, 0.1), RN_OK);
            assert_true(rn_world_audit(world).drift == 0.0);
            rn_world_destroy(world);
        }
}

static void a_warm_step_allocates_nothing(void **state) {
    (void)state;
    for (int m = 0; m < EVERY; m++) {
        counting c = {.fail_from = -1};
        rn_world *world = counted_world(&c, every[m]);
        run(world, 3.0);
        c = (counting){.fail_from = 0};
        run(world, 1.0);
        assert_int_equal(c.asked, 0);
        rn_world_destroy(world);
    }
}

/* Wide enough for threads to share the rows of the solver's grids. */
static void any_threads_solve_the_same(void **state) {
    (void)state;
    enum { N = 192 };
    rn_column *columns = calloc(N * N, sizeof *columns);
    int32_t *counts = calloc(N * N, sizeof *counts);
    for (int i = 0; i < N * N; i++) {
        const int x = i % N, y = i / N;
        const bool roofed = x > 16 && x < 176 && y > 16 && y < 176 && (x / 40 + y / 40) % 3;
        columns[i] = (rn_column){-INFINITY, 1e-3 * sin(0.1 * x), roofed ? 5e-3 : 40e-3};
        counts[i] = 1;
    }
    for (int m = 0; m < BEST; m++) {
        uint64_t first = 0;
        for (int threads = 1; threads <= 3; threads++) {
            rn_world *world = make_world_on(make_terrain(N, N, 1e-3, 40e-3, columns, counts),
                                            &(setup){.passages = every[m], .threads = threads});
            rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 0.012});
            rn_world_pour(world, (rn_vec3){0.015, 0.05, 0.0}, 5e-3, 1e-4);
            int most = 0;
            for (int i = 0; i < 5; i++) {
                assert_int_equal(rn_world_step(world, 5e-3), RN_OK);
                most = rn_world_progress(world).iterations > most ? rn_world_progress(world).iterations : most;
            }
            assert_true(most > 0);
            if (threads == 1) first = rn_world_hash(world);
            assert_true(rn_world_hash(world) == first);
            rn_world_destroy(world);
        }
    }
    free(columns);
    free(counts);
}

/* ---- Anything at all ----------------------------------------------------------------------------------------- */

/* A world of any size, edges, tilt and method that a number stands for. */
static rn_world *any_world(uint32_t seed, flow_method method) {
    uint32_t random = seed * 7919u + 1u;
    double drawn[24]; /* in order: that of arguments is anybody's */
    for (int i = 0; i < 24; i++) drawn[i] = random_unit(&random);
    const int cells = 3 + (int)(10.0 * drawn[0]);
    rn_terrain *terrain =
        random_stacks(cells, 1 + (int)(4.0 * drawn[1]), 1e-3, seed + 3, drawn[2] < 0.5 ? STACKS_RAGGED : STACKS_PLAIN);
    const bool paper = (method == FLOW_AXIS || method == FLOW_UNIFIED) && drawn[3] < 0.5;
    setup s = {.passages = method,
               .viscosity = drawn[4] < 0.3 ? 0.0 : 4e-6,
               .friction = 0.1 + 0.9 * drawn[5],
               .courant = 0.5 + 9.0 * drawn[6],
               .model = paper ? RN_MODEL_PAPER : RN_MODEL_PHYSICAL,
               .threads = 1 + (int)(2.0 * drawn[7]),
               .periodic_x = drawn[8] < 0.4,
               .periodic_y = drawn[9] < 0.4,
               .max_substeps = 100};
    s.open_west = !s.periodic_x && drawn[10] < 0.4;
    s.open_east = !s.periodic_x && drawn[11] < 0.4;
    if (s.periodic_x && drawn[12] < 0.5) s.drop_x = 5e-3 * (drawn[13] - 0.5);
    if (s.periodic_y && drawn[14] < 0.5) s.drop_y = 5e-3 * (drawn[15] - 0.5);
    s.solver_iterations = drawn[16] < 0.2 ? 1 : 0;
    rn_world *world = make_world_on(terrain, &s);
    const double length = cells * 1e-3;
    rn_world_pour(world, (rn_vec3){length * drawn[17], length * drawn[18], 0.02}, 2e-3, 2e-6);
    rn_solid_def ball = {.shape = rn_sdf_sphere(2e-3), .at = {0.5 * length, 0.5 * length, 0.01}};
    rn_world_solid(world, &ball);
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 0.02 * drawn[19]});
    return world;
}

static bool is_sound(rn_world *world) {
    rn_view f[2] = {rn_world_view(world, RN_FIELD_FLUX_X), rn_world_view(world, RN_FIELD_FLUX_Y)};
    for (int k = 0; k < 2; k++)
        for (int l = 0; l < f[k].layers; l++)
            for (int y = 0; y < f[k].cells_y; y++)
                for (int x = 0; x < f[k].cells_x; x++)
                    if (!isfinite(f[k].data[l * f[k].layer_stride + y * f[k].row_stride + x])) return false;
    return rn_world_audit(world).drift == 0.0 && broken_columns(world) == 0.0;
}

static void stir(rn_world *world, int from, int to) {
    for (int i = from; i < to; i++) {
        if (i % 4 == 0)
            rn_world_move_solid(world, 0, (rn_vec3){1e-3 * (i % 7), 4e-3, 5e-3 + 1e-3 * (i % 5)}, (rn_vec3){0});
        assert_int_equal(rn_world_step(world, i % 3 ? 4e-3 : 1e-4), RN_OK);
    }
}

/* Whatever the world: volume is exact, columns stay within their bounds, no flux is lost to infinity, and another world
   of the same kind goes on from its state bit for bit. */
static void any_world_is_sound(void **state) {
    (void)state;
    for (uint32_t seed = 1; seed <= 120; seed++) {
        rn_world *world = any_world(seed, every[seed % EVERY]), *other = any_world(seed, every[seed % EVERY]);
        for (int i = 0; i < 24; i += 4) {
            stir(world, i, i + 4);
            if (!is_sound(world)) fail_msg("seed %u, frame %d", seed, i);
        }
        rn_snapshot *snapshot = NULL;
        assert_int_equal(rn_world_save(world, &snapshot), RN_OK);
        assert_int_equal(rn_world_restore(other, snapshot), RN_OK);
        stir(world, 24, 30);
        stir(other, 24, 30);
        if (rn_world_hash(world) != rn_world_hash(other)) fail_msg("seed %u goes another way when restored", seed);
        rn_snapshot_destroy(snapshot);
        rn_world_destroy(world);
        rn_world_destroy(other);
    }
}

/* A fallback, too, drives what is full: two basins come level although every solve of the implicit step fails, and no
   more substeps are taken than allowed. */
static void fallbacks_go_on(void **state) {
    (void)state;
    const plan p = bend_plan();
    rn_world *world = plan_world(
        &p, &(setup){.passages = FLOW_IMPLICIT, .viscosity = 1e-5, .solver_iterations = 2, .max_substeps = 3});
    plan_fill(world, &p, (double[]){22e-3, 18e-3});
    const uint64_t before = rn_world_progress(world).steps;
    assert_int_equal(rn_world_step(world, 1.0), RN_OK);
    assert_true(rn_world_progress(world).steps - before <= 3);
    double apart = 4e-3;
    for (int i = 0; i < 2000; i++) {
        assert_int_equal(rn_world_step(world, 1e-3), RN_OK);
        apart = fmax(apart, fabs(plan_level(world, &p, 'A') - plan_level(world, &p, 'B')));
    }
    assert_true(rn_world_progress(world).fallbacks > 0 && apart < 4.1e-3);
    rn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_column_stops_the_flow_without_passages),
        cmocka_unit_test(levels_equalise),
        cmocka_unit_test(the_default_is_unified_long),
        cmocka_unit_test(a_vault_and_a_sloping_tunnel_equalise),
        cmocka_unit_test(a_dry_high_mouth_stalls_nothing),
        cmocka_unit_test(a_passage_drains_through_an_open_edge),
        cmocka_unit_test(a_sealed_chamber_stays_full_and_still),
        cmocka_unit_test(axis_passages_end_at_corners),
        cmocka_unit_test(unified_passages_know_no_length),
        cmocka_unit_test(a_dry_siphon_never_starts),
        cmocka_unit_test(a_full_siphon_drains_and_stops),
        cmocka_unit_test(a_flooded_lake_stays_still),
        cmocka_unit_test(a_wall_splits_a_passage_and_leaves_it_whole),
        cmocka_unit_test(mirror_images_stay_close),
        cmocka_unit_test(a_restored_world_goes_the_same_way),
        cmocka_unit_test(another_world_goes_on_from_a_snapshot),
        cmocka_unit_test(any_threads_give_the_same),
        cmocka_unit_test(drag_between_plates_is_poiseuilles),
        cmocka_unit_test(a_section_sees_what_passes),
        cmocka_unit_test(any_world_is_sound),
        cmocka_unit_test(fallbacks_go_on),
        cmocka_unit_test(failing_allocations_are_survived),
        cmocka_unit_test(a_warm_step_allocates_nothing),
        cmocka_unit_test(any_threads_solve_the_same),
        cmocka_unit_test(bad_passages_are_refused),
        cmocka_unit_test(a_solve_that_fails_is_done_explicitly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
