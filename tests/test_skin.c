/* A world as triangles, kept up to date: the same as by hand, and after any failure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "physics/physics.h"
#include "purse.h"

#include <math.h>
#include <runnel/bodies.h>
#include <runnel/skin.h>
#include <stdlib.h>
#include <string.h>

static rn_world *pool_with_box(int *box) {
    rn_world *world =
        make_world(&(setup){.nx = 24, .ny = 18, .cell = 0.01, .lid = 0.2, .viscosity = 1e-6, .friction = 0.3});
    assert_int_equal(rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 0.02}), RN_OK);
    rn_solid_def def = {.shape = rn_sdf_box((rn_vec3){0.05, 0.05, 0.1}), .at = {0.1, 0.09, 0.02}};
    *box = rn_world_add_solid(world, &def);
    assert_true(*box >= 0);
    assert_int_equal(rn_world_commit(world), RN_OK);
    return world;
}

/* A body that stands in the liquid. */
static void add_body(rn_world *world) {
    rn_body_def def = rn_body_default();
    rn_shape *block = rn_shape_box((rn_vec3){0.043, 0.043, 0.06});
    def.shape = block;
    def.mode = RN_BODY_BLOCKS;
    def.pose.at = (rn_vec3){0.18, 0.1, 0.03};
    assert_int_equal(rn_bodies_add(world, &def), 0);
    rn_shape_destroy(block);
    assert_int_equal(rn_world_step(world, 1.0 / 60), RN_OK);
}

static void check_mesh(const rn_mesh *mesh) {
    assert_true(mesh->triangle_count > 0);
    for (uint32_t i = 0; i < 3 * mesh->vertex_count; i++)
        assert_true(isfinite(mesh->positions[i]) && isfinite(mesh->normals[i]));
    for (uint32_t i = 0; i < 3 * mesh->triangle_count; i++) assert_true(mesh->indices[i] < mesh->vertex_count);
}

static void same_mesh(const rn_mesh *a, const rn_mesh *b) {
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->triangle_count, b->triangle_count);
    assert_memory_equal(a->positions, b->positions, 12 * (size_t)a->vertex_count);
    assert_memory_equal(a->normals, b->normals, 12 * (size_t)a->vertex_count);
    assert_memory_equal(a->indices, b->indices, 12 * (size_t)a->triangle_count);
}

/* One that has followed the world, and one that has only just come. */
static void check_against_new(const rn_skin *skin, const rn_skin_def *def) {
    rn_skin *fresh;
    bool changed = false;
    assert_int_equal(rn_skin_create(def, &fresh), RN_OK);
    assert_int_equal(rn_skin_update(fresh, &changed), RN_OK);
    assert_true(changed);
    const rn_mesh a[2] = {rn_skin_ground(skin), rn_skin_surface(skin)},
                  b[2] = {rn_skin_ground(fresh), rn_skin_surface(fresh)};
    for (int i = 0; i < 2; i++) {
        check_mesh(&a[i]);
        same_mesh(&a[i], &b[i]);
    }
    rn_skin_destroy(fresh);
}

static void test_follows(void **state) {
    (void)state;
    int box;
    rn_world *world = pool_with_box(&box);
    rn_skin *skin;
    rn_skin_def def = rn_skin_default(world);
    def.menisci = true;
    assert_int_equal(rn_skin_create(&def, &skin), RN_OK);
    bool changed = false;
    for (int frame = 0; frame < 12; frame++) {
        assert_int_equal(rn_skin_update(skin, &changed), RN_OK);
        assert_int_equal(changed, frame == 0 || frame == 6 || frame == 9);
        check_against_new(skin, &def);
        if (frame == 5)
            rn_world_move_solid(world, box, (rn_vec3){0.16, 0.12, 0.02}, rn_quat_from_degrees((rn_vec3){0, 0, 30}));
        if (frame == 8) assert_int_equal(rn_world_show_solid(world, box, false), RN_OK);
        assert_int_equal(rn_world_step(world, 1.0 / 60.0), RN_OK);
    }
    const rn_mesh surface = rn_skin_surface(skin);
    assert_non_null(surface.menisci);
    assert_non_null(surface.opacity);
    assert_non_null(surface.ids);
    rn_skin_destroy(skin);
    rn_world_destroy(world);
}

