/* The 3D liquid in odd places: boxes one cell wide, long steps, full solids, sources in corners, other directions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mac/state.h"

#include "mac_worlds.h"

#include <string.h>

/* Whether all particles are in the box and have finite velocities. */
static bool is_sound(const rn_mac *mac, const rn_mac_def *def) {
    const double side[3] = {def->cells_x * def->cell_size, def->cells_y * def->cell_size,
                            def->cells_z * def->cell_size};
    for (int64_t n = 0; n < rn_mac_particle_count(mac); n++) {
        const rn_mac_particle p = rn_mac_particle_at(mac, n);
        const double at[3] = {p.position.x, p.position.y, p.position.z};
        for (int a = 0; a < 3; a++)
            if (!(at[a] >= 0.0 && at[a] <= side[a])) return false;
        if (!isfinite(p.velocity.x + p.velocity.y + p.velocity.z)) return false;
    }
    return true;
}

/* A box of these cells of 0.1 m, half full, comes to rest and keeps its particles and density. */
static void check_narrow(int nx, int ny, int nz) {
    rn_mac_def def = cube(1);
    def.cells_x = nx, def.cells_y = ny, def.cells_z = nz;
    def.cell_size = 0.1;
    rn_mac *mac = make_mac(&def);
    fill(mac, at_rest, (rn_vec3){0.1 * nx, 0.1 * ny, 0.05 * nz}, NULL, NULL);
    const int64_t count = rn_mac_particle_count(mac);
    const double high = mean_of(mac).position.z;
    for (int i = 0; i < 20; i++) advance(mac, 0.1);
    assert_true(is_sound(mac, &def));
    assert_int_equal(rn_mac_particle_count(mac), count);
    const double lower = (high - mean_of(mac).position.z) / def.cell_size;
    print_message("%d x %d x %d cells: %.3f m/s, lower by %.3f cells\n", nx, ny, nz, rn_mac_fastest(mac), lower);
    if (!(rn_mac_fastest(mac) <= 0.05 && fabs(lower) <= 0.1)) fail_msg("the liquid does not rest");
    rn_mac_destroy(mac);
}

static void boxes_one_cell_wide_rest(void **unused) {
    (void)unused;
    check_narrow(1, 1, 16);
    check_narrow(16, 1, 4);
    check_narrow(1, 16, 4);
}

/* One call of 10 s gives the same volume and level as many short ones, though not the same bits. */
static void one_long_step_is_as_good_as_many(void **unused) {
    (void)unused;
    double level[2];
    for (int parts = 0; parts < 2; parts++) {
        rn_mac_def def = cube(12);
        rn_mac *mac = make_mac(&def);
        fill(mac, at_rest, (rn_vec3){0.5, 1.0, 0.6}, NULL, NULL);
        for (int i = 0; i < (parts ? 200 : 1); i++) advance(mac, parts ? 0.05 : 10.0);
        assert_true(is_sound(mac, &def));
        assert_int_equal(rn_mac_audit(mac).drift, 0);
        level[parts] = mean_of(mac).position.z;
        print_message("mean height after 10 s: %.4f m, density %.4f\n", level[parts], rn_mac_density(mac));
        rn_mac_destroy(mac);
    }
    if (!(fabs(level[0] - level[1]) <= 0.1 / 12.0)) fail_msg("%g and %g m", level[0], level[1]);
}

static double all_solid(void *user, rn_vec3 at) {
    (void)user, (void)at;
    return -1.0;
}

static void a_box_full_of_solid_holds_nothing(void **unused) {
    (void)unused;
    rn_mac_def def = cube(8);
    rn_mac *mac = make_mac(&def);
    assert_int_equal(rn_mac_set_solid(mac, all_solid, NULL), RN_OK);
    fill(mac, at_rest, (rn_vec3){1.0, 1.0, 1.0}, NULL, NULL);
    assert_int_equal(rn_mac_particle_count(mac), 0);
    const rn_mac_source_def source = {.position = {0.5, 0.5, 0.5}, .radius = 0.2, .rate = 0.1};
    int number;
    assert_int_equal(rn_mac_add_source(mac, &source, &number), RN_OK);
    for (int i = 0; i < 5; i++) advance(mac, 0.1);
    assert_int_equal(rn_mac_particle_count(mac), 0);
    assert_true(fabs(rn_mac_audit(mac).owed - 0.05) <= 1e-6);
    rn_mac_destroy(mac);
}

