/* Which parts of a world take part in a substep. A tile rests while nothing can have changed: its own pipes carried
   nothing twice in a row, and nothing moved around it. Then the next substep would find the same again, to the bit, and
   is left out. */
#ifndef RN_SOLVER_TILES_H
#define RN_SOLVER_TILES_H

#include "solver/sweeps.h"

/* Where a tile is. */
typedef struct rn_tile_place {
    int layer, y, x; /* in tiles */
} rn_tile_place;

rn_tile_place rn_tile_at(const rn_grid *grid, int32_t tile); /* by its number */
rn_tile *rn_tile_of(const rn_state *s, int32_t slot);        /* the nearest one for slots past the edges */
rn_tile_mask rn_tile_spot(const rn_state *s, int32_t slot);  /* and where it is there */
rn_patch rn_tile_patch(const rn_state *s, int32_t tile);
rn_patch rn_run_patch(const rn_state *s, int32_t tile, int count); /* `count` of them along x */
/* Leaves out what lies before the first and after the last block of a tile. */
void rn_patch_narrow(rn_patch *patch, uint32_t blocks);

/* Notes rows, as bits, where some column would give more than it has (under), or get more than it has room for
   (over). */
static inline void rn_tile_limit(rn_state *s, rn_tile *tile, uint32_t under, uint32_t over) {
    if (under) __atomic_fetch_or(&tile->limited[0], under, __ATOMIC_RELAXED);
    if (over) __atomic_fetch_or(&tile->limited[1], over, __ATOMIC_RELAXED);
    if (under) __atomic_store_n(&s->schedule.limited[0], true, __ATOMIC_RELAXED);
    if (over) __atomic_store_n(&s->schedule.limited[1], true, __ATOMIC_RELAXED);
}

/* Looks at the shape of a tile if that has changed. */
void rn_tile_refresh(rn_state *s, int32_t tile);
/* Decides whether a tile takes no part, from what was found in the substeps before. Reads what belongs to others, but
   writes only what is its own. */
bool rn_tile_rests(const substep *step, int32_t tile, bool retimed);
/* Whether some transfer to or from a tile's columns may have changed in this substep. */
bool rn_tile_is_reached(const rn_state *s, int32_t tile);
/* All pipes that may carry something, from what is wet. */
rn_tile_mask rn_tile_active(const rn_state *s, int32_t tile);
/* All columns that active pipes of this tile or of the tiles beside it reach. */
rn_tile_mask rn_tile_reached(const rn_state *s, int32_t tile);
/* Rows whose pipes or depths limits on what columns give, or take, could change. */
uint32_t rn_tile_curbed(const rn_state *s, int32_t tile, bool in);
/* m: no column gets or gives more through ordinary pipes. */
float rn_tile_inflow(const rn_state *s, int32_t tile);
/* Whether some column could give more than it has. */
bool rn_tile_may_run_dry(const rn_state *s, int32_t tile);

/* A column was changed from outside of a substep: it is there in the tile, and has this depth (m) now. */
void rn_tile_touch(rn_tile *tile, rn_tile_mask spot, float depth);
/* Columns of a row were changed. */
void rn_tiles_touch_row(rn_state *s, int layer, int y);
/* Anything was changed. */
void rn_tiles_touch_all(rn_state *s);
/* The columns of some cells in a row have another shape, or other pipes. */
void rn_tiles_reshape(rn_state *s, int from, int to, int y);
/* The same for a whole row of a layer. */
void rn_tiles_reshape_row(rn_state *s, int layer, int y);

#endif
