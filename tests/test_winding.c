/* Triangles that do not join: winding numbers, and the skin around them. */
#include "mesh_makers.h"
#include "terrain/winding.h"

/* Every triangle by itself, drawn together about its middle: gaps on all sides. */
static made_mesh loosen(const made_mesh *whole, float share) {
    made_mesh m = mesh_soup(whole);
    for (uint32_t t = 0; t < m.triangles; t++) {
        float middle[3] = {0};
        for (int i = 0; i < 9; i++)
            middle[i % 3] += m.positions[3 * (size_t)m.indices[3 * t + (uint32_t)i / 3] + (size_t)(i % 3)] / 3;
        for (int i = 0; i < 9; i++) {
            float *p = &m.positions[3 * (size_t)m.indices[3 * t + (uint32_t)i / 3] + (size_t)(i % 3)];
            *p = middle[i % 3] + share * (*p - middle[i % 3]);
        }
    }
    return m;
}

static rn_sdf *must_solid(const made_mesh *m, rn_mesh_report *report) {
    rn_mesh_solid_def def = mesh_def(m);
    rn_sdf *solid = rn_sdf_mesh(&def, report);
    if (!solid) fail_msg("%s", rn_last_error());
    return solid;
}

static void expect_wrapped(made_mesh whole, float share, double volume) {
    rn_mesh_report sound, report;
    rn_sdf *expected = must_solid(&whole, &sound);
    made_mesh loose = loosen(&whole, share);
    for (int way = 0; way < 2; way++) {
        rn_sdf *solid = must_solid(&loose, &report);
        assert_true(sound.wrapped == 0 && report.wrapped > 0);
        assert_near(report.volume, volume, 0.02 * volume);
        int same = 0;
        for (int i = 0; i < 4000; i++) {
            const rn_vec3 p = random_point(1.1);
            const double f = rn_sdf_distance(expected, p), g = rn_sdf_distance(solid, p);
            same += fabs(f - g) <= report.wrapped;
        }
        if (same < 0.99 * 4000) fail_msg("only %d of 4000 distances agree", same);
        char text[256] = "";
        bool told = false;
        for (int i = 0; rn_mesh_report_line(&report, i, text, sizeof text); i++)
            told = told || strstr(text, "do not join: wrapped") != NULL;
        assert_true(told);
        rn_sdf_destroy(solid);
        for (uint32_t t = 0; t < loose.triangles; t++) mesh_flip(&loose, t); /* and inside out */
    }
    rn_sdf_destroy(expected);
    mesh_free(&loose);
    mesh_free(&whole);
}

static void loose_triangles_are_wrapped(void **state) {
    (void)state;
    expect_wrapped(sphere_mesh(1, 30, 60), 0.97f, 4 * pi / 3);
    expect_wrapped(torus_mesh(0.7, 0.3, 60, 30), 0.97f, 2 * pi * pi * 0.7 * 0.3 * 0.3);
    expect_wrapped(box_mesh((rn_vec3){1.4, 0.9, 0.6}), 0.99f, 1.4 * 0.9 * 0.6);
}

/* From afar as from nearby: against the sum over all triangles. */
static void far_triangles_count_together(void **state) {
    (void)state;
    made_mesh whole = sphere_mesh(1, 40, 80), m = loosen(&whole, 0.5f);
    rn_mesh_solid_def def = mesh_def(&m);
    rn_mesh_report report = {0};
    rn_shell shell = {0};
    assert_int_equal(rn_shell_mend(&shell, &def, &report), RN_OK);
    rn_winding near, w;
    assert_int_equal(rn_winding_make(&shell, &w), RN_OK);
    assert_int_equal(rn_winding_make(&shell, &near), RN_OK);
    for (size_t n = 0; n < near.tree.node_count; n++) near.moments[n].radius = INFINITY;
    double most = 0;
    for (int i = 0; i < 2000; i++) {
        const rn_vec3 p = random_point(i % 2 ? 1.2 : 20);
        most = rn_max(most, fabs(rn_winding_at(&w, p) - rn_winding_at(&near, p)));
    }
    assert_true(most < 0.03);
    /* A quarter of the area is left. */
    assert_near(rn_winding_at(&near, (rn_vec3){0, 0, 0}), 0.25, 0.001);
    rn_winding_free(&w);
    rn_winding_free(&near);
    rn_shell_free(&shell);
    mesh_free(&m);
    mesh_free(&whole);
}

/* Shells within shells count one by one, also the other way round, though all angles are added up as one. */
static void shells_add_up(void **state) {
    (void)state;
    made_mesh whole = sphere_mesh(1, 8, 16), m = mesh_room(5 * (size_t)whole.vertices, 5 * (size_t)whole.triangles);
    for (int n = 0; n < 5; n++) {
        mesh_append(&m, &whole, (rn_vec3){0, 0, 0});
        for (size_t i = 0; i < 3 * (size_t)whole.vertices; i++) whole.positions[i] *= 0.9f;
    }
    rn_mesh_solid_def def = mesh_def(&m);
    rn_mesh_report report = {0};
    for (int way = 0; way < 2; way++) {
        rn_shell shell = {0};
        rn_winding w;
        assert_int_equal(rn_shell_mend(&shell, &def, &report), RN_OK);
        assert_int_equal(rn_winding_make(&shell, &w), RN_OK);
        for (size_t n = 0; n < w.tree.node_count; n++) w.moments[n].radius = INFINITY;
        w.sign = 1;
        for (int i = 0; i < 200; i++) {
            assert_near(rn_winding_at(&w, random_point(0.3)), way ? -5 : 5, 1e-9);
            const rn_vec3 p = random_point(1);
            assert_near(rn_winding_at(&w, (rn_vec3){p.x + 2, p.y, p.z}), 0, 1e-9);
        }
        rn_winding_free(&w);
        rn_shell_free(&shell);
        for (uint32_t t = 0; t < m.triangles; t++) mesh_flip(&m, t);
    }
    mesh_free(&m);
    mesh_free(&whole);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loose_triangles_are_wrapped),
        cmocka_unit_test(far_triangles_count_together),
        cmocka_unit_test(shells_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
