/* Scans and level sets as solids: how they lie, what is solid in them, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#ifdef HAS_NANOVDB
#include "level_set.h"
#endif
#include "volume_files.h"

static const double pi = 3.14159265358979323846;

static void check_near(double value, double expected, double slack) {
    if (!(fabs(value - expected) <= slack)) fail_msg("%g, not %g within %g", value, expected, slack);
}

static int set_up(void **state) {
    (void)state;
    return make_folder("volumes");
}

static int tear_down(void **state) {
    (void)state;
    return take_folder_away();
}

/* ---- Shapes, in mm ---- */

static const double ball_centre[3] = {-31.3, 12.7, 45.1};
enum { BALL_RADIUS = 12 };

static double from(const double at[3], double x, double y, double z) {
    return sqrt((at[0] - x) * (at[0] - x) + (at[1] - y) * (at[1] - y) + (at[2] - z) * (at[2] - z));
}

static double from_ball(const double at[3]) {
    return from(at, ball_centre[0], ball_centre[1], ball_centre[2]) - BALL_RADIUS;
}

/* As a scanner sees bone: 300 at its surface. */
static double ball(const double at[3]) { return 300 - 40 * from_ball(at); }
static double ball_label(const double at[3]) { return from_ball(at) <= 0 ? 3 : from_ball(at) < 4 ? 1 : 0; }
static double ball_with_holes(const double at[3]) { return from_ball(at) > 8 ? NAN : ball(at); }
static double nothing(const double at[3]) { return at[0] > 1e9 ? 0 : NAN; }
static double level(const double at[3]) { return at[0] > 1e9 ? 0 : 7; }

/* A shell, and a crumb beside it. */
static double shell(const double at[3]) {
    const double far = from_ball(at), crumb = from(at, ball_centre[0] + 17, ball_centre[1], ball_centre[2]) - 2.5;
    return -fmin(fmax(far, -5 - far), crumb); /* 0 at the surface, more inside */
}

/* ---- Lattices ---- */

/* The turn of a quaternion with these b, c and d, as NIfTI has it, times spacings; the ball is near the middle. */
static lattice turned(double b, double c, double d, double dx, double dy, double dz, double side) {
    const double a = sqrt(1 - b * b - c * c - d * d);
    const double turn[3][3] = {{a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)},
                               {2 * (b * c + a * d), a * a + c * c - b * b - d * d, 2 * (c * d - a * b)},
                               {2 * (b * d - a * c), 2 * (c * d + a * b), a * a + d * d - b * b - c * c}};
    const double spacing[3] = {dx, dy, dz};
    lattice l;
    for (int j = 0; j < 3; j++) l.cells[j] = (int)ceil(side / fabs(spacing[j]));
    for (int i = 0; i < 3; i++) {
        l.rows[i][3] = ball_centre[i] + 0.37;
        for (int j = 0; j < 3; j++) {
            l.rows[i][j] = turn[i][j] * spacing[j];
            l.rows[i][3] -= l.rows[i][j] * (l.cells[j] - 1) / 2;
        }
    }
    return l;
}

static const double oblique[3] = {0.2, -0.3, 0.4};
static const double apart[3] = {0.9, 0.7, 1.6}; /* mm, between samples */

static lattice slanted(void) { return turned(oblique[0], oblique[1], oblique[2], apart[0], apart[1], apart[2], 34); }
static lattice upright(double spacing) { return turned(0, 0, 0, spacing, spacing, spacing, 34); }

static const nifti_form plain = {.kind = NIFTI_FLOAT, .sform = true, .units = 2, .spacing = {1, 1, 1}};

/* ---- Reading ---- */

static rn_volume_def at_iso(double iso) {
    rn_volume_def def = rn_volume_default();
    def.iso = iso;
    return def;
}

static rn_result read_surface(const char *name, const rn_volume_def *def, rn_mesh_file *mesh, rn_volume_info *info) {
    rn_result result = rn_volume_read(in_folder(name), def, mesh, info);
    if (result == RN_UNSUPPORTED) skip();
    assert_true((result == RN_OK) == (mesh->memory != NULL));
    return result;
}

static measures surface_of(const char *name, const rn_volume_def *def, rn_volume_info *info) {
    rn_mesh_file mesh;
    if (read_surface(name, def, &mesh, info) != RN_OK) fail_msg("%s", rn_last_error());
    measures m = measure(&mesh);
    rn_mesh_file_free(&mesh);
    return m;
}

