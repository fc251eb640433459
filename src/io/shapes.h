/* Shapes of a scene file as signed distance fields. */
#ifndef RN_IO_SHAPES_H
#define RN_IO_SHAPES_H

#include "io/family.h"

#include <runnel/terrain.h>

/* What reading shapes needs to know about the scene around them. */
typedef struct rn_shape_context {
    double origin[2], size[2]; /* m, of the domain, over which heightmaps are stretched */
    const rn_hooks *hooks;     /* for what meshes need, and what files have to say; NULL: none */
    int threads;               /* that meshes may use; 0: one per core */
    int shapes;                /* read so far: hostile files are stopped at a limit */
    rn_result failure;         /* of the shape being read, if it fails */
} rn_shape_context;

/* What every shape has: m, degrees, factors. Scaled and stretched, then turned, then moved. */
typedef struct rn_shape_pose {
    double at[3], turn[3], scale, stretch[3];
} rn_shape_pose;

/* Builds the field that an object such as {"type": "box", "size": […]} describes. */
rn_result rn_shape_read(rn_shape_context *context, const json_t *object, const rn_place *place, rn_sdf **shape);

/* Counts one more; fails past the limit. */
rn_result rn_shape_count(rn_shape_context *context, const rn_place *place);

/* The types, for schema and documentation. */
extern const rn_family rn_shape_family;

#endif
