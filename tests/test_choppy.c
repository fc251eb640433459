/* Choppy water (Lee & O'Sullivan 2007, section 5): where its vertices are, and that no triangle turns over. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/threads.h"
#include "surface_meshes.h"

#include <math.h>

#define PI 3.14159265358979323846

typedef float (*height)(double x, double y, double t);

static void build(const rn_surface_columns *columns, const rn_surface_def *def, buffers *b) {
    if (rn_surface_build(columns, def, b->scratch, b->bytes, &b->mesh) != RN_OK) fail_msg("%s", rn_last_error());
}

static buffers built(const stack *s, float choppiness) {
    const rn_surface_def def = {.choppiness = choppiness};
    buffers b = buffers_make(&s->columns, &def);
    build(&s->columns, &def, &b);
    assert_true(buffers_whole(&b));
    return b;
}

/* A basin of level ground with this surface over it, m. */
static stack basin(int nx, int ny, double cell, height surface, double t) {
    stack s = stack_make(nx, ny, 1, (float)cell, 1e6f);
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++) {
            const size_t k = stack_slot(&s, 0, y, x);
            s.base[k] = 0.0f;
            s.ceil[k] = 2e6f;
            s.depth[k] = surface((x + 0.5) * cell, (y + 0.5) * cell, t);
        }
    return s;
}

static const float *vertex_of(const rn_mesh *m, size_t id) {
    for (uint32_t i = 0; i < m->vertex_count; i++)
        if (m->ids[i] == id) return &m->positions[3 * (size_t)i];
    return NULL;
}

/* m: 1 m high, 20 m long, along x; a tenth as high where t is 1. */
static float swell(double x, double y, double t) {
    (void)y;
    return 10.0f + (float)((t > 0 ? 0.1 : 1.0) * cos(2.0 * PI * (x - 30.0) / 20.0));
}

/* Waves of many directions, steep to breaking. */
static float sea(double x, double y, double t) {
    double z = 20.0;
    for (int k = 1; k <= 12; k++) {
        const double turn = 2.4 * k + t, number = 0.2 * k;
        z += 1.2 / k * sin(number * (x * cos(turn) + y * sin(turn)) + 1.7 * k);
    }
    return (float)z;
}

/* ---- Shape ------------------------------------------------------------------------------------------------------- */

/* As the formula has it, where nothing is too steep, and then no triangle is narrower than rule 1 has it. */
static void vertices_move_by_the_slope(void **state) {
    (void)state;
    const double c = 5.0, k = 2.0 * PI / 20.0;
    stack s = basin(240, 60, 0.25, swell, 1);
    buffers b = built(&s, (float)c);
    for (int x = 60; x < 180; x++) {
        const float *at = vertex_of(&b.mesh, stack_slot(&s, 0, 30, x));
        const double place = (x + 0.5) * 0.25, slope = -0.1 * k * sin(k * (place - 30.0));
        assert_true(fabs(at[0] - place - c * slope) < 2e-3 * c * 0.1 * k);
        assert_true(fabs(at[1] - 30.5 * 0.25) < 1e-5);
    }
    buffers_free(&b);
    stack_free(&s);
}

/* 1/m, of the parabola through three vertices of a row. */
static double bend_at(const rn_mesh *m, const stack *s, int y, int x) {
    const float *a = vertex_of(m, stack_slot(s, 0, y, x - 1)), *b = vertex_of(m, stack_slot(s, 0, y, x)),
                *c = vertex_of(m, stack_slot(s, 0, y, x + 1));
    const double back = ((double)b[2] - a[2]) / ((double)b[0] - a[0]),
                 on = ((double)c[2] - b[2]) / ((double)c[0] - b[0]);
    return 2.0 * (on - back) / ((double)c[0] - a[0]);
}

