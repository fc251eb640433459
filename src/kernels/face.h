/* The maths of the physical model's step, for as many faces or columns as an rn_wide has lanes. docs/model.md
   derives every line.

   A face joins column l to column r of the next cell along an axis; z base, h depth, zeta = z + h level. Each face
   has a speed u (m/s, positive from l to r) and a transfer T (m of depth that crossed it in the last substep, whole
   quanta). Speeds are staggered half a substep after depths: a substep first advances the speeds (forces, then
   transport), then the depths.

   The scheme is the staggered, momentum-conserving one of Stelling and Duinmeijer (2003), second order in space and
   time, with implicit drag and the exact geometry of wedges, so that films on steep ground have the right weight. */
#ifndef RN_KERNELS_FACE_H
#define RN_KERNELS_FACE_H

#include "kernels/contact.h"
#include "kernels/drag.h"

#define RN_DRY 16.0f /* quanta: thinner liquid opens no face */
/* Quanta: transfers of deeper liquid are rounded to nearest. Those of thinner liquid are dithered, and so are those of
   films that drag stops within a substep, which creep by less than a quantum. */
#define RN_DEEP     65536.0f
#define RN_CLINGS   64.0f /* quanta: thinner films stay if they would move by less than 1/RN_CLINGS quantum */
#define RN_THINNEST 1e-7f /* m, the least height used for drag */
#define RN_CAP      0.9f  /* of a cell: how far liquid moves at most in a substep */
#define RN_STEEPER  1.5f  /* surfaces this much steeper than the bed follow the tangent of the wedge's law */
#define RN_CURVED   1e8f  /* 10000^2: weight of h * curvature where a bed is too curved for a wedge */

/* The cases that a row of faces needs. A loop is compiled for each kind, and cases that are false cost nothing. */
typedef struct rn_face_kind {
    __attribute__((
        aligned(4))) bool sloped; /* beds differ. Aligned, because LLVM 14 for GPUs cannot pass it by value otherwise */
    bool restricted;              /* ceilings or missing pipes */
    bool falls;
    bool tilted;  /* sideways gravity */
    bool contact; /* surface tension and contact angles act */
    bool calm;    /* all are open by their levels, no film ends, and neither ceilings nor the lid are near */
} rn_face_kind;

/* A number in [0, 1) for the substep of this number, white in time: a Weyl sequence would resonate with the shortest
   waves. */
RN_SCALAR float rn_white_dither(uint64_t step) {
    uint32_t x = (uint32_t)step * 0x9E3779B9u;
    x ^= x >> 16, x *= 0x85EBCA6Bu, x ^= x >> 13, x *= 0xC2B2AE35u, x ^= x >> 16;
    return (float)(x >> 8) * 0x1p-24f;
}

/* The value clamped to least..most. NaN becomes `least`: lanes past a row's end, whose bounds are 0, may hold
   anything. */
RN_KERNEL rn_wide rn_clamped(rn_wide value, rn_wide least, rn_wide most) {
    return rn_lesser(rn_greater(value, least), most);
}

/* ---- Slopes of columns ------------------------------------------------------------------------------------------

   A column on a bed of slope S under a surface of slope Z is driven by g Z / (1 + S.Z): g S / (1 + S^2) on a film, g
   Z under a nearly level surface. Where the bed curves within the depth and the liquid is deep compared with its
   viscous length, S fades to 0 and the plain shallow-water equations remain. */

typedef struct rn_slopes {
    rn_wide e;              /* 1 + S^2 */
    rn_wide bed_x, bed_y;   /* S along x and y, as far as it counts */
    rn_wide part_x, part_y; /* the terms of S.Z */
} rn_slopes;

/* Steps (m) of the bed and of the surface over the face behind a column and the one ahead, and which of these are
   plain. */
typedef struct rn_differences {
    rn_wide bed_back, bed_ahead, level_back, level_ahead;
    rn_mask back, ahead;
} rn_differences;

/* The steps around a column of base z and depth h (m), from those of the column behind it and the one ahead, over faces
   that are all plain; those of the surface less `tilt` (m), sideways gravity along the axis. */
