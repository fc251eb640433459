/* Surface tension: the curvature of the surface, and the pressure that follows from it. */
#ifndef RN_MAC_TENSION_H
#define RN_MAC_TENSION_H

#include "mac/state.h"

/* Finds `curvature` near the surface, 0 elsewhere, and `filled` from the distances and kinds of cells. Overwrites
   scratch. Both arrays must be allocated: only with surface tension. */
void rn_mac_find_curvature(rn_mac *mac);

/* The longest substep (s) in which short waves of the surface stay stable; INFINITY without surface tension. */
double rn_mac_capillary_substep(const rn_mac *mac);

#endif
