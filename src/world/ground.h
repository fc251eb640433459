/* The ground that columns are made from, as open ranges of cells, and the cells that must be made again. It knows
   nothing of shapes and bodies. */
#ifndef RN_WORLD_GROUND_H
#define RN_WORLD_GROUND_H

#include "world/world.h"

/* The open ranges of a cell while they are worked out, bottom to top. */
typedef struct rn_draft {
    rn_column_shape list[RN_MOST_LAYERS];
    int count;
    bool full; /* there would be more ranges than fit */
} rn_draft;

/* The number of stale cells whose columns are made at a time, shared among threads. */
enum { RN_DRAWN_TOGETHER = 512 };

/* Adds a range above the others. */
void rn_draft_add(rn_draft *to, float base, float ceil);
/* Begins a draft without open ranges; full: the initial value of its flag. */
void rn_draft_begin(rn_draft *cell, bool full);
/* Fills the heights from low to high (m above the datum) with solid. */
void rn_draft_close(rn_draft *cell, float low, float high);
/* Adds a range to the open ones, and joins it with those that it touches. */
void rn_draft_open(rn_draft *cell, float low, float high);
/* Removes ranges too low for liquid; a sink must reach above the datum. */
void rn_draft_drop_narrow(const rn_columns *s, rn_draft *cell);
/* Fails with RN_LIMIT and a message: the cell has too many ranges. */
rn_result rn_draft_fail_full(const rn_world *world, int x, int y);

/* Stores the ground as it is now, to make columns from; does nothing if it is stored already. */
rn_result rn_solids_keep_ground(rn_world *world);
/* The stored ground of a cell; without ranges if no ground is stored. */
void rn_ground_of(const rn_world *world, int x, int y, rn_draft *cell);
/* Sets the stored ground of a cell. The ground must be stored. */
rn_result rn_ground_set(rn_world *world, int x, int y, const rn_draft *cell);
/* Makes room for `layers` ranges in every cell. */
rn_result rn_ground_grow(rn_world *world, int layers);
/* Marks cells as stale: their columns must be made again. */
void rn_ground_make_stale(rn_world *world, rn_cells cells);
/* Marks one cell as stale. */
void rn_solids_touch(rn_world *world, int x, int y);

#endif
