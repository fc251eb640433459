/* Meshes without vertices that no triangle uses. */
#ifndef RN_IO_COMPACT_H
#define RN_IO_COMPACT_H

#include "surface/copies.h"

/* Sets *compact to the mesh itself if triangles use all of its vertices or name others that are not there, otherwise to
   a copy in `copy` without the vertices that no triangle uses, in the same order. `copy` is 0 at first; each call
   reuses it, and rn_mesh_copy_free frees it. Returns RN_MEMORY if memory runs out; then *compact is the mesh itself. */
rn_result rn_mesh_compact(const rn_mesh *mesh, const rn_hooks *hooks, rn_mesh_copy *copy, const rn_mesh **compact);

#endif
