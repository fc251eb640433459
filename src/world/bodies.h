/* The bodies of a world: where they are, what they do to columns and what liquid does to them. */
#ifndef RN_WORLD_BODIES_H
#define RN_WORLD_BODIES_H

#include "bodies/forces.h"
#include "solver/archive.h"
#include "world/cells.h"

/* What a body that floats does to a cell. */
typedef struct rn_dipped {
    int x, y;
    float sunk;   /* m of it below the surface, mean over the cell */
    int32_t slot; /* of the column that it is in */
} rn_dipped;

typedef struct rn_body {
    rn_shape *shape; /* its own; NULL: removed */
    char *name;      /* NULL: none */
    double density, mass, drag, damping;
    rn_body_way way;
    rn_blocking blocking;
    rn_vec3 colour;
    rn_pose from, to; /* where it was when this rn_world_step began, and will be when it ends, */
    rn_pose now;      /* and in between: what columns are made for */
    bool blocks;      /* now */
    bool aground;     /* rests on solid */
    bool moved;       /* or has begun or ceased to block, since columns were last made */
    bool placed;      /* since then: it has not passed what lies between */
    bool told_far;    /* the log has been told that it was placed because it had gone too far, */
    bool told_fast;   /* and that it was too fast */
    int still;        /* rn_world_steps for which it could have changed its way */
    double clear;     /* m, from the ground below it */
    rn_steps steps;   /* of its surface, from libc, because threads share the work; */
    rn_pose seen;     /* as it was here, */
    bool looked;      /* if it was looked at */
    void *dipped;     /* rn_dipped: what it does to cells while it floats; from libc likewise */
    size_t dipped_count, dipped_capacity;
    rn_body_load load;
} rn_body;

/* Room for a thread to look at one body after the other; from libc likewise. */
typedef struct rn_dipper {
    double *positions;
    size_t position_capacity;
    rn_waters waters;
    size_t water_capacity;
    void *pushed; /* cells whose surface is pushed down, world/effective.c */
    size_t pushed_count, pushed_capacity;
} rn_dipper;

/* What bodies that float do to a cell. */
typedef struct rn_dip {
    float sunk;   /* m of them below the surface, mean over the cell */
    int32_t slot; /* 1 + that of the column they are in; 0: there are none */
} rn_dip;

/* All of them. */
typedef struct rn_bodies {
    void *list; /* rn_body */
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

    rn_dipper *dippers; /* one per thread */
    int dipper_count;
    rn_dip *dips; /* per cell, zero between uses; NULL: nothing has floated yet */
} rn_bodies;

static inline rn_body *rn_body_at(const rn_bodies *bodies, size_t i) { return (rn_body *)bodies->list + i; }

struct rn_world;

/* ---- The list (world/bodies.c) ---- */

/* In how many parts the next rn_world_step is best done, so that no body that blocks crosses more than a quarter of a
   cell in one; at least 1, and no more than 64. */
int rn_bodies_parts(const struct rn_world *world);
/* Where all of them are after `share` of this rn_world_step. */
void rn_bodies_advance(struct rn_world *world, double share);
uint64_t rn_bodies_hash(const struct rn_world *world, uint64_t hash);
rn_result rn_bodies_archive(struct rn_world *world, rn_archive *a);
void rn_bodies_free(struct rn_world *world);
size_t rn_bodies_bytes(const struct rn_world *world); /* memory held */
/* The cells around a body at a pose, and `around` more on every side; at least one, the nearest. */
rn_cells rn_body_cells(const struct rn_world *world, const rn_body *body, const rn_pose *pose, int around);
/* Whether it is a pose as bodies keep them: what hosts ask for is refused or mended otherwise. */
bool rn_pose_kept(const rn_pose *pose);
/* Evenly between two poses, with the velocities of the second. */
rn_pose rn_pose_between(const rn_pose *from, const rn_pose *to, double share);
/* Whether two poses put a body into the same place. */
bool rn_pose_same(const rn_pose *a, const rn_pose *b);
/* Whether a body of this way blocks that has not run aground. */
bool rn_body_blocks(const struct rn_world *world, const rn_body *body);

/* ---- What liquid does to them (world/settle.c) ---- */

/* After the last part: the effective surface, loads, and who blocks from now on. */
void rn_bodies_settle(struct rn_world *world, double seconds);
/* One dipper per thread. */
rn_result rn_dippers_fit(struct rn_world *world);
/* A body in the liquid around it, into the dipper's waters and positions; false without memory. Threads may do this for
   different bodies at once. The liquid is level if `even`. */
bool rn_body_dip(const struct rn_world *world, rn_body *body, bool even, rn_dipper *dipper);
void rn_dippers_free(struct rn_world *world);

/* ---- The effective surface (world/effective.c) ---- */

/* Room for as many planes as there are open ranges of the ground above each other, and at least so many. */
rn_result rn_effective_fit(struct rn_world *world, int least);
/* Takes over what a cell has where no body pushes it down: before columns are made for something that comes to stand
   there. Where its ground has just changed too, what was taken over before holds. */
void rn_effective_note(struct rn_world *world, int x, int y);
/* Carries levels and flow on under bodies, for so many seconds; with dippers. */
void rn_effective_step(struct rn_world *world, double seconds);
/* The liquid of these cells around something that reaches from low to high (m), but for its flow; false without
   memory. */
bool rn_effective_gather(const struct rn_world *world, rn_cells cells, double low, double high, rn_dipper *to);
/* And how it flows in those that have something of the body below their level. */
void rn_effective_flow(const struct rn_world *world, rn_waters *waters);

/* ---- Bodies that float (world/stir.c) ---- */

/* Lifts and lowers the liquid under them, in whole quanta that the ledger books as lent. */
rn_result rn_stir(struct rn_world *world);

/* ---- Blocking (world/blocking.c): called by world/solids.c when columns are made ---- */

/* Finds the solid of all bodies that block, and makes the cells stale that have changed. */
rn_result rn_blocking_look(struct rn_world *world);
/* What they leave open of the faces between cells, once columns are made. */
void rn_blocking_shut(struct rn_world *world);
/* What is solid of a cell because of bodies, bottom to top, m above the datum. */
const struct rn_stretch *rn_blocking_cell(const struct rn_world *world, int x, int y, int *count);
/* The share from which on solid that begins so far (m) above its ground is all of a cell. */
float rn_blocking_sealed(const struct rn_world *world, float above);
/* How high (m) a gap below a body may be that nothing flows through beside it. */
float rn_blocking_chink(const struct rn_world *world);
/* The steps of a body's surface where it is now, if they are known because it blocks; otherwise NULL. */
const rn_steps *rn_blocking_steps(const struct rn_world *world, const rn_body *body);
void rn_blocking_free(struct rn_world *world);
/* What has been seen of bodies, as bytes: how many; `to` may be NULL. Whether bytes can be such, and taking them over:
   the columns themselves stay as they are. */
size_t rn_blocking_pack(const struct rn_world *world, void *to);
bool rn_blocking_check(const struct rn_world *world, const void *bytes, size_t size);
rn_result rn_blocking_unpack(struct rn_world *world, const void *bytes, size_t size);
size_t rn_blocking_bytes(const struct rn_world *world);

#endif
