/* Level trays, and a run of so many frames. */
#ifndef TRAY_WORLDS_H
#define TRAY_WORLDS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "physics/physics.h"

static inline rn_terrain *level_ground(int nx, int ny, double cell, double height, double lid) {
    rn_terrain_def def = rn_terrain_default();
    def.cells_x = nx;
    def.cells_y = ny;
    def.cell_size = cell;
    def.bottom = height - 1.0;
    def.lid = lid;
    def.solid = rn_sdf_plane((rn_vec3){0.0, 0.0, height}, (rn_vec3){0.0, 0.0, 1.0});
    rn_terrain *terrain = NULL;
    assert_int_equal(rn_terrain_create(&def, &terrain), RN_OK);
    return terrain;
}

static inline rn_world *world_on(rn_terrain *terrain, const rn_world_def *given) {
    rn_world_def def = given ? *given : rn_world_default();
    def.terrain = terrain;
    rn_world *world = NULL;
    assert_int_equal(rn_world_create(&def, &world), RN_OK);
    rn_terrain_destroy(terrain);
    return world;
}

static inline rn_world *tray(int cells) { return world_on(level_ground(cells, cells, 1e-3, 0.0, 0.05), NULL); }

static inline void run(rn_world *world, int frames) {
    for (int i = 0; i < frames; i++) assert_int_equal(rn_world_step(world, 1.0 / 60.0), RN_OK);
}

#endif
