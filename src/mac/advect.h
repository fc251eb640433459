/* Advection of velocity by the grid itself, without particles. */
#ifndef RN_MAC_ADVECT_H
#define RN_MAC_ADVECT_H

#include "mac/state.h"

/* Sets `velocity` and `known` of all faces. Open lower faces of cells in the box, beside liquid or particles, get the
   velocity that rn_mac_keep_velocity stored, advected for dt (s), and so do faces in open high sides. All others
   become 0 and unknown. Clears known_to. Only with markers; needs the active rows, `kind` and `start`. */
void rn_mac_advect(rn_mac *mac, float dt);
/* Copies the velocity of all faces to `before`, for the next substep. Not with APIC, where `before` is NULL. */
void rn_mac_keep_velocity(rn_mac *mac);

#endif