static void check_refused(const char *name, const rn_volume_def *def, rn_result expected, const char *words) {
    rn_mesh_file mesh;
    rn_result result = read_surface(name, def, &mesh, NULL);
    if (result != expected || !strstr(rn_last_error(), words) || !strstr(rn_last_error(), name))
        fail_msg("%s: %d, not %d with \"%s\": %s", name, (int)result, (int)expected, words, rn_last_error());
}

/* Within 1 % of the volume, and a tenth of a sample of the place. */
static void check_ball(const measures *m, double unit) {
    const double volume = 4 * pi / 3 * BALL_RADIUS * BALL_RADIUS * BALL_RADIUS * unit * unit * unit;
    if (fabs(m->volume - volume) > 0.01 * volume) fail_msg("a volume of %g, not %g", m->volume, volume);
    for (int i = 0; i < 3; i++)
        if (fabs(m->centre[i] - ball_centre[i] * unit) > 0.07 * unit)
            fail_msg("its centre at %g along %d, not %g", m->centre[i], i, ball_centre[i] * unit);
}

static void check_vertices(const rn_mesh_file *mesh, double slack) {
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        const float *p = mesh->positions + 3 * v;
        const double at[3] = {(double)p[0], (double)p[1], (double)p[2]};
        if (fabs(from_ball(at)) > slack) fail_msg("a vertex %g mm from the ball", from_ball(at));
    }
}

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
    assert_true(rn_volume_info_line(&info, 0, line, sizeof line) && strstr(line, "does not say how it lies"));
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
        if (rn_volume_look(in_folder("units.nii"), &info) == RN_UNSUPPORTED) skip();
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

/* ---- Tests: refusals ---- */

