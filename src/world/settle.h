/* The effect of liquid on bodies. */
#ifndef RN_WORLD_SETTLE_H
#define RN_WORLD_SETTLE_H

#include "world/world.h"

/* After the last part of a step: updates the effective surface, the loads, and which bodies block. */
void rn_bodies_settle(rn_world *world, double seconds);
/* Makes one scratch per thread. */
rn_result rn_body_scratches_fit(rn_world *world);
/* Gathers the liquid around a body into the window of the scratch, and its vertices; false without memory. even:
   with a level surface. Threads may do this for different bodies at once. */
bool rn_body_submerge(const rn_world *world, rn_body *body, bool even, rn_body_scratch *scratch);
void rn_body_scratches_free(rn_world *world);

#endif