/* A wave a cos kx bends by a k^2 at crest and trough, a choppy one by a k^2 / (1 -+ c a k^2)^2. */
static void crests_are_sharp_and_troughs_flat(void **state) {
    (void)state;
    const double bend = 4.0 * PI * PI / 400.0, squeeze = 0.5; /* c a k^2 */
    stack s = basin(240, 60, 0.25, swell, 0);
    buffers plain = built(&s, 0.0f), b = built(&s, (float)(squeeze / bend));
    const int crest = 120, trough = 160; /* at 30 and 40 m */
    assert_true(fabs(bend_at(&plain.mesh, &s, 30, crest) / -bend - 1.0) < 0.02);
    assert_true(fabs(bend_at(&plain.mesh, &s, 30, trough) / bend - 1.0) < 0.02);
    const double sharp = bend_at(&b.mesh, &s, 30, crest) / -bend, flat = bend_at(&b.mesh, &s, 30, trough) / bend;
    assert_true(fabs(sharp * (1.0 - squeeze) * (1.0 - squeeze) - 1.0) < 0.04);
    assert_true(fabs(flat * (1.0 + squeeze) * (1.0 + squeeze) - 1.0) < 0.04);
    buffers_free(&b);
    buffers_free(&plain);
    stack_free(&s);
}

/* m, how far the vertex over a place has moved along x. */
static double moved_at(const stack *s, const rn_mesh *m, double place_x, double place_y) {
    const double cell = s->columns.cell_size;
    const int x = (int)(place_x / cell), y = (int)(place_y / cell);
    return vertex_of(m, stack_slot(s, 0, y, x))[0] - (x + 0.5) * cell;
}

/* In metres the shift is the same for cells of any size, also where waves are so steep that it is bounded. */
static void cells_make_no_difference(void **state) {
    (void)state;
    for (int steep = 0; steep < 2; steep++) {
        stack coarse = basin(160, 80, 0.3, sea, 0), fine = basin(480, 240, 0.1, sea, 0);
        const float c = steep ? 30.0f : 0.2f;
        buffers a = built(&coarse, c), b = built(&fine, c);
        double apart = 0.0, most = 0.0;
        for (int y = 8; y < 72; y++)
            for (int x = 8; x < 152; x++) {
                const double place_x = (x + 0.5) * 0.3, place_y = (y + 0.5) * 0.3;
                const double here = moved_at(&coarse, &a.mesh, place_x, place_y);
                apart = fmax(apart, fabs(here - moved_at(&fine, &b.mesh, place_x, place_y)));
                most = fmax(most, fabs(here));
            }
        assert_true(apart < (steep ? 0.15 : 0.03) * most && most > (steep ? 3.0 : 0.2));
        buffers_free(&a);
        buffers_free(&b);
        stack_free(&coarse);
        stack_free(&fine);
    }
}

/* ---- Folds ------------------------------------------------------------------------------------------------------- */

/* m^2, seen from above, twice the area of a triangle. */
static double area_above(const rn_mesh *m, size_t t) {
    double n[3];
    triangle_normal(m, t, n);
    return n[2];
}

/* All of them are the triangles without choppiness, and keep a part of their area. */
static void check_unfolded(const stack *s, float choppiness) {
    buffers plain = built(s, 0.0f), b = built(s, choppiness);
    const double cell = s->columns.cell_size;
    assert_null(mesh_fault(&b.mesh, s->columns.cell_size));
    assert_int_equal(plain.mesh.vertex_count, b.mesh.vertex_count);
    assert_int_equal(plain.mesh.triangle_count, b.mesh.triangle_count);
    assert_memory_equal(plain.mesh.indices, b.mesh.indices, 12 * (size_t)b.mesh.triangle_count);
    for (size_t t = 0; t < b.mesh.triangle_count; t++)
        if (area_above(&plain.mesh, t) > 0.5 * cell * cell) assert_true(area_above(&b.mesh, t) > 0.027 * cell * cell);
    buffers_free(&b);
    buffers_free(&plain);
}

static void seas_do_not_fold(void **state) {
    (void)state;
    for (int i = 0; i < 12; i++) {
        stack s = basin(90, 70, 0.5 + 0.1 * i, sea, 0.5 * i);
        check_unfolded(&s, (float)pow(10.0, i % 6 - 2));
        stack_free(&s);
    }
}

/* No order at all from column to column, far steeper than any wave. */
static float noise(double x, double y, double t) {
    uint64_t r = (uint64_t)(x * 77.0) * 7919 + (uint64_t)(y * 77.0) * 104729 + (uint64_t)(1e3 * t);
    next_random(&r);
    return 3.0f + 6.0f * next_unit(&r);
}

