/* The columns of a place. */
#ifndef RN_WORLD_FOOTPRINT_H
#define RN_WORLD_FOOTPRINT_H

#include "world/world.h"

/* The columns of a source's place: how many there are, the most that a moving disk can have, and their slots and
   weights put into arrays with room for them. */
int32_t rn_footprint_count(const rn_world *world, const rn_source_def *def);
int32_t rn_footprint_room(const rn_world *world, double radius);
void rn_footprint_fill(const rn_world *world, const rn_source_def *def, rn_source *source);

#endif
