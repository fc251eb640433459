/* The explicit substep of pipes, with exact volume (solver/pipes.c), and what to call after depths have changed between
   substeps (solver/changes.c). */
#ifndef RN_SOLVER_PIPES_H
#define RN_SOLVER_PIPES_H

#include "solver/passages.h"

/* Takes one substep of the paper's model: fluxes, limits, depths; sets *extremes. Liquid that has reached sinks is left
   in them. Needs the passages of this substep (rn_flood_find). */
void rn_pipes_step(rn_state *state, const rn_step_params *params, rn_flood *flood, rn_pool *pool,
                   rn_extremes *extremes);

struct substep;
/* Second half of a substep: from transfers, found as if no column could run dry or over, to depths. Limits transfers
   that are too large, moves liquid through passages, and finds which rows are wet and which tiles rest. Needs
   rn_passages_hold before the transfers were found; releases the pipes of ducts. */
void rn_pipes_move(struct substep *step, rn_flood *flood, rn_pool *pool);

/* After depths or fluxes were changed from outside: sets *extremes from heights, speeds and levels, finds wet rows
   again, and copies depths and fluxes across periodic edges. Wakes all tiles. */
void rn_pipes_measure(rn_state *state, const rn_step_params *params, rn_extremes *extremes);

/* Call it after depths of `count` columns of a row, from `slot` on, have changed between substeps; `deepest`: the
   largest of them (m). Wakes their tiles, and updates the row and its copies beyond periodic edges. */
void rn_pipes_changed(rn_state *state, int32_t slot, int32_t count, float deepest);
/* Call it after depths of a row have changed: wakes its tiles, and copies its depths across periodic edges. The row
   then counts as wet. */
void rn_pipes_row_wetted(rn_state *state, int layer, int y);
/* Call it after columns and fluxes of a row have changed: wakes its tiles, marks the row as wet if some depth is above
   0, and copies its depths and fluxes across periodic edges. */
void rn_pipes_row_changed(rn_state *state, int layer, int y);

#endif
