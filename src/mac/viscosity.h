/* Implicit viscosity of the 3D liquid. */
#ifndef RN_MAC_VISCOSITY_H
#define RN_MAC_VISCOSITY_H

#include "mac/state.h"

/* Allocates mac->viscous, if the liquid is viscous. Returns false if memory runs out; rn_mac_viscosity_free then frees
   what was allocated. */
bool rn_mac_viscosity_create(rn_mac *mac);
/* Frees the solver; does nothing if there is none. The pointer is not cleared. */
void rn_mac_viscosity_free(rn_mac *mac);
/* The bytes that the arrays of the solver take for this grid. */
uint64_t rn_mac_viscosity_bytes(const rn_mac_grid *grid);

/* Applies viscosity for dt (s) to the faces in the liquid, all of which must have a velocity, and to bodies. Also gives
   partly open faces that stick to a solid its velocity, and slows known faces around single particles beside no-slip
   walls. Needs the solver, active rows, kinds and distances; raises most_viscosity_iterations of the report. */
void rn_mac_viscosity(rn_mac *mac, double dt);

/* Sets the velocities of faces at and beyond all sides of the box. Along a side, a face beyond it takes the speed of
   the one inside, or the negative where the liquid sticks, so that the speed at the wall is 0. Through a side, the
   speed is 0 at a wall, and stays at an open side. Copies faces across periodic ends. */
void rn_mac_stick_to_walls(rn_mac *mac);

#endif
