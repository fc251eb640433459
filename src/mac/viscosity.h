/* Implicit viscosity of the 3D liquid. */
#ifndef RN_MAC_VISCOSITY_H
#define RN_MAC_VISCOSITY_H

#include "mac/state.h"

/* Allocates the solver, if the liquid is viscous. Returns false if memory runs out. */
bool rn_mac_viscosity_create(rn_mac *mac);
/* Frees the solver; does nothing if there is none. */
void rn_mac_viscosity_free(rn_mac *mac);
/* The bytes that the arrays of the solver take for this grid. */
uint64_t rn_mac_viscosity_bytes(const rn_mac_grid *grid);

/* Applies viscosity for dt (s) to the faces in the liquid, all of which must have a velocity. */
void rn_mac_viscosity(rn_mac *mac, double dt);

/* Sets faces beyond walls to which the liquid sticks to the negative of those inside, so that the speed at the wall
   is 0. */
void rn_mac_stick_to_walls(rn_mac *mac);

#endif
