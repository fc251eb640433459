/* Meshes of the ground of a world, and after changes: columns, updates, threads, memory, and what is refused. */
#include "mesh_facts.h"
#include "purse.h"
#include "terrain/sdf.h"

#include <runnel/io.h>

/* ---- Columns --------------------------------------------------------------------------------------------------- */

enum { CELLS = 40 };

static void assert_same(const rn_mesh *a, const rn_mesh *b) {
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->triangle_count, b->triangle_count);
    assert_memory_equal(a->positions, b->positions, 12 * (size_t)a->vertex_count);
    assert_memory_equal(a->normals, b->normals, 12 * (size_t)a->vertex_count);
    assert_memory_equal(a->indices, b->indices, 12 * (size_t)a->triangle_count);
}

static rn_world *make_world(rn_sdf *solid) {
    rn_terrain_def terrain = rn_terrain_default();
    terrain.cells_x = CELLS;
    terrain.cells_y = CELLS;
    terrain.cell_size = 0.05;
    terrain.solid = solid;
    terrain.lid = 2;
    terrain.bottom = -1;
    rn_terrain *ground = NULL;
    if (rn_terrain_create(&terrain, &ground) != RN_OK) fail_msg("%s", rn_last_error());
    rn_world_def def = rn_world_default();
    def.terrain = ground;
    def.liquid = rn_liquid_water();
    rn_world *world = NULL;
    if (rn_world_create(&def, &world) != RN_OK) fail_msg("%s", rn_last_error());
    rn_terrain_destroy(ground);
    return world;
}

/* A slope is met exactly; its bases are vertices. */
static void columns_of_a_slope(void **state) {
    (void)state;
    rn_world *world = make_world(rn_sdf_plane((rn_vec3){0, 0, 0.2}, (rn_vec3){-0.4, -0.2, 1}));
    rn_ground_mesh_def def = rn_ground_mesh_default();
    def.world = world;
    rn_ground_mesh *made = make(&def);
    const rn_mesh mesh = rn_ground_mesh_read(made);
    const facts f = look_at(&mesh);
    assert_int_equal(f.crowded + f.twisted + f.degenerate + f.backwards, 0);
    for (uint32_t i = 0; i < mesh.vertex_count; i++) {
        const point p = vertex(&mesh, i);
        const double half = 0.025, x = rn_clamp(p.x, half, 2 - half), y = rn_clamp(p.y, half, 2 - half);
        assert_near(p.z, 0.2 + 0.4 * x + 0.2 * y, 1e-4); /* level between the rim and the middles of the last cells */
        const float *n = mesh.normals + 3 * (size_t)i;
        if (p.x > 0.1 && p.x < 1.9 && p.y > 0.1 && p.y < 1.9) assert_near(n[2], 1 / sqrt(1.2), 1e-3);
    }
    assert_near(f.area, 4 * sqrt(1.2), 0.06);
    rn_ground_mesh_destroy(made);
    rn_world_destroy(world);
}

/* A slab over a floor: a block with a slot, closed. */
static void columns_with_overhangs(void **state) {
    (void)state;
    rn_sdf *floor = rn_sdf_plane((rn_vec3){0, 0, 0.1}, (rn_vec3){0, 0, 1});
    rn_sdf *slab = rn_sdf_move(rn_sdf_box((rn_vec3){1, 0.8, 0.21}), (rn_vec3){1, 1, 0.63});
    rn_world *world = make_world(rn_sdf_union(floor, slab, 0));
    for (int sharp = 0; sharp < 2; sharp++) {
        rn_ground_mesh_def def = rn_ground_mesh_default();
        def.world = world;
        def.closed = true;
        def.sharp = sharp;
        rn_ground_mesh *made = make(&def);
        const rn_mesh mesh = rn_ground_mesh_read(made);
        const facts f = look_at(&mesh);
        assert_closed(&f);
        assert_int_equal(f.euler, 4); /* two closed pieces */
        double low = 1e9;
        for (uint32_t i = 0; i < mesh.vertex_count; i++) low = rn_min(low, vertex(&mesh, i).z);
        assert_near(f.volume, 4 * (0.1 - low) + 1 * 0.8 * 0.21, 0.03 * f.volume);
        rn_ground_mesh_destroy(made);
    }
    rn_world_destroy(world);
}

/* ---- Partial updates and threads ------------------------------------------------------------------------------- */

