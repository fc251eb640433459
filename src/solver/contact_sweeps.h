/* The loops of solver/contact.c over rows, one table per instruction set. Private to the solver's own files. Order in a
   substep: heads (or dry, for rows far from liquid); filter, several passes; finish. */
#ifndef RN_SOLVER_CONTACT_SWEEPS_H
#define RN_SOLVER_CONTACT_SWEEPS_H

#include "base/dispatch.h"
#include "solver/rows.h"

/* One body per instruction set; all give the same bits. */
typedef struct rn_contact_sweeps {
    /* Totals (level plus contact head), holds and filter shares of a row, given by the slot of its first column; also
       advances its wet ground by a substep. */
    void (*heads)(const substep *step, int32_t row);
    /* One pass of the filter, from `total` to `total_next`. */
    void (*filter)(const substep *step, int32_t row, float part);
    /* Contact heads from the filtered totals, damped. */
    void (*finish)(const substep *step, int32_t row);
    /* Only dries the ground, for a row without liquid. */
    void (*dry)(const substep *step, int32_t row);
} rn_contact_sweeps;

RN_ISA_TABLES(const rn_contact_sweeps, rn_contact_sweeps);

#endif
