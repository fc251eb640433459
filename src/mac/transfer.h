/* Transfers velocities between particles and faces. */
#ifndef RN_MAC_TRANSFER_H
#define RN_MAC_TRANSFER_H

#include "mac/state.h"

/* Finds velocities of faces from the particles around them. Faces without particles, and faces in solids, are
   unknown. */
void rn_mac_to_faces(rn_mac *mac);
/* Sets a float of every cell, including the rim, to 0; not in idle rows. */
void rn_mac_clear(const rn_mac *mac, float *cells);
/* Finds the number of particles at the centre of each cell in the box, by trilinear weights: RN_MAC_REST in liquid
   at rest. Idle rows, which have none, are left out. */
void rn_mac_find_density(rn_mac *mac, float *density);
/* Finds velocities of particles from the faces around them, and moves particles with the faces and the shift for dt
   (s). Those that leave through an open side are gone. */
void rn_mac_carry(rn_mac *mac, float dt);
/* Moves particles out of the solid. Needs `nodes`. */
void rn_mac_push_out(rn_mac *mac);

#endif