static void noise_does_not_fold(void **state) {
    (void)state;
    for (int i = 0; i < 20; i++) {
        stack s = basin(60, 50, 1.0, noise, i);
        check_unfolded(&s, (float)pow(10.0, i % 10 - 3));
        stack_free(&s);
    }
    stack s = basin(30, 20, 1.0, noise, 7);
    check_unfolded(&s, 3e38f);
    check_unfolded(&s, -3e38f);
    stack_free(&s);
}

/* ---- Edges ------------------------------------------------------------------------------------------------------- */

/* An island, a cliff under water, a shelf with a ledge, and a sea over all of it. */
static stack coast(void) {
    stack s = basin(80, 60, 0.5, sea, 1);
    for (int y = 0; y < 60; y++)
        for (int x = 0; x < 80; x++) {
            const size_t k = stack_slot(&s, 0, y, x);
            const float level = s.depth[k];
            const double far = hypot(x - 25.0, y - 30.0);
            s.base[k] = (float)(far < 20.0 ? 28.0 - far : 4.0);
            if (x > 60) s.base[k] = 17.0f;
            s.depth[k] = fmaxf(level - s.base[k], 0.0f);
        }
    return s;
}

/* What is not inside the liquid stays where it is: the vertices of dry columns, of walls and of the edge of the domain,
   and of the wet columns beside them. */
static void edges_stay(void **state) {
    (void)state;
    stack s = coast();
    buffers plain = built(&s, 0.0f), b = built(&s, 20.0f);
    int moved = 0;
    for (uint32_t i = 0; i < b.mesh.vertex_count; i++) {
        const float *p = &plain.mesh.positions[3 * (size_t)i], *q = &b.mesh.positions[3 * (size_t)i];
        const uint32_t id = b.mesh.ids[i], x = id % 80, y = id / 80;
        bool inside = id < 80 * 60 && x > 0 && y > 0 && x < 79 && y < 59;
        for (int d = 0; d < 9 && inside; d++)
            inside = s.depth[id + (uint32_t)(d % 3 - 1) + 80 * (uint32_t)(d / 3 - 1)] > 0.0f;
        assert_true(p[2] == q[2]);
        if (!inside) assert_true(p[0] == q[0] && p[1] == q[1]);
        moved += p[0] != q[0];
    }
    assert_true(moved > 1000);
    buffers_free(&b);
    buffers_free(&plain);
    check_unfolded(&s, 20.0f);
    stack_free(&s);
}

/* m, of the ground under a place, between the middles of cells. */
static double ground_at(const stack *s, double x, double y) {
    const double cell = s->columns.cell_size, px = x / cell - 0.5, py = y / cell - 0.5;
    const int ix = (int)px, iy = (int)py;
    const double a = px - ix, b = py - iy;
    const float *low = &s->base[stack_slot(s, 0, iy, ix)], *high = low + s->columns.cells_x;
    return (1 - b) * ((1 - a) * low[0] + a * low[1]) + b * ((1 - a) * high[0] + a * high[1]);
}

/* Neither a film that runs down a slope nor a sea over a coast sinks into the ground. */
static void liquid_stays_above_the_ground(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        stack s = i ? coast() : basin(80, 60, 0.5, sea, 0);
        for (size_t k = 0; i == 0 && k < 80 * 60; k++) {
            s.base[k] = 0.2f * (float)(k % 80);
            s.depth[k] = 0.02f + 0.01f * sinf((float)k);
        }
        buffers b = built(&s, 10.0f);
        for (uint32_t v = 0; v < b.mesh.vertex_count; v++) {
            const float *at = &b.mesh.positions[3 * (size_t)v];
            if (b.mesh.ids[v] >= 80 * 60 || !(s.depth[b.mesh.ids[v]] > 0.0f)) continue;
            if (at[0] > 0.3f && at[0] < 39.7f && at[1] > 0.3f && at[1] < 29.7f)
                assert_true(at[2] > ground_at(&s, at[0], at[1]));
        }
        buffers_free(&b);
        stack_free(&s);
    }
}

