/* What the passes of a substep share: how they walk over rows. Private to the solver's own files. */
#ifndef RN_SOLVER_ROWS_H
#define RN_SOLVER_ROWS_H

#include "solver/state.h"

typedef struct substep {
    rn_state *s;
    const rn_law *law;
} substep;

typedef struct place {
    int layer, y;
} place;

static inline int row_count(const rn_state *s) { return s->grid.layers * s->grid.ny; }
static inline place row_place(const rn_state *s, int row) { return (place){row / s->grid.ny, row % s->grid.ny}; }

/* Past periodic edges a row continues with its own other end, and rows with the row at the other end. */
static inline void mirror_row(const rn_state *s, float *array, int layer, int y) {
    const rn_grid *g = &s->grid;
    float *row = array + rn_slot(g, layer, y, 0);
    if (s->periodic_x) {
        row[-1] = row[g->nx - 1];
        row[g->nx] = row[0];
    }
    if (!s->periodic_y) return;
    size_t bytes = ((size_t)g->nx + 2) * sizeof *row;
    if (y == 0) memcpy(array + rn_slot(g, layer, g->ny, -1), row - 1, bytes);
    if (y == g->ny - 1) memcpy(array + rn_slot(g, layer, -1, -1), row - 1, bytes);
}

static inline rn_mask load_flags(const uint8_t *flags) {
    rn_mask mask;
    for (int lane = 0; lane < RN_LANES; lane++) mask[lane] = flags[lane] ? -1 : 0;
    return mask;
}

/* Pipes that are no ducts. */
static inline rn_mask load_open(const uint8_t *flags) {
    rn_mask mask;
    for (int lane = 0; lane < RN_LANES; lane++) mask[lane] = flags[lane] == 1 ? -1 : 0;
    return mask;
}

static inline void raise(float *peak, float value) { *peak = value > *peak ? value : *peak; }

#endif
