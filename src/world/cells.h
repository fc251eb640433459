/* Rectangles of cells. */
#ifndef RN_WORLD_CELLS_H
#define RN_WORLD_CELLS_H

#include <stdbool.h>

/* Cells from (x0, y0) up to, but not including, row y1 and column x1; empty if x1 <= x0 or y1 <= y0. */
typedef struct rn_cells {
    int x0, y0, x1, y1;
} rn_cells;

static inline bool rn_cells_empty(rn_cells cells) { return cells.x1 <= cells.x0 || cells.y1 <= cells.y0; }

/* The smallest rectangle that contains both a and b; if one of them is empty, the other. */
static inline rn_cells rn_cells_join(rn_cells a, rn_cells b) {
    if (rn_cells_empty(a)) return b;
    if (rn_cells_empty(b)) return a;
    return (rn_cells){a.x0 < b.x0 ? a.x0 : b.x0, a.y0 < b.y0 ? a.y0 : b.y0, a.x1 > b.x1 ? a.x1 : b.x1,
                      a.y1 > b.y1 ? a.y1 : b.y1};
}

#endif
