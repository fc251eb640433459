/* Pressure: makes the velocity of the liquid free of divergence. */
#ifndef RN_MAC_PRESSURE_H
#define RN_MAC_PRESSURE_H

#include "mac/state.h"

/* Projects the velocity. Needs kinds, distances, and velocities of all open faces of liquid cells. */
void rn_mac_project(rn_mac *mac);

/* Moves crowded liquid apart and sparse liquid together: adds the velocity (m/s) to the faces that brings it back to
   rest density within `seconds`. Uses the matrix of rn_mac_project, so it follows that. */
void rn_mac_restore_density(rn_mac *mac, double seconds);

/* Largest divergence of liquid cells (m/s over a cell). */
float rn_mac_largest_divergence(const rn_mac *mac);

#endif
