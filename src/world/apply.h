/* Carrying out changes of solid. */
#ifndef RN_WORLD_APPLY_H
#define RN_WORLD_APPLY_H

#include "world/world.h"

/* Carries out what has been asked for so far, and what bodies that block have done. */
rn_result rn_solids_apply(rn_world *world);
/* Brings the number of columns up to date with the last batch of changes. */
void rn_solids_count(rn_world *world);

#endif
