/* Which key of a scene a world's refusal is about. */
#ifndef RN_IO_BLAME_H
#define RN_IO_BLAME_H

#include "io/scene/scene_values.h"

/* Returns the key of the scene to name when rn_world_create() has refused `def`, which was made of `values`, with
   RN_INVALID; NULL if no single key is to blame. `backend_given`: the caller of rn_scene_open() chose the backend, so
   that a refused backend is no key's fault. rn_last_error() stays the text of the refusal. */
const char *rn_scene_blame(const rn_scene_values *values, const rn_world_def *def, bool backend_given);

#endif
