/* The flow through ducts: the heads of flooded columns, and the resulting fluxes. These are not yet whole quanta:
   solver/passages.c rounds and limits them. Private to the solver's own files. */
#ifndef RN_SOLVER_DUCT_FLUXES_H
#define RN_SOLVER_DUCT_FLUXES_H

#include "solver/flood.h"

/* Converts a flux from a to b, of a duct with a portal, into a flux into the passage, and such a flux back. */
static inline float rn_duct_inward(const rn_duct *duct, float value) { return duct->node_a < 0 ? value : -value; }

/* Sets the height of a duct, and if it has a portal the level, loss and tilt_rise there; needs duct->last_flux.
   `paper`: without jets and losses. */
void rn_duct_look(const rn_state *s, const rn_step_params *params, rn_duct *duct, bool paper);
/* Gives heads to flooded columns that have none: the level of a portal beside them, or the head of a neighbour, unless
   that level or head lies below their ceiling. Some may remain without (0). */
void rn_ducts_start(rn_flood *flood, rn_state *s);
/* Finds heights and fluxes (m^3/s) of all ducts from those of the last substep in `last_flux`, and with heads also new
   heads and `fill` of nodes, and raises flood->iterations. flood->failed must be false; it becomes true if the solve
   does not converge: then columns keep their heads, or have got a first one, and fluxes must not be used. */
void rn_ducts_drive(rn_flood *flood, rn_state *s, const rn_step_params *params, rn_pool *pool);

#endif
