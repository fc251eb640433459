/* Transfers velocities between particles and faces. */
#ifndef RN_MAC_TRANSFER_H
#define RN_MAC_TRANSFER_H

#include "mac/state.h"

/* Finds velocities of faces from the particles around them, and sets `known`. Faces without particles nearby, and faces
   wholly in solids, are unknown, but may have a velocity. With FLIP also copies velocities to `before`. Needs sorted
   particles and active rows; overwrites scratch, and clears known_to. */
void rn_mac_to_faces(rn_mac *mac);
/* Sets a float of every cell, including the rim, to 0; not in idle rows. */
void rn_mac_clear(const rn_mac *mac, float *cells);
/* Finds the number of particles around the centre of each cell in the box, by trilinear weights: RN_MAC_REST in liquid
   at rest, less beside walls, solids and air. Idle rows, which have none, are left out. Needs sorted particles. */
void rn_mac_find_density(rn_mac *mac, float *density);
/* Finds velocities of particles from the faces around them (with APIC also their affine parts; with FLIP plus
   flip_share of what they had beyond `before`), and moves them for dt (s) with the faces and with `shift` if there is
   one. Marks those that leave through an open side as gone, and keeps the others in the box and out of the solid.
   Leaves them unsorted. */
void rn_mac_carry(rn_mac *mac, float dt);
/* Moves particles out of the solid, to RN_MAC_CLEARANCE from it. Needs `nodes`; leaves particles unsorted. */
void rn_mac_push_out(rn_mac *mac);

#endif
