/* The maths of one column and one pipe, for as many of them as an rn_wide has lanes. docs/paper.md derives the flux
   of a pipe; the limits are those of docs/model.md, step 6.

   Names follow the equations: a pipe joins column i to column j of the next cell along an axis;
   b base, d depth, c ceiling, h = b + d level, f flux (m^3/s, positive from i to j), H height of the
   pipe's cross-section, q quantum. */
#ifndef RN_KERNELS_PIPE_H
#define RN_KERNELS_PIPE_H

#include "base/wide.h"

#include <stdbool.h>

#define RN_KERNEL RN_INLINE

#define RN_CLOSED 1e-6f             /* m, a lower cross-section carries nothing */
#define RN_FULL   8.0f              /* quanta of room at which a column counts as flooded */
#define RN_ASLEEP 4.0f              /* quanta of level difference and transfer below which a pipe stops */
#define RN_MOST   2097152.0f        /* 2^21 quanta, the largest transfer: sums over a column stay exact */
#define RN_SAFE   (1.0f - 0x1p-21f) /* keeps a rounded share below the whole */
/* Discharge over a brink / (width H sqrt(gH)): a little less than critical, because a cell's centre is deeper than
   the brink. */
#define RN_OVERFALL 0.9f

/* Quanta that may arrive in a column at once, so that their sum is exact. */
#define RN_COUNTABLE 8388608.0f /* 2^23 */

/* The constants of one substep. */
typedef struct rn_step_params {
    float cell;                 /* m, dx */
    float dt;                   /* s */
    float gravity;              /* m/s^2, downwards */
    float kappa;                /* 1/s, -ln(friction), for ground without its own */
    float manning, chezy;       /* m^(1/3), 1: g n^2 and g/C^2 of such ground, for kernels/drag.h */
    float nu3;                  /* m^2/s, 3 nu */
    float quantum, per_quantum; /* m, 1/m */
    float dither;               /* [0, 1), the same for all pipes of a substep */
    float tilt[2];              /* m per cell along x and y: sideways gravity as a level difference, whole quanta */
    float thin_depth;           /* m: thinner films do not limit the step by their speed */
    float fastest;              /* m/s: upper bound for ducts, from the height of the liquid */
    bool paper;                 /* the equations as printed by Dagenais et al. */
    float friction_factor;      /* omega^dt, the paper's zeta */

    /* For the momentum-carrying step (kernels/face.h): */
    bool momentum;
    float jet_share;          /* share of its speed that liquid keeps as it leaves a passage, 0 or 1 */
    bool implicit;            /* pressure is left to a solve: speeds get only transport and drag */
    bool turbulent;           /* some ground has Manning's or Chezy's friction */
    float last_dt;            /* s, the last substep; 0: speeds belong to the same time as depths */
    float kick_dt;            /* s, by which speeds advance: half of the last substep and half of this one */
    float kick_ratio;         /* kick_dt / last_dt, or 0 */
    float half_last_per_cell; /* last_dt / (2 dx), s/m */
    float lambda;             /* dt / dx, s/m */
    float gravity_kick;       /* g kick_dt / dx, 1/s */
    float most_speed;         /* m/s, RN_CAP dx / dt */
    float per_cell;           /* 1/m */
    float half_per_g;         /* s^2/m, 1 / (2 g) */
    float viscous;            /* m^2, square of the depth below which viscosity rules */
    float wave_factor;        /* m/s^2: waves on liquid of depth h run at sqrt(wave_factor h): 2 g, or g in a canal */

    /* For dynamic contact (kernels/contact.h): */
    bool contact;              /* it acts */
    float tension;             /* m^2, G / g: the square of the capillary length */
    float advancing, receding; /* 1 - cos of the angles */
    float per_foot;            /* 1/m: liquid deeper than 1 / per_foot feels nothing of the ground */
    float capillary;           /* m, the capillary length */
    float brink_sine;          /* sine of the advancing angle */
    int filter;                /* the degree of the filter of heads, odd; 1: there is none */
    float per_deepest;         /* 1/m, of the deepest column: the scale of the filter */
    float damping;             /* m of head for 1 m by which a column has risen in the last substep */
    float drying;              /* by how much wet ground dries in a substep */
    float awake;               /* m, difference of heads below which a face may rest */
    float clings;              /* m, depth of films that cling */
} rn_step_params;

/* The depth (m) that may arrive in a column at once, so that sums are exact: RN_COUNTABLE quanta. */
RN_SCALAR float rn_most_at_once(const rn_step_params *params) { return RN_COUNTABLE * params->quantum; } /* m */

/* A number in [0, 1) for the substep of this number. A Weyl sequence: unbiased over time, without memory. */
RN_SCALAR float rn_dither(uint64_t step) { return (float)(((uint32_t)step * 2654435769u) >> 8) * 0x1p-24f; }

/* Of two values the one nearer to zero; 0 where signs differ. */
RN_KERNEL rn_wide rn_minmod(rn_wide a, rn_wide b) {
    return rn_keep(a * b > 0.0f, rn_signed(rn_lesser(rn_size(a), rn_size(b)), a));
}

/* ---- Slopes of beds ---------------------------------------------------------------------------------- */

/* Half of the monotonised central difference (m) of the bed steps (m) on the two sides of a column. That difference is
   half their sum, at most twice the smaller one, and 0 where signs differ. */
RN_KERNEL rn_wide rn_bed_half_slope_between(rn_wide before, rn_wide after) {
    const rn_wide zero = {0}, quarter = 0.25f * (before + after);
    const rn_wide least = rn_lesser(rn_greater(before, after), zero), most = rn_greater(rn_lesser(before, after), zero);
    return rn_lesser(rn_greater(quarter, least), most);
}

