/* Pressure: makes the velocity of the liquid free of divergence. */
#ifndef RN_MAC_PRESSURE_H
#define RN_MAC_PRESSURE_H

#include "mac/state.h"

/* Projects the velocity, and pushes bodies with the pressure, which acts for `seconds`. Needs kinds, distances, and
   velocities of all open faces of liquid cells. */
void rn_mac_project(rn_mac *mac, double seconds);

/* Solves again with the matrix of rn_mac_project, for the velocity (m/s) whose divergence per cell is b of level 0.
   Writes it to mac->shift: open faces of liquid cells are known; other faces are 0 and unknown. */
void rn_mac_solve_shift(rn_mac *mac, double tolerance);

/* The largest divergence of liquid cells (m/s per cell). */
float rn_mac_largest_divergence(const rn_mac *mac);

#endif
