/* Floating bodies. */
#ifndef RN_WORLD_STIR_H
#define RN_WORLD_STIR_H

#include "world/world.h"

/* Raises and lowers the liquid under them, in whole quanta that the ledger counts as body_offset. */
rn_result rn_stir(rn_world *world);

#endif
