/* What advection is for: dam breaks and chutes, against exact solutions of the shallow-water equations. */
#include "physics/physics.h"

#include <math.h>

enum { CELLS = 400 };

/* Water of depth `high` left of the dam, `low` right of it, on level ground without friction. */
typedef struct dam {
    double high, low; /* m */
    double star;      /* m, depth between the rarefaction and the bore; 0 on dry ground */
    double speed;     /* m/s of the water there */
    double shock;     /* m/s of the bore */
} dam;

/* Stoker 1957: the speed that the rarefaction gives the star state less the speed that the bore asks for. */
static double mismatch(double high, double low, double star) {
    double drawn = 2.0 * (sqrt(GRAVITY * high) - sqrt(GRAVITY * star));
    return drawn - (star - low) * sqrt(0.5 * GRAVITY * (star + low) / (star * low));
}

static dam make_dam(double high, double low) {
    dam d = {.high = high, .low = low};
    if (low > 0.0) {
        double below = low, above = high;
        for (int i = 0; i < 200; i++) {
            d.star = 0.5 * (below + above);
            if (mismatch(high, low, d.star) > 0.0) below = d.star;
            else above = d.star;
        }
    }
    d.speed = 2.0 * (sqrt(GRAVITY * high) - sqrt(GRAVITY * d.star));
    d.shock = low > 0.0 ? d.star * d.speed / (d.star - low) : d.speed;
    return d;
}

/* Depth at a place x/t from the dam; Ritter 1892 where it is dry ahead. */
static double exact_depth(const dam *d, double xi) {
    const double c = sqrt(GRAVITY * d->high), tail = d->speed - sqrt(GRAVITY * d->star);
    if (xi <= -c) return d->high;
    if (xi >= d->shock) return d->low;
    if (xi >= tail) return d->star;
    double root = (2.0 * c - xi) / 3.0;
    return root * root / GRAVITY;
}

static rn_world *fill_dam(const dam *d, double cell) {
    double depth[CELLS];
    for (int i = 0; i < CELLS; i++) depth[i] = i < CELLS / 2 ? d->high : d->low;
    rn_world *world = make_world(&(setup){.nx = CELLS, .ny = 1, .cell = cell, .lid = 2.0 * d->high, .advection = true});
    set_depths(world, depth);
    return world;
}

/* Share of the exact profile's volume that lies elsewhere, in %. */
static double profile_error(rn_world *world, const dam *d, double cell, double time) {
    double error = 0.0, volume = 0.0;
    for (int i = 0; i < CELLS; i++) {
        double exact = exact_depth(d, (i + 0.5 - CELLS / 2) * cell / time);
        error += fabs(depth_at(world, i, 0) - exact);
        volume += exact;
    }
    return 100.0 * error / volume;
}

/* Where the depth passes the mean of both sides of the bore (m from the dam). */
static double bore_place(rn_world *world, const dam *d, double cell) {
    const double half = 0.5 * (d->star + d->low);
    int i = CELLS - 1;
    while (i > 0 && depth_at(world, i, 0) < half) i--;
    double here = depth_at(world, i, 0), next = depth_at(world, i + 1, 0);
    return (i + 0.5 + (here - half) / (here - next) - CELLS / 2) * cell;
}

/* The waves then reach nine tenths of the way to the nearer end. */
static double end_time(const dam *d, double cell) {
    return 0.9 * (CELLS / 2) * cell / fmax(d->shock, sqrt(GRAVITY * d->high));
}

void case_stoker(double measured[MOST_MEASURES]) {
    const double ratios[] = {0.05, 0.1, 0.3, 0.5}, cell = 0.01, high = 0.1;
    measured[0] = measured[1] = 0.0;
    for (int k = 0; k < 4; k++) {
        const dam d = make_dam(high, ratios[k] * high);
        const double until = end_time(&d, cell);
        rn_world *world = fill_dam(&d, cell);
        rn_world_step(world, 0.5 * until);
        double halfway = bore_place(world, &d, cell);
        rn_world_step(world, 0.5 * until);
        double speed = (bore_place(world, &d, cell) - halfway) / (0.5 * until);
        measured[0] = worse(measured[0], profile_error(world, &d, cell, until));
        measured[1] = worse(measured[1], 100.0 * fabs(speed / d.shock - 1.0));
        rn_world_destroy(world);
    }
}

void case_ritter(double measured[MOST_MEASURES]) {
    const double cell = 0.01;
    const dam d = make_dam(0.1, 0.0);
    const double until = end_time(&d, cell);
    rn_world *world = fill_dam(&d, cell);
    rn_world_step(world, until);
    measured[0] = profile_error(world, &d, cell, until);
    rn_world_destroy(world);
}

/* A thin stream without drag down a chute of slope S: u du/dx = gS/(1 + S^2), so it gains speed with the way it has
   come, however long it runs. */
static double chute_error(double S) {
    enum { N = 200, FROM = 60, TO = 180 };
    const double cell = 0.01, rate = 1e-3 * cell;
    double heights[N];
    for (int i = 0; i < N; i++) heights[i] = S * cell * (N - 1 - i);
    rn_world *world = make_world(&(setup){.nx = N,
                                          .ny = 1,
                                          .cell = cell,
                                          .heights = heights,
                                          .lid = S * cell * N + 0.2,
                                          .open_east = true,
                                          .advection = true});
    rn_world_pour(world, (rn_vec3){0.5 * cell, 0.5 * cell, S * cell * N}, 0.0, rate);
    rn_world_step(world, 20.0);
    rn_view d = rn_world_view(world, RN_FIELD_DEPTH), f = rn_world_view(world, RN_FIELD_FLUX_X);
    double from = f.data[FROM] / (0.5 * cell * (d.data[FROM] + d.data[FROM + 1])),
           to = f.data[TO] / (0.5 * cell * (d.data[TO] + d.data[TO + 1]));
    rn_world_destroy(world);
    return 100.0 * fabs(to / sqrt(from * from + 2.0 * GRAVITY * S * (TO - FROM) * cell / (1.0 + S * S)) - 1.0);
}

void case_chute(double measured[MOST_MEASURES]) {
    measured[0] = worse(chute_error(0.1), worse(chute_error(0.5), chute_error(3.0)));
}
