/* Without assimp: only the formats of triangles/ are read. */
#include "io/read/mesh_import.h"

#include "base/error.h"

rn_result rn_mesh_import(const char *path, rn_reply *reply) {
    (void)reply;
    return rn_fail(RN_UNSUPPORTED, "%s: this build reads OBJ, STL, PLY and OFF only; install assimp and build again",
                   path);
}
