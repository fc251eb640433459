/* Cases ridge_30 and ridge_60 of `runnel validate`: a ridge of blood is released on an incline. released_ridge() runs
   it in a world, reference_ridge() solves the shallow-water equations along the slope on a fine grid, compare_ridges()
   compares both. */
#include "physics/physics.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

static const double length = 0.3, middle = 0.06, half_width = 0.012,
                    height = 4e-3;                    /* m, lengths horizontal, height vertical */
static const double viscosity = 4e-6, friction = 0.5; /* m^2/s, omega */
static const double film_depth = 5e-5; /* m, normal to the bed; where the depth falls below it is the front */

/* Returns the initial vertical depth at x (m): a parabola; 0 outside the ridge. */
static double first_depth(double x) {
    const double r = (x - middle) / half_width;
    return fmax(height * (1.0 - r * r), 0.0);
}

/* Horizontal distance of the front from the initial middle of the ridge, and the greatest vertical depth (m). */
typedef struct ridge {
    double front, peak;
} ridge;

/* ---- The reference --------------------------------------------------------------------------------------------------

   Second-order finite volumes (limited slopes of depth and speed, HLL, Heun's two stages) in coordinates along the
   slope and normal to it, in double precision. Drag is applied implicitly at the end of each stage. */

enum { FINE = 6000 };

/* The state of the reference. */
typedef struct slope {
    double h[FINE], q[FINE];               /* m, m^2/s */
    double u[FINE];                        /* m/s */
    double mass[FINE + 1], push[FINE + 1]; /* through faces */
    double ds, along, normal;              /* m; m/s^2, gravity along the slope and normal to it */
} slope;

/* Returns the argument with the smaller magnitude, or 0 if the signs differ (minmod). */
static double minmod(double a, double b) { return a * b <= 0.0 ? 0.0 : fabs(a) < fabs(b) ? a : b; }

/* Returns half the limited difference of v across cell i; 0 at the ends. `v`: one value for each of FINE cells. */
static double half_slope(const double *v, int i) {
    return i == 0 || i == FINE - 1 ? 0.0 : 0.5 * minmod(v[i] - v[i - 1], v[i + 1] - v[i]);
}

/* Computes the HLL fluxes of mass (m²/s) and momentum (m³/s²) through a face between two states, with the wave speeds
   of a dam break if one side is dry, and stores it in s->mass and s->push of that face. Depths in m, speeds in m/s. */
static void store_flux(slope *s, int face, double hl, double ul, double hr, double ur) {
    const double dry = 1e-9, g = s->normal, cl = sqrt(g * hl), cr = sqrt(g * hr);
    double west = fmin(ul - cl, ur - cr), east = fmax(ul + cl, ur + cr);
    if (hr < dry) west = ul - cl, east = ul + 2.0 * cl;
    if (hl < dry) west = ur - 2.0 * cr, east = ur + cr;
    const double ql = hl * ul, qr = hr * ur, pl = ql * ul + 0.5 * g * hl * hl, pr = qr * ur + 0.5 * g * hr * hr;
    if (hl < dry && hr < dry) s->mass[face] = s->push[face] = 0.0;
    else if (west >= 0.0) s->mass[face] = ql, s->push[face] = pl;
    else if (east <= 0.0) s->mass[face] = qr, s->push[face] = pr;
    else {
        s->mass[face] = (east * ql - west * qr + west * east * (hr - hl)) / (east - west);
        s->push[face] = (east * pl - west * pr + west * east * (qr - ql)) / (east - west);
    }
}

/* Returns the depth that the drag of cell i uses (m). The nose of a film is steep, h^3 falls linearly to 0, and no grid
   resolves it. With its own mean depth, a nose cell that was just wetted would stick to the bed and the ridge would
   pile up behind it: by 30 % at 60 degrees on 3,000 cells, less on more. With the greatest depth of the cell and its
   neighbours, 3,000 cells are within 1 %. */
static double depth_for_drag(const slope *s, int i) {
    const double before = i > 0 ? s->h[i - 1] : 0.0, after = i < FINE - 1 ? s->h[i + 1] : 0.0;
    return fmax(s->h[i], fmax(before, after));
}

/* Takes one Euler stage of `dt` seconds, with drag applied implicitly at its end; nothing passes the ends. Cells
   shallower than 1 nm stop. */
