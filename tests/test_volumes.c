/* Scans and level sets as solids: how they lie, and what is solid in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#ifdef HAS_NANOVDB
#include "level_set.h"
#endif
#include "volume_balls.h"

/* ---- Tests: how it lies ---- */

static void test_slanted_ball(void **state) {
    (void)state;
    const lattice l = slanted();
    write_nifti("ball", &l, &plain, ball);
    const rn_volume_def def = at_iso(300);
    rn_mesh_file mesh;
    rn_volume_info info;
    if (read_surface("ball.nii", &def, &mesh, &info) != RN_OK) fail_msg("%s", rn_last_error());
    const measures m = measure(&mesh);
    check_ball(&m, 1);
    assert_true(mesh.unit == 1e-3 && mesh.up == RN_UP_Z && info.oriented && info.volumes == 1 && !info.whole);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(info.cells[i], l.cells[i]);
        check_near(info.spacing[i], apart[i], 1e-6);
    }
    check_vertices(&mesh, 0.03);
    rn_mesh_file_free(&mesh);
}

/* As it is, in mm. Nothing may be found wrong with the surface. */
static rn_sdf *solid_of(const char *name, const rn_volume_def *def, rn_mesh_report *report) {
    rn_mesh_file mesh;
    if (read_surface(name, def, &mesh, NULL) != RN_OK) fail_msg("%s", rn_last_error());
    rn_mesh_solid_def solid = rn_mesh_solid_default();
    solid.positions = mesh.positions;
    solid.indices = mesh.indices;
    solid.vertex_count = mesh.vertex_count;
    solid.triangle_count = mesh.triangle_count;
    rn_sdf *shape = rn_sdf_mesh(&solid, report);
    rn_mesh_file_free(&mesh);
    assert_non_null(shape);
    char line[512];
    if (rn_mesh_report_line(report, 0, line, sizeof line)) fail_msg("%s", line);
    return shape;
}

/* Near the surface, against the closed form. */
static void test_distances(void **state) {
    (void)state;
    const lattice l = slanted();
    write_nifti("ball", &l, &plain, ball);
    const rn_volume_def def = at_iso(300);
    rn_mesh_report report;
    rn_sdf *shape = solid_of("ball.nii", &def, &report);
    assert_int_equal(report.euler, 2);
    for (int k = 0; k < 500; k++) {
        const double up = 2 * (k + 0.5) / 500 - 1, round = 2.399963 * k, far = BALL_RADIUS + 3 * sin(7.0 * k);
        const rn_vec3 at = {ball_centre[0] + far * sqrt(1 - up * up) * cos(round),
                            ball_centre[1] + far * sqrt(1 - up * up) * sin(round), ball_centre[2] + far * up};
        const double wrong = rn_sdf_distance(shape, at) - (far - BALL_RADIUS);
        if (fabs(wrong) > 0.06) fail_msg("%g mm off, %g mm from the surface", wrong, far - BALL_RADIUS);
    }
    rn_sdf_destroy(shape);
}

static void test_forms(void **state) {
    (void)state;
    const rn_volume_def def = at_iso(300);
    for (int left = 0; left < 2; left++) { /* the third axis turned round, as qfac says */
        const double dz = left ? -apart[2] : apart[2];
        const lattice l = turned(oblique[0], oblique[1], oblique[2], apart[0], apart[1], dz, 34);
        nifti_form form = {.kind = NIFTI_FLOAT, .qform = true, .qfac = left ? -1 : 1, .units = 2};
        memcpy(form.quaternion, oblique, sizeof oblique);
        memcpy(form.spacing, apart, sizeof apart);
        write_nifti("qform", &l, &form, ball);
        const measures m = surface_of("qform.nii", &def, NULL);
        check_ball(&m, 1);
        form.sform = true; /* wins, whatever the qform says */
        form.quaternion[0] = 0;
        write_nifti("both", &l, &form, ball);
        const measures same = surface_of("both.nii", &def, NULL);
        check_ball(&same, 1);
    }
}

