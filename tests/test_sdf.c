/* Signed distance fields against geometry: crossings, distances, poses, combinations. */
#include "terrain/sdf.h"
#include "terrain_shapes.h"

/* ---- Crossings against closed forms: cells of 0.01, shapes of about 1 ---- */

enum { MOST = 4 };
static const double cell = 0.01;

typedef int (*solution)(double x, double y, rn_interval *solid);

static void check_crossings(rn_sdf *shape, solution expected, double reach) {
    assert_non_null(shape);
    int met = 0;
    for (int n = 0; n < 2000; n++) {
        double x = random_in(-reach, reach), y = random_in(-reach, reach);
        rn_interval exact[MOST] = {{0}}, found[MOST];
        int wanted = expected(x, y, exact);
        bool thin = false;
        for (int i = 0; i < wanted; i++) {
            exact[i].low = rn_max(exact[i].low, -3);
            thin |= exact[i].high - exact[i].low < 0.021 * cell;
            thin |= i > 0 && exact[i].low - exact[i - 1].high < 0.021 * cell;
        }
        if (thin) continue;
        int count = rn_sdf_intervals(shape, x, y, -3, 3, 0.02 * cell, found, MOST);
        assert_int_equal(count, wanted);
        for (int i = 0; i < count; i++, met++) {
            assert_near(found[i].low, exact[i].low, 1e-6 * cell);
            assert_near(found[i].high, exact[i].high, 1e-6 * cell);
        }
    }
    assert_true(met > 400);
    rn_sdf_destroy(shape);
}

static int exact_plane(double x, double y, rn_interval *solid) {
    /* 0.3 (x - 0.1) - 0.2 (y + 0.2) + 0.9 (z - 0.05) = 0 */
    solid[0] = (rn_interval){-INFINITY, 0.05 - (0.3 * (x - 0.1) - 0.2 * (y + 0.2)) / 0.9};
    return 1;
}

static int exact_box(double x, double y, rn_interval *solid) {
    if (fabs(x) > 0.5 || fabs(y) > 0.3) return 0;
    solid[0] = (rn_interval){-0.2, 0.2};
    return 1;
}

/* Rounding 0.1 on sizes 1 x 0.8 x 0.6: the top follows a quarter circle, an eighth of a sphere at the corners. */
static int exact_rounded_box(double x, double y, rn_interval *solid) {
    double u = rn_max(fabs(x) - 0.4, 0), v = rn_max(fabs(y) - 0.3, 0), rest = 0.01 - u * u - v * v;
    if (rest < 0) return 0;
    double top = 0.2 + sqrt(rest);
    solid[0] = (rn_interval){-top, top};
    return 1;
}

static int exact_sphere(double x, double y, rn_interval *solid) {
    double rest = 0.49 - x * x - y * y;
    if (rest < 0) return 0;
    solid[0] = (rn_interval){-sqrt(rest), sqrt(rest)};
    return 1;
}

static int exact_cylinder(double x, double y, rn_interval *solid) {
    if (hypot(x, y) > 0.6) return 0;
    solid[0] = (rn_interval){-0.25, 0.25};
    return 1;
}

/* From (-0.4, 0.1, -0.3) to (0.5, -0.2, 0.4), radius 0.2: two spheres and an infinite cylinder cut at both ends. */
static int exact_capsule(double x, double y, rn_interval *solid) {
    const double a[3] = {-0.4, 0.1, -0.3}, d[3] = {0.9, -0.3, 0.7}, r = 0.2;
    double low = INFINITY, high = -INFINITY, dd = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    for (int end = 0; end < 2; end++) {
        double u = x - a[0] - end * d[0], v = y - a[1] - end * d[1], rest = r * r - u * u - v * v;
        if (rest < 0) continue;
        low = rn_min(low, a[2] + end * d[2] - sqrt(rest));
        high = rn_max(high, a[2] + end * d[2] + sqrt(rest));
    }
    /* |p - (p.d) d / dd|^2 = r^2 with p = (u, v, w): A w^2 + 2 B w + C = 0 */
    double u = x - a[0], v = y - a[1], flat = u * d[0] + v * d[1];
    double A = 1 - d[2] * d[2] / dd, B = -flat * d[2] / dd, C = u * u + v * v - flat * flat / dd - r * r;
    if (B * B - A * C > 0)
        for (int sign = -1; sign <= 1; sign += 2) {
            double w = (-B + sign * sqrt(B * B - A * C)) / A, t = (flat + w * d[2]) / dd;
            if (t < 0 || t > 1) continue;
            low = rn_min(low, a[2] + w);
            high = rn_max(high, a[2] + w);
        }
    if (low > high) return 0;
    solid[0] = (rn_interval){low, high};
    return 1;
}

