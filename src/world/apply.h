/* Applies changes of solid. */
#ifndef RN_WORLD_APPLY_H
#define RN_WORLD_APPLY_H

#include "world/world.h"

/* Applies all pending changes of solid, and the movement of blocking bodies. On failure nothing has changed. */
rn_result rn_solids_apply(rn_world *world);
/* Updates the number of columns after a batch of changes. */
void rn_solids_count(rn_world *world);

#endif
