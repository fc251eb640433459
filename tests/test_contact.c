/* Surface tension and contact angles in motion (docs/contact.md): exact volume and one set of bits on any ground, rest,
   memory of wet ground, saved states, and what is refused. How right they are is app/physics/drops.c's. */
#include "tray_worlds.h"

#include "kernels/face.h"
#include "pipe_worlds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static rn_liquid liquid_of(double advancing, double receding) {
    rn_liquid liquid = rn_liquid_water();
    liquid.contact_angle = advancing;
    liquid.receding_angle = receding;
    liquid.viscosity = 1e-5;
    return liquid;
}

static rn_world_def def_of(rn_contact contact, double advancing, double receding) {
    rn_world_def def = rn_world_default();
    def.liquid = liquid_of(advancing, receding);
    def.contact = contact;
    return def;
}

/* A block of liquid, a third of the world wide. */
static void put_block(rn_world *world, float depth) {
    const rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
    for (int y = d.cells_y / 3; y < 2 * d.cells_y / 3; y++)
        for (int x = d.cells_x / 3; x < 2 * d.cells_x / 3; x++) d.data[y * d.row_stride + x] = depth;
    assert_int_equal(rn_world_commit(world), RN_OK);
}

static rn_world *plate(const rn_world_def *def, int cells, double cell) {
    rn_world *world = world_on(level_ground(cells, cells, cell, 0.0, 0.05), def);
    put_block(world, 2e-3f);
    return world;
}

static bool moves(const rn_world *world) {
    const rn_view x = rn_world_view(world, RN_FIELD_FLUX_X), y = rn_world_view(world, RN_FIELD_FLUX_Y);
    for (int j = 0; j < x.cells_y; j++)
        for (int i = 0; i < x.cells_x; i++)
            if (x.data[j * x.row_stride + i] != 0.0f || y.data[j * y.row_stride + i] != 0.0f) return true;
    return false;
}

static int wet_columns(const rn_world *world) {
    const rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
    int count = 0;
    for (int y = 0; y < d.cells_y; y++)
        for (int x = 0; x < d.cells_x; x++) count += d.data[y * d.row_stride + x] > 0.0f;
    return count;
}

static void a_drop_stays_and_rests(void **unused) {
    (void)unused;
    const rn_world_def fixed = def_of(RN_CONTACT_STATIC, 60.0, 40.0), moving = def_of(RN_CONTACT_DYNAMIC, 60.0, 40.0);
    rn_world *spreads = plate(&fixed, 48, 0.5e-3), *stays = plate(&moving, 48, 0.5e-3);
    const double volume = rn_world_volume(stays);
    run(spreads, 60), run(stays, 60);
    assert_true(wet_columns(spreads) > 1500);
    assert_in_range(wet_columns(stays), 256, 800);
    assert_false(moves(stays));
    assert_true(rn_world_volume(stays) == volume);
    assert_true(rn_world_audit(stays).drift == 0.0);
    const int32_t middle = rn_slot(&state_of(stays)->columns.grid, 0, 24, 24);
    const float depth = state_of(stays)->columns.depth[middle];
    run(stays, 10);
    assert_true(state_of(stays)->columns.depth[middle] == depth);
    rn_world_destroy(spreads);
    rn_world_destroy(stays);
}

/* Where the liquid of a column `at`, of `n` by n, is in image 0 to 3 of it: mirrored in x and y. */
static int image_of(int image, int n, int at) {
    int x = at % n, y = at / n;
    if (image & 1) x = n - 1 - x;
    if (image & 2) y = n - 1 - y;
    return y * n + x;
}

/* Uneven ground with uneven liquid, or an image of it. */
static rn_world *uneven(const rn_world_def *def, int image) {
    enum { N = 24 };
    static rn_column columns[N * N];
    static int32_t counts[N * N];
    static float depths[N * N];
    uint32_t random = 4;
    for (int i = 0; i < N * N; i++) {
        const int to = image_of(image, N, i);
        columns[to] = (rn_column){-0.01, 1e-3 + 0.4e-3 * random_unit(&random), 0.02};
        depths[to] = hypot(i % N - 10.3, i / N - 12.1) < 7.0 ? (float)(1.5e-3 * random_unit(&random)) : 0.0f;
        counts[to] = 1;
    }
    rn_world *world = world_on(make_terrain(N, N, 0.5e-3, 0.02, columns, counts), def);
    const rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
    for (int i = 0; i < N * N; i++) d.data[i / N * d.row_stride + i % N] = depths[i];
    assert_int_equal(rn_world_commit(world), RN_OK);
    run(world, 6);
    return world;
}

