/* Particles: room for them, and their order. */
#ifndef RN_MAC_PARTICLES_H
#define RN_MAC_PARTICLES_H

#include "mac/state.h"

/* Makes room for `count` more particles. The old ones are kept. */
rn_result rn_mac_particles_reserve(rn_mac *mac, int32_t count);
void rn_mac_particles_free(rn_mac *mac);

/* Sorts particles by cell and finds the first of each cell. Particles of a cell keep their order, so the result does
   not depend on the number of threads. */
void rn_mac_particles_sort(rn_mac *mac);

/* Finds the active cells of each row: those within `reach` cells of a particle. */
void rn_mac_find_rows(rn_mac *mac, int reach);

#endif
