/* Pipes that are no ordinary ones: between layers, falls, and the way out over open edges; and the columns they meet.
   Private to the solver's own files. */
#ifndef RN_SOLVER_IRREGULAR_H
#define RN_SOLVER_IRREGULAR_H

#include "solver/rows.h"

/* Which irregular pipes and columns that they meet have liquid. */
void rn_irregular_look(substep *step);
void rn_irregular_fluxes(substep *step, rn_pool *pool);
/* Marks the tiles where such a column has too much to give or to take. */
void rn_irregular_check(substep *step, rn_pool *pool);
/* The shares of such columns, or of all columns with irregular pipes; then transfers and fluxes times shares; and all
   shares 1 again. Few have any, so that it is not worth sharing the work. */
void rn_irregular_shares(substep *step, bool in, bool all);
void rn_irregular_limits(substep *step, bool in);
void rn_irregular_free_shares(rn_state *s);
/* Adds what irregular pipes bring. */
void rn_irregular_depths(substep *step, rn_pool *pool);

#endif
