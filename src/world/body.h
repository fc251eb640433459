/* The bodies of a world: their poses and properties. */
#ifndef RN_WORLD_BODY_H
#define RN_WORLD_BODY_H

#include "bodies/forces.h"
#include "world/cells.h"

/* The effect of a floating body on a cell. */
typedef struct rn_body_cell {
    int x, y;
    float submerged; /* m of it below the surface, mean over the cell */
    int32_t slot;    /* of the column that the body is in */
} rn_body_cell;

typedef struct rn_body {
    rn_shape *shape; /* owned; NULL: removed */
    rn_shape *drawn; /* owned; what pictures show in place of the shape; NULL: the shape */
    rn_sdf *solid;   /* owned; of the shape, in a 3D liquid; otherwise NULL */
    char *name;      /* NULL: none */
    double density, mass, drag, damping;
    rn_body_mode mode;
    rn_blocking blocking;
    rn_vec3 colour;
    rn_pose from, to;       /* at the beginning and the end of this rn_world_step */
    rn_pose now;            /* the current pose, for which columns are made */
    bool blocks;            /* blocks now */
    bool aground;           /* rests on solid */
    bool moved;             /* has moved, or started or stopped blocking, since columns were last made */
    bool placed;            /* teleported since then: it did not sweep through the space between */
    bool restored;          /* 3D liquid, while a state is restored: it was `placed` when the state was saved */
    bool told_far;          /* the log has its warning that the body moved too far, */
    bool told_fast;         /* and the one that it was too fast */
    int switch_steps;       /* calls of rn_world_step in a row in which it could have switched between floating and
                               blocking */
    double clear;           /* m, clearance above the ground below it */
    rn_share_changes steps; /* of its surface; from libc, because threads share the work */
    rn_pose seen;           /* the pose at which `steps` were found */
    bool looked;            /* `steps` are valid */
    rn_body_cell *cells;    /* its effect on cells while it floats; also from libc */
    size_t cell_count, cell_capacity;
    double cell_sum; /* m, sum of `submerged` over those cells */
    double dragged;  /* share of its drag that is not damping */
    rn_body_load load;
} rn_body;

/* Memory of a thread that handles one body after the other; also from libc. */
typedef struct rn_body_scratch {
    double *positions;
    size_t position_capacity;
    rn_liquid_window window;
    size_t window_capacity;
    struct rn_pushed_cell *pushed; /* cells whose surface is pushed down, see world/effective.c */
    size_t pushed_count, pushed_capacity;
} rn_body_scratch;

/* The effect of all floating bodies on a cell. */
typedef struct rn_floating_cell {
    float submerged; /* m of bodies below the surface, mean over the cell */
    int32_t slot;    /* 1 + slot of the column that they are in; 0: no body */
} rn_floating_cell;

/* All bodies of a world. */
typedef struct rn_bodies {
    rn_body *list;
    size_t count, capacity;
    struct rn_blocking_state *blocking; /* makes columns from them, world/blocking.c; NULL: no body has blocked yet */
    bool squeezed; /* some columns must be made again after time has advanced: their liquid could not move away at once
                    */
    bool advanced; /* time has advanced since columns were last made */

    /* The liquid as it would be without blocking bodies, plane by plane: the first plane is that of every cell's
       topmost open range of the ground, the next one of the range below. Up to date only where bodies block;
       elsewhere the columns have the values. */
    int planes;
    float *effective; /* m above the datum, per cell, NAN where dry; NULL: there are no bodies */
    float *flow;      /* m/s along x and y, per cell */

    int32_t *stirred;    /* quanta per cell that floating bodies have added */
    rn_cells stirred_in; /* rectangle that contains all stirred cells */
    uint64_t *busy;      /* one bit per cell, whole words per row; 0: neither stirred nor near a body; NULL: no body has
                            floated yet */
    bool restored;       /* `busy` is not known */

    rn_body_scratch *scratches; /* one per thread */
    int scratch_count;
    rn_floating_cell *floating; /* per cell, zero between uses; NULL: no body has floated yet */
} rn_bodies;

/* Body i, below bodies->count; removed ones have no shape. Valid until a body is added. */
static inline rn_body *rn_body_at(const rn_bodies *bodies, size_t i) { return bodies->list + i; }

#endif
