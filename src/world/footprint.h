/* The columns that a source covers. */
#ifndef RN_WORLD_FOOTPRINT_H
#define RN_WORLD_FOOTPRINT_H

#include "world/world.h"

/* The number of columns that a source covers now, one per cell at most; 0: none. Not for rain and losses. */
int32_t rn_footprint_count(const rn_world *world, const rn_source_def *def);
/* The largest number of columns that a disk of this radius (m) can cover, wherever it moves. */
int32_t rn_footprint_room(const rn_world *world, double radius);
/* Writes slots and weights of the covered columns to the arrays of the source, which have room, and sets its count, its
   largest weight, and its lowest base (m above the datum; INFINITY without columns). The weights add up to 1. */
void rn_footprint_fill(const rn_world *world, const rn_source_def *def, rn_source *source);

#endif