RN_KERNEL rn_differences rn_column_differences(rn_wide z, rn_wide h, rn_wide z_back, rn_wide h_back, rn_wide z_ahead,
                                               rn_wide h_ahead, float tilt, const rn_face_kind kind) {
    const rn_wide level = z + h;
    const rn_mask none = {0}, plain = none == 0;
    rn_differences s = {z - z_back, z_ahead - z, level - (z_back + h_back), (z_ahead + h_ahead) - level, plain, plain};
    if (kind.tilted) s.level_back -= tilt, s.level_ahead -= tilt;
    return s;
}

/* Slope of the bed (m per cell): rn_bed_half_slope doubled, with faces that are not plain as missing sides. */
RN_KERNEL rn_wide rn_bed_slope(const rn_differences *s) {
    return 2.0f * rn_bed_half_slope(s->bed_back, s->bed_ahead, s->back, s->ahead);
}

/* Slope of the surface (m per cell): the mean over the plain faces of the two; 0 without any. */
RN_KERNEL rn_wide rn_level_slope(const rn_differences *s) {
    const rn_wide sum = rn_keep(s->back, s->level_back) + rn_keep(s->ahead, s->level_ahead);
    return rn_select(s->back & s->ahead, 0.5f * sum, sum);
}

/* The bend of the bed (m): by how much its steps over the two faces differ, less 2 quanta for their rounding; at least
   0, and 0 unless both faces are plain. */
RN_KERNEL rn_wide rn_bed_bend(const rn_step_params *params, const rn_differences *s) {
    return rn_keep(s->back & s->ahead, rn_positive(rn_apart(s->bed_ahead, s->bed_back) - 2.0f * params->quantum));
}

/* What the slopes of a column follow from, whatever its depth. */
typedef struct rn_slope_parts {
    rn_wide bed_x, bed_y;     /* slopes of the bed */
    rn_wide bent;             /* m^2, how much the bed bends: a sum of squares */
    rn_wide level_x, level_y; /* slopes of the surface */
} rn_slope_parts;

RN_KERNEL rn_slope_parts rn_column_parts(const rn_step_params *params, const rn_differences *along_x,
                                         const rn_differences *along_y) {
    const float per = params->per_cell;
    const rn_wide bend_x = rn_bed_bend(params, along_x), bend_y = rn_bed_bend(params, along_y);
    rn_slope_parts p;
    p.bed_x = rn_bed_slope(along_x) * per, p.bed_y = rn_bed_slope(along_y) * per;
    p.bent = bend_x * bend_x + bend_y * bend_y;
    p.level_x = rn_level_slope(along_x) * per, p.level_y = rn_level_slope(along_y) * per;
    return p;
}

/* Slopes of bed and surface of columns. `h` (m) is the largest depth of a column and its neighbours: it decides how far
   S fades where the bed bends. */
RN_KERNEL rn_slopes rn_slopes_at(const rn_step_params *params, rn_wide h, const rn_slope_parts *p) {
    const float per = params->per_cell, weight = RN_CURVED * (per * per) * (per * per);
    const rn_wide deep = h * h, curved = weight * deep * p->bent;
    const rn_wide keep = 1.0f - curved * deep / ((1.0f + curved) * (deep + params->viscous));
    rn_slopes s;
    s.e = 1.0f + keep * (p->bed_x * p->bed_x + p->bed_y * p->bed_y);
    s.bed_x = keep * p->bed_x, s.bed_y = keep * p->bed_y;
    s.part_x = s.bed_x * p->level_x;
    s.part_y = s.bed_y * p->level_y;
    return s;
}

/* The same, from steps around the columns. */
RN_KERNEL rn_slopes rn_column_slopes(const rn_step_params *params, rn_wide h, const rn_differences *along_x,
                                     const rn_differences *along_y) {
    const rn_slope_parts parts = rn_column_parts(params, along_x, along_y);
    return rn_slopes_at(params, h, &parts);
}

/* ---- Forces on a face -------------------------------------------------------------------------------------------- */

