/* Row contact of `runnel bench`: what a wet column costs in a substep with dynamic contact, and how many more substeps
   there are. */
#include "bench/bench.h"
#include "common/progress.h"

#include <math.h>
#include <stdio.h>

enum { DYNAMIC, STATIC, VARIANTS, CONTACT_ROUNDS = 5, CONTACT_FRAMES = 60 };

/* Columns of the world that hold liquid. */
static int64_t wet_columns(rn_world *world) {
    const rn_view depth = rn_world_view(world, RN_FIELD_DEPTH);
    int64_t wet = 0;
    for (int y = 0; y < depth.cells_y; y++)
        for (int x = 0; x < depth.cells_x; x++) wet += depth.data[y * depth.row_stride + x] > 0.0f;
    return wet;
}

/* The same liquid with dynamic and with static contact. */
typedef struct contact_run {
    rn_world *worlds[VARIANTS];
    double substeps[VARIANTS];                 /* in all frames */
    double wet[VARIANTS];                      /* columns, mean of all frames */
    double shortest[VARIANTS][CONTACT_FRAMES]; /* s, of each frame in all rounds */
    int threads;
} contact_run;

/* Creates a world of water on rough ground that slopes. */
static rn_world *make_world(int variant, int threads) {
    rn_world_def def = rn_world_default();
    def.threads = threads;
    def.contact = variant == DYNAMIC ? RN_CONTACT_DYNAMIC : RN_CONTACT_STATIC;
    def.gravity = (rn_vec3){2.0, 1.0, -9.5};
    def.liquid = rn_liquid_water();
    bench_must(rn_liquid_on("plastic", &def.liquid) ? RN_OK : RN_INVALID);
    return bench_on_rolling(200, 5e-4, 0.001, &def);
}

/* Takes a frame of 1/60 s and returns how long it took (s). */
static double time_frame(contact_run *run, int variant, int frame) {
    rn_world *world = run->worlds[variant];
    const double start = clock_now();
    bench_must(rn_world_step(world, 1.0 / 60.0));
    const double seconds = clock_now() - start;
    run->shortest[variant][frame] = fmin(run->shortest[variant][frame], seconds);
    run->wet[variant] += (double)wet_columns(world) / CONTACT_FRAMES;
    return seconds;
}

/* The time (s) per wet column and substep, given that of all frames. */
static double per_column(const contact_run *run, int variant, double seconds) {
    return seconds / (run->substeps[variant] * run->wet[variant]);
}

/* Destroys the worlds of the last round, and times 60 frames of new ones. The variants alternate from frame to frame,
   so that whatever else runs on the machine slows down both. Appends a time per wet column and substep to each
   timing. */
static void run_round(contact_run *run, timing timings[VARIANTS]) {
    double seconds[VARIANTS] = {0.0, 0.0};
    for (int v = 0; v < VARIANTS; v++) {
        rn_world_destroy(run->worlds[v]);
        run->worlds[v] = make_world(v, run->threads);
        run->wet[v] = 0.0;
    }
    for (int frame = 0; frame < CONTACT_FRAMES; frame++)
        for (int v = 0; v < VARIANTS; v++) seconds[v] += time_frame(run, v, frame);
    for (int v = 0; v < VARIANTS; v++) {
        run->substeps[v] = (double)rn_world_get_stats(run->worlds[v]).steps;
        timings[v].seconds[timings[v].rounds++] = per_column(run, v, seconds[v]);
    }
}

/* The time (s) per wet column and substep, from the shortest of each frame in all rounds. */
static double shortest_of(const contact_run *run, int variant) {
    double seconds = 0.0;
    for (int frame = 0; frame < CONTACT_FRAMES; frame++) seconds += run->shortest[variant][frame];
    return per_column(run, variant, seconds);
}

bench_result bench_contact(int threads) {
    contact_run run = {.threads = threads};
    timing t[VARIANTS] = {{.rounds = 0}};
    for (int v = 0; v < VARIANTS; v++)
        for (int frame = 0; frame < CONTACT_FRAMES; frame++) run.shortest[v][frame] = INFINITY;
    for (int round = 0; round < CONTACT_ROUNDS; round++) run_round(&run, t);
    const double best[VARIANTS] = {shortest_of(&run, DYNAMIC), shortest_of(&run, STATIC)};
    bench_result result = bench_ratio(run.worlds[DYNAMIC], &t[DYNAMIC], &t[STATIC], 1.0);
    result.best = best[DYNAMIC] / best[STATIC];
    result.seconds = timing_median(&t[DYNAMIC]) * run.wet[DYNAMIC];
    result.columns = (int64_t)run.wet[DYNAMIC];
    result.bytes = NAN;
    snprintf(result.note, sizeof result.note,
             "best: %.0f ns, against %.0f; %.2f times as many substeps; %.0f wet columns, against %.0f",
             best[DYNAMIC] * 1e9, best[STATIC] * 1e9, run.substeps[DYNAMIC] / run.substeps[STATIC], run.wet[DYNAMIC],
             run.wet[STATIC]);
    for (int v = 0; v < VARIANTS; v++) rn_world_destroy(run.worlds[v]);
    return result;
}
