/* Triangle meshes as shapes: where a file's triangles go in the scene. */
#ifndef RN_IO_SHAPE_MESH_H
#define RN_IO_SHAPE_MESH_H

#include "io/scene/shape_context.h"

#include <runnel/io.h>

/* What a scene says of a mesh. */
typedef struct rn_mesh_values {
    const char *file;
    int unit; /* a position in rn_mesh_units */
    int up;   /* rn_up */
    int as;   /* rn_mesh_meaning */
    double fit;
    bool centred;
    double thickness, join, spacing;
} rn_mesh_values;

/* The choices of those keys, in the order of the values; each ends with NULL. */
extern const char *const rn_mesh_units[], *const rn_mesh_ups[], *const rn_mesh_meanings[];

/* m, that 1 in the file stands for; 0: it is left to the format. */
double rn_mesh_unit(const rn_mesh_values *values);

/* Rows that take the file's x y z 1 to the scene. The size of the domain comes in by "fit" and "centred" only. */
rn_result rn_mesh_place(const rn_mesh_file *mesh, const rn_mesh_values *values, const rn_shape_pose *pose,
                        const rn_shape_context *context, double rows[3][4]);

/* The solid, placed wholly: vertical rays through it are fast only if no other turn comes after. NULL after a sentence
   that names the place, with the result in context->failure. */
rn_sdf *rn_shape_from_mesh(rn_shape_context *context, const rn_mesh_values *values, const rn_shape_pose *pose,
                           const rn_json_path *place);

/* The triangles that a reader gets from a file. */
typedef rn_result (*rn_triangle_reader)(const void *how, const char *path, rn_mesh_file *mesh);

/* The same for triangles that come by way of another reader, which is handed `how`. */
rn_sdf *rn_shape_triangles(rn_shape_context *context, const rn_mesh_values *values, const rn_shape_pose *pose,
                           const rn_json_path *place, rn_triangle_reader read, const void *how);

#endif