typedef struct rn_face {
    rn_wide zl, hl, zr, hr;
    rn_wide u, behind, ahead;  /* its speed, and those of the faces before l and after r on the same axis */
    rn_wide h_behind, h_ahead; /* depths beyond these faces */
    rn_wide el, er;            /* e of the columns */
    rn_wide bed_l, bed_r;      /* S along the face's axis */
    rn_wide part_l, part_r;    /* S.Z across it */
    rn_wide kappa;             /* 1/s */
    rn_wide manning, chezy;    /* m^(1/3) and 1: kernels/drag.h */
    rn_wide gap;               /* m from the sill to the lower ceiling */
    rn_wide room_l, room_r;    /* m that the columns still have room for */
    rn_wide contact;           /* m, contact head of r minus that of l */
    rn_wide hold;              /* m, difference of heads that the contact line withstands; with contact */
    rn_wide advancing, receding, brink_sine; /* of the ground above a brink: 1 - cos of its contact angles, and the sine
                                                of the advancing one; with contact */
    rn_mask open, fall, duct; /* there is a face; it is a fall; it is full, and a passage sets its speed */
} rn_face;

/* The input of transport, which carries speeds along the slope: sqrt(1 + S^2) times those seen from above. Where a
   stream meets a ramp, its energy is then conserved. The new speed is (pushed - change by transport) * kept, clamped
   to lo..hi. A closed face has lo = hi = 0. */
typedef struct rn_force {
    rn_wide kept, lo, hi;
    rn_wide along;  /* the speed u, along the slope */
    rn_wide pushed; /* after the forces, without drag */
    rn_wide half;   /* after half of the forces: the speed that transport carries */
    rn_wide gain;   /* 1/s: speed per metre of level difference, with drag; only in an implicit substep */
    rn_wide held;   /* m/s: the contact line holds a face that is pushed by less; with contact */
} rn_force;

/* The factor 1/(1 + G) on gravity, for G = S.Z, not negative, and e = 1 + S^2. Where the surface is more than
   RN_STEEPER times as steep as the bed, the drive G/(1 + G) continues along its tangent: otherwise noses of films would
   pile up. */
RN_KERNEL rn_wide rn_wedge(rn_wide G, rn_wide e) {
    const rn_wide limit = RN_STEEPER * (e - 1.0f), m = 1.0f + limit;
    const rn_mask steep = G > limit;
    if (!rn_any(steep)) return 1.0f / (1.0f + G);
    return rn_select(steep, limit * limit + G, rn_splat(1.0f)) / rn_select(steep, G * m * m, 1.0f + G);
}

/* The height (m) used for the drag of a face: H, the height of the face itself, or more at the steep nose of a film,
   which no grid resolves: a freshly wetted nose would stick to the bed, and a fast film would pile up behind it. Where
   a column feeds one of less than a quarter of its depth, and flow arrives there from behind with a Froude number above
   1, the larger depth of the feeding column and the column behind it counts, if more than H. */
RN_KERNEL rn_wide rn_drag_height(const rn_step_params *params, const rn_face *f, rn_wide H) {
    const rn_mask fast_l = (f->behind > 0.0f) & (f->behind * f->behind > params->gravity * f->h_behind);
    const rn_mask fast_r = (f->ahead < 0.0f) & (f->ahead * f->ahead > params->gravity * f->h_ahead);
    const rn_wide from_l = rn_keep(fast_l & (4.0f * f->hr < f->hl), rn_greater(f->hl, f->h_behind));
    const rn_wide from_r = rn_keep(fast_r & (4.0f * f->hl < f->hr), rn_greater(f->hr, f->h_ahead));
    return rn_greater(H, rn_greater(from_l, from_r));
}

/* Replaces step (m) and largest speed (m/s) of falls; other faces keep theirs. A fall is driven by the liquid above its
   brink (`sill`, m), by sideways gravity (`tilt`, m) and by the bed's slope there, but by no more than *step; its speed
   is at most that of the inflow, or critical. */
