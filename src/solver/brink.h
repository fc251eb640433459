/* The contact angles that hold liquid back at the brinks of falls (rn_brink_holds in kernels/face.h): those of the
   liquid, or those of the upper column's ground where columns have their own (world/wetting.c). */
#ifndef RN_SOLVER_BRINK_H
#define RN_SOLVER_BRINK_H

#include "kernels/face.h"
#include "solver/columns.h"

/* Sets the angles of RN_LANES faces from columns with angles of their own; `advancing` and `receding`: 1 - cos of
   them. */
RN_INLINE void rn_brink_set(rn_wide advancing, rn_wide receding, rn_face *f) {
    f->advancing = advancing, f->receding = receding;
    f->brink_sine = rn_root(rn_positive(advancing * (2.0f - advancing)));
}

/* Sets the angles of RN_LANES faces that are the same everywhere. */
RN_INLINE void rn_brink_even(const rn_step_params *params, rn_face *f) {
    f->advancing = rn_splat(params->advancing), f->receding = rn_splat(params->receding);
    f->brink_sine = rn_splat(params->brink_sine);
}

/* Sets the angles of the faces from RN_LANES columns, from slot i on, to as many from slot j on; f->zl and f->zr must
   be set. */
RN_INLINE void rn_brink_between(const rn_columns *c, const rn_step_params *params, int32_t i, int32_t j, rn_face *f) {
    rn_brink_even(params, f);
    if (!c->advancing) return;
    const rn_mask from_l = f->zl > f->zr;
    rn_brink_set(rn_select(from_l, rn_load(c->advancing + i), rn_load(c->advancing + j)),
                 rn_select(from_l, rn_load(c->receding + i), rn_load(c->receding + j)), f);
}

#endif