static void updates_equal_a_new_mesh(void **state) {
    (void)state;
    for (int sharp = 0; sharp < 2; sharp++) {
        rn_world *world = make_world(rn_sdf_noise(0.15, 0.7, 3, 5));
        rn_ground_mesh_def def = rn_ground_mesh_default();
        def.world = world;
        def.sharp = sharp;
        def.closed = true;
        rn_ground_mesh *kept = make(&def);
        const int64_t all = rn_ground_mesh_made(kept);
        bool changed = true;
        assert_int_equal(rn_ground_mesh_update(kept, NULL, NULL, &changed), RN_OK);
        assert_false(changed);
        int64_t least = all;
        for (int round = 0; round < 20; round++) {
            /* Anything anywhere, then single cells across the edge between two blocks. */
            rn_vec3 at = {random_in(0, 2), random_in(0, 2), random_in(-0.1, 0.4)};
            if (round >= 8) at = (rn_vec3){0.05 * (round + 0.5), 0.525, 0.2};
            rn_sdf *ball = rn_sdf_move(rn_sdf_sphere(round < 8 ? random_in(0.05, 0.3) : 0.02), at);
            assert_int_equal(rn_world_sculpt(world, ball, round & 1), RN_OK);
            assert_int_equal(rn_world_commit(world), RN_OK);
            rn_sdf_destroy(ball);
            assert_int_equal(rn_ground_mesh_update(kept, NULL, NULL, &changed), RN_OK);
            if (changed) least = rn_ground_mesh_made(kept) < least ? rn_ground_mesh_made(kept) : least;
            rn_ground_mesh *fresh = make(&def);
            const rn_mesh a = rn_ground_mesh_read(kept), b = rn_ground_mesh_read(fresh);
            assert_same(&a, &b);
            rn_ground_mesh_destroy(fresh);
        }
        assert_true(least < all);
        rn_ground_mesh_destroy(kept);
        rn_world_destroy(world);
    }
}

/* A shape whose place changes: the boxes that it leaves and that it enters are told. */
static void moving_shapes_are_followed(void **state) {
    (void)state;
    for (int sharp = 0; sharp < 2; sharp++) {
        rn_sdf *shape = rn_sdf_mount(rn_sdf_rounded_box((rn_vec3){0.5, 0.3, 0.4}, 0.02));
        rn_ground_mesh_def def = around(shape, 2, 0.04, sharp);
        def.turn = rn_quat_from_degrees((rn_vec3){10, 20, 30});
        assert_true(rn_sdf_place(shape, (rn_vec3){0.2, 0.1, 0}, (rn_quat){0}));
        rn_ground_mesh *kept = make(&def);
        const int64_t all = rn_ground_mesh_made(kept);
        assert_int_not_equal(rn_ground_mesh_update(kept, NULL, NULL, NULL), RN_OK); /* shapes cannot be asked */
        for (int round = 0; round < 5; round++) {
            const rn_box left = rn_sdf_bounds(shape);
            assert_true(rn_sdf_place(shape, random_point(1), rn_quat_from_degrees(random_turn())));
            const rn_box entered = rn_sdf_bounds(shape);
            bool changed = false;
            assert_int_equal(rn_ground_mesh_update(kept, &left.low, &left.high, &changed), RN_OK);
            assert_true(changed && rn_ground_mesh_made(kept) < all / 2);
            assert_int_equal(rn_ground_mesh_update(kept, &entered.low, &entered.high, NULL), RN_OK);
            rn_ground_mesh *fresh = make(&def);
            const rn_mesh a = rn_ground_mesh_read(kept), b = rn_ground_mesh_read(fresh);
            assert_true(a.triangle_count > 100);
            assert_same(&a, &b);
            rn_ground_mesh_destroy(fresh);
        }
        rn_ground_mesh_destroy(kept);
        rn_sdf_destroy(shape);
    }
}