/* The coat of a vertex: 2 on the box of the pool, which is at box_x, 1 elsewhere in the west; on them means less than a
   third of a cell away. */
static uint32_t coat_expected(const rn_sdf *west, const rn_sdf *block, const float *p, double box_x) {
    const rn_vec3 at = {(double)p[0], (double)p[1], (double)p[2]};
    const rn_vec3 from_box = {at.x - box_x, at.y - 0.09, at.z - 0.02};
    if (rn_sdf_distance(block, from_box) < 0.0033) return 2;
    return rn_sdf_distance(west, at) < 0.0033 ? 1 : 0;
}

/* Vertices of the ground have the coats of the regions that they are in; the coat of a solid moves with it. */
static void test_coats(void **state) {
    (void)state;
    int box;
    rn_world *world = pool_with_box(&box);
    rn_sdf *west = rn_sdf_box((rn_vec3){0.1, 1, 1}), *block = rn_sdf_box((rn_vec3){0.05, 0.05, 0.1});
    const rn_paint paints[] = {{.in = west, .coat = 1}, {.coat = 2}};
    rn_skin_def def = rn_skin_default(world);
    rn_skin *skin;
    assert_int_equal(rn_skin_create(&def, &skin), RN_OK);
    assert_int_equal(rn_skin_update(skin, NULL), RN_OK);
    assert_null(rn_skin_ground(skin).ids);
    rn_skin_destroy(skin);
    def.paints = paints;
    def.paint_count = 2;
    assert_int_equal(rn_skin_create(&def, &skin), RN_OK);
    for (int moved = 0; moved < 2; moved++) {
        int counts[3] = {0, 0, 0};
        if (moved) rn_world_move_solid(world, box, (rn_vec3){0.16, 0.09, 0.02}, (rn_quat){0, 0, 0, 1});
        if (moved) assert_int_equal(rn_world_step(world, 1.0 / 60), RN_OK);
        assert_int_equal(rn_skin_update(skin, NULL), RN_OK);
        const rn_mesh ground = rn_skin_ground(skin);
        for (uint32_t v = 0; v < ground.vertex_count; v++) {
            const float *p = ground.positions + 3 * (size_t)v;
            assert_int_equal(ground.ids[v], coat_expected(west, block, p, moved ? 0.16 : 0.1));
            counts[ground.ids[v]]++;
        }
        for (int i = 0; i < 3; i++) assert_true(counts[i] > 20);
    }
    rn_skin_destroy(skin);
    rn_sdf_destroy(west);
    rn_sdf_destroy(block);
    rn_world_destroy(world);
}

/* The liquid's own look unless told otherwise. */
static void test_defaults(void **state) {
    (void)state;
    int box;
    rn_world *world = pool_with_box(&box);
    const rn_liquid liquid = rn_world_liquid(world);
    const rn_skin_def def = rn_skin_default(world);
    assert_true(def.sharp && def.closed && !def.menisci && def.world == world);
    assert_true(def.surface.contact_angle == (float)liquid.contact_angle);
    assert_true(def.surface.meniscus_length > 0);
    rn_skin *skin;
    assert_int_equal(rn_skin_create(&def, &skin), RN_OK);
    assert_int_equal(rn_skin_update(skin, NULL), RN_OK);
    assert_null(rn_skin_surface(skin).menisci);
    rn_skin_destroy(skin);
    rn_skin_destroy(NULL);
    rn_world_destroy(world);
}

