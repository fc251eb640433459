/* The memory that the implicit step keeps between substeps. */
#ifndef RN_SOLVER_IMPLICIT_MEMORY_H
#define RN_SOLVER_IMPLICIT_MEMORY_H

#include "solver/state.h"

/* Results of a Newton iteration in a row. */
typedef struct rn_newton_row {
    uint64_t mark; /* hash of the kinds of its columns */
    bool idle;     /* no liquid can arrive: none in the cells of this row and of those beside it, in any layer */
} rn_newton_row;

typedef struct rn_implicit {
    float *rise;   /* m, by slot: rise of the head in this substep so far */
    float *take;   /* by slot: share of its inflow that a column can take */
    uint8_t *kind; /* by slot: how its volume depends on its head */
    rn_newton_row *rows;
    size_t slots, row_count;
    uint32_t shape; /* of the state for which `open` was found */
    float *open;    /* by slot: open share of a column's area at its surface; NULL: all are fully open */
} rn_implicit;

#endif
