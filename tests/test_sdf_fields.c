/* What holds for any signed distance field: slopes, bounds, crossings, noise and samples, and what is refused. */
#include "terrain/sdf.h"
#include "terrain_shapes.h"

/* ---- No field changes faster than the distance between two points ---- */

static rn_sdf *random_grid(bool touching) {
    enum { N = 9 };
    float samples[N * N * N];
    for (int i = 0; i < N * N * N; i++) {
        int x = i % N, y = i / N % N, z = i / N / N;
        bool face = x == 0 || y == 0 || z == 0 || x == N - 1 || y == N - 1 || z == N - 1;
        samples[i] = (float)(face && !touching ? random_in(0.01, 0.3) : random_in(-0.3, 0.3));
    }
    return rn_sdf_grid(samples, N, N, N, 0.15, (rn_vec3){-0.6, -0.6, -0.6});
}

static rn_sdf *random_heightmap(void) {
    float heights[7 * 5];
    for (int i = 0; i < 7 * 5; i++) heights[i] = (float)random_in(-0.4, 0.4);
    return rn_sdf_heightmap(heights, 7, 5, 0.25, -0.7, -0.5);
}

static rn_sdf *random_leaf(void) {
    switch ((int)random_in(0, 14)) {
    case 0: return rn_sdf_plane(random_point(0.5), random_point(1));
    case 1:
        return rn_sdf_rounded_box((rn_vec3){random_in(0.1, 1), random_in(0.1, 1), random_in(0.1, 1)},
                                  random_in(0, 0.05));
    case 2: return rn_sdf_sphere(random_in(0.1, 0.6));
    case 3: return rn_sdf_cylinder(random_in(0.1, 0.6), random_in(0.1, 0.8));
    case 4: return rn_sdf_capsule_between(random_point(0.6), random_point(0.6), random_in(0.05, 0.2));
    case 5: return rn_sdf_cone(random_in(0.1, 0.6), random_in(0.1, 0.6), random_in(0.1, 0.9));
    case 6: return rn_sdf_torus(random_in(0.3, 0.6), random_in(0.05, 0.4));
    case 7: return rn_sdf_bowl(0.5, random_in(0.05, 0.5));
    case 8: return rn_sdf_noise(random_in(0.05, 0.3), random_in(0.2, 1), (int)random_in(1, 9), 7);
    case 9: return random_heightmap();
    case 10: return random_grid(false);
    case 11: return random_grid(true);
    case 12: return rn_sdf_taper(random_point(0.6), random_point(0.6), random_in(0.02, 0.4), random_in(0.02, 0.4));
    default: return rn_sdf_cone(random_in(0.1, 0.9), 0, random_in(0.1, 0.5));
    }
}

/* Only shapes of finite size can be stretched: the others are cut off first. */
static rn_sdf *random_stretch(rn_sdf *shape) {
    rn_sdf *part = rn_sdf_intersect(shape, rn_sdf_box((rn_vec3){2, 2, 2}), 0);
    return rn_sdf_stretch(part, (rn_vec3){random_in(0.4, 1.5), random_in(0.4, 1.5), random_in(0.4, 1.5)});
}

static rn_sdf *random_tree(int depth) {
    if (depth == 0) return random_leaf();
    rn_sdf *a = random_tree(depth - 1);
    double blend = random_unit() < 0.5 ? 0 : random_in(0.01, 0.3);
    switch ((int)random_in(0, 10)) {
    case 0:
    case 1: return rn_sdf_union(a, random_tree(depth - 1), blend);
    case 2: return rn_sdf_subtract(a, random_tree(depth - 1), blend);
    case 3: return rn_sdf_intersect(a, random_tree(depth - 1), blend);
    case 4: return rn_sdf_move(a, random_point(0.3));
    case 5: return rn_sdf_turn(a, rn_quat_from_degrees(random_point(180)));
    case 6: return rn_sdf_mirror(a);
    case 7: return rn_sdf_roughen(a, random_in(0.01, 0.1), random_in(0.1, 0.8), (int)random_in(1, 4), 5);
    case 8: return random_stretch(a);
    default: return rn_sdf_scale(a, random_in(0.5, 1.5));
    }
}

