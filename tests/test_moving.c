/* Meshes that move and bend under liquid, and the files that say how. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mesh_makers.h"
#include "purse.h"
#include "scratch.h"
#include "terrain/sdf.h"

#include <math.h>
#include <runnel/runnel.h>

enum { CELLS = 48 };

static rn_world *tank(int threads) {
    rn_terrain_def terrain = rn_terrain_default();
    terrain.cells_x = terrain.cells_y = CELLS;
    terrain.cell_size = 0.002;
    terrain.bottom = -0.01;
    terrain.lid = 0.1;
    terrain.solid = rn_sdf_plane((rn_vec3){0, 0, 0}, (rn_vec3){0, 0, 1});
    rn_terrain *ground = NULL;
    rn_world *world = NULL;
    assert_int_equal(rn_terrain_create(&terrain, &ground), RN_OK);
    rn_world_def def = rn_world_default();
    def.terrain = ground;
    def.threads = threads;
    assert_int_equal(rn_world_create(&def, &world), RN_OK);
    rn_terrain_destroy(ground);
    return world;
}

static int add_mesh(rn_world *world, const made_mesh *m, rn_vec3 at, rn_vec3 turn) {
    const rn_mesh_solid_def def = mesh_def(m);
    const rn_solid_def solid = {.shape = rn_sdf_mesh(&def, NULL), .at = at, .turn = rn_quat_from_degrees(turn)};
    const int number = rn_world_add_solid(world, &solid);
    if (number < 0) fail_msg("%s", rn_last_error());
    return number;
}

/* The same by a transform of the host's own. */
static void add_mesh_there(rn_world *world, const made_mesh *m, rn_vec3 at, rn_vec3 turn) {
    const rn_placement pose = rn_pose_turned(rn_quat_from_degrees(turn));
    const double by[3] = {at.x, at.y, at.z};
    rn_mesh_solid_def def = mesh_def(m);
    for (int i = 0; i < 12; i++) def.transform[i / 4][i % 4] = i % 4 < 3 ? pose.turn[i / 4][i % 4] : by[i / 4];
    const rn_solid_def solid = {.shape = rn_sdf_mesh(&def, NULL)};
    assert_true(rn_world_add_solid(world, &solid) >= 0);
}

static void bend(rn_world *world, int solid, const made_mesh *m) {
    assert_int_equal(rn_world_deform_solid(world, solid, m->positions, m->vertices), RN_OK);
}

/* A ball of rings that has been pressed flatter, drawn out and dented, by as much as `beat` says. */
static made_mesh beating_ball(double beat) {
    made_mesh m = sphere_mesh(0.02, 24, 48);
    for (uint32_t v = 0; v < m.vertices; v++) {
        float *p = m.positions + 3 * (size_t)v;
        const double squeeze = 1 + 0.25 * sin(6.2831853 * beat + 90 * (double)p[0]);
        p[1] = (float)(squeeze * (double)p[1]);
        p[2] = (float)((1 - 0.3 * sin(6.2831853 * beat)) * (double)p[2] + 0.002 * sin(300 * (double)p[0] + beat));
    }
    return m;
}

static void assert_same_field(const rn_world *a, const rn_world *b, rn_field field) {
    const rn_view va = rn_world_view(a, field), vb = rn_world_view(b, field);
    for (int l = 0; l < va.layers || l < vb.layers; l++)
        for (int y = 0; y < CELLS; y++)
            for (int x = 0; x < CELLS; x++) {
                const float in_a = l < va.layers ? va.data[l * va.layer_stride + y * va.row_stride + x] : RN_NO_COLUMN;
                const float in_b = l < vb.layers ? vb.data[l * vb.layer_stride + y * vb.row_stride + x] : RN_NO_COLUMN;
                const bool none = in_a >= RN_NO_COLUMN && in_b >= RN_NO_COLUMN;
                if (!none && in_a != in_b)
                    fail_msg("cell %d %d, layer %d: %g and %g", x, y, l, (double)in_a, (double)in_b);
            }
}

static void assert_same_columns(rn_world *a, rn_world *b) {
    assert_int_equal(rn_world_commit(a), RN_OK);
    assert_int_equal(rn_world_commit(b), RN_OK);
    assert_same_field(a, b, RN_FIELD_BASE);
    assert_same_field(a, b, RN_FIELD_CEIL);
}

