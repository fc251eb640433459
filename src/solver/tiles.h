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

rn_tile_place rn_tile_at(const rn_grid *grid, int32_t tile); /* the place of tile number `tile` */
rn_tile *rn_tile_of(const rn_state *s, int32_t slot); /* the tile of a slot, or the nearest one beyond the edges */
rn_tile_mask rn_tile_spot(const rn_state *s, int32_t slot); /* the line and block of a slot within its tile, as bits */
/* The columns of a tile, all rows marked. */
rn_patch rn_tile_patch(const rn_state *s, int32_t tile);
rn_patch rn_run_patch(const rn_state *s, int32_t tile, int count); /* the same of `count` tiles along x */
/* Drops the columns before the first and after the last marked block (bits); at least one block stays. */
void rn_patch_narrow(rn_patch *patch, uint32_t blocks);

/* Marks rows of a tile, as bits, where some column would give more than it has (under), or get more than it has room
   for (over), and that there are such rows. Threads may do this at the same time. */
static inline void rn_tile_limit(rn_state *s, rn_tile *tile, uint32_t under, uint32_t over) {
    if (under) __atomic_fetch_or(&tile->limited[0], under, __ATOMIC_RELAXED);
    if (over) __atomic_fetch_or(&tile->limited[1], over, __ATOMIC_RELAXED);
    if (under) __atomic_store_n(&s->schedule.limited[0], true, __ATOMIC_RELAXED);
    if (over) __atomic_store_n(&s->schedule.limited[1], true, __ATOMIC_RELAXED);
}

/* Finds the shape of a tile again where it is stale; otherwise does nothing. Clears transfers where columns have
   vanished. */
void rn_tile_refresh(rn_state *s, int32_t tile);
/* Decides whether a tile rests, from the results of earlier substeps. `retimed`: parameters have changed, and only a
   level tile stays at rest. A tile with columns never rests if edges are periodic, nor with contact unless it and the
   tiles around it are dry. Reads other tiles, but writes only this one: height, looked and level. */
bool rn_tile_rests(const substep *step, int32_t tile, bool retimed);
/* Whether some transfer to or from a tile's columns may have changed in this substep: this tile is awake, or the one
   before it along x or y is. */
bool rn_tile_is_reached(const rn_state *s, int32_t tile);
/* The pipes of a tile that may carry something, from the wet columns of this tile and of the tiles after it along x and
   y; all if edges are periodic. */
rn_tile_mask rn_tile_active(const rn_state *s, int32_t tile);
/* The rows and blocks of a tile that are wet, or that active pipes of this tile or of the tiles before it reach. */
rn_tile_mask rn_tile_reached(const rn_state *s, int32_t tile);
/* The rows of a tile, as bits, whose pipes or depths can change when outflows, or with `in` inflows, are limited in it
   or around it. */
uint32_t rn_tile_curbed(const rn_state *s, int32_t tile, bool in);
/* An upper bound (m) of what a column of the tile gets or gives through ordinary pipes in this substep. */
float rn_tile_inflow(const rn_state *s, int32_t tile);
/* Whether some column of the tile could give more than it has; always with junctions. */
bool rn_tile_may_run_dry(const rn_state *s, int32_t tile);

/* Wakes a tile after a column was changed from outside; spot: the column's place, which counts as wet; depth: its new
   depth (m). */
void rn_tile_touch(rn_tile *tile, rn_tile_mask spot, float depth);
/* Wakes the tiles of a row whose columns were changed; they count as wet everywhere until the next substep. */
void rn_tiles_touch_row(rn_state *s, int layer, int y);
/* Wakes all tiles; they count as wet everywhere until the next substep. */
void rn_tiles_touch_all(rn_state *s);
/* Wakes tiles whose columns, in cells x `from` to `to` of row y, in any layer, have another shape or other pipes, and
   those near enough to be affected; their shapes are found again later. */
void rn_tiles_reshape(rn_state *s, int from, int to, int y);
/* Marks all tiles of row y of a layer and of the rows beside it as having another shape, and wakes them. */
void rn_tiles_reshape_row(rn_state *s, int layer, int y);

/* Whether loops without ceilings suffice for columns of bases up to `highest` and depths up to `deepest` (m): below the
   lid there is room for twice the depth, the most that can cross a face, and no column is full. */
static inline bool rn_is_far_from_lid(const rn_state *s, float highest, float deepest) {
    const float height = s->columns.lid - highest;
    return height >= 2.0f * deepest && height - deepest > RN_FULL * s->columns.quantum;
}

#endif
