/* Shapes: volumes, centres and inertia against closed forms, surfaces that are closed, and what is refused. */
#include "base/hash.h"
#include "bodies/shape.h"
#include "body_shapes.h"
#include "purse.h"

/* Each edge of a closed surface is gone along once each way. */
static void assert_closed(const rn_shape *shape) {
    const rn_shape_info info = rn_shape_describe(shape);
    rn_shape *again = rn_shape_mesh(info.positions, info.vertex_count, info.indices, info.triangle_count, NULL);
    if (!again) fail_msg("%s", rn_last_error());
    const rn_shape_info same = rn_shape_describe(again);
    assert_int_equal(same.triangle_count, info.triangle_count);
    assert_int_equal(same.vertex_count, info.vertex_count);
    assert_near(same.volume, info.volume, 1e-12 * info.volume);
    rn_shape_destroy(again);
}

/* Volume to 1e-6, the rest to `tolerance`, and every other moment 0. */
static void check_round(rn_shape *shape, rn_shape_kind kind, double volume, double ix, double iz, double tolerance) {
    assert_non_null(shape);
    const rn_shape_info info = rn_shape_describe(shape);
    const double size = info.radius, moment = volume * size * size;
    assert_near(info.volume, volume, 1e-6 * volume);
    assert_near(info.inertia[0][0], ix, tolerance * ix);
    assert_near(info.inertia[1][1], ix, tolerance * ix);
    assert_near(info.inertia[2][2], iz, tolerance * iz);
    for (int k = 0; k < 3; k++) assert_near(info.inertia[k][(k + 1) % 3], 0, 1e-6 * moment);
    assert_near(info.centre.x, 0, 1e-6 * size);
    assert_near(info.centre.y, 0, 1e-6 * size);
    assert_near(info.centre.z, 0, 1e-6 * size);
    assert_int_equal(info.part_count, 1);
    assert_int_equal(info.parts[0].kind, kind);
    assert_int_equal(info.parts[0].count, info.triangle_count);
    assert_closed(shape);
    rn_shape_destroy(shape);
}

static void test_box(void **state) {
    (void)state;
    rn_shape *box = rn_shape_box((rn_vec3){0.5, 1.25, 3});
    const rn_shape_info info = rn_shape_describe(box);
    const double volume = 0.5 * 1.25 * 3;
    assert_near(info.volume, volume, 1e-12);
    assert_near(info.inertia[0][0], volume / 12 * (1.25 * 1.25 + 9), 1e-12);
    assert_near(info.inertia[1][1], volume / 12 * (0.25 + 9), 1e-12);
    assert_near(info.inertia[2][2], volume / 12 * (0.25 + 1.25 * 1.25), 1e-12);
    assert_near(info.radius, sqrt(0.25 + 1.25 * 1.25 + 9) / 2, 1e-12);
    assert_near(info.low.z, -1.5, 0);
    assert_near(info.high.y, 0.625, 0);
    assert_closed(box);
    rn_shape_destroy(box);
}

static void test_round(void **state) {
    (void)state;
    const double sizes[3] = {1e-4, 0.37, 2500};
    for (int i = 0; i < 3; i++) {
        const double r = sizes[i], l = 3 * r, ball = 4.0 / 3.0 * pi * r * r * r, rod = pi * r * r * l;
        check_round(rn_shape_sphere(r), RN_SHAPE_SPHERE, ball, 0.4 * ball * r * r, 0.4 * ball * r * r, 1e-3);
        check_round(rn_shape_cylinder(r, l), RN_SHAPE_CYLINDER, rod, rod / 12 * (3 * r * r + l * l), rod / 2 * r * r,
                    1e-3);
        const double around = rod / 2 * r * r + 0.4 * ball * r * r;
        const double across = rod * (l * l / 12 + r * r / 4) + ball * (0.4 * r * r + l * l / 4 + 3.0 / 8.0 * l * r);
        check_round(rn_shape_capsule(r, l), RN_SHAPE_CAPSULE, rod + ball, across, around, 5e-3);
        check_round(rn_shape_capsule(r, 0), RN_SHAPE_CAPSULE, ball, 0.4 * ball * r * r, 0.4 * ball * r * r, 5e-3);
    }
}

