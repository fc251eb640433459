/* Initial liquid of a 3D liquid: a fill becomes particles wherever its shape, level or depth says and there is no
   solid.

   rn_world_mac_fill (world/mac.h) is what rn_world_fill does in such a world. Order: the memory for the particles is
   checked first, so that a scene that is too large is refused before it runs; then solids that were added since the
   last step are placed, particles are added, and the columns of the world follow (mac_show.c). Cells that already
   hold particles count as outside the fill, so overlapping fills do not add liquid twice. */
#include "base/error.h"
#include "mac/state.h"
#include "world/mac.h"

#include <math.h>

typedef struct filling {
    const rn_world *world;
    const rn_fill_def *fill;
} filling;

/* The height (m) of the highest ground in the cell at a point, which is relative to the corner of the box; the datum if
   the cell has no column. */
static double ground_at(const rn_world *world, rn_vec3 at) {
    const rn_columns *c = world->columns;
    const double cell = world->ground.cell_size;
    const int x = (int)rn_clamp(at.x / cell, 0.0, c->grid.nx - 1), y = (int)rn_clamp(at.y / cell, 0.0, c->grid.ny - 1);
    double base = 0.0;
    for (int layer = 0; layer < c->grid.layers; layer++) {
        const float here = c->base[rn_slot(&c->grid, layer, y, x)];
        if (here < RN_NO_COLUMN) base = (double)here;
    }
    return base + world->datum;
}

/* The distance (m) from a point (m, relative to the box) to the region to fill, below 0 inside. Cells that already hold
   liquid count as outside. */
static double distance_to_fill(void *user, rn_vec3 at) {
    const filling *f = user;
    const rn_world_mac *m = f->world->mac;
    const double cell = m->def.cell_size;
    const int i = (int)rn_clamp(at.x / cell, 0.0, m->def.cells_x - 1),
              j = (int)rn_clamp(at.y / cell, 0.0, m->def.cells_y - 1);
    const int k = (int)rn_clamp(at.z / cell, 0.0, m->def.cells_z - 1);
    const int32_t c = rn_mac_cell(&m->mac->grid, i, j, k);
    if (m->mac->start[c] != m->mac->start[c + 1]) return cell;
    const rn_vec3 p = {at.x + m->low.x, at.y + m->low.y, at.z + m->low.z};
    double distance = f->fill->shape ? f->fill->shape->type->distance(f->fill->shape, p) : -INFINITY;
    if (f->fill->kind == RN_FILL_LEVEL) distance = rn_max(distance, p.z - f->fill->value);
    if (f->fill->kind == RN_FILL_DEPTH) distance = rn_max(distance, p.z - ground_at(f->world, at) - f->fill->value);
    return distance;
}

/* The box that a fill may reach, by its shape and level, in metres from the corner of the 3D liquid's box and within
   it; low is not below high along some axis if there is none. */
static rn_box box_of(const rn_world_mac *m, const rn_fill_def *fill) {
    const double cell = m->def.cell_size;
    rn_box box = {{0.0, 0.0, 0.0}, {cell * m->def.cells_x, cell * m->def.cells_y, cell * m->def.cells_z}};
    if (fill->shape) {
        const rn_box shape = rn_sdf_bounds(fill->shape);
        box.low.x = rn_max(box.low.x, shape.low.x - m->low.x), box.high.x = rn_min(box.high.x, shape.high.x - m->low.x);
        box.low.y = rn_max(box.low.y, shape.low.y - m->low.y), box.high.y = rn_min(box.high.y, shape.high.y - m->low.y);
        box.low.z = rn_max(box.low.z, shape.low.z - m->low.z), box.high.z = rn_min(box.high.z, shape.high.z - m->low.z);
    }
    if (fill->kind == RN_FILL_LEVEL) box.high.z = rn_min(box.high.z, fill->value - m->low.z);
    return box;
}

rn_result rn_world_mac_fill(rn_world *world, const rn_fill_def *fill) {
    rn_world_mac *m = world->mac;
    const rn_box box = box_of(m, fill);
    const rn_vec3 rest = {0.0, 0.0, 0.0};
    if (box.low.x >= box.high.x || box.low.y >= box.high.y || box.low.z >= box.high.z) return rn_world_mac_show(world);
    filling f = {world, fill};
    const double cells = (box.high.x - box.low.x) * (box.high.y - box.low.y) * (box.high.z - box.low.z) /
                         (m->def.cell_size * m->def.cell_size * m->def.cell_size);
    rn_result result = rn_world_mac_check_memory(m, 8.0 * cells);
    if (result == RN_OK) result = rn_world_mac_place_solids(world, 0.0, 0.0); /* solids added since */
    if (result == RN_OK) rn_world_mac_keep_poses(world);
    if (result == RN_OK) result = rn_mac_add_liquid(m->mac, box.low, box.high, distance_to_fill, &f, rest);
    rn_world_mac_read_gauges(world); /* particles that made way for solids */
    return result == RN_OK ? rn_world_mac_show(world) : result;
}