static int exact_cone(double x, double y, rn_interval *solid) {
    double r = hypot(x, y); /* radii 0.7 and 0.2, height 0.8 */
    if (r > 0.7) return 0;
    solid[0] = (rn_interval){-0.4, rn_min(0.4, -0.4 + 0.8 * (0.7 - r) / 0.5)};
    return 1;
}

static int exact_funnel(double x, double y, rn_interval *solid) {
    double r = hypot(x, y); /* radii 0 and 0.6, height 0.5 */
    if (r > 0.6) return 0;
    solid[0] = (rn_interval){-0.25 + 0.5 * r / 0.6, 0.25};
    return 1;
}

static int exact_torus(double x, double y, rn_interval *solid) {
    double off = hypot(x, y) - 0.6, rest = 0.04 - off * off;
    if (rest < 0) return 0;
    solid[0] = (rn_interval){-sqrt(rest), sqrt(rest)};
    return 1;
}

static int exact_bowl(double x, double y, rn_interval *solid) {
    double r2 = x * x + y * y, radius = (0.49 + 0.09) / 0.6; /* rim 0.7, depth 0.3 */
    solid[0] = (rn_interval){-INFINITY, r2 < 0.49 ? radius - 0.3 - sqrt(radius * radius - r2) : 0};
    return 1;
}

static int exact_half_sphere_bowl(double x, double y, rn_interval *solid) {
    double r2 = x * x + y * y;
    solid[0] = (rn_interval){-INFINITY, r2 < 0.25 ? -sqrt(0.25 - r2) : 0};
    return 1;
}

/* A ring standing on its side: solid where sqrt(x^2 + z^2) is within w = sqrt(0.04 - y^2) of 0.6. */
static int exact_standing_torus(double x, double y, rn_interval *solid) {
    double w2 = 0.04 - y * y;
    if (w2 < 0) return 0;
    double outer = 0.6 + sqrt(w2), inner = 0.6 - sqrt(w2);
    if (fabs(x) > outer) return 0;
    double top = sqrt(outer * outer - x * x);
    if (fabs(x) >= inner) {
        solid[0] = (rn_interval){-top, top};
        return 1;
    }
    double gap = sqrt(inner * inner - x * x);
    solid[0] = (rn_interval){-top, -gap};
    solid[1] = (rn_interval){gap, top};
    return 2;
}

/* A cylinder of radius 0.3 along x, length 1.2. */
static int exact_lying_cylinder(double x, double y, rn_interval *solid) {
    if (fabs(x) > 0.6 || fabs(y) > 0.3) return 0;
    double top = sqrt(0.09 - y * y);
    solid[0] = (rn_interval){-top, top};
    return 1;
}

/* A slab of thickness 0.2 with a sphere of 0.5 cut out of its middle and a box of 0.6 x 0.6 floating over it. */
static int exact_carved(double x, double y, rn_interval *solid) {
    int count = 0;
    double rest = 0.25 - x * x - y * y;
    if (rest < 0) solid[count++] = (rn_interval){-0.1, 0.1};
    else if (rest < 0.01) {
        solid[count++] = (rn_interval){-0.1, -sqrt(rest)};
        solid[count++] = (rn_interval){sqrt(rest), 0.1};
    }
    if (fabs(x) < 0.3 && fabs(y) < 0.3) solid[count++] = (rn_interval){0.4, 0.6};
    return count;
}

static int exact_lens(double x, double y, rn_interval *solid) {
    double rest = 0.49 - x * x - y * y; /* two spheres of 0.7, 0.6 apart */
    if (rest < 0.09) return 0;
    solid[0] = (rn_interval){0.3 - sqrt(rest), -0.3 + sqrt(rest)};
    return 1;
}

