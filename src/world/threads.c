/* A world's threads, for what is made of it between steps. */
#include "world/world.h"

#include <runnel/surface.h>

struct rn_pool *rn_world_threads(const rn_world *world) {
    return world->pool;
}