static void moved_is_as_if_made_there(void **state) {
    (void)state;
    made_mesh m = torus_mesh(0.025, 0.008, 60, 30);
    rn_world *moved = tank(1);
    const int solid = add_mesh(moved, &m, (rn_vec3){0.03, 0.03, 0.05}, (rn_vec3){0, 0, 0});
    for (int i = 1; i <= 6; i++) {
        const rn_vec3 at = {0.03 + 0.005 * i, 0.05, 0.05 - 0.004 * i}, turn = {17.0 * i, -11.0 * i, 5.0 * i};
        rn_world *anew = tank(1);
        assert_int_equal(rn_world_move_solid(moved, solid, at, rn_quat_from_degrees(turn)), RN_OK);
        add_mesh_there(anew, &m, at, turn);
        assert_same_columns(moved, anew);
        assert_true(rn_world_view(moved, RN_FIELD_BASE).layers > 1);
        rn_world_destroy(anew);
    }
    rn_world_destroy(moved);
    mesh_free(&m);
}

static void bent_is_as_if_made_so(void **state) {
    (void)state;
    made_mesh rest = beating_ball(0);
    rn_world *bent = tank(1);
    const rn_vec3 at = {0.05, 0.045, 0.03}, turn = {20, 10, 0};
    const int solid = add_mesh(bent, &rest, at, turn);
    for (int i = 1; i <= 6; i++) {
        made_mesh now = beating_ball(i / 6.5);
        rn_world *anew = tank(1);
        bend(bent, solid, &now);
        add_mesh_there(anew, &now, at, turn);
        assert_same_columns(bent, anew);
        rn_world_destroy(anew);
        mesh_free(&now);
    }
    rn_world_destroy(bent);
    mesh_free(&rest);
}

/* A frame of a torus that tilts and a ball that beats. */
static void stir(rn_world *world, int torus, int ball, int frame) {
    const rn_vec3 at = {0.03, 0.05, 0.016 + 0.004 * sin(0.2 * frame)};
    assert_int_equal(
        rn_world_move_solid(world, torus, at,
                            rn_quat_from_degrees((rn_vec3){25 * sin(0.13 * frame), 20 * cos(0.1 * frame), 0})),
        RN_OK);
    made_mesh now = beating_ball(0.04 * frame);
    bend(world, ball, &now);
    mesh_free(&now);
}

static rn_world *stirred(int threads, int frames, bool check) {
    rn_world *world = tank(threads);
    made_mesh ring = torus_mesh(0.02, 0.006, 30, 15), ball = beating_ball(0);
    const int torus = add_mesh(world, &ring, (rn_vec3){0.03, 0.05, 0.02}, (rn_vec3){0, 0, 0});
    const int soft = add_mesh(world, &ball, (rn_vec3){0.066, 0.05, 0.012}, (rn_vec3){0, 0, 30});
    mesh_free(&ring);
    mesh_free(&ball);
    assert_int_equal(rn_world_commit(world), RN_OK);
    assert_int_equal(rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 0.015}), RN_OK);
    for (int frame = 1; frame <= frames; frame++) {
        stir(world, torus, soft, frame);
        assert_int_equal(rn_world_step(world, check ? 0.002 : 0.01), RN_OK);
        if (check) assert_true(rn_world_audit(world).drift == 0.0);
    }
    return world;
}

static void volume_stays_exact(void **state) {
    (void)state;
    rn_world *world = stirred(0, 1000, true);
    const rn_audit audit = rn_world_audit(world);
    assert_true(audit.present > 0.9 * audit.poured);
    rn_world_destroy(world);
}

static void threads_change_nothing(void **state) {
    (void)state;
    rn_world *one = stirred(1, 40, false), *three = stirred(3, 40, false);
    assert_true(rn_world_hash(one) == rn_world_hash(three));
    rn_world_destroy(one);
    rn_world_destroy(three);
}