/* Bumps and dents are there, and none is higher or deeper than the amplitude. */
static void roughness_keeps_to_its_amplitude(void **state) {
    (void)state;
    const double amplitude = 0.05;
    rn_sdf *rough = rn_sdf_roughen(rn_sdf_sphere(0.7), amplitude, 0.2, 2, 3);
    int bumps = 0, dents = 0;
    for (int n = 0; n < 100000; n++) {
        const rn_vec3 at = random_point(1);
        const double smooth = rn_length3(at.x, at.y, at.z) - 0.7, value = rn_sdf_distance(rough, at);
        if (fabs(smooth) > amplitude) assert_int_equal(value > 0, smooth > 0);
        bumps += smooth > 0.02 * amplitude && value < 0;
        dents += smooth < -0.02 * amplitude && value > 0;
    }
    assert_true(bumps > 50 && dents > 50);
    rn_sdf_destroy(rough);
}

static void check_lipschitz(const rn_sdf *shape, int pairs) {
    assert_non_null(shape);
    for (int n = 0; n < pairs; n++) {
        rn_vec3 p = random_point(1.5), way = random_point(1);
        double scale = pow(10, random_in(-4, 0));
        rn_vec3 q = {p.x + scale * way.x, p.y + scale * way.y, p.z + scale * way.z};
        double apart = rn_length3(p.x - q.x, p.y - q.y, p.z - q.z);
        double change = fabs(rn_sdf_distance(shape, p) - rn_sdf_distance(shape, q));
        if (!(change <= apart * (1 + 1e-9) + 1e-14)) fail_msg("slope %.12g over %g", change / apart, apart);
    }
}

static void fields_are_1_lipschitz(void **state) {
    (void)state;
    for (int n = 0; n < 150; n++) {
        rn_sdf *leaf = random_leaf();
        check_lipschitz(leaf, 1000);
        rn_sdf_destroy(leaf);
    }
    for (int n = 0; n < 300; n++) {
        rn_sdf *tree = random_tree(1 + n % 5);
        check_lipschitz(tree, 500);
        rn_sdf_destroy(tree);
    }
}

/* What rays step by: the sign of the field, and no steeper than 1 along z, also where the ground is tilted. */
static void rises_are_1_lipschitz_along_z(void **state) {
    (void)state;
    for (int n = 0; n < 400; n++) {
        rn_sdf *tree =
            n % 2 ? random_tree(1 + n % 4) : rn_sdf_turn(random_heightmap(), rn_quat_from_degrees(random_point(180)));
        for (int i = 0; i < 300; i++) {
            rn_vec3 p = random_point(1.5), q = {p.x, p.y, p.z + pow(10, random_in(-4, 0))};
            double a = tree->type->rise(tree, p), b = tree->type->rise(tree, q), apart = q.z - p.z;
            assert_true(fabs(a - b) <= apart * (1 + 1e-9) + 1e-14);
            assert_true((a <= 0) == (rn_sdf_distance(tree, p) <= 0));
        }
        rn_sdf_destroy(tree);
    }
}

