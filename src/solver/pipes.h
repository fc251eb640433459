/* The explicit step: multi-layer virtual pipes with exact volume. */
#ifndef RN_SOLVER_PIPES_H
#define RN_SOLVER_PIPES_H

#include "solver/passages.h"

/* One substep of the paper's model: fluxes, limits, depths. Sinks then hold what has reached them. Needs the passages
   of this substep (rn_flood_find). */
void rn_pipes_step(rn_state *state, const rn_step_params *params, rn_flood *flood, rn_pool *pool,
                   rn_extremes *extremes);

/* The second half of a substep: from transfers, as if no column could run dry or over, to depths. Passages move what is
   theirs. */
struct substep;
void rn_pipes_move(struct substep *step, rn_flood *flood, rn_pool *pool);

/* After something else has changed depths or fluxes: finds heights and speeds again, and what is wet. */
void rn_pipes_measure(rn_state *state, const rn_step_params *params, rn_extremes *extremes);

/* After the depth of one column has changed between substeps. */
void rn_pipes_changed(rn_state *state, int32_t slot);
/* After depths of a row have; the row counts as wet from then on. */
void rn_pipes_row_wetted(rn_state *state, int layer, int y);
/* After columns and fluxes of a row have. */
void rn_pipes_row_changed(rn_state *state, int layer, int y);

#endif
