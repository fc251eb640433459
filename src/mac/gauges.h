/* Gauges: the particles that pass lines of upright faces between columns of cells. */
#ifndef RN_MAC_GAUGES_H
#define RN_MAC_GAUGES_H

#include "mac/state.h"

/* Adds to `passed` of each gauge the particles that have crossed it since they were last sorted, and subtracts
   those that went against the signs of its faces. Particles that are gone do not count. Call this before sorting, while
   `start` is that of the old order. Overwrites mac->sums. */
void rn_mac_count_gauges(rn_mac *mac);
/* Frees all gauges; only for rn_mac_destroy, the pointer is not cleared. */
void rn_mac_gauges_free(rn_mac *mac);

#endif
