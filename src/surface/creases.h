/* Splits the vertices of a mesh along sharp edges, so that each side is shaded with its own normals. */
#ifndef RN_SURFACE_CREASES_H
#define RN_SURFACE_CREASES_H

#include <runnel/surface.h>

/* Copies positions, normals, colours and ids (if there are any) and indices, and splits vertices. The mesh must have an
   array of normals; where they are 0, gentler edges count as creases, too. Free the result with rn_creases_free.
   Returns RN_MEMORY if memory runs out (with a message) or there would be too many vertices (without); the result is
   then empty. */
rn_result rn_creases_part(const rn_mesh *mesh, const rn_hooks *hooks, rn_mesh *parted);
/* Frees the arrays of a mesh from rn_creases_part, with the same hooks. */
void rn_creases_free(rn_mesh *parted, const rn_hooks *hooks);

#endif