/* A film far thinner than a twentieth of a cell: drawn that deep, or as it is. */
static void test_least_heights(void **state) {
    (void)state;
    const double cell = 0.01, film = 1e-4;
    rn_world *world = make_world(&(setup){.nx = 12, .ny = 12, .cell = cell, .lid = 0.1});
    assert_int_equal(rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_DEPTH, .value = film}), RN_OK);
    for (int bare = 0; bare < 2; bare++) {
        rn_skin *skin;
        rn_skin_def def = rn_skin_default(world);
        def.no_least_heights = bare;
        assert_int_equal(rn_skin_create(&def, &skin), RN_OK);
        assert_int_equal(rn_skin_update(skin, NULL), RN_OK);
        const rn_mesh surface = rn_skin_surface(skin);
        check_mesh(&surface);
        for (uint32_t i = 0; i < surface.vertex_count; i++) {
            const float z = surface.positions[3 * i + 2];
            assert_true(bare ? fabs(z - film) < 1e-6 : z >= 0.049 * cell);
        }
        rn_skin_destroy(skin);
    }
    rn_world_destroy(world);
}

/* Whichever allocation fails, trying again gives what there would have been, and nothing leaks. */
static void test_no_memory(void **state) {
    (void)state;
    int box, failures = 0;
    rn_world *world = pool_with_box(&box);
    add_body(world);
    rn_skin_def plain = rn_skin_default(world);
    for (int most = 0;; most++) {
        purse p = {.left = most};
        rn_skin_def def = plain;
        def.hooks = (rn_hooks){.user = &p, .alloc = purse_spend, .free = purse_give_back};
        rn_skin *skin = NULL;
        rn_result result = rn_skin_create(&def, &skin);
        if (result == RN_OK) result = rn_skin_update(skin, NULL);
        const bool enough = result == RN_OK;
        if (!enough) {
            failures++;
            assert_int_equal(result, RN_MEMORY);
            p.left = 1000000;
        }
        bool changed = false;
        if (skin && !enough) {
            assert_int_equal(rn_skin_update(skin, &changed), RN_OK);
            assert_true(changed);
        }
        if (skin) check_against_new(skin, &plain);
        if (skin) assert_int_equal(rn_skin_bodies(skin).triangle_count, 12);
        rn_skin_destroy(skin);
        assert_int_equal(p.held, 0);
        if (enough) break;
    }
    assert_true(failures > 10);
    rn_world_destroy(world);
}

/* Pictures show what a body is drawn as; liquid meets its shape. */
static void test_drawn_as_another(void **state) {
    (void)state;
    int box;
    rn_world *world = pool_with_box(&box);
    rn_body_def def = rn_body_default();
    rn_shape *block = rn_shape_box((rn_vec3){0.04, 0.04, 0.06}), *ball = rn_shape_sphere(0.03);
    def.shape = block;
    def.drawn = ball;
    def.pose.at = (rn_vec3){0.18, 0.1, 0.03};
    assert_int_equal(rn_bodies_add(world, &def), 0);
    def.drawn = NULL;
    assert_int_equal(rn_bodies_add(world, &def), 1);
    const rn_body_info first = rn_bodies_describe(world, 0), second = rn_bodies_describe(world, 1);
    const uint32_t of_ball = rn_shape_describe(ball).triangle_count;
    assert_true(first.volume == second.volume && first.mass == second.mass);
    assert_int_equal(rn_shape_describe(first.shape).triangle_count, 12);
    assert_int_equal(rn_shape_describe(first.drawn).triangle_count, of_ball);
    assert_ptr_equal(second.drawn, second.shape);
    const rn_skin_def skin_def = rn_skin_default(world);
    rn_skin *skin;
    assert_int_equal(rn_skin_create(&skin_def, &skin), RN_OK);
    assert_int_equal(rn_skin_update(skin, NULL), RN_OK);
    assert_int_equal(rn_skin_bodies(skin).triangle_count, of_ball + 12);
    rn_skin_destroy(skin);
    rn_shape_destroy(block);
    rn_shape_destroy(ball);
    rn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_follows),       cmocka_unit_test(test_defaults),  cmocka_unit_test(test_coats),
        cmocka_unit_test(test_least_heights), cmocka_unit_test(test_no_memory), cmocka_unit_test(test_drawn_as_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
