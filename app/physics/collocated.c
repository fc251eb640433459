/* Methods for shallow water on one square of cells (collocated.h). lab_step() moves depth and velocity (carry_packets()
   or carry_back()), filters them (blur_all()), and accelerates the liquid by one of the push_... functions. */
#include "physics/collocated.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PACKETS = 2 };

lab lab_create(const lab_def *def) {
    const size_t cells = (size_t)def->cells * (size_t)def->cells;
    double *all = calloc(6 * cells, sizeof *all);
    if (!all) {
        fprintf(stderr, "there is not enough memory\n");
        exit(1);
    }
    return (lab){*def, all, all + cells, all + 2 * cells, all + 3 * cells, all + 4 * cells, all + 5 * cells};
}

void lab_free(lab *l) { free(l->h); }

/* Returns the index of a cell along one axis: wrapped around if periodic, at most once, otherwise clamped. */
static int wrap_index(const lab *l, int at) {
    const int n = l->def.cells;
    if (l->def.periodic) return at < 0 ? at + n : at >= n ? at - n : at; /* never more than one period away */
    return at < 0 ? 0 : at >= n ? n - 1 : at;
}

/* Returns the value of field `f` in cell (x, y). Beyond a wall it is that of the nearest cell, multiplied by the mirror
   sign of that axis: 1, -1, or 0 for none. */
static double value_at(const lab *l, const double *f, int x, int y, double mirror_x, double mirror_y) {
    const int n = l->def.cells;
    double sign = 1.0;
    if (!l->def.periodic && (x < 0 || x >= n)) sign *= mirror_x;
    if (!l->def.periodic && (y < 0 || y >= n)) sign *= mirror_y;
    return sign * f[wrap_index(l, y) * n + wrap_index(l, x)];
}

/* Returns the value of a field at (px, py), in cells, interpolated bilinearly between its values at whole numbers.
   Mirror signs: as for value_at(). */
static double interpolate(const lab *l, const double *f, double px, double py, double mirror_x, double mirror_y) {
    const int x = (int)floor(px), y = (int)floor(py);
    const double a = px - x, b = py - y;
    return (1 - b) *
               ((1 - a) * value_at(l, f, x, y, mirror_x, mirror_y) + a * value_at(l, f, x + 1, y, mirror_x, mirror_y)) +
           b * ((1 - a) * value_at(l, f, x, y + 1, mirror_x, mirror_y) +
                a * value_at(l, f, x + 1, y + 1, mirror_x, mirror_y));
}

/* Returns the velocity along x (m/s) at (px, py), in cells from the corner of the domain, interpolated; it is mirrored
   at walls. */
static double speed_x(const lab *l, double px, double py) {
    return interpolate(l, l->u, l->def.staggered ? px : px - 0.5, py - 0.5, -1.0, 1.0);
}
/* Returns the velocity along y (m/s) at (px, py), in cells from the corner of the domain, interpolated; it is mirrored
   at walls. */
static double speed_y(const lab *l, double px, double py) {
    return interpolate(l, l->v, px - 0.5, l->def.staggered ? py : py - 0.5, 1.0, -1.0);
}

void lab_velocity(const lab *l, int x, int y, double out[2]) {
    out[0] = speed_x(l, x + 0.5, y + 0.5);
    out[1] = speed_y(l, x + 0.5, y + 0.5);
}

/* ---- Transport -------------------------------------------------------------------------------------------------- */

/* Copies the scratch fields h1, u1 and v1 to the state h, u and v. */
static void copy_scratch(lab *l) {
    const size_t bytes = (size_t)l->def.cells * (size_t)l->def.cells * sizeof(double);
    memcpy(l->h, l->h1, bytes);
    memcpy(l->u, l->u1, bytes);
    memcpy(l->v, l->v1, bytes);
}

/* Moves (px, py), in cells, to where the liquid there was a step ago, by the midpoint method; walls keep it inside.
   `lambda`: dt / cell. */
