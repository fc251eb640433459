/* The explicit step that carries momentum (kernels/face.h; docs/model.md). */
#ifndef RN_SOLVER_MOMENTUM_H
#define RN_SOLVER_MOMENTUM_H

#include "solver/passages.h"

/* One substep: forces and transport, then transfers, limits and depths. Needs the passages of this substep
   (rn_flood_find). Leaves in sinks the liquid that has reached them. */
void rn_momentum_step(rn_state *s, const rn_step_params *params, rn_flood *flood, rn_pool *pool, rn_extremes *extremes);

/* The first part of an implicit substep: leaves in `next` the speeds after transport and drag, in `gain` what level
   differences would add to them, in `width` the depths of what crosses. */
struct substep;
void rn_momentum_predict(struct substep *step, rn_pool *pool);

/* Liquid that sources have just added has no speed of its own: it slows what is there. Forgets what was added. */
void rn_momentum_dilute(rn_state *s, rn_pool *pool);

/* Call it after depths or speeds were changed from outside. Measures the extremes that the next substep follows from,
   and wakes all tiles. */
void rn_momentum_measure(rn_state *s, const rn_step_params *params, rn_extremes *extremes);

/* Writes the fluxes that hosts view, from the speeds. */
void rn_momentum_show(rn_state *s);
/* Takes speeds from fluxes that hosts have written. Faces whose flux is still as shown keep their speed. */
void rn_momentum_take(rn_state *s);

#endif