RN_KERNEL void rn_fall_head(const rn_step_params *params, const rn_face *f, rn_wide sill, rn_wide tilt, rn_wide *step,
                            rn_wide *most) {
    const rn_wide above = rn_greater(f->zr + f->hr, sill) - rn_greater(f->zl + f->hl, sill) - tilt;
    const rn_mask forward = above < 0.0f;
    const rn_wide slope = rn_size(rn_select(forward, f->bed_l, f->bed_r)) * params->cell;
    const rn_wide head = rn_lesser(rn_size(*step), rn_size(above) + slope);
    const rn_wide came = rn_size(rn_select(forward, f->behind, f->ahead));
    const rn_wide critical = rn_root(params->gravity * rn_select(forward, f->hl, f->hr));
    *step = rn_select(f->fall, rn_keep(above != 0.0f, rn_signed(head, above)), *step);
    *most = rn_select(f->fall, rn_greater(came, critical), *most);
}

/* Whether surface tension holds liquid back at the brink of a fall. On ground that slopes down to the brink by alpha,
   the edge of the liquid stays on the brink until its angle to the wall below is the advancing one: the surface pulls
   with up to G (1 + sin(theta - alpha)). Once liquid runs, it stops where pressure is G (1 - cos theta) of the receding
   angle. Pressure, momentum and the weight of a capillary length of liquid on the slope push against that. Liquid that
   falls into unlimited room is not held: into a hole, over an open edge, or with heads under a ceiling. */
RN_KERNEL rn_mask rn_brink_holds(const rn_step_params *params, const rn_face *f, const rn_face_kind kind) {
    const rn_mask forward = f->zl > f->zr;
    const rn_wide d = rn_select(forward, f->hl, f->hr), came = rn_select(forward, f->behind, f->ahead);
    const rn_wide fast = rn_greater(f->u * f->u, came * came);
    const rn_wide slope = kind.sloped ? rn_positive(rn_select(forward, -f->bed_l, f->bed_r)) : rn_splat(0.0f);
    const rn_wide cosine = 1.0f / rn_root(1.0f + slope * slope), sine = slope * cosine;
    const rn_wide push = d * (0.5f * d + 2.0f * params->half_per_g * fast + params->capillary * sine);
    const rn_wide turn = 1.0f + (f->brink_sine * cosine - (1.0f - f->advancing) * sine);
    const rn_wide stays = rn_lesser(turn, 8.0f * f->advancing); /* liquid that wets hardly stays */
    const rn_wide most = params->tension * rn_select(rn_size(f->u) > 0.0f, f->receding, stays);
    const rn_mask held = f->fall & (push < most);
    if (!kind.restricted) return held;
    return held & (rn_select(forward, f->room_r, f->room_l) < 1e30f);
}

/* Finds the forces on a face (pressure, gravity, drag and contact) and the bounds lo..hi of its new speed: both 0 on a
   closed face, 0 towards a full column, and f->u at a duct. rn_face_speed applies the forces, together with transport.
   `tilt` is sideways gravity along the face's axis (m per cell). In an implicit substep level differences, tilt and
   contact push only at falls; at other faces `gain` is set instead. */
