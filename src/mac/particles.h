/* Particles: their memory and their order. */
#ifndef RN_MAC_PARTICLES_H
#define RN_MAC_PARTICLES_H

#include "mac/state.h"

/* Makes room for `count` more particles. The old ones are kept, their order is not. */
rn_result rn_mac_particles_reserve(rn_mac *mac, int32_t count);
/* Frees all arrays of particles. */
void rn_mac_particles_free(rn_mac *mac);

/* Finds the order of particles by cell and the first of each cell, but does not move them: `order` has their present
   positions. Particles of a cell keep their order, so the result does not depend on the number of threads. */
void rn_mac_particles_order(rn_mac *mac);
/* Moves particles into that order, and drops those that are gone. */
void rn_mac_particles_permute(rn_mac *mac);
/* rn_mac_particles_order, then rn_mac_particles_permute. */
void rn_mac_particles_sort(rn_mac *mac);

/* Finds the active cells of each row: those within `reach` cells of a particle. */
void rn_mac_find_rows(rn_mac *mac, int reach);

#endif