/* m^3 of all open ranges. */
static double open_volume(const rn_world *world) {
    const rn_view base = rn_world_view(world, RN_FIELD_BASE), ceil = rn_world_view(world, RN_FIELD_CEIL);
    double sum = 0;
    for (int l = 0; l < base.layers; l++)
        for (int y = 0; y < CELLS; y++)
            for (int x = 0; x < CELLS; x++) {
                const ptrdiff_t i = l * base.layer_stride + y * base.row_stride + x;
                if (base.data[i] < RN_NO_COLUMN) sum += (double)(ceil.data[i] - base.data[i]) * 0.002 * 0.002;
            }
    return sum;
}

/* What a ball takes of the tank goes into a higher level. */
static void a_growing_ball_lifts_the_level(void **state) {
    (void)state;
    rn_world *world = tank(1);
    made_mesh m = sphere_mesh(0.01, 40, 80);
    const int solid = add_mesh(world, &m, (rn_vec3){0.048, 0.048, 0.022}, (rn_vec3){0, 0, 0});
    assert_int_equal(rn_world_commit(world), RN_OK);
    assert_int_equal(rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 0.05}), RN_OK);
    const double open = open_volume(world);
    for (int i = 0; i < 40; i++) {
        for (uint32_t v = 0; v < 3 * m.vertices; v++) m.positions[v] *= 1.01732f; /* twice the radius in the end */
        bend(world, solid, &m);
        assert_int_equal(rn_world_step(world, 0.01), RN_OK);
    }
    for (int i = 0; i < 400; i++) assert_int_equal(rn_world_step(world, 0.01), RN_OK);
    const double area = CELLS * 0.002 * CELLS * 0.002, grown = 4.0 / 3.0 * pi * (8 - 1) * 1e-6;
    double level = 0;
    for (int y = 0; y < CELLS; y++)
        for (int x = 0; x < CELLS; x++)
            level +=
                rn_world_sample(world, (rn_vec3){(x + 0.5) * 0.002, (y + 0.5) * 0.002, 0.06}).level / (CELLS * CELLS);
    assert_near(open - open_volume(world), grown, 0.03 * grown); /* a ball of few cells */
    assert_near((level - 0.05) * area, open - open_volume(world), 0.002 * grown);
    assert_true(rn_world_audit(world).displaced == 0.0 && rn_world_audit(world).drift == 0.0);
    rn_world_destroy(world);
    mesh_free(&m);
}

static rn_ground_mesh *mesh_of(const rn_world *world, const rn_sdf *ground) {
    rn_ground_mesh_def def = rn_ground_mesh_default();
    def.world = world;
    def.shape = ground;
    def.sharp = true;
    rn_ground_mesh *mesh = NULL;
    assert_int_equal(rn_ground_mesh_create(&def, &mesh), RN_OK);
    return mesh;
}

/* What is drawn is bent as well. */
static void pictures_follow(void **state) {
    (void)state;
    rn_world *world = tank(1);
    rn_sdf *ground = rn_sdf_plane((rn_vec3){0, 0, 0}, (rn_vec3){0, 0, 1});
    made_mesh m = beating_ball(0), now = beating_ball(0.3);
    const int solid = add_mesh(world, &m, (rn_vec3){0.05, 0.05, 0.03}, (rn_vec3){0, 20, 0});
    assert_int_equal(rn_world_commit(world), RN_OK);
    rn_ground_mesh *mesh = mesh_of(world, ground);
    bool changed = true;
    assert_int_equal(rn_ground_mesh_update(mesh, NULL, NULL, &changed), RN_OK);
    assert_false(changed);
    bend(world, solid, &now);
    assert_int_equal(rn_world_commit(world), RN_OK);
    assert_int_equal(rn_ground_mesh_update(mesh, NULL, NULL, &changed), RN_OK);
    assert_true(changed);
    rn_ground_mesh *anew = mesh_of(world, ground);
    const rn_mesh a = rn_ground_mesh_read(mesh), b = rn_ground_mesh_read(anew);
    assert_int_equal(a.vertex_count, b.vertex_count);
    assert_int_equal(a.triangle_count, b.triangle_count);
    assert_memory_equal(a.positions, b.positions, 3 * a.vertex_count * sizeof *a.positions);
    rn_ground_mesh_destroy(mesh);
    rn_ground_mesh_destroy(anew);
    rn_world_destroy(world);
    rn_sdf_destroy(ground);
    mesh_free(&m);
    mesh_free(&now);
}

