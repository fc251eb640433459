/* Case radial of `runnel validate`: a circular dam breaks, with 10 m of water inside a radius of 50 m and no friction.
   The result is compared with the same equations in one dimension (the radius r) on a grid forty times finer:

       d(r h)/dt + d(r h u)/dr = 0,  d(r h u)/dt + d(r (h u^2 + g h^2/2))/dr = g h^2/2.

   The reference, solve_reference(), is second order: limited slopes of h and u, fluxes of Harten, Lax and van Leer, and
   Heun's method. */
#include "physics/physics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RINGS = 4000, CELLS = 200 };

static const double inside = 10.0, dam_radius = 50.0, reach = 100.0, until = 2.0; /* m, m, m, s */
static const double dry = 1e-8;                                                   /* m, shallower is dry */

/* The state of the reference in each ring. */
typedef struct rings {
    double depth[RINGS], flow[RINGS]; /* m, and m^2/s outwards */
} rings;

/* Slopes in rings and fluxes between them. */
typedef struct faces {
    double speed[RINGS], depth_slope[RINGS], speed_slope[RINGS];
    double mass[RINGS + 1], push[RINGS + 1]; /* m^2/s and m^3/s^2 through the inner face of each ring */
} faces;

/* Returns the argument with the smaller magnitude, or 0 if the signs differ. */
static double minmod(double a, double b) { return a * b <= 0.0 ? 0.0 : fabs(a) < fabs(b) ? a : b; }

/* Computes the fluxes of mass (m²/s) and momentum (m³/s²) between two states, left and right (depth in m, speed in
   m/s), from the fastest waves between them (HLL). */
static void hll_flux(double hl, double ul, double hr, double ur, double *mass, double *push) {
    const double cl = sqrt(GRAVITY * hl), cr = sqrt(GRAVITY * hr);
    const double slow = hl < dry ? ur - 2.0 * cr : fmin(ul - cl, ur - cr);
    const double fast = hr < dry ? ul + 2.0 * cl : fmax(ul + cl, ur + cr);
    const double ml = hl * ul, mr = hr * ur;
    const double pl = ml * ul + 0.5 * GRAVITY * hl * hl, pr = mr * ur + 0.5 * GRAVITY * hr * hr;
    if (slow >= 0.0) *mass = ml, *push = pl;
    else if (fast <= 0.0) *mass = mr, *push = pr;
    else {
        *mass = (fast * ml - slow * mr + slow * fast * (hr - hl)) / (fast - slow);
        *push = (fast * pl - slow * pr + slow * fast * (mr - ml)) / (fast - slow);
    }
}

/* Computes the speeds and limited slopes of all rings, and the fluxes through the inner faces of all but the first. The
   slopes of the first and the last ring are not computed and must be 0. */
static void find_fluxes(const rings *r, faces *f) {
    for (int i = 0; i < RINGS; i++) f->speed[i] = r->depth[i] > dry ? r->flow[i] / r->depth[i] : 0.0;
    for (int i = 1; i < RINGS - 1; i++) {
        f->depth_slope[i] = minmod(r->depth[i] - r->depth[i - 1], r->depth[i + 1] - r->depth[i]);
        f->speed_slope[i] = minmod(f->speed[i] - f->speed[i - 1], f->speed[i + 1] - f->speed[i]);
    }
    for (int i = 1; i < RINGS; i++)
        hll_flux(r->depth[i - 1] + 0.5 * f->depth_slope[i - 1], f->speed[i - 1] + 0.5 * f->speed_slope[i - 1],
                 r->depth[i] - 0.5 * f->depth_slope[i], f->speed[i] - 0.5 * f->speed_slope[i], &f->mass[i],
                 &f->push[i]);
}

/* Takes one Euler step of dt (s). The innermost face has no length, and no wave reaches the outermost. `width`: the
   width of a ring (m); `f`: scratch. */
static void euler_step(rings *r, faces *f, double dt, double width) {
    find_fluxes(r, f);
    f->push[RINGS] = 0.5 * GRAVITY * r->depth[RINGS - 1] * r->depth[RINGS - 1];
    for (int i = 0; i < RINGS; i++) {
        const double middle = i + 0.5, h = r->depth[i];
        r->depth[i] = fmax(h - dt / (width * middle) * ((i + 1) * f->mass[i + 1] - i * f->mass[i]), 0.0);
        r->flow[i] -= dt / (width * middle) * ((i + 1) * f->push[i + 1] - i * f->push[i] - 0.5 * GRAVITY * h * h);
    }
}

