/* The surface that is drawn where bodies stand in the liquid: no dents, no cracks, and air where there is air. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "physics/physics.h"
#include "world/drawn.h"

#include <math.h>
#include <runnel/bodies.h>
#include <runnel/skin.h>
#include <stdlib.h>
#include <string.h>

/* ---- One cell -----------------------------------------------------------------------------------------------------
 */

enum { MOST = 4 };

typedef struct stack {
    const char *what;
    rn_column_range open[2];
    int open_count;
    rn_drawn_column columns[MOST];
    int count;
    float effective[2];
    rn_drawn_column drawn[MOST];
    int drawn_count;
} stack;

static const stack stacks[] = {
    {"untouched", {{.base = 1, .ceil = 9}}, 1, {{1, 9, 3, 0, 0}}, 1, {8}, {{1, 9, 3, 0, 0}}, 1},
    {"a flooded passage", {{.base = 1, .ceil = 2}}, 1, {{1, 2, 2, 0, 0}}, 1, {8}, {{1, 2, 2, 0, 0}}, 1},
    {"half in", {{.base = 1, .ceil = 9}}, 1, {{1, 2, 2, 1, 0}, {4, 9, 4, 2, 0}}, 2, {3}, {{1, 9, 3, 3, 0}}, 1},
    {"drowned", {{.base = 1, .ceil = 9}}, 1, {{1, 2, 2, 0, 0}, {4, 9, 6, 0, 0}}, 2, {5}, {{1, 9, 6, 0, 0}}, 1},
    {"on the ground", {{.base = 1, .ceil = 9}}, 1, {{4, 9, 4, 0, 0}}, 1, {3}, {{1, 9, 3, 0, 0}}, 1},
    {"on the ground, drowned", {{.base = 1, .ceil = 9}}, 1, {{4, 9, 7, 0, 0}}, 1, {5}, {{1, 9, 7, 0, 0}}, 1},
    {"standing out, wet on top",
     {{.base = 1, .ceil = 9}},
     1,
     {{1, 2, 2, 0, 0}, {4, 9, 4.5f, 0, 0}},
     2,
     {3},
     {{1, 4, 3, 0, 0}, {4, 9, 4.5f, 0, 0}},
     2},
    {"standing out, with drops on top",
     {{.base = 1, .ceil = 9}},
     1,
     {{1, 2, 2, 0, 0}, {4, 9, 4.1f, 0, 0}},
     2,
     {3},
     {{1, 4, 3, 0, 0}},
     1},
    {"on the ground, wet on top",
     {{.base = 1, .ceil = 9}},
     1,
     {{4, 9, 4.5f, 0, 0}},
     1,
     {NAN},
     {{1, 4, 1, 0, 0}, {4, 9, 4.5f, 0, 0}},
     2},
    {"on dry ground", {{.base = 1, .ceil = 9}}, 1, {{4, 9, 4, 0, 0}}, 1, {NAN}, {{1, 9, 1, 0, 0}}, 1},
    {"up to the lid", {{.base = 1, .ceil = 9}}, 1, {{1, 2, 2, 0, 0}}, 1, {3}, {{1, 9, 3, 0, 0}}, 1},
    {"all of it", {{.base = 1, .ceil = 9}}, 1, {{0, 0, 0, 0, 0}}, 0, {3}, {{1, 9, 3, 0, 0}}, 1},
    {"air below",
     {{.base = 1, .ceil = 9}},
     1,
     {{1, 4, 2, 0, 0}, {5, 9, 6, 0, 0}},
     2,
     {6},
     {{1, 4, 2, 0, 0}, {5, 9, 6, 0, 0}},
     2},
    {"air below, and drops on top",
     {{.base = 1, .ceil = 9}},
     1,
     {{1, 4, 2, 0, 0}, {5, 9, 5.1f, 0, 0}},
     2,
     {2},
     {{1, 4, 2, 0, 0}, {5, 9, 5, 0, 0}},
     2},
    {"a bridge over dry ground",
     {{.base = 1, .ceil = 9}},
     1,
     {{1, 4, 1, 0, 0}, {5, 9, 5, 0, 0}},
     2,
     {NAN},
     {{1, 4, 1, 0, 0}, {5, 9, 5, 0, 0}},
     2},
    {"two bodies",
     {{.base = 1, .ceil = 9}},
     1,
     {{1, 2, 2, 0, 0}, {3, 4, 4, 0, 0}, {6, 9, 6, 0, 0}},
     3,
     {5},
     {{1, 9, 5, 0, 0}},
     1},
    {"the hold of a boat",
     {{.base = 1, .ceil = 9}},
     1,
     {{1, 2, 2, 0, 0}, {2.5f, 9, 2.5f, 0, 0}},
     2,
     {4},
     {{5, 9, 5, 0, 0}},
     1},
    {"a chink between its parts",
     {{.base = 1, .ceil = 9}},
     1,
     {{1, 2, 2, 0, 0}, {2.5f, 2.505f, 2.5f, 0, 0}, {4, 9, 4, 0, 0}},
     3,
     {3},
     {{1, 9, 3, 0, 0}},
     1},
    {"two ranges",
     {{.base = 1, .ceil = 3}, {.base = 5, .ceil = 9}},
     2,
     {{1, 2, 2, 0, 0}, {7, 9, 7, 0, 0}},
     2,
     {2.5f, 6},
     {{1, 3, 2.5f, 0, 0}, {5, 9, 6, 0, 0}},
     2},
    {"a hole", {{.base = -2, .ceil = 9}}, 1, {{-2, 4, -2, 0, 0}}, 1, {NAN}, {{-2, 4, -2, 0, 0}}, 1},
};

