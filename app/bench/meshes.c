/* Rows mesh-15k and mesh-100k of `runnel bench`: a triangle mesh becomes a solid, the solid becomes columns, and its
   distances are sampled around the surface as finely as a surgical scene needs them. Entry points: bench_mesh_15k(),
   bench_mesh_100k(). The row meshes is in pours.c. */
#include "base/threads.h"
#include "bench/bench.h"
#include "common/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PI     3.14159265358979323846
#define SAMPLE 0.0005         /* m, between samples of the distance */
#define BAND   (3.0 * SAMPLE) /* m, on either side of the surface */

enum { CELLS = 200, BLOCK = 4, ROUNDS = 3 };

/* A bumpy ring, 80 mm across, about the size of a vertebra. */
typedef struct ring {
    int along, around; /* number of vertices along the ring and around its tube */
    float *positions;
    uint32_t *indices;
} ring;

/* Samples of the distance in cubes of BLOCK x BLOCK x BLOCK points. */
typedef struct sampling {
    const rn_sdf *solid;
    rn_vec3 low;     /* m, lowest corner */
    int blocks[3];   /* along x, y and z */
    int64_t *counts; /* samples in the band, for each horizontal layer of blocks */
} sampling;

/* One benchmark: its mesh, and the results of the last run. */
typedef struct meshing {
    const ring *of;
    int threads;
    double made, cast, sampled; /* s, to make the solid, its columns and its distances */
    int64_t columns, samples;
} meshing;

/* Allocates zeroed memory, which the caller frees. Exits if memory is lacking. */
static void *must_have(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (!memory) bench_must(RN_MEMORY);
    return memory;
}

/* Allocates and makes the positions (m) and indices of a ring whose `along` and `around` are set: two triangles for
   each vertex. The caller frees both. Exits if memory is lacking. */
static void make_ring(ring *r) {
    const size_t count = (size_t)r->along * (size_t)r->around;
    r->positions = must_have(3 * count, sizeof *r->positions);
    r->indices = must_have(6 * count, sizeof *r->indices);
    for (size_t v = 0; v < count; v++) {
        const double u = 2 * PI * (double)(v / (size_t)r->around) / r->along;
        const double w = 2 * PI * (double)(v % (size_t)r->around) / r->around;
        const double tube = 0.012 * (1 + 0.2 * sin(7 * u) * cos(3 * w)), reach = 0.026 + tube * cos(w);
        r->positions[3 * v] = (float)(reach * cos(u));
        r->positions[3 * v + 1] = (float)(reach * sin(u));
        r->positions[3 * v + 2] = (float)(tube * sin(w));
    }
    for (uint32_t v = 0; v < count; v++) {
        const uint32_t n = (uint32_t)r->around, i = v / n, k = v % n, j = (i + 1) % (uint32_t)r->along, l = (k + 1) % n;
        const uint32_t corners[6] = {v, j * n + k, j * n + l, v, j * n + l, i * n + l};
        for (int c = 0; c < 6; c++) r->indices[6 * (size_t)v + (size_t)c] = corners[c];
    }
}

/* Counts the samples of a block that lie within BAND of the surface. A block whose middle is too far from the surface
   counts 0 without being sampled. `low`: lowest corner (m). */
static int64_t sample_block(const sampling *s, rn_vec3 low) {
    const double half = 0.5 * (BLOCK - 1) * SAMPLE;
    const rn_vec3 middle = {low.x + half, low.y + half, low.z + half};
    if (fabs(rn_sdf_distance(s->solid, middle)) > BAND + sqrt(3.0) * half) return 0;
    int64_t count = 0;
    for (int i = 0; i < BLOCK * BLOCK * BLOCK; i++) {
        const rn_vec3 at = {low.x + SAMPLE * (i % BLOCK), low.y + SAMPLE * (i / BLOCK % BLOCK),
                            low.z + SAMPLE * (i / BLOCK / BLOCK)};
        count += fabs(rn_sdf_distance(s->solid, at)) <= BAND;
    }
    return count;
}

/* A task over horizontal layers of blocks: samples them and adds to their `counts`. */
static void sample_layers(void *context, int begin, int end, int worker) {
    (void)worker;
    const sampling *s = context;
    for (int z = begin; z < end; z++)
        for (int i = 0; i < s->blocks[0] * s->blocks[1]; i++)
            s->counts[z] += sample_block(s, (rn_vec3){s->low.x + BLOCK * SAMPLE * (i % s->blocks[0]),
                                                      s->low.y + BLOCK * SAMPLE * (i / s->blocks[0]),
                                                      s->low.z + BLOCK * SAMPLE * z});
}

