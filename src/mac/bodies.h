/* Rigid bodies in the pressure solve. A body's surface closes parts of faces; by their sum over a cell, its motion
   changes the divergence of that cell, and the pressure of the cell pushes the body. */
#ifndef RN_MAC_BODIES_H
#define RN_MAC_BODIES_H

#include "mac/state.h"

/* Subtracts from b of level 0, at unknowns, the divergence (m/s per cell) that bodies would cause if no pressure acted
   on them for `seconds`: by their `velocity` and `spin`, less what the expected force gives them in that time. Needs
   the diagonal of level 0. */
void rn_mac_bodies_drive(rn_mac *mac, double seconds);
/* Adds the part of A x that goes through bodies to `image`, at unknowns; both arrays are over cells, and x must be 0
   outside unknowns. Returns the sum of x times that part. */
double rn_mac_bodies_apply(const rn_mac *mac, const float *x, float *image);
/* Adds the impulse of mac->pressure, which acted for `seconds`, to `impulse` and `twist` of each body, and `seconds` to
   `pushed`. `velocity` and `spin` change by the difference of that impulse from the expected one. */
void rn_mac_bodies_push(rn_mac *mac, double seconds);
/* Frees all bodies, and leaves none. */
void rn_mac_bodies_free(rn_mac *mac);

#endif