static void columns_that_bodies_part_are_joined(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof stacks / sizeof stacks[0]; i++) {
        const stack *s = &stacks[i];
        rn_drawn_column drawn[2 * MOST];
        const rn_drawn_cell cell = {.open = s->open,
                                    .open_count = s->open_count,
                                    .columns = s->columns,
                                    .count = s->count,
                                    .effective = s->effective,
                                    .film = 0.01f,
                                    .shallow = 0.2f,
                                    .wall = 1};
        const int made = rn_drawn_join(&cell, drawn);
        if (made != s->drawn_count) fail_msg("%s: %d columns, not %d", s->what, made, s->drawn_count);
        for (int k = 0; k < made; k++) {
            const rn_drawn_column is = drawn[k], ought = s->drawn[k];
            if (is.base != ought.base || is.ceil != ought.ceil || is.level != ought.level || is.flux_x != ought.flux_x)
                fail_msg("%s: column %d is %g to %g, up to %g with %g m^3/s; it ought to be %g to %g, up to %g with %g",
                         s->what, k, (double)is.base, (double)is.ceil, (double)is.level, (double)is.flux_x,
                         (double)ought.base, (double)ought.ceil, (double)ought.level, (double)ought.flux_x);
        }
    }
}

/* On a body that stands out, half a metre of liquid is a puddle, unless liquid beside the body is higher than its top
   and flows over it. */
static void puddles_on_bodies_are_not_drawn(void **state) {
    (void)state;
    const rn_column_range open = {.base = 1, .ceil = 9};
    const rn_drawn_column columns[] = {{1, 2, 2, 0, 0}, {4, 9, 4.5f, 0, 0}};
    const float effective = 3, highest[] = {NAN, 3.5f, 4, 4.1f}, deepest[] = {1, 1, 1, 1, 0.4f};
    for (int i = 0; i < 5; i++) {
        rn_drawn_column drawn[2 * MOST];
        const rn_drawn_cell cell = {.open = &open,
                                    .open_count = 1,
                                    .columns = columns,
                                    .count = 2,
                                    .effective = &effective,
                                    .shallow = 0.2f,
                                    .puddle = deepest[i],
                                    .highest = highest[i % 4]};
        assert_int_equal(rn_drawn_join(&cell, drawn), i < 3 ? 1 : 2);
    }
}

/* ---- Lakes --------------------------------------------------------------------------------------------------------
 */

enum { SIDE = 24 };
static const double step = 0.01, level = 0.1; /* m */

static rn_world *make_lake(void) {
    return make_world(&(setup){.nx = SIDE, .ny = SIDE, .cell = step, .lid = 0.4, .viscosity = 1e-6, .friction = 0.9});
}

static int add_turned_box(rn_world *world, rn_vec3 size, rn_vec3 at, rn_quat turn) {
    rn_shape *box = rn_shape_box(size);
    rn_body_def def = rn_body_default();
    def.shape = box;
    def.mode = RN_BODY_BLOCKS;
    def.pose.at = at;
    def.pose.turn = turn;
    const int number = rn_bodies_add(world, &def);
    rn_shape_destroy(box);
    if (number < 0) fail_msg("%s", rn_last_error());
    return number;
}

