/* Velocity carried along by the grid itself, without particles. */
#ifndef RN_MAC_ADVECT_H
#define RN_MAC_ADVECT_H

#include "mac/state.h"

/* Velocities of faces from those of the last substep, which rn_mac_keep_velocity kept, carried along for dt (s). Faces
   of cells without liquid or particles are unknown. */
void rn_mac_advect(rn_mac *mac, float dt);
/* Keeps the velocity of all faces for the next substep. */
void rn_mac_keep_velocity(rn_mac *mac);

#endif
