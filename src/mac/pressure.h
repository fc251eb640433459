/* Pressure: makes the velocity of the liquid free of divergence. */
#ifndef RN_MAC_PRESSURE_H
#define RN_MAC_PRESSURE_H

#include "mac/state.h"

/* Projects the velocity. Needs kinds, distances, and velocities of all open faces of liquid cells. */
void rn_mac_project(rn_mac *mac);

/* Solves again with the matrix of rn_mac_project: for the velocity (m/s) whose divergence over a cell is b of level 0.
   It is left in mac->shift, of open faces of liquid cells, which are known; other faces have 0 and are unknown. */
void rn_mac_solve_shift(rn_mac *mac, double tolerance);

/* Largest divergence of liquid cells (m/s over a cell). */
float rn_mac_largest_divergence(const rn_mac *mac);

#endif