/* All points lie within a hull, and it has only them. */
static void check_hull(const float *at, size_t count, double volume) {
    rn_shape *hull = rn_shape_hull(at, count);
    if (!hull) fail_msg("%s", rn_last_error());
    const rn_shape_info info = rn_shape_describe(hull);
    if (volume > 0) assert_near(info.volume, volume, 1e-5 * volume);
    assert_closed(hull);
    for (uint32_t t = 0; t < info.triangle_count; t++) {
        double p[3][3], n[3];
        for (int c = 0; c < 3; c++) {
            for (int k = 0; k < 3; k++)
                p[c][k] = (double)info.positions[3 * info.indices[3 * t + (uint32_t)c] + (uint32_t)k];
        }
        for (int k = 0; k < 3; k++) {
            const int i = (k + 1) % 3, j = (k + 2) % 3;
            n[k] = (p[1][i] - p[0][i]) * (p[2][j] - p[0][j]) - (p[1][j] - p[0][j]) * (p[2][i] - p[0][i]);
        }
        const double area = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (size_t q = 0; area > 1e-4 * info.radius * info.radius && q < count; q++) {
            const double *a = p[0];
            const double out = (n[0] * ((double)at[3 * q] - a[0]) + n[1] * ((double)at[3 * q + 1] - a[1]) +
                                n[2] * ((double)at[3 * q + 2] - a[2])) /
                               area;
            if (out > 1e-4 * info.radius) fail_msg("point %zu is %g m outside of triangle %u", q, out, t);
        }
    }
    rn_shape_destroy(hull);
}

static void test_hull(void **state) {
    (void)state;
    static float at[3 * 4000];
    /* A cube of 5^3 points, each twice: flat sides, points on edges, doubled ones. */
    size_t count = 0;
    for (int twice = 0; twice < 2; twice++) {
        for (int i = 0; i < 125; i++, count++) {
            at[3 * count] = (float)(i % 5);
            at[3 * count + 1] = (float)(i / 5 % 5);
            at[3 * count + 2] = (float)(i / 25);
        }
    }
    check_hull(at, count, 64);
    rn_shape *cube = rn_shape_hull(at, count);
    assert_int_equal(rn_shape_describe(cube).triangle_count, 2 * rn_shape_describe(cube).vertex_count - 4);
    rn_shape_destroy(cube);
    /* The same turned: its sides are flat but for rounding. */
    for (size_t i = 0; i < count; i++) {
        const double x = (double)at[3 * i], y = (double)at[3 * i + 1], z = (double)at[3 * i + 2];
        const double u = 0.6 * x - 0.8 * y, v = 0.8 * x + 0.6 * y;
        at[3 * i] = (float)u;
        at[3 * i + 1] = (float)(0.28 * v - 0.96 * z);
        at[3 * i + 2] = (float)(0.96 * v + 0.28 * z);
    }
    check_hull(at, count, 64);
    /* Points of a sphere, every one of which is a corner. */
    for (int i = 0; i < 4000; i++) {
        const double z = random_in(-1, 1), turn = 2 * pi * random_unit(), r = sqrt(1 - z * z);
        at[3 * i] = (float)(r * cos(turn));
        at[3 * i + 1] = (float)(r * sin(turn));
        at[3 * i + 2] = (float)z;
    }
    check_hull(at, 4000, 0);
    for (int times = 0; times < 200; times++) {
        const int steps = 2 + times % 5;
        for (int i = 0; i < 3 * 60; i++) at[i] = (float)floor(random_unit() * steps);
        check_hull(at, 60, 0);
    }
}

