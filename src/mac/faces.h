/* Velocities of faces that particles and pressure did not give. */
#ifndef RN_MAC_FACES_H
#define RN_MAC_FACES_H

#include "mac/state.h"

/* Adds to all known faces (m/s). */
void rn_mac_add_to_faces(rn_mac *mac, const float gain[3]);

/* Gives unknown faces the mean of known ones around them, `layers` times. */
void rn_mac_extrapolate(rn_mac *mac, int layers);

/* Gates' conditions on the faces between liquid cells and air. */
void rn_mac_free_faces(rn_mac *mac);

/* After projection: faces of liquid cells are known; other faces that particles gave are spray. */
void rn_mac_set_spray_apart(rn_mac *mac);
/* Spray that is still not known by extrapolation keeps what particles gave. */
void rn_mac_take_spray_back(rn_mac *mac);

#endif