/* Half axes 0.7, 0.35 and 0.84. */
static int exact_ellipsoid(double x, double y, rn_interval *solid) {
    double rest = 1 - x * x / 0.49 - y * y / 0.1225;
    if (rest < 0) return 0;
    solid[0] = (rn_interval){-0.84 * sqrt(rest), 0.84 * sqrt(rest)};
    return 1;
}

/* Balls of 0.4 around x = 0.2 and x = -0.2: where they meet, each half-space keeps its own. */
static int exact_twins(double x, double y, rn_interval *solid) {
    double off = fabs(x) - 0.2, rest = 0.16 - off * off - y * y;
    if (rest < 0) return 0;
    solid[0] = (rn_interval){-sqrt(rest), sqrt(rest)};
    return 1;
}

static void crossings_match_geometry(void **state) {
    (void)state;
    check_crossings(rn_sdf_plane((rn_vec3){0.1, -0.2, 0.05}, (rn_vec3){0.3, -0.2, 0.9}), exact_plane, 1);
    check_crossings(rn_sdf_box((rn_vec3){1, 0.6, 0.4}), exact_box, 0.6);
    check_crossings(rn_sdf_rounded_box((rn_vec3){1, 0.8, 0.6}, 0.1), exact_rounded_box, 0.6);
    check_crossings(rn_sdf_sphere(0.7), exact_sphere, 0.8);
    check_crossings(rn_sdf_cylinder(0.6, 0.5), exact_cylinder, 0.7);
    check_crossings(capsule(), exact_capsule, 0.7);
    check_crossings(rn_sdf_cone(0.7, 0.2, 0.8), exact_cone, 0.8);
    check_crossings(rn_sdf_cone(0, 0.6, 0.5), exact_funnel, 0.7);
    check_crossings(rn_sdf_torus(0.6, 0.2), exact_torus, 0.9);
    check_crossings(rn_sdf_bowl(0.7, 0.3), exact_bowl, 0.9);
    check_crossings(rn_sdf_bowl(0.5, 0.5), exact_half_sphere_bowl, 0.7);
    check_crossings(rn_sdf_turn(rn_sdf_torus(0.6, 0.2), rn_quat_from_degrees((rn_vec3){90, 0, 0})),
                    exact_standing_torus, 0.8);
    check_crossings(rn_sdf_turn(rn_sdf_cylinder(0.3, 1.2), rn_quat_from_degrees((rn_vec3){0, 90, 0})),
                    exact_lying_cylinder, 0.7);
    check_crossings(rn_sdf_scale(rn_sdf_sphere(1.4), 0.5), exact_sphere, 0.8);
    check_crossings(rn_sdf_stretch(rn_sdf_sphere(0.7), (rn_vec3){1, 0.5, 1.2}), exact_ellipsoid, 0.8);
    check_crossings(rn_sdf_mirror(rn_sdf_move(rn_sdf_sphere(0.4), (rn_vec3){0.2, 0, 0})), exact_twins, 0.7);
    check_crossings(carved(), exact_carved, 0.7);
    check_crossings(lens(), exact_lens, 0.7);
}

/* ---- Distances against dense samples of the surface ---- */

/* A point of the surface's outline in the (r, z) half-plane for t in 0..1. */
typedef void (*outline)(double t, double *r, double *z);

static void sphere_outline(double t, double *r, double *z) {
    *r = 0.7 * sin(pi * t);
    *z = 0.7 * cos(pi * t);
}

static void torus_outline(double t, double *r, double *z) {
    *r = 0.6 + 0.2 * cos(2 * pi * t);
    *z = 0.2 * sin(2 * pi * t);
}

static void cone_outline(double t, double *r, double *z) {
    if (t < 1 / 3.0) *r = 0.7 * 3 * t, *z = -0.4;
    else if (t < 2 / 3.0) *r = 0.7 - 0.5 * (3 * t - 1), *z = -0.4 + 0.8 * (3 * t - 1);
    else *r = 0.2 * (3 - 3 * t), *z = 0.4;
}

static void cylinder_outline(double t, double *r, double *z) {
    if (t < 1 / 3.0) *r = 0.6 * 3 * t, *z = -0.25;
    else if (t < 2 / 3.0) *r = 0.6, *z = -0.25 + 0.5 * (3 * t - 1);
    else *r = 0.6 * (3 - 3 * t), *z = 0.25;
}

