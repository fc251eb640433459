/* The bodies of a world as one mesh, where they are. */
#ifndef RN_WORLD_BODY_MESH_H
#define RN_WORLD_BODY_MESH_H

#include <runnel/bodies.h>
#include <runnel/surface.h>

typedef struct rn_body_mesh {
    rn_mesh *looks; /* of each body, around its shape's origin, its edges parted; without vertices: none yet */
    size_t look_count, look_capacity;
    rn_mesh mesh; /* all of them: positions, normals, colours, ids (which body) and indices */
} rn_body_mesh;

rn_result rn_body_mesh_update(rn_body_mesh *bodies, const rn_world *world, const rn_hooks *hooks);
void rn_body_mesh_free(rn_body_mesh *bodies, const rn_hooks *hooks);

#endif
