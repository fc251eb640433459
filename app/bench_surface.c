/* Rows of `runnel bench`: the surface of the examples in Table 1 of Dagenais et al. 2018, beside what the paper's took
   on a GeForce GTX 970: links, mesh, boundaries, normals and meniscus of every frame. */
#include "bench.h"
#include "library.h"
#include "options.h"
#include "progress.h"

#include <math.h>
#include <runnel/surface.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAME    16.6e-3 /* s */
#define MENISCUS 2.8e-3  /* m, of the paper's scenes */

enum { TRIES = 3 }; /* of each frame, of which the fastest counts: what an idle machine would take */

typedef struct example {
    const char *scene;
    double seconds;               /* simulated */
    double paper_mean, paper_max; /* ms, the table's */
} example;

typedef struct drawing {
    rn_surface_def def;
    void *scratch, *before; /* before: what was kept from the last frame */
    size_t bytes, kept;
    rn_mesh mesh;
} drawing;

static void *must_have(size_t bytes) {
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory) bench_must(RN_MEMORY);
    return memory;
}

static drawing start_drawing(const rn_world *world, const rn_surface_columns *columns) {
    drawing d = {.def = rn_surface_default()};
    rn_surface_room room;
    d.def.threads = rn_world_threads(world);
    d.def.meniscus_length = (float)MENISCUS;
    d.def.contact_angle = 30.0f;
    bench_must(rn_surface_bound(columns, &d.def, &room));
    d.kept = room.kept;
    d.def.kept = must_have(room.kept);
    d.before = must_have(room.kept);
    memset(d.def.kept, 0, room.kept);
    d.bytes = room.scratch;
    d.scratch = must_have(room.scratch);
    d.mesh.positions = must_have(room.vertices * 3 * sizeof(float));
    d.mesh.normals = must_have(room.vertices * 3 * sizeof(float));
    d.mesh.velocities = must_have(room.vertices * 3 * sizeof(float));
    d.mesh.opacity = must_have(room.vertices * sizeof(float));
    d.mesh.ids = must_have(room.vertices * sizeof(uint32_t));
    d.mesh.indices = must_have(room.triangles * 3 * sizeof(uint32_t));
    d.mesh.vertex_capacity = (uint32_t)room.vertices;
    d.mesh.triangle_capacity = (uint32_t)room.triangles;
    return d;
}

static void end_drawing(drawing *d) {
    void *const all[] = {d->def.kept,        d->before,       d->scratch,  d->mesh.positions, d->mesh.normals,
                         d->mesh.velocities, d->mesh.opacity, d->mesh.ids, d->mesh.indices};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
}

/* Every try finds what the frame before has kept, and not what the last try of this one has found. */
static double time_frame(const rn_surface_columns *columns, drawing *d) {
    double least = INFINITY;
    memcpy(d->before, d->def.kept, d->kept);
    for (int i = 0; i < TRIES; i++) {
        if (i > 0) memcpy(d->def.kept, d->before, d->kept);
        const double start = clock_now();
        bench_must(rn_surface_build(columns, &d->def, d->scratch, d->bytes, &d->mesh));
        least = fmin(least, clock_now() - start);
    }
    return least;
}

static bench_result draw(const example *of, rn_world *world, int threads) {
    const rn_surface_columns columns = rn_surface_columns_of(world);
    drawing d = start_drawing(world, &columns);
    const int frames = (int)(of->seconds / FRAME);
    double sum = 0.0, most = 0.0, least = INFINITY, vertices = 0.0, triangles = 0.0;
    for (int i = 0; i < frames; i++) {
        bench_must(rn_world_step(world, FRAME));
        const double taken = time_frame(&columns, &d);
        sum += taken;
        most = fmax(most, taken);
        least = fmin(least, taken);
        vertices += d.mesh.vertex_count;
        triangles += d.mesh.triangle_count;
    }
    const double mean = sum / frames;
    bench_result b = {.median = mean * 1e3,
                      .best = least * 1e3,
                      .seconds = mean,
                      .substeps = NAN,
                      .bytes = NAN,
                      .columns = rn_world_describe(world).columns,
                      .threads = threads,
                      .bar = of->paper_mean,
                      .frame_max = most * 1e3,
                      .paper_step = of->paper_mean,
                      .paper_max = of->paper_max};
    snprintf(b.note, sizeof b.note,
             "%.0f vertices and %.0f triangles on average, %.3g ns each vertex; %.3g ms, at most %.3g (GTX 970: %.2f, "
             "at most "
             "%.2f)",
             vertices / frames, triangles / frames, sum / vertices * 1e9, mean * 1e3, most * 1e3, of->paper_mean,
             of->paper_max);
    end_drawing(&d);
    return b;
}

static int draw_all(const example *of, const bench_crews *crews, bench_result *results) {
    for (int i = 0; i < crews->count; i++) {
        char path[1024];
        rn_scene *scene = NULL;
        results[i] = (bench_result){.median = NAN, .best = NAN, .seconds = NAN, .substeps = NAN, .bytes = NAN};
        if (!library_find(of->scene, path, sizeof path)) {
            snprintf(results[i].note, sizeof results[i].note, "left out: its scene was not found");
            continue;
        }
        bench_must(rn_scene_open(&(rn_scene_def){.path = path, .threads = crews->threads[i]}, &scene));
        results[i] = draw(of, rn_scene_world(scene), crews->threads[i]);
        if (i > 0 && crews->threads[0] == 1) results[i].speedup = results[0].median / results[i].median;
        rn_scene_close(scene);
    }
    return crews->count;
}

int bench_surface_viscosity(const bench_crews *crews, bench_result *results) {
    return draw_all(&(example){"incline", 3.0, 0.43, 0.52}, crews, results);
}

int bench_surface_three_layers(const bench_crews *crews, bench_result *results) {
    return draw_all(&(example){"three-layers", 4.5, 0.37, 0.85}, crews, results);
}

int bench_surface_passages(const bench_crews *crews, bench_result *results) {
    return draw_all(&(example){"passages", 6.0, 0.34, 0.48}, crews, results);
}

int bench_surface_surgery(const bench_crews *crews, bench_result *results) {
    return draw_all(&(example){"vertebra", 3.0, 1.10, 2.11}, crews, results);
}
