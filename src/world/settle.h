/* What liquid does to bodies. */
#ifndef RN_WORLD_SETTLE_H
#define RN_WORLD_SETTLE_H

#include "world/world.h"

/* After the last part of a step: the effective surface, loads, and which bodies block from now on. */
void rn_bodies_settle(rn_world *world, double seconds);
/* Makes one scratch per thread. */
rn_result rn_body_scratches_fit(rn_world *world);
/* A body in the liquid around it, into the scratch's window and positions; false without memory. Threads may do this
   for different bodies at once. The liquid is level if `even`. */
bool rn_body_submerge(const rn_world *world, rn_body *body, bool even, rn_body_scratch *scratch);
void rn_body_scratches_free(rn_world *world);

#endif
