/* The maths of one cell of the packets solver (Lee & O'Sullivan 2007; docs/packets.md).

   A cell sends N x N packets along the flow, each of 1/N^2 of its area, and every packet is deposited in proportion
   to the area of the cells that it covers. While packets travel less than a cell, they land in their own cell and
   the eight around it: a cell's packets thus form nine sums, and a cell's new state is a sum of nine such parts.

   In the paper's model packets are s times as wide, carry the depth and velocity of their cell, and velocities are
   summed without regard to mass. In the physical model packets are not widened: they carry the field values at their
   start, momentum is summed, and the liquid that a widened packet at rest would spill over a side is exchanged
   between the two cells there, as far as it stands above the higher ground of both. */
#ifndef RN_KERNELS_PACKET_H
#define RN_KERNELS_PACKET_H

#include "kernels/drag.h"

/* The cells around one, which is RN_STAYS: 3 (j + 1) + (i + 1) for the cell i to the east and j to the north. */
enum { RN_TO_SW, RN_TO_S, RN_TO_SE, RN_TO_W, RN_STAYS, RN_TO_E, RN_TO_NW, RN_TO_N, RN_TO_NE, RN_AROUND };

typedef struct rn_packet_params {
    float lambda; /* s/m, substep divided by cell size */
    float spill;  /* share of a cell that is exchanged through each side; 0: packets are widened instead */
    float lead;   /* cells by which widened packets extend over the sides of their cell */
    float scale;  /* packets along a cell's side, divided by their widening */
    float share;  /* share of the cell in a packet */
    float reach;  /* cells that packets may travel and still land in the nine cells */
    float slip;   /* factor on the cell's own velocity for its mirror image beyond a wall: across the wall, -1 or 0 */
    float glide;  /* along the wall, 1 or 0 */
    float quantum, per_quantum; /* m, 1/m */
    float dither;               /* from 0 to 1 */
    float dry;                  /* m: shallower liquid has no speed */
    float still;                /* m/s: slower flow counts as 0 */
    float push;                 /* 1/s, g dt / (2 dx) */
    float cell;                 /* m */
    float tilt_x, tilt_y;       /* m/s, gained from sideways gravity in a substep */
    float dt, nu3;              /* s, m^2/s */
    float most;                 /* m/s, largest speed */
    bool midpoint, paper, turbulent;
} rn_packet_params;

/* A cell and those around it. */
typedef struct rn_packet_cells {
    rn_wide z[RN_AROUND], h[RN_AROUND]; /* m, ground and depth */
    rn_wide u[RN_AROUND], v[RN_AROUND]; /* m/s */
} rn_packet_cells;

/* The contributions of a cell's packets to the nine cells. */
typedef struct rn_packet_sums {
    rn_wide m[RN_AROUND];                 /* m of depth */
    rn_wide mu[RN_AROUND], mv[RN_AROUND]; /* m m/s; in the paper's model m/s */
} rn_packet_sums;

/* ---- Walls ------------------------------------------------------------------------------------------------------- */

/* Whether the liquid of two cells can meet: the higher surface is above the higher ground. z, zn: ground; h, hn: depths
   (m) of the cell and its neighbour, as in all functions here. */
RN_KERNEL rn_mask rn_packet_meets(rn_wide z, rn_wide h, rn_wide zn, rn_wide hn) {
    return rn_greater(z + h, zn + hn) > rn_greater(z, zn);
}

/* The share (0 to 1) of a cell's liquid that stands above the ground of another; 0 if the cell is dry. */
RN_KERNEL rn_wide rn_packet_above(rn_wide z, rn_wide h, rn_wide zn) {
    const rn_wide above = rn_lesser(rn_positive((z + h) - zn), h);
    return rn_keep(h > 0.0f, above / rn_greater(h, rn_splat(1e-30f)));
}

/* Replaces velocities beyond walls by mirror images, times params->slip across the wall and params->glide along it, and
   those of dry cells by the cell's own. Sets `pass`, the share of packets that may pass into each cell: that of the
   cell's liquid which stands above the ground there, or in the paper's model 0 or 1. For a corner it is 0 if walls
   close both sides beside it. */
