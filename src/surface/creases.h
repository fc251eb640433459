/* Where a mesh has edges, its vertices are parted, so that each side is shaded by its own normals. */
#ifndef RN_SURFACE_CREASES_H
#define RN_SURFACE_CREASES_H

#include <runnel/surface.h>

/* Copies positions, normals, colours and indices, and parts vertices. Free it with rn_creases_free. */
rn_result rn_creases_part(const rn_mesh *mesh, const rn_hooks *hooks, rn_mesh *parted);
void rn_creases_free(rn_mesh *parted, const rn_hooks *hooks);

#endif