static void bad_frames_are_refused(void **state) {
    (void)state;
    made_mesh m = beating_ball(0);
    rn_world *world = tank(1);
    const int solid = add_mesh(world, &m, (rn_vec3){0.05, 0.05, 0.02}, (rn_vec3){0, 0, 0});
    const rn_solid_def ball = {.shape = rn_sdf_sphere(0.01), .at = {0.02, 0.02, 0.05}};
    const int other = rn_world_add_solid(world, &ball);
    assert_int_equal(rn_world_commit(world), RN_OK);
    const uint64_t hash = rn_world_hash(world);
    assert_int_equal(rn_world_deform_solid(world, solid, m.positions, m.vertices - 1), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "there must be one for each vertex"));
    assert_int_equal(rn_world_deform_solid(world, solid, NULL, m.vertices), RN_INVALID);
    assert_int_equal(rn_world_deform_solid(world, other, m.positions, m.vertices), RN_INVALID);
    assert_int_equal(rn_world_deform_solid(world, 7, m.positions, m.vertices), RN_INVALID);
    const float kept = m.positions[100], bad[] = {NAN, INFINITY, -INFINITY, 1e30f};
    for (int i = 0; i < 4; i++) {
        m.positions[100] = bad[i];
        assert_int_equal(rn_world_deform_solid(world, solid, m.positions, m.vertices), RN_INVALID);
        assert_non_null(strstr(rn_last_error(), "vertex 33 "));
    }
    m.positions[100] = kept;
    assert_int_equal(rn_world_commit(world), RN_OK);
    assert_true(rn_world_hash(world) == hash);
    rn_world_destroy(world);
    mesh_free(&m);
}

/* Inside out, collapsed to a plane, a line and a point, and without any order. */
static void impossible_frames_end(void **state) {
    (void)state;
    made_mesh m = sphere_mesh(0.02, 8, 12), now = mesh_copy(&m, 1);
    rn_world *world = tank(1);
    const int solid = add_mesh(world, &m, (rn_vec3){0.05, 0.05, 0.02}, (rn_vec3){30, 0, 0});
    const rn_mesh_solid_def def = mesh_def(&m);
    rn_sdf *shape = rn_sdf_mesh(&def, NULL);
    assert_int_equal(rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 0.02}), RN_OK);
    for (int kind = 0; kind < 8; kind++) {
        for (uint32_t i = 0; i < 3 * m.vertices; i++) {
            const float was = m.positions[i];
            now.positions[i] = kind == 0   ? -was
                               : kind <= 3 ? ((int)(i % 3) < kind ? 0.0f : was)
                               : kind <= 6 ? 0.02f * sinf(1e4f * was * (float)kind + (float)i)
                                           : was;
        }
        bend(world, solid, &now);
        assert_int_equal(rn_world_step(world, 0.001), RN_OK);
        assert_true(rn_world_audit(world).drift == 0.0);
        assert_int_equal(rn_sdf_mesh_deform(shape, now.positions, now.vertices), RN_OK);
        for (int i = 0; i < 50; i++)
            assert_true(isfinite(rn_sdf_distance(shape, (rn_vec3){0.001 * (i - 25), 0.0003 * i, 0.0007 * i - 0.01})));
    }
    assert_near(rn_sdf_distance(shape, (rn_vec3){0, 0, 0.1}), 0.08, 0.003); /* as at first again */
    rn_sdf_destroy(shape);
    rn_world_destroy(world);
    mesh_free(&m);
    mesh_free(&now);
}

