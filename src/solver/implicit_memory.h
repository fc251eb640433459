/* What the implicit step keeps from substep to substep. */
#ifndef RN_SOLVER_IMPLICIT_MEMORY_H
#define RN_SOLVER_IMPLICIT_MEMORY_H

#include "solver/state.h"

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

#endif
