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

/* Adds a range (m above the datum) above the others, without a partial solid; nothing if ceil <= base. Beyond
   RN_MOST_LAYERS it only sets to->full. */
void rn_draft_add(rn_draft *to, float base, float ceil);
/* Begins a draft without open ranges: solid throughout; full: the initial value of its flag. */
void rn_draft_begin(rn_draft *cell, bool full);
/* Fills the heights from low to high (m above the datum) with solid: cuts, splits or removes open ranges. Sets
   cell->full if a split makes too many. Partial solids are lost. */
void rn_draft_close(rn_draft *cell, float low, float high);
/* Adds a range (m above the datum) to the open ones, and joins it with those that it overlaps or touches. Sets
   cell->full if there are too many. Partial solids are lost. */
void rn_draft_open(rn_draft *cell, float low, float high);
/* Removes ranges that are narrower than rn_least_opening. A range that begins below the datum is a sink: it is kept if
   it reaches above the datum, and then begins two cells below it. */
void rn_draft_drop_narrow(const rn_columns *s, rn_draft *cell);
/* Fails with RN_LIMIT and a message: cell (x, y) has too many ranges. */
rn_result rn_draft_fail_full(const rn_world *world, int x, int y);

/* Stores the columns as they are now as the ground that all changes start from; does nothing if it is stored already.
   On failure returns RN_INVALID (the solver does not support ground that changes) or RN_MEMORY, with a message. */
rn_result rn_solids_keep_ground(rn_world *world);
/* Writes the stored ground of a cell to a draft; without ranges if no ground is stored. */
void rn_ground_of(const rn_world *world, int x, int y, rn_draft *cell);
/* Sets the stored ground of a cell, with more room for all cells if it has more ranges; notes that the ground was
   altered if it differs. The ground must be stored. Does not mark the cell as stale. Returns RN_MEMORY, with a message,
   if memory runs out; then nothing has changed. */
rn_result rn_ground_set(rn_world *world, int x, int y, const rn_draft *cell);
/* Makes room for `layers` ranges, no fewer than now, in every cell; stored ranges are kept, new ones are empty. Without
   stored ground, all cells are stored without ranges: call rn_solids_keep_ground instead. Returns RN_MEMORY, with a
   message, if memory runs out; then nothing has changed. */
rn_result rn_ground_grow(rn_world *world, int layers);
/* Marks cells, all within the grid, as stale: their columns must be made again. The ground must be stored, unless
   there are none. */
void rn_ground_make_stale(rn_world *world, rn_cells cells);
/* Marks one cell as stale. The ground must be stored. */
void rn_solids_touch(rn_world *world, int x, int y);

#endif