/* Every solid point lies in the bounds, and in the heights reported above a rectangle around it. */
static void bounds_hold_the_solid(void **state) {
    (void)state;
    int inside = 0;
    for (int n = 0; n < 300; n++) {
        rn_sdf *tree = random_tree(1 + n % 5);
        rn_box box = rn_sdf_bounds(tree);
        for (int i = 0; i < 500; i++) {
            rn_vec3 p = random_point(2);
            if (!(rn_sdf_distance(tree, p) < -1e-9)) continue;
            inside++;
            assert_true(p.x >= box.low.x && p.y >= box.low.y && p.z >= box.low.z);
            assert_true(p.x <= box.high.x && p.y <= box.high.y && p.z <= box.high.z);
            rn_box over = {{p.x - 0.1, p.y - 0.2, 0}, {p.x + 0.2, p.y + 0.1, 0}};
            rn_heights heights = rn_sdf_heights(tree, &over);
            assert_true(p.z >= heights.solid_low && p.z <= heights.solid_high);
            rn_interval solid[16];
            int count = rn_sdf_intervals(tree, p.x, p.y, -4, 4, 1e-3, solid, 16);
            for (int k = 0; k < count && k < 16; k++) {
                if (solid[k].low > -4) assert_true(solid[k].low >= heights.surface_low - 1e-9);
                if (solid[k].high < 4) assert_true(solid[k].high <= heights.surface_high + 1e-9);
                if (solid[k].low > -4) assert_true(solid[k].low <= heights.surface_high + 1e-9);
                if (solid[k].high < 4) assert_true(solid[k].high >= heights.surface_low - 1e-9);
            }
        }
        rn_sdf_destroy(tree);
    }
    assert_true(inside > 10000);
}

/* Narrowing a union to the shapes that a line can meet must not change what the line finds. */
static void intervals_agree_with_the_sign_of_the_field(void **state) {
    (void)state;
    int checked = 0;
    for (int n = 0; n < 200; n++) {
        rn_sdf *tree = random_tree(2 + n % 4);
        for (int i = 0; i < 20; i++) {
            double x = random_in(-1, 1), y = random_in(-1, 1), step = 1e-3;
            rn_interval solid[32];
            int count = rn_sdf_intervals(tree, x, y, -2, 2, step, solid, 32);
            assert_true(count <= 32);
            for (int k = 0; k < 50; k++) {
                double z = random_in(-2, 2), value = distance_at(tree, x, y, z);
                bool in = false;
                for (int j = 0; j < count; j++) in |= z > solid[j].low && z < solid[j].high;
                if (fabs(value) > step) {
                    assert_int_equal(in, value < 0);
                    checked++;
                }
            }
        }
        rn_sdf_destroy(tree);
    }
    assert_true(checked > 100000);
}

static rn_sdf *sheet(double low, double high) {
    return rn_sdf_move(rn_sdf_box((rn_vec3){1, 1, high - low}), (rn_vec3){0, 0, (low + high) / 2});
}

/* Whether a ray happens to step into a thin sheet or gap must not decide what it reports. */
static void slivers_are_dropped_and_cracks_closed(void **state) {
    (void)state;
    const double step = 1e-3;
    for (int n = 0; n < 500; n++) {
        double z = random_in(-0.5, 0.5);
        rn_interval solid[3];
        rn_sdf *thin = sheet(z, z + 0.5 * step);
        assert_int_equal(rn_sdf_intervals(thin, 0.1, 0.2, -1, 1, step, solid, 3), 0);
        rn_sdf *cracked = rn_sdf_union(sheet(z - 0.3, z), sheet(z + 0.5 * step, z + 0.3), 0);
        assert_int_equal(rn_sdf_intervals(cracked, 0.1, 0.2, -1, 1, step, solid, 3), 1);
        assert_near(solid[0].high, z + 0.3, 1e-9);
        rn_sdf *apart = rn_sdf_union(sheet(z - 0.3, z), sheet(z + 1.5 * step, z + 3 * step), 0);
        assert_int_equal(rn_sdf_intervals(apart, 0.1, 0.2, -1, 1, step, solid, 3), 2);
        assert_int_equal(rn_sdf_intervals(apart, 0.1, 0.2, -1, 1, step, NULL, 0), 2);
        rn_sdf_destroy(thin);
        rn_sdf_destroy(cracked);
        rn_sdf_destroy(apart);
    }
}

/* ---- Noise and samples ---- */

static double noise_height(rn_sdf *ground, double x, double y) {
    rn_interval solid;
    assert_int_equal(rn_sdf_intervals(ground, x, y, -10, 10, 1e-3, &solid, 1), 1);
    return solid.high;
}