/* Computes the depth of every ring (m) after 2 s. `outside`: depth outside the dam at first (m). Aborts if memory is
   lacking. */
static void solve_reference(double outside, double depth[RINGS]) {
    const double width = reach / RINGS;
    rings *now = calloc(1, sizeof *now), *before = calloc(1, sizeof *before);
    faces *f = calloc(1, sizeof *f);
    if (!now || !before || !f) abort();
    for (int i = 0; i < RINGS; i++) now->depth[i] = (i + 0.5) * width < dam_radius ? inside : outside;
    for (double time = 0.0; time < until;) {
        double fastest = 0.0;
        for (int i = 0; i < RINGS; i++) {
            const double speed = now->depth[i] > dry ? fabs(now->flow[i] / now->depth[i]) : 0.0;
            fastest = fmax(fastest, speed + sqrt(GRAVITY * now->depth[i]));
        }
        const double dt = fmin(0.4 * width / fastest, until - time);
        *before = *now;
        euler_step(now, f, dt, width);
        euler_step(now, f, dt, width);
        for (int i = 0; i < RINGS; i++) {
            now->depth[i] = 0.5 * (before->depth[i] + now->depth[i]);
            now->flow[i] = 0.5 * (before->flow[i] + now->flow[i]);
        }
        time = time + dt < until ? time + dt : until;
    }
    memcpy(depth, now->depth, sizeof now->depth);
    free(now);
    free(before);
    free(f);
}

/* Returns the mean over cell (x, y) of a depth (m) given by radius; `outside` (m) beyond the last ring. */
static double mean_over_cell(int x, int y, const double depth[RINGS], double outside) {
    enum { PARTS = 8 };
    const double cell = 2.0 * reach / CELLS;
    double sum = 0.0;
    for (int j = 0; j < PARTS; j++)
        for (int i = 0; i < PARTS; i++) {
            const double r = hypot((x + (i + 0.5) / PARTS) * cell - reach, (y + (j + 0.5) / PARTS) * cell - reach);
            const int ring = (int)(r / reach * RINGS);
            sum += ring < RINGS ? depth[ring] : outside;
        }
    return sum / (PARTS * PARTS);
}

/* Runs the dam break onto `outside` (m) of water and returns the L1 error of the depth, in % of the volume of the
   reference, within its reach. Aborts if memory is lacking. */
static double radial_error(double outside) {
    const double cell = 2.0 * reach / CELLS;
    double *reference = calloc(RINGS, sizeof *reference), *depth = calloc((size_t)(CELLS * CELLS), sizeof *depth);
    if (!reference || !depth) abort();
    for (int i = 0; i < RINGS; i++) reference[i] = (i + 0.5) * reach / RINGS < dam_radius ? inside : outside;
    for (int i = 0; i < CELLS * CELLS; i++) depth[i] = mean_over_cell(i % CELLS, i / CELLS, reference, outside);
    rn_world *world = make_world(&(setup){.nx = CELLS, .ny = CELLS, .cell = cell, .lid = 2.0 * inside});
    set_depths(world, depth);
    rn_world_step(world, until);

    solve_reference(outside, reference);
    double error = 0.0, volume = 0.0;
    for (int y = 0; y < CELLS; y++)
        for (int x = 0; x < CELLS; x++) {
            if (hypot((x + 0.5) * cell - reach, (y + 0.5) * cell - reach) > reach - cell) continue;
            const double exact = mean_over_cell(x, y, reference, outside);
            error += fabs(depth_at(world, x, y) - exact);
            volume += exact;
        }
    rn_world_destroy(world);
    free(reference);
    free(depth);
    return 100.0 * error / volume;
}

/* A circular dam breaks, compared with the reference in one dimension. measured[0]: L1 error of the depth onto dry
   ground (%); [1]: onto 1 m of water (%). */
void case_radial(double measured[MOST_MEASURES]) {
    measured[0] = radial_error(0.0);
    measured[1] = radial_error(1.0);
}