/* A world with the shape of its ground: solids are followed as shapes; once the ground is dug, columns take over. */
static void worlds_with_shapes(void **state) {
    (void)state;
    for (int sharp = 0; sharp < 2; sharp++) {
        rn_world *world = make_world(rn_sdf_plane((rn_vec3){0, 0, 0.1}, (rn_vec3){0, 0, 1}));
        rn_sdf *ground = rn_sdf_plane((rn_vec3){0, 0, 0.1}, (rn_vec3){0, 0, 1});
        rn_ground_mesh_def def = rn_ground_mesh_default();
        def.world = world;
        def.shape = ground;
        def.sharp = sharp;
        def.closed = true;
        const rn_solid_def ball = {.shape = rn_sdf_sphere(0.3), .at = {0.7, 0.8, 0.9}};
        const int solid = rn_world_add_solid(world, &ball);
        assert_true(solid >= 0);
        rn_ground_mesh *kept = make(&def);
        const int64_t all = rn_ground_mesh_made(kept);
        for (int round = 0; round < 6; round++) {
            const rn_vec3 at = {random_in(0.4, 1.6), random_in(0.4, 1.6), 0.9}, turn = {0, 0, 0};
            if (round == 3) assert_int_equal(rn_world_show_solid(world, solid, false), RN_OK);
            else assert_int_equal(rn_world_move_solid(world, solid, at, rn_quat_from_degrees(turn)), RN_OK);
            if (round == 4) assert_int_equal(rn_world_show_solid(world, solid, true), RN_OK);
            assert_int_equal(rn_world_commit(world), RN_OK);
            bool changed = false;
            assert_int_equal(rn_ground_mesh_update(kept, NULL, NULL, &changed), RN_OK);
            assert_true(changed && rn_ground_mesh_made(kept) < all);
            assert_int_equal(rn_ground_mesh_update(kept, NULL, NULL, &changed), RN_OK);
            assert_false(changed);
            rn_ground_mesh *fresh = make(&def);
            const rn_mesh a = rn_ground_mesh_read(kept), b = rn_ground_mesh_read(fresh);
            assert_same(&a, &b);
            const facts f = look_at(&a);
            assert_closed(&f);
            assert_int_equal(f.euler, round == 3 ? 2 : 4);
            /* As round as a sphere, which columns would not be. */
            for (uint32_t i = 0; round != 3 && i < a.vertex_count; i++) {
                const point p = vertex(&a, i);
                const double r = length(minus(p, (point){at.x, at.y, at.z}));
                if (p.z > 0.3) assert_near(r, 0.3, 0.01);
            }
            rn_ground_mesh_destroy(fresh);
        }
        rn_sdf *pit = rn_sdf_move(rn_sdf_sphere(0.2), (rn_vec3){1, 1, 0.1});
        assert_int_equal(rn_world_sculpt(world, pit, false), RN_OK);
        assert_int_equal(rn_world_commit(world), RN_OK);
        bool changed = false;
        assert_int_equal(rn_ground_mesh_update(kept, NULL, NULL, &changed), RN_OK);
        assert_true(changed);
        def.shape = NULL;
        rn_ground_mesh *columns = make(&def);
        const rn_mesh a = rn_ground_mesh_read(kept), b = rn_ground_mesh_read(columns);
        assert_same(&a, &b);
        rn_ground_mesh_destroy(columns);
        rn_ground_mesh_destroy(kept);
        rn_sdf_destroy(pit);
        rn_sdf_destroy(ground);
        rn_world_destroy(world);
    }
}

/* ---- Files that cannot be -------------------------------------------------------------------------------------- */

static void bad_meshes_are_not_written(void **state) {
    (void)state;
    float positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    uint32_t indices[3] = {0, 1, 2};
    rn_mesh mesh = {.positions = positions, .indices = indices, .vertex_count = 3, .triangle_count = 1};
    assert_int_equal(rn_mesh_write("mesh.stl", &mesh), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), ".ply or .obj"));
    assert_int_equal(rn_mesh_write("no/such/folder/mesh.ply", &mesh), RN_FILE);
    assert_non_null(strstr(rn_last_error(), "no/such/folder/mesh.ply"));
    indices[2] = 3;
    assert_int_equal(rn_mesh_write("mesh.ply", &mesh), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "triangle 0 has a corner 3"));
    mesh.indices = NULL;
    assert_int_equal(rn_mesh_write("mesh.ply", &mesh), RN_INVALID);
}

/* Memory that runs out: a sentence, and nothing left behind. */
static void memory_may_run_out(void **state) {
    (void)state;
    rn_sdf *shape = rn_sdf_sphere(0.5);
    bool done = false;
    for (int allowed = 0; allowed < 40 && !done; allowed++) {
        purse p = {.left = allowed};
        rn_ground_mesh_def def = around(shape, 1, 0.1, false);
        def.hooks = (rn_hooks){.user = &p, .alloc = purse_spend, .free = purse_give_back};
        rn_ground_mesh *mesh = NULL;
        const rn_result result = rn_ground_mesh_create(&def, &mesh);
        done = result == RN_OK;
        assert_true(done || (result == RN_MEMORY && !mesh));
        rn_ground_mesh_destroy(mesh);
        assert_int_equal(p.held, 0);
    }
    assert_true(done);
    rn_sdf_destroy(shape);
}