static void bowl_outline(double t, double *r, double *z) {
    *r = 4 * t; /* rim 0.7, depth 0.3; the ground beyond is level */
    double radius = (0.49 + 0.09) / 0.6;
    *z = *r < 0.7 ? radius - 0.3 - sqrt(radius * radius - *r * *r) : 0;
}

/* Balls of 0.3 around (0, 0, -0.2) and of 0.1 around (0, 0, 0.5): in between the side leans by a sine of 2/7. */
static void taper_outline(double t, double *r, double *z) {
    const double sine = 0.2 / 0.7, cosine = sqrt(1 - sine * sine), leave = acos(-sine);
    const double low_r = 0.3 * cosine, low_z = -0.2 + 0.3 * sine, high_r = 0.1 * cosine, high_z = 0.5 + 0.1 * sine;
    const double s = 3 * t - floor(rn_min(3 * t, 2));
    if (t < 1 / 3.0) *r = 0.3 * sin(s * leave), *z = -0.2 - 0.3 * cos(s * leave);
    else if (t < 2 / 3.0) *r = low_r + s * (high_r - low_r), *z = low_z + s * (high_z - low_z);
    else *r = 0.1 * sin(leave + s * (pi - leave)), *z = 0.5 - 0.1 * cos(leave + s * (pi - leave));
}

static void check_outline(rn_sdf *shape, outline curve) {
    enum { SAMPLES = 4000 };
    assert_non_null(shape);
    for (int n = 0; n < 300; n++) {
        rn_vec3 at = random_point(1);
        double nearest = INFINITY;
        for (int i = 0; i <= SAMPLES; i++) {
            double r, z;
            curve((double)i / SAMPLES, &r, &z);
            nearest = rn_min(nearest, hypot(hypot(at.x, at.y) - r, at.z - z));
        }
        double value = fabs(rn_sdf_distance(shape, at));
        assert_true(value <= nearest + 1e-12);
        assert_near(value, nearest, 2e-3);
    }
    rn_sdf_destroy(shape);
}

static void distances_are_exact(void **state) {
    (void)state;
    check_outline(rn_sdf_sphere(0.7), sphere_outline);
    check_outline(rn_sdf_torus(0.6, 0.2), torus_outline);
    check_outline(rn_sdf_cone(0.7, 0.2, 0.8), cone_outline);
    check_outline(rn_sdf_cylinder(0.6, 0.5), cylinder_outline);
    check_outline(rn_sdf_bowl(0.7, 0.3), bowl_outline);
    check_outline(rn_sdf_taper((rn_vec3){0, 0, -0.2}, (rn_vec3){0, 0, 0.5}, 0.3, 0.1), taper_outline);
    check_outline(rn_sdf_taper((rn_vec3){0, 0, 0.5}, (rn_vec3){0, 0, -0.2}, 0.1, 0.3), taper_outline);
    check_outline(rn_sdf_taper((rn_vec3){0, 0, 0.1}, (rn_vec3){0, 0, 0}, 0.2, 0.7), sphere_outline);

    rn_sdf *box = rn_sdf_box((rn_vec3){1, 0.8, 0.6}), *round = rn_sdf_rounded_box((rn_vec3){1, 0.8, 0.6}, 0.1);
    rn_sdf *rod = rn_sdf_capsule_between((rn_vec3){0, 0, -0.3}, (rn_vec3){0, 0, 0.5}, 0.1);
    for (int n = 0; n < 2000; n++) {
        rn_vec3 at = random_point(1);
        /* Outside: to the nearest point of the box. Inside: to the nearest face. */
        double x = rn_clamp(at.x, -0.5, 0.5), y = rn_clamp(at.y, -0.4, 0.4), z = rn_clamp(at.z, -0.3, 0.3);
        double out = hypot(hypot(at.x - x, at.y - y), at.z - z);
        double in = rn_min(rn_min(0.5 - fabs(at.x), 0.4 - fabs(at.y)), 0.3 - fabs(at.z));
        assert_near(rn_sdf_distance(box, at), out > 0 ? out : -in, 1e-12);
        x = rn_clamp(at.x, -0.4, 0.4), y = rn_clamp(at.y, -0.3, 0.3), z = rn_clamp(at.z, -0.2, 0.2);
        out = hypot(hypot(at.x - x, at.y - y), at.z - z);
        in = rn_min(rn_min(0.4 - fabs(at.x), 0.3 - fabs(at.y)), 0.2 - fabs(at.z));
        assert_near(rn_sdf_distance(round, at), (out > 0 ? out : -in) - 0.1, 1e-12);
        double along = rn_clamp(at.z, -0.3, 0.5);
        assert_near(rn_sdf_distance(rod, at), hypot(hypot(at.x, at.y), at.z - along) - 0.1, 1e-12);
    }
    rn_sdf_destroy(box);
    rn_sdf_destroy(round);
    rn_sdf_destroy(rod);
}

