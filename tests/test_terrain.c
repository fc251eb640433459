/* The columns that rays find in solids. */
#include "base/platform.h"
#include "terrain/terrain.h"
#include "terrain_shapes.h"

#include <runnel/world.h>

static rn_terrain *cast(rn_sdf *solid, int cells, double cell_size, double origin) {
    rn_terrain_def def = rn_terrain_default();
    def.cells_x = def.cells_y = cells;
    def.cell_size = cell_size;
    def.origin_x = def.origin_y = origin;
    def.solid = solid;
    rn_terrain *terrain = NULL;
    if (rn_terrain_create(&def, &terrain) != RN_OK) fail_msg("%s", rn_last_error());
    return terrain;
}

static void planes_are_found_exactly(void **state) {
    (void)state;
    for (int n = 0; n < 40; n++) {
        double height = n == 0 ? 0 : random_in(-2, 2), slope = n % 2 ? random_in(-0.5, 0.5) : 0;
        rn_terrain *terrain =
            cast(rn_sdf_plane((rn_vec3){0, 0, height}, (rn_vec3){-slope, 0, 1}), 16, n % 3 ? 0.01 : 2.5, 0);
        rn_terrain_info info = rn_terrain_describe(terrain);
        assert_int_equal(info.columns, 16 * 16);
        assert_int_equal(info.layers, 1);
        for (int y = 0; y < 16; y++)
            for (int x = 0; x < 16; x++) {
                int count;
                const rn_column *column = rn_terrain_cell(terrain, x, y, &count);
                double expected = height + slope * (x + 0.5) * info.cell_size;
                assert_int_equal(count, 1);
                assert_near(column->base, expected, 1e-14 + 1e-14 * fabs(expected));
                assert_true(column->under == -INFINITY && column->ceil == info.lid);
                if (slope == 0) assert_true(column->base == rn_terrain_cell(terrain, 0, 0, NULL)->base);
            }
        double top = height + rn_max(0, slope) * 16 * info.cell_size;
        assert_near(info.lid, top + 0.25 * 16 * info.cell_size, 1e-12);
        if (n == 0) assert_true(info.lowest == 0 && info.highest == 0);
        rn_terrain_destroy(terrain);
    }
    /* Rays that start or end on the surface itself. */
    rn_terrain_def def = rn_terrain_default();
    def.solid = rn_sdf_plane((rn_vec3){0, 0, 0}, (rn_vec3){0, 0, 1});
    def.lid = 1;
    rn_terrain *terrain = NULL;
    assert_int_equal(rn_terrain_create(&def, &terrain), RN_OK);
    assert_true(rn_terrain_cell(terrain, 3, 4, NULL)->base == 0);
    assert_true(rn_terrain_cell(terrain, 3, 4, NULL)->under == -INFINITY);
    rn_terrain_destroy(terrain);
    def.solid = rn_sdf_plane((rn_vec3){0, 0, -0.05}, (rn_vec3){0, 0, 1});
    def.bottom = -0.1;
    def.lid = 0;
    assert_int_equal(rn_terrain_create(&def, &terrain), RN_OK);
    assert_true(rn_terrain_describe(terrain).lid == 0);
    assert_near(rn_terrain_cell(terrain, 3, 4, NULL)->base, -0.05, 1e-16);
    rn_terrain_destroy(terrain);
}

static double solid_volume(const rn_terrain *terrain) {
    rn_terrain_info info = rn_terrain_describe(terrain);
    double volume = 0;
    for (int y = 0; y < info.cells_y; y++)
        for (int x = 0; x < info.cells_x; x++) {
            int count;
            const rn_column *column = rn_terrain_cell(terrain, x, y, &count);
            for (int i = 0; i < count; i++) volume += column[i].base - column[i].under;
        }
    return volume * info.cell_size * info.cell_size;
}

