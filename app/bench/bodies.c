/* Measures row bodies-raster of `runnel bench`: how long it takes to find which parts of cells 100 falling balls cover.
   Entry point: bench_bodies_raster(). bodies-256 and bodies-512 are in splash.c. */
#include "base/threads.h"
#include "bench/bench.h"
#include "bodies/raster.h"
#include "bodies/shape.h"
#include "common/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BODIES = 100, CELLS = 200, PASSES = 10, ROUNDS = 15 };

enum { MOST_WORKERS = 1024 };

/* Buffers of one thread, for one body at a time. */
typedef struct raster_buffers {
    double *placed; /* vertices of the shape at its pose */
    rn_share_change *scratch;
    size_t room; /* entries in `scratch` */
} raster_buffers;

/* All bodies and, for each, where its last pose changes the covered share of cells. */
typedef struct falling {
    rn_pool *pool;
    rn_shape *shape;
    rn_pose pose[BODIES];
    rn_share_changes changes[BODIES];
    bool failed[BODIES];
    raster_buffers desks[MOST_WORKERS];
} falling;

/* Creates a ball 5.5 m across with 1,000 triangles: the hull of points spread evenly by the golden angle. Returns NULL,
   with a reason in rn_last_error(), if that fails; the caller destroys the shape. */
static rn_shape *make_ball(void) {
    enum { POINTS = 502 };
    float at[3 * POINTS];
    for (int i = 0; i < POINTS; i++) {
        const double z = 1 - (2 * i + 1.0) / POINTS, r = sqrt(1 - z * z), turn = 2.399963229728653 * i;
        at[3 * i] = (float)(2.75 * r * cos(turn));
        at[3 * i + 1] = (float)(2.75 * r * sin(turn));
        at[3 * i + 2] = (float)(2.75 * z);
    }
    return rn_shape_hull(at, POINTS);
}

static const rn_raster_grid grid = {.cell = 1, .nx = CELLS, .ny = CELLS};

/* Rasterises body `i` at its pose into f->changes[i] and sorts the changes; earlier entries are replaced. `d`: buffers
   of this thread, allocated or enlarged here and freed by bench_bodies_raster(). Returns false, and prints nothing, if
   memory is lacking. */
static bool rasterise_body(falling *f, int i, raster_buffers *d) {
    rn_share_changes *changes = &f->changes[i];
    if (!d->placed) d->placed = malloc(3 * f->shape->info.vertex_count * sizeof *d->placed);
    if (!d->placed) return false;
    rn_raster_place(f->shape, f->pose[i].at, f->pose[i].turn, d->placed);
    changes->count = 0;
    if (!rn_raster_cells(&grid, f->shape, d->placed, NULL, changes)) return false;
    if (changes->count > d->room) {
        free(d->scratch);
        d->room = changes->capacity;
        d->scratch = malloc(d->room * sizeof *d->scratch);
        if (!d->scratch) return false;
    }
    rn_share_changes_sort(changes, d->scratch);
    return true;
}

/* A task over bodies: rasterises them and sets their `failed`; `worker` selects the buffers. */
static void rasterise_range(void *context, int begin, int end, int worker) {
    falling *f = context;
    for (int i = begin; i < end; i++) f->failed[i] = !rasterise_body(f, i, &f->desks[worker]);
}

/* Moves, turns and rasterises all bodies PASSES times, from where the last run left them. Returns the duration of a
   pass (s). Exits if memory ran out. `variant`: unused, because there is only one. */
static double time_raster(void *context, int variant) {
    (void)variant;
    falling *f = context;
    const double start = clock_now();
    for (int pass = 0; pass < PASSES; pass++) {
        for (int i = 0; i < BODIES; i++) {
            rn_pose *p = &f->pose[i];
            p->at.x += 0.013 * (i % 7);
            p->at.z -= 0.021;
            p->turn.x += 0.01;
        }
        rn_parallel_for(f->pool, BODIES, rasterise_range, f);
    }
    for (int i = 0; i < BODIES; i++) {
        if (f->failed[i]) bench_must(RN_MEMORY);
    }
    return (clock_now() - start) / PASSES;
}

/* Measures row bodies-raster: 100 balls of 1000 triangles, 5.5 cells across. The bar is for two threads; for one it is
   4 ms. */
bench_result bench_bodies_raster(int threads) {
    falling *f = calloc(1, sizeof *f);
    if (!f) bench_must(RN_MEMORY);
    f->pool = rn_pool_create(NULL, threads);
    f->shape = make_ball();
    if (!f->pool || !f->shape) bench_must(RN_MEMORY);
    for (int i = 0; i < BODIES; i++) {
        f->pose[i] = (rn_pose){.at = {10 + 16.3 * (i % 10), 10 + 18.7 * (i / 10), 50}, .turn = {0, 0.1 * i, 0.3, 1}};
    }
    timing t = {.rounds = 0};
    bench_interleave(1, ROUNDS, time_raster, f, &t);
    size_t changes = 0;
    for (int i = 0; i < BODIES; i++) {
        changes += f->changes[i].count;
        rn_free(NULL, f->changes[i].list);
    }
    for (int i = 0; i < MOST_WORKERS; i++) {
        free(f->desks[i].placed);
        free(f->desks[i].scratch);
    }
    bench_result b = {.median = timing_median(&t) * 1e3,
                      .best = timing_best(&t) * 1e3,
                      .seconds = timing_median(&t),
                      .substeps = NAN,
                      .bytes = NAN,
                      .columns = CELLS * CELLS,
                      .bar = rn_pool_size(f->pool) == 1 ? 4 : 0};
    const double triangles = BODIES * (double)f->shape->info.triangle_count;
    snprintf(b.note, sizeof b.note, "%.0f triangles, %zu changes of share: %.3g ns per triangle", triangles, changes,
             b.seconds * 1e9 / triangles);
    rn_pool_destroy(f->pool);
    rn_shape_destroy(f->shape);
    free(f);
    return b;
}
