/* Reads the shapes of bodies from a scene. */
#ifndef RN_IO_BODY_SHAPE_H
#define RN_IO_BODY_SHAPE_H

#include "io/scene/body_values.h"

#include <runnel/bodies.h>

/* Creates the shape that `object` describes, in the body's own coordinates; the caller destroys it with
   rn_shape_destroy. Counts it and its parts in context->shapes. On failure *shape is NULL and rn_last_error() names the
   place: RN_INVALID for wrong values, RN_LIMIT for too many or too deeply nested shapes, RN_MEMORY, or the result of
   reading a mesh file. */
rn_result rn_body_shape_read(rn_shape_context *context, const json_t *object, const rn_json_path *place,
                             rn_shape **shape);

#endif
