/* Solves A x = b for the pressure of liquid cells: conjugate gradients, preconditioned by a V-cycle. A has a diagonal
   and links between neighbours: (A x)_c = diagonal_c x_c - sum of link x_neighbour. */
#ifndef RN_MAC_MULTIGRID_H
#define RN_MAC_MULTIGRID_H

#include "mac/state.h"

/* Allocates all levels and mac->sums. x, b and r of level 0, mac->pressure, direction and image become parts of
   mac->scratch, which must exist. Returns false if memory runs out; rn_mac_multigrid_free frees what there is. */
bool rn_mac_multigrid_create(rn_mac *mac);
/* Frees all levels and mac->sums; pointers are not cleared. */
void rn_mac_multigrid_free(rn_mac *mac);
/* The bytes that all levels and mac->sums take for this grid, without mac->scratch. */
uint64_t rn_mac_multigrid_bytes(const rn_mac_grid *grid, bool periodic);

/* Fills the coarser levels from the links and the diagonal of level 0, which must be 0 for cells that are not unknowns.
   Finds the spans of all levels, and `plain` of level 0. */
void rn_mac_multigrid_prepare(rn_mac *mac);

/* Solves for mac->pressure, from 0, with the right side in b of level 0, which becomes the residual. Needs
   rn_mac_multigrid_prepare and `inverse` of level 0; in cells beside unknowns that are none, x, b and r of level 0 and
   mac->direction must be 0, or the links to them. Overwrites all four, and mac->image. Ends once the largest residual
   is `tolerance` times the largest |b|, or without success, which only *left tells, after 100 iterations or when
   rounding stops it. bodies: A includes the motion of bodies (mac/bodies.h). Returns the number of iterations; *left:
   largest residual relative to the largest |b|. Both are 0 if no |b| is above 1e-12. */
int rn_mac_multigrid_solve(rn_mac *mac, double tolerance, bool bodies, double *left);

#endif