static void trace_back(const lab *l, double lambda, double *px, double *py) {
    const double mx = *px - 0.5 * lambda * speed_x(l, *px, *py), my = *py - 0.5 * lambda * speed_y(l, *px, *py);
    *px -= lambda * speed_x(l, mx, my);
    *py -= lambda * speed_y(l, mx, my);
    if (l->def.periodic) return;
    *px = fmin(fmax(*px, 0.0), l->def.cells);
    *py = fmin(fmax(*py, 0.0), l->def.cells);
}

/* Returns the divergence of the velocity in cell (x, y) (1/s), by central or, if staggered, by face differences;
   nothing flows through walls. */
static double divergence(const lab *l, int x, int y) {
    if (l->def.staggered) {
        const bool last_x = x + 1 == l->def.cells && !l->def.periodic,
                   last_y = y + 1 == l->def.cells && !l->def.periodic;
        return ((last_x ? 0.0 : value_at(l, l->u, x + 1, y, 0, 0)) - value_at(l, l->u, x, y, 0, 0) +
                (last_y ? 0.0 : value_at(l, l->v, x, y + 1, 0, 0)) - value_at(l, l->v, x, y, 0, 0)) /
               l->def.cell;
    }
    return 0.5 *
           (value_at(l, l->u, x + 1, y, -1, 1) - value_at(l, l->u, x - 1, y, -1, 1) +
            value_at(l, l->v, x, y + 1, 1, -1) - value_at(l, l->v, x, y - 1, 1, -1)) /
           l->def.cell;
}

/* Moves depth and velocity by semi-Lagrangian transport for a step of dt (s); with def.divergence the depth also
   shrinks or grows with the flow. */
static void carry_back(lab *l, double dt) {
    const int n = l->def.cells;
    const double lambda = dt / l->def.cell;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            double px = x + 0.5, py = y + 0.5;
            trace_back(l, lambda, &px, &py);
            l->h1[y * n + x] = interpolate(l, l->h, px - 0.5, py - 0.5, 1, 1);
            if (l->def.staggered) px = x, py = y + 0.5, trace_back(l, lambda, &px, &py);
            l->u1[y * n + x] = speed_x(l, px, py);
            if (l->def.staggered) px = x + 0.5, py = y, trace_back(l, lambda, &px, &py);
            l->v1[y * n + x] = speed_y(l, px, py);
        }
    for (int y = 0; l->def.divergence && y < n; y++)
        for (int x = 0; x < n; x++) l->h1[y * n + x] *= 1.0 - dt * divergence(l, x, y);
    copy_scratch(l);
}

/* Adds 1/4 of the values of cell `from`, one packet, to the scratch values of the up to four cells that the packet
   covers. (px, py): its middle, width: its side, in cells, at most 1. Walls keep it inside. */
static void deposit_packet(lab *l, int from, double px, double py, double width) {
    const int n = l->def.cells;
    const double half = 0.5 * width;
    if (!l->def.periodic) px = fmin(fmax(px, half), n - half), py = fmin(fmax(py, half), n - half);
    const int x0 = (int)floor(px - half), y0 = (int)floor(py - half);
    for (int y = y0; y <= y0 + 1; y++)
        for (int x = x0; x <= x0 + 1; x++) {
            const double a = fmin(px + half, x + 1.0) - fmax(px - half, x),
                         b = fmin(py + half, y + 1.0) - fmax(py - half, y);
            if (a <= 0.0 || b <= 0.0) continue;
            const double share = a * b / (width * width) / (PACKETS * PACKETS);
            const int to = wrap_index(l, y) * n + wrap_index(l, x);
            l->h1[to] += share * l->h[from], l->u1[to] += share * l->u[from], l->v1[to] += share * l->v[from];
        }
}

/* Moves depth and velocity, each by itself, by 2 x 2 packets in a cell for a step of dt (s). With the box filter the
   packets are widened; with def.divergence the depth also shrinks or grows with the flow. */