RN_KERNEL void rn_packet_walls(const rn_packet_params *params, rn_packet_cells *c, rn_wide pass[RN_AROUND]) {
    rn_mask open[RN_AROUND];
    const rn_wide u = c->u[RN_STAYS], v = c->v[RN_STAYS];
    RN_UNROLL
    for (int k = 0; k < RN_AROUND; k++) {
        open[k] = rn_packet_meets(c->z[RN_STAYS], c->h[RN_STAYS], c->z[k], c->h[k]);
        pass[k] = rn_packet_above(c->z[RN_STAYS], c->h[RN_STAYS], c->z[k]);
        if (params->paper) pass[k] = rn_keep(pass[k] > 0.0f, rn_splat(1.0f));
        c->u[k] = rn_select(c->h[k] > 0.0f, c->u[k], u);
        c->v[k] = rn_select(c->h[k] > 0.0f, c->v[k], v);
    }
    RN_UNROLL
    for (int k = RN_TO_W; k <= RN_TO_E; k += 2) {
        c->u[k] = rn_select(open[k], c->u[k], params->slip * u);
        c->v[k] = rn_select(open[k], c->v[k], params->glide * v);
    }
    RN_UNROLL
    for (int k = RN_TO_S; k <= RN_TO_N; k += 6) {
        c->u[k] = rn_select(open[k], c->u[k], params->glide * u);
        c->v[k] = rn_select(open[k], c->v[k], params->slip * v);
    }
    RN_UNROLL
    for (int n = 0; n < 4; n++) { /* a corner: beyond a wall it mirrors the cell on this side of the wall */
        const int i = 2 * (n % 2), j = 2 * (n / 2);
        const int k = 3 * j + i, x = 3 + i, y = 3 * j + 1;
        const rn_wide past_x_u = params->slip * c->u[y], past_x_v = params->glide * c->v[y];
        const rn_wide past_y_u = params->glide * c->u[x], past_y_v = params->slip * c->v[x];
        const rn_wide shut_u = rn_select(open[x], rn_select(open[y], 0.5f * (c->u[x] + c->u[y]), past_y_u), past_x_u);
        const rn_wide shut_v = rn_select(open[x], rn_select(open[y], 0.5f * (c->v[x] + c->v[y]), past_y_v), past_x_v);
        c->u[k] = rn_select(open[k] & (open[x] | open[y]), c->u[k], shut_u);
        c->v[k] = rn_select(open[k] & (open[x] | open[y]), c->v[k], shut_v);
        pass[k] = rn_keep(open[x] | open[y], pass[k]);
    }
}

/* ---- Tracing ----------------------------------------------------------------------------------------------------- */

/* The slope between the differences to two neighbours, `back` (this cell minus the one behind) and `ahead` (van Leer's
   monotonized central one): their mean, at most twice the smaller; 0 at an extremum. */
RN_KERNEL rn_wide rn_packet_slope(rn_wide back, rn_wide ahead) {
    const rn_wide least = rn_lesser(rn_size(back), rn_size(ahead)), mean = 0.5f * rn_size(back + ahead);
    return rn_keep(back * ahead > 0.0f, rn_signed(rn_lesser(2.0f * least, mean), back));
}

/* The value of f interpolated bilinearly at a position (cells, at most 1) from the centre of the cell, the same in all
   lanes. */
RN_KERNEL rn_wide rn_packet_fixed(const rn_wide f[RN_AROUND], float x, float y) {
    const int i = x < 0.0f ? 0 : 2, j = y < 0.0f ? 0 : 2;
    const float wx = x < 0.0f ? -x : x, wy = y < 0.0f ? -y : y;
    return ((1.0f - wx) * (1.0f - wy) * f[RN_STAYS] + wx * (1.0f - wy) * f[3 + i]) +
           ((1.0f - wx) * wy * f[3 * j + 1] + wx * wy * f[3 * j + i]);
}

/* The value of f interpolated bilinearly at positions (cells, at most 1) from the centre of the cell that differ
   between lanes. */
