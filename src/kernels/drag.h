/* The drag of the ground on the flow, for the physical model: rates (1/s) at which the flow loses its speed.
   docs/model.md has a table of common values. */
#ifndef RN_KERNELS_DRAG_H
#define RN_KERNELS_DRAG_H

#include "kernels/pipe.h"

#define RN_DRAG_SHALLOWEST 1e-7f /* m: a thinner film has the drag of this depth */

/* x^(-1/3) for x of at least RN_DRAG_SHALLOWEST, with a relative error of 1e-7. The bits of a float are nearly its
   logarithm; subtracting a third of them from a constant gives x^(-1/3) to 4 %. Each step of Newton for y^-3 = x leaves
   twice the square of the error. The bits do not depend on the number of lanes: only exact integer operations and + - *
   on floats are used. */
RN_KERNEL rn_wide rn_inverse_cube_root(rn_wide x) {
    const rn_mask bits = (rn_mask)x;
    rn_mask third = (bits >> 2) + (bits >> 4); /* 1/3 = 1/4 + 1/16 + 1/64 + ... */
    third = third + (third >> 4);
    third = third + (third >> 8);
    rn_wide y = (rn_wide)(0x54a21d2a - third);
    for (int step = 0; step < 3; step++) y = y + (1.0f / 3.0f) * y * (1.0f - x * (y * y * y));
    return y;
}

/* r = kappa + |u| (g n^2 / H^(4/3) + g / (C^2 H)): linear friction, Manning's and Chezy's. kappa in 1/s, manning = g
   n^2 in m^(1/3), chezy = g/C^2, speed = |u| in m/s, H in m. Without the last two this is kappa, to the bit. A height
   below RN_DRAG_SHALLOWEST counts as that one. Returns r in 1/s. */
RN_KERNEL rn_wide rn_drag_rate(rn_wide kappa, rn_wide manning, rn_wide chezy, rn_wide speed, rn_wide H) {
    const rn_wide deep = rn_greater(H, rn_splat(RN_DRAG_SHALLOWEST));
    return kappa + speed * ((manning * rn_inverse_cube_root(deep) + chezy) / deep);
}

#endif
