/* The threads of a world, for work between its steps. */
#include "world/world.h"

#include <runnel/surface.h>

struct rn_pool *rn_world_threads(const rn_world *world) {
    return world->pool;
}