/* ---- What else --------------------------------------------------------------------------------------------------- */

/* Cosine of the angle between the normal of a vertex and the mean of those of its triangles. */
static double agreement(const rn_mesh *m, const double *sums, uint32_t v) {
    const float *n = &m->normals[3 * (size_t)v];
    const double *s = &sums[3 * (size_t)v];
    return (n[0] * s[0] + n[1] * s[1] + n[2] * s[2]) / sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
}

static void normals_are_those_of_the_moved_surface(void **state) {
    (void)state;
    stack s = basin(240, 60, 0.25, swell, 0);
    buffers b = built(&s, 5.0f);
    double *sums = calloc(3 * (size_t)b.mesh.vertex_count, sizeof *sums), worst = 1.0;
    assert_non_null(sums);
    for (size_t t = 0; t < b.mesh.triangle_count; t++) {
        double n[3];
        triangle_normal(&b.mesh, t, n);
        for (int k = 0; k < 9; k++)
            sums[3 * (size_t)b.mesh.indices[3 * t + (size_t)(k / 3)] + (size_t)(k % 3)] += n[k % 3];
    }
    for (uint32_t v = 0; v < b.mesh.vertex_count; v++) {
        const uint32_t x = b.mesh.ids[v] % 240, y = b.mesh.ids[v] / 240;
        if (b.mesh.ids[v] < 240 * 60 && x > 0 && y > 0 && x < 239 && y < 59)
            worst = fmin(worst, agreement(&b.mesh, sums, v));
    }
    assert_true(worst > cos(2.0 * PI / 180.0)); /* those of the surface before it moved are 10 degrees off */
    free(sums);
    buffers_free(&b);
    stack_free(&s);
}

/* Without waves all is as it was, to the bit, and so it is with a choppiness of next to nothing. */
static float lake(double x, double y, double t) { return x + y + t > 0 ? 5.0f : 0.0f; }

static void level_water_is_as_it_was(void **state) {
    (void)state;
    stack s = basin(50, 40, 0.5, lake, 1);
    for (int i = 0; i < 2; i++) {
        buffers plain = built(&s, 0.0f), b = built(&s, i ? 1e-30f : 50.0f);
        assert_memory_equal(plain.mesh.positions, b.mesh.positions, 12 * (size_t)b.mesh.vertex_count);
        assert_memory_equal(plain.mesh.indices, b.mesh.indices, 12 * (size_t)b.mesh.triangle_count);
        buffers_free(&plain);
        buffers_free(&b);
        stack_free(&s);
        s = basin(50, 40, 0.5, sea, 1);
    }
    stack_free(&s);
}

static void threads_make_no_difference(void **state) {
    (void)state;
    const int crews[] = {2, 3, 8};
    stack s = coast();
    buffers alone = built(&s, 20.0f);
    for (int i = 0; i < 3; i++) {
        rn_pool *pool = rn_pool_create(NULL, crews[i]);
        assert_non_null(pool);
        const rn_surface_def def = {.choppiness = 20.0f, .threads = pool};
        buffers b = buffers_make(&s.columns, &def);
        build(&s.columns, &def, &b);
        assert_int_equal(b.mesh.vertex_count, alone.mesh.vertex_count);
        assert_memory_equal(b.mesh.positions, alone.mesh.positions, 12 * (size_t)b.mesh.vertex_count);
        assert_memory_equal(b.mesh.normals, alone.mesh.normals, 12 * (size_t)b.mesh.vertex_count);
        buffers_free(&b);
        rn_pool_destroy(pool);
    }
    buffers_free(&alone);
    stack_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertices_move_by_the_slope),    cmocka_unit_test(crests_are_sharp_and_troughs_flat),
        cmocka_unit_test(cells_make_no_difference),      cmocka_unit_test(seas_do_not_fold),
        cmocka_unit_test(noise_does_not_fold),           cmocka_unit_test(edges_stay),
        cmocka_unit_test(liquid_stays_above_the_ground), cmocka_unit_test(normals_are_those_of_the_moved_surface),
        cmocka_unit_test(level_water_is_as_it_was),      cmocka_unit_test(threads_make_no_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
