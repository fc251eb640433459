/* Windows that only the grid makes.

   Where a slab is steep and thinner than its rise from cell to cell, its underside in one cell lies above its top in
   the next: the liquid below it and the liquid on it would be joined. Such a window is told from a real one by the
   solid itself, in its middle, on the line between the cells. */
#ifndef RN_SOLVER_SHELLS_H
#define RN_SOLVER_SHELLS_H

#include "solver/state.h"

/* Finds the false windows of all cells, from the solid of their terrain; columns that were given have none. */
rn_result rn_shells_find(rn_state *s, const rn_columns_def *def);
/* Whether a window between columns a and b, the latter of the next cell along an axis and `drop` lower (m), is a false
   one, or what edits and bodies have left of one. */
bool rn_shells_shut(const rn_state *s, int32_t a, int32_t b, int axis, float drop);

#endif