static void test_refusals(void **state) {
    (void)state;
    const lattice l = slanted(), flat = {{30, 30, 1}, {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
    lattice folded = l, endless = l;
    nifti_form form = plain;
    rn_volume_def def = at_iso(300);
    write_nifti("ball", &l, &plain, ball);
    def.iso = 5000;
    check_refused("ball.nii", &def, RN_INVALID, "nothing of it lies above the iso-value 5000; values go from -");
    def.iso = -5000;
    check_refused("ball.nii", &def, RN_INVALID, "all of it lies above the iso-value -5000; values go from -");
    def.iso = NAN;
    check_refused("ball.nii", &def, RN_INVALID, "needs an iso-value or labels to tell what is solid; values go from -");
    def.labels = (const int32_t[]){3, 4};
    def.label_count = 2;
    check_refused("ball.nii", &def, RN_INVALID, "no sample has the label 3 or 4; values go from -");
    def.iso = 300;
    check_refused("ball.nii", &def, RN_INVALID, "give an iso-value or labels, not both");
    def = at_iso(300);
    write_nifti("empty", &l, &plain, nothing);
    check_refused("empty.nii", &def, RN_FORMAT, "samples is finite");
    write_nifti("level", &l, &plain, level);
    check_refused("level.nii", &def, RN_INVALID, "values go from 7 to 7");
    form.kind = NIFTI_RGB;
    write_nifti("rgb", &l, &form, level);
    check_refused("rgb.nii", &def, RN_FORMAT, "holds colours");
    write_nifti("flat", &flat, &plain, level);
    check_refused("flat.nii", &def, RN_FORMAT, "has 30 x 30 x 1 samples");
    for (int i = 0; i < 3; i++) folded.rows[i][1] = folded.rows[i][0];
    write_nifti("folded", &folded, &plain, level);
    check_refused("folded.nii", &def, RN_FORMAT, "its axes lie in one plane");
    endless.rows[1][1] = INFINITY;
    write_nifti("endless", &endless, &plain, level);
    check_refused("endless.nii", &def, RN_FORMAT, "apart along y");
    form = (nifti_form){.kind = NIFTI_FLOAT, .qform = true, .spacing = {1, 0, 1}};
    write_nifti("close", &l, &form, ball);
    check_refused("close.nii", &def, RN_FORMAT, "samples lie 0 apart along y");
    check_refused("none.nii", &def, RN_FILE, "cannot be read");
    check_refused("ball.dcm", &def, RN_FORMAT, "is of no kind of volume that is known");
}

static void write_text(const char *name, const char *text) {
    FILE *file = fopen(in_folder(name), "wb");
    fputs(text, file);
    fclose(file);
}

static void test_hostile_headers(void **state) {
    (void)state;
    const rn_volume_def def = at_iso(300);
    const lattice huge = {{32000, 32000, 4}, {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
    writer w = {fopen(in_folder("huge.nii"), "wb"), false};
    put_nifti_header(&w, &huge, &plain);
    put_zeros(&w, 4096);
    fclose(w.file);
    check_refused("huge.nii", &def, RN_LIMIT, "has 32000 x 32000 x 4 samples of 4 bytes");
#define START "NRRD0004\ntype: float\nencoding: raw\nendian: little\n"
    write_text("huge.nrrd", START "dimension: 3\nsizes: 65536 32768 2\n\n");
    check_refused("huge.nrrd", &def, RN_LIMIT, "has 65536 x 32768 x 2 samples");
    write_text("flat.nrrd", START "dimension: 2\nsizes: 4 4\n\n");
    check_refused("flat.nrrd", &def, RN_FORMAT, "has 2 axes in space; a volume has 3");
    write_text("rgb.nrrd", START "dimension: 4\nsizes: 3 4 4 4\nkinds: RGB-color domain domain domain\n\n");
    check_refused("rgb.nrrd", &def, RN_FORMAT, "holds colours or vectors");
    write_text("elsewhere.nhdr", START "dimension: 3\nsizes: 4 4 4\ndata file: ../../../etc/passwd\n");
    check_refused("elsewhere.nhdr", &def, RN_FORMAT, "names samples in another folder, ../../../etc/passwd");
    write_text("list.nhdr", START "dimension: 3\nsizes: 4 4 4\ndata file: LIST\nfine.raw\n/etc/passwd\n");
    check_refused("list.nhdr", &def, RN_FORMAT, "names samples in another folder, /etc/passwd");
    write_text("missing.nhdr", START "dimension: 3\nsizes: 4 4 4\ndata file: missing.raw\n");
    check_refused("missing.nhdr", &def, RN_FORMAT, "cannot be read as NRRD");
    write_text("words.nrrd", "What is this?\n");
    check_refused("words.nrrd", &def, RN_FORMAT, "does not begin as NRRD files do");
    write_text("words.nvdb", "What is this? More than 16 bytes of no use.\n");
    check_refused("words.nvdb", &def, RN_FORMAT, "does not begin as NanoVDB files do");
    write_text("words.nii", "What is this?\n");
    check_refused("words.nii", &def, RN_FORMAT, "not a NIfTI volume");
}

/* Refused in a sentence, wherever it is cut. */
static void check_cuts(const char *name, const rn_volume_def *def) {
    const char *ending = strchr(name, '.');
    char cut[64];
    snprintf(cut, sizeof cut, "cut%s", ending);
    int64_t size;
    assert_true(rn_file_size(in_folder(name), &size));
    unsigned char *bytes = malloc((size_t)size);
    FILE *file = fopen(in_folder(name), "rb");
    assert_int_equal(fread(bytes, 1, (size_t)size, file), size);
    fclose(file);
    for (int part = 0; part <= 16; part++) {
        file = fopen(in_folder(cut), "wb");
        fwrite(bytes, 1, (size_t)(size * part / 16), file);
        fclose(file);
        rn_mesh_file mesh;
        rn_result result = read_surface(cut, def, &mesh, NULL);
        if (result != (part < 16 ? RN_FORMAT : RN_OK) || (part < 16 && !strstr(rn_last_error(), cut)))
            fail_msg("%s, %d/16 of it: %d, %s", name, part, (int)result, rn_last_error());
        rn_mesh_file_free(&mesh);
    }
    free(bytes);
}

static bool run_gzip(const char *name) {
    char command[1024];
    snprintf(command, sizeof command, "gzip -kf '%s'", in_folder(name));
    return system(command) == 0;
}

static void test_cut_off(void **state) {
    (void)state;
    const lattice l = slanted();
    const rn_volume_def iso = at_iso(300);
    write_nifti("whole", &l, &plain, ball);
    check_cuts("whole.nii", &iso);
    if (run_gzip("whole.nii")) check_cuts("whole.nii.gz", &iso);
    write_nrrd("whole.nrrd", NULL, &l, "spacings: 1 1 1\n", false, ball);
    check_cuts("whole.nrrd", &iso);
#ifdef HAS_NANOVDB
    const float centre[3] = {0, 0, 0};
    const rn_volume_def def = rn_volume_default();
    for (int zipped = 0; zipped < 2; zipped++) {
        assert_int_equal(write_level_set(in_folder("whole.nvdb"), 3, centre, 0.5, zipped, false), 0);
        check_cuts("whole.nvdb", &def);
    }
#endif
}

/* ---- Tests: in scenes ---- */

typedef struct notes {
    char text[1024];
} notes;

static void take_note(void *user, rn_log_level level_of, const char *text) {
    notes *n = user;
    (void)level_of;
    strncat(n->text, text, sizeof n->text - strlen(n->text) - 1);
}

static rn_result open_scene(const char *keys, notes *said, rn_scene **scene) {
    char text[1024];
    snprintf(text, sizeof text,
             "{\"grid\": {\"cells\": [40, 40], \"cell\": 0.001, \"bottom\": -0.01, \"lid\": 0.1},\n"
             " \"solid\": {\"type\": \"union\", \"of\": [{\"type\": \"plane\"}, {\"type\": \"volume\", %s}]}}\n",
             keys);
    write_text("scene.json", text);
    const rn_scene_def def = {
        .path = in_folder("scene.json"), .threads = 1, .keep_solid = true, .hooks = {.user = said, .log = take_note}};
    rn_result result = rn_scene_open(&def, scene);
    if (result == RN_UNSUPPORTED) skip();
    return result;
}

static void test_scene(void **state) {
    (void)state;
    const lattice l = slanted();
    notes said = {""};
    rn_scene *scene = NULL;
    write_nifti("ball", &l, &plain, ball);
    if (open_scene("\"file\": \"ball.nii\", \"iso\": 300, \"centred\": true, \"at\": [0, 0, 0.02]", &said, &scene) !=
        RN_OK)
        fail_msg("%s", rn_last_error());
    assert_string_equal(said.text, "");
    const rn_sdf *solid = rn_scene_solid(scene); /* of a ball with a radius of 12 mm, 20 mm up */
    const double heights[] = {0.022, 0.032, 0.042, 0.05}, distances[] = {-0.002, -0.012, -0.002, 0.006};
    for (int i = 0; i < 4; i++)
        check_near(rn_sdf_distance(solid, (rn_vec3){0.02, 0.02, heights[i]}), distances[i], 5e-5);
    rn_scene_close(scene);
}

static void test_scene_refusals(void **state) {
    (void)state;
    const lattice l = slanted();
    nifti_form form = plain;
    form.volumes = 2;
    write_nifti("ball", &l, &form, ball);
    static const struct {
        const char *keys, *words;
    } cases[] = {
        {"\"file\": \"ball.nii\"", "needs either \"iso\" or \"labels\""},
        {"\"file\": \"ball.nii\", \"iso\": 300, \"labels\": [3]", "needs either \"iso\" or \"labels\""},
        {"\"file\": \"ball.nii\", \"iso\": 3000", "ball.nii: nothing of it lies above the iso-value 3000; values go"},
        {"\"file\": \"ball.nii\", \"labels\": [3.5]", "labels are whole numbers"},
        {"\"file\": \"none.nii\", \"iso\": 300", "cannot be read"},
    };
    rn_scene *scene = NULL;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        notes said = {""};
        rn_result result = open_scene(cases[i].keys, &said, &scene);
        if (result == RN_OK || !strstr(rn_last_error(), cases[i].words) || !strstr(rn_last_error(), "scene.json"))
            fail_msg("%s: %s", cases[i].keys, rn_last_error());
    }
    notes said = {""};
    if (open_scene("\"file\": \"ball.nii\", \"iso\": 300", &said, &scene) != RN_OK) fail_msg("%s", rn_last_error());
    assert_non_null(strstr(said.text, "ball.nii: holds 2 volumes, of which the first is taken"));
    rn_scene_close(scene);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_slanted_ball), TEST(test_distances),       TEST(test_forms),
        TEST(test_without_form), TEST(test_units),           TEST(test_kinds),
        TEST(test_nrrd_spaces),  TEST(test_nrrd_spacings),   TEST(test_labels),
        TEST(test_block),        TEST(test_below),           TEST(test_least_part),
        TEST(test_cavity),       TEST(test_on_the_surface),  TEST(test_rim),
        TEST(test_spacing),      TEST(test_non_finite),      TEST(test_volumes_one_after_the_other),
#ifdef HAS_NANOVDB
        TEST(test_level_sets),
#endif
        TEST(test_refusals),     TEST(test_hostile_headers), TEST(test_cut_off),
        TEST(test_scene),        TEST(test_scene_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
