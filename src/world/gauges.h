/* Cross-sections, and what passes through them. */
#ifndef RN_WORLD_GAUGES_H
#define RN_WORLD_GAUGES_H

#include "solver/archive.h"

/* A face that a cross-section passes through. */
typedef struct rn_face {
    int32_t slot; /* of layer 0, the cell at its lower x or y */
    int8_t axis, sign;
} rn_face;

typedef struct rn_gauge {
    int32_t count;
    rn_face *faces;
    double along[2];        /* unit vector of the line, sizes only */
    double length;          /* m */
    int64_t passed, before; /* quanta; before: when the last rn_world_step began */
} rn_gauge;

typedef struct rn_gauges {
    rn_gauge *list;
    size_t count, capacity;
} rn_gauges;

struct rn_world;

/* Call it when a frame begins: later totals count from here. */
void rn_gauges_begin(struct rn_world *world);
/* Call it after every substep: adds what has passed in it. */
void rn_gauges_step(struct rn_world *world);
bool rn_gauges_any(const struct rn_world *world); /* that have not been removed */
void rn_gauges_free(struct rn_world *world);

void rn_gauges_archive(struct rn_world *world, rn_archive *a);

#endif
