/* Rows moving-rigid and moving-soft of `runnel bench`: a mesh is turned, or bent, frame by frame in a world of several
   layers, and the columns are made again each time. Entry points: bench_moving_rigid(), bench_moving_soft(). */
#include "bench/bench.h"
#include "common/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

enum { CELLS = 200, ROWS = 86, AROUND = 87, VERTICES = ROWS * AROUND + 2, TRIANGLES = 2 * ROWS * AROUND };
enum { FORMS = 8, UPDATES = 12, STEPS = 4, ROUNDS = 5 };

/* A world and the mesh that moves in it. */
typedef struct moving {
    rn_world *world;
    int solid, frame;
    const float *forms[FORMS]; /* vertex positions that it is bent through; NULL: it is turned instead */
} moving;

/* Writes the VERTICES positions (m, x, y, z each) of a lumpy ball about 0.3 m across that beats: rings from the north
   pole to the south, then both poles. `beat`: phase of the beat, 0 to 1. */
static void make_form(float *to, double beat) {
    for (int v = 0; v < VERTICES; v++) {
        const double polar = PI * (v < ROWS * AROUND ? (v / AROUND + 1.0) / (ROWS + 1) : v == VERTICES - 1);
        const double turn = 2 * PI * (v % AROUND) / AROUND;
        const double radius = 0.144 * (1 + 0.08 * sin(3 * turn) * sin(polar) + 0.07 * sin(2 * PI * beat + 3 * polar));
        to[3 * v] = (float)(radius * sin(polar) * cos(turn));
        to[3 * v + 1] = (float)(radius * sin(polar) * sin(turn));
        to[3 * v + 2] = (float)(radius * cos(polar));
    }
}

/* Writes the 3 * TRIANGLES vertex indices of the ball: rows of quads, closed by a fan at each pole. */
static void make_triangles(uint32_t *to) {
    const uint32_t top = ROWS * AROUND, bottom = top + 1, last = (ROWS - 1) * AROUND;
    for (uint32_t k = 0; k < AROUND; k++) {
        const uint32_t next = (k + 1) % AROUND, ends[6] = {top, k, next, bottom, last + next, last + k};
        for (int i = 0; i < 6; i++) *to++ = ends[i];
        for (uint32_t row = 0; row + 1 < ROWS; row++) {
            const uint32_t a = row * AROUND + k, b = row * AROUND + next;
            const uint32_t quad[6] = {a, a + AROUND, b + AROUND, a, b + AROUND, b};
            for (int i = 0; i < 6; i++) *to++ = quad[i];
        }
    }
}

/* Creates the solid of the ball from its vertex positions (m), which are copied. Exits on failure. */
static rn_sdf *make_ball(const float *positions) {
    uint32_t *indices = malloc(3 * TRIANGLES * sizeof *indices);
    if (!indices) bench_must(RN_MEMORY);
    make_triangles(indices);
    rn_mesh_solid_def def = rn_mesh_solid_default();
    def.positions = positions;
    def.indices = indices;
    def.vertex_count = VERTICES;
    def.triangle_count = TRIANGLES;
    rn_sdf *ball = rn_sdf_mesh(&def, NULL);
    free(indices);
    if (!ball) bench_must(RN_INVALID);
    return ball;
}

/* Creates a dry world of 0.4 m x 0.4 m with three floors above the ground, 30 % of each cut away on alternate sides:
   with the ball up to five layers. Exits on failure. */
static rn_world *make_floors(int threads) {
    rn_terrain_def terrain = rn_terrain_default();
    terrain.cells_x = terrain.cells_y = CELLS;
    terrain.cell_size = 0.002;
    terrain.bottom = -0.04;
    terrain.lid = 0.48;
    terrain.threads = threads;
    terrain.solid = rn_sdf_plane((rn_vec3){0, 0, 0}, (rn_vec3){0, 0, 1});
    for (int i = 0; i < 3; i++) {
        rn_sdf *floor = rn_sdf_box((rn_vec3){0.4, 0.28, 0.016});
        floor = rn_sdf_move(floor, (rn_vec3){0.2, i % 2 ? 0.14 : 0.26, 0.1 + 0.1 * i});
        terrain.solid = rn_sdf_union(terrain.solid, floor, 0);
    }
    rn_terrain *ground = NULL;
    rn_world *world = NULL;
    bench_must(rn_terrain_create(&terrain, &ground));
    rn_world_def def = rn_world_default();
    def.terrain = ground;
    def.threads = threads;
    bench_must(rn_world_create(&def, &world));
    rn_terrain_destroy(ground);
    return world;
}

