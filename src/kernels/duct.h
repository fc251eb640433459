/* The maths of a duct: a pipe that is full up to its ceiling, so that liquid moves through it as through a slot. Its
   ends have heads: the level that a standpipe through the ceiling would show, or at a free surface simply the level.
   docs/passages.md derives every line. */
#ifndef RN_KERNELS_DUCT_H
#define RN_KERNELS_DUCT_H

#include "kernels/pipe.h"

/* Drag times H^2 (m^2/s) of a duct of height H (m), with ground friction kappa (1/s) and e of rn_duct_slope. Between
   floor and ceiling the viscous part is 12 nu/H^2, four times that under a free surface. */
RN_KERNEL rn_wide rn_duct_drag(const rn_step_params *params, rn_wide kappa, rn_wide H, rn_wide e) {
    return kappa * (H * H) + 4.0f * params->nu3 * e;
}

/* e = 1 + S^2 (at least 1) of the line midway between floor and ceiling, from end to end: a sloping duct is longer and
   lower than it looks from above. */
RN_KERNEL rn_wide rn_duct_slope(const rn_step_params *params, const rn_ends *p) {
    const rn_wide S = (0.5f / params->cell) * ((p->bi + p->ci) - (p->bj + p->cj));
    return 1.0f + S * S;
}

/* The height (m) of a duct: between the higher floor and the lower ceiling; 0 (closed) if that is below RN_CLOSED. */
RN_KERNEL rn_wide rn_duct_height(const rn_ends *p) {
    const rn_wide H = rn_lesser(p->ci, p->cj) - rn_greater(p->bi, p->bj);
    return rn_keep(H >= RN_CLOSED, H);
}

/* Sets the factors of a duct's new flux (m^3/s): kept * f + gain * dh, for its flux f and the head dh (m) of end i
   above end j. `D` is that of rn_duct_drag. Both are 0 in a closed duct. */
RN_KERNEL void rn_duct_split(const rn_step_params *params, rn_wide H, rn_wide e, rn_wide D, rn_wide *kept,
                             rn_wide *gain) {
    const rn_wide H2 = H * H, share = H2 / (H2 + params->dt * D);
    const rn_mask open = H >= RN_CLOSED;
    *kept = rn_keep(open, share);
    *gain = rn_keep(open, (params->dt * params->gravity * H) * share / e);
}

#define RN_BRIM 0.99f /* of the flow over a brink: a jet at this limit counts as over it */

/* The state where a duct ends at a free surface. */
typedef struct rn_portal_state {
    rn_wide level; /* m, as it acts on the duct */
    rn_wide loss;  /* 1/s, rate at which it slows the flow through this last cell */
} rn_portal_state;

/* The state of a portal, where a duct ends at a free surface; `p`: both ends of its duct, `level`: the level of its
   free surface (m), `out`: the outward flux (m^3/s). Liquid below the sill cannot pull. A jet, faster than flow over a
   brink, fills the opening up to its top. Heads in ducts include kinetic energy: inflow brings that of the stream
   before the portal, which is slower in proportion to its larger depth, and outflow, jet or not, carries all of its
   energy away (portal.loss). */
RN_KERNEL rn_portal_state rn_duct_portal(const rn_step_params *params, const rn_ends *p, rn_wide level, rn_wide out) {
    const rn_wide H = rn_duct_height(p), sill = rn_greater(p->bi, p->bj), top = rn_lesser(p->ci, p->cj);
    const rn_wide critical = RN_BRIM * RN_OVERFALL * params->cell * H, above = level - sill;
    const rn_mask leaves = (out > 0.0f) & (H > 0.0f);
    const rn_mask jet = leaves & (out * out >= critical * critical * (params->gravity * H));
    const rn_wide speed = out / (params->cell * rn_greater(above, H));
    rn_portal_state portal;
    portal.level = rn_greater(level, rn_select(jet, top, sill)) +
                   rn_keep((out < 0.0f) & (H > 0.0f) & (above > 0.0f), params->half_per_g * (speed * speed));
    portal.loss = rn_keep(leaves, 0.5f * out / (params->cell * params->cell * H));
    return portal;
}

/* Sets the factors of a duct's new flux kept * f + gain * dh (rn_duct_split) by Dagenais 2018, Eq. 8 and then 5: as if
   the passage were one cell long. H (m): height of its narrowest duct, above 0; closed ducts are not handled. */
RN_KERNEL void rn_duct_paper(const rn_step_params *params, rn_wide H, rn_wide *kept, rn_wide *gain) {
    const rn_wide slowed = H * H / (H * H + params->dt * params->nu3);
    *kept = params->friction_factor * slowed;
    *gain = params->dt * params->gravity * params->cell * slowed;
}

/* The whole quanta, with its sign, that a flux (m^3/s) moves in a substep, at most RN_MOST either way. They are
   dithered, or with `sleeps`, when the passage rests, rounded towards 0. */
RN_SCALAR int64_t rn_duct_quanta(const rn_step_params *params, float f, bool sleeps) {
    const float v = f * (params->dt / (params->cell * params->cell)), count = fabsf(v) * params->per_quantum;
    const int64_t whole = (int64_t)fminf(count + (sleeps ? 0.0f : params->dither), RN_MOST);
    return v < 0.0f ? -whole : whole;
}

#endif