RN_KERNEL rn_wide rn_packet_between(const rn_wide f[RN_AROUND], rn_wide x, rn_wide y) {
    const rn_wide w = rn_positive(-x), e = rn_positive(x), mx = 1.0f - rn_size(x);
    const rn_wide south = (w * f[RN_TO_SW] + e * f[RN_TO_SE]) + mx * f[RN_TO_S];
    const rn_wide middle = (w * f[RN_TO_W] + e * f[RN_TO_E]) + mx * f[RN_STAYS];
    const rn_wide north = (w * f[RN_TO_NW] + e * f[RN_TO_NE]) + mx * f[RN_TO_N];
    return (rn_positive(-y) * south + rn_positive(y) * north) + (1.0f - rn_size(y)) * middle;
}

/* Sets how far (cells) the packet at (x, y) (cells) from the centre of its cell travels: by Euler's method, or the
   midpoint method, whose midpoint is clamped to a cell away. */
RN_KERNEL void rn_packet_trace(const rn_packet_params *params, const rn_packet_cells *c, float x, float y, rn_wide *dx,
                               rn_wide *dy) {
    *dx = params->lambda * rn_packet_fixed(c->u, x, y);
    *dy = params->lambda * rn_packet_fixed(c->v, x, y);
    if (!params->midpoint) return;
    const rn_wide one = rn_splat(1.0f); /* packets that leave are traced elsewhere */
    const rn_wide mx = rn_lesser(one, rn_greater(-one, x + 0.5f * *dx)),
                  my = rn_lesser(one, rn_greater(-one, y + 0.5f * *dy));
    *dx = params->lambda * rn_packet_between(c->u, mx, my);
    *dy = params->lambda * rn_packet_between(c->v, mx, my);
}

/* How far (cells) the middle of a packet's edge, at (x, y) (cells) from the centre of the cell, travels along an axis;
   `f` is the velocity along it, c->u or c->v. Adjacent packets share their edge, so that they neither overlap nor leave
   a gap, however the flow stretches them: this gives waves the right speed. */
RN_KERNEL rn_wide rn_packet_edge(const rn_packet_params *params, const rn_packet_cells *c, const rn_wide f[RN_AROUND],
                                 float x, float y) {
    const rn_wide first = params->lambda * rn_packet_fixed(f, x, y);
    if (!params->midpoint) return first;
    rn_wide dx = params->lambda * rn_packet_fixed(c->u, x, y), dy = params->lambda * rn_packet_fixed(c->v, x, y);
    const rn_wide one = rn_splat(1.0f);
    dx = rn_lesser(one, rn_greater(-one, x + 0.5f * dx));
    dy = rn_lesser(one, rn_greater(-one, y + 0.5f * dy));
    return params->lambda * rn_packet_between(f, dx, dy);
}

/* Sets `part`, the shares of a packet below, inside and above its cell along an axis, given how far (cells) its lower
   and upper edges travel. `number`: its index from the lower side, of `count`. `near`: nothing travels more than half a
   cell, and sides that are then out of reach get 0. */
RN_KERNEL void rn_packet_overlap(const rn_packet_params *params, int number, const int count, rn_wide low, rn_wide high,
                                 const bool near, rn_wide part[3]) {
    const rn_wide one = rn_splat(1.0f), zero = rn_splat(0.0f);
    const float below = (float)number / (float)count - params->lead,
                above = (float)(count - 1 - number) / (float)count - params->lead;
    part[0] = part[2] = zero;
    if (!near || 2 * number < count) part[0] = rn_lesser(rn_positive((-low - below) * params->scale), one);
    if (!near || 2 * (count - 1 - number) < count)
        part[2] = rn_lesser(rn_positive((high - above) * params->scale), one - part[0]);
    part[1] = (1.0f - part[0]) - part[2];
}

/* ---- A cell ------------------------------------------------------------------------------------------------------ */

/* The changes of the fields over a cell: limited differences to the next one. */
typedef struct rn_packet_slopes {
    rn_wide hx, hy, ux, uy, vx, vy;
} rn_packet_slopes;

