/* The effective surface: liquid as it would be without the bodies that block. */
#ifndef RN_WORLD_EFFECTIVE_H
#define RN_WORLD_EFFECTIVE_H

#include "world/world.h"

/* Room for as many planes as there are open ranges of the ground above each other, and for at least `least`. */
rn_result rn_effective_fit(rn_world *world, int least);
/* Takes over what a cell has where no body pushes it down: before columns are made for something that comes to stand
   there. Where its ground has just changed too, what was taken over before holds. */
void rn_effective_note(rn_world *world, int x, int y);
/* Carries levels and flow on under bodies, for this many seconds. Needs rn_body_scratches_fit. */
void rn_effective_step(rn_world *world, double seconds);
/* The liquid of these cells around something that reaches from low to high (m), but for its flow; false without
   memory. */
bool rn_effective_gather(const rn_world *world, rn_cells cells, double low, double high, rn_body_scratch *to);
/* And how it would flow without the body in those that have something of it below their level. */
void rn_effective_flow(const rn_world *world, bool blocks, rn_liquid_window *window);
/* Whether no body is in a cell of these, or in one of the four beside it, as far as they are known. */
bool rn_effective_clear(const rn_liquid_window *window, int x, int y);

#endif
