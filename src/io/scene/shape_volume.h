/* Volumes as shapes: which part of a scan is solid, and its placement in the scene. */
#ifndef RN_IO_SHAPE_VOLUME_H
#define RN_IO_SHAPE_VOLUME_H

#include "io/scene/shape_mesh.h"

/* The values of a volume in a scene, besides the placement of its surface. */
typedef struct rn_volume_values {
    double iso; /* NaN: not given */
    bool below;
    const json_t *labels; /* NULL: none */
    double smoothing, spacing, least_part;
} rn_volume_values;

/* Returns the solid in a volume file in its final place, with its pose applied; the caller destroys it. values->as is
   ignored. On failure returns NULL, with an error text that names the place, and the result in context->failure. */
rn_sdf *rn_shape_volume(rn_shape_context *context, const rn_volume_values *volume, const rn_mesh_values *values,
                        const rn_shape_pose *pose, const rn_json_path *place);

#endif