static void test_mesh(void **state) {
    (void)state;
    rn_shape *torus = make_torus(1, 0.4);
    assert_non_null(torus);
    rn_shape_info info = rn_shape_describe(torus);
    /* Of a ring of prisms over a polygon of 20 sides, which stand around a polygon of 40. */
    const double tube = 10 * sin(2 * pi / 20) * 0.16, around = 40 * sin(2 * pi / 40);
    assert_near(info.volume, tube * around, 1e-5);
    rn_shape_destroy(torus);
    rn_shape *arch = make_arch();
    assert_non_null(arch);
    info = rn_shape_describe(arch);
    assert_near(info.volume, 3, 1e-12);
    assert_near(info.centre.x, 0, 1e-12);
    assert_near(info.centre.z, (4 * 1 - 1 * 0.5) / 3, 1e-12);
    rn_shape_destroy(arch);
}

static void count_warning(void *user, rn_log_level level, const char *text) {
    if (level == RN_LOG_WARNING && strstr(text, "12 triangles was inside out")) ++*(int *)user;
}

/* A box, triangle by triangle, as files of type STL have it: every corner on its own. */
static void test_welding(void **state) {
    (void)state;
    rn_shape *box = rn_shape_box((rn_vec3){1, 2, 3});
    const rn_shape_info info = rn_shape_describe(box);
    float at[36 * 3];
    uint32_t index[39];
    for (uint32_t i = 0; i < 36; i++) {
        memcpy(at + 3 * i, info.positions + 3 * info.indices[i], 3 * sizeof *at);
        index[i] = 35 - i;
    }
    int warnings = 0;
    const rn_hooks hooks = {.user = &warnings, .log = count_warning};
    /* And one triangle more that has two corners in one place. */
    index[36] = 0;
    index[37] = 1;
    index[38] = 0;
    rn_shape *mesh = rn_shape_mesh(at, 36, index, 13, &hooks);
    assert_non_null(mesh);
    assert_int_equal(warnings, 1);
    assert_int_equal(rn_shape_describe(mesh).vertex_count, 8);
    assert_int_equal(rn_shape_describe(mesh).triangle_count, 12);
    assert_near(rn_shape_describe(mesh).volume, 6, 1e-12);
    rn_shape_destroy(mesh);
    rn_shape_destroy(box);
}

static void test_parts(void **state) {
    (void)state;
    rn_shape *truck = make_truck();
    const rn_shape_info info = rn_shape_describe(truck);
    const double body = 2.5 * 1.2 * 0.6, wheel = pi * 0.09 * 0.2, ball = 4.0 / 3.0 * pi * 0.027;
    assert_near(info.volume, body + 4 * wheel + ball, 1e-6);
    assert_near(info.centre.z, (-4 * wheel * 0.3 + ball * 0.65) / info.volume, 1e-6);
    assert_int_equal(info.part_count, 6);
    uint32_t next = 0;
    for (int i = 0; i < 6; i++) {
        assert_int_equal(info.parts[i].first, next);
        next += info.parts[i].count;
    }
    assert_int_equal(next, info.triangle_count);
    assert_int_equal(info.parts[4].kind, RN_SHAPE_CYLINDER);
    assert_near(info.parts[4].at.y, 0.75, 0);
    assert_near(info.parts[4].turn.x, sqrt(0.5), 1e-12);
    assert_near(info.parts[4].size.x, 0.3, 0);
    /* A part of a part: the truck on its side upon another. */
    rn_shape *two = rn_shape_copy(truck, NULL);
    const rn_quat side = {0, 0, 1, 1};
    assert_int_equal(rn_shape_add(two, truck, (rn_vec3){0, 0, 5}, side), RN_OK);
    const rn_shape_info both = rn_shape_describe(two);
    assert_near(both.volume, 2 * info.volume, 1e-6);
    assert_near(both.centre.z, info.centre.z + 2.5, 1e-6);
    assert_near(both.parts[10].at.x, -0.75, 1e-12);
    assert_near(both.parts[10].at.y, 0.8, 1e-12);
    assert_near(both.parts[10].at.z, 4.7, 1e-12);
    assert_int_equal(rn_shape_add(two, two, (rn_vec3){9, 0, 0}, (rn_quat){0, 0, 0, 0}), RN_OK);
    assert_near(rn_shape_describe(two).volume, 4 * info.volume, 1e-5);
    assert_int_equal(rn_shape_describe(two).part_count, 24);
    rn_shape_destroy(two);
    rn_shape_destroy(truck);
}

