/* False windows: openings that exist only because of the grid.

   Where a slab is steep and thinner than its rise from cell to cell, its underside in one cell lies above its top in
   the next: the liquid below it and the liquid on it would be joined. A window is false if there is solid in its
   middle, on the line between the cells. */
#ifndef RN_SOLVER_SHELLS_H
#define RN_SOLVER_SHELLS_H

#include "solver/state.h"

typedef struct rn_window_list {
    rn_closed_opening *windows;
    size_t count, capacity;
} rn_window_list;

/* Columns a and b overlap; b lies one cell further along the axis and counts `drop` (m) lower. Adds their window to the
   list if it is false; call it in order of cells and axes. Columns that were given by the host, not cut from a solid,
   have none. Returns RN_MEMORY, with a message, if memory runs out; the caller frees the list. */
rn_result rn_shells_look(const rn_state *s, const rn_columns_def *def, int32_t a, int32_t b, int axis, float drop,
                         rn_window_list *to);
/* Whether the window between columns a and b, placed as for rn_shells_look, is a listed false one, or a part of one
   that edits and bodies have left. Returns false if the window has grown beyond a listed one. */
bool rn_shells_shut(const rn_state *s, int32_t a, int32_t b, int axis, float drop);

#endif