RN_KERNEL rn_force rn_face_force(const rn_step_params *params, const rn_face *f, rn_wide tilt,
                                 const rn_face_kind kind) {
    const rn_wide level_l = f->zl + f->hl, level_r = f->zr + f->hr, sill = rn_greater(f->zl, f->zr);
    const rn_wide higher = rn_greater(level_l, level_r) - sill;
    const float dry = RN_DRY * params->quantum;
    rn_wide step = level_r - level_l;
    if (kind.tilted) step -= tilt;

    const rn_wide cap = rn_splat(params->most_speed);
    rn_wide most = cap;
    const rn_mask level = higher > dry;
    const bool falls = kind.falls && rn_any(f->fall);
    rn_mask open = level;
    rn_force out;
    out.lo = -cap, out.hi = cap;
    if (!kind.calm) { /* open by its levels, or by the kinetic head of the flow against it */
        const rn_wide from_l = rn_keep(f->hl > dry, rn_positive(f->behind));
        const rn_wide from_r = rn_keep(f->hr > dry, rn_lesser(f->ahead, rn_splat(0.0f)));
        const rn_wide head = rn_greater(level_l + params->half_per_g * (from_l * from_l),
                                        level_r + params->half_per_g * (from_r * from_r)) -
                             sill;
        open = head > dry;
        if (falls) open = (f->fall & level) | (~f->fall & open);
        if (falls && kind.contact) open &= ~rn_brink_holds(params, f, kind);
        if (kind.restricted) open &= f->open;
        out.lo = rn_select(level, -cap, from_r), out.hi = rn_select(level, cap, from_l);
    }

    rn_wide H = rn_lesser(rn_positive(higher), 0.5f * (f->hl + f->hr + rn_apart(f->zl, f->zr)));
    if (!kind.calm) H = rn_drag_height(params, f, H);
    if (kind.restricted) H = rn_lesser(H, f->gap);
    H = rn_greater(H, rn_splat(RN_THINNEST));
    if (falls) rn_fall_head(params, f, sill, tilt, &step, &most);

    rn_wide e = rn_splat(1.0f), slant = e, pull = params->gravity_kick * step, wedge = e;
    if (kind.sloped) {
        slant = rn_root(1.0f + 0.5f * (f->bed_l * f->bed_l + f->bed_r * f->bed_r));
        e = rn_select(step < 0.0f, f->el, rn_select(step > 0.0f, f->er, rn_lesser(f->el, f->er)));
        const rn_wide own = rn_select(step < 0.0f, f->bed_l, f->bed_r) * (step * params->per_cell);
        wedge = rn_wedge(rn_positive(own + 0.5f * (f->part_l + f->part_r)), e);
        pull = pull * wedge;
    }
    rn_wide held = {0};
    if (kind.contact) pull += params->gravity_kick * wedge * f->contact, held = params->gravity_kick * wedge * f->hold;
    rn_wide rate = f->kappa;
    if (params->turbulent) rate = rn_drag_rate(f->kappa, f->manning, f->chezy, rn_size(f->u), H);
    const rn_wide H2 = H * H, brake = params->kick_dt * (rate * H2 + params->nu3 * e);
    if (params->implicit) { /* liquid below a brink does not act on liquid that leaves it */
        const rn_mask left = open & level & ~f->fall;
        out.gain = rn_keep(left, params->gravity_kick * wedge * (H2 / (H2 + brake)));
        pull = rn_keep(f->fall, pull);
    }
    out.along = slant * f->u;
    out.pushed = slant * (f->u - pull);
    out.kept = H2 / (slant * (H2 + brake));
    if (kind.restricted) { /* no speed into a full column: passages handle that */
        const float full = RN_FULL * params->quantum;
        out.hi = rn_select(f->room_r <= full, rn_lesser(out.hi, rn_splat(0.0f)), out.hi);
        out.lo = rn_select(f->room_l <= full, rn_positive(out.lo), out.lo);
    }
    if (!kind.calm) {
        out.hi = rn_keep(open, rn_lesser(out.hi, most));
        out.lo = rn_keep(open, rn_greater(out.lo, -most));
    }
    rn_wide half = f->u - 0.5f * pull;
    if (kind.contact) { /* nothing leaves dry columns, whatever their heads */
        out.held = slant * held;
        half = rn_yielded(half, 0.5f * held);
        out.hi = rn_keep(f->hl > 0.0f, out.hi), out.lo = rn_keep(f->hr > 0.0f, out.lo);
    }
    out.half = rn_clamped(half * (H2 / (H2 + 0.5f * brake)), out.lo, out.hi);
    if (kind.restricted && rn_any(f->duct)) {
        out.half = rn_select(f->duct, params->jet_share * f->u, out.half);
        out.lo = rn_select(f->duct, f->u, out.lo), out.hi = rn_select(f->duct, f->u, out.hi);
    }
    out.half = slant * out.half;
    return out;
}

/* ---- Transport --------------------------------------------------------------------------------------------------- */

/* The speed (m/s) that a flow Q carries past the point between faces of speeds a and b, second order and limited.
   `before` and `beyond`: speeds of the next faces on the sides of a and of b. Q is positive from a to b; only its sign
   counts. c: the Courant number of the flow there. */
RN_KERNEL rn_wide rn_carried(rn_wide before, rn_wide a, rn_wide b, rn_wide beyond, rn_wide Q, rn_wide c) {
    const rn_mask forward = Q >= 0.0f;
    const rn_wide lean = 0.5f * (1.0f - c) * rn_minmod(rn_select(forward, a - before, beyond - b), b - a);
    return rn_select(forward, a + lean, b - lean);
}

