/* What must not come between a mesh and its solid: triangles without an area, mirrors, faces within. */
#include "mesh_makers.h"

static rn_sdf *must_solid(const rn_mesh_solid_def *def, rn_mesh_report *report) {
    rn_sdf *solid = rn_sdf_mesh(def, report);
    if (!solid) fail_msg("%s", rn_last_error());
    return solid;
}

/* A box far from the origin of its file, where a triangle of no area was left behind: were that in the box around the
   mesh, all of its vertices would be close enough to be one. */
static void flat_triangles_may_lie_anywhere(void **state) {
    (void)state;
    made_mesh m = mesh_room(16, 16);
    mesh_add_box(&m, (rn_vec3){1, 1, 1}, (rn_vec3){0, 0, 0}, 0);
    const uint32_t away = mesh_point(&m, -1e8, 0, 0);
    mesh_triangle(&m, away, away, away);
    rn_mesh_solid_def def = mesh_def(&m);
    rn_mesh_report report;
    rn_sdf *solid = must_solid(&def, &report);
    assert_int_equal(report.degenerate, 1);
    assert_int_equal(report.used, 12);
    assert_near(report.low.x, -0.5, 1e-9);
    assert_near(rn_sdf_distance(solid, (rn_vec3){0, 0, 0}), -0.5, 1e-9);
    rn_sdf_destroy(solid);
    mesh_free(&m);
}

/* It is the transform that turns the triangles round: nothing is wrong with the mesh. */
static void mirrors_are_no_fault(void **state) {
    (void)state;
    made_mesh m = sphere_mesh(1, 12, 24);
    rn_mesh_solid_def def = mesh_def(&m);
    def.transform[0][0] = -2;
    def.transform[1][1] = def.transform[2][2] = 2;
    rn_mesh_report report;
    rn_sdf *solid = must_solid(&def, &report);
    char text[256];
    if (rn_mesh_report_line(&report, 0, text, sizeof text)) fail_msg("%s", text);
    assert_true(report.volume > 30);
    assert_true(rn_sdf_distance(solid, (rn_vec3){0, 0, 0}) < -1.8);
    rn_sdf_destroy(solid);
    mesh_free(&m);
}

/* Two tetrahedra on either side of one triangle: no edge is open, and yet its three have one side too many. */
static void faces_within_are_told(void **state) {
    (void)state;
    made_mesh m = mesh_room(8, 8);
    const uint32_t a = mesh_point(&m, 0, 0, 0), b = mesh_point(&m, 1, 0, 0), c = mesh_point(&m, 0, 1, 0),
                   up = mesh_point(&m, 0.3, 0.3, 1), down = mesh_point(&m, 0.3, 0.3, -1);
    mesh_triangle(&m, a, b, c);
    mesh_triangle(&m, a, b, up);
    mesh_triangle(&m, b, c, up);
    mesh_triangle(&m, c, a, up);
    mesh_triangle(&m, b, a, down);
    mesh_triangle(&m, c, b, down);
    mesh_triangle(&m, a, c, down);
    rn_mesh_solid_def def = mesh_def(&m);
    rn_mesh_report report;
    rn_sdf *solid = must_solid(&def, &report);
    assert_int_equal(report.open_edges, 0);
    assert_int_equal(report.holes, 1);
    char text[256] = "";
    bool told = false;
    for (int i = 0; rn_mesh_report_line(&report, i, text, sizeof text); i++)
        told = told || strcmp(text, "1 loop of edges whose triangles do not agree on which side is out: closed by "
                                    "triangles across") == 0;
    assert_true(told);
    assert_true(rn_sdf_distance(solid, (rn_vec3){0.3, 0.3, 0.3}) < 0);
    assert_true(rn_sdf_distance(solid, (rn_vec3){0.3, 0.3, -0.3}) < 0);
    rn_sdf_destroy(solid);
    mesh_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_triangles_may_lie_anywhere),
        cmocka_unit_test(mirrors_are_no_fault),
        cmocka_unit_test(faces_within_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
