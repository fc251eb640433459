/* What tests of sources and of cross-sections share. */
#ifndef SOURCE_WORLDS_H
#define SOURCE_WORLDS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "physics/physics.h"

static inline void run(rn_world *world, double seconds, int frames) {
    for (int i = 0; i < frames; i++) {
        assert_int_equal(rn_world_step(world, seconds / frames), RN_OK);
        assert_true(rn_world_audit(world).drift == 0.0);
    }
}

static inline double unit_of(const rn_world *world) {
    rn_world_info info = rn_world_describe(world);
    return info.quantum * info.cell_size * info.cell_size;
}

static inline int add(rn_world *world, rn_source_def def) {
    int source = rn_world_add_source(world, &def);
    if (source < 0) fail_msg("%s", rn_last_error());
    return source;
}

#endif
