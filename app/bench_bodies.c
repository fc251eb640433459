/* Rows of `runnel bench`: rigid bodies. */
#include "base/threads.h"
#include "bench.h"
#include "bodies/raster.h"
#include "bodies/shape.h"
#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BODIES = 100, CELLS = 200, PASSES = 10, ROUNDS = 15 };

typedef struct falling {
    rn_pool *pool;
    rn_shape *shape;
    rn_pose pose[BODIES];
    double *placed[BODIES];
    rn_steps steps[BODIES];
    rn_step_up *scratch[BODIES];
    size_t room[BODIES]; /* of the scratch */
    bool failed[BODIES];
} falling;

static const rn_raster_grid grid = {.cell = 1, .nx = CELLS, .ny = CELLS};

static void see(void *context, int begin, int end, int worker) {
    (void)worker;
    falling *f = context;
    for (int i = begin; i < end; i++) {
        rn_steps *steps = &f->steps[i];
        rn_raster_place(f->shape, f->pose[i].at, f->pose[i].turn, f->placed[i]);
        steps->count = 0;
        f->failed[i] = !rn_raster_cells(&grid, f->shape, f->placed[i], NULL, steps);
        if (steps->count > f->room[i]) {
            free(f->scratch[i]);
            f->room[i] = steps->capacity;
            f->scratch[i] = malloc(f->room[i] * sizeof *f->scratch[i]);
            f->failed[i] |= !f->scratch[i];
        }
        if (!f->failed[i]) rn_steps_sort(steps, f->scratch[i]);
    }
}

static double run(void *context, int variant) {
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
        rn_parallel_for(f->pool, BODIES, see, f);
    }
    for (int i = 0; i < BODIES; i++) {
        if (f->failed[i]) bench_must(RN_MEMORY);
    }
    return (clock_now() - start) / PASSES;
}

bench_result bench_bodies_raster(int threads) {
    falling *f = calloc(1, sizeof *f);
    if (!f) bench_must(RN_MEMORY);
    f->pool = rn_pool_create(NULL, threads);
    f->shape = rn_shape_capsule(2, 1.5);
    if (!f->pool || !f->shape) bench_must(RN_MEMORY);
    for (int i = 0; i < BODIES; i++) {
        f->pose[i] = (rn_pose){.at = {10 + 16.3 * (i % 10), 10 + 18.7 * (i / 10), 50}, .turn = {0, 0.1 * i, 0.3, 1}};
        f->placed[i] = malloc(3 * f->shape->info.vertex_count * sizeof *f->placed[i]);
        if (!f->placed[i]) bench_must(RN_MEMORY);
    }
    timing t = {.rounds = 0};
    bench_interleave(1, ROUNDS, run, f, &t);
    size_t steps = 0;
    for (int i = 0; i < BODIES; i++) {
        steps += f->steps[i].count;
        rn_free(NULL, f->steps[i].list);
        free(f->placed[i]);
        free(f->scratch[i]);
    }
    bench_result b = {.median = timing_median(&t) * 1e3,
                      .best = timing_best(&t) * 1e3,
                      .seconds = timing_median(&t),
                      .substeps = NAN,
                      .bytes = NAN,
                      .columns = CELLS * CELLS,
                      .bar = rn_pool_size(f->pool) == 1 ? 4 : 0};
    const double triangles = BODIES * (double)f->shape->info.triangle_count;
    snprintf(b.note, sizeof b.note, "%.0f triangles, %zu steps: %.3g ns for each triangle", triangles, steps,
             b.seconds * 1e9 / triangles);
    rn_pool_destroy(f->pool);
    rn_shape_destroy(f->shape);
    free(f);
    return b;
}