/* Moves the mesh of world `variant` several times, on from its last pose or form, and returns the mean duration (s).
   Variant 0 only makes the columns again. Variant 1 uses a second world and also steps it by 1/60 s: in the first,
   liquid is pushed but never flows, so a step there would not be typical. */
static double time_updates(void *context, int variant) {
    moving *m = (moving *)context + variant;
    const int count = variant == 1 ? STEPS : UPDATES;
    const double start = clock_now();
    for (int i = 0; i < count; i++) {
        const double turn = 3.0 * ++m->frame;
        const float *form = m->forms[m->frame % FORMS];
        const rn_vec3 at = {0.2, 0.2, 0.2}, degrees = {turn, turn / 3, 0};
        bench_must(form ? rn_world_deform_solid(m->world, m->solid, form, VERTICES)
                        : rn_world_move_solid(m->world, m->solid, at, rn_quat_from_degrees(degrees)));
        bench_must(variant == 1 ? rn_world_step(m->world, 1.0 / 60) : rn_world_commit(m->world));
    }
    return (clock_now() - start) / count;
}

/* Creates a world with the ball in its middle and liquid 6 mm deep. `soft`: the ball is bent through `forms`, which
   must outlive the result; otherwise turned. Exits on failure; the caller destroys the world. */
static moving make_moving(float *const *forms, bool soft, int threads) {
    moving m = {.world = make_floors(threads)};
    for (int i = 0; soft && i < FORMS; i++) m.forms[i] = forms[i];
    const rn_solid_def solid = {.shape = make_ball(forms[0]), .at = {0.2, 0.2, 0.2}};
    m.solid = rn_world_add_solid(m.world, &solid);
    if (m.solid < 0) bench_must(RN_INVALID);
    bench_must(rn_world_commit(m.world));
    bench_must(rn_world_fill(m.world, &(rn_fill_def){.kind = RN_FILL_DEPTH, .value = 0.006}));
    return m;
}

/* Runs one row: a mesh that is bent (`soft`) or turned. Times are of an update without a step; the note has those with
   one. */
static bench_result move_mesh(bool soft, int threads) {
    float *forms[FORMS];
    for (int i = 0; i < FORMS; i++) {
        forms[i] = malloc(3 * VERTICES * sizeof *forms[i]);
        if (!forms[i]) bench_must(RN_MEMORY);
        make_form(forms[i], (double)i / FORMS);
    }
    moving both[2] = {make_moving(forms, soft, threads), make_moving(forms, soft, threads)};
    timing t[2] = {{.rounds = 0}, {.rounds = 0}};
    bench_interleave(2, ROUNDS, time_updates, both, t);
    bench_result b = bench_duration(both[0].world, t, NAN);
    const rn_world_stats stepped = rn_world_get_stats(both[1].world);
    snprintf(b.note, sizeof b.note,
             "%d triangles: %.0f updates a second, %.3g ms with a step of 1/60 s, %.0f substeps a second, %d layers",
             TRIANGLES, 1e3 / b.median, timing_median(&t[1]) * 1e3, (double)stepped.steps / stepped.time,
             rn_world_view(both[0].world, RN_FIELD_DEPTH).layers);
    for (int i = 0; i < 2; i++) rn_world_destroy(both[i].world);
    for (int i = 0; i < FORMS; i++) free(forms[i]);
    return b;
}

/* Measures row moving-rigid: the mesh is turned; the time of an update without a step (ms). */
bench_result bench_moving_rigid(int threads) { return move_mesh(false, threads); }

/* Measures row moving-soft: the mesh is bent, so that every vertex moves; the time of an update without a step (ms). */
bench_result bench_moving_soft(int threads) { return move_mesh(true, threads); }
