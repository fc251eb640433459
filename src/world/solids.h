/* Shapes that add to the ground or cut into it. */
#ifndef RN_WORLD_SOLIDS_H
#define RN_WORLD_SOLIDS_H

#include "solver/archive.h"
#include "world/ground.h"

/* Marks cells as stale that moved solids have left or entered since the last call. */
void rn_solids_mark_moved(rn_world *world);
/* The open ranges of a cell: its ground with all shapes, but without bodies. */
void rn_solids_draw(const rn_world *world, int x, int y, rn_draft *cell);
/* Writes the open ranges of a cell without bodies, bottom to top, into room for RN_MOST_LAYERS; returns their
   number. */
int rn_solids_gaps(const rn_world *world, int x, int y, rn_column_range *gaps);

/* Before a state is read: makes room for the ground in `layers` layers (0: none is stored), and removes all but the
   first `count` solids. */
rn_result rn_solids_keep(rn_world *world, int layers, size_t count);
void rn_solids_free(rn_world *world);
size_t rn_solids_bytes(const rn_world *world);
/* Saves, checks or restores solids and ground, by the pass of the archive. */
rn_result rn_solids_archive(rn_world *world, rn_archive *a);

#endif
