/* Flow through passages: what comes in at some portals in a substep goes out at others, to the quantum, and flooded
   columns stay as full as they are. The flux of a duct is kept where that of its pipe is, so that nothing is forgotten
   when a column floods or drains. docs/passages.md. */
#ifndef RN_SOLVER_PASSAGES_H
#define RN_SOLVER_PASSAGES_H

#include "solver/flood.h"

/* The passages of an explicit substep, once they are found: before and after ordinary pipes find their fluxes; once
   those are limited; and once depths have changed. */
void rn_passages_hold(rn_flood *flood, rn_state *s, const rn_step_params *params);
void rn_passages_drive(rn_flood *flood, rn_state *s, const rn_step_params *params, rn_pool *pool);
void rn_passages_move(rn_flood *flood, rn_state *s, const rn_step_params *params, rn_extremes *extremes);
void rn_passages_end(const rn_flood *flood, rn_state *s, const rn_step_params *params);

/* The implicit step's share of the same: a first guess at the heads of columns that have filled up; ducts as its solve
   has left them, in whole quanta; less of those where a portal cannot give or take them; nothing through any; and pipes
   once more. */
rn_result rn_passages_init_heads(rn_flood *flood, rn_state *s);
void rn_passages_take(rn_flood *flood, rn_state *s, const rn_step_params *params);
void rn_passages_repair(rn_flood *flood, rn_state *s, const rn_step_params *params, const float *give,
                        const float *take);
void rn_passages_stop(rn_flood *flood, rn_state *s);
void rn_passages_release(const rn_flood *flood, rn_state *s);

#endif
