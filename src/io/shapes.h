/* Shapes of a scene file as signed distance fields. */
#ifndef RN_IO_SHAPES_H
#define RN_IO_SHAPES_H

#include "io/table.h"

#include <runnel/terrain.h>

/* What reading shapes needs to know about the scene around them. */
typedef struct rn_shape_context {
    double origin[2], size[2]; /* m, of the domain, over which heightmaps are stretched */
    const rn_hooks *hooks;     /* for what meshes need and have to say; NULL: none */
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

/* The table of the index-th type and its name, NULL past the last: for schema and documentation. */
const rn_table *rn_shape_table(int index);
const char *rn_shape_name(int index);

#endif
