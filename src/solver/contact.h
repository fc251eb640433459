/* Heads of surface tension and contact angles (kernels/contact.h; docs/contact.md). */
#ifndef RN_SOLVER_CONTACT_H
#define RN_SOLVER_CONTACT_H

#include "solver/rows.h"

/* Fills `contact` and `hold` of all columns in or beside rows with liquid, and advances `wet` by a substep. */
void rn_contact_find(substep *step, rn_pool *pool);

#endif
