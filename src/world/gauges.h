/* Cross-sections, and the liquid that passes through them. */
#ifndef RN_WORLD_GAUGES_H
#define RN_WORLD_GAUGES_H

#include "solver/archive.h"

/* A face that belongs to a cross-section. */
typedef struct rn_gauge_face {
    int32_t slot; /* of layer 0, in the cell at its lower x or y */
    int8_t axis, sign;
} rn_gauge_face;

typedef struct rn_gauge {
    int32_t count;
    rn_gauge_face *faces;
    double along[2]; /* unit vector of the line, absolute values */
    double length;   /* m */
    int deep;        /* its number in a 3D liquid */
    int64_t passed,
        before; /* quanta, or particles of a 3D liquid; before: at the beginning of the last rn_world_step */
} rn_gauge;

typedef struct rn_gauges {
    rn_gauge *list;
    size_t count, capacity;
} rn_gauges;

struct rn_world;

/* Call it when a frame begins: the discharge of sections is the mean from here on. */
void rn_gauges_begin(struct rn_world *world);
/* Call it after every substep: adds the quanta that have passed the faces of each section in it. */
void rn_gauges_step(struct rn_world *world);
bool rn_gauges_any(const struct rn_world *world); /* whether any has not been removed */
void rn_gauges_free(struct rn_world *world);      /* only for rn_world_destroy */

/* Saves, checks or restores what all sections have counted (quanta or particles), by the pass of the archive; sets
   a->broken if the data is not valid. */
void rn_gauges_archive(struct rn_world *world, rn_archive *a);

#endif
