/* Values over time: rates, levels and paths. Interface: world/series.h.

   world/sources.c makes a series for each source and asks for integrals (rates) or values (levels) in every substep,
   and for peaks when the solver looks for the length of its next one; scenes use paths for solids and bodies. Points
   are in ascending order of time, which the caller has checked; a binary search finds the place. Values are
   interpolated linearly between points and constant before the first and after the last. Integrals come from sums
   stored at the points and are exact, so that the volume a source has poured does not depend on the substeps.
   rn_series_peak returns the highest value of all if a span has more than LOOK_AHEAD points: an upper bound is all
   that the solver needs. */
#include "world/series.h"

#include "base/maths.h"
#include "base/memory.h"

enum { LOOK_AHEAD = 256 }; /* most points that a search for the peak visits */

/* The number of points at or before a time (s), by binary search. Points are structs of `size` bytes that begin with
   their time, in ascending order. */
static int points_until(const void *points, size_t size, int count, double time) {
    int low = 0, high = count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (*(const double *)((const char *)points + (size_t)middle * size) <= time) low = middle + 1;
        else high = middle;
    }
    return low;
}

rn_result rn_series_create(const rn_hooks *hooks, double constant, const rn_series_point *points, int count,
                           rn_series *series) {
    *series = (rn_series){.constant = constant, .highest = constant};
    if (!points) return RN_OK;
    series->knots = rn_alloc(hooks, (size_t)count, sizeof *series->knots);
    if (!series->knots) return RN_MEMORY;
    series->count = count;
    series->highest = points[0].value;
    for (int i = 0; i < count; i++) {
        rn_series_knot *knot = &series->knots[i];
        knot->time = points[i].time;
        knot->value = points[i].value;
        if (i > 0) knot->sum = knot[-1].sum + 0.5 * (knot[-1].value + knot->value) * (knot->time - knot[-1].time);
        series->highest = rn_max(series->highest, knot->value);
    }
    return RN_OK;
}

void rn_series_free(const rn_hooks *hooks, rn_series *series) {
    rn_free(hooks, series->knots);
    *series = (rn_series){0};
}

/* The value at `time` (s) of a series with knots, `next` of them until then. */
static double value_at(const rn_series *series, double time, int next) {
    if (next == 0) return series->knots[0].value;
    const rn_series_knot *a = &series->knots[next - 1], *b = a + 1;
    if (next == series->count) return a->value;
    return a->value + (b->value - a->value) * ((time - a->time) / (b->time - a->time));
}

double rn_series_at(const rn_series *series, double time) {
    if (!series->knots) return series->constant;
    return value_at(series, time, points_until(series->knots, sizeof *series->knots, series->count, time));
}

/* The integral from the first knot to `time` (s), with the first value before it, hence of the opposite sign there, and
   the last value after the last knot. The series must have knots. `next`: the number of knots until then. */
static double sum_until(const rn_series *series, double time, int next) {
    const rn_series_knot *a = &series->knots[next > 0 ? next - 1 : 0];
    return a->sum + 0.5 * (a->value + value_at(series, time, next)) * (time - a->time);
}

double rn_series_integral(const rn_series *series, double from, double to) {
    if (!series->knots) return series->constant * (to - from);
    const int next = points_until(series->knots, sizeof *series->knots, series->count, from);
    const bool same = to >= from && (next == series->count || to < series->knots[next].time); /* as in most substeps */
    const int last = same ? next : points_until(series->knots, sizeof *series->knots, series->count, to);
    return sum_until(series, to, last) - sum_until(series, from, next);
}

double rn_series_peak(const rn_series *series, double from, double to) {
    if (!series->knots) return series->constant;
    double peak = rn_max(rn_series_at(series, from), rn_series_at(series, to));
    int first = points_until(series->knots, sizeof *series->knots, series->count, from);
    for (int i = first; i < series->count && series->knots[i].time < to; i++) {
        if (i - first == LOOK_AHEAD) return series->highest;
        peak = rn_max(peak, series->knots[i].value);
    }
    return peak;
}

rn_vec3 rn_path_at(const rn_waypoint *path, int count, double time) {
    int next = points_until(path, sizeof *path, count, time);
    if (next == 0) return path[0].at;
    const rn_waypoint *a = &path[next - 1], *b = a + 1;
    if (next == count) return a->at;
    double share = (time - a->time) / (b->time - a->time);
    return (rn_vec3){a->at.x + share * (b->at.x - a->at.x), a->at.y + share * (b->at.y - a->at.y),
                     a->at.z + share * (b->at.z - a->at.z)};
}

double rn_path_speed(const rn_waypoint *path, int count, double time, double *stretch) {
    int next = points_until(path, sizeof *path, count, time);
    *stretch = 0.0;
    if (next == 0 || next == count) return 0.0;
    const rn_waypoint *a = &path[next - 1], *b = a + 1;
    double dx = b->at.x - a->at.x, dy = b->at.y - a->at.y;
    *stretch = b->time - a->time;
    return sqrt(dx * dx + dy * dy) / *stretch;
}