/* ---- Poses ---- */

static void quarter_turns_are_exact(void **state) {
    (void)state;
    const struct {
        rn_vec3 degrees, size;
    } turns[] = {
        {{90, 0, 0}, {1, 0.4, 0.6}},    {{0, -90, 0}, {0.4, 0.6, 1}}, {{0, 0, 450}, {0.6, 1, 0.4}},
        {{180, 0, 270}, {0.6, 1, 0.4}}, {{90, 90, 0}, {0.6, 0.4, 1}}, {{-360, 720, 180}, {1, 0.6, 0.4}},
    };
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        rn_sdf *turned =
            rn_sdf_turn(rn_sdf_rounded_box((rn_vec3){1, 0.6, 0.4}, 0.05), rn_quat_from_degrees(turns[i].degrees));
        rn_sdf *direct = rn_sdf_rounded_box(turns[i].size, 0.05);
        rn_box a = rn_sdf_bounds(turned), b = rn_sdf_bounds(direct);
        assert_true(a.high.x == b.high.x && a.high.y == b.high.y && a.high.z == b.high.z);
        for (int n = 0; n < 500; n++) {
            rn_vec3 at = random_point(1);
            assert_near(rn_sdf_distance(turned, at), rn_sdf_distance(direct, at), 2.3e-16); /* sums reordered */
        }
        rn_sdf_destroy(turned);
        rn_sdf_destroy(direct);
    }
    rn_sdf *cone = rn_sdf_turn(rn_sdf_cone(0.5, 0, 1), rn_quat_from_degrees((rn_vec3){90, 0, 0})); /* +z goes to -y */
    assert_true(distance_at(cone, 0, 0.499, 0.4) < 0);
    assert_true(distance_at(cone, 0, -0.499, 0.4) > 0);
    rn_sdf_destroy(cone);
    cone = rn_sdf_turn(rn_sdf_cone(0.5, 0, 1), rn_quat_from_degrees((rn_vec3){0, 90, 0})); /* +z goes to +x */
    assert_true(distance_at(cone, -0.499, 0, 0.4) < 0);
    assert_true(distance_at(cone, 0.499, 0, 0.4) > 0);
    rn_sdf_destroy(cone);
    rn_sdf *rod = rn_sdf_turn(rn_sdf_capsule_between((rn_vec3){0, 0, 0}, (rn_vec3){1, 0, 0}, 0.1),
                              rn_quat_from_degrees((rn_vec3){0, 0, 90}));
    assert_true(distance_at(rod, 0, 1, 0) == -0.1); /* +x goes to +y */
    rn_sdf_destroy(rod);
}

static rn_vec3 turn_about(int axis, double degrees, rn_vec3 p) {
    double c = cos(degrees * pi / 180), s = sin(degrees * pi / 180);
    if (axis == 0) return (rn_vec3){p.x, c * p.y - s * p.z, s * p.y + c * p.z};
    if (axis == 1) return (rn_vec3){c * p.x + s * p.z, p.y, c * p.z - s * p.x};
    return (rn_vec3){c * p.x - s * p.y, s * p.x + c * p.y, p.z};
}

