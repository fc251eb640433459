/* The explicit step that carries momentum (kernels/face.h; docs/model.md). */
#ifndef RN_SOLVER_MOMENTUM_H
#define RN_SOLVER_MOMENTUM_H

#include "solver/passages.h"

/* Takes one substep: forces and transport, then transfers, limits and depths. Needs the passages of this substep
   (rn_flood_find). Liquid that has reached sinks is left in them. */
void rn_momentum_step(rn_state *s, const rn_step_params *params, rn_flood *flood, rn_pool *pool, rn_extremes *extremes);

/* First part of an implicit substep, rn_momentum_predict: writes the speeds after transport and drag to `next`, the
   speed per metre of level difference to `gain`, and the depths that cross to `width`. */
struct substep;
void rn_momentum_predict(struct substep *step, rn_pool *pool);

/* Slows the flow where sources have just added liquid, which is at rest. Clears the added amounts. */
void rn_momentum_dilute(rn_state *s, rn_pool *pool);

/* Call it after depths or speeds were changed from outside. Measures the extremes that set the next substep, and
   wakes all tiles. */
void rn_momentum_measure(rn_state *s, const rn_step_params *params, rn_extremes *extremes);

/* Writes the fluxes that hosts see, from the speeds. */
void rn_momentum_show(rn_state *s);
/* Takes speeds from fluxes that hosts have written. Faces whose flux is still as shown keep their speed. */
void rn_momentum_take(rn_state *s);

#endif
