/* How deep vertices of a 3D liquid lie below its top, and how white they are. */
#include "render/spray.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

enum { SIDE = 24, VERTICES = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) };
#define CELL  0.01f
#define SHEER 0.1f

typedef struct wall {
    float positions[3 * VERTICES], velocities[3 * VERTICES], opacity[VERTICES];
    uint32_t indices[3 * TRIANGLES];
    rn_mesh mesh;
} wall;

/* An upright square with a vertex per cell, numbered row by row from its foot, opaque and at rest. */
static void wall_make(wall *w) {
    uint32_t *next = w->indices;
    memset(w, 0, sizeof *w);
    for (uint32_t v = 0; v < VERTICES; v++) {
        w->positions[3 * v] = CELL * ((float)(v % SIDE) + 0.5f);
        w->positions[3 * v + 2] = CELL * (float)(v / SIDE);
        w->opacity[v] = 1;
        if (v % SIDE == SIDE - 1 || v / SIDE == SIDE - 1) continue;
        const uint32_t two[6] = {v, v + 1, v + SIDE + 1, v, v + SIDE + 1, v + SIDE};
        memcpy(next, two, sizeof two);
        next += 6;
    }
    w->mesh = (rn_mesh){.positions = w->positions,
                        .velocities = w->velocities,
                        .opacity = w->opacity,
                        .indices = w->indices,
                        .vertex_count = VERTICES,
                        .triangle_count = TRIANGLES};
}

/* The height of the wall above a vertex is found; a drop high above it shades nothing. */
static void drops_shade_nothing(void **state) {
    (void)state;
    static wall w;
    float above[VERTICES];
    wall_make(&w);
    w.positions[3 * (VERTICES - SIDE / 2) + 2] = 1;
    w.opacity[VERTICES - SIDE / 2] = 0.5f * SHEER;
    assert_int_equal(rn_spray_above(&w.mesh, CELL, SHEER, above), RN_OK);
    for (uint32_t row = 8; row < SIDE - 8; row++)
        for (uint32_t x = 0; x < SIDE; x++)
            assert_float_equal(above[row * SIDE + x], CELL * (float)(SIDE - 1 - row), 1.5f * CELL);
}

/* Without a cell, heights are found in cells of about a 200th of the width. */
static void the_cell_may_be_unknown(void **state) {
    (void)state;
    static wall w;
    float above[VERTICES];
    const float cells[3] = {0, -1, NAN};
    wall_make(&w);
    for (int i = 0; i < 3; i++) {
        memset(above, 0, sizeof above);
        assert_int_equal(rn_spray_above(&w.mesh, cells[i], SHEER, above), RN_OK);
        for (uint32_t v = 8 * SIDE; v < (SIDE - 8) * SIDE; v++)
            assert_float_equal(above[v], CELL * (float)(SIDE - 1 - v / SIDE), 1.5f * CELL);
    }
    for (uint32_t v = 0; v < VERTICES; v++) w.positions[3 * v] = 0; /* all in one place, seen from above */
    assert_int_equal(rn_spray_above(&w.mesh, 0, SHEER, above), RN_OK);
    assert_float_equal(above[SIDE / 2 * SIDE], CELL * (float)(SIDE - 1 - SIDE / 2), 1.5f * CELL);
}

/* Positions that are not finite, or too far apart for a float, give 0 everywhere. */
static void broken_positions_give_nothing(void **state) {
    (void)state;
    static wall w;
    float above[VERTICES];
    const float broken[5] = {NAN, INFINITY, -INFINITY, 3e38f, 3e38f};
    for (int i = 0; i < 5; i++)
        for (uint32_t k = 0; k < 3; k++) {
            wall_make(&w);
            w.positions[3 * (VERTICES / 2) + k] = broken[i];
            if (i >= 3) w.positions[k] = -3e38f;
            for (uint32_t v = 0; v < VERTICES; v++) above[v] = 7;
            assert_int_equal(rn_spray_above(&w.mesh, i == 4 ? 0 : CELL, SHEER, above), RN_OK);
            for (uint32_t v = 0; v < VERTICES; v++) assert_true(above[v] == 0);
        }
}

/* One vertex very far away makes the cells wider, not many more. */
static void a_huge_extent_is_no_harm(void **state) {
    (void)state;
    static wall w;
    float above[VERTICES];
    wall_make(&w);
    w.positions[3 * (VERTICES - 1)] = 1e20f;
    w.positions[3 * (VERTICES - 1) + 1] = -1e20f;
    assert_int_equal(rn_spray_above(&w.mesh, CELL, SHEER, above), RN_OK);
    for (uint32_t v = 0; v < VERTICES; v++) assert_true(above[v] >= 0 && above[v] <= CELL * SIDE);
    assert_float_equal(above[SIDE / 2 * SIDE + SIDE / 2], CELL * (float)(SIDE - 1 - SIDE / 2), 1.5f * CELL);
}

/* Liquid at rest is clear, also where it is thin, and so is thick liquid that moves as a whole. Fast and thin liquid is
   white. */
static void fast_thin_liquid_is_white(void **state) {
    (void)state;
    static wall w;
    float white[VERTICES];
    const uint32_t middle = (SIDE / 2) * SIDE + SIDE / 2;
    for (int fast = 0; fast < 2; fast++)
        for (int thin = 0; thin < 2; thin++) {
            wall_make(&w);
            for (uint32_t v = 0; v < VERTICES; v++) {
                w.velocities[3 * v] = fast ? 3.0f : 0.0f;
                w.opacity[v] = thin ? SHEER : 1;
            }
            assert_int_equal(rn_spray_white(&w.mesh, CELL, SHEER, white), RN_OK);
            if (fast && thin) assert_true(white[middle] > 0.3f);
            else assert_true(white[middle] < 1e-6f);
        }
    w.mesh.velocities = NULL;
    assert_int_equal(rn_spray_white(&w.mesh, CELL, SHEER, white), RN_OK);
    assert_true(white[middle] == 0.0f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drops_shade_nothing),           cmocka_unit_test(the_cell_may_be_unknown),
        cmocka_unit_test(broken_positions_give_nothing), cmocka_unit_test(a_huge_extent_is_no_harm),
        cmocka_unit_test(fast_thin_liquid_is_white),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
