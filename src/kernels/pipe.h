/* The maths of one column and one pipe, written once, for as many of them as an rn_wide has lanes.
   docs/model.md derives every line.

   Names follow the equations: a pipe joins column i to column j of the next cell along an axis;
   b base, d depth, c ceiling, h = b + d level, f flux (m^3/s, positive from i to j), H height of the
   pipe's cross-section, e slope factor, m inertia factor, q quantum. */
#ifndef RN_KERNELS_PIPE_H
#define RN_KERNELS_PIPE_H

#include "base/wide.h"

#include <stdbool.h>

#define RN_KERNEL RN_INLINE

#define RN_CLOSED       1e-6f             /* m, a lower cross-section carries nothing */
#define RN_FULL         8.0f              /* quanta of room at which a column counts as flooded */
#define RN_ASLEEP       4.0f              /* quanta of level difference and transfer below which a pipe stops */
#define RN_MOST         2097152.0f        /* 2^21 quanta, the largest transfer: sums over a column stay exact */
#define RN_SAFE         (1.0f - 0x1p-21f) /* keeps a rounded share below the whole */
#define RN_INERTIA_MOST 1e6f
#define RN_GUARD        1.28f /* largest m*B that keeps the checkerboard mode damped */
/* Brink discharge / (width H sqrt(gH)) that gives Ritter's 8/27 sqrt(g) h0^1.5: critical flow, but for what a cell's
   middle is deeper than the brink; less where liquid reaches the brink without its momentum. */
#define RN_OVERFALL         0.54f
#define RN_OVERFALL_CARRIED 0.9f

/* Quanta that may come to a column at once, so that their sum is exact. */
#define RN_COUNTABLE 8388608.0f /* 2^23 */

/* The constants of one substep. */
typedef struct rn_law {
    float cell;                 /* m, dx */
    float dt;                   /* s */
    float gravity;              /* m/s^2, downwards */
    float kappa;                /* 1/s, -ln(friction), where the ground is not rough, */
    float manning, chezy;       /* m^(1/3), 1: g n^2 and g/C^2 there, for kernels/drag.h */
    float nu3;                  /* m^2/s, 3 nu */
    float quantum, per_quantum; /* m, 1/m */
    float dither;               /* [0, 1), the same for all pipes of a substep */
    float tilt[2];              /* m per cell along x and y: sideways gravity as a level difference, whole quanta */
    float wave_dt;              /* s, the largest step for waves alone */
    float felt;                 /* m, thinner films do not bound the step by their speed */
    float fastest;              /* m/s, no flow is faster: what the liquid's height could give it */
    bool scaled;                /* some flow may need its inertia scaled */
    float lag;                  /* 1 where pipes carry no momentum along, 0 with advection */
    float overfall;             /* RN_OVERFALL or RN_OVERFALL_CARRIED */
    bool paper;                 /* the equations of Dagenais et al. as they print them */
    float kept;                 /* omega^dt, the paper's zeta */

    /* For the step that carries momentum (kernels/face.h): */
    bool momentum;
    bool turbulent;   /* the ground has a Manning or Chezy number somewhere */
    float last;       /* s, the substep before this one; 0: speeds belong to the same time as depths */
    float kick;       /* s, by which speeds move on: half of the last substep and half of this one */
    float carry;      /* kick / last, or 0 */
    float drift;      /* last / (2 dx), s/m */
    float lambda;     /* dt / dx, s/m */
    float push;       /* g kick / dx, 1/s */
    float cap;        /* m/s, RN_CAP dx / dt */
    float per_cell;   /* 1/m */
    float half_per_g; /* s^2/m, 1 / (2 g) */
    float viscous;    /* m^2, the square of the depth below which viscosity rules */
    float waves;      /* m/s^2: waves on liquid of depth h run at sqrt(waves h): 2 g, or g in a canal */
} rn_law;

RN_SCALAR float rn_most_at_once(const rn_law *law) { return RN_COUNTABLE * law->quantum; } /* m */

/* A Weyl sequence: unbiased over time, needs no memory. */
RN_SCALAR float rn_dither(uint64_t step) { return (float)(((uint32_t)step * 2654435769u) >> 8) * 0x1p-24f; }

/* The one nearer to zero, 0 where signs differ. */
RN_KERNEL rn_wide rn_minmod(rn_wide a, rn_wide b) {
    return rn_keep(a * b > 0.0f, rn_signed(rn_lesser(rn_size(a), rn_size(b)), a));
}

