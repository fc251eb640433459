/* What a solver sees of a world while it advances. */
#ifndef RN_WORLD_FORCING_H
#define RN_WORLD_FORCING_H

#include "world/world.h"

/* The callbacks for a solver's `advance`: sources, gauges and the clock of a world. They work on GPUs too, with a copy
   of the world; the functions that make copies are not set (world/forcing_copy.h). */
rn_forcing rn_forcing_calls(rn_world *world);

#endif