static void volumes_match_geometry(void **state) {
    (void)state;
    rn_vec3 tilt = {25, 40, 10};
    double a = sqrt(0.9 * 0.9 + 0.3 * 0.3 + 0.7 * 0.7);
    struct {
        rn_sdf *shape;
        double volume;
    } cases[] = {
        {rn_sdf_torus(0.6, 0.2), 2 * pi * pi * 0.6 * 0.04},
        {rn_sdf_turn(rn_sdf_torus(0.6, 0.2), rn_quat_from_degrees(tilt)), 2 * pi * pi * 0.6 * 0.04},
        {rn_sdf_cone(0.7, 0.2, 0.8), pi * 0.8 / 3 * (0.49 + 0.14 + 0.04)},
        {rn_sdf_turn(rn_sdf_cone(0.7, 0.2, 0.8), rn_quat_from_degrees(tilt)), pi * 0.8 / 3 * (0.49 + 0.14 + 0.04)},
        {capsule(), pi * 0.04 * a + 4 / 3.0 * pi * 0.008},
        {rn_sdf_turn(rn_sdf_box((rn_vec3){0.9, 0.5, 0.4}), rn_quat_from_degrees(tilt)), 0.18},
        {rn_sdf_scale(rn_sdf_turn(rn_sdf_cylinder(0.2, 0.5), rn_quat_from_degrees(tilt)), 2), pi * 0.16},
        {lens(), 2 * pi * 0.16 * (3 * 0.7 - 0.4) / 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rn_terrain *terrain = cast(cases[i].shape, 200, 0.01, -1);
        assert_near(solid_volume(terrain), cases[i].volume, 2e-3 * cases[i].volume);
        rn_terrain_destroy(terrain);
    }
}

static void layers_are_told_apart(void **state) {
    (void)state;
    rn_terrain *terrain =
        cast(rn_sdf_turn(rn_sdf_torus(0.6, 0.2), rn_quat_from_degrees((rn_vec3){90, 0, 0})), 101, 0.02, -1.01);
    rn_terrain_info info = rn_terrain_describe(terrain);
    assert_int_equal(info.layers, 2);
    assert_true(info.holes > 0);
    int count;
    const rn_column *ring = rn_terrain_cell(terrain, 50, 50, &count);
    assert_int_equal(count, 2);
    assert_near(ring[0].under, -0.8, 2e-8);
    assert_near(ring[0].base, -0.4, 2e-8);
    assert_near(ring[0].ceil, 0.4, 2e-8);
    assert_near(ring[1].under, 0.4, 2e-8);
    assert_near(ring[1].base, 0.8, 2e-8);
    assert_true(ring[0].ceil == ring[1].under && ring[1].ceil == info.lid);
    assert_null(rn_terrain_cell(terrain, 0, 0, &count));
    assert_int_equal(count, 0);
    rn_terrain_destroy(terrain);

    /* A ball in the air: nothing below it holds liquid. */
    terrain = cast(rn_sdf_move(rn_sdf_sphere(0.3), (rn_vec3){0.5, 0.5, 2}), 51, 0.02, 0);
    assert_int_equal(rn_terrain_describe(terrain).layers, 1);
    const rn_column *middle = rn_terrain_cell(terrain, 25, 25, &count);
    double chord = sqrt(0.09 - 2 * 0.01 * 0.01);
    assert_int_equal(count, 1);
    assert_near(middle->under, 2 - chord, 2e-8);
    assert_near(middle->base, 2 + chord, 2e-8);
    rn_terrain_destroy(terrain);

    /* The same over ground, with a slab that has a hole. */
    rn_sdf *ground = rn_sdf_plane((rn_vec3){0, 0, 0}, (rn_vec3){0, 0, 1});
    rn_sdf *slab = rn_sdf_move(rn_sdf_box((rn_vec3){4, 4, 0.1}), (rn_vec3){0, 0, 0.5});
    rn_sdf *hole = rn_sdf_cylinder(0.3, 3);
    terrain = cast(rn_sdf_union(ground, rn_sdf_subtract(slab, hole, 0), 0), 100, 0.02, -1);
    info = rn_terrain_describe(terrain);
    assert_int_equal(info.holes, 0);
    assert_int_equal(info.layers, 2);
    double open = 0;
    for (int y = 0; y < 100; y++)
        for (int x = 0; x < 100; x++) {
            const rn_column *column = rn_terrain_cell(terrain, x, y, &count);
            double r = hypot((x + 0.5) * 0.02 - 1, (y + 0.5) * 0.02 - 1);
            assert_int_equal(count, r < 0.3 ? 1 : 2);
            assert_near(column->base, 0, 1e-15);
            assert_near(column->ceil, r < 0.3 ? info.lid : 0.45, 1e-12);
            if (count == 2) assert_near(column[1].base, 0.55, 1e-12);
            open += count == 1 ? 0.02 * 0.02 : 0;
        }
    assert_near(open, pi * 0.09, 0.01);
    rn_terrain_destroy(terrain);

    /* A stack of boxes: overlapping ones join, apart ones make layers. More layers than one ray keeps at first. */
    rn_sdf *stack = rn_sdf_plane((rn_vec3){0, 0, 0}, (rn_vec3){0, 0, 1});
    for (int i = 0; i < 200; i++) {
        double z = 0.5 * (i / 2 + 1) + 0.1 * (i % 2);
        stack = rn_sdf_union(stack, rn_sdf_move(rn_sdf_box((rn_vec3){4, 4, 0.15}), (rn_vec3){0, 0, z}), 0);
    }
    terrain = cast(stack, 3, 0.1, 0);
    const rn_column *pile = rn_terrain_cell(terrain, 1, 1, &count);
    assert_int_equal(count, 101);
    for (int i = 1; i < count; i++) {
        assert_near(pile[i].under, 0.5 * i - 0.075, 1e-10);
        assert_near(pile[i].base, 0.5 * i + 0.175, 1e-10);
        assert_true(pile[i].under == pile[i - 1].ceil);
    }
    rn_terrain_destroy(terrain);
}

static void solid_at_the_lid_is_a_ceiling_or_a_wall(void **state) {
    (void)state;
    rn_sdf *ground = rn_sdf_plane((rn_vec3){0, 0, 0.1}, (rn_vec3){0, 0, 1});
    rn_sdf *roof = rn_sdf_intersect(rn_sdf_plane((rn_vec3){0, 0, 0.6}, (rn_vec3){0, 0, -1}),
                                    rn_sdf_plane((rn_vec3){0.5, 0, 0}, (rn_vec3){1, 0, 0}), 0);
    rn_sdf *wall = rn_sdf_plane((rn_vec3){0.8, 0, 0}, (rn_vec3){-1, 0, 0});
    rn_terrain_def def = rn_terrain_default();
    def.solid = rn_sdf_union(rn_sdf_union(ground, roof, 0), wall, 0);
    def.bottom = -0.5;
    def.lid = 1;
    rn_terrain *terrain = NULL;
    assert_int_equal(rn_terrain_create(&def, &terrain), RN_OK);
    for (int x = 0; x < 100; x++) {
        int count;
        const rn_column *column = rn_terrain_cell(terrain, x, 50, &count);
        assert_int_equal(count, 1);
        assert_true(column->under == -INFINITY);
        assert_near(column->base, x < 80 ? 0.1 : 1, 1e-12);
        assert_near(column->ceil, x < 50 ? 0.6 : 1, 1e-12);
    }
    rn_terrain_destroy(terrain);
}

static rn_sdf *landscape(rn_vec3 by) {
    rn_sdf *solid = rn_sdf_union(rn_sdf_noise(3, 20, 4, 11), rn_sdf_move(rn_sdf_sphere(6), (rn_vec3){20, 22, 9}), 2);
    solid = rn_sdf_subtract(solid, rn_sdf_move(rn_sdf_bowl(5, 3), (rn_vec3){35, 35, 10}), 0);
    solid = rn_sdf_union(
        solid,
        rn_sdf_move(rn_sdf_turn(rn_sdf_torus(8, 2), rn_quat_from_degrees((rn_vec3){70, 20, 0})), (rn_vec3){40, 15, 4}),
        0);
    return rn_sdf_move(solid, by);
}

static void assert_same_columns(const rn_terrain *a, const rn_terrain *b, double lower, double tolerance) {
    rn_terrain_info info = rn_terrain_describe(a);
    assert_int_equal(info.columns, rn_terrain_describe(b).columns);
    for (int y = 0; y < info.cells_y; y++)
        for (int x = 0; x < info.cells_x; x++) {
            int count_a, count_b;
            const rn_column *p = rn_terrain_cell(a, x, y, &count_a), *q = rn_terrain_cell(b, x, y, &count_b);
            assert_int_equal(count_a, count_b);
            for (int i = 0; i < count_a; i++) {
                if (p[i].under != q[i].under) assert_near(q[i].under - lower, p[i].under, tolerance);
                assert_near(q[i].base - lower, p[i].base, tolerance);
                assert_near(q[i].ceil - lower, p[i].ceil, tolerance);
            }
        }
}

static void far_places_keep_their_precision(void **state) {
    (void)state;
    rn_terrain_def def = rn_terrain_default();
    def.cells_x = def.cells_y = 60;
    def.cell_size = 1;
    def.bottom = -20;
    def.lid = 40;
    def.solid = landscape((rn_vec3){0, 0, 0});
    rn_terrain *near = NULL, *far = NULL;
    assert_int_equal(rn_terrain_create(&def, &near), RN_OK);
    def.origin_x = 500000;
    def.origin_y = -500000;
    def.bottom += 3000;
    def.lid += 3000;
    def.solid = landscape((rn_vec3){500000, -500000, 3000});
    assert_int_equal(rn_terrain_create(&def, &far), RN_OK);
    assert_true(rn_terrain_describe(near).layers >= 2);
    assert_same_columns(near, far, 3000, 1e-6);
    rn_terrain_destroy(near);
    rn_terrain_destroy(far);

    enum { N = 40 };
    static float low[N * N], high[N * N];
    for (int i = 0; i < N * N; i++) {
        low[i] = (float)floor(random_in(0, 200) * 1024) / 1024; /* exact in float also 3000 m higher */
        high[i] = low[i] + 3000;
    }
    near = cast(rn_sdf_heightmap(low, N, N, 30, 0, 0), 39 * 3, 10, 0);
    far = cast(rn_sdf_heightmap(high, N, N, 30, 500000, 500000), 39 * 3, 10, 500000);
    assert_same_columns(near, far, 3000, 1e-5);
    rn_terrain_destroy(near);
    rn_terrain_destroy(far);
}

static void threads_give_the_same_bits(void **state) {
    (void)state;
    rn_terrain *one = NULL;
    for (int threads = 0; threads <= 7; threads++) {
        rn_terrain_def def = rn_terrain_default();
        def.cells_x = 61;
        def.cells_y = 53;
        def.cell_size = 1;
        def.threads = threads;
        def.solid = landscape((rn_vec3){0, 0, 0});
        rn_terrain *terrain = NULL;
        assert_int_equal(rn_terrain_create(&def, &terrain), RN_OK);
        if (!one) {
            one = terrain;
            continue;
        }
        assert_int_equal(one->info.columns, terrain->info.columns);
        assert_memory_equal(one->first, terrain->first, (61 * 53 + 1) * sizeof *one->first);
        assert_memory_equal(one->columns, terrain->columns, (size_t)one->info.columns * sizeof *one->columns);
        rn_terrain_destroy(terrain);
    }
    rn_terrain_destroy(one);
}

/* ---- Automatic bottom and lid ---- */

static void ranges_are_chosen_from_the_solid(void **state) {
    (void)state;
    rn_vec3 zero = {0, 0, 0}, up = {0, 0, 1};
    struct {
        rn_sdf *solid;
        double low, high; /* of the surface above -1..1 */
    } cases[] = {
        {rn_sdf_bowl(0.5, 0.2), -0.2, 0},
        {rn_sdf_turn(rn_sdf_plane(zero, up), rn_quat_from_degrees((rn_vec3){45, 0, 0})), -1, 1},
        {rn_sdf_move(rn_sdf_sphere(0.5), (rn_vec3){0, 0, 7}), 6.5, 7.5},
        {rn_sdf_union(rn_sdf_plane(zero, up), rn_sdf_move(rn_sdf_sphere(0.5), (rn_vec3){0, 0, 7}), 0), 0, 7.5},
        {rn_sdf_union(rn_sdf_plane(zero, up), rn_sdf_move(rn_sdf_sphere(0.5), (rn_vec3){9, 0, 7}), 0), 0, 0},
        {rn_sdf_subtract(rn_sdf_plane(zero, up), rn_sdf_sphere(0.5), 0), -0.5, 0},
        {rn_sdf_intersect(rn_sdf_plane(zero, up), rn_sdf_sphere(0.5), 0), -0.5, 0},
        {rn_sdf_subtract(rn_sdf_plane(zero, up), rn_sdf_plane(zero, (rn_vec3){1, 0, 0}), 0), 0, 0},
        {rn_sdf_scale(rn_sdf_move(rn_sdf_noise(0.1, 1, 3, 1), (rn_vec3){0, 0, 2}), 3), 5.7, 6.3},
        {rn_sdf_union(rn_sdf_plane(zero, up), rn_sdf_sphere(0.5), 0.2), -0.55, 0.55},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rn_terrain *terrain = cast(cases[i].solid, 20, 0.1, -1);
        assert_near(terrain->bottom, cases[i].low - 0.1, 1e-12);
        assert_near(terrain->info.lid, cases[i].high + 0.5, 1e-12);
        rn_terrain_destroy(terrain);
    }
    rn_terrain_def def = rn_terrain_default();
    rn_terrain *terrain = NULL;
    def.solid = rn_sdf_turn(rn_sdf_noise(0.1, 1, 2, 3), rn_quat_from_degrees((rn_vec3){90, 0, 0}));
    assert_int_equal(rn_terrain_create(&def, &terrain), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "give bottom and lid"));
    def.solid = rn_sdf_plane(zero, (rn_vec3){1, 0, 0});
    assert_int_equal(rn_terrain_create(&def, &terrain), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "give bottom and lid"));
}