static void noise_is_repeatable_and_bounded(void **state) {
    (void)state;
    rn_sdf *a = rn_sdf_noise(0.5, 2, 4, 42), *b = rn_sdf_noise(0.5, 2, 4, 42), *c = rn_sdf_noise(0.5, 2, 4, 43);
    const struct {
        double x, y, value;
    } golden[] = {{0, 0, -0x1.ace70929d8e23p-7},
                  {1.25, -3.5, 0x1.cb3a14bfcf7dp-6},
                  {1234.5, 987.25, -0x1.67a08bff31ad2p-6},
                  {-1e6, 1e6, -0x1.6e40ab01c3e7bp-5}};
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        double value = distance_at(a, golden[i].x, golden[i].y, 0);
        if (value != golden[i].value) fail_msg("noise at %g, %g is %a", golden[i].x, golden[i].y, value);
    }
    double low = 0, high = 0, differ = 0;
    for (int n = 0; n < 20000; n++) {
        double x = random_in(-100, 100), y = random_in(-100, 100);
        double h = -a->type->rise(a, (rn_vec3){x, y, 0});
        assert_true(-b->type->rise(b, (rn_vec3){x, y, 0}) == h);
        differ += fabs(-c->type->rise(c, (rn_vec3){x, y, 0}) - h);
        low = rn_min(low, h);
        high = rn_max(high, h);
    }
    assert_true(low >= -0.5 && high <= 0.5);
    assert_true(low < -0.25 && high > 0.25);
    assert_true(differ > 1000);
    for (int n = 0; n < 100; n++) {
        double x = random_in(-9, 9), y = random_in(-9, 9);
        assert_near(noise_height(a, x, y), -a->type->rise(a, (rn_vec3){x, y, 0}), 1e-14);
    }
    /* Smooth: the second difference across a lattice line shrinks with the square of the distance. */
    rn_sdf *one = rn_sdf_noise(1, 1, 1, 5);
    double most = 0;
    for (int n = 0; n < 5000; n++) {
        double x = random_in(-50, 50), y = random_in(-50, 50), e = 1e-3;
        double bend = noise_height(one, x - e, y) + noise_height(one, x + e, y) - 2 * noise_height(one, x, y);
        most = rn_max(most, fabs(bend) / (e * e));
    }
    assert_true(most < 30);
    rn_sdf_destroy(a);
    rn_sdf_destroy(b);
    rn_sdf_destroy(c);
    rn_sdf_destroy(one);
}

static void grid_follows_its_samples(void **state) {
    (void)state;
    enum { N = 41 };
    static float samples[N * N * N];
    const double spacing = 0.05;
    for (int z = 0; z < N; z++)
        for (int y = 0; y < N; y++)
            for (int x = 0; x < N; x++)
                samples[(z * N + y) * N + x] =
                    (float)(rn_length3(x * spacing - 1, y * spacing - 1, z * spacing - 1) - 0.6);
    rn_sdf *field = rn_sdf_move(rn_sdf_grid(samples, N, N, N, spacing, (rn_vec3){-1, -1, -1}), (rn_vec3){5, 5, 0});
    for (int n = 0; n < 2000; n++) {
        double x = random_in(-0.5, 0.5), y = random_in(-0.5, 0.5), rest = 0.36 - x * x - y * y;
        rn_interval solid[2];
        int count = rn_sdf_intervals(field, 5 + x, 5 + y, -3, 3, 1e-3, solid, 2);
        if (rest < 0.01) continue;
        assert_int_equal(count, 1);
        double tolerance = 0.25 * spacing * spacing / 0.6 / sqrt(rest); /* h^2/8 of each second derivative */
        assert_near(solid[0].high, sqrt(rest), tolerance);
        assert_near(solid[0].low, -sqrt(rest), tolerance);
    }
    for (int n = 0; n < 2000; n++) {
        rn_vec3 at = random_point(4), p = {at.x + 5, at.y + 5, at.z};
        double value = rn_sdf_distance(field, p), truth = rn_length3(at.x, at.y, at.z) - 0.6;
        assert_true(fabs(value) <= fabs(truth) + 1e-3);
        if (fabs(truth) > 0.02) assert_true(value / truth > 0.4);
    }
    rn_sdf_destroy(field);

    /* Samples at their own places give their own value, shrunk if they are no distances. */
    float steep[8] = {-1, 1, -1, 1, -1, 1, -1, 1};
    field = rn_sdf_grid(steep, 2, 2, 2, 0.5, (rn_vec3){0, 0, 0});
    assert_near(distance_at(field, 0.5, 0.5, 0.5), 0.25, 1e-15);
    assert_near(distance_at(field, 0.25, 0.1, 0.4), 0, 1e-15);
    assert_near(distance_at(field, 0.1, 0.5, 0), -0.15, 1e-15);
    rn_sdf_destroy(field);
}

