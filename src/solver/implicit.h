/* The implicit step: free and flooded columns in one solve, after Casulli. Fluxes follow from the heads that there are
   going to be, so waves do not bound the substep; where a head is above the ceiling the column is simply full. */
#ifndef RN_SOLVER_IMPLICIT_H
#define RN_SOLVER_IMPLICIT_H

#include "solver/passages.h"

/* What one Newton iteration has found in a row. */
typedef struct rn_newton_row {
    uint64_t mark; /* of the kinds of its columns */
    bool idle;     /* no liquid can come here: none in the cells of this row and of those beside it, in any layer */
} rn_newton_row;

typedef struct rn_implicit {
    float *rise;   /* m, by slot: of the head in this substep, so far */
    float *take;   /* by slot: share of what comes in that a column can take */
    uint8_t *kind; /* by slot: how its volume follows from its head */
    rn_newton_row *rows;
    size_t slots, row_count;
    uint32_t shape; /* of the state whose parts `open` tells */
    float *open;    /* by slot: share of a column's area that is open at its surface; NULL: all of every one is */
} rn_implicit;

rn_result rn_implicit_fit(rn_implicit *implicit, const rn_state *s);
void rn_implicit_free(rn_implicit *implicit, const rn_hooks *hooks);
size_t rn_implicit_bytes(const rn_implicit *implicit);

/* One substep. If the solve does not converge nothing has changed, and *converged is false. */
rn_result rn_implicit_step(rn_implicit *implicit, rn_flood *flood, rn_state *s, const rn_law *law, rn_pool *pool,
                           rn_peak *peak, bool *converged);

#endif