/* What is painted keeps its colour when all of it is painted, and takes it along into other shapes. */
static void test_paint(void **state) {
    (void)state;
    rn_shape *car = rn_shape_box((rn_vec3){4, 2, 1}), *wheel = rn_shape_cylinder(0.5, 0.2);
    rn_shape_paint(wheel, (rn_vec3){0, 0, 0.1});
    assert_int_equal(rn_shape_add(car, wheel, (rn_vec3){1, 0, -1}, (rn_quat){0, 0, 0, 1}), RN_OK);
    assert_near(rn_shape_describe(car).parts[0].colour.x, 0, 0);
    rn_shape_paint(car, (rn_vec3){0.5, 0.25, 0});
    rn_shape *put = rn_shape_transform(car, (rn_vec3){1, 2, 3}, (rn_quat){0, 0, 1, 1});
    rn_shape *copy = rn_shape_copy(put, NULL);
    const rn_shape_part *parts = rn_shape_describe(copy).parts;
    assert_near(parts[0].colour.x, 0.5, 0);
    assert_near(parts[0].colour.y, 0.25, 0);
    assert_near(parts[1].colour.x, 0, 0);
    assert_near(parts[1].colour.z, 0.1, 0);
    rn_shape *const all[] = {car, wheel, put, copy};
    for (int i = 0; i < 4; i++) rn_shape_destroy(all[i]);
}

static void assert_refused(rn_shape *shape, const char *sentence) {
    assert_null(shape);
    if (!strstr(rn_last_error(), sentence)) fail_msg("\"%s\" does not say \"%s\"", rn_last_error(), sentence);
}

static void test_refused(void **state) {
    (void)state;
    assert_refused(rn_shape_box((rn_vec3){1, -2, 1}),
                   "the size along y of a box is -2 m; it must be from 1e-09 to 1e+09 m");
    assert_refused(rn_shape_sphere(NAN), "the radius of a sphere is nan m");
    assert_refused(rn_shape_cylinder(1, 0), "the length of a cylinder is 0 m");
    assert_refused(rn_shape_capsule(1, -1), "the length of a capsule is -1 m; it must be 0 or from");
    assert_refused(rn_shape_capsule(INFINITY, 1), "the radius of a capsule is inf m");
    float at[3 * 5] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 0, 0, 0};
    assert_refused(rn_shape_hull(at, 3), "a hull has 3 points; it must have from 4");
    assert_refused(rn_shape_hull(at, 5), "the 5 points of a hull are all on one line");
    at[4] = 1;
    assert_refused(rn_shape_hull(at, 5), "the 5 points of a hull are all in one plane");
    const float same[12] = {1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3};
    assert_refused(rn_shape_hull(same, 4), "the 4 points of a hull are all in one place");
    at[7] = NAN;
    assert_refused(rn_shape_hull(at, 5), "point 2 of a hull has a coordinate that is not finite");
    rn_shape *box = rn_shape_box((rn_vec3){1, 1, 1});
    assert_int_equal(rn_shape_add(box, box, (rn_vec3){NAN, 0, 0}, (rn_quat){0, 0, 0, 1}), RN_INVALID);
    assert_int_equal(rn_shape_add(box, box, (rn_vec3){1e39, 0, 0}, (rn_quat){0, 0, 0, 1}), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "all must be finite"));
    rn_shape_destroy(box);
}

