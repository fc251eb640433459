/* Applies changes of solid. */
#ifndef RN_WORLD_APPLY_H
#define RN_WORLD_APPLY_H

#include "world/world.h"

/* Applies all pending changes of solid, and the movement of blocking bodies; while solids.reshaping.give is above 0,
   also returns liquid that was held back. Does nothing if none of this is pending. On failure returns RN_MEMORY,
   RN_LIMIT (too many layers) or RN_INVALID (the solver does not support blocking bodies), with a message; then columns
   and liquid are unchanged, and the next call tries again. */
rn_result rn_solids_apply(rn_world *world);
/* Adds the columns that the last batch of changes (world->solids.reshaping) made, less those that it removed, to
   world->ground.columns. Call it once per batch. */
void rn_solids_count(rn_world *world);

#endif