static void carry_packets(lab *l, double dt) {
    const int n = l->def.cells;
    const double lambda = dt / l->def.cell, width = (l->def.blur == LAB_BLUR_BOX ? l->def.smoothing : 1.0) / PACKETS;
    memset(l->h1, 0, 3 * (size_t)n * (size_t)n * sizeof *l->h1);
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            for (int k = 0; k < PACKETS * PACKETS; k++) {
                const double px = x + (k % PACKETS + 0.5) / PACKETS, py = y + (k / PACKETS + 0.5) / PACKETS;
                deposit_packet(l, y * n + x, px + lambda * speed_x(l, px, py), py + lambda * speed_y(l, px, py), width);
            }
    for (int y = 0; l->def.divergence && y < n; y++)
        for (int x = 0; x < n; x++) l->h1[y * n + x] *= 1.0 - dt * divergence(l, x, y);
    copy_scratch(l);
}

/* ---- Blur -------------------------------------------------------------------------------------------------------- */

/* Writes to `to` the field `f` after one pass of the filter def.blur. k: its strength, the weight of each side
   neighbour in the box filter. mirror_x, mirror_y: signs beyond walls, as for value_at(). */
static void blur_field(const lab *l, const double *f, double *to, double k, double mirror_x, double mirror_y) {
    const int n = l->def.cells;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            const double here = f[y * n + x];
#define AT(dx, dy) value_at(l, f, x + (dx), y + (dy), mirror_x, mirror_y)
            const double sides = AT(-1, 0) + AT(1, 0) + AT(0, -1) + AT(0, 1) - 4.0 * here;
            double more = k * sides;
            if (l->def.blur == LAB_BLUR_TENT)
                more = 0.5 * k * (sides + 0.5 * (AT(-1, -1) + AT(1, -1) + AT(-1, 1) + AT(1, 1) - 4.0 * here));
            if (l->def.blur == LAB_BLUR_FOURTH)
                more = -0.25 * k *
                       (AT(-2, 0) + AT(2, 0) + AT(0, -2) + AT(0, 2) -
                        4.0 * (AT(-1, 0) + AT(1, 0) + AT(0, -1) + AT(0, 1)) + 12.0 * here);
#undef AT
            to[y * n + x] = here + more;
        }
}

/* Filters depth and velocity, unless there is no filter or widened packets have done so. */
static void blur_all(lab *l) {
    const double s = l->def.smoothing, k = (s - 1.0) / (2.0 * s * PACKETS);
    const bool widened = l->def.transport == LAB_PACKETS && l->def.blur == LAB_BLUR_BOX;
    if (l->def.blur == LAB_BLUR_NONE || widened) return;
    blur_field(l, l->h, l->h1, k, 1, 1);
    blur_field(l, l->u, l->u1, k, -1, 1);
    blur_field(l, l->v, l->v1, k, 1, -1);
    copy_scratch(l);
}

/* ---- Pressure ---------------------------------------------------------------------------------------------------- */

/* Accelerates the liquid by central differences of the depth. `push`: gravity * dt / cell. */
static void push_central(lab *l, double push) {
    const int n = l->def.cells;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            l->u[y * n + x] -= 0.5 * push * (value_at(l, l->h, x + 1, y, 1, 1) - value_at(l, l->h, x - 1, y, 1, 1));
            l->v[y * n + x] -= 0.5 * push * (value_at(l, l->h, x, y + 1, 1, 1) - value_at(l, l->h, x, y - 1, 1, 1));
        }
}

/* Returns the velocity of `f` (m/s) on the side before cell (x, y) along `axis` (0: x, 1: y) after acceleration: the
   mean of both cells, plus the push (gravity * dt / cell) times the fall of the depth. 0 on walls. */
static double side_velocity(const lab *l, const double *f, int x, int y, int axis, double push) {
    const int bx = x - (axis == 0), by = y - (axis == 1), n = l->def.cells;
    if (!l->def.periodic && (bx < 0 || by < 0 || x >= n || y >= n)) return 0.0;
    return 0.5 * (value_at(l, f, bx, by, 0, 0) + value_at(l, f, x, y, 0, 0)) -
           push * (value_at(l, l->h, x, y, 0, 0) - value_at(l, l->h, bx, by, 0, 0));
}