static void test_without_form(void **state) {
    (void)state;
    lattice l = upright(1);
    const nifti_form form = {.kind = NIFTI_FLOAT, .spacing = {1, 1, 1}};
    write_nifti("bare", &l, &form, ball);
    const rn_volume_def def = at_iso(300);
    rn_volume_info info;
    const measures m = surface_of("bare.nii", &def, &info);
    char line[256];
    assert_false(info.oriented);
    assert_true(rn_volume_info_line(&info, 0, line, sizeof line) && strstr(line, "does not state its orientation"));
    assert_false(rn_volume_info_line(&info, 1, line, sizeof line));
    check_near(m.volume, 4 * pi / 3 * BALL_RADIUS * BALL_RADIUS * BALL_RADIUS, 80);
    for (int i = 0; i < 3; i++) check_near(m.centre[i] + l.rows[i][3], ball_centre[i], 0.1);
}

static void test_units(void **state) {
    (void)state;
    const lattice l = slanted();
    static const double metres[] = {1e-3, 1, 1e-3, 1e-6};
    for (int units = 0; units < 4; units++) {
        nifti_form form = plain;
        form.units = units;
        write_nifti("units", &l, &form, ball);
        rn_volume_info info;
        if (rn_volume_inspect(in_folder("units.nii"), &info) == RN_UNSUPPORTED) skip();
        assert_true(info.unit == metres[units]);
    }
}

static void test_kinds(void **state) {
    (void)state;
    const lattice l = slanted();
    static const nifti_form forms[] = {
        {.kind = NIFTI_INT16},
        {.kind = NIFTI_INT16, .big_endian = true},
        {.kind = NIFTI_INT16, .slope = 0.25, .intercept = -1024},
        {.kind = NIFTI_INT32},
        {.kind = NIFTI_DOUBLE, .big_endian = true},
        {.kind = NIFTI_FLOAT, .pair = true},
        {.kind = NIFTI_UINT8, .slope = 8, .intercept = -700},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        nifti_form form = forms[i];
        form.sform = true;
        form.units = 2;
        write_nifti("kind", &l, &form, ball);
        const rn_volume_def def =
            at_iso(form.kind == NIFTI_UINT8 ? 296 : 300); /* bytes are cut, half a step on average */
        const measures m = surface_of(form.pair ? "kind.hdr" : "kind.nii", &def, NULL);
        check_ball(&m, 1);
    }
}

/* Directions and origin of a lattice, with signs for the axes of a space. */
static void nrrd_space(const lattice *l, const char *space, double sx, double sy, char *lines, size_t size) {
    const double s[3] = {sx, sy, 1};
    int used = snprintf(lines, size, "space: %s\nspace directions:", space);
    for (int j = 0; j < 4; j++)
        used += snprintf(lines + used, size - (size_t)used, "%s(%.17g,%.17g,%.17g)",
                         j < 3 ? " " : "\nspace origin: ", s[0] * l->rows[0][j], s[1] * l->rows[1][j],
                         s[2] * l->rows[2][j]);
    snprintf(lines + used, size - (size_t)used, "\n");
}

static void test_nrrd_spaces(void **state) {
    (void)state;
    const lattice l = slanted();
    const rn_volume_def def = at_iso(300);
    static const struct {
        const char *space;
        double x, y;
    } spaces[] = {{"right-anterior-superior", 1, 1},
                  {"RAS", 1, 1},
                  {"left-posterior-superior", -1, -1},
                  {"LPS", -1, -1},
                  {"LAS", -1, 1}};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        char lines[1024];
        nrrd_space(&l, spaces[i].space, spaces[i].x, spaces[i].y, lines, sizeof lines);
        write_nrrd("space.nrrd", NULL, &l, lines, i % 2 == 1, ball);
        rn_volume_info info;
        const measures m = surface_of("space.nrrd", &def, &info);
        check_ball(&m, 1);
        assert_true(info.oriented && info.unit == 1e-3);
        write_nrrd("space.nhdr", "space.raw", &l, lines, i % 2 == 1, ball);
        const measures beside = surface_of("space.nhdr", &def, NULL);
        check_ball(&beside, 1);
    }
}

