/* The loops of solver/contact.c over rows, one table per instruction set. Private to the solver's own files. Order in a
   substep: heads (or dry, for rows far from liquid); filter, several passes; finish. */
#ifndef RN_SOLVER_CONTACT_SWEEPS_H
#define RN_SOLVER_CONTACT_SWEEPS_H

#include "base/dispatch.h"
#include "solver/rows.h"

/* Two complex roots of the filter of heads: h becomes h - first L h + second L^2 h (solver/contact.c). */
typedef struct rn_filter_pair {
    float first, second;
} rn_filter_pair;

/* One body per instruction set; all give the same bits. */
typedef struct rn_contact_sweeps {
    /* Totals (level plus contact head), holds and filter shares of `rows` rows of `columns` columns, the lowest from
       slot `first` on, as far as these are wet or beside wet ones; also advances wet ground by a substep. On a GPU one
       lane takes one column. */
    void (*heads)(const substep *step, int32_t first, int columns, int rows);
    /* How fast totals even out, minus L of solver/contact.c: from `total` to `total_next`. */
    void (*diffuse)(const substep *step, int32_t first, int columns);
    /* Two roots of the filter, after `diffuse`: `total` becomes (1 - pair->first L + pair->second L^2) total. */
    void (*filter)(const substep *step, int32_t first, int columns, const rn_filter_pair *pair);
    /* Contact heads from the filtered totals, damped. */
    void (*finish)(const substep *step, int32_t first, int columns);
    /* Only dries the ground, for columns far from liquid. */
    void (*dry)(const substep *step, int32_t first, int columns);
} rn_contact_sweeps;

RN_ISA_TABLES(const rn_contact_sweeps, rn_contact_sweeps);

#endif
