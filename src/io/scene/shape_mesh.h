/* Triangle meshes as shapes: placement of a file's triangles in the scene. */
#ifndef RN_IO_SHAPE_MESH_H
#define RN_IO_SHAPE_MESH_H

#include "io/scene/shape_context.h"

#include <runnel/io.h>

/* The values of a mesh in a scene. */
typedef struct rn_mesh_values {
    const char *file;
    int unit; /* index in rn_mesh_units */
    int up;   /* rn_up */
    int as;   /* rn_mesh_meaning */
    double fit;
    bool centred;
    double thickness, join, spacing;
} rn_mesh_values;

/* The choices of those keys, in the order of the values; each list ends with NULL. */
extern const char *const rn_mesh_units[], *const rn_mesh_ups[], *const rn_mesh_meanings[];

/* Returns the unit chosen in the scene (m per unit of the file), or 0 for "auto", which means as the format says. */
double rn_mesh_unit(const rn_mesh_values *values);

/* Sets the rows that take the file's x y z 1 to the scene (m): unit, up axis and pose, then "fit" and "centred", for
   which alone the domain matters. Returns RN_INVALID, with an error text, if it has no extent to be fitted or
   centred. */
rn_result rn_mesh_place(const rn_mesh_file *mesh, const rn_mesh_values *values, const rn_shape_pose *pose,
                        const rn_shape_context *context, double rows[3][4]);

/* Returns the solid of a mesh file in its final place, with its pose applied: vertical rays through it are fast only if
   no other rotation follows. The caller destroys it. Sets context->mesh_origin; for the ground also context->mesh, and
   the georeference if the file has coordinates of a survey. Logs faults of the mesh as warnings. On failure returns
   NULL, with an error text that names the place, and the result in context->failure. */
rn_sdf *rn_shape_from_mesh(rn_shape_context *context, const rn_mesh_values *values, const rn_shape_pose *pose,
                           const rn_json_path *place);

/* A function that reads triangles from a file into *mesh, which is 0; the caller frees the mesh, also after a failure,
   whose reason is in rn_last_error(). `how`: whatever the caller of rn_shape_triangles passes on. */
typedef rn_result (*rn_triangle_reader)(const void *how, const char *path, rn_mesh_file *mesh);

/* Like rn_shape_from_mesh, for triangles from the reader `read`, which gets `how`. */
rn_sdf *rn_shape_triangles(rn_shape_context *context, const rn_mesh_values *values, const rn_shape_pose *pose,
                           const rn_json_path *place, rn_triangle_reader read, const void *how);

#endif
