/* The effect of liquid on bodies. */
#ifndef RN_WORLD_SETTLE_H
#define RN_WORLD_SETTLE_H

#include "world/world.h"

/* After the last part of a step of `seconds`: updates the effective surface and the loads, pushes the liquid back (if
   the solver has RN_CAN_PUSH), decides which bodies are aground and block from now on, and makes their current poses
   the beginning of the next step. Does nothing without bodies; if memory runs out, loads are 0 or stay as they were. */
void rn_bodies_settle(rn_world *world, double seconds);
/* Makes one empty scratch per thread of the world, unless they exist. Returns RN_MEMORY, with a message, if memory runs
   out; then there are none. */
rn_result rn_body_scratches_fit(rn_world *world);
/* Gathers the liquid around a body at its current pose, without flow, into the window of the scratch, with the depth of
   the body below the surface in each cell, and its vertices (m) into scratch->positions. Returns false, with a message,
   if memory runs out. even: as if all liquid in the window had its mean level. Threads may do this for different bodies
   at once. */
bool rn_body_submerge(const rn_world *world, rn_body *body, bool even, rn_body_scratch *scratch);
/* Frees all scratches; only for rn_world_destroy, the pointers are not cleared. */
void rn_body_scratches_free(rn_world *world);

#endif
