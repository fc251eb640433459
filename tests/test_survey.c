/* What a survey finds in columns whose answers are known. */
#include "purse.h"
#include "terrain_shapes.h"

enum { CELLS = 120 };
static const double cell = 0.01; /* m */

static rn_sdf *at(double x, double y, double z, rn_sdf *shape) { return rn_sdf_move(shape, (rn_vec3){x, y, z}); }

static rn_sdf *box(double x, double y, double z) { return rn_sdf_box((rn_vec3){x, y, z}); }

/* The shape, and a table at z = 0 below it; its middle is at the origin. */
static rn_survey survey(rn_sdf *shape, bool on_table) {
    rn_sdf *table = on_table ? rn_sdf_plane((rn_vec3){0, 0, 0}, (rn_vec3){0, 0, 1}) : NULL;
    rn_terrain_def def = rn_terrain_default();
    def.cells_x = def.cells_y = CELLS;
    def.cell_size = cell;
    def.origin_x = def.origin_y = -0.5 * CELLS * cell;
    def.solid = on_table ? rn_sdf_union(shape, table, 0) : shape;
    rn_terrain *terrain = NULL;
    if (rn_terrain_create(&def, &terrain) != RN_OK) fail_msg("%s", rn_last_error());
    rn_survey found;
    assert_int_equal(rn_terrain_survey(terrain, &found), RN_OK);
    rn_terrain_destroy(terrain);
    return found;
}

static void assert_volume(double volume, double expected) { assert_near(volume, expected, 0.01 * expected); }

static void a_hollow_ball_has_one_cavity(void **state) {
    (void)state;
    const double outer = 0.4, inner = 0.3, sphere = 4 * pi / 3;
    for (int on_table = 0; on_table < 2; on_table++) {
        rn_survey s = survey(at(0, 0, 0.5, rn_sdf_subtract(rn_sdf_sphere(outer), rn_sdf_sphere(inner), 0)), on_table);
        assert_int_equal(s.cavities, 1);
        assert_volume(s.sealed, sphere * inner * inner * inner);
        assert_true(s.largest == s.sealed);
        assert_volume(s.solid, sphere * (outer * outer * outer - inner * inner * inner));
        assert_near((double)s.overhangs * cell * cell, pi * outer * outer, 0.01);
    }
}

static void cavities_are_told_apart(void **state) {
    (void)state;
    rn_sdf *block = at(0, 0, 0.2, box(0.8, 0.8, 0.3));
    block = rn_sdf_subtract(block, at(-0.2, 0, 0.2, box(0.2, 0.4, 0.1)), 0);
    block = rn_sdf_subtract(block, at(0.2, 0, 0.2, box(0.2, 0.2, 0.1)), 0);
    rn_survey s = survey(block, true);
    assert_int_equal(s.cavities, 2);
    assert_volume(s.sealed, 0.2 * 0.4 * 0.1 + 0.2 * 0.2 * 0.1);
    assert_volume(s.largest, 0.2 * 0.4 * 0.1);
}

static rn_sdf *hollow_box(void) {
    return rn_sdf_subtract(at(0, 0, 0.25, box(0.6, 0.6, 0.5)), at(0, 0, 0.25, box(0.4, 0.4, 0.3)), 0);
}

static void a_chimney_lets_liquid_in(void **state) {
    (void)state;
    assert_int_equal(survey(hollow_box(), true).cavities, 1);
    rn_survey s = survey(rn_sdf_subtract(hollow_box(), at(0.1, 0, 0.45, box(0.05, 0.05, 0.2)), 0), true);
    assert_int_equal(s.cavities, 0);
    assert_true(s.sealed == 0 && s.overhangs > 0 && s.thin == 0);
}