/* The speed (m/s) that a flow Q across the faces carries past the point between faces of speeds a and b; arguments as
   for rn_carried. Thin fast sheets (Froude number above sqrt 2) are plainly upwinded, otherwise fronts would run ahead
   diagonally. `deep_a` and `deep_b` (m): the sums of the depths of the two columns at face a and at face b. */
RN_KERNEL rn_wide rn_carried_across(const rn_step_params *params, rn_wide before, rn_wide a, rn_wide b, rn_wide beyond,
                                    rn_wide Q, rn_wide c, rn_wide deep_a, rn_wide deep_b) {
    const rn_mask forward = Q >= 0.0f;
    const rn_wide donor = rn_select(forward, a, b), deep = rn_select(forward, deep_a, deep_b);
    return rn_select(donor * donor > params->gravity * deep, donor, rn_carried(before, a, b, beyond, Q, c));
}

/* Flows (m of depth, in the last substep) between the centres of l and r, and the speeds that they carry. */
typedef struct rn_transport {
    rn_wide west, east, south, north;         /* Q */
    rn_wide u_west, u_east, u_south, u_north; /* the speeds that they carry */
} rn_transport;

/* The effect of transport between the centres of l and r. */
typedef struct rn_momentum_flux {
    rn_wide gain;       /* m * m/s, momentum that leaves, relative to that of flow at speed u */
    rn_wide came, gone; /* m, inflow and outflow */
} rn_momentum_flux;

/* The momentum that the flows `t` take from a face of speed `u` (m/s) along the slope, and their inflow and outflow. */
RN_KERNEL rn_momentum_flux rn_transported(const rn_transport *t, rn_wide u) {
    rn_momentum_flux sum;
    sum.gain = (t->east * (t->u_east - u) - t->west * (t->u_west - u)) +
               (t->north * (t->u_north - u) - t->south * (t->u_south - u));
    sum.came = (rn_positive(t->west) + rn_positive(-t->east)) + (rn_positive(t->south) + rn_positive(-t->north));
    sum.gone = (rn_positive(-t->west) + rn_positive(t->east)) + (rn_positive(-t->south) + rn_positive(t->north));
    return sum;
}

/* The depth (m) that moves with a face, with `left` (m) in l and `right` in r: their mean. Exceptions: a thin sheet
   that runs over a step does not carry the pool into which it falls, and a slot carries no more than itself. Up a step
   liquid speeds up without loss, and the liquid below the brink does not move: there the mass is the one that conserves
   energy. `mean` is the columns' mean depth: a bed step higher than that counts as a step. */
RN_KERNEL rn_wide rn_face_mass(const rn_step_params *params, const rn_face *f, const rn_transport *t, rn_wide mean,
                               rn_wide left, rn_wide right, const rn_face_kind kind) {
    rn_wide mass = 0.5f * (left + right);
    const rn_mask high = mean < rn_apart(f->zl, f->zr);
    if ((kind.sloped || kind.restricted) && rn_any(high)) {
        const rn_mask forward = f->u > 0.0f;
        const rn_wide upper = 2.0f * rn_select(forward, left, rn_select(f->u < 0.0f, right, rn_lesser(left, right)));
        mass = rn_select(high, rn_lesser(mass, upper), mass);
        const rn_wide Q = rn_select(forward, t->west, -t->east), came = rn_select(forward, t->u_west, -t->u_east);
        const rn_mask climbs = high & (rn_select(forward, f->zr - f->zl, f->zl - f->zr) > 0.0f);
        const rn_mask speeds_up = (rn_size(f->u) > came) & (came > 0.0f) & (Q > 0.0f);
        const rn_wide same = Q / (params->half_last_per_cell * (rn_size(f->u) + came));
        mass = rn_select(climbs & speeds_up, rn_lesser(mass, same), mass);
    }
    if (kind.restricted) mass = rn_lesser(mass, 2.0f * f->gap);
    return mass;
}

/* The new speed (m/s) of a face, from transport and forces, within lo..hi of the force. `mass` (m): the result of
   rn_face_mass, raised here to the depth that has crossed; `mean` (m): the columns' mean depth. Without mass nothing is
   transported. With contact, a push that the hold withstands gives 0. */