/* Upright. */
static int add_box(rn_world *world, rn_vec3 size, rn_vec3 at, double angle) {
    return add_turned_box(world, size, at, (rn_quat){0, 0, sin(angle / 2), cos(angle / 2)});
}

/* Solid first, then liquid up to the level: at rest from the start. */
static void fill_and_settle(rn_world *world) {
    assert_int_equal(rn_world_step(world, 1.0 / 60), RN_OK);
    assert_int_equal(rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = level}), RN_OK);
    for (int i = 0; i < 30; i++) assert_int_equal(rn_world_step(world, 1.0 / 60), RN_OK);
}

static rn_skin *make_skin(const rn_world *world) {
    rn_skin *skin;
    rn_skin_def def = rn_skin_default(world);
    def.surface.meniscus_length = 0;
    assert_int_equal(rn_skin_create(&def, &skin), RN_OK);
    assert_int_equal(rn_skin_update(skin, NULL), RN_OK);
    return skin;
}

static int by_size(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static bool at_rim(const rn_mesh *m, uint32_t vertex) {
    const double far = SIDE * step, near = 1e-6, x = (double)m->positions[3 * (size_t)vertex],
                 y = (double)m->positions[3 * (size_t)vertex + 1];
    return x < near || y < near || x > far - near || y > far - near;
}

/* Every edge is between two triangles, but for those at the rim of the domain. */
static void check_no_cracks(const rn_mesh *m) {
    const size_t count = 3 * (size_t)m->triangle_count;
    uint64_t *edges = malloc(count * sizeof *edges);
    assert_non_null(edges);
    for (size_t i = 0; i < count; i++) {
        const uint32_t a = m->indices[i], b = m->indices[i % 3 == 2 ? i - 2 : i + 1];
        edges[i] = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
    }
    qsort(edges, count, sizeof *edges, by_size);
    for (size_t i = 0; i < count;) {
        size_t end = i + 1;
        while (end < count && edges[end] == edges[i]) end++;
        if (end - i != 2) assert_true(at_rim(m, (uint32_t)(edges[i] >> 32)) && at_rim(m, (uint32_t)edges[i]));
        i = end;
    }
    free(edges);
}

static void check_level(const rn_mesh *m, double error) {
    assert_true(m->triangle_count >= 2 * (SIDE - 1) * (SIDE - 1)); /* of the whole lake */
    for (size_t v = 0; v < m->vertex_count; v++) {
        const double z = (double)m->positions[3 * v + 2];
        if (fabs(z - level) > error)
            fail_msg("the surface is at %.7f m at (%g, %g)", z, (double)m->positions[3 * v],
                     (double)m->positions[3 * v + 1]);
    }
}

static int columns_in(const rn_world *world, int x, int y) {
    const rn_view base = rn_world_view(world, RN_FIELD_BASE);
    int count = 0;
    while (count < base.layers && base.data[count * base.layer_stride + y * base.row_stride + x] < RN_NO_COLUMN)
        count++;
    return count;
}

/* Half under water, standing on the ground, and through the lid. Turned boxes leave little of some cells open, where a
   quantum of depth is many of the level. */
static void bodies_leave_no_dents(void **state) {
    (void)state;
    const struct {
        rn_vec3 size, at;
        double angle; /* radians */
        int columns;
        double error; /* m */
    } boxes[] = {{{0.083, 0.083, 0.08}, {0.123, 0.117, 0.1}, 0, 2, 1e-6},
                 {{0.083, 0.083, 0.08}, {0.123, 0.117, 0.1}, 0.4, 2, 2e-5},
                 {{0.083, 0.083, 0.14}, {0.123, 0.117, 0.07}, 0, 1, 1e-6},
                 {{0.083, 0.083, 0.9}, {0.123, 0.117, 0.5}, 0, 1, 1e-6}};
    for (size_t i = 0; i < sizeof boxes / sizeof boxes[0]; i++) {
        rn_world *world = make_lake();
        add_box(world, boxes[i].size, boxes[i].at, boxes[i].angle);
        fill_and_settle(world);
        assert_int_equal(columns_in(world, 12, 11), boxes[i].columns);
        rn_skin *skin = make_skin(world);
        const rn_mesh surface = rn_skin_surface(skin);
        check_level(&surface, boxes[i].error);
        check_no_cracks(&surface);
        rn_skin_destroy(skin);
        rn_world_destroy(world);
    }
}

/* A trough above the lake with liquid in it: both surfaces are there. */
static void air_below_a_body_stays(void **state) {
    (void)state;
    rn_world *world = make_lake();
    add_box(world, (rn_vec3){0.083, 0.083, 0.02}, (rn_vec3){0.12, 0.12, 0.16}, 0);
    fill_and_settle(world);
    const rn_view base = rn_world_view(world, RN_FIELD_BASE);
    assert_int_equal(columns_in(world, 12, 12), 2);
    const double above = (double)base.data[base.layer_stride + 12 * base.row_stride + 12];
    rn_skin *skin = make_skin(world);
    const rn_surface_columns drawn = rn_skin_columns(skin);
    const ptrdiff_t at = 12 * drawn.base.row_stride + 12;
    assert_true(fabs((double)(drawn.base.data[at] + drawn.depth.data[at]) - level) < 1e-6);
    assert_true((double)drawn.ceil.data[at] < 0.16);
    assert_true((double)drawn.base.data[drawn.base.layer_stride + at] == above);
    const rn_mesh surface = rn_skin_surface(skin);
    check_level(&surface, 1e-6);
    rn_skin_destroy(skin);
    rn_world_destroy(world);
}

static int films_over_air(const rn_world *world) {
    const rn_view base = rn_world_view(world, RN_FIELD_BASE), ceil = rn_world_view(world, RN_FIELD_CEIL),
                  depth = rn_world_view(world, RN_FIELD_DEPTH);
    int count = 0;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            const ptrdiff_t at = y * base.row_stride + x, above = at + base.layer_stride;
            count += columns_in(world, x, y) == 2 && (double)base.data[at] == 0 &&
                     (double)ceil.data[at] > level + 0.5 * step && depth.data[above] > 0;
        }
    return count;
}

