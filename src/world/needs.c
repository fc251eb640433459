/* rn_world_needs (world/world.h): refuses what the solver of a world does not support, with a message that names a
   solver that does.

   It is called wherever a host asks for something that not all solvers have: when edges, bodies, solids, forces or
   regions of friction are added. Solvers list their abilities as bits (RN_CAN_..., solver/solver.h), so no file has
   to know their names. In a world with a 3D liquid the columns are only a mirror, and abilities of their solver do
   not count. */
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
