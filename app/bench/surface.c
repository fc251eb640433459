/* Rows surface-... of `runnel bench`: building the liquid surface (links, mesh, boundaries, normals and meniscus) in
   every frame of the examples in Table 1 of Dagenais et al. 2018, beside the times that the paper gives for a GeForce
   GTX 970. run_row() runs a row; time_crew() times one crew. */
#include "bench/bench.h"
#include "common/library.h"
#include "common/options.h"
#include "common/progress.h"

#include <math.h>
#include <runnel/surface.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAME    16.6e-3 /* s */
#define MENISCUS 2.8e-3  /* m, of the paper's scenes */

enum { TRIES = 3 }; /* of each example; the fastest try of each frame counts, as on an idle machine */

/* A row of the table. */
typedef struct example {
    const char *scene;
    double seconds;               /* simulated */
    double paper_mean, paper_max; /* ms, published in the table */
} example;

/* The buffers that building a surface needs. */
typedef struct drawing {
    rn_device *device; /* of their memory; NULL: the host */
    rn_surface_def def;
    void *scratch;
    size_t bytes;
    rn_mesh mesh;
} drawing;

/* The times of all builds of a scene. */
typedef struct drawn_times {
    double *frames;             /* s, of each frame: the shortest of all tries */
    int count;                  /* of frames */
    double vertices, triangles; /* mean number in a frame */
    int64_t columns;
} drawn_times;

/* Allocates memory, at least one byte, which the caller frees. Exits if memory is lacking. */
static void *must_have(size_t bytes) {
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory) bench_must(RN_MEMORY);
    return memory;
}

/* The same where a drawing has its buffers. */
static void *must_have_there(const drawing *d, size_t bytes) {
    if (!d->device) return must_have(bytes);
    void *memory = rn_device_alloc(d->device, bytes);
    if (!memory) bench_must(RN_MEMORY);
    return memory;
}

enum { MOST_POURS = 16 };

/* Updates the jets of a world, with room for MOST_POURS pours. */
static void update_jets(const rn_world *world, rn_surface_pour *pours, rn_surface_jets *jets) {
    const rn_liquid liquid = rn_world_liquid(world);
    const int count = rn_world_pours(world, pours, MOST_POURS);
    *jets = (rn_surface_jets){.pours = pours,
                              .pour_count = count < MOST_POURS ? count : MOST_POURS,
                              .time = rn_world_get_stats(world).time,
                              .tension = (float)(liquid.surface_tension / liquid.density),
                              .viscosity = (float)liquid.viscosity};
}

/* Allocates the buffers for the surface of `columns`; end_drawing() frees them. `bare`: the surface has only what the
   paper's has: no edges within cells, sheets, jets, velocities or ids. Without jets on a GPU, which has none. Exits on
   failure. */
static drawing start_drawing(const rn_world *world, const rn_surface_columns *columns, const rn_surface_jets *jets,
                             bool bare) {
    drawing d = {.device = rn_world_device(world), .def = rn_surface_default()};
    rn_surface_room room;
    d.def.device = d.device;
    d.def.threads = rn_world_threads(world);
    d.def.meniscus_length = (float)MENISCUS;
    d.def.contact_angle = 30.0f;
    d.def.whole_cells = d.def.no_sheets = bare;
    d.def.jets = bare || d.device ? NULL : jets;
    bench_must(rn_surface_bound(columns, &d.def, &room));
    d.def.kept = must_have(room.kept);
    memset(d.def.kept, 0, room.kept);
    d.bytes = room.scratch;
    d.scratch = must_have_there(&d, room.scratch);
    d.mesh.positions = must_have_there(&d, room.vertices * 3 * sizeof(float));
    d.mesh.normals = must_have_there(&d, room.vertices * 3 * sizeof(float));
    d.mesh.opacity = must_have_there(&d, room.vertices * sizeof(float));
    d.mesh.indices = must_have_there(&d, room.triangles * 3 * sizeof(uint32_t));
    if (!bare) d.mesh.velocities = must_have_there(&d, room.vertices * 3 * sizeof(float));
    if (!bare) d.mesh.ids = must_have_there(&d, room.vertices * sizeof(uint32_t));
    d.mesh.vertex_capacity = (uint32_t)room.vertices;
    d.mesh.triangle_capacity = (uint32_t)room.triangles;
    return d;
}

/* Frees all buffers of a drawing, not `d` itself. */
static void end_drawing(drawing *d) {
    void *const all[] = {d->def.kept,        d->scratch,      d->mesh.positions, d->mesh.normals,
                         d->mesh.velocities, d->mesh.opacity, d->mesh.ids,       d->mesh.indices};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (d->device && i > 0) rn_device_free(d->device, all[i]);
        else free(all[i]);
}

/* Opens and runs the whole example and times the build of every frame; t->frames keeps the shorter of its old and new
   times. Sets the other values of `t`; the caller sets t->count and t->frames. Exits on failure. Steps come in between,
   so that caches are as cold as in use. */