/* Returns how many samples, SAMPLE apart, lie within BAND of the surface of the solid. `report`: its extent. Exits if
   memory is lacking. */
static int64_t sample_band(const rn_sdf *solid, const rn_mesh_report *report, int threads) {
    sampling s = {.solid = solid, .low = {report->low.x - BAND, report->low.y - BAND, report->low.z - BAND}};
    const double sides[3] = {report->high.x - report->low.x, report->high.y - report->low.y,
                             report->high.z - report->low.z};
    for (int a = 0; a < 3; a++) s.blocks[a] = (int)ceil((sides[a] + 2 * BAND) / (BLOCK * SAMPLE));
    s.counts = must_have((size_t)s.blocks[2], sizeof *s.counts);
    rn_pool *pool = rn_pool_create(NULL, threads);
    if (!pool) bench_must(RN_MEMORY);
    rn_parallel_for(pool, s.blocks[2], sample_layers, &s);
    rn_pool_destroy(pool);
    int64_t count = 0;
    for (int z = 0; z < s.blocks[2]; z++) count += s.counts[z];
    free(s.counts);
    return count;
}

/* Creates the solid, samples its distances and makes its columns once. Returns the total duration (s); the parts are in
   the context, a meshing. `variant`: unused, because there is only one. */
static double mesh_once(void *context, int variant) {
    (void)variant;
    meshing *m = context;
    const double start = clock_now();
    const uint32_t vertices = (uint32_t)(m->of->along * m->of->around);
    rn_mesh_solid_def def = rn_mesh_solid_default();
    def.positions = m->of->positions;
    def.indices = m->of->indices;
    def.vertex_count = vertices;
    def.triangle_count = 2 * vertices;
    def.threads = m->threads;
    rn_mesh_report report;
    rn_terrain_def terrain = rn_terrain_default();
    terrain.solid = rn_sdf_mesh(&def, &report);
    if (!terrain.solid) bench_must(RN_INVALID);
    const double made = clock_now();
    m->samples = sample_band(terrain.solid, &report, m->threads);
    const double sampled = clock_now();
    terrain.cells_x = terrain.cells_y = CELLS;
    terrain.cell_size = (report.high.x - report.low.x) / CELLS;
    terrain.origin_x = report.low.x;
    terrain.origin_y = report.low.y;
    terrain.threads = m->threads;
    rn_terrain *columns = NULL;
    bench_must(rn_terrain_create(&terrain, &columns));
    const double end = clock_now();
    m->columns = rn_terrain_describe(columns).columns;
    rn_terrain_destroy(columns);
    m->made = made - start;
    m->sampled = sampled - made;
    m->cast = end - sampled;
    return end - start;
}

/* Runs one row with a ring whose `along` and `around` are set; its memory is freed again. The note has the times of the
   three parts in the last run. */
static bench_result run_ring(ring of, int threads) {
    make_ring(&of);
    meshing m = {.of = &of, .threads = threads};
    timing t = {.rounds = 0};
    bench_interleave(1, ROUNDS, mesh_once, &m, &t);
    bench_result b = {.median = timing_median(&t) * 1e3,
                      .best = timing_best(&t) * 1e3,
                      .seconds = timing_median(&t),
                      .substeps = NAN,
                      .bytes = NAN,
                      .columns = m.columns};
    snprintf(
        b.note, sizeof b.note,
        "%d triangles: %.3g ms to the solid, %.3g ms to the columns, %.3g ms for %lld distances within %g mm of the "
        "surface",
        2 * of.along * of.around, m.made * 1e3, m.cast * 1e3, m.sampled * 1e3, (long long)m.samples, BAND * 1e3);
    free(of.positions);
    free(of.indices);
    return b;
}

/* Measures row mesh-15k: a ring of 14750 triangles; the time of all three parts (ms). */
bench_result bench_mesh_15k(int threads) { return run_ring((ring){.along = 125, .around = 59}, threads); }

/* Measures row mesh-100k: a ring of 100000 triangles; the time of all three parts (ms). */
bench_result bench_mesh_100k(int threads) { return run_ring((ring){.along = 400, .around = 125}, threads); }
