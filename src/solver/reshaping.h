/* A batch of changes of columns, and the displacement of liquid in their way. It handles only columns; the solver
   handles the pipes between them (solver/reshape.c). */
#ifndef RN_SOLVER_RESHAPING_H
#define RN_SOLVER_RESHAPING_H

#include "solver/columns.h"

/* The solid share of the width between a cell and the next one along an axis, and the speed of that solid along the
   axis. */
typedef struct rn_face_blockage {
    int32_t owner;   /* 2 * (y * nx + x) + axis */
    float low, high; /* m above the datum */
    float share;
    float speed; /* m/s */
} rn_face_blockage;

/* The former and the new ranges of a cell. */
typedef struct rn_change {
    int x, y;
    int was_count, is_count;
    size_t was, is; /* index of the first of each in `gaps` */
} rn_change;

/* A column, or a former range of a changed cell, that displaced liquid reaches. */
typedef struct rn_displacement_node {
    int32_t id; /* slot, or slots + index of the former range */
    int x, y;
    rn_column_shape gap;
    float level; /* m, for a former range: liquid passes below this level */
} rn_displacement_node;

/* Liquid that solid has pushed away and that has not come back yet. */
typedef struct rn_pending_displacement {
    int x, y; /* its former place */
    rn_column_shape gap;
    float level;    /* m above the datum */
    int64_t quanta; /* above 0 */
} rn_pending_displacement;

/* Buffers, kept from batch to batch. */
typedef struct rn_reshaping {
    rn_change *changes; /* sorted by y, then x */
    size_t change_count, change_capacity;
    rn_column_shape *gaps;
    size_t gap_count, gap_capacity;
    int64_t *lost; /* per gap, quanta of a former column's liquid that have lost their place */
    float *levels; /* per gap, m, level of this liquid */
    size_t lost_capacity, level_capacity;
    bool shrink; /* set after rn_reshape_begin: liquid that solid closes in on stays for the next substep, whatever its
                    level */
    bool squeezed; /* because of that, solid takes less of some column than it should */
    bool loses;    /* some liquid has lost its place */
    rn_displacement_node *nodes;
    size_t node_count, node_capacity;
    uint8_t *again; /* per cell: axes to join again; during displacement: whether the cell has changed */
    bool *seen;     /* per slot and gap; all false between batches */
    float *filled;  /* per slot, m pushed into it in this batch; all 0 between batches */
    int32_t *fills; /* the slots that liquid was pushed into in this batch */
    bool unlisted;  /* memory ran out: `fills` is not complete */
    size_t seen_capacity, filled_capacity, fill_count, fill_capacity;
    double give; /* share of the displaced liquid that comes back in this batch; 0: no time passes */
    rn_pending_displacement *held;
    size_t held_count, held_capacity, held_gap; /* held_gap: index of the first of their ranges in `gaps` */
    int64_t newly_held;                         /* quanta held in addition to those before */
    int64_t left, trapped;                      /* quanta that fell out of the world, and that found no place */
    float deepest, added; /* m, of the changed columns: largest depth, and most that was pushed into one */
    float top;            /* m, highest level of displaced liquid */
    float highest;        /* m, highest cross-section of the pipes joined again */
} rn_reshaping;

/* Empties the batch, clears what it reports, and sets `shrink` to false; `give`, `squeezed` and held liquid stay. */
void rn_reshape_begin(rn_reshaping *r);
/* Adds a cell with its `count` new open ranges, bottom to top, if they differ from its present ones; otherwise does
   nothing. Call it in order of y, then x, once per cell. Returns RN_MEMORY, with a message, if memory runs out; then
   the batch must not be applied. */
rn_result rn_reshape_add(rn_reshaping *r, const rn_columns *c, int x, int y, const rn_column_shape *gaps, int count);
/* The largest number of columns that a cell of the batch will have; 0 for an empty batch. */
int rn_reshape_layers(const rn_reshaping *r);
/* Allocates everything that rn_reshape_write and rn_displace need, so that they cannot fail; with `give`, held liquid
   joins the batch as if its range had just been closed. Returns RN_MEMORY, with a message, if memory runs out; then no
   column has changed. */
rn_result rn_reshape_reserve(rn_reshaping *r, const rn_columns *c);
/* Writes the columns of changed cell number `index`, with the liquid that keeps its place; the rest is counted in
   `lost`, and what falls into a sink in `left`. With `shrink` a partial solid may take less instead, and `squeezed` is
   set. Passes friction and contact angles on. Threads may do this for different cells at the same time. */
void rn_reshape_write(rn_reshaping *r, rn_columns *c, size_t index);
/* Once all cells are written: moves displaced liquid to the nearest columns with room that it could have flowed to, and
   lists these in `fills` (solver/displace.c). With `give` a part is held for later batches. What finds no room is
   counted in `trapped`, what leaves the world in `left`; updates newly_held, added, deepest and top. Does nothing
   unless r->loses. */
void rn_displace(rn_reshaping *r, rn_columns *c);
size_t rn_reshape_bytes(const rn_reshaping *r, size_t cells); /* memory held */
/* Frees all buffers, not `r` itself. Held liquid is forgotten. */
void rn_reshape_free(rn_reshaping *r, const rn_hooks *hooks);

/* The change of a cell, by binary search, or NULL if it has none. */
const rn_change *rn_change_of(const rn_reshaping *r, int x, int y);
/* The new layer of a changed cell that replaces former layer `layer`: the one that shares most of its range, or -1 if
   none does. */
int rn_change_successor(const rn_reshaping *r, const rn_change *change, int layer);
/* Passes the values of an array over slots on to the successors of a changed cell's columns. Columns without a
   predecessor get the value of the lowest former layer. Call it before the columns are written. */
void rn_change_pass_on(const rn_reshaping *r, const rn_grid *g, const rn_change *change, float *values);

#endif
