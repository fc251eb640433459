/* Particles: their memory and their order. */
#ifndef RN_MAC_PARTICLES_H
#define RN_MAC_PARTICLES_H

#include "mac/state.h"

/* Makes room for `count` more particles. If arrays must grow, keeps the values of particles, but not `order`, `by_row`
   and `fastest`. Fails with RN_LIMIT or RN_MEMORY, with a message; then `room` and the particles stay, but `order` may
   be lost. */
rn_result rn_mac_particles_reserve(rn_mac *mac, int32_t count);
/* Frees all arrays of particles. */
void rn_mac_particles_free(rn_mac *mac);

/* Finds the order of particles by cell and the first of each cell (`start`), but does not move them: `order` has their
   present positions. Particles of a cell keep their order, so the result does not depend on the number of threads. All
   must be in the box or gone; those that are gone are not in `order`, and start[cells] is the number of the others. */
void rn_mac_particles_order(rn_mac *mac);
/* Moves particles into that order, drops those that are gone, and sets `count` to the number that is left. `order` is
   out of date then. */
void rn_mac_particles_permute(rn_mac *mac);
/* rn_mac_particles_order, then rn_mac_particles_permute. */
void rn_mac_particles_sort(rn_mac *mac);

/* Finds the active cells of each row, including those of the rim: one range that contains all cells within `reach`
   cells of a particle; if x is periodic, the whole row or nothing. Needs sorted particles. Overwrites narrow_first and
   narrow_last with the same ranges. */
void rn_mac_find_rows(rn_mac *mac, int reach);

#endif