static void euler_stage(slope *s, double dt) {
    const double dry = 1e-9, kappa = -log(friction);
    for (int i = 0; i < FINE; i++) s->u[i] = s->h[i] > dry ? s->q[i] / s->h[i] : 0.0;
    s->mass[0] = s->mass[FINE] = s->push[0] = s->push[FINE] = 0.0;
    for (int i = 0; i < FINE - 1; i++)
        store_flux(s, i + 1, s->h[i] + half_slope(s->h, i), s->u[i] + half_slope(s->u, i),
                   s->h[i + 1] - half_slope(s->h, i + 1), s->u[i + 1] - half_slope(s->u, i + 1));
    for (int i = 0; i < FINE; i++) {
        s->q[i] += dt * (s->along * s->h[i] - (s->push[i + 1] - s->push[i]) / s->ds);
        s->h[i] = fmax(s->h[i] - dt / s->ds * (s->mass[i + 1] - s->mass[i]), 0.0);
    }
    for (int i = 0; i < FINE; i++) {
        const double h = depth_for_drag(s, i);
        if (s->h[i] > dry) s->q[i] /= 1.0 + dt * (kappa + 3.0 * viscosity / (h * h));
        else s->q[i] = 0.0;
    }
}

/* Returns the longest stable step (s) of the reference in its present state. */
static double stable_step(const slope *s) {
    double fastest = 1e-3;
    for (int i = 0; i < FINE; i++)
        if (s->h[i] > 1e-7) fastest = fmax(fastest, fabs(s->q[i]) / s->h[i] + sqrt(s->normal * s->h[i]));
    return 0.4 * s->ds / fastest;
}

/* Solves the reference on a slope in degrees and returns its front and peak after this time (s). Aborts if memory is
   lacking. */
static ridge reference_ridge(double degrees, double seconds) {
    const double angle = degrees * PI / 180.0, c = cos(angle);
    slope *s = calloc(1, sizeof *s);
    double *h = calloc(2 * FINE, sizeof *h), *q = h ? h + FINE : NULL;
    if (!s || !h) abort();
    s->ds = length / c / FINE;
    s->along = GRAVITY * sin(angle);
    s->normal = GRAVITY * c;
    for (int i = 0; i < FINE; i++) s->h[i] = first_depth((i + 0.5) * s->ds * c) * c;
    for (double time = 0.0, dt; time < seconds; time += dt) {
        dt = fmin(stable_step(s), seconds - time);
        for (int i = 0; i < FINE; i++) h[i] = s->h[i], q[i] = s->q[i];
        euler_stage(s, dt);
        euler_stage(s, dt);
        for (int i = 0; i < FINE; i++) {
            s->h[i] = 0.5 * (s->h[i] + h[i]);
            s->q[i] = 0.5 * (s->q[i] + q[i]);
        }
    }
    ridge found = {0};
    for (int i = 0; i < FINE; i++) {
        if (s->h[i] > film_depth) found.front = (i + 1) * s->ds * c - middle;
        found.peak = fmax(found.peak, s->h[i] / c);
    }
    free(s);
    free(h);
    return found;
}

/* ---- The world -------------------------------------------------------------------------------------------------- */

/* Runs the ridge in a world on a slope in degrees and returns its front and peak after this time (s). */
static ridge released_ridge(double degrees, double seconds) {
    enum { N = 600 };
    const double cell = length / N, angle = degrees * PI / 180.0;
    double heights[N], depths[N];
    for (int i = 0; i < N; i++) {
        heights[i] = tan(angle) * cell * (N - 1 - i);
        depths[i] = first_depth((i + 0.5) * cell);
    }
    rn_world *world = make_world(&(setup){.nx = N,
                                          .ny = 1,
                                          .cell = cell,
                                          .heights = heights,
                                          .lid = tan(angle) * length + 4.0 * height,
                                          .viscosity = viscosity,
                                          .friction = friction,
                                          .open_east = true});
    set_depths(world, depths);
    for (int i = 0; i < 60; i++) rn_world_step(world, seconds / 60.0);
    ridge found = {0};
    for (int i = 0; i < N; i++) {
        const double depth = depth_at(world, i, 0);
        if (depth * cos(angle) > film_depth) found.front = (i + 1) * cell - middle;
        found.peak = fmax(found.peak, depth);
    }
    rn_world_destroy(world);
    return found;
}

/* Runs both on a slope in degrees for this time (s). Raises measured[0] to the error of the front (%), and measured[1]
   to that of the peak (%). */
static void compare_ridges(double degrees, double seconds, double measured[MOST_MEASURES]) {
    const ridge exact = reference_ridge(degrees, seconds), found = released_ridge(degrees, seconds);
    measured[0] = worse(measured[0], percent(found.front, exact.front));
    measured[1] = worse(measured[1], percent(found.peak, exact.peak));
}

/* A ridge of blood on 30 degrees, compared with the reference after 0.12 s and 0.25 s. measured[0]: the largest error
   of the front (%); [1]: that of the height (%). */
void case_ridge_30(double measured[MOST_MEASURES]) {
    measured[0] = measured[1] = 0.0;
    compare_ridges(30.0, 0.12, measured);
    compare_ridges(30.0, 0.25, measured);
}

/* A ridge of blood on 60 degrees, compared with the reference after 0.15 s. measured[0]: the error of the front (%);
   [1]: that of the height (%). */
void case_ridge_60(double measured[MOST_MEASURES]) {
    measured[0] = measured[1] = 0.0;
    compare_ridges(60.0, 0.15, measured);
}
