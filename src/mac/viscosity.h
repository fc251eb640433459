/* Implicit viscosity of the 3D liquid. */
#ifndef RN_MAC_VISCOSITY_H
#define RN_MAC_VISCOSITY_H

#include "mac/state.h"

/* Room for the solver, if the liquid is viscous. false: out of memory. */
bool rn_mac_viscosity_create(rn_mac *mac);
void rn_mac_viscosity_free(rn_mac *mac);
uint64_t rn_mac_viscosity_bytes(const rn_mac_grid *grid);

/* Lets viscosity act for dt (s) on the faces in the liquid, all of which must have a velocity. */
void rn_mac_viscosity(rn_mac *mac, double dt);

/* Faces beyond the walls: against those inside where the liquid sticks, so that the speed at the wall is 0. */
void rn_mac_stick_to_walls(rn_mac *mac);

#endif
