/* Shapes that add to the ground or cut into it. */
#ifndef RN_WORLD_SOLIDS_H
#define RN_WORLD_SOLIDS_H

#include "solver/archive.h"
#include "world/ground.h"

/* Marks cells as stale that solids have left or entered since the last call, by moving, bending or being added, shown
   or hidden, and stores the cells that they cover now. */
void rn_solids_mark_moved(rn_world *world);
/* Writes the open ranges of a cell to a draft: its stored ground with all solids in the order in which they were added,
   but without bodies. Solids count in the cells that rn_solids_mark_moved has stored. */
void rn_solids_draw(const rn_world *world, int x, int y, rn_draft *cell);
/* Writes the open ranges (m above the datum) of a cell without bodies, bottom to top, into room for RN_MOST_LAYERS;
   returns their number. Writes those of the columns if no ground is stored. */
int rn_solids_gaps(const rn_world *world, int x, int y, rn_column_range *gaps);

/* Before a state is read: makes room for the ground in `layers` layers (0: none is stored, and it is freed), and
   removes all but the first `count` solids. No cell is stale afterwards. Ranges of the ground have no meaning until
   they are read. On failure returns RN_MEMORY or RN_INVALID (the solver does not support ground that changes), with a
   message; then solids are unchanged. */
rn_result rn_solids_keep(rn_world *world, int layers, size_t count);
/* Frees all solids and everything made for them; only for rn_world_destroy, the pointers are not cleared. */
void rn_solids_free(rn_world *world);
/* The memory (bytes) held, without the shapes of solids. */
size_t rn_solids_bytes(const rn_world *world);
/* Saves, checks or restores solids and stored ground, by the pass of the archive; solids that the state does not have
   are removed, and the ground counts as altered from then on if that of the state is another. Invalid data sets
   a->broken, without a message. Hashes do not include them. Returns RN_MEMORY or RN_INVALID on reading, with a
   message. */
rn_result rn_solids_archive(rn_world *world, rn_archive *a);

#endif
