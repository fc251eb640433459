/* Floating bodies. */
#ifndef RN_WORLD_STIR_H
#define RN_WORLD_STIR_H

#include "world/world.h"

/* Raises and lowers the liquid under floating bodies to their current poses, in whole quanta that the ledger counts as
   body_offset. Does nothing if no body floats and none has left liquid behind. Returns RN_MEMORY, with a message, if
   memory runs out; then nothing has changed. */
rn_result rn_stir(rn_world *world);

#endif
