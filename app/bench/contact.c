/* Row contact of `runnel bench`: what a wet column costs in a substep with dynamic contact, and how many more substeps
   there are. */
#include "bench/bench.h"
#include "common/progress.h"

#include <math.h>
#include <stdio.h>

enum { CONTACT_FRAMES = 60 };

/* Columns of the world that hold liquid. */
static int64_t wet_columns(rn_world *world) {
    const rn_view depth = rn_world_view(world, RN_FIELD_DEPTH);
    int64_t wet = 0;
    for (int y = 0; y < depth.cells_y; y++)
        for (int x = 0; x < depth.cells_x; x++) wet += depth.data[y * depth.row_stride + x] > 0.0f;
    return wet;
}

typedef struct contact_run {
    rn_world *world;    /* of the last run */
    double substeps[2]; /* in all frames: with dynamic contact, and without */
    double wet[2];      /* columns, mean of all frames */
    int threads;
} contact_run;

/* Pours water over rough ground that slopes, and times 60 frames of 1/60 s, with dynamic contact (variant 0) or static
   contact (1). Destroys the world of the last run. Returns the time (s) per wet column and substep. */
static double time_contact(void *context, int variant) {
    contact_run *run = context;
    rn_world_destroy(run->world);
    rn_world_def def = rn_world_default();
    def.threads = run->threads;
    def.contact = variant == 0 ? RN_CONTACT_DYNAMIC : RN_CONTACT_STATIC;
    def.gravity = (rn_vec3){2.0, 1.0, -9.5};
    def.liquid = rn_liquid_water();
    bench_must(rn_liquid_on("plastic", &def.liquid) ? RN_OK : RN_INVALID);
    run->world = bench_on_rolling(200, 5e-4, 0.001, &def);
    double seconds = 0.0, wet = 0.0;
    for (int i = 0; i < CONTACT_FRAMES; i++) {
        const double start = clock_now();
        bench_must(rn_world_step(run->world, 1.0 / 60.0));
        seconds += clock_now() - start;
        wet += (double)wet_columns(run->world) / CONTACT_FRAMES;
    }
    run->substeps[variant] = (double)rn_world_get_stats(run->world).steps;
    run->wet[variant] = wet;
    return seconds / (run->substeps[variant] * wet);
}

bench_result bench_contact(int threads) {
    contact_run run = {.threads = threads};
    timing t[2] = {{.rounds = 0}};
    bench_interleave(2, 5, time_contact, &run, t);
    bench_result result = bench_ratio(run.world, &t[0], &t[1], 1.0);
    result.seconds = timing_median(&t[0]) * run.wet[0];
    result.columns = (int64_t)run.wet[0];
    result.bytes = NAN;
    snprintf(result.note, sizeof result.note,
             "%.0f ns, against %.0f; %.2f times as many substeps; %.0f wet columns, against %.0f",
             timing_median(&t[0]) * 1e9, timing_median(&t[1]) * 1e9, run.substeps[0] / run.substeps[1], run.wet[0],
             run.wet[1]);
    rn_world_destroy(run.world);
    return result;
}
