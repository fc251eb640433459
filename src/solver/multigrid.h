/* Linear systems over columns: own*x + sum over links of link*(x - x of the other end) = b, for every unknown
   column. Conjugate gradients, with a V-cycle over coarser and coarser grids as preconditioner, need a handful of
   iterations at any size.

   Coarse columns are the sums of two by two cells of a layer. Their links count half: as wide, but twice as long.

   Irregular links are added to columns link by link, by ascending number. Each column, and each coarser link, thus
   sums its own links by ascending number: a gather by column, as on a GPU, gives the same bits. The same holds
   wherever the implicit step adds up irregular pipes. */
#ifndef RN_SOLVER_MULTIGRID_H
#define RN_SOLVER_MULTIGRID_H

#include "solver/state.h"

enum { RN_MOST_LEVELS = 20 };
enum { RN_STRIPS_APART = 2 * RN_LANES_MOST }; /* unknowns farther apart are put on separate strips */
enum { RN_BLOCK_COLUMNS = 32 };               /* of an rn_block */
enum { RN_MOST_HEIGHT = 31 };                 /* of a binary tree over blocks */

/* A run of columns in a row with all nearby unknowns, in whole vectors. */
typedef struct rn_strip {
    int32_t slot, count;
    int layer, y;
} rn_strip;

/* Which links are added to what, as a sparse matrix: target k gets the links from `begin[k]` to `begin[k + 1]` - 1 of
   `links`, by ascending number. */
typedef struct rn_link_sums {
    int32_t count; /* targets */
    int32_t *target, *begin, *links;
    size_t capacity; /* of links; there is room for one more of the others */
} rn_link_sums;

typedef struct rn_level {
    rn_grid grid;
    float *own;              /* 0 or more */
    float *link_x, *link_y;  /* to the next column of the same layer, never across edges */
    float *x, *b, *r;        /* solution, right-hand side, residual */
    float *inverse;          /* of the diagonal; 0 if not unknown */
    int32_t irregular_count; /* all other links; an end of -1 is known to be 0 */
    int32_t *irregular_a, *irregular_b, *irregular_parent; /* the last: their number on the next coarser level; -1: none
                                                              there; -2 - coarse column: the other end is known */
    float *irregular_link;
    size_t irregular_capacity;
    rn_link_sums ends;   /* columns, and their links: twice the number, plus 1 at the link's b */
    rn_link_sums merged; /* links of this level, or -2 - column, as in irregular_parent; and those of the finer level */
    int32_t *linked;     /* targets of `ends` with links that are not 0 */
    int32_t linked_count;
    rn_strip *strips;
    int32_t strip_count;
    int32_t slots; /* in all strips */
} rn_level;

/* RN_BLOCK_COLUMNS columns of a row, starting at a multiple of as many, with some unknowns. Products are summed block
 * by block. */
typedef struct rn_block {
    int32_t slot;  /* of the first column */
    int32_t index; /* number among all blocks of the grid, by layer, row and x */
    int32_t parts; /* bits: which of its four parts are in strips */
} rn_block;

typedef struct rn_multigrid {
    rn_hooks hooks;
    rn_level *levels;                /* room for RN_MOST_LEVELS */
    int count;                       /* of levels; 0: nothing is allocated */
    float *solution, *along, *image; /* of conjugate gradients: x, p and A p */
    rn_block *blocks;                /* of level 0, in order */
    int32_t block_count;
    double *sums;                          /* one for each block */
    float *largest;                        /* of groups of strips, while all blocks of a GPU look */
    int32_t *sum_order, *sum_into;         /* the additions of sum_tree, by levels of the tree: sums[k] to sums[into] */
    int32_t sum_level[RN_MOST_HEIGHT + 1]; /* where each level of the tree begins in sum_order */
    bool listed;                           /* strips of coarser levels, and blocks, are those of level 0 */
    uint32_t shape;                        /* of the state that it was made for */
    bool partial;                          /* made for only some of its irregular pipes */
} rn_multigrid;

/* Allocates the levels for this state and lists its links. Does nothing if the columns are unchanged since the last
   call and all pipes were included. Returns RN_MEMORY, with a message, if memory runs out; then all memory is freed. */
rn_result rn_multigrid_fit(rn_multigrid *m, const rn_state *s);
/* Allocates the levels for this state, unless they fit, and lists its links, with only some of the irregular pipes.
   `numbers` has one element per irregular pipe: the caller sets it to anything but 0 to include the pipe, and it
   becomes the number of the pipe's link, from 0; the others stay 0. rn_multigrid_wrap is not valid afterwards. Returns
   RN_MEMORY, with a message, if memory runs out; then all memory is freed. */
rn_result rn_multigrid_fit_some(rn_multigrid *m, const rn_state *s, int32_t *numbers);
/* Frees all memory, not `m` itself, which is then empty and can be fitted again. */
void rn_multigrid_free(rn_multigrid *m);
size_t rn_multigrid_bytes(const rn_multigrid *m); /* memory held */

/* Begins a new system without unknowns; sets all values of the last one to 0. Next, add strips; then write `own`, links
   and `b` of level 0. A system with the same unknowns as the last one needs neither: instead, write all of its `own`,
   links and `b` again. */
void rn_multigrid_clear(rn_multigrid *m);
/* Adds the unknowns of a row from x `from` to `to` - 1, rounded out to whole vectors. Call it in order of layers, rows
   and `from`. */
void rn_multigrid_strip(rn_multigrid *m, int layer, int y, int from, int to);
/* The number of the link across a periodic edge along an axis, for any column of that row of cells. Irregular pipes, if
   all are included, have their own numbers. */
int32_t rn_multigrid_wrap(const rn_state *s, int axis, int32_t slot);

/* The largest absolute value in the strips of level 0; NAN if any is NaN, 0 without strips. By lanes. */
float rn_multigrid_largest(const rn_multigrid *m, const float *values);

typedef struct rn_solve {
    int iterations;
    float residual; /* largest remaining residual */
    bool converged;
} rn_solve;

/* Solves the system of level 0 until the largest residual is at most `tolerance` (in the unit of b), in at most `most`
   iterations, starting from 0; the result is m->solution, or the last approximation if `converged` is false. The
   right-hand side `b` is overwritten by the residual. By lanes: all of them call this, and get the same result. */
rn_solve rn_multigrid_solve(rn_multigrid *m, rn_pool *pool, float tolerance, int most);

#endif
