/* From bodies that block to columns: nothing blocks yet. */
#include "world/world.h"

rn_result rn_blocking_look(struct rn_world *world) {
    (void)world;
    return RN_OK;
}
void rn_blocking_free(struct rn_world *world) { (void)world; }
size_t rn_blocking_bytes(const struct rn_world *world) {
    (void)world;
    return 0;
}
