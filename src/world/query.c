/* What a host can read of a world: views of whole arrays, samples at single points, and the tiles of the solver.

   Interface (include/runnel/world.h): rn_world_view, rn_world_sample, rn_world_sample_layer, rn_world_tiles and
   rn_world_resting. Hosts call them between steps. rn_world_view first lets the solver update the arrays that hosts see
   (sync), and hosts may write into a view if they call rn_world_commit afterwards (world/books.c). Samples do not sync:
   they read depths, and ask the solver for the flow of a column.

   A sample is bilinear over the four nearest cells, as far as the liquid of the column at the point continues there:
   never across a wall or onto another layer. A column continues in a neighbouring cell where the open ranges of both
   overlap; of several, the one with the nearest level counts. Cells without such a column are left out, and the
   weights of the others are scaled up. Normals come from slopes between wet columns. A dry column gives a sample of
   its base, a point in solid or outside the domain none (`found` is false). */
#include "base/error.h"
#include "base/maths.h"
#include "world/world.h"

rn_view rn_world_view(const rn_world *world, rn_field field) {
    const bool fine = RN_REQUIRE(&world->hooks, field >= RN_FIELD_DEPTH && field <= RN_FIELD_CEIL);
    if (!fine || world->solver->sync(world->self) != RN_OK) return (rn_view){0};
    const rn_columns *s = world->columns;
    float *const arrays[] = {
        [RN_FIELD_DEPTH] = s->depth, [RN_FIELD_FLUX_X] = s->flux_x, [RN_FIELD_FLUX_Y] = s->flux_y,
        [RN_FIELD_BASE] = s->base,   [RN_FIELD_CEIL] = s->ceil,
    };
    return (rn_view){
        .data = arrays[field] + s->grid.first,
        .row_stride = s->grid.stride,
        .layer_stride = s->grid.layer_stride,
        .cells_x = s->grid.nx,
        .cells_y = s->grid.ny,
        .layers = s->grid.layers,
    };
}

/* The level of a column's liquid (m above the datum). */
static double level_of(const rn_columns *s, int32_t slot) { return (double)s->base[slot] + rn_column_height(s, slot); }

/* Whether a slot has a column; false for holes, too. */
static bool is_column(const rn_columns *s, int32_t slot) {
    return s->base[slot] < RN_NO_COLUMN && s->base[slot] >= 0.0f;
}

/* Whether the open ranges of two columns, given by slots, overlap in height; they need not be neighbours. */
static bool is_linked(const rn_columns *s, int32_t a, int32_t b) {
    return fmaxf(s->base[a], s->base[b]) < fminf(s->ceil[a], s->ceil[b]);
}

/* The slot of the wet column of cell (x, y) that continues the liquid of column `of`: linked to it, with the nearest
   level; -1 if there is none, or if the cell is outside the domain. */
static int32_t wet_neighbour(const rn_columns *s, int32_t of, int x, int y) {
    if (x < 0 || y < 0 || x >= s->grid.nx || y >= s->grid.ny) return -1;
    int32_t best = -1;
    for (int layer = 0; layer < s->grid.layers; layer++) {
        int32_t slot = rn_slot(&s->grid, layer, y, x);
        if (!is_column(s, slot) || !(s->depth[slot] > 0.0f) || !is_linked(s, of, slot)) continue;
        if (best < 0 || fabs(level_of(s, slot) - level_of(s, of)) < fabs(level_of(s, best) - level_of(s, of)))
            best = slot;
    }
    return best;
}

/* Slope (m/m) of the surface at a column of cell (x, y) along an axis (0: x, 1: y), from the wet columns beside it; one
   sided if there is only one, 0 if there is none. */
static double level_slope(const rn_world *world, int32_t slot, int x, int y, int axis) {
    const rn_columns *s = world->columns;
    int32_t before = wet_neighbour(s, slot, x - (axis == 0), y - (axis == 1));
    int32_t after = wet_neighbour(s, slot, x + (axis == 0), y + (axis == 1));
    double low = before < 0 ? level_of(s, slot) : level_of(s, before);
    double high = after < 0 ? level_of(s, slot) : level_of(s, after);
    int cells = (before >= 0) + (after >= 0);
    return cells ? (high - low) / (cells * world->ground.cell_size) : 0.0;
}

/* The sample of a column without liquid: its level is its base, its normal points up, and depth and velocity are 0. */
static rn_sample dry_sample(const rn_world *world, int32_t slot, int layer) {
    const rn_columns *s = world->columns;
    double base = s->base[slot] + world->datum;
    return (rn_sample){.found = true,
                       .layer = layer,
                       .base = base,
                       .ceil = s->ceil[slot] + world->datum,
                       .level = base,
                       .normal = {0, 0, 1}};
}

