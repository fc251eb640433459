/* rn_body_solid (world/body_solid.h): the solid of a body, as signed distances in the coordinates of its shape.

   world/bodies.c calls it when a body is added to a world with a 3D liquid, and owns the result. world/mac_bodies.c
   asks it for distances at every node of the grid near the body. Columns need no such solid: they rasterise
   triangles. Boxes, balls, capsules and cylinders are exact and cheap; hulls and meshes are distances to their
   triangles (rn_sdf_mesh). Parts are united with sharp edges. */
#include "world/body_solid.h"

/* Creates a solid from the triangles of a hull or a mesh; the caller owns it. Returns NULL, with a message, if memory
   runs out or the triangles cannot be used. */
static rn_sdf *mesh_part(const rn_shape *shape, const rn_shape_part *part) {
    rn_mesh_solid_def def = rn_mesh_solid_default();
    def.positions = shape->positions;
    def.vertex_count = shape->info.vertex_count;
    def.indices = shape->indices + 3 * (size_t)part->first;
    def.triangle_count = part->count;
    def.meaning = RN_MESH_SOLID;
    def.hooks = shape->hooks;
    return rn_sdf_mesh(&def, NULL);
}

/* Creates a solid from a part of a shape, in the coordinates of the shape; the caller owns it. Returns NULL, with a
   message, if memory runs out or a mesh cannot be used. */
static rn_sdf *part_solid(const rn_shape *shape, const rn_shape_part *part) {
    rn_sdf *own = NULL;
    switch (part->kind) {
    case RN_SHAPE_BOX: own = rn_sdf_box(part->size); break;
    case RN_SHAPE_SPHERE: own = rn_sdf_sphere(part->size.x); break;
    case RN_SHAPE_CAPSULE: own = rn_sdf_capsule(part->size.x, part->size.z); break;
    case RN_SHAPE_CYLINDER: own = rn_sdf_cylinder(part->size.x, part->size.z); break;
    case RN_SHAPE_HULL:
    case RN_SHAPE_MESH: return mesh_part(shape, part);
    }
    return rn_sdf_move(rn_sdf_turn(own, part->turn), part->at);
}

rn_sdf *rn_body_solid(const rn_shape *shape) {
    rn_sdf *all = part_solid(shape, &shape->parts[0]);
    for (int i = 1; i < shape->info.part_count && all; i++)
        all = rn_sdf_union(all, part_solid(shape, &shape->parts[i]), 0.0);
    return all;
}