/* ---- Slope-true columns: a film on a slope S is thinner than its column is deep, by sqrt(1 + S^2) ---- */

/* The bed step that the slope of a column may count, over one pipe with a level difference of this size: a level
   surface switches it off. */
RN_KERNEL rn_wide rn_bed_step(rn_wide db, rn_wide drop) { return rn_signed(rn_lesser(rn_size(db), 3.0f * drop), db); }

/* Half of the monotonised central difference of the bed steps on the two sides of a column, which is half their sum, at
   most twice the lesser, and 0 where signs differ. */
RN_KERNEL rn_wide rn_bed_half_slope_between(rn_wide before, rn_wide after) {
    const rn_wide zero = {0}, quarter = 0.25f * (before + after);
    const rn_wide least = rn_lesser(rn_greater(before, after), zero), most = rn_greater(rn_lesser(before, after), zero);
    return rn_lesser(rn_greater(quarter, least), most);
}

/* One side, or both, may be missing. */
RN_KERNEL rn_wide rn_bed_half_slope(rn_wide before, rn_wide after, rn_mask has_before, rn_mask has_after) {
    return rn_select(has_before & has_after, rn_bed_half_slope_between(before, after),
                     0.5f * (rn_keep(has_before, before) + rn_keep(has_after, after)));
}

/* ---- The pipe ---------------------------------------------------------------------------------------- */

/* One pipe's two ends. */
typedef struct rn_ends {
    rn_wide bi, di, ci, bj, dj, cj;
} rn_ends;

/* What stands above the higher base and below both ceilings. */
RN_KERNEL rn_wide rn_pipe_room(const rn_ends *p) {
    rn_wide top = rn_lesser(rn_greater(p->bi + p->di, p->bj + p->dj), rn_lesser(p->ci, p->cj));
    return rn_positive(top - rn_greater(p->bi, p->bj));
}

/* Cross-section height: the mean depth, and more over a bed step, but never more than that room. */
RN_KERNEL rn_wide rn_pipe_height_below(const rn_ends *p, rn_wide room) {
    return rn_lesser(room, 0.5f * (p->di + p->dj + rn_apart(p->bi, p->bj)));
}

RN_KERNEL rn_wide rn_pipe_height(const rn_ends *p) { return rn_pipe_height_below(p, rn_pipe_room(p)); }

/* The same under the open sky, where levels are never below bases. */
RN_KERNEL rn_wide rn_pipe_height_open(const rn_ends *p) {
    return rn_pipe_height_below(p, rn_greater(p->bi + p->di, p->bj + p->dj) - rn_greater(p->bi, p->bj));
}

/* D/H^2 is the rate at which friction and viscosity slow the flow (Dagenais 2018, Eq. 5). */
RN_KERNEL rn_wide rn_pipe_drag(const rn_law *law, rn_wide kappa, rn_wide H, rn_wide e) {
    return kappa * (H * H) + law->nu3 * e;
}

/* dt D: what a substep's drag adds to H^2. */
RN_KERNEL rn_wide rn_pipe_brake(const rn_law *law, rn_wide kappa, rn_wide H2, rn_wide e) {
    return law->dt * kappa * H2 + law->dt * law->nu3 * e;
}

/* A diagonal flow is faster than its share along this axis shows; gt is the transverse drop over a cell. */
RN_KERNEL rn_wide rn_pipe_diagonal(rn_wide dh, rn_wide gt) {
    rn_wide g2 = gt * gt, h2 = dh * dh;
    rn_wide most = 1.0f + rn_keep(g2 > 0.0f, rn_splat(3.0f));
    return rn_select(g2 < 3.0f * h2, 1.0f + g2 / h2, most);
}

/* Pipes have no advection: where it would matter (Froude number over about 1/3 in a film, 1 under
   friction), less inertia keeps the steady speed and stops false roll waves. Without drag there is no such speed. */
RN_KERNEL rn_mask rn_pipe_is_fast(const rn_law *law, rn_wide H, rn_wide e, rn_wide phi, rn_wide f) {
    float slow = law->scaled ? law->gravity * (law->cell * law->cell) : INFINITY;
    return 10.89f * e * (phi * (f * f)) > slow * (H * H * H);
}