/* ---- Columns given by the host ---- */

static void given_columns_are_kept(void **state) {
    (void)state;
    const rn_column columns[] = {
        {-INFINITY, 0.1, 0.5}, {0.5, 0.6, 1}, {0.2, 0.3, 1}, {-2, -1, 0.7}, {0.8, 0.9, 0.95},
    };
    const int32_t counts[] = {2, 0, 1, 2};
    rn_terrain_def def = rn_terrain_default();
    def.cells_x = def.cells_y = 2;
    def.columns = columns;
    def.columns_per_cell = counts;
    def.lid = 1;
    rn_terrain *terrain = NULL;
    assert_int_equal(rn_terrain_create(&def, &terrain), RN_OK);
    rn_terrain_info info = rn_terrain_describe(terrain);
    assert_int_equal(info.columns, 5);
    assert_int_equal(info.holes, 1);
    assert_int_equal(info.layers, 2);
    assert_true(info.lowest == -1 && info.highest == 0.9 && info.lid == 1);
    int count;
    assert_memory_equal(rn_terrain_cell(terrain, 1, 1, &count), columns + 3, 2 * sizeof *columns);
    assert_int_equal(count, 2);
    assert_null(rn_terrain_cell(terrain, 1, 0, &count));
    rn_terrain_destroy(terrain);
}

