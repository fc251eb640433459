/* Copies of a world's triangles and columns, for threads that use them while it steps on. */
#ifndef COPIES_H
#define COPIES_H

#include <runnel/runnel.h>

/* Zeroed: none yet. Memory is used again for the next copy. */
typedef struct mesh_copy {
    rn_mesh mesh;
    void *memory;
    size_t room; /* bytes */
} mesh_copy;

/* False: there is not enough memory. */
bool mesh_copy_take(mesh_copy *copy, const rn_mesh *from);
void mesh_copy_free(mesh_copy *copy);

typedef struct columns_copy {
    rn_surface_columns columns;
    float *values;
    size_t room; /* values */
} columns_copy;

bool columns_copy_take(columns_copy *copy, const rn_surface_columns *from);
void columns_copy_free(columns_copy *copy);

#endif
