/* Shapes that add to the ground or cut into it. */
#ifndef RN_WORLD_SOLIDS_H
#define RN_WORLD_SOLIDS_H

#include "world/ground.h"

/* Makes the cells stale that shapes have come to or left since the last time. */
void rn_solids_mark_moved(rn_world *world);
/* The open ranges of a cell: its ground with all shapes, but without bodies. */
void rn_solids_draw(const rn_world *world, int x, int y, rn_gaps *cell);

#endif