/* Accelerates the liquid on the sides of cells, and averages back to the middles. `push`: gravity * dt / cell. */
static void push_faces(lab *l, double push) {
    const int n = l->def.cells;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            l->u1[y * n + x] =
                0.5 * (side_velocity(l, l->u, x, y, 0, push) + side_velocity(l, l->u, x + 1, y, 0, push));
            l->v1[y * n + x] =
                0.5 * (side_velocity(l, l->v, x, y, 1, push) + side_velocity(l, l->v, x, y + 1, 1, push));
        }
    memcpy(l->u, l->u1, (size_t)n * (size_t)n * sizeof *l->u);
    memcpy(l->v, l->v1, (size_t)n * (size_t)n * sizeof *l->v);
}

/* Smooths the depth as Rhie and Chow's interpolation does in a step of dt (s): it adds a velocity at sides, the
   difference between the gradient there and the mean around it, which amounts to a fourth difference of the depth. */
static void smooth_depth(lab *l, double dt) {
    const int n = l->def.cells;
    const double k = 0.25 * l->def.gravity * dt * dt / (l->def.cell * l->def.cell);
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
#define AT(dx, dy) value_at(l, l->h, x + (dx), y + (dy), 1, 1)
            const double fourth = AT(-2, 0) + AT(2, 0) + AT(0, -2) + AT(0, 2) -
                                  4.0 * (AT(-1, 0) + AT(1, 0) + AT(0, -1) + AT(0, 1)) + 12.0 * AT(0, 0);
#undef AT
            l->h1[y * n + x] = l->h[y * n + x] * (1.0 - k * fourth);
        }
    memcpy(l->h, l->h1, (size_t)n * (size_t)n * sizeof *l->h);
}

/* Accelerates velocities that are stored on the sides of cells, and stops those at walls. `push`: gravity * dt /
   cell. */
static void push_staggered(lab *l, double push) {
    const int n = l->def.cells;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            const bool wall_x = x == 0 && !l->def.periodic, wall_y = y == 0 && !l->def.periodic;
            l->u[y * n + x] =
                wall_x ? 0.0
                       : l->u[y * n + x] - push * (value_at(l, l->h, x, y, 1, 1) - value_at(l, l->h, x - 1, y, 1, 1));
            l->v[y * n + x] =
                wall_y ? 0.0
                       : l->v[y * n + x] - push * (value_at(l, l->h, x, y, 1, 1) - value_at(l, l->h, x, y - 1, 1, 1));
        }
}

void lab_step(lab *l, double dt) {
    const double push = l->def.gravity * dt / l->def.cell;
    if (l->def.transport == LAB_PACKETS) carry_packets(l, dt);
    else carry_back(l, dt);
    if (!l->def.staggered) blur_all(l);
    if (l->def.staggered) push_staggered(l, push);
    else if (l->def.pressure == LAB_FACES) push_faces(l, push);
    else push_central(l, push);
    if (l->def.pressure == LAB_RHIE_CHOW) smooth_depth(l, dt);
}

/* ---- Measures ---------------------------------------------------------------------------------------------------- */

double lab_volume(const lab *l) {
    double sum = 0.0;
    for (int i = 0; i < l->def.cells * l->def.cells; i++) sum += l->h[i];
    return sum * l->def.cell * l->def.cell;
}

double lab_turn(const lab *l) {
    const int n = l->def.cells;
    double sum = 0.0;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            double speed[2];
            lab_velocity(l, x, y, speed);
            sum += l->h[y * n + x] * ((x + 0.5 - 0.5 * n) * speed[1] - (y + 0.5 - 0.5 * n) * speed[0]);
        }
    return sum * l->def.cell * l->def.cell * l->def.cell;
}

double lab_zigzag(const lab *l) {
    const int n = l->def.cells;
    double sum = 0.0;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            const double zigzag =
                0.25 * (value_at(l, l->h, x + 1, y, 1, 1) - 2.0 * l->h[y * n + x] + value_at(l, l->h, x - 1, y, 1, 1));
            sum += zigzag * zigzag;
        }
    return sqrt(sum / (n * n));
}
