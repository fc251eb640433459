/* Rigid bodies in the pressure solve. A body's surface closes parts of faces; by their sum over a cell, its motion
   changes the divergence of that cell, and the pressure of the cell pushes the body. */
#ifndef RN_MAC_BODIES_H
#define RN_MAC_BODIES_H

#include "mac/state.h"

/* Adds to the right sides b of level 0 what bodies would do without any further pressure in the next `seconds`. */
void rn_mac_bodies_drive(rn_mac *mac, double seconds);
/* Adds the part of A x that goes through bodies to `image`; both arrays are over cells. Returns the sum of x times
   that part. */
double rn_mac_bodies_apply(const rn_mac *mac, const float *x, float *image);
/* Accelerates bodies by mac->pressure, which acted for `seconds`. */
void rn_mac_bodies_push(rn_mac *mac, double seconds);
/* Frees all bodies, and leaves none. */
void rn_mac_bodies_free(rn_mac *mac);

#endif
