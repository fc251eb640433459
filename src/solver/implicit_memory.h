/* The memory that the implicit step keeps between substeps. */
#ifndef RN_SOLVER_IMPLICIT_MEMORY_H
#define RN_SOLVER_IMPLICIT_MEMORY_H

#include "solver/multigrid.h"

/* Results of a Newton iteration in a row. */
typedef struct rn_newton_row {
    int64_t mark; /* sum of hashes of the kinds of its columns */
    bool wet;     /* some depth of it is above 0 */
    bool any_wet; /* in rows of layer 0: this row of some layer is wet */
    bool idle;    /* no liquid can arrive: none in the cells of this row and of those beside it, in any layer */
} rn_newton_row;

typedef struct rn_implicit {
    float *rise;   /* m, by slot: rise of the head in this substep so far */
    float *take;   /* by slot: share of its inflow that a column can take */
    uint8_t *kind; /* by slot: how its volume depends on its head */
    rn_newton_row *rows;
    size_t slots, row_count;
    uint32_t shape; /* of the state for which `open` was found */
    float *open;    /* by slot: open share of a column's area at its surface; NULL: all are fully open */
    /* Found by lanes together: */
    bool same;      /* the rows that are not idle are those of the last linear system */
    bool limited;   /* some column would give or take more than it can */
    uint64_t mark;  /* sum over all rows */
    float worst;    /* m, the largest residual of any column; NAN if some residual is NaN */
    rn_solve solve; /* of the linear system */
} rn_implicit;

#endif
