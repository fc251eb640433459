/* How the values of a glTF animation go from key to key, which assimp does not report. */
#ifndef RN_IO_ASSIMP_GLTF_STEPS_H
#define RN_IO_ASSIMP_GLTF_STEPS_H

#include "io/read/motion_data.h"

#include <jansson.h>

/* The JSON of a .gltf or .glb file; NULL for any other file. Release it with json_decref. */
json_t *rn_gltf_text(const char *path);

/* Sets `step` of the tracks of the node called `name` that its first animation moves in steps. Fails if values
   follow splines, or if several nodes have that name. */
rn_result rn_gltf_steps(const char *path, const json_t *gltf, const char *name, rn_track tracks[RN_TRACK_KINDS]);

#endif
