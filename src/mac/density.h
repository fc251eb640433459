/* Density: restores the volume that particles lose by clustering. */
#ifndef RN_MAC_DENSITY_H
#define RN_MAC_DENSITY_H

#include "mac/state.h"

/* Finds the velocity (m/s) that brings liquid back to rest density within `seconds`, and writes it to `shift`. Uses
   the matrix of rn_mac_project, so call it after that. */
void rn_mac_restore_density(rn_mac *mac, double seconds);

/* Finds `room_seen` from the solid and the open fractions of cells. */
void rn_mac_see_rooms(rn_mac *mac);

#endif
