/* Advection of velocity by the grid itself, without particles. */
#ifndef RN_MAC_ADVECT_H
#define RN_MAC_ADVECT_H

#include "mac/state.h"

/* Finds the velocities of faces by advecting those of the last substep, stored by rn_mac_keep_velocity, for dt (s).
   Faces of cells without liquid or particles are unknown. */
void rn_mac_advect(rn_mac *mac, float dt);
/* Stores the velocity of all faces for the next substep. */
void rn_mac_keep_velocity(rn_mac *mac);

#endif
