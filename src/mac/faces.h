/* Velocities of faces that get none from particles or pressure. */
#ifndef RN_MAC_FACES_H
#define RN_MAC_FACES_H

#include "mac/state.h"

/* Adds `gain` (m/s) to all known faces. */
void rn_mac_add_to_faces(rn_mac *mac, const float gain[3]);

/* Gives unknown faces the mean of known ones around them, `layers` times. */
void rn_mac_extrapolate(rn_mac *mac, int layers);

/* Applies Gates' conditions to the faces between liquid cells and air. */
void rn_mac_free_faces(rn_mac *mac);

/* After projection: marks faces of liquid cells as known, and other faces with a velocity from particles as spray. */
void rn_mac_set_spray_apart(rn_mac *mac);
/* Spray that extrapolation has not reached keeps the velocity from particles, and becomes known. */
void rn_mac_take_spray_back(rn_mac *mac);

#endif
