/* The flow through ducts: the heads of flooded columns, and the resulting fluxes. These are not yet whole quanta:
   solver/passages.c rounds and limits them. Private to the solver's own files. */
#ifndef RN_SOLVER_DUCT_FLUXES_H
#define RN_SOLVER_DUCT_FLUXES_H

#include "solver/flood.h"

/* Converts a flux from a to b at a portal into a flux into the passage, and back. */
static inline float rn_duct_inward(const rn_duct *duct, float value) { return duct->node_a < 0 ? value : -value; }

/* Finds the height of a duct, and the level and loss at its portal. `paper`: without jets and losses. */
void rn_duct_look(const rn_state *s, const rn_step_params *params, rn_duct *duct, bool paper);
/* Gives heads to flooded columns that have none. */
void rn_ducts_start(const rn_flood *flood, rn_state *s);
/* Finds the fluxes of all ducts from those of the last substep in `last_flux`. flood->failed: the solve did not
   converge. */
void rn_ducts_drive(rn_flood *flood, rn_state *s, const rn_step_params *params, rn_pool *pool);

#endif
