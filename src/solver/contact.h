/* Heads of surface tension and contact angles: the formulas are in kernels/contact.h and docs/contact.md, the loops
   over rows in solver/contact_sweeps.c. The pipe solver calls rn_contact_find once in each substep with dynamic
   contact. */
#ifndef RN_SOLVER_CONTACT_H
#define RN_SOLVER_CONTACT_H

#include "solver/contact_sweeps.h"

/* Fills `contact` and `hold` of all columns in or beside rows with liquid, and advances `wet` of all columns by a
   substep. Overwrites total, total_next, share_x and share_y. Copies results across periodic edges. */
void rn_contact_find(substep *step, rn_pool *pool);

/* Pair number `pair`, 1 to degree / 2, of the roots of the filter; also for GPUs. */
rn_filter_pair rn_contact_roots(int degree, int pair);

#endif
