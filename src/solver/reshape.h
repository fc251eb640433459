/* Columns that change while there is liquid in them.

   A batch of cells gets new open ranges. Liquid stays where its place stays open, rides on ground that rises by no
   more than a cell, falls with ground that sinks, and is pushed aside by anything else; fluxes stay with pipes that
   stay. Only the changed cells and their neighbours are joined anew. */
#ifndef RN_SOLVER_RESHAPE_H
#define RN_SOLVER_RESHAPE_H

#include "solver/graph.h"

/* How much of the width between a cell and the next one along an axis is solid, and how fast that moves along it. */
typedef struct rn_shut {
    int32_t owner;   /* 2 * (y * nx + x) + axis */
    float low, high; /* m above the datum */
    float share;
    float speed; /* m/s */
} rn_shut;

/* A cell before and after. */
typedef struct rn_change {
    int x, y;
    int was_count, is_count;
    size_t was, is; /* first of each in `gaps` */
} rn_change;

/* A column, or a range that a changed cell had before, that pushed liquid comes to. */
typedef struct rn_pushed {
    int32_t id; /* slot, or slots + place of the former range */
    int x, y;
    rn_gap gap;
    float level; /* m, of a former range: up to which it is passed through */
} rn_pushed;

/* Liquid that solid has pushed away and that has not come back yet. */
typedef struct rn_held {
    int x, y; /* where it was: */
    rn_gap gap;
    float level;    /* m above the datum */
    int64_t quanta; /* above 0 */
} rn_held;

/* The buffers are kept from batch to batch. */
typedef struct rn_reshaping {
    void *changes; /* rn_change, in order of y, then x */
    size_t change_count, change_capacity;
    void *gaps; /* rn_gap */
    size_t gap_count, gap_capacity;
    int64_t *lost; /* per gap, quanta of a former column's liquid that have lost their place */
    float *levels; /* per gap, m, the level that this liquid had */
    size_t lost_capacity, level_capacity;
    bool patient;         /* asked for after rn_reshape_begin: liquid that solid closes in on is left there for the next
                             substep, whatever its level */
    bool squeezed;        /* solid takes less of some column than it should, out of patience */
    bool loses;           /* there are any */
    void *seams, *slices; /* pairs of cells to join anew, in order, and as the threads share them, */
    void *records, *pipes; /* their pipes as they were, and their loose ones as they are: solver/seams.c */
    size_t seam_count, seam_capacity, slice_capacity, record_capacity, pipe_capacity;
    void *nodes; /* rn_pushed */
    size_t node_count, node_capacity;
    rn_loose_list loose;
    uint8_t *again; /* per cell: which axes to join anew; while liquid is pushed: whether it has changed */
    bool *seen;     /* per slot and gap; all false and */
    float *filled;  /* per slot, m, pushed into it in this batch; all 0 between batches */
    void *fills;    /* int32_t, slots where it is not */
    size_t seen_capacity, filled_capacity, fill_count, fill_capacity;
    double give; /* share of what has been pushed away that comes back in this batch; 0: no time goes by */
    void *held;  /* rn_held */
    size_t held_count, held_capacity, held_gap; /* and the first of their places in `gaps` */
    int64_t withheld;                           /* quanta that more are held than before */
    int64_t left, trapped;                      /* quanta that fell out of the world, and that no place was left for */
    float deepest, added; /* m, of the columns that were touched: depth, and most that was pushed into one */
    float top;            /* m, highest level of pushed liquid */
    float highest;        /* m, cross-section of the pipes that were joined anew */
} rn_reshaping;

void rn_reshape_begin(rn_reshaping *r);
/* Adds a cell if its open ranges differ from what they are. In order of y, then x; each cell once. */
rn_result rn_reshape_add(rn_reshaping *r, const rn_state *s, int x, int y, const rn_gap *gaps, int count);
/* Most columns that one of the cells is to have. */
int rn_reshape_layers(const rn_reshaping *r);
/* Carries the batch out. On failure nothing has changed. */
rn_result rn_reshape_apply(rn_reshaping *r, rn_state *s, rn_pool *pool);
/* Shuts loose pipes as far as the list says, which is in order of owners, and opens all others. What flows through a
   pipe that is shut further grows less by as much, and what opens flows as fast as what was there. Chinks below that
   are no higher than `chink` (m) are shut too. */
void rn_reshape_shut(rn_state *s, rn_pool *pool, const rn_shut *list, size_t count, float chink);
size_t rn_reshape_bytes(const rn_reshaping *r, size_t cells); /* memory held */
void rn_reshape_free(rn_reshaping *r, const rn_hooks *hooks);

static inline rn_held *rn_held_at(const rn_reshaping *r, size_t i) { return (rn_held *)r->held + i; }
static inline const rn_change *rn_change_at(const rn_reshaping *r, size_t i) { return (rn_change *)r->changes + i; }
static inline const rn_gap *rn_gaps_at(const rn_reshaping *r, size_t first) { return (rn_gap *)r->gaps + first; }

/* The open ranges that a cell's columns have now, bottom to top, at most RN_MOST_LAYERS; how many. */
int rn_ranges_present(const rn_state *s, int x, int y, rn_range *ranges);

/* The change of a cell, NULL if it has none. */
const rn_change *rn_change_of(const rn_reshaping *r, int x, int y);
/* The layer that a changed cell's former layer has become: the one that shares most of its range; -1: none does. */
int rn_change_heir(const rn_reshaping *r, const rn_change *change, int layer);

/* Hands a value that every slot has down to the heirs of a changed cell's columns. What was no column before takes that
   of the lowest. */
void rn_change_inherit(const rn_reshaping *r, const rn_grid *g, const rn_change *change, float *values);

/* Finds another place for what is lost: the nearest columns with room that it could have flowed to (solver/displace.c).
 */
void rn_displace(rn_reshaping *r, rn_state *s);

#endif
