/* Reads the shapes of bodies from a scene. */
#ifndef RN_IO_BODY_SHAPE_H
#define RN_IO_BODY_SHAPE_H

#include "io/scene/body_values.h"

#include <runnel/bodies.h>

/* Makes the shape that `object` describes, in the body's own coordinates; the caller destroys it. On failure *shape is
   NULL and the message names the place. */
rn_result rn_body_shape_read(rn_shape_context *context, const json_t *object, const rn_json_path *place,
                             rn_shape **shape);

#endif