static void memory_is_taken_once(void **state) {
    (void)state;
    made_mesh m = beating_ball(0), now = beating_ball(0.3);
    purse p = {.left = 1 << 20};
    rn_mesh_solid_def def = mesh_def(&m);
    def.hooks = (rn_hooks){.alloc = purse_spend, .free = purse_give_back, .user = &p};
    rn_sdf *shape = rn_sdf_mesh(&def, NULL);
    const rn_vec3 at = {0.003, 0.001, 0.001};
    const double before = rn_sdf_distance(shape, at);
    p.left = 0;
    assert_int_equal(rn_sdf_mesh_deform(shape, now.positions, now.vertices), RN_MEMORY);
    assert_true(rn_sdf_distance(shape, at) == before);
    p.left = 1 << 20;
    for (int i = 0; i < 8; i++)
        assert_int_equal(rn_sdf_mesh_deform(shape, (i % 2 ? m : now).positions, now.vertices), RN_OK);
    assert_true(rn_sdf_distance(shape, at) == before);
    p.left = 0;
    for (int i = 0; i < 8; i++)
        assert_int_equal(rn_sdf_mesh_deform(shape, (i % 2 ? m : now).positions, now.vertices), RN_OK);
    rn_sdf_destroy(shape);
    assert_int_equal(p.held, 0);
    mesh_free(&m);
    mesh_free(&now);
}

/* ---- Files ------------------------------------------------------------------------------------------------------ */

typedef struct cache_head {
    char mark[12];
    int32_t version, vertices;
    float start, rate;
    int32_t samples;
} cache_head;

static const cache_head three_frames = {"POINTCACHE2", 1, 2, 0, 2, 3};
static const float frames[3][6] = {{0, 0, 0, 1, 2, 3}, {4, 0, 0, 1, 0.1f, 3}, {0.3f, 7, 0, 1, 2, -3}};

static const char *write_cache(cache_head head, const void *values, size_t size) {
    FILE *file = fopen(in_folder("c.pc2"), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(&head, sizeof head, 1, file), 1);
    assert_int_equal(fwrite(values, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return in_folder("c.pc2");
}

static void caches_are_exact_at_their_frames(void **state) {
    (void)state;
    rn_motion *motion;
    float got[6];
    assert_int_equal(rn_motion_read(write_cache(three_frames, frames, sizeof frames), 4, &motion), RN_OK);
    assert_int_equal(rn_motion_vertex_count(motion), 2);
    assert_true(rn_motion_duration(motion) == 1);
    for (int i = 0; i < 3; i++) {
        rn_motion_sample(motion, 0.5 * i, false, got);
        assert_memory_equal(got, frames[i], sizeof got);
    }
    rn_motion_sample(motion, 0.125, false, got);
    assert_true(got[0] == 1 && got[4] == 2 + 0.25f * (0.1f - 2));
    rn_motion_sample(motion, 99, false, got);
    assert_memory_equal(got, frames[2], sizeof got);
    rn_motion_sample(motion, 3.5, true, got);
    assert_memory_equal(got, frames[1], sizeof got);
    rn_motion_free(motion);
}

static void refuse_cache(cache_head head, const void *values, size_t size, const char *why) {
    rn_motion *motion;
    assert_int_not_equal(rn_motion_read(write_cache(head, values, size), 0, &motion), RN_OK);
    assert_null(motion);
    if (!strstr(rn_last_error(), why)) fail_msg("\"%s\" does not say \"%s\"", rn_last_error(), why);
}

static void bad_caches_are_refused(void **state) {
    (void)state;
    cache_head head = three_frames;
    float spoilt[3][6];
    memcpy(spoilt, frames, sizeof spoilt);
    refuse_cache(head, frames, sizeof frames - 1, "cut short");
    refuse_cache(head, spoilt, 0, "cut short");
    head.samples = 2;
    refuse_cache(head, frames, sizeof frames, "too long");
    head.samples = INT32_MAX;
    head.vertices = INT32_MAX;
    refuse_cache(head, frames, sizeof frames, "a point cache may have at most");
    head.vertices = -1;
    refuse_cache(head, frames, sizeof frames, "at least one of each");
    head = three_frames;
    head.rate = NAN;
    refuse_cache(head, frames, sizeof frames, "more than 0");
    head = three_frames;
    head.version = 2;
    refuse_cache(head, frames, sizeof frames, "version 2");
    spoilt[1][4] = NAN;
    refuse_cache(three_frames, spoilt, sizeof spoilt, "in frame 1, vertex 1 ");
}

static void put_base64(FILE *file, const unsigned char *bytes, size_t size) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) { /* sizes are multiples of 3 */
        const unsigned word = (unsigned)bytes[i] << 16 | (unsigned)bytes[i + 1] << 8 | bytes[i + 2];
        for (int k = 18; k >= 0; k -= 6) fputc(digits[word >> k & 63], file);
    }
}