static double bilinear(const float *h, int nx, int ny, double x, double y) {
    x = rn_clamp(x, 0, nx - 1), y = rn_clamp(y, 0, ny - 1);
    int i = x >= nx - 1 ? nx - 2 : (int)x, j = y >= ny - 1 ? ny - 2 : (int)y;
    double u = x - i, v = y - j;
    return (1 - u) * (1 - v) * (double)h[j * nx + i] + u * (1 - v) * (double)h[j * nx + i + 1] +
           (1 - u) * v * (double)h[(j + 1) * nx + i] + u * v * (double)h[(j + 1) * nx + i + 1];
}

static void heightmap_is_bilinear(void **state) {
    (void)state;
    enum { NX = 9, NY = 6 };
    float heights[NX * NY];
    for (int i = 0; i < NX * NY; i++) heights[i] = (float)random_in(-3, 3);
    rn_sdf *map = rn_sdf_heightmap(heights, NX, NY, 0.5, -1, 2);
    for (int n = 0; n < 3000; n++) {
        double x = random_in(-2, 4), y = random_in(1, 6);
        rn_interval solid;
        assert_int_equal(rn_sdf_intervals(map, x, y, -5, 5, 1e-3, &solid, 1), 1);
        assert_near(solid.high, bilinear(heights, NX, NY, (x + 1) / 0.5, (y - 2) / 0.5), 1e-13);
    }
    assert_near(rn_sdf_bounds(map).high.z, 3, 0.5);
    rn_sdf_destroy(map);

    float one = 7;
    map = rn_sdf_heightmap(&one, 1, 1, 1, 0, 0);
    assert_near(distance_at(map, 33, -44, 8), 1, 0);
    rn_sdf_destroy(map);
    float line[3] = {0, 1, 4};
    map = rn_sdf_heightmap(line, 1, 3, 1, 0, 0);
    assert_near(map->type->rise(map, (rn_vec3){9, 1.5, 0}), -2.5, 1e-15);
    rn_sdf_destroy(map);
    map = rn_sdf_heightmap(line, 3, 1, 1, 0, 0);
    assert_near(map->type->rise(map, (rn_vec3){1.5, 9, 0}), -2.5, 1e-15);
    assert_near(distance_at(map, 1.5, 9, 12.5), 10 / sqrt(10), 1e-14); /* steepest slope 3 */
    rn_sdf_destroy(map);
}

/* ---- Bad input ---- */

static void refuse_shape(rn_sdf *shape, const char *text) {
    assert_null(shape);
    if (!strstr(rn_last_error(), text)) fail_msg("\"%s\" does not say \"%s\"", rn_last_error(), text);
    forget_errors();
}

