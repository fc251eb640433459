/* Velocities of faces that get none from particles or pressure. */
#ifndef RN_MAC_FACES_H
#define RN_MAC_FACES_H

#include "mac/state.h"

/* Adds gain[a] (m/s) to all known faces across axis a in active rows. */
void rn_mac_add_to_faces(rn_mac *mac, const float gain[3]);

/* Gives unknown faces and spray the mean of known faces beside them, `layers` times; only active cells. Faces that
   layer n fills, from 1, are marked n + 1 in `known`; they serve as known neighbours from layer n + 1 on, also in later
   calls. Swaps `known` and known_to. If x is periodic, calls rn_mac_close_walls after each layer. */
void rn_mac_extrapolate(rn_mac *mac, int layers);

/* Sets the faces between free cells and air by Gates' conditions, and marks them as known. Only with RN_MAC_GATES,
   after gravity and pressure. */
void rn_mac_free_faces(rn_mac *mac);

/* After projection: marks known faces that touch no liquid cell as spray, and faces from extrapolation as unknown. */
void rn_mac_set_spray_apart(rn_mac *mac);
/* Marks spray that extrapolation has not reached as known. These faces keep the velocity from particles. */
void rn_mac_take_spray_back(rn_mac *mac);

#endif
