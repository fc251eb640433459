/* Irregular pipes: between layers, into holes, and out over open edges; and the junctions where they end. Private to
   the solver's own files. */
#ifndef RN_SOLVER_IRREGULAR_H
#define RN_SOLVER_IRREGULAR_H

#include "solver/rows.h"

/* Finds the irregular pipes and junctions with liquid; the others are skipped in this substep. */
void rn_irregular_look(substep *step);
/* Finds their fluxes and transfers, by the paper's equations. */
void rn_irregular_fluxes(substep *step, rn_pool *pool);
/* Marks the tiles where a junction would give more than it has, or get more than it has room for. */
void rn_irregular_check(substep *step, rn_pool *pool);
/* Finds the share of their inflows (`in`) or outflows that junctions can take or give. `all`: also for junctions
   that rn_irregular_check has not marked. */
void rn_irregular_shares(substep *step, bool in, bool all);
/* Multiplies transfers and fluxes of irregular pipes by the shares of their columns. */
void rn_irregular_limits(substep *step, bool in);
/* Sets the shares of all junctions to 1. */
void rn_irregular_free_shares(rn_state *s);
/* Adds the transfers of irregular pipes to the depths of junctions. */
void rn_irregular_depths(substep *step, rn_pool *pool);

#endif
