/* Shapes of a scene file as signed distance fields. */
#ifndef RN_IO_SHAPES_H
#define RN_IO_SHAPES_H

#include "io/scene/family.h"
#include "io/scene/shape_context.h"

/* Builds the field that an object such as {"type": "box", "size": […]} describes, with its pose; the caller destroys
   it. Counts it and the shapes within it in context->shapes, and overwrites context->failure. On failure *shape is NULL
   and rn_last_error() names the place. The result is then RN_INVALID or that of reading the file of a heightmap, mesh
   or volume. */
rn_result rn_shape_read(rn_shape_context *context, const json_t *object, const rn_json_path *place, rn_sdf **shape);

/* Counts one more shape of the scene in context->shapes. Returns RN_LIMIT, with a message that names the place, if
   there are more than 4096. */
rn_result rn_shape_count(rn_shape_context *context, const rn_json_path *place);

/* The types, for schema and documentation. */
extern const rn_family rn_shape_family;

#endif
