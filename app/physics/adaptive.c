/* The adaptive 1D solver of Lee & O'Sullivan 2007, section 4, in plain loops: cells of two sizes, packets that share
   their edges, and gradients at jumps of resolution from values on the sides, by a parabola as in the paper, or as
   Losasso et al. 2004 have them. */
#include "physics/physics.h"

#include <math.h>

#define PI 3.14159265358979323846

enum { FINE = 700, COARSE = 500, CANAL = FINE + COARSE };

typedef enum gradient { BY_SIDES, BY_PARABOLA, BY_LOSASSO } gradient;

typedef struct canal {
    double size[CANAL], middle[CANAL]; /* m */
    double h[CANAL], u[CANAL];         /* m, m/s */
    gradient by;
} canal;

static const double depth = 1.0, spill = 0.0119; /* m; of s = 1.05 with two packets */
static const double train_length = 96.0;         /* m */

/* Fine cells of 1 m, then coarse ones of 2 m. */
static void lay_out(canal *c) {
    double at = 0.0;
    for (int i = 0; i < CANAL; i++) {
        c->size[i] = i < FINE ? 1.0 : 2.0;
        c->middle[i] = at + 0.5 * c->size[i];
        at += c->size[i];
    }
}

/* The slope of a field in a cell (1/m): 0 at extrema. */
static double slope(const canal *c, const double *f, int i) {
    if (i == 0 || i == CANAL - 1) return 0.0;
    const double back = (f[i] - f[i - 1]) / (c->middle[i] - c->middle[i - 1]),
                 ahead = (f[i + 1] - f[i]) / (c->middle[i + 1] - c->middle[i]);
    return back * ahead > 0.0 ? copysign(fmin(fabs(back), fabs(ahead)), back) : 0.0;
}

/* What goes over the side between a cell and the next in a step, m^2 of depth and with it m^3/s of momentum. The edges
   of packets move with the flow there, and both cells spill alike whatever their sizes. */
static void cross(const canal *c, int i, double dt, double *mass, double *momentum) {
    const double a = 0.5 * c->size[i], b = 0.5 * c->size[i + 1], u = (c->u[i] * b + c->u[i + 1] * a) / (a + b);
    const double h_left = c->h[i] + a * slope(c, c->h, i), h_right = c->h[i + 1] - b * slope(c, c->h, i + 1);
    const double u_left = c->u[i] + a * slope(c, c->u, i), u_right = c->u[i + 1] - b * slope(c, c->u, i + 1);
    const double k = spill * fmin(c->size[i], c->size[i + 1]);
    *mass = dt * u * (u > 0.0 ? h_left : h_right) + k * (h_left - h_right);
    *momentum = dt * u * (u > 0.0 ? h_left * u_left : h_right * u_right) + k * (h_left * u_left - h_right * u_right);
}

/* The depth on the side between a cell and the next, by its distance from both middles: as velocities are taken there.
   So what one size of cells does to a wave the other takes up, and no wave is sent back. */
static double side_depth(const canal *c, int i) {
    return (c->h[i] * c->size[i + 1] + c->h[i + 1] * c->size[i]) / (c->size[i] + c->size[i + 1]);
}

static double surface_slope(const canal *c, int i) {
    const int w = i > 0 ? i - 1 : i, e = i < CANAL - 1 ? i + 1 : i;
    if (w == i || e == i) return 0.5 * (c->h[e] - c->h[w]) / c->size[i]; /* a wall, as the listing has it */
    const double a = c->middle[i] - c->middle[w], b = c->middle[e] - c->middle[i];
    if (c->by == BY_SIDES) return (side_depth(c, i) - side_depth(c, i - 1)) / c->size[i];
    if (c->by == BY_PARABOLA) return (c->h[e] - c->h[i]) * a / (b * (a + b)) + (c->h[i] - c->h[w]) * b / (a * (a + b));
    return 0.5 *
           ((c->h[e] - c->h[i]) / fmax(c->size[i], c->size[e]) + (c->h[i] - c->h[w]) / fmax(c->size[i], c->size[w]));
}

static void step(canal *c, double dt) {
    double mass[CANAL + 1] = {0}, momentum[CANAL + 1] = {0};
    for (int i = 0; i + 1 < CANAL; i++) cross(c, i, dt, &mass[i + 1], &momentum[i + 1]);
    for (int i = 0; i < CANAL; i++) {
        const double had = c->h[i] * c->u[i], before = c->h[i];
        c->h[i] = before + (mass[i] - mass[i + 1]) / c->size[i];
        c->u[i] = (had + (momentum[i] - momentum[i + 1]) / c->size[i]) / c->h[i];
    }
    for (int i = 0; i < CANAL; i++) c->u[i] -= dt * GRAVITY * surface_slope(c, i);
}

/* A train of waves that runs to the right, at a place and time (m, s) from its middle. */
static double train(double x, double wavelength) {
    return 1e-4 * depth * exp(-x * x / (train_length * train_length)) * cos(2.0 * PI * x / wavelength);
}

/* It runs from fine cells into coarse ones: what is left in the fine ones then has come back, in % of its height. */
static double reflected(gradient by, double wavelength) {
    static canal c;
    lay_out(&c);
    c.by = by;
    const double speed = sqrt(GRAVITY * depth), dt = 0.25 / speed, from = FINE - 3.2 * train_length;
    for (int i = 0; i < CANAL; i++) {
        c.h[i] = depth + train(c.middle[i] - from, wavelength);
        c.u[i] = train(c.middle[i] - from - 0.5 * speed * dt, wavelength) * speed / depth; /* half a step ahead */
    }
    double back = 0.0;
    for (int k = 0; k * dt * speed < 7.4 * train_length; k++) step(&c, dt);
    for (int i = 0; i < FINE - 4; i++) back = fmax(back, fabs(c.h[i] - depth));
    return 100.0 * back / (1e-4 * depth);
}

void case_adaptive_1d(double measured[MOST_MEASURES]) {
    double parabola = 0.0, losasso = 0.0;
    measured[0] = 0.0;
    for (int k = 8; k <= 32; k *= 2) {
        measured[0] = worse(measured[0], reflected(BY_SIDES, 2.0 * k));
        parabola = worse(parabola, reflected(BY_PARABOLA, 2.0 * k));
        losasso = worse(losasso, reflected(BY_LOSASSO, 2.0 * k));
    }
    measured[1] = reflected(BY_SIDES, 2.0 * 16);
    measured[2] = losasso / measured[0];
    measured[3] = parabola / measured[0];
}