/* The last particles leave through an open floor: the volume and density are those of no liquid at all. */
static void an_empty_box_has_no_filled_volume(void **unused) {
    (void)unused;
    rn_mac_def def = cube(12);
    def.open = RN_MAC_Z_LOW;
    rn_mac *mac = make_mac(&def);
    fill(mac, at_rest, (rn_vec3){1.0, 1.0, 0.5}, NULL, NULL);
    for (int i = 0; i < 40 && rn_mac_particle_count(mac); i++) advance(mac, 0.05);
    assert_int_equal(rn_mac_particle_count(mac), 0);
    assert_true(rn_mac_filled_volume(mac) == 0.0);
    assert_true(rn_mac_density(mac) == 1.0);
    rn_mac_destroy(mac);
    /* so are those of a box that one drain empties at once */
    def.open = 0;
    mac = make_mac(&def);
    fill(mac, at_rest, (rn_vec3){1.0, 1.0, 0.5}, NULL, NULL);
    const rn_mac_source_def drain = {.position = {0.5, 0.5, 0.25}, .radius = 2.0, .rate = -1e3};
    int number;
    assert_int_equal(rn_mac_add_source(mac, &drain, &number), RN_OK);
    advance(mac, 0.01);
    assert_int_equal(rn_mac_particle_count(mac), 0);
    assert_true(rn_mac_filled_volume(mac) == 0.0);
    assert_true(rn_mac_density(mac) == 1.0);
    rn_mac_destroy(mac);
}

/* A solid that is placed with too little memory, or whose distance or speed is not a number in one place. */
typedef struct bad_solid {
    mac_ball ball;
    int allocations; /* that succeed */
    bool bad_distance, bad_speed;
} bad_solid;

static void *alloc_some(void *user, size_t bytes) {
    bad_solid *b = user;
    return b->allocations-- > 0 ? rn_aligned_alloc(64, bytes) : NULL;
}

static double bad_distance(void *user, rn_vec3 at) {
    const bad_solid *b = user;
    const bool here = at.x > 0.9 && at.y > 0.9 && at.z > 0.9;
    return b->bad_distance && here ? (double)NAN : ball_distance((void *)&b->ball, at);
}

static rn_vec3 bad_velocity(void *user, rn_vec3 at) {
    const bad_solid *b = user;
    return (rn_vec3){0.3, b->bad_speed && at.z > b->ball.centre.z ? (double)NAN : 0.0, 0.1};
}

static rn_vec3 upwards(void *user, rn_vec3 at) {
    (void)user, (void)at;
    return (rn_vec3){0.0, 0.0, 0.2};
}

/* Fills a box that has no solid (before 0), one at rest (1) or a moving one (2). The second, `bad`, may then fail to
   replace the solid. Returns the hash after two steps, and the volume of liquid cells. */
static uint64_t hash_after(int before, const bad_solid *bad, bool moves, double *filled) {
    bad_solid user = {.allocations = 1000};
    const rn_hooks hooks = {.alloc = alloc_some, .free = free_limited, .user = &user};
    rn_mac_def def = cube(12);
    def.viscosity = 0.01;
    def.no_slip = RN_MAC_SOLIDS;
    def.hooks = &hooks;
    rn_mac *mac = make_mac(&def);
    mac_ball stone = {.centre = {0.5, 0.5, 0.3}, .radius = 0.2};
    if (before) assert_int_equal(rn_mac_set_solid(mac, ball_distance, &stone), RN_OK);
    fill(mac, at_rest, (rn_vec3){0.7, 1.0, 0.6}, NULL, NULL);
    if (before == 2) assert_int_equal(rn_mac_move_solid(mac, ball_distance, upwards, &stone), RN_OK);
    if (bad) {
        user = *bad;
        const rn_result result = moves ? rn_mac_move_solid(mac, bad_distance, bad_velocity, &user)
                                       : rn_mac_set_solid(mac, bad_distance, &user);
        if (result == RN_OK) fail_msg("the solid was placed");
        assert_int_equal(result, bad->bad_distance || bad->bad_speed ? RN_INVALID : RN_MEMORY);
        user.allocations = 1000;
    }
    advance(mac, 0.05);
    advance(mac, 0.05);
    const uint64_t hash = rn_mac_hash(mac);
    *filled = rn_mac_filled_volume(mac);
    rn_mac_destroy(mac);
    return hash;
}

