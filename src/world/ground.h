/* The ground that columns are made from, as open ranges of cells, and which cells are to be made again. It knows of no
   shapes and no bodies. */
#ifndef RN_WORLD_GROUND_H
#define RN_WORLD_GROUND_H

#include "world/world.h"

/* Open ranges of a cell while they are being worked out, bottom to top. */
typedef struct rn_draft {
    rn_column_shape list[RN_MOST_LAYERS];
    int count;
    bool full; /* there would be more */
} rn_draft;

/* The number of stale cells whose columns are made at a time, shared among threads. */
enum { RN_DRAWN_TOGETHER = 512 };

/* Adds a range above the others. */
void rn_draft_add(rn_draft *to, float base, float ceil);
/* Begins with no open range. */
void rn_draft_begin(rn_draft *cell, bool full);
/* Fills the heights from low to high (m above the datum) with solid. */
void rn_draft_close(rn_draft *cell, float low, float high);
/* Adds a range to the open ones, and joins it with those that it meets. */
void rn_draft_open(rn_draft *cell, float low, float high);
/* Ranges without room count as solid; a sink needs room above the datum. */
void rn_draft_drop_narrow(const rn_columns *s, rn_draft *cell);
/* The failure for a cell that would have too many. */
rn_result rn_draft_fail_full(const rn_world *world, int x, int y);

/* Keeps the ground as it is now to make columns from. */
rn_result rn_solids_keep_ground(rn_world *world);
/* The ground of a cell as it is kept; no range if none is kept. */
void rn_ground_of(const rn_world *world, int x, int y, rn_draft *cell);
/* Sets the ground of a cell. It must be kept. */
rn_result rn_ground_set(rn_world *world, int x, int y, const rn_draft *cell);
/* Makes room for `layers` ranges in every cell. */
rn_result rn_ground_grow(rn_world *world, int layers);
/* Marks cells whose columns are to be made again. */
void rn_ground_make_stale(rn_world *world, rn_cells cells);
/* Marks one cell. */
void rn_solids_touch(rn_world *world, int x, int y);

#endif
