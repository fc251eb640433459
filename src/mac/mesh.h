/* The surface of the 3D liquid as triangles, for a renderer or a file.

   A closed mesh: it ends at the walls of the box, and a little inside solids. The same particles give the same mesh, to
   the bit, for any number of threads. */
#ifndef RN_MAC_MESH_H
#define RN_MAC_MESH_H

#include "mac/mac.h"

#include <runnel/surface.h>

typedef struct rn_mac_mesh rn_mac_mesh;

typedef struct rn_mac_mesh_def {
    rn_vec3 origin;    /* m, added to all positions */
    double full_depth; /* m, thickness of opaque liquid */
    int fine; /* nodes of the lattice per cell along each axis; 0: two, or one in grids of 2^23 cells or more */
} rn_mac_mesh_def;

/* Creates an empty mesh. hooks may be NULL, and are copied. On failure returns RN_MEMORY, and *mesh is NULL. */
rn_result rn_mac_mesh_create(const rn_hooks *hooks, rn_mac_mesh **mesh);
/* Frees a mesh; NULL is allowed. */
void rn_mac_mesh_destroy(rn_mac_mesh *mesh);

/* Replaces the mesh by that of the liquid as it is now. Uses the threads of the liquid, so not during rn_mac_step. On
   failure returns RN_MEMORY or RN_LIMIT (too many triangles), and the mesh is empty. */
rn_result rn_mac_mesh_build(rn_mac_mesh *mesh, const rn_mac *mac, const rn_mac_mesh_def *def);

/* Positions (m), normals, opacity (0 to 1), velocities (m/s), ids (all RN_CLOSED_ID) and indices. The arrays belong to
   the mesh, and are valid until the next build. */
rn_mesh rn_mac_mesh_read(const rn_mac_mesh *mesh);

/* Memory held (bytes). */
size_t rn_mac_mesh_bytes(const rn_mac_mesh *mesh);

#endif