/* A triangle whose node goes up and turns; a second animation would be left alone. */
static const char *write_gltf(const char *way) {
    static const float values[] = {0, 0, 0, 1, 0, 0, 0, 1, 0,                 /* the triangle */
                                   0, 1, 2,                                   /* times */
                                   0, 0, 0, 0, 4, 0, 2, 4, 0,                 /* moves */
                                   0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0.6f, 0.8f}; /* turns about z */
    FILE *file = fopen(in_folder("m.gltf"), "w");
    assert_non_null(file);
    fprintf(file,
            "{\"asset\": {\"version\": \"2.0\"}, \"scene\": 0, \"scenes\": [{\"nodes\": [0]}],"
            "\"nodes\": [{\"name\": \"top\", \"children\": [1], \"translation\": [10, 0, 0]},"
            "{\"name\": \"arm\", \"mesh\": 0}],"
            "\"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 0}}]}],"
            "\"buffers\": [{\"byteLength\": %zu, \"uri\": \"data:application/octet-stream;base64,",
            sizeof values);
    put_base64(file, (const unsigned char *)values, sizeof values);
    fprintf(file,
            "\"}], \"bufferViews\": [{\"buffer\": 0, \"byteLength\": 36}, {\"buffer\": 0, \"byteOffset\": 36,"
            "\"byteLength\": 12}, {\"buffer\": 0, \"byteOffset\": 48, \"byteLength\": 36},"
            "{\"buffer\": 0, \"byteOffset\": 84, \"byteLength\": 48}], \"accessors\": ["
            "{\"bufferView\": 0, \"componentType\": 5126, \"count\": 3, \"type\": \"VEC3\","
            "\"min\": [0, 0, 0], \"max\": [1, 1, 0]},"
            "{\"bufferView\": 1, \"componentType\": 5126, \"count\": 3, \"type\": \"SCALAR\", \"min\": [0],"
            "\"max\": [2]}, {\"bufferView\": 2, \"componentType\": 5126, \"count\": 3, \"type\": \"VEC3\"},"
            "{\"bufferView\": 3, \"componentType\": 5126, \"count\": 3, \"type\": \"VEC4\"}],"
            "\"animations\": [{\"samplers\": [{\"input\": 1, \"output\": 2, \"interpolation\": \"%s\"},"
            "{\"input\": 1, \"output\": 3}], \"channels\": ["
            "{\"sampler\": 0, \"target\": {\"node\": 1, \"path\": \"translation\"}},"
            "{\"sampler\": 1, \"target\": {\"node\": 1, \"path\": \"rotation\"}}]}]}",
            way);
    assert_int_equal(fclose(file), 0);
    return in_folder("m.gltf");
}

static void assert_vertex(rn_motion *motion, double time, double x, double y) {
    float got[9];
    rn_motion_sample(motion, time, false, got);
    assert_near((double)got[3], x, 1e-6); /* the corner at (1, 0, 0) */
    assert_near((double)got[4], y, 1e-6);
}

static void animations_are_exact_at_their_keys(void **state) {
    (void)state;
    rn_motion *motion;
    const rn_result result = rn_motion_read(write_gltf("LINEAR"), 0, &motion);
    if (result == RN_UNSUPPORTED) skip(); /* a build without assimp */
    if (result != RN_OK) fail_msg("%s", rn_last_error());
    assert_int_equal(rn_motion_vertex_count(motion), 3);
    assert_near(rn_motion_duration(motion), 2, 1e-9);
    assert_vertex(motion, 0, 11, 0);
    assert_vertex(motion, 1, 9, 4);                    /* turned by 180 degrees */
    assert_vertex(motion, 2, 10 + 2 + 0.28, 4 + 0.96); /* by 2 * atan(0.6 / 0.8) */
    assert_vertex(motion, 0.5, 10, 2 + 1);             /* by 90 degrees, half way up */
    assert_vertex(motion, 0.25, 10 + sqrt(0.5), 1 + sqrt(0.5));
    rn_motion_free(motion);
    assert_int_equal(rn_motion_read(write_gltf("STEP"), 0, &motion), RN_OK);
    assert_vertex(motion, 0.5, 10, 0 + 1);
    assert_vertex(motion, 1, 9, 4);
    rn_motion_free(motion);
    assert_int_equal(rn_motion_read(write_gltf("CUBICSPLINE"), 0, &motion), RN_UNSUPPORTED);
    assert_non_null(strstr(rn_last_error(), "splines"));
    assert_int_not_equal(rn_motion_read("scenes/meshes/heart.ply", 0, &motion), RN_OK);
    assert_non_null(strstr(rn_last_error(), "no animation"));
}

