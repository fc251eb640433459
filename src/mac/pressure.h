/* Pressure: makes the velocity of the liquid free of divergence. */
#ifndef RN_MAC_PRESSURE_H
#define RN_MAC_PRESSURE_H

#include "mac/state.h"

/* Finds has_parts from the open fractions of faces. Call it whenever these change. Overwrites scratch. */
void rn_mac_find_parts(rn_mac *mac);

/* Projects the velocity, and pushes bodies with the pressure, which acts for `seconds`, as surface tension does. Needs
   active rows, kinds, distances, curvature (with surface tension), and velocities of all open faces of liquid cells;
   marks these faces as known. Overwrites scratch; raises most_iterations and divergence of the report. */
void rn_mac_project(rn_mac *mac, double seconds);

/* Solves again with the matrix of rn_mac_project, without bodies, for the velocity (m/s) whose divergence per cell is b
   of level 0. Needs mac->pressure to be 0 at all unknowns. Points mac->shift to it, in x, b and r of level 0; sets
   mac->known: open faces of liquid cells are known, others are 0 and unknown. Overwrites mac->pressure; raises
   most_density_iterations of the report. */
void rn_mac_solve_shift(rn_mac *mac, double tolerance);

/* The largest absolute divergence (m/s per cell) of the liquid cells that were unknowns of the last rn_mac_project. */
float rn_mac_largest_divergence(const rn_mac *mac);

#endif
