/* The drag of the ground on the flow between columns: the coefficients of kernels/drag.h, taken from the columns if
   they have their own, otherwise from the substep parameters. The physical model uses it (docs/model.md, step 3),
   with the speed of the face's last substep. Ducts use kappa alone. */
#ifndef RN_SOLVER_DRAG_H
#define RN_SOLVER_DRAG_H

#include "kernels/drag.h"
#include "solver/columns.h"

/* The coefficients of RN_LANES faces. */
typedef struct rn_drag {
    rn_wide kappa, manning, chezy; /* 1/s, m^(1/3), 1 */
} rn_drag;

/* The coefficients of uniform ground, from the substep parameters, in all lanes. */
RN_INLINE rn_drag rn_drag_even(const rn_step_params *params) {
    return (rn_drag){rn_splat(params->kappa), rn_splat(params->manning), rn_splat(params->chezy)};
}

/* The mean drag of RN_LANES columns from slot i on and as many from slot j on; uniform coefficients where the columns
   have none of their own. */
RN_INLINE rn_drag rn_drag_between(const rn_columns *c, const rn_step_params *params, int32_t i, int32_t j) {
    rn_drag drag = rn_drag_even(params);
    if (c->kappa) drag.kappa = 0.5f * (rn_load(c->kappa + i) + rn_load(c->kappa + j));
    if (c->manning) drag.manning = 0.5f * (rn_load(c->manning + i) + rn_load(c->manning + j));
    if (c->chezy) drag.chezy = 0.5f * (rn_load(c->chezy + i) + rn_load(c->chezy + j));
    return drag;
}

/* Writes the mean of the columns in slots i and j into one lane of those coefficients that columns have of their own;
   the others stay. */
RN_INLINE void rn_drag_gather(const rn_columns *c, int lane, int32_t i, int32_t j, rn_drag *drag) {
    if (c->kappa) drag->kappa[lane] = 0.5f * (c->kappa[i] + c->kappa[j]);
    if (c->manning) drag->manning[lane] = 0.5f * (c->manning[i] + c->manning[j]);
    if (c->chezy) drag->chezy[lane] = 0.5f * (c->chezy[i] + c->chezy[j]);
}

/* The rate (1/s) at which flow of this speed (m/s, 0 or more) is slowed through a face of this height (m). */
RN_INLINE rn_wide rn_drag_of(const rn_drag *drag, rn_wide speed, rn_wide H) {
    return rn_drag_rate(drag->kappa, drag->manning, drag->chezy, speed, H);
}

#endif
