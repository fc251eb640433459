/* The effective surface: the liquid as it would be without blocking bodies. */
#ifndef RN_WORLD_EFFECTIVE_H
#define RN_WORLD_EFFECTIVE_H

#include "world/world.h"

/* Makes room for at least `least` planes, and for as many as the ground has open ranges above each other. */
rn_result rn_effective_fit(rn_world *world, int least);
/* Stores the level and flow of a cell where no body pushes them down; call it before columns are made for a body
   that enters the cell. Where the ground has just changed too, earlier values stay. */
void rn_effective_note(rn_world *world, int x, int y);
/* Spreads levels and flow under bodies, for this many seconds. Needs rn_body_scratches_fit. */
void rn_effective_step(rn_world *world, double seconds);
/* Gathers the liquid of these cells around a body that reaches from low to high (m), without its flow; false without
   memory. */
bool rn_effective_gather(const rn_world *world, rn_cells cells, double low, double high, rn_body_scratch *to);
/* Adds the flow without the body to the cells of a window that have some of the body below their level. */
void rn_effective_flow(const rn_world *world, bool blocks, rn_liquid_window *window);
/* Whether no body is in this cell of a window or in the four beside it, as far as they are in the window. */
bool rn_effective_clear(const rn_liquid_window *window, int x, int y);

#endif