static void a_solid_that_is_refused_changes_nothing(void **unused) {
    (void)unused;
    const mac_ball other = {.centre = {0.4, 0.5, 0.5}, .radius = 0.25};
    /* without a solid, three arrays are needed, and three more if it moves */
    const bad_solid bad[] = {
        {.ball = other, .allocations = 0}, {.ball = other, .allocations = 1},
        {.ball = other, .allocations = 2}, {.ball = other, .allocations = 100, .bad_distance = true},
        {.ball = other, .allocations = 5}, {.ball = other, .allocations = 100, .bad_speed = true},
    };
    for (int before = 0; before < 3; before++) {
        double filled, still;
        const uint64_t hash = hash_after(before, NULL, false, &filled);
        for (size_t n = 0; n < sizeof bad / sizeof *bad; n++)
            for (int moves = 0; moves < 2; moves++) {
                const bool short_of_memory = bad[n].allocations < (before ? 0 : 3) + (moves && before < 2 ? 3 : 0);
                if (!short_of_memory && !bad[n].bad_distance && !(bad[n].bad_speed && moves)) continue;
                const uint64_t now = hash_after(before, &bad[n], moves, &still);
                if (now != hash || still != filled)
                    fail_msg("solid %d, refusal %zu, moving %d: something has changed", before, n, moves);
            }
    }
}

/* Sides of the box do not move with a solid, far from liquid either, where arrays keep what substeps have left. */
static void sides_are_at_rest_beside_a_moving_solid(void **unused) {
    (void)unused;
    rn_mac_def def = cube(24);
    rn_mac *mac = make_mac(&def);
    mac_ball stone = {.centre = {0.5, 0.2, 0.1}, .radius = 0.15};
    assert_int_equal(rn_mac_set_solid(mac, ball_distance, &stone), RN_OK);
    fill(mac, at_rest, (rn_vec3){1.0, 0.3, 0.4}, NULL, NULL);
    advance(mac, 0.05);
    assert_int_equal(rn_mac_move_solid(mac, ball_distance, upwards, &stone), RN_OK);
    const rn_mac_grid *g = &mac->grid;
    for (int r = 0; r < g->rows; r++) {
        const rn_mac_row row = rn_mac_row_of(g, r);
        for (int i = -1; i <= g->n[0]; i++)
            for (int a = 0; a < 3; a++) {
                const int at[3] = {i, row.j, row.k};
                const bool rim = !row.inside || i < 0 || i == g->n[0];
                if ((rim || at[a] == 0) && mac->solid[a][row.at + i] != 0.0f)
                    fail_msg("face %d of (%d, %d, %d) moves", a, i, row.j, row.k);
            }
    }
    rn_mac_destroy(mac);
}

static void bad_gauges_are_refused(void **unused) {
    (void)unused;
    rn_mac_def def = cube(8);
    rn_mac *mac = make_mac(&def);
    const struct {
        int axis, sign;
        const char *why;
    } bad[] = {{2, 1, "face 1 of a gauge has axis 2"}, {-1, 1, "axis -1"}, {0, 0, "sign 0"}, {1, 256, "sign 256"}};
    for (size_t n = 0; n < sizeof bad / sizeof *bad; n++) {
        const rn_mac_side sides[2] = {{.i = 1, .sign = 1}, {.i = 7, .j = 7, .axis = bad[n].axis, .sign = bad[n].sign}};
        int gauge = -1;
        assert_int_equal(rn_mac_add_gauge(mac, sides, 2, &gauge), RN_INVALID);
        assert_int_equal(gauge, -1);
        if (!strstr(rn_last_error(), bad[n].why))
            fail_msg("\"%s\" says nothing of \"%s\"", rn_last_error(), bad[n].why);
    }
    int gauge = -1;
    assert_int_equal(rn_mac_add_gauge(mac, &(rn_mac_side){.i = 3, .axis = 1, .sign = -1}, 1, &gauge), RN_OK);
    assert_int_equal(gauge, 0);
    rn_mac_destroy(mac);
}

