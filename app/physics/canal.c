/* The adaptive 1D solver of Lee & O'Sullivan 2007 (canal.h). canal_step() moves mass and momentum across the sides of
   cells with cross_side(), then accelerates the liquid by surface_slope(). */
#include "physics/canal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

canal canal_create(const canal_def *def) {
    const size_t n = (size_t)def->cells;
    double *all = calloc(6 * n + 2, sizeof *all);
    if (!all) {
        fprintf(stderr, "there is not enough memory\n");
        exit(1);
    }
    canal c = {*def, all, all + n, all + 2 * n, all + 3 * n, all + 4 * n, all + 5 * n + 1};
    memcpy(c.size, def->sizes, n * sizeof *all);
    c.def.sizes = c.size;
    double at = 0.0;
    for (size_t i = 0; i < n; i++) {
        c.middle[i] = at + 0.5 * c.size[i];
        at += c.size[i];
    }
    return c;
}

void canal_free(canal *c) { free(c->size); }

/* Returns the slope of field `f` in cell `i` (per m): that of the flatter side, 0 at extrema and in the end cells. */
static double limited_slope(const canal *c, const double *f, int i) {
    if (i == 0 || i == c->def.cells - 1) return 0.0;
    const double back = (f[i] - f[i - 1]) / (c->middle[i] - c->middle[i - 1]),
                 ahead = (f[i + 1] - f[i]) / (c->middle[i + 1] - c->middle[i]);
    return back * ahead > 0.0 ? copysign(fmin(fabs(back), fabs(ahead)), back) : 0.0;
}

/* Sets the mass (m²) and momentum (m³/s) that cross the side between cells i and i + 1 in a step of dt (s), in entry i
   + 1. The edges of packets move with the flow there. Widened packets of a large cell would spill more than those of a
   small neighbour, and water at rest would move; therefore the exchange uses the smaller cell for both. */
static void cross_side(canal *c, int i, double dt) {
    const double a = 0.5 * c->size[i], b = 0.5 * c->size[i + 1], u = (c->u[i] * b + c->u[i + 1] * a) / (a + b);
    const double h_left = c->h[i] + a * limited_slope(c, c->h, i),
                 h_right = c->h[i + 1] - b * limited_slope(c, c->h, i + 1);
    const double u_left = c->u[i] + a * limited_slope(c, c->u, i),
                 u_right = c->u[i + 1] - b * limited_slope(c, c->u, i + 1);
    const double s = c->def.smoothing, k = (s - 1.0) / (2.0 * s * c->def.packets) * 2.0 * fmin(a, b);
    c->mass[i + 1] = dt * u * (u > 0.0 ? h_left : h_right) + k * (h_left - h_right);
    c->momentum[i + 1] =
        dt * u * (u > 0.0 ? h_left * u_left : h_right * u_right) + k * (h_left * u_left - h_right * u_right);
}

/* Returns the depth (m) on the side between cells i and i + 1, interpolated by distance, as velocities are. Each cell
   size then treats pressure and velocity alike, and no wave is reflected. */
static double side_depth(const canal *c, int i) {
    return c->h[i] + (c->h[i + 1] - c->h[i]) * c->size[i] / (c->size[i] + c->size[i + 1]);
}

/* Returns the slope of the surface in cell `i` (m/m), computed as def.by says; at a wall, half the difference to the
   one neighbour. */
static double surface_slope(const canal *c, int i) {
    const int w = i > 0 ? i - 1 : i, e = i < c->def.cells - 1 ? i + 1 : i;
    const double *h = c->h, *size = c->size;
    if (w == i || e == i) return 0.5 * (h[e] - h[w]) / size[i]; /* a wall, as in the paper's listing */
    const double a = c->middle[i] - c->middle[w], b = c->middle[e] - c->middle[i];
    if (c->def.by == CANAL_SIDES) return (side_depth(c, i) - side_depth(c, i - 1)) / size[i];
    if (c->def.by == CANAL_PARABOLA) return (h[e] - h[i]) * a / (b * (a + b)) + (h[i] - h[w]) * b / (a * (a + b));
    return 0.5 * ((h[e] - h[i]) / fmax(size[i], size[e]) + (h[i] - h[w]) / fmax(size[i], size[w]));
}

void canal_step(canal *c, double dt) {
    const int n = c->def.cells;
    for (int i = 0; i + 1 < n; i++) cross_side(c, i, dt);
    for (int i = 0; i < n; i++) {
        const double had = c->h[i] * c->u[i];
        c->h[i] += (c->mass[i] - c->mass[i + 1]) / c->size[i];
        c->u[i] = (had + (c->momentum[i] - c->momentum[i + 1]) / c->size[i]) / c->h[i];
    }
    for (int i = 0; i < n; i++) c->u[i] -= dt * c->def.gravity * surface_slope(c, i);
}

double canal_volume(const canal *c) {
    double sum = 0.0;
    for (int i = 0; i < c->def.cells; i++) sum += c->size[i] * c->h[i];
    return sum;
}

double canal_momentum(const canal *c) {
    double sum = 0.0;
    for (int i = 0; i < c->def.cells; i++) sum += c->size[i] * c->h[i] * c->u[i];
    return sum;
}
