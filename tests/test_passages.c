/* Flow through what is full to its ceiling, by every method: what equalises, what stays, how fast. */
#include "passage_worlds.h"

#include <string.h>

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
        if (every[m] != FLOW_NONE) assert_true(rn_world_get_stats(world).flooded > 50);
        assert_int_equal(rn_world_get_stats(world).fallbacks, 0);
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
        assert_int_equal(rn_world_get_stats(world).passages, 1);
        assert_int_equal(rn_world_get_stats(world).flooded, 20);
        rn_solid_def def = {.shape = rn_sdf_box((rn_vec3){2.0 * cell, 1.0, 0.1}), .at = {24.0 * cell, 0.0, 0.0}};
        const int wall = rn_world_add_solid(world, &def);
        assert_true(wall >= 0);
        run(world, 2.0);
        assert_int_equal(rn_world_get_stats(world).passages, 2);
        assert_int_equal(rn_world_get_stats(world).flooded, 18);
        assert_int_equal(rn_world_show_solid(world, wall, false), RN_OK);
        run(world, 4.0);
        assert_int_equal(rn_world_get_stats(world).passages, 1);
        assert_int_equal(rn_world_get_stats(world).flooded, 20);
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
        const int middle = rn_world_add_section(world, 20e-3, 12e-3, 20e-3, 0.0),
                  mouth = rn_world_add_section(world, 24e-3, 28e-3, 36e-3, 28e-3);
        assert_true(middle >= 0 && mouth >= 0);
        const double before = plan_level(world, &p, 'B');
        run(world, 0.1);
        const double won = (plan_level(world, &p, 'B') - before) * 144e-6;
        assert_true(won > 1e-8);
        assert_true(fabs(rn_world_read_section(world, mouth).volume / won - 1.0) < 1e-3);
        assert_true(fabs(rn_world_read_section(world, middle).volume / won - 1.0) < 1e-2);
        rn_world_destroy(world);
    }
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
        cmocka_unit_test(drag_between_plates_is_poiseuilles),
        cmocka_unit_test(a_section_sees_what_passes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
