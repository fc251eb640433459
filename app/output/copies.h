/* Copies of a world's meshes and columns, for threads that use them while the world steps on. A zeroed copy is empty;
   taking another copy reuses its memory. */
#ifndef COPIES_H
#define COPIES_H

#include <runnel/runnel.h>

/* A mesh whose arrays lie in `memory`. */
typedef struct mesh_copy {
    rn_mesh mesh;
    void *memory;
    size_t room; /* bytes */
} mesh_copy;

/* Copies a mesh. Returns false if there is not enough memory. */
bool mesh_copy_take(mesh_copy *copy, const rn_mesh *from);
void mesh_copy_free(mesh_copy *copy);

/* Columns whose fields lie in `values`. */
typedef struct columns_copy {
    rn_surface_columns columns;
    float *values;
    size_t room; /* number of values */
} columns_copy;

/* Copies all fields of the columns. Returns false if there is not enough memory. */
bool columns_copy_take(columns_copy *copy, const rn_surface_columns *from);
void columns_copy_free(columns_copy *copy);

#endif
