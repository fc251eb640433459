/* Decides which parts of a world take part in a substep. A tile rests while nothing can have changed: its own pipes
   carried nothing twice in a row, and nothing moved around it. The next substep would give the same result, to the
   bit, and is skipped. */
#ifndef RN_SOLVER_TILES_H
#define RN_SOLVER_TILES_H

#include "solver/sweeps.h"

/* The position of a tile. */
typedef struct rn_tile_place {
    int layer, y, x; /* in tiles */
} rn_tile_place;

rn_tile_place rn_tile_at(const rn_grid *grid, int32_t tile); /* by tile number */
rn_tile *rn_tile_of(const rn_state *s, int32_t slot);        /* the nearest one for slots beyond the edges */
rn_tile_mask rn_tile_spot(const rn_state *s, int32_t slot);  /* the place of a slot within its tile */
/* The columns of a tile. */
rn_patch rn_tile_patch(const rn_state *s, int32_t tile);
rn_patch rn_run_patch(const rn_state *s, int32_t tile, int count); /* of `count` tiles along x */
/* Drops the columns before the first and after the last marked block. */
void rn_patch_narrow(rn_patch *patch, uint32_t blocks);

/* Marks rows, as bits, where some column would give more than it has (under), or get more than it has room for
   (over). */
static inline void rn_tile_limit(rn_state *s, rn_tile *tile, uint32_t under, uint32_t over) {
    if (under) __atomic_fetch_or(&tile->limited[0], under, __ATOMIC_RELAXED);
    if (over) __atomic_fetch_or(&tile->limited[1], over, __ATOMIC_RELAXED);
    if (under) __atomic_store_n(&s->schedule.limited[0], true, __ATOMIC_RELAXED);
    if (over) __atomic_store_n(&s->schedule.limited[1], true, __ATOMIC_RELAXED);
}

/* Finds the shape of a tile again if it has changed. */
void rn_tile_refresh(rn_state *s, int32_t tile);
/* Decides whether a tile rests, from the results of earlier substeps. Reads other tiles, but writes only this one. */
bool rn_tile_rests(const substep *step, int32_t tile, bool retimed);
/* Whether some transfer to or from a tile's columns may have changed in this substep. */
bool rn_tile_is_reached(const rn_state *s, int32_t tile);
/* The pipes that may carry something, from the wet columns. */
rn_tile_mask rn_tile_active(const rn_state *s, int32_t tile);
/* The columns that active pipes of this tile or of the tiles beside it reach. */
rn_tile_mask rn_tile_reached(const rn_state *s, int32_t tile);
/* The rows whose pipes or depths can change when outflows, or with `in` inflows, are limited. */
uint32_t rn_tile_curbed(const rn_state *s, int32_t tile, bool in);
/* An upper bound (m) of what a column gets or gives through ordinary pipes. */
float rn_tile_inflow(const rn_state *s, int32_t tile);
/* Whether some column could give more than it has. */
bool rn_tile_may_run_dry(const rn_state *s, int32_t tile);

/* Wakes a tile after a column was changed from outside; spot: its place, depth: its new depth (m). */
void rn_tile_touch(rn_tile *tile, rn_tile_mask spot, float depth);
/* Wakes the tiles of a row whose columns were changed. */
void rn_tiles_touch_row(rn_state *s, int layer, int y);
/* Wakes all tiles. */
void rn_tiles_touch_all(rn_state *s);
/* Marks tiles whose columns, in cells `from` to `to` of row y, have another shape or other pipes. */
void rn_tiles_reshape(rn_state *s, int from, int to, int y);
/* The same for a whole row of a layer. */
void rn_tiles_reshape_row(rn_state *s, int layer, int y);

#endif