RN_KERNEL rn_wide rn_face_speed(const rn_step_params *params, const rn_momentum_flux *t, const rn_force *force,
                                rn_wide mass, rn_wide mean, const rn_face_kind kind) {
    const rn_mask less = mass < mean;
    rn_wide crossed = t->came;
    if (rn_any(less)) crossed = rn_select(less, rn_greater(t->came, t->gone), t->came);
    mass = rn_greater(mass, params->kick_ratio * crossed);
    const rn_wide moved = rn_keep(mass > 0.0f, params->kick_ratio * t->gain / rn_greater(mass, rn_splat(1e-30f)));
    rn_wide pushed = force->pushed - moved;
    if (kind.contact) pushed = rn_yielded(pushed, force->held);
    return rn_clamped(pushed * force->kept, force->lo, force->hi) + 0.0f;
}

/* ---- Transfer ---------------------------------------------------------------------------------------------------- */

typedef struct rn_crossing {
    rn_wide zl, hl, zr, hr, u;
    rn_wide step_behind, step_ahead;   /* m, of the surface over the faces before l and after r */
    rn_mask plain_behind, plain_ahead; /* these exist, and are not falls */
    rn_wide fall_l, fall_r;            /* m, of l and r in half a substep: rn_half_fall */
    rn_wide rise_l, rise_r; /* m, how much higher l lies than the column before it, r than the one after it */
    rn_wide gap;
    rn_mask open, fall;
} rn_crossing;

/* Speed (m/s, positive from `here` to `there`) times the depth upwind (m^2/s): the flow through a side of a column.
   `here` and `there` are the depths (m) on both sides. */
RN_KERNEL rn_wide rn_carried_depth(rn_wide speed, rn_wide here, rn_wide there) {
    return speed * rn_select(speed > 0.0f, here, there);
}

/* How far (m) a column's depth h (m) falls in half a substep; negative if it rises. `spread`: divergence of the speed
   along the face's axis (m/s); `left`: net outflow across it (m^2/s). The slope of the surface covers the flow along
   the axis. Without the part across it, long waves of fast flow at an angle to the grid would grow. */
RN_KERNEL rn_wide rn_half_fall(const rn_step_params *params, rn_wide h, rn_wide spread, rn_wide left) {
    return 0.5f * params->lambda * (h * spread + left);
}

/* The depth (m) of liquid that goes up a step: its surface falls from `above` (m) the brink as it gains speed, to that
   on top of the step, `there` (m), but not below the critical depth, 2/3 of `above`. The result is 0 if `above` is
   negative. */
RN_KERNEL rn_wide rn_brink_depth(rn_wide above, rn_wide there) {
    const rn_wide all = rn_positive(above);
    return rn_greater(rn_lesser(all, there), (2.0f / 3.0f) * all);
}

/* The depth (m) of the liquid that crosses the face, from the upwind column's surface, half a substep ahead. `step`:
   the step of the surface over the face (m, r minus l). The result is at least 0 and at most twice the upwind depth;
   over steps and falls it is at most the upwind depth, and under ceilings at most f->gap. */
