/* Without NanoVDB: its files are refused. */
#include "io/read/volume_import.h"

#include "base/error.h"

rn_result rn_nanovdb_import(const rn_volume_ask *ask, rn_reply *reply) {
    (void)reply;
    return rn_fail(RN_UNSUPPORTED, "%s: this build cannot read NanoVDB level sets; install NanoVDB and build again",
                   ask->path);
}