static void test_nrrd_spacings(void **state) {
    (void)state;
    const lattice l = upright(1);
    const rn_volume_def def = at_iso(300);
    rn_volume_info info;
    write_nrrd("spacings.nrrd", NULL, &l, "spacings: 1 1 1\n", false, ball);
    const measures m = surface_of("spacings.nrrd", &def, &info);
    assert_false(info.oriented);
    check_near(m.volume, 4 * pi / 3 * BALL_RADIUS * BALL_RADIUS * BALL_RADIUS, 80);
    for (int i = 0; i < 3; i++) check_near(m.centre[i] + l.rows[i][3], ball_centre[i], 0.1);
    char lines[256];
    snprintf(lines, sizeof lines, "spacings: 1 1 1\naxis mins: %.17g %.17g %.17g\nunits: \"cm\" \"cm\" \"cm\"\n",
             l.rows[0][3], l.rows[1][3], l.rows[2][3]);
    write_nrrd("mins.nrrd", NULL, &l, lines, false, ball);
    const measures same = surface_of("mins.nrrd", &def, &info);
    check_ball(&same, 1);
    assert_true(info.unit == 1e-2);
}

/* ---- Tests: what is solid ---- */

static void test_labels(void **state) {
    (void)state;
    const lattice l = slanted();
    nifti_form form = plain;
    form.kind = NIFTI_UINT8;
    write_nifti("labels", &l, &form, ball_label);
    double off[2] = {0, 0};
    for (int steps = 0; steps < 2; steps++) {
        rn_volume_def def = rn_volume_default();
        def.labels = (const int32_t[]){3, 17};
        def.label_count = 2;
        if (steps) def.smoothing = 0;
        rn_mesh_file mesh;
        rn_volume_info info;
        if (read_surface("labels.nii", &def, &mesh, &info) != RN_OK) fail_msg("%s", rn_last_error());
        assert_true(info.whole && info.least == 0 && info.most == 3);
        const measures m = measure(&mesh);
        if (!steps) check_ball(&m, 1);
        for (size_t t = 0; t < mesh.triangle_count; t++) { /* how far normals are from those of a ball */
            double p[3][3], middle[3];
            for (size_t k = 0; k < 3; k++)
                for (size_t i = 0; i < 3; i++)
                    p[k][i] = (double)mesh.positions[3 * (size_t)mesh.indices[3 * t + k] + i];
            for (int i = 0; i < 3; i++) middle[i] = (p[0][i] + p[1][i] + p[2][i]) / 3 - ball_centre[i];
            const double u[3] = {p[1][0] - p[0][0], p[1][1] - p[0][1], p[1][2] - p[0][2]};
            const double v[3] = {p[2][0] - p[0][0], p[2][1] - p[0][1], p[2][2] - p[0][2]};
            const double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
            const double length = from(middle, 0, 0, 0);
            off[steps] += from(n, 0, 0, 0) - (n[0] * middle[0] + n[1] * middle[1] + n[2] * middle[2]) / length;
        }
        rn_mesh_file_free(&mesh);
    }
    if (off[0] > 0.15 * off[1]) fail_msg("smoothed, normals are off by %g; in steps by %g", off[0], off[1]);
}

/* A block of labels has the size of its samples, in steps to the last digit. */
static double block(const double at[3]) { return fabs(at[0]) < 5 && fabs(at[1]) < 4 && fabs(at[2]) < 3; }

static void test_block(void **state) {
    (void)state;
    lattice l = {{20, 20, 20}, {{1, 0, 0, -9.5}, {0, 1, 0, -9.5}, {0, 0, 1, -9.5}}};
    nifti_form form = plain;
    form.kind = NIFTI_UINT8;
    write_nifti("block", &l, &form, block);
    rn_volume_def def = rn_volume_default();
    def.labels = (const int32_t[]){1};
    def.label_count = 1;
    const measures smooth = surface_of("block.nii", &def, NULL);
    check_near(smooth.volume, 480, 1);
    check_near(smooth.high[0], 5, 0.2); /* what its edges lose goes to its faces */
    def.smoothing = 0;
    const measures steps = surface_of("block.nii", &def, NULL);
    const double sides[3] = {5, 4, 3};
    for (int i = 0; i < 3; i++) {
        check_near(steps.low[i], -sides[i], 1e-5);
        check_near(steps.high[i], sides[i], 1e-5);
    }
}