static void left_is_like_right(void **unused) {
    (void)unused;
    enum { N = 24 };
    for (int steep = 0; steep < 2; steep++) {
        const rn_world_def def = def_of(RN_CONTACT_DYNAMIC, steep ? 100.0 : 60.0, 40.0);
        rn_world *world = uneven(&def, 0);
        const rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
        for (int image = 1; image < 4; image++) {
            rn_world *other = uneven(&def, image);
            const rn_view to = rn_world_view(other, RN_FIELD_DEPTH);
            for (int i = 0; i < N * N; i++) {
                const int at = image_of(image, N, i);
                assert_true(to.data[at / N * to.row_stride + at % N] == d.data[i / N * d.row_stride + i % N]);
            }
            rn_world_destroy(other);
        }
        rn_world_destroy(world);
    }
}

/* A ledge that no liquid crosses, because all of it lies lower, has no flow either, although contact heads pull. */
static void ledges_without_liquid_have_no_flow(void **unused) {
    (void)unused;
    const rn_step_params params = {
        .lambda = 2.0f, .quantum = 1e-8f, .per_quantum = 1e8f, .dither = 0.5f, .awake = 1e-7f, .clings = 1e-5f};
    const rn_face_kind kind = {.sloped = true, .contact = true};
    rn_crossing face;
    rn_wide speed, transfer;
    memset(&face, 0, sizeof face);
    face.hl = rn_splat(4e-5f), face.zr = rn_splat(1e-4f), face.hr = rn_splat(1e-5f), face.u = rn_splat(2e-4f);
    face.rise_l = rn_splat(0.0f), face.plain_behind = face.plain_ahead = face.u > 0.0f;
    const rn_wide depth = rn_crossing_depth(&params, &face, rn_splat(7e-5f), kind);
    rn_crossing_transfer(&params, &face, depth, rn_splat(-2e-4f), kind, &speed, &transfer);
    assert_true(depth[0] == 0.0f && transfer[0] == 0.0f && speed[0] == 0.0f);
}

/* Stacks of columns, walls and holes; sideways gravity, and bodies that push the liquid aside. */
static uint64_t run_stacks(uint32_t seed, int threads, bool body, int frames) {
    rn_world_def def = def_of(RN_CONTACT_DYNAMIC, 40.0 + 20.0 * (seed % 4), 20.0);
    def.threads = threads;
    def.gravity.x = seed % 2 ? 2.0 : 0.0;
    rn_world *world = world_on(random_stacks(24, 3, 1e-3, seed, STACKS_RAGGED), &def);
    const rn_view d = rn_world_view(world, RN_FIELD_DEPTH), base = rn_world_view(world, RN_FIELD_BASE);
    uint32_t state = seed + 99;
    for (int l = 0; l < d.layers; l++)
        for (int y = 0; y < d.cells_y; y++)
            for (int x = 0; x < d.cells_x; x++)
                if (base.data[l * base.layer_stride + y * base.row_stride + x] >= 0.0f && random_unit(&state) < 0.4)
                    d.data[l * d.layer_stride + y * d.row_stride + x] = (float)(4e-3 * random_unit(&state));
    assert_int_equal(rn_world_commit(world), RN_OK);
    if (body) {
        rn_body_def ball = rn_body_default();
        ball.pose.at = (rn_vec3){0.012, 0.012, 0.02};
        make_body(world, ball, rn_shape_sphere(4e-3));
    }
    run(world, frames);
    assert_true(broken_columns(world) == 0.0);
    assert_true(rn_world_audit(world).drift == 0.0);
    const uint64_t hash = rn_world_hash(world);
    rn_world_destroy(world);
    return hash;
}

