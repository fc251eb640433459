/* The bodies of a world as one mesh, at their current poses. */
#ifndef RN_WORLD_BODY_MESH_H
#define RN_WORLD_BODY_MESH_H

#include <runnel/bodies.h>
#include <runnel/surface.h>

typedef struct rn_body_mesh {
    rn_mesh *looks; /* of each body, in shape coordinates, split at hard edges; no vertices: not made yet */
    size_t look_count, look_capacity;
    rn_mesh mesh; /* all bodies: positions, normals, colours, ids (number of the body) and indices */
} rn_body_mesh;

/* Rebuilds the mesh from the last poses set; it is empty without bodies. `bodies` begins as all 0. Returns RN_MEMORY,
   with a message, if memory runs out; then the mesh is empty, and the call can be retried. bodies->mesh stays owned by
   `bodies` and valid until the next update. */
rn_result rn_body_mesh_update(rn_body_mesh *bodies, const rn_world *world, const rn_hooks *hooks);
/* Frees everything and sets it to 0; does not free `bodies` itself. */
void rn_body_mesh_free(rn_body_mesh *bodies, const rn_hooks *hooks);

#endif
