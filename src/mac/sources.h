/* Sources and drains. */
#ifndef RN_MAC_SOURCES_H
#define RN_MAC_SOURCES_H

#include "mac/state.h"

#define RN_MAC_MOST_OWED 1e15 /* most particles that a source can owe */

/* Runs drains, then sources, for dt (s), and counts particles in `tally`. Needs the order of particles, which must be
   found again if *changed is set. New particles follow the old ones; drained ones are marked as gone. If there is no
   room for new ones, fails with RN_LIMIT or RN_MEMORY: drains have run, and sources owe their particles. Overwrites
   known_to[0]; jets of markers change `before`. */
rn_result rn_mac_run_sources(rn_mac *mac, double dt, bool *changed);

/* The speed (m/s) of the fastest jet, of sources whose rate is above 0; 0 if there is none. */
double rn_mac_fastest_jet(const rn_mac *mac);

/* Returns RN_INVALID, with a message, unless a source may have these values. */
rn_result rn_mac_check_source(const rn_mac *mac, const rn_mac_source_def *def);

#endif
