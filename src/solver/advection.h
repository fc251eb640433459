/* Momentum that liquid carries along, between ordinary pipes of one layer (docs/model.md, step 9). */
#ifndef RN_SOLVER_ADVECTION_H
#define RN_SOLVER_ADVECTION_H

#include "solver/rows.h"

/* After the limits, before the depths change: speeds from fluxes. */
void rn_advection_look(substep *step, rn_pool *pool);
/* After the depths have changed: mixes the speeds along the transfers, and fluxes follow. Fluxes past periodic edges
   are then out of date. */
void rn_advection_step(substep *step, rn_pool *pool);

#endif