RN_KERNEL rn_wide rn_crossing_depth(const rn_step_params *params, const rn_crossing *f, rn_wide step,
                                    const rn_face_kind kind) {
    const rn_mask forward = f->u >= 0.0f;
    const rn_wide up = rn_select(forward, f->hl, f->hr), fall = rn_select(forward, f->fall_l, f->fall_r);
    const rn_wide rise = f->zr - f->zl, behind = rn_select(forward, f->step_behind, f->step_ahead);
    rn_wide lean = rn_minmod(behind, step);
    if (kind.restricted || kind.falls)
        lean = rn_select((forward & f->plain_behind) | (~forward & f->plain_ahead), lean, step);
    lean = 0.5f * (1.0f - rn_size(f->u * params->lambda)) * (lean - rise);
    const rn_wide wanted = up + rn_flipped(lean, rn_select(forward, rn_splat(1.0f), rn_splat(-1.0f))) - fall;
    const rn_wide mean = 0.5f * (f->hl + f->hr);
    const rn_mask high = mean < rn_size(rise);
    const bool steps = kind.sloped && rn_any(high);
    rn_wide most = 2.0f * up;
    if (steps) most = rn_select(high, up, most);
    rn_wide depth = rn_clamped(wanted, rn_splat(0.0f), most);
    const rn_wide up_rise = rn_select(forward, rise, -rise), there = rn_select(forward, f->hr, f->hl);
    const rn_wide above = rn_brink_depth(up - up_rise, there);
    if (steps) { /* up a step without a ramp goes only liquid that stands above it */
        const rn_wide before = rn_select(forward, f->rise_l, f->rise_r);
        const rn_mask step_up = (up_rise > mean) & (up_rise > 2.0f * rn_positive(before));
        depth = rn_select(step_up, rn_lesser(depth, above), depth);
    }
    if (kind.falls) /* up a fall goes only liquid that stands above its brink */
        depth = rn_select(f->fall, rn_select(up_rise > 0.0f, rn_lesser(up, above), up), depth);
    if (kind.restricted) depth = rn_lesser(depth, f->gap);
    return depth;
}

/* Sets the transfer (m, whole quanta, at most RN_MOST of them either way; 0 if closed) of liquid of this depth (m), and
   the speed (m/s): f->u, but at a face that comes to rest only that of the whole quanta. `step` (m) includes sideways
   gravity and contact. What the columns can give or take is not checked: rn_share_in and rn_share_out do that. */
RN_KERNEL void rn_crossing_transfer(const rn_step_params *params, const rn_crossing *f, rn_wide depth, rn_wide step,
                                    const rn_face_kind kind, rn_wide *speed, rn_wide *transfer) {
    const float least = RN_ASLEEP * params->quantum, level = kind.contact ? params->awake : least;
    const rn_wide v = depth * (f->u * params->lambda), size = rn_size(v);
    const rn_wide up = rn_select(f->u >= 0.0f, f->hl, f->hr);
    const float film = kind.contact ? params->clings : RN_CLINGS * params->quantum;
    const float slow = kind.contact ? params->quantum : params->quantum / RN_CLINGS;
    const rn_mask clings = (up <= film) & (size <= slow);
    rn_mask sleeps = ((rn_size(step) <= level) & (size <= least)) | clings;
    if (kind.contact) sleeps |= ~(depth > 0.0f); /* contact heads may pull for ever at a ledge that is too high */
    const rn_mask deep = (depth > RN_DEEP * params->quantum) & (depth * depth > params->nu3 * params->dt);
    const rn_wide dither =
        rn_select(deep, rn_splat(params->implicit ? params->dither : 0.5f), rn_splat(params->dither));
    const rn_wide count = size * params->per_quantum + rn_keep(~sleeps, dither);
    rn_wide t = rn_signed(rn_trunc(rn_lesser(count, rn_splat(RN_MOST))) * params->quantum, v);
    if (kind.restricted) t = rn_keep(f->open, t);
    *transfer = t + 0.0f;
    *speed = f->u;
    if (rn_any(sleeps)) {
        const rn_wide width = depth * params->lambda;
        const rn_wide slowed = rn_keep(width > 0.0f, t / rn_greater(width, rn_splat(1e-30f)));
        *speed = rn_select(sleeps, slowed, f->u) + 0.0f;
    }
}

/* ---- Step size --------------------------------------------------------------------------------------------------- */

/* The fastest signal (m/s) in a column of depth h (m): waves plus the speed of the liquid, faster in films ruled by
   drag. `e`: 1 + S^2; `part`: S.Z, which slows waves; `a` and `b`: the larger speeds (m/s, not negative) along x and y.
   The result is 0 in films not deeper than thin_depth. */
RN_KERNEL rn_wide rn_column_signal(const rn_step_params *params, rn_wide h, rn_wide e, rn_wide part, rn_wide a,
                                   rn_wide b) {
    const rn_wide deep = h * h, brake = params->dt * params->nu3 * e;
    const rn_wide speed = (a + b) * (1.0f + 2.0f * brake / (deep + brake));
    return rn_keep(h > params->thin_depth, rn_root(params->wave_factor * h / (1.0f + rn_positive(part))) + speed);
}

#endif