/* A wall between two basins, given as the header says: water stays on its side. */
static void walls_are_accepted(void **state) {
    (void)state;
    const rn_column columns[] = {{-INFINITY, 0, 1}, {-INFINITY, 1, 1}, {-INFINITY, 0, 1}};
    const int32_t counts[] = {1, 1, 1};
    rn_terrain_def def = rn_terrain_default();
    def.cells_x = 3;
    def.cells_y = 1;
    def.columns = columns;
    def.columns_per_cell = counts;
    def.lid = 1;
    rn_terrain *terrain = NULL;
    if (rn_terrain_create(&def, &terrain) != RN_OK) fail_msg("%s", rn_last_error());
    rn_world_def world_def = rn_world_default();
    world_def.terrain = terrain;
    rn_world *world = NULL;
    if (rn_world_create(&world_def, &world) != RN_OK) fail_msg("%s", rn_last_error());
    rn_world_view(world, RN_FIELD_DEPTH).data[0] = 0.5f;
    assert_int_equal(rn_world_commit(world), RN_OK);
    for (int i = 0; i < 20; i++) assert_int_equal(rn_world_step(world, 0.1), RN_OK);
    const rn_view depths = rn_world_view(world, RN_FIELD_DEPTH);
    assert_true(depths.data[0] == 0.5f && depths.data[1] == 0 && depths.data[2] == 0);
    rn_world_destroy(world);
    rn_terrain_destroy(terrain);
}

