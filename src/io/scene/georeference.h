/* Where a scene lies on a map: from its key "georeference", or from the file of its ground. */
#ifndef RN_IO_SCENE_GEOREFERENCE_H
#define RN_IO_SCENE_GEOREFERENCE_H

#include "io/scene/scene_values.h"
#include "io/scene/shape_context.h"

/* Whether it says where something lies. */
bool rn_georeference_is_known(const rn_georeference *georeference);

/* Makes this the georeference of the scene, in `context`, and copies its text. Does nothing if the georeference is not
   known, an earlier file has set one, or the shape being read is not the ground. rise: the factor by which heights of
   the file were multiplied. Returns RN_MEMORY if memory runs out; the scene has no georeference then. */
rn_result rn_georeference_offer(rn_shape_context *context, const rn_georeference *georeference, double rise);
/* Scales and moves the georeference in `context`, if there is one, along with the shape from which it comes, and
   multiplies context->rise by the shape's scale along z. Removes the georeference if the shape is rotated. */
void rn_georeference_pose(rn_shape_context *context, const rn_shape_pose *pose);

/* Writes the georeference of a scene: what the key "georeference" gives, which is at `place`, and for the rest
   context->georeference, that of the ground's file. Its text is context->crs, which is replaced by a given one. If
   heights of the file were stretched and no origin is given, sets the height of the origin to 0, and logs this. given:
   the key as JSON, NULL if it is absent. Returns RN_INVALID if the coordinate system is neither a code nor WKT, or the
   origin, or the scale of a system in degrees, is missing; or RN_MEMORY if memory runs out. */
rn_result rn_georeference_read(const rn_georeference_values *values, const json_t *given, const rn_json_path *place,
                               rn_shape_context *context, rn_georeference *georeference);

#endif
