/* Normals along the rim of the liquid are smooth, and its contour has no teeth. */
#include "render/rims.h"
#include "render/thickness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "surface_meshes.h"

#include <math.h>
#include <string.h>

enum { SIDE = 16, VERTICES = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) };

/* A square of vertices, numbered row by row. */
static rn_mesh square(float positions[3 * VERTICES], uint32_t indices[3 * TRIANGLES]) {
    uint32_t *next = indices;
    for (uint32_t v = 0; v < VERTICES; v++) {
        positions[3 * v] = (float)(v % SIDE);
        positions[3 * v + 1] = (float)(v / SIDE);
        positions[3 * v + 2] = 0.0f;
        if (v % SIDE == SIDE - 1 || v / SIDE == SIDE - 1) continue;
        const uint32_t two[6] = {v, v + 1, v + SIDE + 1, v, v + SIDE + 1, v + SIDE};
        memcpy(next, two, sizeof two);
        next += 6;
    }
    return (rn_mesh){.positions = positions, .indices = indices, .vertex_count = VERTICES, .triangle_count = TRIANGLES};
}

/* A unit normal that leans by `lean` along x. */
static void set_lean(float *normal, float lean) {
    const float size = sqrtf(1.0f + lean * lean);
    normal[0] = lean / size;
    normal[1] = 0.0f;
    normal[2] = 1.0f / size;
}

/* The number of edges from the rim. */
static int depth_of(uint32_t v) {
    const int x = (int)v % SIDE, y = (int)v / SIDE;
    const int a = x < y ? x : y, b = SIDE - 1 - (x > y ? x : y);
    return a < b ? a : b;
}

/* Normals that differ from vertex to vertex along the rim become nearly equal; those three edges from it and farther
   away differ much less; all have unit length. */
static void rims_lose_their_teeth(void **state) {
    (void)state;
    static float positions[3 * VERTICES], normals[3 * VERTICES];
    static uint32_t indices[3 * TRIANGLES];
    const rn_mesh m = square(positions, indices);
    for (uint32_t v = 0; v < VERTICES; v++) set_lean(normals + 3 * v, (v % SIDE + v / SIDE) % 2 ? 0.5f : -0.5f);
    assert_int_equal(rn_rims_smooth(&m, TRIANGLES, normals, NULL), RN_OK);
    for (uint32_t v = 0; v < VERTICES; v++) {
        const float *n = normals + 3 * v;
        assert_float_equal(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1.0f, 1e-5f);
        assert_true(fabsf(n[0]) < (depth_of(v) == 0 ? 0.1f : 0.2f));
    }
}

/* Inside the surface, waves of eight edges keep most of their steepness. */
static void long_waves_stay(void **state) {
    (void)state;
    static float positions[3 * VERTICES], normals[3 * VERTICES];
    static uint32_t indices[3 * TRIANGLES];
    const rn_mesh m = square(positions, indices);
    for (uint32_t v = 0; v < VERTICES; v++) set_lean(normals + 3 * v, 0.3f * sinf(0.7854f * (float)(v % SIDE)));
    assert_int_equal(rn_rims_smooth(&m, TRIANGLES, normals, NULL), RN_OK);
    float least = INFINITY;
    for (uint32_t v = 0; v < VERTICES; v++)
        if (depth_of(v) >= 4 && v % SIDE % 4 == 2) least = fminf(least, fabsf(normals[3 * v]));
    print_message("a slope of 0.3 is at least %.3f now\n", (double)least);
    assert_true(least > 0.24f);
}

/* Directions and angles of menisci become nearly equal along the rim; their shares stay as they are. */
static void menisci_lose_their_teeth(void **state) {
    (void)state;
    static float positions[3 * VERTICES], normals[3 * VERTICES], menisci[4 * VERTICES];
    static uint32_t indices[3 * TRIANGLES];
    const rn_mesh m = square(positions, indices);
    for (uint32_t v = 0; v < VERTICES; v++) {
        const bool odd = (v % SIDE + v / SIDE) % 2;
        const float one[4] = {0.8f, odd ? 0.6f : -0.6f, odd ? 0.2f : 0.6f, odd ? 0.5f : 0.6f};
        memcpy(menisci + 4 * v, one, sizeof one);
        set_lean(normals + 3 * v, 0.0f);
    }
    assert_int_equal(rn_rims_smooth(&m, TRIANGLES, normals, menisci), RN_OK);
    for (uint32_t v = 0; v < VERTICES; v++) {
        const float *n = menisci + 4 * v;
        assert_true(n[3] == ((v % SIDE + v / SIDE) % 2 ? 0.5f : 0.6f));
        if (depth_of(v) > 0) continue;
        assert_true(fabsf(n[1]) < 0.25f && fabsf(n[2] - 0.42f) < 0.1f);
    }
}

/* The thickness of a closed surface loses its steps. */
static void thickness_has_no_steps(void **state) {
    (void)state;
    static float positions[3 * VERTICES], thick[VERTICES];
    static uint32_t indices[3 * TRIANGLES];
    const rn_mesh m = square(positions, indices);
    for (uint32_t v = 0; v < VERTICES; v++) thick[v] = v % SIDE < SIDE / 2 ? 0.2f : 1.0f;
    assert_int_equal(rn_thickness_smooth(&m, thick), RN_OK);
    for (uint32_t v = 0; v + 1 < VERTICES; v++) {
        assert_true(thick[v] > 0.199f && thick[v] < 1.001f);
        if ((v + 1) % SIDE) assert_true(thick[v + 1] - thick[v] < 0.25f);
    }
}

