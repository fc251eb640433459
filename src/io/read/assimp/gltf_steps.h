/* What assimp does not tell of an animation in glTF: how values go from key to key. */
#ifndef RN_IO_ASSIMP_GLTF_STEPS_H
#define RN_IO_ASSIMP_GLTF_STEPS_H

#include "io/read/motion_data.h"

#include <jansson.h>

/* The JSON of a .gltf or .glb file; NULL of any other file. To be given to json_decref. */
json_t *rn_gltf_text(const char *path);

/* Sets `step` of the tracks of the node called `name` that its first animation moves in steps. Fails where values go
   along splines, and where it cannot be told which of several nodes of that name is meant. */
rn_result rn_gltf_steps(const char *path, const json_t *gltf, const char *name, rn_track tracks[RN_TRACK_KINDS]);

#endif