static void poses_move_what_they_hold(void **state) {
    (void)state;
    for (int n = 0; n < 100; n++) {
        rn_vec3 a = random_point(1), b = random_point(1), by = random_point(2), degrees = random_point(400);
        double factor = random_in(0.2, 3);
        rn_sdf *posed = rn_sdf_capsule_between(a, b, 0.2);
        posed =
            rn_sdf_move(rn_sdf_scale(rn_sdf_turn(rn_sdf_move(posed, by), rn_quat_from_degrees(degrees)), factor), by);
        rn_vec3 *ends[2] = {&a, &b};
        for (int i = 0; i < 2; i++) {
            rn_vec3 p = {ends[i]->x + by.x, ends[i]->y + by.y, ends[i]->z + by.z};
            p = turn_about(2, degrees.z, turn_about(1, degrees.y, turn_about(0, degrees.x, p)));
            *ends[i] = (rn_vec3){factor * p.x + by.x, factor * p.y + by.y, factor * p.z + by.z};
        }
        rn_sdf *direct = rn_sdf_capsule_between(a, b, 0.2 * factor);
        for (int i = 0; i < 50; i++) {
            rn_vec3 at = random_point(5);
            assert_near(rn_sdf_distance(posed, at), rn_sdf_distance(direct, at), 1e-12);
        }
        rn_sdf_destroy(posed);
        rn_sdf_destroy(direct);
    }
}

/* ---- Combinations ---- */

static void blends_round_the_seam(void **state) {
    (void)state;
    const double k = 0.1;
    rn_vec3 up = {0, 0, 1}, side = {1, 0, 0}, zero = {0, 0, 0};
    rn_sdf *sum = rn_sdf_union(rn_sdf_plane(zero, up), rn_sdf_plane(zero, side), k);
    rn_sdf *both = rn_sdf_intersect(rn_sdf_plane(zero, up), rn_sdf_plane(zero, side), k);
    rn_sdf *less = rn_sdf_subtract(rn_sdf_plane(zero, up), rn_sdf_plane(zero, (rn_vec3){-1, 0, 0}), k);
    assert_near(distance_at(sum, 0, 0, 0), -k / 4, 1e-15);
    assert_near(distance_at(both, 0, 0, 0), k / 4, 1e-15);
    for (int n = 0; n < 2000; n++) {
        double x = random_in(-0.2, 0.2), z = random_in(-0.2, 0.2), gap = rn_max(k - fabs(x - z), 0);
        assert_near(distance_at(sum, x, 0.3, z), rn_min(x, z) - gap * gap / (4 * k), 1e-15);
        assert_near(distance_at(both, x, 0.3, z), rn_max(x, z) + gap * gap / (4 * k), 1e-15);
        assert_near(distance_at(less, x, 0.3, z), distance_at(both, x, 0.3, z), 1e-15);
    }
    rn_sdf_destroy(sum);
    rn_sdf_destroy(both);
    rn_sdf_destroy(less);
}

static void long_chains_stay_shallow(void **state) {
    (void)state;
    enum { N = 10000 };
    rn_sdf *left = ball(0), *right = ball(0), *soft = ball(0), *holes = rn_sdf_plane((rn_vec3){0}, (rn_vec3){0, 0, 1});
    rn_sdf *moved = ball(0);
    for (int i = 1; i < N; i++) {
        left = rn_sdf_union(left, ball(i), 0);
        right = rn_sdf_union(ball(i), right, 0);
        soft = rn_sdf_union(soft, ball(i), 0.05);
        holes = rn_sdf_subtract(holes, ball(i), 0.05);
        moved = rn_sdf_move(moved, (rn_vec3){0.001, 0, 0});
    }
    assert_non_null(left);
    assert_non_null(right);
    assert_non_null(soft);
    assert_non_null(holes);
    assert_near(distance_at(moved, 9.999, 0, 0), -0.4, 1e-9);
    for (int n = 0; n < 100; n++) {
        rn_vec3 at = {random_in(0, 99), random_in(0, 99), random_in(-1, 1)};
        double nearest = rn_length3(at.x - rint(at.x), at.y - rint(at.y), at.z) - 0.4;
        assert_near(rn_sdf_distance(left, at), nearest, 1e-12);
        assert_near(rn_sdf_distance(right, at), nearest, 1e-12);
        rn_interval solid[2];
        double off = rn_length2(at.x - rint(at.x), at.y - rint(at.y));
        int count = rn_sdf_intervals(left, at.x, at.y, -1, 1, 1e-3, solid, 2);
        if (off > 0.4) assert_int_equal(count, 0);
        else if (off < 0.39) assert_near(solid[0].high, sqrt(0.16 - off * off), 1e-8);
    }
    assert_near(rn_sdf_bounds(soft).high.z, 0.45, 1e-12); /* blends reach no farther than the largest of them */
    assert_true(distance_at(soft, 0.5, 0, 0) < 0.1);
    assert_true(distance_at(holes, 5, 5, -0.2) > 0);
    assert_true(distance_at(holes, 5.5, 5.5, -0.05) < 0);
    rn_sdf_destroy(left);
    rn_sdf_destroy(right);
    rn_sdf_destroy(soft);
    rn_sdf_destroy(holes);
    rn_sdf_destroy(moved);

    forget_errors();
    rn_sdf *deep = ball(0);
    for (int i = 1; i < N; i++) deep = rn_sdf_union(ball(i), deep, 0.05);
    assert_null(deep);
    assert_non_null(strstr(rn_last_error(), "nested more than"));
    deep = ball(0);
    for (int i = 1; i < N; i++) deep = rn_sdf_move(rn_sdf_union(deep, ball(i), 0), (rn_vec3){1, 0, 0});
    assert_null(deep);
}

