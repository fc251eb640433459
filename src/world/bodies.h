/* The list of the bodies of a world. */
#ifndef RN_WORLD_BODIES_H
#define RN_WORLD_BODIES_H

#include "world/world.h"

/* Adds the effect of all bodies to a hash. */
uint64_t rn_bodies_hash(const rn_world *world, uint64_t hash);
/* Saves, checks or restores all bodies, by the pass of the archive. RN_INVALID: another number of bodies. */
rn_result rn_bodies_archive(rn_world *world, rn_archive *a);
void rn_bodies_free(rn_world *world);
size_t rn_bodies_bytes(const rn_world *world); /* memory held */

#endif
