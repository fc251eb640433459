/* The explicit step that carries momentum (kernels/face.h; docs/momentum.md). */
#ifndef RN_SOLVER_MOMENTUM_H
#define RN_SOLVER_MOMENTUM_H

#include "solver/passages.h"

/* One substep: forces and transport, then transfers, limits and depths. Sinks then hold what has reached them. The
   passages have been found. */
void rn_momentum_step(rn_state *s, const rn_law *law, rn_flood *flood, rn_pool *pool, rn_peak *peak);

/* After something else has changed depths or speeds: how deep and how fast liquid is now, and what is wet. */
void rn_momentum_measure(rn_state *s, const rn_law *law, rn_peak *peak);

/* Fluxes from speeds, for hosts that look at them; and back, where hosts have changed fluxes. */
void rn_momentum_show(rn_state *s);
void rn_momentum_take(rn_state *s);

#endif
