/* What the solver of a world supports. */
#include "world/world.h"

#include "base/error.h"

rn_result rn_world_needs(const rn_world *world, uint32_t what, const char *thing) {
    if (world->mac && what != RN_CAN_RESHAPE)
        return rn_fail(RN_INVALID, "the 3D liquid (\"mac\") does not have %s", thing);
    if (rn_world_can(world, what)) return RN_OK;
    const rn_solver_class *other = NULL;
    for (int i = 0; !other && rn_solver_at(i); i++)
        if ((rn_solver_at(i)->can & what) == what) other = rn_solver_at(i);
    return rn_fail(RN_INVALID, "the solver \"%s\" (%s) does not have %s%s%s%s", world->solver->name,
                   world->solver->backend, thing, other ? "; use \"" : "", other ? other->name : "", other ? "\"" : "");
}
