/* Linear systems over columns: own*x + sum over links of link*(x - x of the other end) = b, for every column that is
   unknown. Conjugate gradients, with a V-cycle over ever coarser grids as preconditioner, take a handful of iterations
   at any size.

   Coarse columns are the sums of two by two cells of a layer. Their links count half: as wide, but twice as long.

   What irregular links give to columns is added link by link, by ascending number. Each column, and each coarser link,
   thus takes its own links one after the other by ascending number: a gather by column gives the same bits, and a GPU
   may do that. The same holds wherever the implicit step adds up irregular pipes. */
#ifndef RN_SOLVER_MULTIGRID_H
#define RN_SOLVER_MULTIGRID_H

#include "solver/state.h"

enum { RN_MOST_LEVELS = 20 };

/* A stretch of a row, with all unknowns near there; whole wides. */
typedef struct rn_strip {
    int32_t slot, count;
    int layer, y;
} rn_strip;

typedef struct rn_level {
    rn_grid grid;
    float *own;              /* 0 or more */
    float *link_x, *link_y;  /* to the next column of the same layer, never past the edges */
    float *x, *b, *r;        /* solution, right-hand side, what is left of it */
    float *inverse;          /* of the diagonal; 0 where nothing is unknown */
    int32_t irregular_count; /* all other links; an end of -1 is known to be 0 */
    int32_t *irregular_a, *irregular_b, *irregular_parent; /* the last: their number one level up, -1 if they vanish
                                                  there, -2 - the coarse column if the other end is known */
    float *irregular_link;
    size_t irregular_capacity;
    rn_strip *strips;
    int32_t strip_count;
    int32_t slots; /* in all strips */
} rn_level;

/* 32 columns of a row, from a multiple of 32 on, of which some are unknown. Sums of products are taken over them. */
typedef struct rn_block {
    int32_t slot;  /* of the first */
    int32_t index; /* its place among all blocks of the grid, by layer, row and x */
    int32_t parts; /* bits: which of its four eights of columns are in strips */
} rn_block;

typedef struct rn_multigrid {
    rn_hooks hooks;
    rn_level levels[RN_MOST_LEVELS];
    int count;
    float *solution, *along, *image; /* of conjugate gradients: x, p and A p */
    rn_block *blocks;                /* of level 0, in order, */
    int32_t block_count;             /* made for one solve; */
    double *sums;                    /* and the sum of each, */
    int32_t *sum_index;              /* while pairs of them become one */
    uint32_t shape;                  /* of the state that it has been made for, */
    bool partial;                    /* with some of its irregular pipes */
} rn_multigrid;

/* Makes room for the systems of this state, unless its shape is as before. */
rn_result rn_multigrid_fit(rn_multigrid *m, const rn_state *s);
/* The same with no more irregular pipes than those whose number is not 0, which is then that of their link. */
rn_result rn_multigrid_fit_some(rn_multigrid *m, const rn_state *s, int32_t *numbers);
void rn_multigrid_free(rn_multigrid *m);
size_t rn_multigrid_bytes(const rn_multigrid *m); /* memory held */

/* Begins a new system, in which nothing is unknown. Add strips next, then write `own`, links and `b` of level 0. */
void rn_multigrid_clear(rn_multigrid *m);
/* Adds the unknowns of a row from `from` to `to` - 1. Call it in order of layers, rows and `from`. */
void rn_multigrid_strip(rn_multigrid *m, int layer, int y, int from, int to);
/* The number of the link over a periodic edge. Irregular pipes, if there are all of them, have their own. */
int32_t rn_multigrid_wrap(const rn_state *s, int axis, int32_t slot);

/* The largest size among the unknowns; NAN if any is none. */
float rn_multigrid_largest(const rn_level *level, const float *values);

typedef struct rn_solve {
    int iterations;
    float residual; /* the largest that is left */
    bool converged;
} rn_solve;

/* Solves to within `tolerance`. The right-hand side is used up. */
rn_solve rn_multigrid_solve(rn_multigrid *m, rn_pool *pool, float tolerance, int most);

#endif