/* A ball of a source whose centre lies in a corner, on an edge or on a wall. */
static void sources_on_walls_pour_their_rate(void **unused) {
    (void)unused;
    const rn_vec3 at[] = {{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}, {0.0, 0.5, 1.0}, {0.5, 1.0, 0.5}};
    for (size_t n = 0; n < sizeof at / sizeof *at; n++) {
        rn_mac_def def = cube(12);
        rn_mac *mac = make_mac(&def);
        const rn_mac_source_def source = {.position = at[n], .radius = 0.25, .rate = 0.02};
        int number;
        assert_int_equal(rn_mac_add_source(mac, &source, &number), RN_OK);
        for (int i = 0; i < 20; i++) advance(mac, 0.05);
        const rn_mac_ledger ledger = rn_mac_audit(mac);
        print_message("source at (%g, %g, %g): %.4f m^3 of 0.02\n", at[n].x, at[n].y, at[n].z, ledger.poured);
        assert_true(is_sound(mac, &def));
        if (!(fabs(ledger.poured + ledger.owed - 0.02) <= 1e-6 && ledger.poured >= 0.0195)) fail_msg("too little");
        rn_mac_destroy(mac);
    }
}

/* How far the middle of a dam break has moved away from its wall in 0.4 s, in m: axis 0 or 1, from the low or the high
   wall. */
static double run_out(int axis, bool from_high) {
    rn_mac_def def = cube(24);
    rn_mac *mac = make_mac(&def);
    rn_vec3 low = at_rest, high = {1.0, 1.0, 0.5};
    double *of[2][2] = {{&low.x, &high.x}, {&low.y, &high.y}};
    if (from_high) *of[axis][0] = 0.625;
    else *of[axis][1] = 0.375;
    fill(mac, low, high, NULL, NULL);
    for (int i = 0; i < 8; i++) advance(mac, 0.05);
    const rn_vec3 middle = mean_of(mac).position;
    const double along = axis ? middle.y : middle.x;
    rn_mac_destroy(mac);
    return from_high ? 1.0 - along : along;
}

static void dams_break_alike_in_all_directions(void **unused) {
    (void)unused;
    const double first = run_out(0, false), others[3] = {run_out(0, true), run_out(1, false), run_out(1, true)};
    for (int n = 0; n < 3; n++) {
        print_message("run-out %.4f m, others %.4f m\n", first, others[n]);
        if (!(fabs(others[n] - first) <= 0.01 * first)) fail_msg("%g and %g m", first, others[n]);
    }
}

/* Where the middle of a dam break is along x after 0.3 s (m). */
static double middle_of_dam(double viscosity, unsigned no_slip) {
    rn_mac_def def = cube(16);
    def.viscosity = viscosity;
    def.no_slip = no_slip;
    rn_mac *mac = make_mac(&def);
    fill(mac, at_rest, (rn_vec3){0.5, 1.0, 0.5}, NULL, NULL);
    for (int i = 0; i < 6; i++) advance(mac, 0.05);
    const double x = mean_of(mac).position.x;
    rn_mac_destroy(mac);
    return x;
}

/* Viscosity that is too weak to matter changes little and does not disturb the solver. Walls to which the liquid sticks
   do slow it, by a layer of one cell, however weak the viscosity is: rn_world ignores such viscosities (docs/mac.md).
 */
static void weak_viscosity_changes_little(void **unused) {
    (void)unused;
    const double none = middle_of_dam(0.0, 0), weak = middle_of_dam(1e-9, 0),
                 sticky = middle_of_dam(1e-9, RN_MAC_ALL_WALLS);
    print_message("middle at %.4f m; %.4f m with weak viscosity; %.4f m if it sticks\n", none, weak, sticky);
    if (!(fabs(weak - none) <= 0.01 * none && fabs(sticky - none) <= 0.05 * none)) fail_msg("%g %g", weak, sticky);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_one_cell_wide_rest),
        cmocka_unit_test(one_long_step_is_as_good_as_many),
        cmocka_unit_test(a_box_full_of_solid_holds_nothing),
        cmocka_unit_test(sources_on_walls_pour_their_rate),
        cmocka_unit_test(dams_break_alike_in_all_directions),
        cmocka_unit_test(weak_viscosity_changes_little),
        cmocka_unit_test(an_empty_box_has_no_filled_volume),
        cmocka_unit_test(sides_are_at_rest_beside_a_moving_solid),
        cmocka_unit_test(bad_gauges_are_refused),
        cmocka_unit_test(a_solid_that_is_refused_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
