/* Cross-sections of a world with a 3D liquid. Interface: world/mac.h.

   world/sections.c traces the line of a section and calls rn_world_mac_add_gauge with its faces; the liquid then
   counts the particles that pass (mac/). rn_world_mac_read_gauges fetches these counts after every step and every
   fill. rn_world_mac_face_height gives the wet height (m) of a face, from the columns that mirror the liquid, so the
   latter must be up to date (mac_show.c). */
#include "base/memory.h"
#include "world/mac.h"

rn_result rn_world_mac_add_gauge(rn_world *world, rn_gauge *gauge) {
    rn_mac_side *sides = rn_alloc(&world->hooks, (size_t)gauge->count, sizeof *sides);
    if (!sides) return RN_MEMORY;
    for (int32_t n = 0; n < gauge->count; n++) {
        const rn_gauge_face *face = &gauge->faces[n];
        const rn_spot at = rn_slot_place(&world->columns->grid, face->slot);
        sides[n] = (rn_mac_side){.i = at.x, .j = at.y, .axis = face->axis, .sign = face->sign};
    }
    const rn_result result = rn_mac_add_gauge(world->mac->mac, sides, gauge->count, &gauge->deep);
    rn_free(&world->hooks, sides);
    return result;
}

void rn_world_mac_read_gauges(rn_world *world) {
    for (size_t i = 0; i < world->gauges.count; i++) {
        rn_gauge *gauge = &world->gauges.list[i];
        if (gauge->count > 0) gauge->passed += rn_mac_take_gauge(world->mac->mac, gauge->deep);
    }
}

/* The sum of the depths (m) of all layers of a cell; 0 outside the domain. If periodic, x = nx is cell 0. */
static double depth_at(const rn_world *world, int x, int y) {
    const rn_columns *c = world->columns;
    double sum = 0.0;
    if (x == c->grid.nx && world->mac->def.periodic_x) x = 0;
    if (x < 0 || y < 0 || x >= c->grid.nx || y >= c->grid.ny) return 0.0;
    for (int layer = 0; layer < c->grid.layers; layer++) {
        const int32_t slot = rn_slot(&c->grid, layer, y, x);
        if (c->base[slot] < RN_NO_COLUMN) sum += (double)c->depth[slot];
    }
    return sum;
}

double rn_world_mac_face_height(const rn_world *world, const rn_gauge_face *face) {
    const rn_spot at = rn_slot_place(&world->columns->grid, face->slot);
    return 0.5 * (depth_at(world, at.x, at.y) + depth_at(world, at.x + 1 - face->axis, at.y + face->axis));
}
