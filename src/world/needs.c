/* What the solver of a world can do. */
#include "world/world.h"

#include "base/error.h"

rn_result rn_world_needs(const rn_world *world, uint32_t what, const char *thing) {
    if (rn_world_can(world, what)) return RN_OK;
    return rn_fail(RN_INVALID, "the solver \"%s\" (%s) does not have %s; use another solver, such as \"explicit\"",
                   world->solver->name, world->solver->backend, thing);
}
