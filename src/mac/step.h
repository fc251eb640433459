/* Substeps of the 3D liquid. */
#ifndef RN_MAC_STEP_H
#define RN_MAC_STEP_H

#include "mac/state.h"

/* Takes one substep of dt (s); without particles runs only sources. If sources get no room for particles, returns their
   failure, but liquid and time have advanced. */
rn_result rn_mac_substep(rn_mac *mac, double dt);

/* The speed of the fastest particle (m/s). */
double rn_mac_find_fastest(rn_mac *mac);

/* The speed (m/s) that at most a thousandth of the particles exceed, in steps of a thirty-second of the highest speed
   and at least half of that. With markers, the speed of the fastest particle: there the grid carries the velocity, and
   is stable only if none is faster. */
double rn_mac_find_bulk_speed(rn_mac *mac);

#endif