/* The rise (m) of the surface towards neighbour k, if that has liquid that this cell's liquid can meet, else 0.
   `plain`: all ground is level and wet, so depths suffice. */
RN_KERNEL rn_wide rn_packet_rise(const rn_packet_cells *c, int k, const bool plain) {
    if (plain) return c->h[k] - c->h[RN_STAYS];
    const rn_mask meets = (c->h[k] > 0.0f) & rn_packet_meets(c->z[RN_STAYS], c->h[RN_STAYS], c->z[k], c->h[k]);
    return rn_keep(meets, (c->z[k] + c->h[k]) - (c->z[RN_STAYS] + c->h[RN_STAYS]));
}

/* The limited slopes of surface (m per cell) and velocities (m/s per cell) over a cell; those of the surface at most
   the cell's depth either way. `plain`: see rn_packet_kind. */
RN_KERNEL rn_packet_slopes rn_packet_lean(const rn_packet_cells *c, const bool plain) {
    rn_packet_slopes s;
    const rn_wide h = c->h[RN_STAYS];
    s.hx = rn_packet_slope(-rn_packet_rise(c, RN_TO_W, plain), rn_packet_rise(c, RN_TO_E, plain));
    s.hy = rn_packet_slope(-rn_packet_rise(c, RN_TO_S, plain), rn_packet_rise(c, RN_TO_N, plain));
    s.hx = rn_lesser(h, rn_greater(-h, s.hx));
    s.hy = rn_lesser(h, rn_greater(-h, s.hy));
    s.ux = rn_packet_slope(c->u[RN_STAYS] - c->u[RN_TO_W], c->u[RN_TO_E] - c->u[RN_STAYS]);
    s.uy = rn_packet_slope(c->u[RN_STAYS] - c->u[RN_TO_S], c->u[RN_TO_N] - c->u[RN_STAYS]);
    s.vx = rn_packet_slope(c->v[RN_STAYS] - c->v[RN_TO_W], c->v[RN_TO_E] - c->v[RN_STAYS]);
    s.vy = rn_packet_slope(c->v[RN_STAYS] - c->v[RN_TO_S], c->v[RN_TO_N] - c->v[RN_STAYS]);
    return s;
}

/* Adds a packet to the nine sums: depth m (m), and velocity (u, v) weighted by `carried`. `a` and `b` are its shares
   below, inside and above the cell along x and y; `skip_x`, `skip_y`: which of these are 0 anyway (1 the lower, 2 the
   upper). */
RN_KERNEL void rn_packet_add(rn_packet_sums *to, rn_wide m, rn_wide u, rn_wide v, rn_wide carried, const rn_wide a[3],
                             const rn_wide b[3], const int skip_x, const int skip_y) {
    RN_UNROLL
    for (int j = 0; j < 3; j++) {
        if ((j == 0 && (skip_y & 1)) || (j == 2 && (skip_y & 2))) continue;
        const rn_wide mass = m * b[j], load = carried * b[j];
        RN_UNROLL
        for (int i = 0; i < 3; i++) {
            if ((i == 0 && (skip_x & 1)) || (i == 2 && (skip_x & 2))) continue;
            const rn_wide part = load * a[i];
            to->m[3 * j + i] += mass * a[i];
            to->mu[3 * j + i] += part * u;
            to->mv[3 * j + i] += part * v;
        }
    }
}

/* Which sides of its cell packet `number` of `count` cannot reach: 1 the lower, 2 the upper, 3 both; always 0 unless
   `near`. */
RN_KERNEL int rn_packet_skips(int number, const int count, const bool near) {
    return !near ? 0 : (2 * number >= count ? 1 : 0) + (2 * (count - 1 - number) >= count ? 2 : 0);
}

/* Moves the liquid that a widened packet at rest would spill over side k, within the sums of `to`, from this cell to
   the one there, with the velocity at that side: only what stands above the higher ground of both. `lean`, `lean_u`,
   `lean_v`: the slopes of depth and velocity towards that side. */
