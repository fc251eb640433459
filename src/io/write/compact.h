/* Meshes without vertices that no triangle uses. */
#ifndef RN_IO_COMPACT_H
#define RN_IO_COMPACT_H

#include "surface/copies.h"

/* Gives *compact: the mesh itself if triangles use all of its vertices or name others that are not there, else a copy
   in `copy` without those that none uses, in the same order. `copy`: 0 at first; it is reused, and freed with
   rn_mesh_copy_free. Returns RN_MEMORY if memory runs out; then *compact is the mesh itself. */
rn_result rn_mesh_compact(const rn_mesh *mesh, const rn_hooks *hooks, rn_mesh_copy *copy, const rn_mesh **compact);

#endif