static void so_does_a_door(void **state) {
    (void)state;
    assert_int_equal(survey(rn_sdf_subtract(hollow_box(), at(0.3, 0, 0.2, box(0.3, 0.05, 0.1)), 0), true).cavities, 0);
    /* Out of the floor there is a way where the box hangs, and none where it stands on a table. */
    rn_sdf *drain = at(0, 0, 0.05, box(0.06, 0.06, 0.2));
    assert_int_equal(survey(rn_sdf_subtract(hollow_box(), drain, 0), false).cavities, 0);
    drain = at(0, 0, 0.05, box(0.06, 0.06, 0.2));
    assert_int_equal(survey(rn_sdf_subtract(hollow_box(), drain, 0), true).cavities, 1);
    /* The edge of the domain is a way in. */
    rn_sdf *tunnel = rn_sdf_subtract(at(0, 0, 0.2, box(2, 0.5, 0.4)), at(0, 0, 0.2, box(2, 0.2, 0.2)), 0);
    assert_int_equal(survey(tunnel, true).cavities, 0);
}

static void a_torus_on_its_side_keeps_its_hole(void **state) {
    (void)state;
    const double ring = 0.35, tube = 0.15, hollow = 0.08;
    rn_survey s =
        survey(at(0, 0, 0.6, rn_sdf_turn(rn_sdf_torus(ring, tube), rn_quat_from_degrees((rn_vec3){90, 0, 0}))), true);
    assert_int_equal(s.cavities, 0);
    assert_volume(s.solid, 2 * pi * pi * ring * tube * tube);
    assert_near((double)s.overhangs * cell * cell, 4 * ring * tube + pi * tube * tube, 0.01);
    rn_sdf *pipe = rn_sdf_subtract(rn_sdf_torus(ring, tube), rn_sdf_torus(ring, hollow), 0);
    s = survey(at(0, 0, 0.6, rn_sdf_turn(pipe, rn_quat_from_degrees((rn_vec3){90, 0, 0}))), true);
    assert_int_equal(s.cavities, 1);
    assert_volume(s.sealed, 2 * pi * pi * ring * hollow * hollow);
}

static void thin_solid_is_counted(void **state) {
    (void)state;
    rn_survey s = survey(at(0, 0, 0.2, box(0.5, 0.5, 1.2 * cell)), true);
    assert_int_equal(s.stretches, 50 * 50);
    assert_int_equal(s.covered, 50 * 50);
    assert_int_equal(s.thin, s.stretches);
    assert_int_equal(survey(at(0, 0, 0.2, box(0.5, 0.5, 1.8 * cell)), true).thin, 0);
    /* Upright walls: one cell thick along x, along y, and more. */
    s = survey(at(0.005, 0, 0.1, box(1.2 * cell, 0.5, 0.2)), true);
    assert_int_equal(s.stretches, 50);
    assert_int_equal(s.thin, 50);
    assert_int_equal(survey(at(0, 0.005, 0.1, box(0.5, 1.2 * cell, 0.2)), true).thin, 50);
    assert_int_equal(survey(at(0, 0, 0.1, box(2 * cell, 0.5, 0.2)), true).thin, 0);
    /* A kerb lower than that is no wall, and the table is none either. */
    assert_int_equal(survey(at(0.005, 0, 0, box(1.2 * cell, 0.5, 2 * cell)), true).thin, 0);
    assert_int_equal(survey(at(0, 0, -1, box(0.5, 0.5, 0.1)), true).stretches, 0);
}

static void memory_may_run_out(void **state) {
    (void)state;
    purse p = {.left = 1000};
    rn_terrain_def def = rn_terrain_default();
    def.cells_x = def.cells_y = 8;
    def.solid = rn_sdf_plane((rn_vec3){0, 0, 0}, (rn_vec3){0, 0, 1});
    def.hooks = (rn_hooks){.user = &p, .alloc = purse_spend, .free = purse_give_back};
    rn_terrain *terrain = NULL;
    assert_int_equal(rn_terrain_create(&def, &terrain), RN_OK);
    const int held = p.held;
    for (int left = 0; left < 3; left++) {
        rn_survey s;
        p.left = left;
        assert_int_equal(rn_terrain_survey(terrain, &s), RN_MEMORY);
        assert_int_equal(p.held, held);
    }
    rn_terrain_destroy(terrain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hollow_ball_has_one_cavity),
        cmocka_unit_test(cavities_are_told_apart),
        cmocka_unit_test(a_chimney_lets_liquid_in),
        cmocka_unit_test(so_does_a_door),
        cmocka_unit_test(a_torus_on_its_side_keeps_its_hole),
        cmocka_unit_test(thin_solid_is_counted),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
