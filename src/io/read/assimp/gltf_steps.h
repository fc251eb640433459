/* Reads how the values of a glTF animation go from key to key, which assimp does not report. */
#ifndef RN_IO_ASSIMP_GLTF_STEPS_H
#define RN_IO_ASSIMP_GLTF_STEPS_H

#include "io/read/motion_data.h"

#include <jansson.h>

/* Returns the JSON of a .gltf or .glb file, whatever its name; release it with json_decref. Returns NULL, without an
   error text, if the file is of another kind, cannot be read, or has JSON of more than 64 MiB (.glb). */
json_t *rn_gltf_text(const char *path);

/* Sets `step` of those tracks of the node called `name` that the file's first animation moves in steps; the others are
   left as they are. Returns RN_UNSUPPORTED if that node follows splines. Also does so if any node of the animation
   moves otherwise than linearly, and either the moved node has no name or several nodes are called `name`. The reason
   is in rn_last_error(), with `path`; some tracks may have been set by then. */
rn_result rn_gltf_steps(const char *path, const json_t *gltf, const char *name, rn_track tracks[RN_TRACK_KINDS]);

#endif
