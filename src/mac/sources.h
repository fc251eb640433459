/* Sources and drains. */
#ifndef RN_MAC_SOURCES_H
#define RN_MAC_SOURCES_H

#include "mac/state.h"

#define RN_MAC_MOST_OWED 1e15 /* particles, that a source can owe */

/* Lets sources and drains act for dt (s). Needs the order of particles, which has to be found again if they set
   `changed`. New particles follow the old ones; drained ones are marked as gone. */
rn_result rn_mac_run_sources(rn_mac *mac, double dt, bool *changed);

/* The speed of the fastest jet that flows (m/s). */
double rn_mac_fastest_jet(const rn_mac *mac);

/* Whether a source may have these values; if not, a sentence says why. */
rn_result rn_mac_check_source(const rn_mac *mac, const rn_mac_source_def *def);

#endif