static void test_below(void **state) {
    (void)state;
    const lattice l = slanted();
    write_nifti("below", &l, &plain, from_ball);
    rn_volume_def def = at_iso(0);
    def.below = true;
    const measures m = surface_of("below.nii", &def, NULL);
    check_ball(&m, 1);
}

static double shell_volume(double inner, double outer) { return 4 * pi / 3 * (pow(outer, 3) - pow(inner, 3)); }

static void test_least_part(void **state) {
    (void)state;
    const lattice l = turned(0.1, 0.2, 0.1, 0.6, 0.6, 0.8, 42);
    write_nifti("shell", &l, &plain, shell);
    rn_volume_def def = at_iso(0);
    const double crumb = shell_volume(0, 2.5), cavity = shell_volume(0, BALL_RADIUS - 5),
                 whole = shell_volume(0, BALL_RADIUS);
    const struct {
        double least, left; /* mm^3 */
    } cases[] = {{0, whole - cavity + crumb}, {2 * crumb, whole - cavity}, {2 * cavity, whole}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        def.least_part = cases[i].least * 1e-9;
        const measures m = surface_of("shell.nii", &def, NULL);
        if (fabs(m.volume - cases[i].left) > 0.01 * cases[i].left)
            fail_msg("from %g mm^3 on there are %g, not %g", cases[i].least, m.volume, cases[i].left);
    }
    def.least_part = 1;
    check_refused("shell.nii", &def, RN_INVALID, "its largest part has");
}

/* A cavity stays one, and what lies beside the solid stays apart. */
static void test_cavity(void **state) {
    (void)state;
    const lattice l = turned(0.1, 0.2, 0.1, 0.6, 0.6, 0.8, 42);
    write_nifti("shell", &l, &plain, shell);
    const rn_volume_def def = at_iso(0);
    rn_mesh_report report;
    rn_sdf *shape = solid_of("shell.nii", &def, &report);
    const double along_x[] = {0, -9.5, 17}, distances[] = {BALL_RADIUS - 5, -2.5, -2.5};
    for (int i = 0; i < 3; i++) {
        const rn_vec3 at = {ball_centre[0] + along_x[i], ball_centre[1], ball_centre[2]};
        check_near(rn_sdf_distance(shape, at), distances[i], 0.1);
    }
    rn_sdf_destroy(shape);
}

/* Samples that lie right on the surface make no triangles that anything could be wrong with. */
static double in_steps(const double at[3]) { return rint(from_ball(at)); }

static void test_on_the_surface(void **state) {
    (void)state;
    const lattice l = slanted();
    write_nifti("steps", &l, &plain, in_steps);
    rn_volume_def def = at_iso(0);
    def.below = true;
    rn_mesh_report report;
    rn_sdf *shape = solid_of("steps.nii", &def, &report);
    assert_int_equal(report.degenerate + report.joined, 0);
    rn_sdf_destroy(shape);
}

/* Where the scan ends, so does the solid, half a sample on. */
static double slab(const double at[3]) { return at[2] < 3.2 ? 100 + at[0] : 0; }

