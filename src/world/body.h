/* The bodies of a world: where they are, and what is known about them. */
#ifndef RN_WORLD_BODY_H
#define RN_WORLD_BODY_H

#include "bodies/forces.h"
#include "world/cells.h"

/* What a body that floats does to a cell. */
typedef struct rn_body_cell {
    int x, y;
    float submerged; /* m of it below the surface, mean over the cell */
    int32_t slot;    /* of the column that it is in */
} rn_body_cell;

typedef struct rn_body {
    rn_shape *shape; /* its own; NULL: removed */
    char *name;      /* NULL: none */
    double density, mass, drag, damping;
    rn_body_mode mode;
    rn_blocking blocking;
    rn_vec3 colour;
    rn_pose from, to;       /* where it was when this rn_world_step began, and will be when it ends, */
    rn_pose now;            /* and in between: what columns are made for */
    bool blocks;            /* now */
    bool aground;           /* rests on solid */
    bool moved;             /* or has begun or ceased to block, since columns were last made */
    bool placed;            /* since then: it has not passed what lies between */
    bool told_far;          /* the log has been told that it was placed because it had gone too far, */
    bool told_fast;         /* and that it was too fast */
    int switch_steps;       /* rn_world_steps for which it could have changed its way */
    double clear;           /* m, from the ground below it */
    rn_share_changes steps; /* of its surface, from libc, because threads share the work; */
    rn_pose seen;           /* as it was here, */
    bool looked;            /* if it was looked at */
    rn_body_cell *cells;    /* what it does to cells while it floats; from libc likewise */
    size_t cell_count, cell_capacity;
    double cell_sum; /* m, the sum of `submerged` over those cells */
    double dragged;  /* the share of its drag that is not damping */
    rn_body_load load;
} rn_body;

/* Room for a thread to look at one body after the other; from libc likewise. */
typedef struct rn_body_scratch {
    double *positions;
    size_t position_capacity;
    rn_liquid_window window;
    size_t window_capacity;
    struct rn_pushed_cell *pushed; /* cells whose surface is pushed down, of world/effective.c */
    size_t pushed_count, pushed_capacity;
} rn_body_scratch;

/* What bodies that float do to a cell. */
typedef struct rn_floating_cell {
    float submerged; /* m of them below the surface, mean over the cell */
    int32_t slot;    /* 1 + that of the column they are in; 0: there are none */
} rn_floating_cell;

/* All of them. */
typedef struct rn_bodies {
    rn_body *list;
    size_t count, capacity;
    struct rn_blocking_state
        *blocking; /* what makes columns of them, world/blocking.c; NULL: nothing has blocked yet */
    bool squeezed; /* some columns are to be made again when time has gone on: they could not give way at once */
    bool advanced; /* time has gone on since columns were last made */

    /* The liquid as it would be without bodies that block, plane by plane: the first one is that of every cell's
       topmost open range of the ground, the next one of the range below it. Up to date only where bodies block;
       everywhere else the columns themselves tell. */
    int planes;
    float *effective; /* m above the datum, per cell, NAN where it is dry; NULL: there are no bodies */
    float *flow;      /* m/s along x and y, per cell */

    int32_t *stirred;    /* quanta per cell that bodies which float have added */
    rn_cells stirred_in; /* no others are stirred, */
    uint64_t *busy;      /* nor any cell whose bit is 0 here, in whole words a row; NULL: nothing has floated yet */
    bool restored;       /* which cells are busy is not known */

    rn_body_scratch *scratches; /* one per thread */
    int scratch_count;
    rn_floating_cell *floating; /* per cell, zero between uses; NULL: nothing has floated yet */
} rn_bodies;

static inline rn_body *rn_body_at(const rn_bodies *bodies, size_t i) { return bodies->list + i; }

#endif