static void time_builds(const char *path, const char *backend, int threads, bool bare, drawn_times *t) {
    rn_scene *scene = NULL;
    const char *set[] = {bench_on_gpu(backend) ? "backend=cuda" : "backend=cpu"};
    const rn_scene_def def = {.path = path, .set = set, .set_count = 1, .threads = threads};
    bench_must(rn_scene_open(&def, &scene));
    rn_world *world = rn_scene_world(scene);
    const rn_surface_columns columns = rn_surface_columns_of(world);
    rn_surface_pour pours[MOST_POURS];
    rn_surface_jets jets;
    update_jets(world, pours, &jets);
    drawing d = start_drawing(world, &columns, &jets, bare);
    t->vertices = t->triangles = 0.0;
    t->columns = rn_world_describe(world).columns;
    for (int i = 0; i < t->count; i++) {
        bench_must(rn_world_step(world, FRAME));
        update_jets(world, pours, &jets);
        const double start = clock_now();
        bench_must(rn_surface_build(&columns, &d.def, d.scratch, d.bytes, &d.mesh));
        t->frames[i] = fmin(t->frames[i], clock_now() - start);
        t->vertices += (double)d.mesh.vertex_count / t->count;
        t->triangles += (double)d.mesh.triangle_count / t->count;
    }
    end_drawing(&d);
    rn_scene_close(scene);
}

/* Times of all frames: mean, longest and shortest. */
typedef struct summary {
    double mean, most, least; /* s */
} summary;

/* Runs the example TRIES times and summarises the shortest time of each frame. The caller sets t->count and allocates
   t->frames; everything else in `t` is overwritten. */
static summary time_tries(const char *path, const char *backend, int threads, bool bare, drawn_times *t) {
    summary s = {.least = INFINITY};
    for (int i = 0; i < t->count; i++) t->frames[i] = INFINITY;
    for (int i = 0; i < TRIES; i++) time_builds(path, backend, threads, bare, t);
    for (int i = 0; i < t->count; i++) {
        s.mean += t->frames[i] / t->count;
        s.most = fmax(s.most, t->frames[i]);
        s.least = fmin(s.least, t->frames[i]);
    }
    return s;
}

/* Times an example with this many threads, with all features, which the result has, and bare, which only the note has.
   `path`: the scene file. `median` is the mean of all frames (ms). */
static bench_result time_crew(const example *of, const char *path, const char *backend, int threads) {
    drawn_times t = {.count = (int)(of->seconds / FRAME)};
    t.frames = must_have((size_t)t.count * sizeof *t.frames);
    const summary bare = time_tries(path, backend, threads, true, &t),
                  whole = time_tries(path, backend, threads, false, &t);
    bench_result b = {.median = whole.mean * 1e3,
                      .best = whole.least * 1e3,
                      .seconds = whole.mean,
                      .substeps = NAN,
                      .bytes = NAN,
                      .columns = t.columns,
                      .threads = threads,
                      .bar = of->paper_mean,
                      .frame_max = whole.most * 1e3,
                      .paper_step = of->paper_mean,
                      .paper_max = of->paper_max};
    snprintf(b.note, sizeof b.note,
             "%.0f vertices and %.0f triangles on average, %.3g ns per vertex; %.3g ms, at most %.3g; without sub-cell "
             "edges, sheets, velocities and ids, which the paper's surface lacks, %.3g ms, at most %.3g (GTX 970: "
             "%.2f, at most %.2f)%s",
             t.vertices, t.triangles, whole.mean / t.vertices * 1e9, whole.mean * 1e3, whole.most * 1e3,
             bare.mean * 1e3, bare.most * 1e3, of->paper_mean, of->paper_max,
             bench_on_gpu(backend) ? "; built in memory of the GPU, without jets" : "");
    free(t.frames);
    return b;
}

/* Runs one row with all crews. A scene that is not found is printed and makes results of NAN with a note. Returns the
   number of results, one per crew. */
static int run_row(const example *of, const bench_crews *crews, bench_result *results) {
    for (int i = 0; i < crews->count; i++) {
        char path[1024];
        results[i] = (bench_result){.median = NAN, .best = NAN, .seconds = NAN, .substeps = NAN, .bytes = NAN};
        if (!library_find("bench", of->scene, path, sizeof path)) {
            snprintf(results[i].note, sizeof results[i].note, "left out: its scene was not found");
            continue;
        }
        results[i] = time_crew(of, path, crews->backend, crews->threads[i]);
        if (i > 0 && crews->threads[0] == 1) results[i].speedup = results[0].median / results[i].median;
    }
    return crews->count;
}

/* Measures row surface-viscosity: the scene incline. Fields of an example: scene, simulated seconds, the paper's mean
   and longest time (ms). Writes a result for each crew and returns their number. */
int bench_surface_viscosity(const bench_crews *crews, bench_result *results) {
    return run_row(&(example){"incline", 3.0, 0.43, 0.52}, crews, results);
}

/* Measures row surface-three-layers: the scene three-layers. Writes a result for each crew and returns their number. */
int bench_surface_three_layers(const bench_crews *crews, bench_result *results) {
    return run_row(&(example){"three-layers", 4.5, 0.37, 0.85}, crews, results);
}

/* Measures row surface-passages: the scene passages. Writes a result for each crew and returns their number. */
int bench_surface_passages(const bench_crews *crews, bench_result *results) {
    return run_row(&(example){"passages", 6.0, 0.34, 0.48}, crews, results);
}

/* Measures row surface-surgery: the scene vertebra. Writes a result for each crew and returns their number. */
int bench_surface_surgery(const bench_crews *crews, bench_result *results) {
    return run_row(&(example){"vertebra", 3.0, 1.10, 2.11}, crews, results);
}
