/* Density: restores the volume that particles lose by clustering. */
#ifndef RN_MAC_DENSITY_H
#define RN_MAC_DENSITY_H

#include "mac/state.h"

/* Sets mac->shift, in scratch, to the velocity (m/s) that brings liquid back to rest density in about `seconds`; small
   deviations count less, and large ones are limited. Uses the matrix of rn_mac_project, so call it after that, with
   particles sorted and not moved yet. Overwrites scratch; `known` then tells where the shift is known, not the
   velocity. Raises report.most_density_iterations. */
void rn_mac_restore_density(rn_mac *mac, double seconds);

/* Finds `room_seen` of all cells in the box from `nodes` and `room`, which must exist. */
void rn_mac_see_rooms(rn_mac *mac);

#endif
