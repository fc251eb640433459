/* A batch of changes of columns, and what becomes of the liquid in their way. It knows columns alone: what joins them
   is the solver's (solver/reshape.c). */
#ifndef RN_SOLVER_RESHAPING_H
#define RN_SOLVER_RESHAPING_H

#include "solver/columns.h"

/* How much of the width between a cell and the next one along an axis is solid, and how fast that moves along it. */
typedef struct rn_face_blockage {
    int32_t owner;   /* 2 * (y * nx + x) + axis */
    float low, high; /* m above the datum */
    float share;
    float speed; /* m/s */
} rn_face_blockage;

/* A cell before and after. */
typedef struct rn_change {
    int x, y;
    int was_count, is_count;
    size_t was, is; /* first of each in `gaps` */
} rn_change;

/* A column, or a range that a changed cell had before, that pushed liquid comes to. */
typedef struct rn_displacement_node {
    int32_t id; /* slot, or slots + place of the former range */
    int x, y;
    rn_column_shape gap;
    float level; /* m, of a former range: up to which it is passed through */
} rn_displacement_node;

/* Liquid that solid has pushed away and that has not come back yet. */
typedef struct rn_pending_displacement {
    int x, y; /* where it was: */
    rn_column_shape gap;
    float level;    /* m above the datum */
    int64_t quanta; /* above 0 */
} rn_pending_displacement;

/* The buffers are kept from batch to batch. */
typedef struct rn_reshaping {
    rn_change *changes; /* in order of y, then x */
    size_t change_count, change_capacity;
    rn_column_shape *gaps;
    size_t gap_count, gap_capacity;
    int64_t *lost; /* per gap, quanta of a former column's liquid that have lost their place */
    float *levels; /* per gap, m, the level that this liquid had */
    size_t lost_capacity, level_capacity;
    bool shrink;   /* asked for after rn_reshape_begin: liquid that solid closes in on is left there for the next
                       substep, whatever its level */
    bool squeezed; /* solid takes less of some column than it should, because of that */
    bool loses;    /* some liquid has lost its place */
    rn_displacement_node *nodes;
    size_t node_count, node_capacity;
    uint8_t *again; /* per cell: which axes to join again; while liquid is pushed: whether it has changed */
    bool *seen;     /* per slot and gap; all false and */
    float *filled;  /* per slot, m, pushed into it in this batch; all 0 between batches */
    int32_t *fills; /* the slots that liquid was pushed into in this batch, */
    bool unlisted;  /* and there may be others: memory has run out */
    size_t seen_capacity, filled_capacity, fill_count, fill_capacity;
    double give; /* share of what has been pushed away that comes back in this batch; 0: no time goes by */
    rn_pending_displacement *held;
    size_t held_count, held_capacity, held_gap; /* and the first of their places in `gaps` */
    int64_t newly_held;                         /* quanta that more are held than before */
    int64_t left, trapped;                      /* quanta that fell out of the world, and that no place was left for */
    float deepest, added; /* m, of the columns that were touched: depth, and most that was pushed into one */
    float top;            /* m, highest level of pushed liquid */
    float highest;        /* m, cross-section of the pipes that were joined again */
} rn_reshaping;

void rn_reshape_begin(rn_reshaping *r);
/* Adds a cell if its open ranges differ from what they are. In order of y, then x; each cell once. */
rn_result rn_reshape_add(rn_reshaping *r, const rn_columns *c, int x, int y, const rn_column_shape *gaps, int count);
/* Most columns that one of the cells is to have. */
int rn_reshape_layers(const rn_reshaping *r);
/* Memory for all that follows, so that it cannot fail; held liquid joins the batch as if its place had just been
   closed. On failure nothing has changed. */
rn_result rn_reshape_reserve(rn_reshaping *r, const rn_columns *c);
/* Writes the columns of one changed cell, with the liquid that keeps its place. Threads may do this for different cells
   at once. */
void rn_reshape_write(rn_reshaping *r, rn_columns *c, size_t index);
/* Once all are written: finds another place for what is lost, in the nearest columns with room that it could have
   flowed to, which `fills` then lists (solver/displace.c). */
void rn_displace(rn_reshaping *r, rn_columns *c);
size_t rn_reshape_bytes(const rn_reshaping *r, size_t cells); /* memory held */
void rn_reshape_free(rn_reshaping *r, const rn_hooks *hooks);

/* The change of a cell, NULL if it has none. */
const rn_change *rn_change_of(const rn_reshaping *r, int x, int y);
/* The layer that a changed cell's former layer has become: the one that shares most of its range; -1: none does. */
int rn_change_successor(const rn_reshaping *r, const rn_change *change, int layer);
/* Hands a value that every slot has down to the heirs of a changed cell's columns. What was no column before takes that
   of the lowest. */
void rn_change_pass_on(const rn_reshaping *r, const rn_grid *g, const rn_change *change, float *values);

#endif
