/* Pipes that are no ordinary ones: between layers, falls, and the way out over open edges; and the columns they meet.
   Private to the solver's own files. */
#ifndef RN_SOLVER_LOOSE_H
#define RN_SOLVER_LOOSE_H

#include "solver/rows.h"

/* Which loose pipes and columns that they meet have liquid. */
void rn_loose_look(substep *step);
void rn_loose_fluxes(substep *step, rn_pool *pool);
/* Marks the tiles where such a column has too much to give or to take. */
void rn_loose_check(substep *step, rn_pool *pool);
/* The shares of such columns, or of all columns with loose pipes; then transfers and fluxes times shares; and all
   shares 1 again. Few have any, so that it is not worth sharing the work. */
void rn_loose_shares(substep *step, bool in, bool all);
void rn_loose_limits(substep *step, bool in);
void rn_loose_free_shares(rn_state *s);
/* Adds what loose pipes bring. */
void rn_loose_depths(substep *step, rn_pool *pool);

#endif