/* More columns in a cell than a solver has room for. */
static void stacks_are_limited(void **state) {
    (void)state;
    rn_column columns[150];
    const int32_t counts[] = {150};
    for (int i = 0; i < 150; i++) columns[i] = (rn_column){i ? (double)i : -(double)INFINITY, i + 0.25, i + 1};
    rn_terrain_def def = rn_terrain_default();
    def.cells_x = def.cells_y = 1;
    def.columns = columns;
    def.columns_per_cell = counts;
    def.lid = 150;
    rn_terrain *terrain = NULL;
    assert_int_equal(rn_terrain_create(&def, &terrain), RN_OK);
    rn_world_def world_def = rn_world_default();
    world_def.terrain = terrain;
    rn_world *world = NULL;
    assert_int_equal(rn_world_create(&world_def, &world), RN_LIMIT);
    assert_non_null(strstr(rn_last_error(), "stacks 150 columns in a cell; at most 64 are allowed"));
    rn_terrain_destroy(terrain);
}

static void refuse_columns(rn_column a, rn_column b, double lid, const char *text) {
    const rn_column columns[] = {a, b};
    const int32_t counts[] = {2};
    rn_terrain_def def = rn_terrain_default();
    def.cells_x = def.cells_y = 1;
    def.columns = columns;
    def.columns_per_cell = counts;
    def.lid = lid;
    rn_terrain *terrain = NULL;
    assert_int_equal(rn_terrain_create(&def, &terrain), RN_INVALID);
    assert_null(terrain);
    assert_non_null(strstr(rn_last_error(), text));
}

