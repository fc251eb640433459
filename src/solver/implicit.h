/* The implicit step: free and flooded columns in one solve, after Casulli. Fluxes follow from the heads at the end
   of the substep, so waves do not limit its length; where a head is above the ceiling, the column is simply full. */
#ifndef RN_SOLVER_IMPLICIT_H
#define RN_SOLVER_IMPLICIT_H

#include "solver/implicit_memory.h"
#include "solver/passages.h"

/* Makes room for the columns of this state and sets their open shares to 1; call it again when they have changed. Does
   nothing if they have not. Returns RN_MEMORY, with a message, if memory runs out; the caller then calls
   rn_implicit_free, or this function again. */
rn_result rn_implicit_fit(rn_implicit *implicit, const rn_state *s);
/* Frees all arrays, not `implicit` itself, which can be fitted again. */
void rn_implicit_free(rn_implicit *implicit, const rn_hooks *hooks);
size_t rn_implicit_bytes(const rn_implicit *implicit); /* memory held */

/* Takes one substep, with all threads of the pool. Needs rn_implicit_fit. Sets *extremes if the solve converges. If
   not, *converged is false, and depths and speeds have not changed. Returns RN_MEMORY, with a message, if memory runs
   out; then depths and speeds have not changed either, and *converged may not be set. */
rn_result rn_implicit_step(rn_implicit *implicit, rn_flood *flood, rn_state *s, const rn_step_params *params,
                           rn_pool *pool, rn_extremes *extremes, bool *converged);

#endif