static void volume_is_exact_on_any_ground(void **unused) {
    (void)unused;
    for (uint32_t seed = 1; seed <= (getenv("RUNNEL_LONG") ? 12 : 3); seed++) {
        const uint64_t one = run_stacks(seed, 1, seed % 3 == 0, 12);
        assert_true(one == run_stacks(seed, 3, seed % 3 == 0, 12));
    }
}

/* A drop slides over a periodic edge, and edges make no difference to a drop. */
static void periodic_edges_are_no_edges(void **unused) {
    (void)unused;
    rn_world_def def = def_of(RN_CONTACT_DYNAMIC, 60.0, 40.0);
    for (int side = 0; side < 4; side++) def.edges[side] = RN_EDGE_PERIODIC;
    enum { N = 40, SHIFT = 20 };
    rn_world *worlds[2];
    for (int k = 0; k < 2; k++) {
        worlds[k] = world_on(level_ground(N, N, 0.5e-3, 0.0, 0.05), &def);
        const rn_view d = rn_world_view(worlds[k], RN_FIELD_DEPTH);
        for (int y = 0; y < N; y++)
            for (int x = 0; x < N; x++) {
                const int sx = (x + k * SHIFT) % N, sy = (y + k * SHIFT) % N;
                d.data[sy * d.row_stride + sx] = hypot(x - 20.0, y - 20.0) < 6.0 ? 2e-3f : 0.0f;
            }
        assert_int_equal(rn_world_commit(worlds[k]), RN_OK);
        run(worlds[k], 20);
    }
    const rn_view a = rn_world_view(worlds[0], RN_FIELD_DEPTH), b = rn_world_view(worlds[1], RN_FIELD_DEPTH);
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++)
            assert_true(a.data[y * a.row_stride + x] == b.data[(y + SHIFT) % N * b.row_stride + (x + SHIFT) % N]);
    rn_world_destroy(worlds[0]);
    rn_world_destroy(worlds[1]);
}

static void states_are_saved_with_wet_ground(void **unused) {
    (void)unused;
    rn_world_def def = def_of(RN_CONTACT_DYNAMIC, 60.0, 40.0);
    def.gravity.x = 5.0;
    rn_world *world = plate(&def, 40, 0.5e-3);
    rn_snapshot *snapshot = NULL;
    run(world, 5);
    assert_int_equal(rn_world_save(world, &snapshot), RN_OK);
    run(world, 10);
    const uint64_t hash = rn_world_hash(world);
    rn_state *s = state_of(world);
    memset(s->graph.wet, 0, (size_t)s->columns.grid.slots * sizeof(float));
    assert_true(rn_world_hash(world) != hash);
    assert_int_equal(rn_world_restore(world, snapshot), RN_OK);
    run(world, 10);
    assert_true(rn_world_hash(world) == hash);
    rn_snapshot_destroy(snapshot);
    rn_world_destroy(world);
}

static void ground_dries(void **unused) {
    (void)unused;
    rn_world_def def = def_of(RN_CONTACT_DYNAMIC, 60.0, 40.0);
    def.liquid.drying_time = 0.5;
    rn_world *world = plate(&def, 30, 0.5e-3);
    run(world, 2);
    const rn_state *s = state_of(world);
    const int32_t middle = rn_slot(&s->columns.grid, 0, 15, 15);
    assert_true(s->graph.wet[middle] == 1.0f);
    const rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
    for (int y = 0; y < 30; y++)
        for (int x = 0; x < 30; x++) d.data[y * d.row_stride + x] = x == 0 ? 1e-3f : 0.0f;
    assert_int_equal(rn_world_commit(world), RN_OK);
    run(world, 15);
    assert_true(s->graph.wet[middle] > 0.4f && s->graph.wet[middle] < 0.6f);
    run(world, 20);
    assert_true(s->graph.wet[middle] == 0.0f);
    rn_world_destroy(world);
}

