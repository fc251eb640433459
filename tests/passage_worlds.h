/* The methods that tests of passages go through, and a run that keeps its ledger. */
#ifndef PASSAGE_WORLDS_H
#define PASSAGE_WORLDS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "physics/physics.h"

#include <math.h>

static const flow_method every[] = {FLOW_UNIFIED_LONG, FLOW_IMPLICIT, FLOW_UNIFIED, FLOW_AXIS, FLOW_NONE};
enum { EVERY = sizeof every / sizeof every[0], BEST = 2 /* the first two have a length and turn corners */ };

static inline void run(rn_world *world, double seconds) {
    for (int i = 0; i < (int)lround(60.0 * seconds); i++) assert_int_equal(rn_world_step(world, 1.0 / 60.0), RN_OK);
    assert_true(rn_world_audit(world).drift == 0.0);
    assert_true(broken_columns(world) == 0.0);
}

#endif
