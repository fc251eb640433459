/* Without assimp: animated mesh files are refused. */
#include "base/error.h"
#include "io/read/motion_data.h"

rn_result rn_motion_import(const char *path, rn_reply *reply) {
    (void)reply;
    return rn_fail(RN_UNSUPPORTED,
                   "%s: this build reads no animated meshes but point caches (.pc2); install assimp and build again",
                   path);
}
