/* Bodies that float. */
#ifndef RN_WORLD_STIR_H
#define RN_WORLD_STIR_H

#include "world/world.h"

/* Lifts and lowers the liquid under them, in whole quanta that the ledger books as body_offset. */
rn_result rn_stir(rn_world *world);

#endif