RN_KERNEL void rn_packet_spill(const rn_packet_params *params, const rn_packet_cells *c, int k, rn_wide lean,
                               rn_wide lean_u, rn_wide lean_v, const bool plain, rn_packet_sums *to) {
    rn_wide h = c->h[RN_STAYS];
    if (!plain) h = rn_positive(h + c->z[RN_STAYS] - rn_greater(c->z[RN_STAYS], c->z[k]));
    const rn_wide part = params->spill * rn_keep(h > 0.0f, rn_positive(h + 0.5f * lean));
    const rn_wide u = part * (c->u[RN_STAYS] + 0.5f * lean_u), v = part * (c->v[RN_STAYS] + 0.5f * lean_v);
    to->m[k] += part, to->m[RN_STAYS] -= part;
    to->mu[k] += u, to->mu[RN_STAYS] -= u;
    to->mv[k] += v, to->mv[RN_STAYS] -= v;
}

/* Returns liquid that may not pass (1 - pass of each cell) to the cell itself, within the sums of `to`. It bounces: its
   velocity across a wall is reversed. In the paper's model, and at corners, it keeps its velocity. */
RN_KERNEL void rn_packet_bounce(const rn_packet_params *params, const rn_wide pass[RN_AROUND], rn_packet_sums *to) {
    RN_UNROLL
    for (int k = 0; k < RN_AROUND; k++) {
        if (k == RN_STAYS) continue;
        const rn_wide back = 1.0f - pass[k], u = back * to->mu[k], v = back * to->mv[k];
        const bool turn_u = !params->paper && (k == RN_TO_W || k == RN_TO_E);
        const bool turn_v = !params->paper && (k == RN_TO_S || k == RN_TO_N);
        to->m[RN_STAYS] += back * to->m[k];
        to->mu[RN_STAYS] += turn_u ? -u : u;
        to->mv[RN_STAYS] += turn_v ? -v : v;
        to->m[k] = to->m[k] * pass[k];
        to->mu[k] = to->mu[k] * pass[k];
        to->mv[k] = to->mv[k] * pass[k];
    }
}

/* Adds the packets of the paper's model, of fixed shape and traced by their centres, to the sums of `to`. Returns how
   far (cells) the farthest goes. */
RN_KERNEL rn_wide rn_packet_rigid(const rn_packet_params *params, const rn_packet_cells *c, const int count,
                                  rn_packet_sums *to) {
    rn_wide furthest = rn_splat(0.0f);
    const rn_wide share = rn_splat(params->share), h = params->share * c->h[RN_STAYS];
    RN_UNROLL
    for (int n = 0; n < count * count; n++) {
        const int i = n % count, j = n / count;
        const float x = ((float)i + 0.5f) / (float)count - 0.5f, y = ((float)j + 0.5f) / (float)count - 0.5f;
        rn_wide dx, dy, a[3], b[3];
        rn_packet_trace(params, c, x, y, &dx, &dy);
        furthest = rn_greater(furthest, rn_greater(rn_size(dx), rn_size(dy)));
        rn_packet_overlap(params, i, count, dx, dx, false, a);
        rn_packet_overlap(params, j, count, dy, dy, false, b);
        rn_packet_add(to, h, c->u[RN_STAYS], c->v[RN_STAYS], share, a, b, 0, 0);
    }
    return furthest;
}

/* Adds the packets of the physical model, traced by their edges, to the sums of `to`. `s`: slopes within the cell.
   Returns how far (cells) the farthest edge goes; always 0 with `near`. */
