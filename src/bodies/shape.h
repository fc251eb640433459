/* A shape as its constructors leave it: a closed surface of triangles, and what it was made of. */
#ifndef RN_BODIES_SHAPE_H
#define RN_BODIES_SHAPE_H

#include "base/memory.h"
#include <runnel/bodies.h>

/* Vertices or triangles that a shape can have: three times as many can be counted. */
#define RN_SHAPE_MOST (UINT32_MAX / 3)
/* m, that nothing of a shape may be farther from its origin: farther out nothing could be told apart. */
#define RN_SHAPE_FARTHEST 1e9

struct rn_shape {
    rn_hooks hooks;
    float *positions; /* x y z of each vertex (m) */
    uint32_t *indices;
    rn_shape_part *parts;
    rn_shape_info info; /* its counts hold for the arrays above */
};

/* Room for a shape of one part, all zero; NULL with an error text if memory is short or it would be too large. */
rn_shape *rn_shape_new(const rn_hooks *hooks, rn_shape_kind kind, rn_vec3 size, size_t vertices, size_t triangles);
/* Fills in volume, centre, inertia and bounds once vertices and triangles are there. */
void rn_shape_measure(rn_shape *shape);
/* NULL with an error text if memory is short. */
rn_shape *rn_shape_copy(const rn_shape *shape, const rn_hooks *hooks);

#endif
