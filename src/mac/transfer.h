/* Between particles and faces. */
#ifndef RN_MAC_TRANSFER_H
#define RN_MAC_TRANSFER_H

#include "mac/state.h"

/* Velocities of faces from the particles around them. Faces without particles, and faces in solids, are unknown. */
void rn_mac_to_faces(rn_mac *mac);
/* Velocities of particles from the faces around them. */
void rn_mac_to_particles(rn_mac *mac);
/* Moves particles for dt (s) with the velocity of the faces. */
void rn_mac_move(rn_mac *mac, float dt);

#endif
