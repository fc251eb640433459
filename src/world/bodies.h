/* The bodies of a world: where they are, what they do to columns and what liquid does to them. */
#ifndef RN_WORLD_BODIES_H
#define RN_WORLD_BODIES_H

#include <runnel/bodies.h>

typedef struct rn_body {
    rn_shape *shape; /* its own; NULL: removed */
    char *name;
    double density, mass, drag, damping;
    rn_body_way way;
    rn_blocking blocking;
    rn_vec3 colour;
    rn_pose from, to; /* where it was when this rn_world_step began, and will be when it ends, */
    rn_pose now;      /* and in between: what columns are made for */
    bool blocks;      /* now */
    bool aground;     /* rests on solid */
    bool moved;       /* or has begun or ceased to block, since columns were last made */
    int still;        /* rn_world_steps for which it could have changed its way */
    rn_body_load load;
} rn_body;

/* All of them. */
typedef struct rn_bodies {
    void *list; /* rn_body */
    size_t count, capacity;
    struct rn_blocking_state
        *blocking;    /* what makes columns of them, world/blocking.c; NULL: nothing has blocked yet */
    float *effective; /* m above the datum, per cell; NULL: there are none */
    int32_t *stirred; /* quanta per cell that bodies which float have added */
} rn_bodies;

static inline rn_body *rn_body_at(const rn_bodies *bodies, size_t i) { return (rn_body *)bodies->list + i; }

struct rn_world;

/* ---- The list (world/bodies.c) ---- */

/* In how many parts the next rn_world_step is best done, so that no body that blocks crosses more than a quarter of a
   cell in one; at least 1. */
int rn_bodies_parts(const struct rn_world *world);
/* Where all of them are after `share` of this rn_world_step. */
void rn_bodies_advance(struct rn_world *world, double share);
/* After the last part: the effective surface, loads, and who blocks from now on. */
void rn_bodies_settle(struct rn_world *world, double seconds);
uint64_t rn_bodies_hash(const struct rn_world *world, uint64_t hash);
void rn_bodies_free(struct rn_world *world);
size_t rn_bodies_bytes(const struct rn_world *world); /* memory held */

/* ---- Blocking (world/blocking.c): called by world/solids.c when columns are made ---- */

/* Finds the solid of all bodies that block, and makes the cells stale that have changed. */
rn_result rn_blocking_look(struct rn_world *world);
/* What they leave open of the faces between cells, once columns are made. */
void rn_blocking_shut(struct rn_world *world);
/* What is solid of a cell because of bodies, bottom to top, m above the datum. */
const struct rn_stretch *rn_blocking_cell(const struct rn_world *world, int x, int y, int *count);
/* The share from which on solid that begins so far (m) above its ground is all of a cell. */
float rn_blocking_sealed(const struct rn_world *world, float above);
void rn_blocking_free(struct rn_world *world);
size_t rn_blocking_bytes(const struct rn_world *world);

#endif
