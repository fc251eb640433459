/* How rows of `runnel bench` measure (bench.h): bench_interleave() runs variants in turn and collects timings;
   bench_speed(), bench_duration() and bench_ratio() turn timings into results. */
#include "bench/bench.h"

#include "common/commands.h"
#include "common/countdown.h"
#include "common/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Measuring ------------------------------------------------------------------------------------------- */

void bench_must(rn_result result) {
    if (result == RN_OK) return;
    countdown_hide();
    complain("runnel bench: %s", rn_last_error());
    exit(EXIT_BAD_INPUT);
}

/* The order is reversed every other round, so that no variant always comes first while the machine slows down. */
void bench_interleave(int variants, int rounds, timed_run run, void *context, timing *timings) {
    for (int v = 0; v < variants; v++) run(context, v);
    for (int i = 0; i < rounds; i++)
        for (int k = 0; k < variants; k++) {
            const int v = i % 2 ? variants - 1 - k : k;
            timings[v].seconds[timings[v].rounds++] = run(context, v);
        }
}

/* Orders doubles, for qsort(). */
static int order_doubles(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double timing_median(const timing *t) {
    timing sorted = *t;
    qsort(sorted.seconds, (size_t)t->rounds, sizeof sorted.seconds[0], order_doubles);
    return 0.5 * (sorted.seconds[(t->rounds - 1) / 2] + sorted.seconds[t->rounds / 2]);
}

double timing_best(const timing *t) {
    double best = INFINITY;
    for (int i = 0; i < t->rounds; i++) best = fmin(best, t->seconds[i]);
    return best;
}

bench_result bench_duration(const rn_world *world, const timing *t, double bytes) {
    return (bench_result){.median = timing_median(t) * 1e3,
                          .best = timing_best(t) * 1e3,
                          .seconds = timing_median(t),
                          .substeps = 1,
                          .bytes = bytes,
                          .columns = rn_world_describe(world).columns};
}

bench_result bench_speed(const rn_world *world, const timing *t) {
    bench_result result = bench_duration(world, t, SUBSTEP_BYTES);
    result.median = (double)result.columns / timing_median(t) * 1e-6;
    result.best = (double)result.columns / timing_best(t) * 1e-6;
    return result;
}

/* Returns the median of the ratios within each round: whatever slows down both variants for a while cancels out. */
double timing_ratio(const timing *t, const timing *against) {
    timing ratios = *t;
    for (int i = 0; i < t->rounds; i++) ratios.seconds[i] /= against->seconds[i];
    return timing_median(&ratios);
}

bench_result bench_ratio(const rn_world *world, const timing *t, const timing *against, double substeps) {
    bench_result result = bench_duration(world, t, ROOFED_SUBSTEP_BYTES);
    result.median = timing_ratio(t, against);
    result.best = timing_best(t) / timing_best(against);
    result.substeps = substeps;
    return result;
}