static void bad_shapes_are_refused(void **state) {
    (void)state;
    rn_vec3 zero = {0, 0, 0}, up = {0, 0, 1}, bad = {0, NAN, 0}, endless = {INFINITY, 0, 0};
    float samples[8] = {1, 1, 1, 1, 1, 1, 1, -1}, broken[8] = {0, 0, 0, NAN, 0, 0, 0, INFINITY};
    forget_errors();
    refuse_shape(rn_sdf_plane(bad, up), "point of the plane");
    refuse_shape(rn_sdf_plane(zero, zero), "normal of the plane");
    refuse_shape(rn_sdf_plane(zero, bad), "normal of the plane");
    refuse_shape(rn_sdf_plane(zero, endless), "normal of the plane");
    refuse_shape(rn_sdf_box((rn_vec3){1, 0, 1}), "y size of the box is 0 m");
    refuse_shape(rn_sdf_box((rn_vec3){1, 1, NAN}), "z size of the box");
    refuse_shape(rn_sdf_rounded_box((rn_vec3){1, 1, 1}, 0.51), "rounding");
    refuse_shape(rn_sdf_rounded_box((rn_vec3){1, 1, 1}, -0.1), "rounding");
    refuse_shape(rn_sdf_rounded_box((rn_vec3){1, 1, 1}, NAN), "rounding");
    refuse_shape(rn_sdf_sphere(-1), "radius of the sphere is -1 m");
    refuse_shape(rn_sdf_sphere(INFINITY), "radius of the sphere");
    refuse_shape(rn_sdf_cylinder(0, 1), "radius of the cylinder");
    refuse_shape(rn_sdf_cylinder(1, NAN), "height of the cylinder");
    refuse_shape(rn_sdf_capsule_between(bad, zero, 1), "first end");
    refuse_shape(rn_sdf_capsule_between(zero, endless, 1), "second end");
    refuse_shape(rn_sdf_capsule_between(zero, up, 0), "radius of the capsule");
    refuse_shape(rn_sdf_taper(bad, zero, 1, 1), "first end of the taper");
    refuse_shape(rn_sdf_taper(zero, endless, 1, 1), "second end of the taper");
    refuse_shape(rn_sdf_taper(zero, up, 0, 1), "first radius of the taper is 0 m");
    refuse_shape(rn_sdf_taper(zero, up, 1, NAN), "second radius of the taper");
    refuse_shape(rn_sdf_cone(-1, 1, 1), "lower radius");
    refuse_shape(rn_sdf_cone(1, NAN, 1), "upper radius");
    refuse_shape(rn_sdf_cone(0, 0, 1), "both radii");
    refuse_shape(rn_sdf_cone(1, 1, 0), "height of the cone");
    refuse_shape(rn_sdf_torus(0, 1), "ring radius");
    refuse_shape(rn_sdf_torus(1, -1), "tube radius");
    refuse_shape(rn_sdf_bowl(0, 1), "radius of the bowl");
    refuse_shape(rn_sdf_bowl(1, 0), "depth of the bowl");
    refuse_shape(rn_sdf_bowl(1, 1.01), "may not exceed its radius");
    refuse_shape(rn_sdf_stretch(rn_sdf_sphere(1), (rn_vec3){1, 0, 1}), "stretched by (1, 0, 1)");
    refuse_shape(rn_sdf_stretch(rn_sdf_sphere(1), (rn_vec3){1, 1, NAN}), "each factor must lie between");
    refuse_shape(rn_sdf_stretch(rn_sdf_bowl(1, 1), up), "each factor must lie between");
    refuse_shape(rn_sdf_stretch(rn_sdf_bowl(1, 1), (rn_vec3){1, 1, 2}), "an infinite shape");
    refuse_shape(rn_sdf_roughen(rn_sdf_sphere(1), 0, 1, 1, 1), "amplitude of the roughness");
    refuse_shape(rn_sdf_roughen(rn_sdf_sphere(1), 1, NAN, 1, 1), "wavelength of the roughness");
    refuse_shape(rn_sdf_roughen(rn_sdf_sphere(1), 1, 1, 9, 1), "9 octaves");
    refuse_shape(rn_sdf_noise(-1, 1, 1, 0), "amplitude");
    refuse_shape(rn_sdf_noise(NAN, 1, 1, 0), "amplitude");
    refuse_shape(rn_sdf_noise(1, 0, 1, 0), "wavelength");
    refuse_shape(rn_sdf_noise(1, 1, 0, 0), "octaves");
    refuse_shape(rn_sdf_noise(1, 1, 9, 0), "octaves");
    refuse_shape(rn_sdf_grid(NULL, 2, 2, 2, 1, zero), "at NULL");
    refuse_shape(rn_sdf_grid(samples, 1, 2, 2, 1, zero), "at least 2 x 2 x 2");
    refuse_shape(rn_sdf_grid(samples, 2, 2, -2, 1, zero), "at least 2 x 2 x 2");
    refuse_shape(rn_sdf_grid(samples, INT32_MAX, INT32_MAX, INT32_MAX, 1, zero), "at most 2^31");
    refuse_shape(rn_sdf_grid(samples, 2, 2, 2, 0, zero), "spacing");
    refuse_shape(rn_sdf_grid(samples, 2, 2, 2, 1, bad), "first corner");
    refuse_shape(rn_sdf_grid(broken, 2, 2, 2, 1, zero), "distance 3 is nan");
    refuse_shape(rn_sdf_heightmap(NULL, 2, 2, 1, 0, 0), "at NULL");
    refuse_shape(rn_sdf_heightmap(samples, 0, 2, 1, 0, 0), "at least 1 x 1");
    refuse_shape(rn_sdf_heightmap(samples, INT32_MAX, INT32_MAX, 1, 0, 0), "at most 2^31");
    refuse_shape(rn_sdf_heightmap(samples, 2, 2, NAN, 0, 0), "spacing");
    refuse_shape(rn_sdf_heightmap(samples, 2, 2, 1, INFINITY, 0), "first corner");
    refuse_shape(rn_sdf_heightmap(broken, 4, 2, 1, 0, 0), "height 3 is nan");
    refuse_shape(rn_sdf_union(ball(0), ball(1), -1), "blend of the union");
    refuse_shape(rn_sdf_subtract(ball(0), ball(1), NAN), "blend of the subtraction");
    refuse_shape(rn_sdf_intersect(ball(0), ball(1), INFINITY), "blend of the intersection");
    refuse_shape(rn_sdf_move(ball(0), bad), "displacement of a shape");
    refuse_shape(rn_sdf_move(rn_sdf_move(ball(0), (rn_vec3){1e12, 0, 0}), (rn_vec3){1e12, 0, 0}),
                 "position of a shape");
    refuse_shape(rn_sdf_turn(ball(0), rn_quat_from_degrees(endless)), "quaternion");
    refuse_shape(rn_sdf_scale(ball(0), 0), "scaled by 0");
    refuse_shape(rn_sdf_scale(ball(0), -2), "scaled by -2");
    refuse_shape(rn_sdf_scale(rn_sdf_scale(ball(0), 1e-12), 1e-12), "length that 1 m of a shape is scaled to");

    /* The first failure is the one that is told. */
    rn_sdf *failed =
        rn_sdf_union(ball(0), rn_sdf_turn(rn_sdf_move(rn_sdf_sphere(-7), up), rn_quat_from_degrees(up)), -1);
    failed = rn_sdf_subtract(rn_sdf_intersect(rn_sdf_scale(failed, NAN), ball(1), 0), ball(2), 0);
    assert_null(failed);
    rn_terrain_def def = rn_terrain_default();
    def.solid = failed;
    def.cells_x = -1;
    rn_terrain *terrain = NULL;
    assert_int_equal(rn_terrain_create(&def, &terrain), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "sphere is -7 m"));
    forget_errors();
    assert_int_equal(rn_terrain_create(&def, &terrain), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "neither a solid nor columns"));
    rn_sdf_destroy(NULL);
    rn_terrain_destroy(NULL);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup(name, start_random)
    const struct CMUnitTest tests[] = {
        TEST(roughness_keeps_to_its_amplitude),
        TEST(fields_are_1_lipschitz),
        TEST(rises_are_1_lipschitz_along_z),
        TEST(bounds_hold_the_solid),
        TEST(intervals_agree_with_the_sign_of_the_field),
        TEST(slivers_are_dropped_and_cracks_closed),
        TEST(noise_is_repeatable_and_bounded),
        TEST(grid_follows_its_samples),
        TEST(heightmap_is_bilinear),
        TEST(bad_shapes_are_refused),
    };
    return cmocka_run_group_tests_name("sdf-fields", tests, NULL, NULL);
}