/* Without tension or angle, and in large cells, a world is as a static one to the bit. */
static void nothing_acts_where_nothing_is(void **unused) {
    (void)unused;
    const struct {
        double angle, tension, cell;
    } cases[] = {{0.0, 0.07, 0.5e-3}, {60.0, 0.0, 0.5e-3}, {60.0, 0.07, 0.02}};
    for (int i = 0; i < 3; i++) {
        uint64_t hash[2];
        for (int k = 0; k < 2; k++) {
            rn_world_def def = def_of(k ? RN_CONTACT_DYNAMIC : RN_CONTACT_STATIC, cases[i].angle, 0.0);
            def.liquid.surface_tension = cases[i].tension;
            rn_world *world = plate(&def, 30, cases[i].cell);
            run(world, 10);
            hash[k] = rn_world_hash(world);
            rn_world_destroy(world);
        }
        assert_true(hash[0] == hash[1]);
    }
}

static void angles_come_in_pairs(void **unused) {
    (void)unused;
    rn_liquid water = rn_liquid_water(), honey;
    assert_true(rn_liquid_on("wax", &water));
    assert_true(water.contact_angle > 90.0 && water.receding_angle < water.contact_angle);
    assert_true(rn_liquid_find("honey", &honey));
    const rn_liquid before = honey;
    assert_false(rn_liquid_on("bone", &honey));
    assert_non_null(strstr(rn_last_error(), "honey on bone are not known; known are those on wood, glass"));
    assert_memory_equal(&before, &honey, sizeof honey);
    for (int i = 0; rn_liquid_ground_at(i); i++) {
        int known = 0;
        for (int k = 0; rn_liquid_at(k); k++) {
            rn_liquid liquid = *rn_liquid_at(k);
            if (!rn_liquid_on(rn_liquid_ground_at(i), &liquid)) continue;
            assert_true(liquid.receding_angle <= liquid.contact_angle && liquid.contact_angle <= 180.0);
            known++;
        }
        assert_true(known > 0);
    }
}

/* Liquid runs over the end of a layer as over level ground: irregular pipes do not dam it up. */
static void layers_do_not_dam(void **unused) {
    (void)unused;
    enum { N = 30 };
    rn_world_def def = def_of(RN_CONTACT_DYNAMIC, 60.0, 55.0);
    def.gravity.x = -5.0;
    rn_terrain_def terrain = rn_terrain_default();
    terrain.cells_x = N, terrain.cells_y = 12, terrain.cell_size = 0.5e-3;
    terrain.bottom = -0.01, terrain.lid = 0.02;
    rn_sdf *cavity = rn_sdf_move(rn_sdf_box((rn_vec3){10e-3, 0.1, 2e-3}), (rn_vec3){N * 0.5e-3, 0.0, -5e-3});
    terrain.solid = rn_sdf_subtract(rn_sdf_plane((rn_vec3){0, 0, 0}, (rn_vec3){0, 0, 1}), cavity, 0.0);
    rn_terrain *ground = NULL;
    assert_int_equal(rn_terrain_create(&terrain, &ground), RN_OK);
    rn_world *world = world_on(ground, &def);
    const rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
    assert_int_equal(d.layers, 2);
    float *const top = d.data + d.layer_stride;
    for (int y = 0; y < 12; y++)
        for (int x = 22; x < 28; x++) top[y * d.row_stride + x] = 2.5e-3f;
    assert_int_equal(rn_world_commit(world), RN_OK);
    run(world, 120);
    double left = 0.0;
    for (int y = 0; y < 12; y++)
        for (int x = N - 10; x < N; x++) left += (double)top[y * d.row_stride + x];
    assert_true(left < 0.5 * 12 * 6 * 2.5e-3);
    rn_world_destroy(world);
}