/* No pipe is fast where this holds for none: cheaper, and true for some that are not. */
RN_KERNEL rn_mask rn_pipe_may_be_fast(const rn_law *law, rn_wide H, rn_wide H2, rn_wide e, rn_wide f) {
    float slow = law->scaled ? 0.999f / (4.0f * 10.89f) * law->gravity * (law->cell * law->cell) : INFINITY;
    return e * (f * f) > slow * (H2 * H);
}

/* m before the guard. */
RN_KERNEL rn_wide rn_pipe_inertia(const rn_law *law, rn_wide H, rn_wide dh, rn_wide e, rn_wide D, rn_wide phi,
                                  rn_wide f) {
    rn_wide H3 = H * H * H;
    rn_wide X = e * rn_size(f) * D, Y = law->gravity * rn_size(dh) * H3;
    rn_wide r = rn_lesser(X, Y) / rn_greater(X, Y);
    rn_wide c = 1.1f * (law->lag + 2.0f * law->nu3 * e / D);
    rn_wide m = (c * c) * e * (phi * (f * f)) * (r * r) / (law->gravity * (law->cell * law->cell) * H3);
    return rn_lesser(rn_greater(m, rn_splat(1.0f)), rn_splat(RN_INERTIA_MOST));
}

RN_KERNEL rn_wide rn_pipe_guard(const rn_law *law, rn_wide H, rn_wide e, rn_wide D, rn_wide m) {
    float pace = law->dt / law->cell;
    rn_wide B = 4.0f * law->gravity * (pace * pace) * H / e - law->dt * D / (H * H);
    return rn_select(m * B > RN_GUARD, rn_greater(rn_splat(1.0f), RN_GUARD / B), m);
}

/* Largest wave height that this pipe asks the step to follow. */
RN_KERNEL rn_wide rn_pipe_wave(const rn_law *law, rn_wide H, rn_wide e, rn_wide D, rn_wide m) {
    float scale = 0.25f * (law->cell * law->cell) / (law->gravity * law->wave_dt);
    return rn_greater(m * (H / e - scale * D / (H * H)), H);
}

/* Pressure, friction and implicit viscosity in one line: with U = H R, the new flux is H U. */
RN_KERNEL rn_wide rn_pipe_rate(const rn_law *law, rn_wide H, rn_wide dh, rn_wide e, rn_wide brake, rn_wide m,
                               rn_wide f) {
    rn_wide N = e * f + m * (law->dt * law->gravity * H * dh);
    return N / (e * (H * H + m * brake));
}

/* The same where m = 1. */
RN_KERNEL rn_wide rn_pipe_rate_unscaled(const rn_law *law, rn_wide H, rn_wide H2, rn_wide dh, rn_wide e, rn_wide brake,
                                        rn_wide f) {
    return (e * f + law->dt * law->gravity * H * dh) / (e * (H2 + brake));
}

/* The same for a level difference not known yet: the new flux is kept*f + gain*dh. */
RN_KERNEL void rn_pipe_split(const rn_law *law, rn_wide H, rn_wide e, rn_wide D, rn_wide m, rn_wide *kept,
                             rn_wide *gain) {
    const rn_wide H2 = H * H, share = H2 / (H2 + m * (law->dt * D));
    const rn_mask open = H >= RN_CLOSED;
    *kept = rn_keep(open, share);
    *gain = rn_keep(open, m * (law->dt * law->gravity * H) * share / e);
}

/* How far the depth leans across a pipe: minmod of the level and the depth difference, at most `most`, which is H. */
RN_KERNEL rn_wide rn_pipe_lean(rn_wide most, rn_wide dh, rn_wide dd) {
    return rn_lesser(rn_greater(rn_minmod(dh, dd), -most), most);
}

/* The same where the levels differ by just the beds and the depths, dh = db + dd, for then
   |dh| + |dd| - |db| is twice the minmod's size. `drop` is |dh|. */
RN_KERNEL rn_wide rn_pipe_lean_untilted(const rn_ends *p, rn_wide most, rn_wide dh, rn_wide drop) {
    rn_wide size = 0.5f * (drop + rn_apart(p->di, p->dj) - rn_apart(p->bi, p->bj));
    return rn_signed(rn_lesser(size, most), dh);
}

/* With advection no further than to the deeper end. Down a slope H is that end's depth already, and a transfer from
   still more would let fast flow in both directions of the grid swell. */
