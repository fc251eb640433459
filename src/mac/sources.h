/* Sources and drains. */
#ifndef RN_MAC_SOURCES_H
#define RN_MAC_SOURCES_H

#include "mac/state.h"

#define RN_MAC_MOST_OWED 1e15 /* most particles that a source can owe */

/* Runs sources and drains for dt (s). Needs the order of particles, which must be found again if *changed is set.
   New particles follow the old ones; drained ones are marked as gone. */
rn_result rn_mac_run_sources(rn_mac *mac, double dt, bool *changed);

/* The speed of the fastest active jet (m/s). */
double rn_mac_fastest_jet(const rn_mac *mac);

/* Returns RN_INVALID, with a message, unless a source may have these values. */
rn_result rn_mac_check_source(const rn_mac *mac, const rn_mac_source_def *def);

#endif
