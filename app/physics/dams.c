/* Cases of `runnel validate` about dam breaks in a level canal without friction, against the exact solutions of the
   shallow-water equations (Ritter 1892, Stoker 1957): case_stoker, case_stoker_shock, case_ritter. fill_dam() makes the
   canal; profile_error() compares depths, front_position() finds a front. */
#include "physics/physics.h"

#include <math.h>

enum { COARSE = 200, SHOCK_CELLS = 400, FINE = 1000 };

/* The exact solution, with water of depth `high` left of the dam and `low` right of it. */
typedef struct dam {
    double high, low; /* m */
    double star;      /* m, depth between the rarefaction and the bore; 0 on dry ground */
    double speed;     /* m/s, of the water there */
    double shock;     /* m/s, of the bore; on dry ground, of the front */
} dam;

/* Stoker 1957: returns the speed (m/s) that the rarefaction gives water of depth `star`, minus the speed that the bore
   requires. Depths in m, above 0. */
static double speed_mismatch(double high, double low, double star) {
    double drawn = 2.0 * (sqrt(GRAVITY * high) - sqrt(GRAVITY * star));
    return drawn - (star - low) * sqrt(0.5 * GRAVITY * (star + low) / (star * low));
}

/* Returns the exact solution for depths `high` and `low` (m) beside the dam, by bisection; `low` 0: dry ground. */
static dam make_dam(double high, double low) {
    dam d = {.high = high, .low = low};
    if (low > 0.0) {
        double below = low, above = high;
        for (int i = 0; i < 200; i++) {
            d.star = 0.5 * (below + above);
            if (speed_mismatch(high, low, d.star) > 0.0) below = d.star;
            else above = d.star;
        }
    }
    d.speed = 2.0 * (sqrt(GRAVITY * high) - sqrt(GRAVITY * d.star));
    d.shock = low > 0.0 ? d.star * d.speed / (d.star - low) : d.speed;
    return d;
}

/* Returns the exact depth (m) at xi = x/t from the dam (m/s); Ritter 1892 if the ground ahead is dry. */
static double exact_depth(const dam *d, double xi) {
    const double c = sqrt(GRAVITY * d->high), tail = d->speed - sqrt(GRAVITY * d->star);
    if (xi <= -c) return d->high;
    if (xi >= d->shock) return d->low;
    if (xi >= tail) return d->star;
    double root = (2.0 * c - xi) / 3.0;
    return root * root / GRAVITY;
}

/* Returns the mean exact depth (m) of cell i of a canal of `cells` cells of size `cell` (m), with the dam in its
   middle, at this time (s, above 0). */
static double exact_mean(const dam *d, double i, int cells, double cell, double time) {
    enum { PARTS = 20 };
    double sum = 0.0;
    for (int k = 0; k < PARTS; k++) sum += exact_depth(d, (i + (k + 0.5) / PARTS - 0.5 * cells) * cell / time);
    return sum / PARTS;
}

/* Creates a canal along x of `cells` cells, at most FINE, of size `cell` (m), one cell wide: d->high deep in its first
   half and d->low in the rest, at rest, without anything between. The caller destroys the world. */
static rn_world *fill_dam(const dam *d, int cells, double cell) {
    double depth[FINE];
    for (int i = 0; i < cells; i++) depth[i] = i < cells / 2 ? d->high : d->low;
    rn_world *world = make_world(&(setup){.nx = cells, .ny = 1, .cell = cell, .lid = 2.0 * d->high});
    set_depths(world, depth);
    return world;
}

/* Returns the L1 error of the depths of a canal of `cells` cells of size `cell` (m) at this time (s), in % of the exact
   volume. */
static double profile_error(rn_world *world, const dam *d, int cells, double cell, double time) {
    double error = 0.0, volume = 0.0;
    for (int i = 0; i < cells; i++) {
        const double exact = exact_mean(d, i, cells, cell, time);
        error += fabs(depth_at(world, i, 0) - exact);
        volume += exact;
    }
    return 100.0 * error / volume;
}

