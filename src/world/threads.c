/* rn_world_threads and rn_world_device (include/runnel/surface.h): what a world steps on, for work between its steps.

   world/skin.c builds the surface with the threads. The pool is idle between steps, so nobody has to make a second one;
   it must not be used while rn_world_step runs. */
#include "world/world.h"

#include <runnel/surface.h>

struct rn_pool *rn_world_threads(const rn_world *world) {
    return world->pool;
}

rn_device *rn_world_device(const rn_world *world) {
    return world->solver && world->solver->device ? world->solver->device(world->self) : NULL;
}
