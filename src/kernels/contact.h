/* Surface tension and the contact angle, as heads (m) of columns, for as many of them as an rn_wide has lanes.
   docs/contact.md derives every line.

   The energy of a liquid of density rho on a surface, per cell and divided by rho, is

     g h (z + h/2) + G (area of the liquid's surface / dx^2 - 1) + G (1 - cos theta) f(d),    G = gamma / rho

   f goes from 0 on dry ground to 1 where the liquid is deeper than its foot: f = t (2 - t), t = d / foot. The head
   of a column is the derivative with respect to its depth, divided by g, without the term of gravity. A drop at rest
   has the same head everywhere. */
#ifndef RN_KERNELS_CONTACT_H
#define RN_KERNELS_CONTACT_H

#include "kernels/pipe.h"

/* How a corner's slope follows from its four faces: this share from the means of opposite faces, the rest from each
   face alone. Means round the edges, single faces keep the surface from zigzagging. */
#define RN_CORNER_MEAN 0.5f
/* The share of the energy of wetting that is found at corners, from the mean depth of the four columns there; the rest
   is found in columns. With either alone, edges stick to cells. */
#define RN_WETTING_CORNERS 0.67f
#define RN_ALONG_EDGE      0.1f /* of its hold: what an edge withstands along itself */

/* Slopes of the surface along the four faces that meet at a corner: below and above it along x, left and right of it
   along y. A missing face has the slope of the opposite one. */
typedef struct rn_corner {
    rn_wide below, above, left, right;
} rn_corner;

/* The derivative of the area over a corner with respect to each of its four slopes. The area (per cell) is sqrt(1 + Q),
   Q a mean of squares of the slopes. */
RN_KERNEL rn_corner rn_corner_pull(const rn_corner *slope) {
    const float alone = 1.0f - RN_CORNER_MEAN;
    const rn_wide x = 0.5f * (slope->below + slope->above), y = 0.5f * (slope->left + slope->right);
    const rn_wide squares = (slope->below * slope->below + slope->above * slope->above) +
                            (slope->left * slope->left + slope->right * slope->right);
    const rn_wide Q = 0.5f * alone * squares + RN_CORNER_MEAN * (x * x + y * y), w = 0.5f / rn_root(1.0f + Q);
    rn_corner pull;
    pull.below = w * (alone * slope->below + RN_CORNER_MEAN * x);
    pull.above = w * (alone * slope->above + RN_CORNER_MEAN * x);
    pull.left = w * (alone * slope->left + RN_CORNER_MEAN * y);
    pull.right = w * (alone * slope->right + RN_CORNER_MEAN * y);
    return pull;
}

/* The capillary head (m) of the column between four corners, given what rn_corner_pull returns for them; positive where
   the surface bulges up. */
RN_KERNEL rn_wide rn_capillary_head(const rn_step_params *params, const rn_corner *south_west,
                                    const rn_corner *south_east, const rn_corner *north_west,
                                    const rn_corner *north_east) {
    const rn_wide along_x = (south_west->above - south_east->above) + (north_west->below - north_east->below);
    const rn_wide along_y = (south_west->right - north_west->right) + (south_east->left - north_east->left);
    return params->tension * params->per_cell * (along_x + along_y);
}

/* The weight (0 to 1) of the exchange between two columns of depths a and b (m) in a pass of the filter
   (solver/contact.c): their mean depth divided by the largest depth of all; 0 if one of the two is dry. */
RN_KERNEL rn_wide rn_filter_height(const rn_step_params *params, rn_wide a, rn_wide b) {
    const rn_wide both = rn_keep((a > 0.0f) & (b > 0.0f), 0.5f * (a + b));
    return rn_lesser(both * params->per_deepest, rn_splat(1.0f));
}

/* The head (m) of wetting per 1 - cos theta: f' G / g, for liquid of this depth (m) perpendicular to its bed. It falls
   linearly from dry ground to 0 at the foot and stays 0 in deeper liquid. */
RN_KERNEL rn_wide rn_wetting_head(const rn_step_params *params, rn_wide depth) {
    return params->tension * params->per_foot * 2.0f * rn_positive(1.0f - depth * params->per_foot);
}

/* Whether liquid of this vertical depth (m) is certainly deeper than the foot, also when measured perpendicular to a
   bed with `square` = 1 + S^2: then rn_wetting_head is 0, and rn_wet_ground 1. Spares a root and a division. */
RN_KERNEL rn_mask rn_is_past_foot(const rn_step_params *params, rn_wide depth, rn_wide square) {
    return depth * params->per_foot > 1.001f * square;
}

/* The wetness (0 to 1) of the ground under a column after a substep. `wet`: the wetness before the substep; `depth`
   (m): the vertical depth; `across` (m): perpendicular to the bed. The wetness becomes 1 once `across` reaches the
   foot, and stays under shallower liquid; dry ground loses `drying` per substep, down to 0. */
RN_KERNEL rn_wide rn_wet_ground(const rn_step_params *params, rn_wide wet, rn_wide depth, rn_wide across) {
    const rn_wide dried = rn_positive(wet - params->drying);
    return rn_select(across * params->per_foot >= 1.0f, rn_splat(1.0f), rn_select(depth > 0.0f, wet, dried));
}

/* The difference of heads (m) that an edge withstands between columns of holds l and r (m). Liquid that passes through
   both pays only once. Along an edge, where both holds are equal, some hold remains, otherwise edges would creep
   forever. */
RN_KERNEL rn_wide rn_face_hold(rn_wide l, rn_wide r) { return rn_apart(l, r) + RN_ALONG_EDGE * rn_lesser(l, r); }

/* The part of a push, with its sign, that exceeds a hold of the same unit (at least 0): 0 if the hold is larger. */
RN_KERNEL rn_wide rn_yielded(rn_wide push, rn_wide hold) {
    return rn_signed(rn_positive(rn_size(push) - hold), push) + 0.0f;
}

#endif
