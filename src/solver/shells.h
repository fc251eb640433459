/* Windows that only the grid makes.

   Where a slab is steep and thinner than its rise from cell to cell, its underside in one cell lies above its top in
   the next: the liquid below it and the liquid on it would be joined. Such a window is told from a real one by the
   solid itself, in its middle, on the line between the cells. */
#ifndef RN_SOLVER_SHELLS_H
#define RN_SOLVER_SHELLS_H

#include "solver/state.h"

typedef struct rn_window_list {
    rn_closed_opening *windows;
    size_t count, capacity;
} rn_window_list;

/* Columns a and b overlap; b lies one cell further along the axis and counts `drop` lower (m). Adds their window to the
   list if it is a false one; cells and axes come in order. Columns that were given, not cut from a solid, have none. */
rn_result rn_shells_look(const rn_state *s, const rn_columns_def *def, int32_t a, int32_t b, int axis, float drop,
                         rn_window_list *to);
/* Whether the window between two such columns is a false one, or what edits and bodies have left of one. */
bool rn_shells_shut(const rn_state *s, int32_t a, int32_t b, int axis, float drop);

#endif