/* A box that leans has air below it in cells at its faces. What little lies on it there is not drawn, as it is not
   elsewhere on the box. */
static void films_on_bodies_are_not_drawn(void **state) {
    (void)state;
    rn_world *world = make_lake();
    add_turned_box(world, (rn_vec3){0.083, 0.083, 0.14}, (rn_vec3){0.123, 0.117, 0.12},
                   (rn_quat){sin(0.1), 0, 0, cos(0.1)});
    fill_and_settle(world);
    assert_int_equal(rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_DEPTH, .value = 0.2 * step}), RN_OK);
    assert_true(films_over_air(world) > 0);
    rn_skin *skin = make_skin(world);
    const rn_mesh surface = rn_skin_surface(skin);
    check_level(&surface, 0.1 * step);
    rn_skin_destroy(skin);
    rn_world_destroy(world);
}

static void worlds_without_bodies_are_as_they_are(void **state) {
    (void)state;
    rn_world *world = make_lake();
    fill_and_settle(world);
    rn_drawn drawn = {0};
    rn_surface_area changed;
    assert_int_equal(rn_drawn_update(&drawn, world, NULL, &changed), RN_OK);
    assert_null(drawn.values);
    assert_true(changed.x1 <= changed.x0);
    assert_ptr_equal(drawn.columns.depth.data, rn_world_view(world, RN_FIELD_DEPTH).data);
    rn_drawn_free(&drawn, NULL);
    rn_world_destroy(world);
}

