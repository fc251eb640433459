/* Lakes for bodies, and a short way to put bodies in. */
#ifndef BODY_LAKES_H
#define BODY_LAKES_H

#include "body_worlds.h"

static inline rn_world *lake_with(int cells, double cell, double depth, rn_hooks hooks) {
    rn_world *world =
        make_world(&(setup){.nx = cells, .ny = cells, .cell = cell, .lid = 8.0, .friction = 0.5, .hooks = hooks});
    if (depth > 0.0) fill_to(world, depth);
    return world;
}

static inline rn_world *lake(int cells, double cell, double depth) {
    return lake_with(cells, cell, depth, (rn_hooks){0});
}

/* Consumes the shape. */
static inline int add(rn_world *world, rn_body_def def, rn_shape *shape) {
    assert_non_null(shape);
    def.shape = shape;
    const int number = rn_bodies_add(world, &def);
    rn_shape_destroy(shape);
    assert_true(number >= 0);
    return number;
}

static inline rn_shape *box(double x, double y, double z) { return rn_shape_box((rn_vec3){x, y, z}); }

#endif