/* Two patches that touch at one vertex only: it belongs to the rim of both, whatever its number is. */
static void pinches_are_rims(void **state) {
    (void)state;
    enum { V = 5 * SIDE + 7 };
    static float positions[3 * VERTICES], normals[3 * VERTICES];
    static uint32_t indices[3 * TRIANGLES];
    (void)square(positions, indices);
    const uint32_t fans[12] = {V, V + 1, V + SIDE + 1, V, V + SIDE + 1, V + SIDE,
                               V, V - 1, V - SIDE - 1, V, V - SIDE - 1, V - SIDE};
    const rn_mesh m = {
        .positions = positions, .indices = (uint32_t *)fans, .vertex_count = VERTICES, .triangle_count = 4};
    for (uint32_t v = 0; v < VERTICES; v++) set_lean(normals + 3 * v, v == V ? 0.5f : -0.5f);
    assert_int_equal(rn_rims_smooth(&m, 4, normals, NULL), RN_OK);
    assert_float_equal(normals[3 * V], -0.23f, 0.03f); /* -0.31 if it counts as one of the second ring */
}

/* Normals that are the same everywhere stay so, and a surface without triangles has no rim. */
static void level_liquid_stays_level(void **state) {
    (void)state;
    static float positions[3 * VERTICES], normals[3 * VERTICES];
    static uint32_t indices[3 * TRIANGLES];
    const rn_mesh m = square(positions, indices);
    for (uint32_t v = 0; v < VERTICES; v++) set_lean(normals + 3 * v, 0.3f);
    assert_int_equal(rn_rims_smooth(&m, TRIANGLES, normals, NULL), RN_OK);
    assert_int_equal(rn_rims_smooth(&m, 0, normals, NULL), RN_OK);
    for (uint32_t v = 0; v < VERTICES; v++) assert_float_equal(normals[3 * v], 0.3f / sqrtf(1.09f), 1e-5f);
}

/* The root mean square distance (cells) of the edge of a round puddle from its mean circle. */
static double roughness(float radius) {
    enum { N = 64 };
    stack s = stack_make(N, N, 1, 1.0f, 100.0f);
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) {
            const size_t at = stack_slot(&s, 0, y, x);
            double inside = 0.0; /* share of the cell within the circle */
            for (int k = 0; k < 64; k++)
                inside += hypot(x + (k % 8 + 0.5) / 8 - 32.0, y + (k / 8 + 0.5) / 8 - 32.0) < (double)radius;
            s.base[at] = 0.0f;
            s.ceil[at] = 100.0f;
            s.depth[at] = (float)(inside / 64.0);
        }
    const rn_surface_def def = {.least_depth = -1.0f};
    buffers b = buffers_make(&s.columns, &def);
    assert_int_equal(rn_surface_build(&s.columns, &def, b.scratch, b.bytes, &b.mesh), RN_OK);
    double sum = 0.0, squares = 0.0;
    int count = 0;
    size_t edge_count;
    mesh_edge *edges = mesh_edges(&b.mesh, &edge_count);
    for (size_t i = 0; i < edge_count; i++) {
        if (edges[i].forth + edges[i].back != 1) continue;
        const float *at = b.mesh.positions + 3 * (size_t)edges[i].low;
        const double far = hypot((double)at[0] - 32.0, (double)at[1] - 32.0);
        sum += far;
        squares += far * far;
        count++;
    }
    free(edges);
    buffers_free(&b);
    stack_free(&s);
    return sqrt(fmax(squares / count - sum / count * (sum / count), 0.0));
}

/* The contour of a round puddle is round, at any size within a cell. */
static void contours_have_no_teeth(void **state) {
    (void)state;
    double worst = 0.0;
    for (int i = 0; i < 10; i++) worst = fmax(worst, roughness(20.0f + 0.1f * (float)i));
    print_message("the contour of a round puddle is within %.3f cells of a circle\n", worst);
    assert_true(worst < 0.085);
}

/* A wave before an upright wall does not end in teeth that climb the wall, although its floor rises a little. */
static void waves_do_not_climb_walls(void **state) {
    (void)state;
    enum { N = 16 };
    stack s = stack_make(N, N, 1, 1.0f, 100.0f);
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) {
            const size_t at = stack_slot(&s, 0, y, x);
            const float rises = y % 3 ? 0.01f * (float)x : 0.0f; /* so that teeth would differ from row to row */
            s.base[at] = x < 10 ? rises : 20.0f;
            s.ceil[at] = 100.0f;
            s.depth[at] = x < 10 ? 1.0f + 0.05f * (float)x : 0.0f;
        }
    const rn_surface_def def = {.least_depth = -1.0f};
    buffers b = buffers_make(&s.columns, &def);
    assert_int_equal(rn_surface_build(&s.columns, &def, b.scratch, b.bytes, &b.mesh), RN_OK);
    double highest = 0;
    for (uint32_t v = 0; v < b.mesh.vertex_count; v++) highest = fmax(highest, (double)b.mesh.positions[3 * v + 2]);
    print_message("the highest vertex is at %.2f cells; the liquid at most at 1.54\n", highest);
    assert_true(highest < 1.65);
    buffers_free(&b);
    stack_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rims_lose_their_teeth),    cmocka_unit_test(long_waves_stay),
        cmocka_unit_test(menisci_lose_their_teeth), cmocka_unit_test(thickness_has_no_steps),
        cmocka_unit_test(pinches_are_rims),         cmocka_unit_test(level_liquid_stays_level),
        cmocka_unit_test(waves_do_not_climb_walls), cmocka_unit_test(contours_have_no_teeth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