RN_KERNEL rn_wide rn_packet_stretched(const rn_packet_params *params, const rn_packet_cells *c,
                                      const rn_packet_slopes *s, const int count, const bool near, rn_packet_sums *to) {
    rn_wide furthest = rn_splat(0.0f);
    /* where liquid is both deeper and faster, packets would carry more momentum than their cell has */
    const float spread = (float)(count * count - 1) / (float)(12 * count * count);
    const rn_wide less = spread / rn_greater(c->h[RN_STAYS], rn_splat(1e-30f));
    const rn_wide mid_u = c->u[RN_STAYS] - less * (s->hx * s->ux + s->hy * s->uy);
    const rn_wide mid_v = c->v[RN_STAYS] - less * (s->hx * s->vx + s->hy * s->vy);
    RN_UNROLL
    for (int n = 0; n < count * count; n++) {
        const int i = n % count, j = n / count;
        const float size = 1.0f / (float)count, x = ((float)i + 0.5f) * size - 0.5f,
                    y = ((float)j + 0.5f) * size - 0.5f;
        const float west = (float)i * size - 0.5f, east = (float)(i + 1) * size - 0.5f;
        const float south = (float)j * size - 0.5f, north = (float)(j + 1) * size - 0.5f;
        rn_wide a[3], b[3], zero = rn_splat(0.0f), w = zero, e = zero, so = zero, no = zero;
        const int skip_x = rn_packet_skips(i, count, near), skip_y = rn_packet_skips(j, count, near);
        if (!(skip_x & 1)) w = rn_packet_edge(params, c, c->u, west, y);
        if (!(skip_x & 2)) e = rn_packet_edge(params, c, c->u, east, y);
        if (!(skip_y & 1)) so = rn_packet_edge(params, c, c->v, x, south);
        if (!(skip_y & 2)) no = rn_packet_edge(params, c, c->v, x, north);
        if (!near)
            furthest = rn_greater(furthest,
                                  rn_greater(rn_greater(rn_size(w), rn_size(e)), rn_greater(rn_size(so), rn_size(no))));
        rn_packet_overlap(params, i, count, w, e, near, a);
        rn_packet_overlap(params, j, count, so, no, near, b);
        const rn_wide h = params->share * (c->h[RN_STAYS] + (x * s->hx + y * s->hy));
        const rn_wide u = mid_u + (x * s->ux + y * s->uy), v = mid_v + (x * s->vx + y * s->vy);
        rn_packet_add(to, h, u, v, h, a, b, skip_x, skip_y);
    }
    return furthest;
}

/* The cases of the loops below: what is known of a cell and those around it, or of all cells. */
typedef struct rn_packet_kind {
    bool paper; /* the paper's model */
    bool plain; /* the cells around are wet, and all ground is level */
    bool near;  /* nothing travels more than half a cell */
} rn_packet_kind;

/* Sends the packets of a cell, `count` along each side: sets `to`, not yet rounded. Changes velocities of `c` beyond
   walls, unless plain. The result is true in lanes where some packets would land outside the nine cells; there `to`
   must not be used. */
RN_KERNEL rn_mask rn_packet_send(const rn_packet_params *params, rn_packet_cells *c, const int count,
                                 const rn_packet_kind kind, rn_packet_sums *to) {
    rn_wide pass[RN_AROUND], furthest;
    if (!kind.plain) rn_packet_walls(params, c, pass);
    RN_UNROLL
    for (int k = 0; k < RN_AROUND; k++) to->m[k] = to->mu[k] = to->mv[k] = rn_splat(0.0f);
    if (kind.paper) {
        furthest = rn_packet_rigid(params, c, count, to);
        if (!kind.plain) rn_packet_bounce(params, pass, to);
        return furthest > params->reach;
    }
    const rn_packet_slopes s = rn_packet_lean(c, kind.plain);
    furthest = rn_packet_stretched(params, c, &s, count, kind.near, to);
    if (!kind.plain) rn_packet_bounce(params, pass, to);
    rn_packet_spill(params, c, RN_TO_W, -s.hx, -s.ux, -s.vx, kind.plain, to);
    rn_packet_spill(params, c, RN_TO_E, s.hx, s.ux, s.vx, kind.plain, to);
    rn_packet_spill(params, c, RN_TO_S, -s.hy, -s.uy, -s.vy, kind.plain, to);
    rn_packet_spill(params, c, RN_TO_N, s.hy, s.uy, s.vy, kind.plain, to);
    return furthest > params->reach;
}

/* Rounds the depths of `to` that leave a cell of depth h (m) to whole quanta, at most 2^24 each, and never to more than
   the cell has: the rest stays. Momentum is not changed. */
