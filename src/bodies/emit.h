/* Output of the rasteriser: adds changes of the solid share with height (bodies/shares.h), one by one, for cells that
   are on the grid. */
#ifndef RN_BODIES_EMIT_H
#define RN_BODIES_EMIT_H

#include "bodies/shares.h"

/* A piece that rises by more than this share of a cell is cut into slices that rise by less. */
#define RN_SLICE 0.5
/* A piece that covers less than this share of a cell is not cut: it has little effect. */
#define RN_SLICE_WORTH 1e-5
/* The largest number of slices that a piece is cut into. */
enum { RN_MOST_SLICES = 1024 };

typedef struct rn_emitter {
    const rn_hooks *hooks;
    rn_share_changes *steps;
} rn_emitter;

/* Makes room for `more` changes after those there are, which are kept. Returns false, with a message, if memory runs
   out. */
static inline bool rn_emit_room(const rn_emitter *e, size_t more) {
    rn_share_changes *s = e->steps;
    while (s->capacity - s->count < more)
        if (!rn_grow(e->hooks, &s->list, &s->capacity, s->capacity, sizeof *s->list)) return false;
    return true;
}

/* Adds one change: above `height` (m), `share` more of the cell (y * nx + x) is solid, less if negative. The cell is
   not checked. Returns false, with a message, if memory runs out. */
static inline bool rn_emit(const rn_emitter *e, int cell, double height, double share) {
    if (!rn_emit_room(e, 1)) return false;
    rn_share_changes *s = e->steps;
    s->list[s->count++] = (rn_share_change){.cell = cell, .height = (float)height, .share = (float)share};
    return true;
}

/* Sets `to` to vertex `vertex` of `positions` (x y z in m): x and y in cells from the grid's origin, z in m. per_cell:
   1/m, one over the cell size. */
static inline void rn_find_corner(const rn_raster_grid *grid, double per_cell, const double *positions, uint32_t vertex,
                                  double to[3]) {
    const double *at = positions + 3 * (size_t)vertex;
    to[0] = (at[0] - grid->origin_x) * per_cell;
    to[1] = (at[1] - grid->origin_y) * per_cell;
    to[2] = at[2];
}

/* Cuts a triangle of any size, with corners from rn_find_corner, into cells and slices, and adds their changes; parts
   beyond the grid are left out. Returns false, with a message, if memory runs out. */
bool rn_raster_wide(const rn_emitter *e, const rn_raster_grid *grid, double corner[3][3]);

/* The number of slices, 1 to RN_MOST_SLICES, for a piece that rises by `rise` (m, 0 or more) and covers `share` of a
   cell, of either sign; 1 if it covers too little to matter. */
static inline int rn_slices(const rn_raster_grid *grid, double rise, double share) {
    const double most = RN_SLICE * grid->cell;
    if (rise <= most || (share < RN_SLICE_WORTH && share > -RN_SLICE_WORTH)) return 1;
    const double count = rise / most;
    return count < RN_MOST_SLICES ? (int)count + 1 : RN_MOST_SLICES;
}

/* The smallest of three numbers, none of which may be NaN. */
static inline double rn_least3(double a, double b, double c) {
    const double ab = RN_LESSER(a, b);
    return RN_LESSER(ab, c);
}

/* The greatest of three numbers, none of which may be NaN. */
static inline double rn_most3(double a, double b, double c) {
    const double ab = RN_GREATER(a, b);
    return RN_GREATER(ab, c);
}

#endif