/* ---- Scenes ----------------------------------------------------------------------------------------------------- */

static rn_scene *open_scene(rn_scene_def def) {
    rn_scene *scene = NULL;
    const rn_result result = rn_scene_open(&def, &scene);
    if (result == RN_UNSUPPORTED) skip(); /* a build without assimp */
    if (result != RN_OK) fail_msg("%s", rn_last_error());
    return scene;
}

static void step(rn_scene *scene, int count) {
    for (int i = 0; i < count; i++) assert_int_equal(rn_scene_step(scene), RN_OK);
}

static void checkpoints_go_on_to_the_same_bits(void **state) {
    (void)state;
    static const char *const small[] = {"grid.cells=[50, 45]", "grid.cell=0.002"};
    rn_scene *whole = open_scene((rn_scene_def){.path = "scenes/beating.json", .set = small, .set_count = 2});
    step(whole, 13);
    char path[512];
    snprintf(path, sizeof path, "%s", in_folder("beating.rnl"));
    assert_int_equal(rn_scene_save(whole, path), RN_OK);
    rn_scene *resumed = open_scene((rn_scene_def){.checkpoint = path});
    assert_true(rn_world_hash(rn_scene_world(whole)) == rn_world_hash(rn_scene_world(resumed)));
    step(whole, 12);
    step(resumed, 12);
    assert_true(rn_world_hash(rn_scene_world(whole)) == rn_world_hash(rn_scene_world(resumed)));
    assert_true(rn_world_audit(rn_scene_world(whole)).drift == 0.0);
    rn_scene_close(whole);
    rn_scene_close(resumed);
}

static void refuse_scene(const char *change, const char *why) {
    rn_scene *scene;
    const char *const set[] = {change, "grid.cells=[50, 45]", "grid.cell=0.002"};
    const rn_scene_def def = {.path = "scenes/beating.json", .set = set, .set_count = 3};
    if (rn_scene_open(&def, &scene) == RN_UNSUPPORTED) skip();
    assert_null(scene);
    if (!strstr(rn_last_error(), why)) fail_msg("\"%s\" does not say \"%s\"", rn_last_error(), why);
}

static void bad_scenes_are_refused(void **state) {
    (void)state;
    refuse_scene("solids.0.animation=true", "leave out one of them");
    refuse_scene("solids.0.lasting=true", "cannot bend a brush");
    refuse_scene("solids.0.cache=none.pc2", "none.pc2: cannot be read");
    refuse_scene("solids.0.shape={\"type\": \"sphere\", \"radius\": 0.01}", "needs a mesh");
    refuse_scene("solids.0.shape.file=meshes/tray.ply", "there must be one for each vertex");
}

static int set_up(void **state) {
    (void)state;
    return make_folder("moving");
}

static int tear_down(void **state) {
    (void)state;
    return take_folder_away();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moved_is_as_if_made_there),
        cmocka_unit_test(bent_is_as_if_made_so),
        cmocka_unit_test(volume_stays_exact),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(a_growing_ball_lifts_the_level),
        cmocka_unit_test(pictures_follow),
        cmocka_unit_test(bad_frames_are_refused),
        cmocka_unit_test(impossible_frames_end),
        cmocka_unit_test(memory_is_taken_once),
        cmocka_unit_test(caches_are_exact_at_their_frames),
        cmocka_unit_test(bad_caches_are_refused),
        cmocka_unit_test(animations_are_exact_at_their_keys),
        cmocka_unit_test(checkpoints_go_on_to_the_same_bits),
        cmocka_unit_test(bad_scenes_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