RN_KERNEL void rn_packet_round(const rn_packet_params *params, rn_wide h, rn_packet_sums *to) {
    if (rn_any(to->m[RN_STAYS] < 0.0f)) { /* more would leave than there is */
        const rn_wide leaves = h - to->m[RN_STAYS];
        const rn_wide fits = rn_select(leaves > h, h / rn_greater(leaves, rn_splat(1e-30f)), rn_splat(1.0f));
        RN_UNROLL
        for (int k = 0; k < RN_AROUND; k++)
            if (k != RN_STAYS) to->m[k] = fits * to->m[k];
    }
    rn_wide sum = rn_splat(0.0f), least = rn_splat(0.0f), dithered[RN_AROUND];
    RN_UNROLL
    for (int k = 0; k < RN_AROUND; k++) {
        if (k == RN_STAYS) continue;
        const rn_wide count = rn_lesser(rn_positive(to->m[k]) * params->per_quantum, rn_splat(0x1p24f));
        dithered[k] = rn_trunc(count + params->dither) * params->quantum;
        sum += dithered[k];
        to->m[k] = rn_trunc(count * (1.0f - 0x1p-20f)) * params->quantum;
        least += to->m[k];
    }
    const rn_mask enough = sum <= h;
    RN_UNROLL
    for (int k = 0; k < RN_AROUND; k++)
        if (k != RN_STAYS) to->m[k] = rn_select(enough, dithered[k], to->m[k]);
    to->m[RN_STAYS] = h - rn_select(enough, sum, least);
}

/* The velocity (m/s) along an axis of the liquid of depth h (m) that has arrived in a cell, from its momentum `sum` (in
   the paper's model the velocity itself). The result is 0 in liquid not deeper than `dry` and where slower than
   `still`, and at most `most` either way. */
RN_KERNEL rn_wide rn_packet_speed(const rn_packet_params *params, rn_wide h, rn_wide sum) {
    const rn_wide speed = params->paper ? sum : sum / rn_greater(h, rn_splat(params->dry));
    return rn_keep((h > params->dry) & (rn_size(speed) >= params->still),
                   rn_lesser(rn_splat(params->most), rn_greater(rn_splat(-params->most), speed))) +
           0.0f;
}

/* ---- Pressure and drag ------------------------------------------------------------------------------------------- */

/* How much higher (m) the surface of a neighbour stands, as it acts on the liquid of a cell; negative if lower. Dry
   ground above the surface is a wall: 0. Liquid on such ground counts by its depth and at most by a cell's width, and
   liquid below a brink (more than a cell deep) does not count. */
RN_KERNEL rn_wide rn_packet_head(const rn_packet_params *params, rn_wide z, rn_wide h, rn_wide zn, rn_wide hn) {
    const rn_wide level = z + h, other = zn + hn;
    const rn_wide below = rn_select(z - zn > params->cell, rn_greater(other, z), other) - level;
    const rn_wide weight = rn_lesser(hn, h) / rn_greater(h, rn_splat(1e-30f));
    const rn_wide above = rn_keep(hn > 0.0f, rn_lesser(other - level, rn_splat(params->cell)) * weight);
    return rn_select(zn >= level, above, below);
}

/* The velocity (m/s) along an axis after a substep's pressure; `fall` (m) is the difference of the heads ahead and
   behind, `tilt` (m/s) what sideways gravity adds. */
RN_KERNEL rn_wide rn_packet_kick(const rn_packet_params *params, rn_wide u, rn_wide fall, float tilt) {
    return u - params->push * fall + tilt;
}

/* The share (0 to 1) of its velocity that liquid of depth h (m) keeps after a substep's drag at a rate (1/s) and
   viscosity; 0 if not deeper than `dry`. */
RN_KERNEL rn_wide rn_packet_kept(const rn_packet_params *params, rn_wide h, rn_wide rate) {
    const rn_wide deep = h * h;
    return rn_keep(h > params->dry, deep / (deep + params->dt * (rate * deep + params->nu3)));
}

#endif
