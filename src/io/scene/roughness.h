/* The friction and the contact angles of a scene's ground: global values, and regions and rasters that differ. */
#ifndef RN_IO_ROUGHNESS_H
#define RN_IO_ROUGHNESS_H

#include "io/scene/scene_values.h"
#include "io/scene/shape_context.h"

/* Whether Manning's and Chezy's friction act in `model`, an rn_model. */
bool rn_scene_knows_manning(int model);

/* Manning's n (s/m^(1/3)) for a scene that sets no friction: 0.03 for landscapes, which are solids with a heightmap or
   noise in cells (m) of 0.5 m or more; otherwise 0. */
double rn_scene_manning(const json_t *solid, double cell);

/* Sets friction, manning and chezy of `def` from the values; whether a key was given is looked up in `root`. If none of
   the three is given, and the model knows Manning's friction, manning is that of rn_scene_manning. If manning or chezy
   is given, or manning follows from a landscape, and "friction" is not given, friction is 1. */
void rn_scene_friction(const json_t *root, const rn_scene_values *values, rn_world_def *def);

/* Reads one object of "wetting" and sets the contact angles of that region or raster in the world. After a failure
   rn_last_error() names the place. */
rn_result rn_scene_wet(rn_world *world, rn_shape_context *shapes, const json_t *object, const rn_json_path *place);

/* Reads one object of "roughness" and sets the friction of that region or raster in the world. After a failure
   rn_last_error() names the place. */
rn_result rn_scene_roughen(rn_world *world, rn_shape_context *shapes, const json_t *object, const rn_json_path *place);

#endif