static void unions_of_unions_are_joined(void **state) {
    (void)state;
    rn_sdf *a = rn_sdf_union(ball(0), ball(1), 0), *b = rn_sdf_union(rn_sdf_union(ball(2), ball(3), 0), ball(4), 0);
    rn_sdf *all = rn_sdf_union(rn_sdf_subtract(a, ball(1), 0), b, 0);
    assert_int_equal(((rn_fold *)all)->count, 6);
    for (int i = 0; i < 5; i++) assert_true((distance_at(all, i, 0, 0) < 0) == (i != 1));
    rn_sdf_destroy(all);
}

/* All ways to the same rotation agree, and quarter turns leave the axes of a shape exact. */
static void quaternions_turn_points(void **state) {
    (void)state;
    const rn_vec3 p = {0.3, -1.2, 2.5};
    const rn_quat x = rn_quat_from_axis((rn_vec3){2, 0, 0}, 25), y = rn_quat_from_axis((rn_vec3){0, 0.1, 0}, -40),
                  z = rn_quat_from_axis((rn_vec3){0, 0, 1}, 130), both = rn_quat_multiply(z, rn_quat_multiply(y, x));
    const rn_vec3 one = rn_quat_rotate(both, p),
                  other = rn_quat_rotate(rn_quat_from_degrees((rn_vec3){25, -40, 130}), p);
    assert_true(fabs(one.x - other.x) < 1e-14 && fabs(one.y - other.y) < 1e-14 && fabs(one.z - other.z) < 1e-14);
    const rn_vec3 there = rn_quat_rotate(rn_quat_from_axis((rn_vec3){0, 0, 1}, 90), (rn_vec3){1, 0, 0});
    assert_true(fabs(there.x) < 1e-15 && fabs(there.y - 1) < 1e-15 && there.z == 0); /* counter-clockwise from above */
    const rn_vec3 same = rn_quat_rotate((rn_quat){0}, p);
    assert_true(same.x == p.x && same.y == p.y && same.z == p.z);
    rn_sdf *box = rn_sdf_turn(rn_sdf_box((rn_vec3){1, 0.6, 0.4}), rn_quat_from_axis((rn_vec3){0, 1, 0}, 90));
    assert_true(rn_sdf_distance(box, (rn_vec3){0.2, 0, 0}) == 0 && rn_sdf_distance(box, (rn_vec3){0, 0, 0.5}) == 0);
    rn_sdf_destroy(box);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup(name, start_random)
    const struct CMUnitTest tests[] = {
        TEST(crossings_match_geometry),    TEST(distances_are_exact),     TEST(quarter_turns_are_exact),
        TEST(poses_move_what_they_hold),   TEST(blends_round_the_seam),   TEST(long_chains_stay_shallow),
        TEST(unions_of_unions_are_joined), TEST(quaternions_turn_points),
    };
    return cmocka_run_group_tests_name("sdf", tests, NULL, NULL);
}