/* The sample at x, y (m), bilinear over the four nearest cells, as far as the liquid of column `slot` of the cell at
   x, y continues there; cells where it does not are left out of the mean. A dry column gives a dry sample. */
static rn_sample smooth_sample(const rn_world *world, double x, double y, int32_t slot, int layer) {
    const rn_columns *s = world->columns;
    const rn_terrain_info *g = &world->ground;
    if (!(s->depth[slot] > 0.0f)) return dry_sample(world, slot, layer);
    double u = (x - g->origin_x) / g->cell_size - 0.5, v = (y - g->origin_y) / g->cell_size - 0.5;
    int x0 = (int)floor(u), y0 = (int)floor(v);
    double sum = 0.0, base = 0.0, ceil = 0.0, depth = 0.0, speed[2] = {0}, slope[2] = {0};
    for (int corner = 0; corner < 4; corner++) {
        int cx = x0 + corner % 2, cy = y0 + corner / 2;
        double weight = (1.0 - fabs(u - cx)) * (1.0 - fabs(v - cy));
        int32_t c = wet_neighbour(s, slot, cx, cy);
        if (c < 0) continue;
        sum += weight;
        base += weight * s->base[c];
        ceil += weight * s->ceil[c];
        depth += weight * rn_column_height(s, c);
        double flow[2];
        rn_world_column_flow(world, c, flow);
        for (int axis = 0; axis < 2; axis++) {
            speed[axis] += weight * flow[axis];
            slope[axis] += weight * level_slope(world, c, cx, cy, axis);
        }
    }
    if (!(sum > 0.0)) return dry_sample(world, slot, layer);
    rn_sample sample = {.found = true, .layer = layer};
    sample.base = base / sum + world->datum;
    sample.ceil = ceil / sum + world->datum;
    sample.depth = depth / sum;
    sample.level = sample.base + sample.depth;
    sample.velocity_x = speed[0] / sum;
    sample.velocity_y = speed[1] / sum;
    double sx = slope[0] / sum, sy = slope[1] / sum, length = sqrt(1.0 + sx * sx + sy * sy);
    sample.normal = (rn_vec3){-sx / length, -sy / length, 1.0 / length};
    return sample;
}

/* Finds the cell at x, y (m), edges included. Returns false, without setting *cx and *cy, if x or y is NaN or outside
   the domain. */
static bool find_cell(const rn_world *world, double x, double y, int *cx, int *cy) {
    const rn_terrain_info *g = &world->ground;
    double u = (x - g->origin_x) / g->cell_size, v = (y - g->origin_y) / g->cell_size;
    if (!(u >= 0.0 && u <= g->cells_x && v >= 0.0 && v <= g->cells_y)) return false;
    *cx = (int)rn_min(u, g->cells_x - 1.0);
    *cy = (int)rn_min(v, g->cells_y - 1.0);
    return true;
}

rn_sample rn_world_sample(const rn_world *world, rn_vec3 at) {
    int x, y;
    if (!find_cell(world, at.x, at.y, &x, &y)) return (rn_sample){0};
    int32_t slot = rn_world_column_below(world, x, y, at.z);
    if (slot < 0 || world->columns->base[slot] + world->datum > at.z) return (rn_sample){0};
    int layer =
        (slot - world->columns->grid.first - y * world->columns->grid.stride - x) / world->columns->grid.layer_stride;
    return smooth_sample(world, at.x, at.y, slot, layer);
}

rn_sample rn_world_sample_layer(const rn_world *world, double x, double y, int layer) {
    int cx, cy;
    if (layer < 0 || layer >= world->columns->grid.layers || !find_cell(world, x, y, &cx, &cy)) return (rn_sample){0};
    int32_t slot = rn_slot(&world->columns->grid, layer, cy, cx);
    if (!is_column(world->columns, slot)) return (rn_sample){0};
    return smooth_sample(world, x, y, slot, layer);
}

rn_tiles rn_world_tiles(const rn_world *world) {
    return world->solver->tiles ? world->solver->tiles(world->self) : (rn_tiles){0};
}

rn_resting rn_world_resting(const rn_world *world, uint8_t *rests, size_t room) {
    const bool has = !world->mac && world->solver->resting;
    return has ? world->solver->resting(world->self, rests, room) : (rn_resting){0};
}