/* rn_bed_half_slope_between (m) of the bed steps on the two sides of a column, if both exist; half of the step of the
   only one, or 0 without any. */
RN_KERNEL rn_wide rn_bed_half_slope(rn_wide before, rn_wide after, rn_mask has_before, rn_mask has_after) {
    return rn_select(has_before & has_after, rn_bed_half_slope_between(before, after),
                     0.5f * (rn_keep(has_before, before) + rn_keep(has_after, after)));
}

/* ---- The pipe ---------------------------------------------------------------------------------------- */

/* One pipe's two ends. */
typedef struct rn_ends {
    rn_wide bi, di, ci, bj, dj, cj;
} rn_ends;

/* The height (m) of a pipe that liquid can use: from the higher base up to the higher level of both ends, at most up to
   the lower ceiling; never negative. */
RN_KERNEL rn_wide rn_pipe_room(const rn_ends *p) {
    rn_wide top = rn_lesser(rn_greater(p->bi + p->di, p->bj + p->dj), rn_lesser(p->ci, p->cj));
    return rn_positive(top - rn_greater(p->bi, p->bj));
}

/* The height (m) of the cross-section: the mean depth, and more over a bed step, but never more than `room`, that of
   rn_pipe_room. */
RN_KERNEL rn_wide rn_pipe_height_below(const rn_ends *p, rn_wide room) {
    return rn_lesser(room, 0.5f * (p->di + p->dj + rn_apart(p->bi, p->bj)));
}

/* The height (m) of the cross-section of a pipe: rn_pipe_height_below within rn_pipe_room. */
RN_KERNEL rn_wide rn_pipe_height(const rn_ends *p) { return rn_pipe_height_below(p, rn_pipe_room(p)); }

typedef struct rn_flow {
    rn_wide f, t;  /* new flux, transfer in whole quanta of depth */
    rn_wide speed; /* m/s */
} rn_flow;

/* Sets the transfer of `v` (m) in whole quanta, at most RN_MOST: truncated where the pipe comes to rest, so that basins
   come to rest; dithered elsewhere. `dh` (m): difference of levels. flow->f must be set, and stays, except that the
   flux of a resting pipe follows from its transfer. Both are 0 where the pipe is not open. */
RN_KERNEL void rn_pipe_quantise(const rn_step_params *params, rn_mask open, rn_wide dh, rn_wide v, rn_flow *flow) {
    float least = RN_ASLEEP * params->quantum;
    rn_mask sleeps = (rn_size(dh) <= least) & (rn_size(v) <= least);
    rn_wide count = rn_size(v) * params->per_quantum + rn_keep(~sleeps, rn_splat(params->dither));
    rn_wide t = rn_signed(rn_trunc(rn_lesser(count, rn_splat(RN_MOST))) * params->quantum, v);
    flow->t = rn_keep(open, t);
    flow->f = rn_keep(open, rn_select(sleeps, t * (params->cell * params->cell / params->dt) + 0.0f, flow->f));
}

/* Dagenais 2018: Eq. 1 with A = dx^2 and l = dx, then Eq. 5 with the depth H of the column that gives. `dh`: level of i
   minus that of j (m); `f`: the flux of the last substep (m^3/s). The resulting speed is never negative. All results
   are 0 where the giving column is dry or the pipe has no room. */
RN_KERNEL rn_flow rn_pipe_paper(const rn_step_params *params, const rn_ends *p, rn_wide dh, rn_wide f) {
    rn_flow out;
    f = params->friction_factor * f + params->dt * params->gravity * params->cell * dh;
    rn_wide H = rn_select(f > 0.0f, p->di, p->dj), H2 = H * H;
    rn_mask open = (rn_pipe_room(p) > 0.0f) & (H > 0.0f);
    out.f = f * (H2 / (H2 + params->dt * params->nu3));
    out.speed = rn_keep(open, rn_size(out.f) / (params->cell * H));
    rn_pipe_quantise(params, open, dh, out.f * (params->dt / (params->cell * params->cell)), &out);
    return out;
}

/* ---- Limits: gross sums, so that no column can ever overfill or empty --------------------------------- */

/* The share (0 to 1) of its inflow (m) that a column has room (m) for; 0 if it counts as full (RN_FULL). */
RN_KERNEL rn_wide rn_share_in(const rn_step_params *params, rn_wide inflow, rn_wide room) {
    rn_wide share = rn_select(inflow > room, room / inflow * RN_SAFE, rn_splat(1.0f));
    return rn_keep(room > RN_FULL * params->quantum, share);
}

/* The share (0 to 1) of its outflow (m) that a column of this depth (m) can give; 0 if it is dry. */
RN_KERNEL rn_wide rn_share_out(rn_wide outflow, rn_wide depth) {
    rn_wide share = rn_select(outflow > depth, depth / outflow * RN_SAFE, rn_splat(1.0f));
    return rn_keep(depth > 0.0f, share);
}

/* A share of a transfer (m), in whole quanta rounded towards 0; all of it if the share is 1. */
RN_KERNEL rn_wide rn_limit_transfer(const rn_step_params *params, rn_wide t, rn_wide share) {
    return rn_select(share < 1.0f, rn_trunc(t * share * params->per_quantum) * params->quantum + 0.0f, t);
}

/* A share (0 to 1) of a flux or speed; unchanged if the share is 1. A stopped one is +0. */
RN_KERNEL rn_wide rn_limit_flux(rn_wide f, rn_wide share) { return rn_select(share < 1.0f, f * share + 0.0f, f); }

#endif
