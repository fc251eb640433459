/* The surface of a solid given by samples, as triangles. */
#ifndef RN_TERRAIN_ISOSURFACE_H
#define RN_TERRAIN_ISOSURFACE_H

#include <runnel/base.h>

typedef struct rn_samples {
    const float *values;    /* x fastest; solid where 0 or less; finite */
    int cells[3];           /* samples along x, y and z, each at least 1 */
    double transform[3][4]; /* rows that take the indices x y z 1 of a sample to its position */
} rn_samples;

/* Zeroed to begin with; free its two arrays with rn_free(NULL, …). */
typedef struct rn_triangles {
    float *positions;  /* x y z of each vertex */
    uint32_t *indices; /* three per triangle, counter-clockwise seen from the open side */
    size_t vertex_count, vertex_capacity, triangle_count, triangle_capacity;
} rn_triangles;

/* Appends the surface to `surface` by marching cubes: values are linear along each edge of the lattice. The surface is
   closed: solid that reaches the outermost samples ends half a spacing beyond them. On failure returns RN_LIMIT (there
   are more than `most` triangles in all) or RN_MEMORY, with a message. The caller frees the arrays, also after a
   failure; without solid nothing is added. */
rn_result rn_isosurface(const rn_samples *samples, size_t most, rn_triangles *surface);

#endif
