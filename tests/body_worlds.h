/* What tests of bodies in worlds share. */
#ifndef BODY_WORLDS_H
#define BODY_WORLDS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "physics/physics.h"

#define STEP 0.01 /* s */

static const flow_method both[] = {FLOW_UNIFIED_LONG, FLOW_IMPLICIT};

static inline rn_body_def body_at(double x, double y, double z) {
    rn_body_def def = rn_body_default();
    def.pose.at = (rn_vec3){x, y, z};
    return def;
}

static inline void step(rn_world *world, double seconds) {
    assert_int_equal(rn_world_step(world, seconds), RN_OK);
    assert_true(rn_world_audit(world).drift == 0.0);
}

static inline void fill_to(rn_world *world, double level) {
    assert_int_equal(rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = level}), RN_OK);
}

/* All that is west of x = `end`, to another level. */
static inline void fill_west(rn_world *world, double end, double level) {
    rn_sdf *west = rn_sdf_box((rn_vec3){2.0 * end, 1e3, 1e3});
    assert_int_equal(rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = level, .shape = west}), RN_OK);
    rn_sdf_destroy(west);
}

#endif