static void bad_columns_are_refused(void **state) {
    (void)state;
    const rn_column low = {-INFINITY, 0, 1}, high = {1, 2, 3};
    refuse_columns((rn_column){-INFINITY, NAN, 1}, high, 3, "column 0 of cell (0, 0)");
    refuse_columns((rn_column){NAN, 0, 1}, high, 3, "must be finite");
    refuse_columns((rn_column){INFINITY, 0, 1}, high, 3, "must be finite");
    refuse_columns(low, (rn_column){1, 2, INFINITY}, 3, "must be finite");
    refuse_columns(low, (rn_column){-INFINITY, 2, 3}, 3, "must be finite");
    refuse_columns((rn_column){-INFINITY, 1, 1}, high, 3, "rise in that order");
    refuse_columns(low, (rn_column){2, 2, 3}, 3, "rise in that order");
    refuse_columns(low, (rn_column){0.9, 2, 3}, 3, "below the ceil");
    refuse_columns(low, high, 2.9, "above the lid");
    rn_terrain_def def = rn_terrain_default();
    rn_terrain *terrain = NULL;
    def.cells_x = def.cells_y = 1;
    def.columns = &low;
    def.lid = 1;
    assert_int_equal(rn_terrain_create(&def, &terrain), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "columns_per_cell"));
    int32_t counts[4] = {0};
    def.columns_per_cell = counts;
    assert_int_equal(rn_terrain_create(&def, &terrain), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "0 for every cell"));
    counts[0] = -1;
    assert_int_equal(rn_terrain_create(&def, &terrain), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "0 or more"));
    counts[0] = 1;
    def.solid = ball(0);
    assert_int_equal(rn_terrain_create(&def, &terrain), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "only one of them"));
    def.solid = NULL;
    def.cells_x = 4;
    for (int i = 0; i < 4; i++) counts[i] = INT32_C(1) << 30;
    assert_int_equal(rn_terrain_create(&def, &terrain), RN_LIMIT);
    assert_non_null(strstr(rn_last_error(), "4294967296 columns"));
}

/* ---- Bad input ---- */

static void refuse_terrain(rn_terrain_def def, rn_result result, const char *text) {
    rn_terrain *terrain = (rn_terrain *)&def;
    def.solid = def.solid ? def.solid : rn_sdf_plane((rn_vec3){0, 0, 0}, (rn_vec3){0, 0, 1});
    assert_int_equal(rn_terrain_create(&def, &terrain), result);
    assert_null(terrain);
    if (!strstr(rn_last_error(), text)) fail_msg("\"%s\" does not say \"%s\"", rn_last_error(), text);
}

static void *no_memory(void *user, size_t size) {
    (void)size;
    ++*(int *)user;
    return NULL;
}

static void ignore_memory(void *user, void *memory) {
    (void)user;
    (void)memory;
}

