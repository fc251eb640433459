/* Copies of meshes and columns, for threads that use them while the world is stepped. A copy starts zeroed; ..._take
   copies into it, as often as needed, and ..._free releases its memory. */
#ifndef RN_SURFACE_COPIES_H
#define RN_SURFACE_COPIES_H

#include <runnel/surface.h>

/* A copy of a mesh. Its memory is used again for the next copy. */
typedef struct rn_mesh_copy {
    rn_mesh mesh;
    void *memory;
    size_t room; /* of `memory`, in words of four bytes */
} rn_mesh_copy;

/* Copies a mesh in place of the previous one. Returns false if memory runs out; the copy is then empty. */
bool rn_mesh_copy_take(rn_mesh_copy *copy, const rn_hooks *hooks, const rn_mesh *from);
/* Frees the memory of a copy, with the same hooks. */
void rn_mesh_copy_free(rn_mesh_copy *copy, const rn_hooks *hooks);

typedef struct rn_columns_copy {
    rn_surface_columns columns; /* the copy; its fields have no gaps between rows */
    float *values;
    size_t room; /* of `values` */
} rn_columns_copy;

/* Copies the fields of columns in place of the previous ones. Returns false if memory runs out; the copy is then
   empty. */
bool rn_columns_copy_take(rn_columns_copy *copy, const rn_hooks *hooks, const rn_surface_columns *from);
/* Frees the memory of a copy, with the same hooks. */
void rn_columns_copy_free(rn_columns_copy *copy, const rn_hooks *hooks);

#endif
