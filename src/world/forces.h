/* Forces on the liquid: wind, and pushes by hand. */
#ifndef RN_WORLD_FORCES_H
#define RN_WORLD_FORCES_H

#include <runnel/world.h>

/* Pushes the liquid by all forces that act at the present time of the world, for this many seconds at once. The solver
   must support forces if there are any. */
void rn_forces_act(rn_world *world, double seconds);
/* Frees the list of forces; only for rn_world_destroy, the pointer is not cleared. */
void rn_forces_free(rn_world *world);

#endif
