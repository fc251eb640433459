/* The list of the bodies of a world. */
#ifndef RN_WORLD_BODIES_H
#define RN_WORLD_BODIES_H

#include "world/world.h"

/* Returns `hash` extended by the quanta that floating bodies have added to each cell; poses do not matter. */
uint64_t rn_bodies_hash(const rn_world *world, uint64_t hash);
/* Saves, checks, restores or hashes all bodies and liquid held back, by the pass of the archive; archives older than
   bodies count as having none. On failure returns RN_INVALID (the archive has another number of bodies) or RN_MEMORY,
   with a message. Sets a->broken, without a message, if the data is not valid. */
rn_result rn_bodies_archive(rn_world *world, rn_archive *a);
/* Frees all bodies and everything made for them; only for rn_world_destroy, the pointers are not cleared. */
void rn_bodies_free(rn_world *world);
size_t rn_bodies_bytes(const rn_world *world); /* memory held */

#endif
