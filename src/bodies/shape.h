/* A shape in memory: a closed surface of triangles, and the parts that it was made of. */
#ifndef RN_BODIES_SHAPE_H
#define RN_BODIES_SHAPE_H

#include "base/memory.h"
#include <runnel/bodies.h>

/* The largest number of vertices or triangles of a shape: three times as many can be counted. */
#define RN_SHAPE_MOST (UINT32_MAX / 3)
/* m, the largest distance from the origin within a shape: farther out floats have too little precision. */
#define RN_SHAPE_FARTHEST 1e9

struct rn_shape {
    rn_hooks hooks;
    float *positions; /* x y z of each vertex (m) */
    uint32_t *indices;
    rn_shape_part *parts;
    rn_shape_info info; /* its counts hold for the arrays above */
};

/* Allocates a shape of one part of this kind and size (see rn_shape_part), with this many vertices and triangles, all
   zero for the caller to fill. Returns NULL, with an error text, if memory runs out, or if it would be too large. */
rn_shape *rn_shape_new(const rn_hooks *hooks, rn_shape_kind kind, rn_vec3 size, size_t vertices, size_t triangles);
/* Sets volume, centre, inertia, bounds and radius of a shape with vertices; call it once vertices and triangles are
   written. Volume and inertia are negative if it is inside out; without volume its centre is that of its bounds. */
void rn_shape_measure(rn_shape *shape);
/* A copy with all parts and colours, with memory from these hooks, or NULL, with an error text, if memory runs out. */
rn_shape *rn_shape_copy(const rn_shape *shape, const rn_hooks *hooks);

#endif