/* A basin with liquid up to 5 mm, half of it under a slab whose underside is at 3 mm. */
static rn_world *roofed_basin(const rn_world_def *def, rn_view *depth) {
    enum { N = 24 };
    const double cell = 0.5e-3;
    rn_terrain_def terrain = rn_terrain_default();
    terrain.cells_x = N, terrain.cells_y = 12, terrain.cell_size = cell;
    terrain.bottom = -0.01, terrain.lid = 0.02;
    rn_sdf *slab = rn_sdf_move(rn_sdf_box((rn_vec3){N * cell, 0.1, 5e-3}), (rn_vec3){0.0, 0.0, 5.5e-3});
    terrain.solid = rn_sdf_union(rn_sdf_plane((rn_vec3){0, 0, 0}, (rn_vec3){0, 0, 1}), slab, 0.0);
    rn_terrain *ground = NULL;
    assert_int_equal(rn_terrain_create(&terrain, &ground), RN_OK);
    rn_world *world = world_on(ground, def);
    *depth = rn_world_view(world, RN_FIELD_DEPTH);
    assert_int_equal(depth->layers, 2);
    for (int y = 0; y < 12; y++)
        for (int x = 0; x < N; x++) depth->data[y * depth->row_stride + x] = x < N / 2 ? 3e-3f : 5e-3f;
    assert_int_equal(rn_world_commit(world), RN_OK);
    return world;
}

/* Liquid that is full to a ceiling has no surface, so it neither pulls nor pushes the liquid beside it. */
static void ceilings_do_not_pull(void **unused) {
    (void)unused;
    const rn_world_def def = def_of(RN_CONTACT_DYNAMIC, 80.0, 45.0);
    rn_view d;
    rn_world *world = roofed_basin(&def, &d);
    run(world, 30);
    double apart = 0.0;
    for (int y = 0; y < 12; y++)
        for (int x = 13; x < 24; x++) apart = fmax(apart, fabs((double)d.data[y * d.row_stride + x] - 5e-3));
    print_message("levels beside a ceiling within %.3f mm\n", 1e3 * apart);
    assert_true(apart < 0.1e-3);
    rn_world_destroy(world);
}

/* A shelf 10 mm above the ground, half as wide as the world, with liquid of this depth (m) at its brink; `hollow`: with
   room below it. `wetting`: NULL, or contact angles of the shelf. */
static rn_world *shelf(const rn_world_def *def, float depth, bool hollow, const rn_wetting_def *wetting) {
    enum { N = 32 };
    const double cell = 0.5e-3;
    rn_terrain_def terrain = rn_terrain_default();
    terrain.cells_x = N, terrain.cells_y = 12, terrain.cell_size = cell;
    terrain.bottom = -0.02, terrain.lid = 0.02;
    rn_sdf *box = rn_sdf_move(rn_sdf_box((rn_vec3){N * cell, 0.1, hollow ? 0.006 : 0.02}),
                              (rn_vec3){0.0, 0.0, hollow ? -0.003 : -0.01});
    terrain.solid = rn_sdf_union(rn_sdf_plane((rn_vec3){0, 0, -0.01}, (rn_vec3){0, 0, 1}), box, 0.0);
    rn_terrain *ground = NULL;
    assert_int_equal(rn_terrain_create(&terrain, &ground), RN_OK);
    rn_world *world = world_on(ground, def);
    if (wetting) assert_int_equal(rn_world_set_wetting(world, wetting), RN_OK);
    const rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
    for (int y = 0; y < 12; y++)
        for (int x = 0; x < N / 2; x++) d.data[(hollow ? d.layer_stride : 0) + y * d.row_stride + x] = depth;
    assert_int_equal(rn_world_commit(world), RN_OK);
    run(world, 60);
    return world;
}

/* The mean depth (m) of liquid beyond the brink, in the half of the world that is lower. */
static double fallen(const rn_world *world) {
    const rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
    double sum = 0.0;
    for (int y = 0; y < d.cells_y; y++)
        for (int x = d.cells_x / 2; x < d.cells_x; x++) sum += (double)d.data[y * d.row_stride + x];
    return sum / (d.cells_y * d.cells_x / 2);
}

/* Up to l_c sqrt(2 (1 + sin theta)), 5.2 mm here, a brink holds liquid back; deeper liquid runs over it until it is
   2 l_c sin(theta/2) of the receding angle deep, 1.8 mm. Without contact angles everything runs off. */