/* Returns where the depth falls below `level` (m) for the last time, interpolated between cells (m from the dam). */
static double front_position(rn_world *world, int cells, double cell, double level) {
    int i = cells - 2;
    while (i > 0 && depth_at(world, i, 0) < level) i--;
    const double here = depth_at(world, i, 0), next = depth_at(world, i + 1, 0);
    return (i + 0.5 + (here - level) / (here - next) - 0.5 * cells) * cell;
}

/* Returns the time (s) at which the waves have covered `share` of the way to the end of a canal of this length (m). */
static double end_time(const dam *d, double length, double share) {
    return share * 0.5 * length / fmax(d->shock, sqrt(GRAVITY * d->high));
}

/* Runs the dam break in a canal of this length (m) and returns the L1 error of the depth (%). */
static double stoker_error(const dam *d, int cells, double length) {
    const double cell = length / cells, until = end_time(d, length, 0.8);
    rn_world *world = fill_dam(d, cells, cell);
    rn_world_step(world, until);
    const double error = profile_error(world, d, cells, cell, until);
    rn_world_destroy(world);
    return error;
}

/* Dam breaks onto water against Stoker's solution. measured[0], [1], [2]: L1 error of the depth (%) for 10 m onto 1 m,
   1 m onto 0.1 m and 1 m onto 0.01 m, with 200 cells; [3]: the lowest order of convergence of the three, from 200 to
   1000 cells. */
void case_stoker(double measured[MOST_MEASURES]) {
    static const struct {
        double high, low, length; /* m */
    } dams[] = {{10.0, 1.0, 2000.0}, {1.0, 0.1, 200.0}, {1.0, 0.01, 200.0}};
    measured[3] = INFINITY;
    for (int k = 0; k < 3; k++) {
        const dam d = make_dam(dams[k].high, dams[k].low);
        measured[k] = stoker_error(&d, COARSE, dams[k].length);
        const double order = log(measured[k] / stoker_error(&d, FINE, dams[k].length)) / log((double)FINE / COARSE);
        measured[3] = -worse(-measured[3], -order);
    }
}

/* A dam break of 1 m onto dry ground against Ritter's solution. measured[0]: L1 error of the depth (%); [1]: error of
   the position of the front (%), taken where the depth is a thousandth of the reservoir's, in theory too. */
void case_ritter(double measured[MOST_MEASURES]) {
    const double length = 200.0, cell = length / COARSE, thin = 1e-3;
    const dam d = make_dam(1.0, 0.0);
    const double until = end_time(&d, length, 0.8);
    rn_world *world = fill_dam(&d, COARSE, cell);
    rn_world_step(world, until);
    measured[0] = profile_error(world, &d, COARSE, cell, until);
    const double front = (2.0 * sqrt(GRAVITY * d.high) - 3.0 * sqrt(GRAVITY * thin * d.high)) * until;
    measured[1] = percent(front_position(world, COARSE, cell, thin * d.high), front);
    rn_world_destroy(world);
}

/* Dam breaks of 0.1 m onto water of 0.05 to 0.5 of that depth. measured[0]: the largest error of the speed of the bore
   (%). */
void case_stoker_shock(double measured[MOST_MEASURES]) {
    const double ratios[] = {0.05, 0.1, 0.3, 0.5}, cell = 0.01, high = 0.1;
    measured[0] = 0.0;
    for (int k = 0; k < 4; k++) {
        const dam d = make_dam(high, ratios[k] * high);
        const double until = end_time(&d, SHOCK_CELLS * cell, 0.9), half = 0.5 * (d.star + d.low);
        rn_world *world = fill_dam(&d, SHOCK_CELLS, cell);
        rn_world_step(world, 0.5 * until);
        const double halfway = front_position(world, SHOCK_CELLS, cell, half);
        rn_world_step(world, 0.5 * until);
        const double speed = (front_position(world, SHOCK_CELLS, cell, half) - halfway) / (0.5 * until);
        measured[0] = worse(measured[0], percent(speed, d.shock));
        rn_world_destroy(world);
    }
}
