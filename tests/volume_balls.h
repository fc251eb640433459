/* Balls and the like as volumes, lattices that they are sampled in, and how tests read them. After cmocka.h. */
#ifndef VOLUME_BALLS_H
#define VOLUME_BALLS_H

#include "volume_files.h"

static const double pi = 3.14159265358979323846;

static inline void check_near(double value, double expected, double slack) {
    if (!(fabs(value - expected) <= slack)) fail_msg("%g, not %g within %g", value, expected, slack);
}

static inline int set_up(void **state) {
    (void)state;
    return make_folder("volumes");
}

static inline int tear_down(void **state) {
    (void)state;
    return take_folder_away();
}

/* ---- Shapes, in mm ---- */

static const double ball_centre[3] = {-31.3, 12.7, 45.1};
enum { BALL_RADIUS = 12 };

static inline double from(const double at[3], double x, double y, double z) {
    return sqrt((at[0] - x) * (at[0] - x) + (at[1] - y) * (at[1] - y) + (at[2] - z) * (at[2] - z));
}

static inline double from_ball(const double at[3]) {
    return from(at, ball_centre[0], ball_centre[1], ball_centre[2]) - BALL_RADIUS;
}

/* As a scanner sees bone: 300 at its surface. */
static inline double ball(const double at[3]) { return 300 - 40 * from_ball(at); }
static inline double ball_label(const double at[3]) { return from_ball(at) <= 0 ? 3 : from_ball(at) < 4 ? 1 : 0; }
static inline double ball_with_holes(const double at[3]) { return from_ball(at) > 8 ? NAN : ball(at); }
static inline double nothing(const double at[3]) { return at[0] > 1e9 ? 0 : NAN; }
static inline double level(const double at[3]) { return at[0] > 1e9 ? 0 : 7; }

/* A shell, and a crumb beside it. */
static inline double shell(const double at[3]) {
    const double far = from_ball(at), crumb = from(at, ball_centre[0] + 17, ball_centre[1], ball_centre[2]) - 2.5;
    return -fmin(fmax(far, -5 - far), crumb); /* 0 at the surface, more inside */
}

/* ---- Lattices ---- */

/* The turn of a quaternion with these b, c and d, as NIfTI has it, times spacings; the ball is near the middle. */
static inline lattice turned(double b, double c, double d, double dx, double dy, double dz, double side) {
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

static inline lattice slanted(void) {
    return turned(oblique[0], oblique[1], oblique[2], apart[0], apart[1], apart[2], 34);
}
static inline lattice upright(double spacing) { return turned(0, 0, 0, spacing, spacing, spacing, 34); }

static const nifti_form plain = {.kind = NIFTI_FLOAT, .sform = true, .units = 2, .spacing = {1, 1, 1}};

/* ---- Reading ---- */

static inline rn_volume_def at_iso(double iso) {
    rn_volume_def def = rn_volume_default();
    def.iso = iso;
    return def;
}

static inline rn_result read_surface(const char *name, const rn_volume_def *def, rn_mesh_file *mesh,
                                     rn_volume_info *info) {
    rn_result result = rn_volume_read(in_folder(name), def, mesh, info);
    if (result == RN_UNSUPPORTED) skip();
    assert_true((result == RN_OK) == (mesh->memory != NULL));
    return result;
}

static inline measures surface_of(const char *name, const rn_volume_def *def, rn_volume_info *info) {
    rn_mesh_file mesh;
    if (read_surface(name, def, &mesh, info) != RN_OK) fail_msg("%s", rn_last_error());
    measures m = measure(&mesh);
    rn_mesh_file_free(&mesh);
    return m;
}

static inline void check_refused(const char *name, const rn_volume_def *def, rn_result expected, const char *words) {
    rn_mesh_file mesh;
    rn_result result = read_surface(name, def, &mesh, NULL);
    if (result != expected || !strstr(rn_last_error(), words) || !strstr(rn_last_error(), name))
        fail_msg("%s: %d, not %d with \"%s\": %s", name, (int)result, (int)expected, words, rn_last_error());
}

/* Within 1 % of the volume, and a tenth of a sample of the place. */
static inline void check_ball(const measures *m, double unit) {
    const double volume = 4 * pi / 3 * BALL_RADIUS * BALL_RADIUS * BALL_RADIUS * unit * unit * unit;
    if (fabs(m->volume - volume) > 0.01 * volume) fail_msg("a volume of %g, not %g", m->volume, volume);
    for (int i = 0; i < 3; i++)
        if (fabs(m->centre[i] - ball_centre[i] * unit) > 0.07 * unit)
            fail_msg("its centre at %g along %d, not %g", m->centre[i], i, ball_centre[i] * unit);
}

static inline void check_vertices(const rn_mesh_file *mesh, double slack) {
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        const float *p = mesh->positions + 3 * v;
        const double at[3] = {(double)p[0], (double)p[1], (double)p[2]};
        if (fabs(from_ball(at)) > slack) fail_msg("a vertex %g mm from the ball", from_ball(at));
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