RN_KERNEL rn_wide rn_pipe_upwind(const rn_ends *p, rn_wide H) {
    return rn_lesser(H, 2.0f * rn_positive(rn_greater(p->di, p->dj) - H));
}

/* Depth that moves from i to j in this substep, before rounding: upwinded by its lean, which quiets bores. */
RN_KERNEL rn_wide rn_pipe_volume(const rn_law *law, rn_wide H, rn_wide lean, rn_wide U) {
    rn_wide upwind = H + 0.5f * rn_flipped(lean, U);
    return U * upwind * (law->dt / (law->cell * law->cell));
}

typedef struct rn_flow {
    rn_wide f, t;  /* new flux, transfer in whole quanta of depth */
    rn_wide speed; /* m/s */
} rn_flow;

/* Whole quanta: truncated where the pipe falls asleep, so that basins come to rest; dithered elsewhere. */
RN_KERNEL void rn_pipe_quantise(const rn_law *law, rn_mask open, rn_wide dh, rn_wide v, rn_flow *flow) {
    float least = RN_ASLEEP * law->quantum;
    rn_mask sleeps = (rn_size(dh) <= least) & (rn_size(v) <= least);
    rn_wide count = rn_size(v) * law->per_quantum + rn_keep(~sleeps, rn_splat(law->dither));
    rn_wide t = rn_signed(rn_trunc(rn_lesser(count, rn_splat(RN_MOST))) * law->quantum, v);
    flow->t = rn_keep(open, t);
    flow->f = rn_keep(open, rn_select(sleeps, t * (law->cell * law->cell / law->dt) + 0.0f, flow->f));
}

/* Nothing comes through a pipe that is too low, or from a dry column. */
RN_KERNEL rn_mask rn_pipe_gives(rn_wide H, rn_wide f, rn_wide di, rn_wide dj) {
    return (H >= RN_CLOSED) & (rn_select(f > 0.0f, di, dj) > 0.0f);
}

/* A pipe that is no fall, m its inertia factor. `felt` is the level difference that lets it sleep: dh, or less where a
   quantum is worth more. */
RN_KERNEL rn_flow rn_pipe_flow_felt(const rn_law *law, const rn_ends *p, rn_wide H, rn_wide dh, rn_wide felt,
                                    rn_wide lean, rn_wide e, rn_wide brake, rn_wide f, rn_wide m) {
    rn_flow out;
    rn_wide U = H * rn_pipe_rate(law, H, dh, e, brake, m, f), speed = rn_size(U) * (1.0f / law->cell);
    rn_mask beyond = speed > law->fastest;
    if (rn_any(beyond)) {
        U = rn_select(beyond, U * (law->fastest / speed), U);
        speed = rn_lesser(speed, rn_splat(law->fastest));
    }
    out.f = U * H;
    out.speed = rn_keep(H > law->felt, speed);
    rn_pipe_quantise(law, rn_pipe_gives(H, U, p->di, p->dj), felt, rn_pipe_volume(law, H, lean, U), &out);
    return out;
}

RN_KERNEL rn_flow rn_pipe_flow(const rn_law *law, const rn_ends *p, rn_wide H, rn_wide dh, rn_wide lean, rn_wide e,
                               rn_wide brake, rn_wide f, rn_wide m) {
    return rn_pipe_flow_felt(law, p, H, dh, dh, lean, e, brake, f, m);
}

/* How a pipe that may be fast scales its inertia. */
typedef struct rn_pace {
    rn_wide m;
    rn_wide wave; /* m, the height of waves that the step must follow */
    rn_wide root; /* sqrt(phi) where inertia is scaled, else 0 */
} rn_pace;

RN_KERNEL rn_pace rn_pipe_pace(const rn_law *law, rn_wide H, rn_wide dh, rn_wide e, rn_wide D, rn_wide gt, rn_wide f) {
    rn_wide phi = rn_pipe_diagonal(dh, gt);
    rn_mask fast = rn_pipe_is_fast(law, H, e, phi, f) & (H >= RN_CLOSED);
    rn_wide wanted = rn_pipe_inertia(law, H, dh, e, D, phi, f);
    rn_pace pace;
    pace.m = rn_select(fast, rn_pipe_guard(law, H, e, D, wanted), rn_splat(1.0f));
    pace.wave = rn_select(fast, rn_pipe_wave(law, H, e, D, wanted), H);
    pace.root = rn_keep(fast & (wanted > 1.0f), rn_root(phi));
    return pace;
}

