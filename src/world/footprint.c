/* The columns that a source covers, and the share of each.

   Interface (world/footprint.h): rn_footprint_count says how many columns there are, rn_footprint_room how many a
   disk may cover anywhere, and rn_footprint_fill writes slots and weights. rn_world_column_below and rn_world_spans
   (world/world.h) serve samples, fills, solids, rain and patches as well.

   Order of calls: world/sources.c asks for room and fills the footprint when a source is added, and fills it again
   whenever the source moves; for sources on a path that is after every substep. When solids remake columns, the
   footprint is not searched again: rn_sources_follow replaces slots by their successors.

   A disk covers cells by area, found on 8 x 8 samples of a cell; a disk smaller than a cell goes to the cell of its
   centre. In each cell the source acts on one column: the one that contains its height, or else the next one below,
   or the lowest if all are above. Weights are normalised, so that the rate of a source does not depend on how many
   columns it covers. */
#include "world/footprint.h"

#include "base/maths.h"

enum { SAMPLES = 8 }; /* per side of a cell, to find the share of it that a disk covers */

int32_t rn_world_column_below(const rn_world *world, int x, int y, double z) {
    const rn_columns *s = world->columns;
    int32_t found = -1;
    for (int layer = 0; layer < s->grid.layers; layer++) {
        int32_t slot = rn_slot(&s->grid, layer, y, x);
        if (s->base[slot] >= RN_NO_COLUMN) break;
        if (s->base[slot] < 0.0f) continue; /* a sink */
        if (found < 0 || s->base[slot] + world->datum <= z) found = slot;
    }
    return found;
}

/* The number, 0 to SAMPLES squared, of the samples of a cell that lie in the disk of a source. */
static double samples_in_disk(const rn_world *world, const rn_source_def *def, int x, int y) {
    const rn_terrain_info *g = &world->ground;
    int inside = 0;
    for (int j = 0; j < SAMPLES; j++)
        for (int i = 0; i < SAMPLES; i++) {
            double dx = g->origin_x + (x + (i + 0.5) / SAMPLES) * g->cell_size - def->at.x;
            double dy = g->origin_y + (y + (j + 0.5) / SAMPLES) * g->cell_size - def->at.y;
            inside += dx * dx + dy * dy <= def->radius * def->radius;
        }
    return inside;
}

int rn_world_spans(const rn_world *world, const rn_sdf *shape, int x, int y, rn_interval *spans) {
    const rn_terrain_info *g = &world->ground;
    double mx = g->origin_x + (x + 0.5) * g->cell_size, my = g->origin_y + (y + 0.5) * g->cell_size;
    int count =
        rn_sdf_intervals(shape, mx, my, world->datum - g->cell_size, g->lid, 0.02 * g->cell_size, spans, RN_MOST_SPANS);
    return count < RN_MOST_SPANS ? count : RN_MOST_SPANS;
}

typedef struct target {
    int32_t slot;
    double weight;
} target;

/* Whether a source is a disk less than a cell across, which goes to the cell of its centre. */
static bool is_point(const rn_world *world, const rn_source_def *def) {
    return !def->shape && !def->along_side && def->radius < 0.5 * world->ground.cell_size;
}

/* The column of a cell that a source acts on, and its weight before normalisation: for a disk how many samples of the
   cell it covers, otherwise 1. It is the column of rn_world_column_below at the height of the source; with a shape, at
   the top of the shape over the centre of the cell; along a side, the highest one. slot -1: none, because the disk or
   shape does not cover the cell, or the cell has no columns but sinks. */
static target find_target(const rn_world *world, const rn_source_def *def, int x, int y) {
    target found = {-1, 1.0};
    double z = def->at.z;
    if (def->shape) {
        rn_interval spans[RN_MOST_SPANS];
        int count = rn_world_spans(world, def->shape, x, y, spans);
        if (count == 0) return found;
        z = spans[count - 1].high;
    } else if (def->along_side) z = INFINITY;
    else if (!is_point(world, def)) found.weight = samples_in_disk(world, def, x, y);
    if (found.weight > 0.0) found.slot = rn_world_column_below(world, x, y, z);
    return found;
}

/* The cell along an axis at a position (cells from the origin), clamped to the `cells` cells there are. */
static int cell_at(double along, int cells) { return (int)rn_clamp(floor(along), 0.0, cells - 1.0); }

/* The rectangle of cells that a source may cover: all of them with a shape; otherwise the row of cells along its side,
   or the cells around its disk, clamped to the domain; at least one cell. */
static rn_cells cells_in_reach(const rn_world *world, const rn_source_def *def) {
    const rn_terrain_info *g = &world->ground;
    rn_cells all = {0, 0, g->cells_x, g->cells_y};
    if (def->shape) return all;
    if (def->along_side) {
        if (def->side == RN_SIDE_WEST) all.x1 = 1;
        if (def->side == RN_SIDE_EAST) all.x0 = all.x1 - 1;
        if (def->side == RN_SIDE_SOUTH) all.y1 = 1;
        if (def->side == RN_SIDE_NORTH) all.y0 = all.y1 - 1;
        return all;
    }
    double x = (def->at.x - g->origin_x) / g->cell_size, y = (def->at.y - g->origin_y) / g->cell_size;
    double r = is_point(world, def) ? 0.0 : def->radius / g->cell_size;
    return (rn_cells){cell_at(x - r, g->cells_x), cell_at(y - r, g->cells_y), cell_at(x + r, g->cells_x) + 1,
                      cell_at(y + r, g->cells_y) + 1};
}

/* Writes slots and weights, not yet normalised, of a source's columns to its arrays, which have room, and returns their
   number; source NULL: only counts. */
static int32_t collect_columns(const rn_world *world, const rn_source_def *def, rn_source *source) {
    const rn_cells range = cells_in_reach(world, def);
    int32_t count = 0;
    for (int y = range.y0; y < range.y1; y++)
        for (int x = range.x0; x < range.x1; x++) {
            target found = find_target(world, def, x, y);
            if (found.slot < 0) continue;
            if (source) {
                source->slots[count] = found.slot;
                source->weights[count] = found.weight;
            }
            count++;
        }
    return count;
}

int32_t rn_footprint_count(const rn_world *world, const rn_source_def *def) {
    return collect_columns(world, def, NULL);
}

int32_t rn_footprint_room(const rn_world *world, double radius) {
    const rn_terrain_info *g = &world->ground;
    double across = floor(2.0 * radius / g->cell_size) + 2.0;
    return (int32_t)(rn_min(across, g->cells_x) * rn_min(across, g->cells_y));
}

void rn_footprint_fill(const rn_world *world, const rn_source_def *def, rn_source *source) {
    source->count = collect_columns(world, def, source);
    double sum = 0.0;
    source->heaviest = 0.0;
    source->lowest = INFINITY;
    for (int32_t i = 0; i < source->count; i++) sum += source->weights[i];
    for (int32_t i = 0; i < source->count; i++) {
        source->weights[i] /= sum;
        source->heaviest = rn_max(source->heaviest, source->weights[i]);
        source->lowest = rn_min(source->lowest, (double)world->columns->base[source->slots[i]]);
    }
}
