/* Where what is rasterised goes: steps, one by one, of cells that are on the grid. */
#ifndef RN_BODIES_EMIT_H
#define RN_BODIES_EMIT_H

#include "bodies/raster.h"

/* A piece that rises by more than this share of a cell is cut into slices that do not. */
#define RN_SLICE 0.5
/* One that covers less than this share is not: it says little wherever it is. */
#define RN_SLICE_WORTH 1e-5
/* Nor into more than so many. */
enum { RN_MOST_SLICES = 1024 };

typedef struct rn_emitter {
    const rn_hooks *hooks;
    rn_steps *steps;
} rn_emitter;

static inline bool rn_emit(const rn_emitter *e, int cell, double height, double share) {
    rn_steps *s = e->steps;
    if (s->count == s->capacity) {
        void *list = s->list;
        if (!rn_grow(e->hooks, &list, &s->capacity, s->count, sizeof *s->list)) return false;
        s->list = list;
    }
    s->list[s->count++] = (rn_step_up){.cell = cell, .height = (float)height, .share = (float)share};
    return true;
}

/* How many slices something is cut into that rises by so much (m) and covers such a share. */
static inline int rn_slices(const rn_raster_grid *grid, double rise, double share) {
    const double most = RN_SLICE * grid->cell;
    if (rise <= most || (share < RN_SLICE_WORTH && share > -RN_SLICE_WORTH)) return 1;
    const double count = rise / most;
    return count < RN_MOST_SLICES ? (int)count + 1 : RN_MOST_SLICES;
}

static inline double rn_least3(double a, double b, double c) {
    const double ab = a < b ? a : b;
    return ab < c ? ab : c;
}

static inline double rn_most3(double a, double b, double c) {
    const double ab = a > b ? a : b;
    return ab > c ? ab : c;
}

/* The corners of a triangle: x and y in cells from the grid's origin, z in m. */
static inline void rn_corners(const rn_raster_grid *grid, double per_cell, const double *positions,
                              const uint32_t *triangle, double corner[3][3]) {
    for (int c = 0; c < 3; c++) {
        const double *at = positions + 3 * (size_t)triangle[c];
        corner[c][0] = (at[0] - grid->origin_x) * per_cell;
        corner[c][1] = (at[1] - grid->origin_y) * per_cell;
        corner[c][2] = at[2];
    }
}

#endif