/* A skin that has followed a body about draws what a new one does, and what there was before once it is gone. */
static void skins_follow_bodies(void **state) {
    (void)state;
    rn_world *world = make_lake();
    const int box = add_box(world, (rn_vec3){0.05, 0.05, 0.06}, (rn_vec3){0.06, 0.06, 0.1}, 0.2);
    fill_and_settle(world);
    rn_skin *skin = make_skin(world);
    for (int i = 0; i < 20; i++) {
        const rn_pose pose = {.at = {0.06 + 0.005 * i, 0.06 + 0.002 * i, 0.1 + 0.003 * i},
                              .velocity = {0.3, 0.12, 0.18}};
        assert_int_equal(rn_bodies_move(world, box, &pose), RN_OK);
        assert_int_equal(rn_world_step(world, 1.0 / 60), RN_OK);
        bool changed = true;
        assert_int_equal(rn_skin_update(skin, &changed), RN_OK);
        assert_true(i == 0 || !changed); /* bodies are no ground */
        rn_skin *fresh = make_skin(world);
        const rn_mesh a = rn_skin_surface(skin), b = rn_skin_surface(fresh);
        assert_int_equal(a.vertex_count, b.vertex_count);
        assert_int_equal(a.triangle_count, b.triangle_count);
        assert_memory_equal(a.positions, b.positions, 12 * (size_t)a.vertex_count);
        assert_memory_equal(a.indices, b.indices, 12 * (size_t)a.triangle_count);
        rn_skin_destroy(fresh);
    }
    assert_int_equal(rn_skin_bodies(skin).triangle_count, 12);
    assert_int_equal(rn_bodies_remove(world, box), RN_OK);
    assert_int_equal(rn_world_step(world, 1.0 / 60), RN_OK);
    assert_int_equal(rn_skin_update(skin, NULL), RN_OK);
    assert_int_equal(rn_skin_bodies(skin).vertex_count, 0);
    assert_ptr_equal(rn_skin_columns(skin).depth.data, rn_world_view(world, RN_FIELD_DEPTH).data);
    rn_skin_destroy(skin);
    rn_world_destroy(world);
}

/* ---- Bodies themselves ---------------------------------------------------------------------------------------------
 */

/* A turned box has 24 vertices, whose normals are those of its six sides; a ball is as round as can be. */
static void bodies_are_meshes(void **state) {
    (void)state;
    rn_world *world = make_lake();
    add_box(world, (rn_vec3){0.4, 0.6, 0.8}, (rn_vec3){1, 1, 2}, 0.5);
    rn_shape *ball = rn_shape_sphere(0.25), *knob = rn_shape_sphere(0.01);
    rn_shape_paint(knob, (rn_vec3){0.7, 0, 0});
    assert_int_equal(rn_shape_add(ball, knob, (rn_vec3){0, 0, 0.3}, (rn_quat){0, 0, 0, 1}), RN_OK);
    rn_shape_destroy(knob);
    rn_body_def def = rn_body_default();
    def.shape = ball;
    def.pose.at = (rn_vec3){1.5, 0.5, 1};
    def.colour = (rn_vec3){0.1, 0.2, 0.3};
    assert_int_equal(rn_bodies_add(world, &def), 1);
    rn_shape_destroy(ball);
    rn_skin *skin = make_skin(world);
    const rn_mesh m = rn_skin_bodies(skin);
    int of_box = 0;
    for (size_t v = 0; v < m.vertex_count; v++) {
        const float *p = m.positions + 3 * v, *n = m.normals + 3 * v, *c = m.colours + 3 * v;
        double off;
        if (m.ids[v] == 0) {
            of_box++;
            const double along = cos(0.5) * (double)n[0] + sin(0.5) * (double)n[1],
                         across = -sin(0.5) * (double)n[0] + cos(0.5) * (double)n[1];
            off = fmax(fabs(along), fmax(fabs(across), fabs((double)n[2])));
            assert_true(off > 0.9999);
            off = fmax(fabs(((double)p[2] - 2) / 0.4), 0);
            assert_true(fabs(off - 1) < 1e-5);
        } else if (p[2] > 1.28f) { /* of the knob */
            assert_true(c[0] == 0.7f && c[1] == 0 && c[2] == 0);
        } else {
            off = ((double)p[0] - 1.5) * (double)n[0] + ((double)p[1] - 0.5) * (double)n[1] +
                  ((double)p[2] - 1) * (double)n[2];
            assert_true(off > 0.98 * 0.25);
            assert_true(c[0] == 0.1f && c[1] == 0.2f && c[2] == 0.3f);
        }
    }
    assert_int_equal(of_box, 24);
    rn_skin_destroy(skin);
    rn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_that_bodies_part_are_joined),
        cmocka_unit_test(bodies_leave_no_dents),
        cmocka_unit_test(air_below_a_body_stays),
        cmocka_unit_test(films_on_bodies_are_not_drawn),
        cmocka_unit_test(puddles_on_bodies_are_not_drawn),
        cmocka_unit_test(worlds_without_bodies_are_as_they_are),
        cmocka_unit_test(skins_follow_bodies),
        cmocka_unit_test(bodies_are_meshes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