/* An update that has failed can be asked for again, and then makes up for it. */
static void an_update_may_be_tried_again(void **state) {
    (void)state;
    bool done = false;
    for (int allowed = 0; allowed < 40 && !done; allowed++) {
        rn_world *world = make_world(rn_sdf_plane((rn_vec3){0, 0, 0.1}, (rn_vec3){0, 0, 1}));
        rn_sdf *ground = rn_sdf_plane((rn_vec3){0, 0, 0.1}, (rn_vec3){0, 0, 1});
        purse p = {.left = 1000};
        rn_ground_mesh_def def = rn_ground_mesh_default();
        def.world = world;
        def.shape = ground;
        def.hooks = (rn_hooks){.user = &p, .alloc = purse_spend, .free = purse_give_back};
        rn_ground_mesh *kept = make(&def);
        rn_sdf *hill = rn_sdf_move(rn_sdf_sphere(0.4), (rn_vec3){1, 1, 0.1});
        assert_int_equal(rn_world_sculpt(world, hill, false), RN_OK);
        assert_int_equal(rn_world_commit(world), RN_OK);
        bool changed = false;
        p.left = allowed;
        const rn_result result = rn_ground_mesh_update(kept, NULL, NULL, NULL);
        done = result == RN_OK;
        assert_true(done || result == RN_MEMORY);
        p.left = 1000;
        assert_int_equal(rn_ground_mesh_update(kept, NULL, NULL, &changed), RN_OK);
        assert_true(changed != done);
        rn_ground_mesh *fresh = make(&def);
        const rn_mesh a = rn_ground_mesh_read(kept), b = rn_ground_mesh_read(fresh);
        assert_same(&a, &b);
        rn_ground_mesh_destroy(fresh);
        rn_ground_mesh_destroy(kept);
        assert_int_equal(p.held, 0);
        rn_sdf_destroy(hill);
        rn_sdf_destroy(ground);
        rn_world_destroy(world);
    }
    assert_true(done);
}

static void same_bits_for_any_threads(void **state) {
    (void)state;
    rn_sdf *shape = rn_sdf_turn(rn_sdf_torus(0.8, 0.35), rn_quat_from_degrees((rn_vec3){20, 30, 40}));
    for (int sharp = 0; sharp < 2; sharp++) {
        rn_ground_mesh_def def = around(shape, 1.3, 0.05, sharp);
        rn_ground_mesh *one = make(&def);
        const rn_mesh a = rn_ground_mesh_read(one);
        for (int threads = 2; threads < 6; threads++) {
            def.threads = threads;
            rn_ground_mesh *more = make(&def);
            const rn_mesh b = rn_ground_mesh_read(more);
            assert_same(&a, &b);
            rn_ground_mesh_destroy(more);
        }
        rn_ground_mesh_destroy(one);
    }
    rn_sdf_destroy(shape);
}

/* ---- Refused --------------------------------------------------------------------------------------------------- */

static void bad_wishes_are_refused(void **state) {
    (void)state;
    rn_sdf *shape = rn_sdf_sphere(1);
    rn_ground_mesh *mesh;
    rn_ground_mesh_def def = rn_ground_mesh_default();
    assert_int_equal(rn_ground_mesh_create(&def, &mesh), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "exactly one"));
    def.shape = shape;
    assert_int_equal(rn_ground_mesh_create(&def, &mesh), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "spacing"));
    def.spacing = 0.1;
    assert_int_equal(rn_ground_mesh_create(&def, &mesh), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "box"));
    def.high = (rn_vec3){1, 1, -1};
    assert_int_equal(rn_ground_mesh_create(&def, &mesh), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "high"));
    def.high.z = 1;
    def.spacing = 1e-6;
    assert_int_equal(rn_ground_mesh_create(&def, &mesh), RN_LIMIT);
    assert_non_null(strstr(rn_last_error(), "spacing"));
    assert_null(mesh);
    def.low = (rn_vec3){-1, -1, -1};
    def.spacing = 0.2;
    mesh = make(&def);
    const rn_vec3 low = {0, NAN, 0}, high = {1, 1, 1}, below = {1, -1, 1};
    assert_int_equal(rn_ground_mesh_update(mesh, NULL, NULL, NULL), RN_INVALID);
    assert_int_equal(rn_ground_mesh_update(mesh, &low, &high, NULL), RN_INVALID);
    assert_int_equal(rn_ground_mesh_update(mesh, &high, &below, NULL), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "must not be below"));
    rn_ground_mesh_destroy(mesh);
    rn_sdf_destroy(shape);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(columns_of_a_slope, start_random),
        cmocka_unit_test_setup(columns_with_overhangs, start_random),
        cmocka_unit_test_setup(updates_equal_a_new_mesh, start_random),
        cmocka_unit_test_setup(moving_shapes_are_followed, start_random),
        cmocka_unit_test_setup(worlds_with_shapes, start_random),
        cmocka_unit_test_setup(bad_meshes_are_not_written, start_random),
        cmocka_unit_test_setup(memory_may_run_out, start_random),
        cmocka_unit_test_setup(an_update_may_be_tried_again, start_random),
        cmocka_unit_test_setup(same_bits_for_any_threads, start_random),
        cmocka_unit_test_setup(bad_wishes_are_refused, start_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