static void bad_terrains_are_refused(void **state) {
    (void)state;
    rn_terrain_def good = rn_terrain_default(), def = good;
    const double bad[] = {0, -1, NAN, INFINITY};
    def.cells_x = 0;
    refuse_terrain(def, RN_INVALID, "0 x 100 cells");
    def.cells_x = 5, def.cells_y = -5;
    refuse_terrain(def, RN_INVALID, "5 x -5 cells");
    for (int i = 0; i < 4; i++) {
        def = good;
        def.cell_size = bad[i];
        refuse_terrain(def, RN_INVALID, "cell_size");
    }
    def = good;
    def.origin_x = NAN;
    refuse_terrain(def, RN_INVALID, "origin of the terrain");
    def = good;
    def.origin_y = -INFINITY;
    refuse_terrain(def, RN_INVALID, "origin of the terrain");
    def = good;
    def.bottom = NAN;
    refuse_terrain(def, RN_INVALID, "bottom is nan");
    def = good;
    def.lid = INFINITY;
    refuse_terrain(def, RN_INVALID, "lid is inf");
    def = good;
    def.bottom = 1, def.lid = 1;
    refuse_terrain(def, RN_INVALID, "above the bottom");
    def.lid = 0;
    refuse_terrain(def, RN_INVALID, "above the bottom");
    def = good;
    def.threads = -1;
    refuse_terrain(def, RN_INVALID, "threads is -1");

    int calls = 0;
    def = good;
    def.hooks = (rn_hooks){.user = &calls, .alloc = no_memory, .free = ignore_memory};
    def.cells_x = def.cells_y = INT32_MAX;
    refuse_terrain(def, RN_LIMIT, "at most 2^28");
    def.cells_x = 1 << 14, def.cells_y = (1 << 14) + 1;
    refuse_terrain(def, RN_LIMIT, "at most 2^28");
    assert_int_equal(calls, 0);

    def = good;
    def.solid = rn_sdf_move(rn_sdf_sphere(0.1), (rn_vec3){5, 5, 5});
    refuse_terrain(def, RN_INVALID, "the solid does not meet the domain: it lies within x 4.9..5.1");
    def.solid = rn_sdf_move(rn_sdf_sphere(0.1), (rn_vec3){0.5, 0.5, 5});
    def.lid = 1;
    refuse_terrain(def, RN_INVALID, "the solid does not meet the domain");
    def.solid = rn_sdf_plane((rn_vec3){0, 0, 5}, (rn_vec3){0, 0, 1});
    refuse_terrain(def, RN_INVALID, "raise the lid");
}

/* ---- Hooks ---- */

typedef struct host {
    int allowed, live;
    char rule[64];
} host;

static void *host_alloc(void *user, size_t size) {
    host *self = user;
    if (self->allowed-- <= 0) return NULL;
    self->live++;
    return rn_aligned_alloc(64, size);
}

static void host_free(void *user, void *memory) {
    ((host *)user)->live--;
    rn_aligned_free(memory);
}

static void host_misuse(void *user, const char *rule, const char *file, int line) {
    (void)file;
    (void)line;
    snprintf(((host *)user)->rule, sizeof((host *)user)->rule, "%s", rule);
}

static void memory_comes_from_the_host(void **state) {
    (void)state;
    int failures = 0;
    for (int threads = 1; threads <= 2; threads++)
        for (int allowed = 0; allowed < 20; allowed++) {
            host self = {.allowed = allowed};
            rn_terrain_def def = rn_terrain_default();
            def.cells_x = def.cells_y = 10;
            def.solid = carved();
            def.threads = threads;
            def.hooks = (rn_hooks){.user = &self, .alloc = host_alloc, .free = host_free, .misuse = host_misuse};
            rn_terrain *terrain = NULL;
            rn_result result = rn_terrain_create(&def, &terrain);
            if (result == RN_OK) {
                int count = 7;
                assert_true(self.live > 0);
                assert_null(rn_terrain_cell(terrain, 10, 0, &count));
                assert_int_equal(count, 0);
                assert_non_null(strstr(self.rule, "x < info->cells_x"));
                rn_terrain_destroy(terrain);
            } else {
                assert_int_equal(result, RN_MEMORY);
                assert_null(terrain);
                failures++;
            }
            assert_int_equal(self.live, 0);
        }
    assert_true(failures >= 10 && failures < 20);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup(name, start_random)
    const struct CMUnitTest tests[] = {
        TEST(planes_are_found_exactly),
        TEST(volumes_match_geometry),
        TEST(layers_are_told_apart),
        TEST(solid_at_the_lid_is_a_ceiling_or_a_wall),
        TEST(far_places_keep_their_precision),
        TEST(threads_give_the_same_bits),
        TEST(ranges_are_chosen_from_the_solid),
        TEST(given_columns_are_kept),
        TEST(walls_are_accepted),
        TEST(stacks_are_limited),
        TEST(bad_columns_are_refused),
        TEST(bad_terrains_are_refused),
        TEST(memory_comes_from_the_host),
    };
    return cmocka_run_group_tests_name("terrain", tests, NULL, NULL);
}
