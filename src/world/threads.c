/* rn_world_threads (include/runnel/surface.h): the threads of a world, for work between its steps.

   world/skin.c builds the surface with them. The pool is idle between steps, so nobody has to make a second one; it
   must not be used while rn_world_step runs. */
#include "world/world.h"

#include <runnel/surface.h>

struct rn_pool *rn_world_threads(const rn_world *world) {
    return world->pool;
}