static void test_bad_meshes(void **state) {
    (void)state;
    const float nowhere[12] = {0};
    float at[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    uint32_t index[15] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    assert_refused(rn_shape_mesh(at, 4, index, 3, NULL), "a mesh of 4 vertices and 3 triangles cannot be closed");
    index[4] = 4;
    assert_refused(rn_shape_mesh(at, 4, index, 4, NULL),
                   "triangle 1 of a mesh names vertex 4; the mesh has 4, counted from 0");
    index[4] = 3;
    index[5] = 1;
    assert_refused(rn_shape_mesh(at, 4, index, 4, NULL), "and 3 to two that disagree about which side is outside");
    index[4] = 1;
    index[5] = 3;
    memcpy(index + 12, index, 3 * sizeof *index);
    assert_refused(rn_shape_mesh(at, 4, index, 5, NULL), "0 edges belong to one triangle, 3 to more than two");
    index[9] = index[10];
    assert_refused(rn_shape_mesh(at, 4, index, 4, NULL), "3 edges belong to one triangle");
    index[9] = 2;
    assert_refused(rn_shape_mesh(nowhere, 4, index, 4, NULL),
                   "all 4 triangles of a mesh have corners in the same place");
    at[11] = INFINITY;
    assert_refused(rn_shape_mesh(at, 4, index, 4, NULL), "vertex 3 of a mesh has a coordinate that is not finite");
    at[9] = at[10] = 0.25f;
    at[11] = 0;
    assert_refused(rn_shape_mesh(at, 4, index, 4, NULL), "has a volume of 0 m^3; it must enclose some");
}

static uint64_t hash_of(rn_shape *shape) {
    const rn_shape_info info = rn_shape_describe(shape);
    uint64_t hash = rn_hash_floats(RN_HASH_START, info.positions, 3 * (size_t)info.vertex_count);
    for (size_t i = 0; i < 3 * (size_t)info.triangle_count; i++) hash = rn_hash_word(hash, info.indices[i]);
    rn_shape_destroy(shape);
    return hash;
}

static void test_same_bits(void **state) {
    (void)state;
    assert_true(hash_of(rn_shape_sphere(0.3)) == hash_of(rn_shape_sphere(0.3)));
    assert_true(hash_of(rn_shape_capsule(0.3, 2)) == hash_of(rn_shape_capsule(0.3, 2)));
    assert_true(hash_of(make_rock()) == hash_of(make_rock()));
    assert_true(hash_of(make_truck()) == hash_of(make_truck()));
}

static void test_memory(void **state) {
    (void)state;
    rn_shape *truck = make_truck();
    const rn_shape_info info = rn_shape_describe(truck);
    for (int pieces = 0; pieces < 40; pieces++) {
        purse p = {pieces, 0};
        const rn_hooks hooks = {.user = &p, .alloc = purse_spend, .free = purse_give_back};
        rn_shape *copy = rn_shape_copy(truck, &hooks);
        rn_shape *mesh = rn_shape_mesh(info.positions, info.vertex_count, info.indices, info.triangle_count, &hooks);
        const rn_result added = copy ? rn_shape_add(copy, truck, (rn_vec3){1, 2, 3}, (rn_quat){0, 0, 0, 1}) : RN_MEMORY;
        if (pieces == 39) assert_true(copy && mesh && added == RN_OK);
        if (copy && added != RN_OK) assert_int_equal(rn_shape_describe(copy).part_count, 6);
        rn_shape_destroy(copy);
        rn_shape_destroy(mesh);
        assert_int_equal(p.held, 0);
    }
    rn_shape_destroy(truck);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box),       cmocka_unit_test(test_round),   cmocka_unit_test(test_hull),
        cmocka_unit_test(test_mesh),      cmocka_unit_test(test_welding), cmocka_unit_test(test_parts),
        cmocka_unit_test(test_paint),     cmocka_unit_test(test_refused), cmocka_unit_test(test_bad_meshes),
        cmocka_unit_test(test_same_bits), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, start_random, NULL);
}
