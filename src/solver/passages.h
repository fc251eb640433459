/* Flow through passages: the liquid that enters at some portals in a substep leaves at others, to the quantum, and
   flooded columns stay full. The flux of a duct is stored where that of its pipe is, so that nothing is lost when a
   column floods or drains. docs/passages.md. */
#ifndef RN_SOLVER_PASSAGES_H
#define RN_SOLVER_PASSAGES_H

#include "solver/flood.h"

/* ---- Explicit substeps, in this order. All need the lists of rn_flood_find. ---- */

/* Before ordinary pipes find their fluxes: ducts take over the fluxes (m^3/s) of their pipes, as flux and last_flux;
   the pipes are marked as held, and the tiles of ordinary ones are woken. */
void rn_passages_hold(rn_flood *flood, rn_state *s, const rn_step_params *params);
/* After ordinary pipes have found their fluxes: releases the pipes, and finds the transfers of ducts, in whole quanta.
   Sets flood->failed to whether the solve did not converge; then there are no transfers. */
void rn_passages_drive(rn_flood *flood, rn_state *s, const rn_step_params *params, rn_pool *pool);
/* Once the transfers of ordinary pipes are limited: limits those of ducts to what portals can give and take, writes
   them to the pipes, wakes their tiles, marks portals without enough room as pressed, and raises height and speed of
   the extremes. Does nothing if the solve failed. */
void rn_passages_move(rn_flood *flood, rn_state *s, const rn_step_params *params, rn_extremes *extremes);
/* Once depths have changed: writes the fluxes of ducts to their pipes; if the solve failed, those of before the
   substep. With momentum, writes the speeds of these fluxes at the new depths instead, or 0 where a duct is closed. */
void rn_passages_end(rn_flood *flood, rn_state *s, const rn_step_params *params);

/* ---- Implicit substeps ---- */

/* If some columns have just filled up, finds the flooded columns again (rn_flood_find) and gives the new ones a first
   head; otherwise does nothing. Returns RN_MEMORY, with a message, if memory runs out; then no column has got one. */
rn_result rn_passages_init_heads(rn_flood *flood, rn_state *s);
/* After the solve: marks the pipes of ducts as held, takes over their fluxes, turns these into whole quanta that
   balance, and writes both to the pipes. Columns gain nothing: `fill` becomes 0. */
void rn_passages_take(rn_flood *flood, rn_state *s, const rn_step_params *params);
/* Limits the transfers of passages to the shares (0 to 1, by slot) that portals can give and take, and writes transfers
   and fluxes to the pipes. */
void rn_passages_repair(rn_flood *flood, rn_state *s, const rn_step_params *params, const float *give,
                        const float *take);
/* Sets all transfers of ducts to 0 for this substep; fluxes stay. */
void rn_passages_stop(rn_flood *flood, rn_state *s);
/* Removes the marks of held pipes from all ducts. */
void rn_passages_release(rn_flood *flood, rn_state *s);

#endif