static void a_brink_holds_liquid_back(void **unused) {
    (void)unused;
    const rn_world_def moving = def_of(RN_CONTACT_DYNAMIC, 60.0, 40.0), fixed = def_of(RN_CONTACT_STATIC, 60.0, 40.0);
    rn_world *held = shelf(&moving, 4e-3f, false, NULL), *runs = shelf(&moving, 7e-3f, false, NULL);
    rn_world *off = shelf(&fixed, 4e-3f, false, NULL);
    assert_true(fallen(held) == 0.0);
    assert_false(moves(held));
    assert_true(fallen(runs) > 3e-3 && fallen(runs) < 6.2e-3);
    assert_true(fallen(off) > 2.5e-3);
    assert_true(rn_world_audit(runs).drift == 0.0);
    rn_world_destroy(held);
    rn_world_destroy(runs);
    rn_world_destroy(off);
}

/* Brinks hold back by the angles of their own ground: where a liquid that hardly wets stays, it runs off a shelf that
   it wets, and the other way round. So do ordinary falls and, above a hollow, faces between layers. */
static void brinks_have_the_angles_of_their_ground(void **unused) {
    (void)unused;
    for (int i = 0; i < 4; i++) {
        const bool wets = i % 2, hollow = i / 2;
        const rn_world_def def = def_of(RN_CONTACT_DYNAMIC, wets ? 60.0 : 10.0, wets ? 40.0 : 5.0);
        rn_wetting_def wetting = rn_wetting_default();
        rn_sdf *all = rn_sdf_box((rn_vec3){1.0, 1.0, 1.0});
        wetting.region = all;
        wetting.contact_angle = wets ? 10.0 : 60.0, wetting.receding_angle = wets ? 5.0 : 40.0;
        rn_world *own = shelf(&def, 4e-3f, hollow, &wetting), *even = shelf(&def, 4e-3f, hollow, NULL);
        assert_true(wets ? fallen(own) > 1e-3 : fallen(own) == 0.0);
        assert_true(wets ? fallen(even) == 0.0 : fallen(even) > 1e-3);
        rn_world_destroy(own);
        rn_world_destroy(even);
        rn_sdf_destroy(all);
    }
}

static void refuse(rn_world_def def, const char *word) {
    rn_world *world = NULL;
    rn_terrain *ground = level_ground(4, 4, 1e-3, 0.0, 0.05);
    def.terrain = ground;
    assert_int_equal(rn_world_create(&def, &world), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), word));
    rn_terrain_destroy(ground);
}

static void bad_angles_are_refused(void **unused) {
    (void)unused;
    rn_world_def def = def_of(RN_CONTACT_DYNAMIC, 181.0, 10.0);
    refuse(def, "contact_angle is 181; it must be from 0 to 180");
    def.liquid.contact_angle = 60.0, def.liquid.receding_angle = -1.0;
    refuse(def, "receding_angle is -1");
    def.liquid.receding_angle = 70.0;
    refuse(def, "receding_angle is 70; it must be at most contact_angle, which is 60");
    def.liquid.receding_angle = 30.0, def.liquid.surface_tension = -0.01;
    refuse(def, "surface_tension is -0.01");
    def.liquid.surface_tension = 0.07, def.liquid.drying_time = NAN;
    refuse(def, "drying_time");
    def.liquid.drying_time = 1.0, def.model = RN_MODEL_PAPER;
    refuse(def, "the paper's model has no dynamic contact");
    def.model = RN_MODEL_PHYSICAL, def.solver = "implicit";
    refuse(def, "the implicit solver has no dynamic contact");
    def.solver = "packets";
    refuse(def, "packets");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_drop_stays_and_rests),
        cmocka_unit_test(left_is_like_right),
        cmocka_unit_test(ledges_without_liquid_have_no_flow),
        cmocka_unit_test(volume_is_exact_on_any_ground),
        cmocka_unit_test(periodic_edges_are_no_edges),
        cmocka_unit_test(states_are_saved_with_wet_ground),
        cmocka_unit_test(ground_dries),
        cmocka_unit_test(nothing_acts_where_nothing_is),
        cmocka_unit_test(angles_come_in_pairs),
        cmocka_unit_test(layers_do_not_dam),
        cmocka_unit_test(ceilings_do_not_pull),
        cmocka_unit_test(a_brink_holds_liquid_back),
        cmocka_unit_test(brinks_have_the_angles_of_their_ground),
        cmocka_unit_test(bad_angles_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
