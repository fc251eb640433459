/* The effective surface: the liquid as it would be without blocking bodies. */
#ifndef RN_WORLD_EFFECTIVE_H
#define RN_WORLD_EFFECTIVE_H

#include "world/world.h"

/* Makes room for at least `least` planes, and for as many as the ground has open ranges above each other; new ones are
   dry. Returns RN_MEMORY, with a message, if memory runs out; then nothing has changed. */
rn_result rn_effective_fit(rn_world *world, int least);
/* Stores the level and flow of those ranges of a cell that no body is in; call it before columns are made for a body
   that enters the cell. Where the ground has just changed too, earlier values stay. Threads may call it for different
   cells at the same time. */
void rn_effective_note(rn_world *world, int x, int y);
/* Spreads levels and flow under blocking bodies, for this many seconds, and again, at most 32 times in all, while cells
   without a level get one. Call rn_body_scratches_fit first. If memory runs out, some cells keep their values. */
void rn_effective_step(rn_world *world, double seconds);
/* Fills to->window with the liquid of these cells, not empty and within the domain, around a body that reaches from low
   to high (m), without its flow and the body. In each cell, the open range that overlaps most with the body counts. Dry
   cells get a level for interpolation (rn_waters_join), holes and solid the datum. Returns false, with a message, if
   memory runs out. */
bool rn_effective_gather(const rn_world *world, rn_cells cells, double low, double high, rn_body_scratch *to);
/* Sets the flow without the body in the cells of a window that have some of the body below their level. blocks: the
   body blocks, and all get the mean flow of the clear cells around it, if there are any. */
void rn_effective_flow(const rn_world *world, bool blocks, rn_liquid_window *window);
/* Whether this cell of a window (x, y from 0 within it) and the four beside it, as far as they are in the window, are
   wet and no body is in them. */
bool rn_effective_clear(const rn_liquid_window *window, int x, int y);

#endif
