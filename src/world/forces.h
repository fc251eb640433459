/* Forces on the liquid: wind, and pushes by hand. */
#ifndef RN_WORLD_FORCES_H
#define RN_WORLD_FORCES_H

#include <runnel/world.h>

/* Pushes the liquid by all forces that act now, for this many seconds. */
void rn_forces_act(rn_world *world, double seconds);
void rn_forces_free(rn_world *world);

#endif
