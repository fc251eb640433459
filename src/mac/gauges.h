/* Gauges: the particles that pass lines of upright faces between columns of cells. */
#ifndef RN_MAC_GAUGES_H
#define RN_MAC_GAUGES_H

#include "mac/state.h"

/* Counts all particles that have changed their column since they were last sorted. Call it before sorting them. */
void rn_mac_count_gauges(rn_mac *mac);
/* Frees all gauges; only for rn_mac_destroy, the pointer is not cleared. */
void rn_mac_gauges_free(rn_mac *mac);

#endif