static void test_rim(void **state) {
    (void)state;
    const lattice l = {{8, 9, 10}, {{2, 0, 0, 10}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
    write_nifti("rim", &l, &plain, slab);
    const rn_volume_def def = at_iso(50);
    const measures m = surface_of("rim.nii", &def, NULL);
    const double low[3] = {9, -0.5, -0.5}, high[2] = {25, 8.5};
    for (int i = 0; i < 3; i++) check_near(m.low[i], low[i], 1e-4);
    for (int i = 0; i < 2; i++) check_near(m.high[i], high[i], 1e-4);
    assert_true(m.high[2] > 3.4 && m.high[2] < 3.7);
}

static void test_spacing(void **state) {
    (void)state;
    const lattice l = turned(oblique[0], oblique[1], oblique[2], 0.5, 0.5, 1, 34);
    write_nifti("fine", &l, &plain, ball);
    rn_volume_def def = at_iso(300);
    def.spacing = 1e-3;
    rn_volume_info info;
    const measures m = surface_of("fine.nii", &def, &info);
    check_ball(&m, 1);
    char line[256];
    assert_true(info.factors[0] == 2 && info.factors[1] == 2 && info.factors[2] == 1);
    assert_true(rn_volume_info_line(&info, 0, line, sizeof line) && strstr(line, "blocks of 2 x 2 x 1 samples"));
    def.spacing = 10; /* of m: with the unit given, of 10000 samples */
    def.unit = 10;
    const measures same = surface_of("fine.nii", &def, &info);
    check_ball(&same, 1);
    assert_true(info.factors[0] == 2 && info.factors[2] == 1);
}

static void test_non_finite(void **state) {
    (void)state;
    const lattice l = slanted();
    write_nifti("nan", &l, &plain, ball_with_holes);
    const rn_volume_def def = at_iso(300);
    rn_volume_info info;
    const measures m = surface_of("nan.nii", &def, &info);
    char line[256];
    check_ball(&m, 1);
    assert_true(info.non_finite > 1000 && isfinite(info.least));
    assert_true(rn_volume_info_line(&info, 0, line, sizeof line) && strstr(line, "samples are not finite"));
}

static void test_volumes_one_after_the_other(void **state) {
    (void)state;
    const lattice l = slanted();
    nifti_form form = plain;
    form.volumes = 3;
    write_nifti("four", &l, &form, ball);
    const rn_volume_def def = at_iso(300);
    rn_volume_info info;
    const measures m = surface_of("four.nii", &def, &info);
    char line[256];
    check_ball(&m, 1);
    assert_true(rn_volume_info_line(&info, 0, line, sizeof line) && strstr(line, "holds 3 volumes"));
}

#ifdef HAS_NANOVDB
static void test_level_sets(void **state) {
    (void)state;
    const float centre[3] = {(float)ball_centre[0], (float)ball_centre[1], (float)ball_centre[2]};
    const rn_volume_def def = rn_volume_default();
    for (int i = 0; i < 4; i++) {
        const double spacing = i < 2 ? 0.8 : 0.21; /* mm; the finer one has blocks without samples of their own */
        assert_int_equal(write_level_set(in_folder("ball.nvdb"), BALL_RADIUS, centre, spacing, i % 2, false), 0);
        rn_volume_info info;
        rn_mesh_file mesh;
        if (read_surface("ball.nvdb", &def, &mesh, &info) != RN_OK) fail_msg("%s", rn_last_error());
        const measures m = measure(&mesh);
        check_ball(&m, 1);
        check_vertices(&mesh, 0.02);
        rn_mesh_file_free(&mesh);
        assert_true(info.level_set && info.unit == 0 && fabs(info.spacing[0] - spacing) < 1e-6);
    }
    assert_int_equal(write_level_set(in_folder("fog.nvdb"), BALL_RADIUS, centre, 0.8, false, true), 0);
    check_refused("fog.nvdb", &def, RN_FORMAT, "holds no level set of floats");
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_slanted_ball), TEST(test_distances),      TEST(test_forms),
        TEST(test_without_form), TEST(test_units),          TEST(test_kinds),
        TEST(test_nrrd_spaces),  TEST(test_nrrd_spacings),  TEST(test_labels),
        TEST(test_block),        TEST(test_below),          TEST(test_least_part),
        TEST(test_cavity),       TEST(test_on_the_surface), TEST(test_rim),
        TEST(test_spacing),      TEST(test_non_finite),     TEST(test_volumes_one_after_the_other),
#ifdef HAS_NANOVDB
        TEST(test_level_sets),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
