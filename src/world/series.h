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

/* Copies points that were checked; NULL: the value is constant. */
rn_result rn_series_create(const rn_hooks *hooks, double constant, const rn_series_point *points, int count,
                           rn_series *series);
void rn_series_free(const rn_hooks *hooks, rn_series *series);

/* The value at a time (s). */
double rn_series_at(const rn_series *series, double time);
/* The integral from one time to another (s), exact. */
double rn_series_integral(const rn_series *series, double from, double to);
/* An upper bound of the value between two times (s); exact if only few points lie between. */
double rn_series_peak(const rn_series *series, double from, double to);

/* The position (m) at a time (s). */
rn_vec3 rn_path_at(const rn_waypoint *path, int count, double time);
/* The horizontal speed (m/s) at a time (s), 0 beyond the ends. *stretch: time (s) from one waypoint to the next. */
double rn_path_speed(const rn_waypoint *path, int count, double time, double *stretch);

#endif
