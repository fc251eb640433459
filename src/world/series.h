/* Values and positions over time, interpolated linearly between points; the first and the last are held. */
#ifndef RN_WORLD_SERIES_H
#define RN_WORLD_SERIES_H

#include <runnel/world.h>

typedef struct rn_series_knot {
    double time, value, sum; /* sum: the integral from the first knot to this one */
} rn_series_knot;

typedef struct rn_series {
    double constant; /* the value if there are no knots */
    int count;
    rn_series_knot *knots;
    double highest;
} rn_series;

/* Creates a series from a copy of `count` points, at least one, which were checked; points NULL: the value is
   `constant` at all times, and it cannot fail. Returns RN_MEMORY, with a message, if memory runs out; then the series
   is constant. The caller frees it with rn_series_free. */
rn_result rn_series_create(const rn_hooks *hooks, double constant, const rn_series_point *points, int count,
                           rn_series *series);
/* Frees the points and sets everything to 0: constant 0. */
void rn_series_free(const rn_hooks *hooks, rn_series *series);

/* The value at a time (s): interpolated, or the first or last one beyond the ends. */
double rn_series_at(const rn_series *series, double time);
/* The integral from one time to another (s), exact but for rounding; value times seconds. */
double rn_series_integral(const rn_series *series, double from, double to);
/* An upper bound of the value between two times (s); exact if no more than 256 points lie between, otherwise the
   highest value of all. */
double rn_series_peak(const rn_series *series, double from, double to);

/* The position (m) on a path of `count` waypoints, at least one, at a time (s), interpolated linearly; the first
   waypoint before the path begins, the last one after it ends. */
rn_vec3 rn_path_at(const rn_waypoint *path, int count, double time);
/* The horizontal speed (m/s) at a time (s), 0 beyond the ends. *stretch: time (s) from the waypoint before to the next,
   0 beyond the ends. */
double rn_path_speed(const rn_waypoint *path, int count, double time, double *stretch);

#endif
