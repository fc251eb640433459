/* Solves A x = b for the pressure of liquid cells: conjugate gradients, preconditioned by a V-cycle. A has a diagonal
   and links between neighbours: (A x)_c = diagonal_c x_c - sum of link x_neighbour. */
#ifndef RN_MAC_MULTIGRID_H
#define RN_MAC_MULTIGRID_H

#include "mac/state.h"

/* Allocates all levels; the arrays of the finest are in mac->scratch. Returns false if memory runs out. */
bool rn_mac_multigrid_create(rn_mac *mac);
/* Frees all levels. */
void rn_mac_multigrid_free(rn_mac *mac);
/* The bytes that all levels take for this grid. */
uint64_t rn_mac_multigrid_bytes(const rn_mac_grid *grid, bool periodic);

/* Creates the coarser levels from the links and the diagonal of level 0, which are 0 for cells that are not
   unknowns. */
void rn_mac_multigrid_prepare(rn_mac *mac);

/* Solves for mac->pressure, with the right side in b of level 0, which is overwritten. Ends once the largest
   residual is `tolerance` times the largest of b. bodies: A includes the motion of bodies (mac/bodies.h). Returns the
   number of iterations; *left: largest residual relative to that of b. */
int rn_mac_multigrid_solve(rn_mac *mac, double tolerance, bool bodies, double *left);

#endif
