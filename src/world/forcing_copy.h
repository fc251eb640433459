/* Copies of what solvers call back, for solvers on another device. */
#ifndef RN_WORLD_FORCING_COPY_H
#define RN_WORLD_FORCING_COPY_H

#include "world/forcing.h"

/* All callbacks for the solver's `advance`: those of rn_forcing_calls, and copies of them. */
rn_forcing rn_forcing_of(rn_world *world);

#endif
