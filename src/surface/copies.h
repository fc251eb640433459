/* Copies of triangles and columns, for threads that use them while the world steps on. */
#ifndef RN_SURFACE_COPIES_H
#define RN_SURFACE_COPIES_H

#include <runnel/surface.h>

/* Zeroed: none yet. Memory is used again for the next copy. */
typedef struct rn_mesh_copy {
    rn_mesh mesh;
    void *memory;
    size_t room; /* words of four bytes */
} rn_mesh_copy;

/* False: there is not enough memory, and there is no mesh. */
bool rn_mesh_copy_take(rn_mesh_copy *copy, const rn_hooks *hooks, const rn_mesh *from);
void rn_mesh_copy_free(rn_mesh_copy *copy, const rn_hooks *hooks);

typedef struct rn_columns_copy {
    rn_surface_columns columns; /* each field without gaps between its rows */
    float *values;
    size_t room; /* values */
} rn_columns_copy;

/* False: there is not enough memory, and there are no columns. */
bool rn_columns_copy_take(rn_columns_copy *copy, const rn_hooks *hooks, const rn_surface_columns *from);
void rn_columns_copy_free(rn_columns_copy *copy, const rn_hooks *hooks);

#endif