/* A fall: liquid leaves a brink at no more than its critical discharge, whatever waits below.
   `ledge` is the level difference above the higher base, `slope` the bed's drop per cell at the brink. */
RN_KERNEL rn_flow rn_pipe_fall(const rn_law *law, const rn_ends *p, rn_wide H, rn_wide dh, rn_wide ledge, rn_wide slope,
                               rn_wide e, rn_wide brake, rn_wide f) {
    rn_flow out;
    rn_wide head = rn_lesser(rn_size(dh), rn_size(ledge) + rn_size(slope));
    head = rn_keep(ledge != 0.0f, rn_signed(head, ledge));
    out.f = H * rn_pipe_rate(law, H, head, e, brake, rn_splat(1.0f), f) * H;
    rn_wide most = law->overfall * law->cell * H * rn_root(law->gravity * H);
    out.f = rn_signed(rn_lesser(rn_size(out.f), most), out.f);
    out.speed = rn_keep(H > law->felt, rn_size(out.f) / (law->cell * H));
    rn_pipe_quantise(law, rn_pipe_gives(H, out.f, p->di, p->dj), head, out.f * (law->dt / (law->cell * law->cell)),
                     &out);
    return out;
}

/* ---- Advection: Stelling and Duinmeijer 2003, upwind and conserving momentum --------------------------- */

/* The speed through a pipe of height H. */
RN_KERNEL rn_wide rn_pipe_speed(const rn_law *law, rn_wide H, rn_wide f) {
    return rn_keep(H >= RN_CLOSED, f / (law->cell * H));
}

/* Liquid that came, over twice the depths' mean, into the stretch between the middles of two columns: how much, and
   how fast it was along the pipe. */
typedef struct rn_inflow {
    rn_wide t, u;
} rn_inflow;

/* What comes in mixes with what is there; what goes out leaves the speed as it is. A mean of speeds, for the limits on
   transfers leave at least what came in: sum >= all t. `sum` is di + dj after the transfers. */
RN_KERNEL rn_wide rn_pipe_mix(rn_wide u, rn_wide sum, const rn_inflow along[2], const rn_inflow across[2]) {
    rn_wide a = along[0].t * (along[0].u - u) + along[1].t * (along[1].u - u);
    rn_wide b = across[0].t * (across[0].u - u) + across[1].t * (across[1].u - u);
    return u + (a + b) / sum;
}

/* Dagenais 2018: Eq. 1 with A = dx^2 and l = dx, then Eq. 5 with the depth H of the column that gives. */
RN_KERNEL rn_flow rn_pipe_paper(const rn_law *law, const rn_ends *p, rn_wide dh, rn_wide f) {
    rn_flow out;
    f = law->kept * f + law->dt * law->gravity * law->cell * dh;
    rn_wide H = rn_select(f > 0.0f, p->di, p->dj), H2 = H * H;
    rn_mask open = (rn_pipe_room(p) > 0.0f) & (H > 0.0f);
    out.f = f * (H2 / (H2 + law->dt * law->nu3));
    out.speed = rn_keep(open, rn_size(out.f) / (law->cell * H));
    rn_pipe_quantise(law, open, dh, out.f * (law->dt / (law->cell * law->cell)), &out);
    return out;
}

/* ---- Limits: gross sums, so that no column can ever overfill or empty --------------------------------- */

RN_KERNEL rn_wide rn_share_in(const rn_law *law, rn_wide inflow, rn_wide room) {
    rn_wide share = rn_select(inflow > room, room / inflow * RN_SAFE, rn_splat(1.0f));
    return rn_keep(room > RN_FULL * law->quantum, share);
}

RN_KERNEL rn_wide rn_share_out(rn_wide outflow, rn_wide depth) {
    rn_wide share = rn_select(outflow > depth, depth / outflow * RN_SAFE, rn_splat(1.0f));
    return rn_keep(depth > 0.0f, share);
}

RN_KERNEL rn_wide rn_limit_transfer(const rn_law *law, rn_wide t, rn_wide share) {
    return rn_select(share < 1.0f, rn_trunc(t * share * law->per_quantum) * law->quantum + 0.0f, t);
}

/* A stopped flux is +0. */
RN_KERNEL rn_wide rn_limit_flux(rn_wide f, rn_wide share) { return rn_select(share < 1.0f, f * share + 0.0f, f); }

#endif
