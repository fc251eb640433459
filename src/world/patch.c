/* Columns of the ground in a region or under a map. Interface: world/patch.h.

   world/roughness.c and world/wetting.c set values of columns with it: they check the definition (rn_patch_check),
   then whether it meets any ground (rn_patch_meets), and then visit every column (rn_patch_each). A column belongs to
   a region if its base lies in the region, within the precision of traced spans: the floor of a cave and the roof
   above it may differ. A map gives the value nearest to the centre of a cell; it is stretched over the domain, or has
   its own spacing and origin (m). NAN in a map leaves the column as it is. */
#include "world/patch.h"

#include "base/error.h"
#include "base/maths.h"
#include "world/limits.h"

/* Whether the ranges of a region over a cell contain a height (m), within `slack` (m). */
static bool contains_height(const rn_interval *spans, int count, double height, double slack) {
    for (int i = 0; i < count; i++)
        if (spans[i].low <= height + slack && spans[i].high >= height - slack) return true;
    return false;
}

/* The value of the patch's map, which must exist, nearest to the centre of a cell, or NAN if the map does not reach
   there, or has no value there. */
static double map_value(const rn_world *world, const rn_patch *p, int x, int y) {
    const rn_grid *g = &world->columns->grid;
    const double cell = world->ground.cell_size;
    double column = (x + 0.5) / g->nx * p->map_x, row = (y + 0.5) / g->ny * p->map_y;
    if (p->spacing_x > 0.0) {
        column = (world->ground.origin_x + (x + 0.5) * cell - p->origin_x) / p->spacing_x + 0.5;
        row = (world->ground.origin_y + (y + 0.5) * cell - p->origin_y) / p->spacing_y + 0.5;
    }
    if (!(column >= 0.0 && row >= 0.0 && column < p->map_x && row < p->map_y)) return NAN;
    return (double)p->map[(size_t)row * (size_t)p->map_x + (size_t)column];
}

/* Calls `column`, unless it is NULL, with `value` for every column of cell (x, y) whose base lies in the region of the
   patch, and returns their number. */
static int each_of_cell(const rn_world *world, const rn_patch *p, int x, int y, double value, rn_patch_column *column,
                        void *context) {
    const rn_grid *g = &world->columns->grid;
    rn_interval spans[RN_MOST_SPANS];
    const int count = p->region ? rn_world_spans(world, p->region, x, y, spans) : 0;
    const double slack = 0.02 * world->ground.cell_size; /* the precision of traced spans */
    int found = 0;
    for (int layer = 0; layer < g->layers; layer++) {
        const int32_t slot = rn_slot(g, layer, y, x);
        const float base = world->columns->base[slot];
        if (base >= RN_NO_COLUMN) break;
        if (base < 0.0f) continue; /* a sink */
        if (p->region && !contains_height(spans, count, (double)base + world->datum, slack)) continue;
        if (column) column(context, slot, value);
        found++;
    }
    return found;
}

int rn_patch_each(const rn_world *world, const rn_patch *p, double value, rn_patch_column *column, void *context) {
    int found = 0;
    for (int y = 0; y < world->columns->grid.ny; y++)
        for (int x = 0; x < world->columns->grid.nx; x++) {
            const double here = p->map ? map_value(world, p, x, y) : value;
            if (!isnan(here)) found += each_of_cell(world, p, x, y, here, column, context);
            if (found && !column) return found;
        }
    return found;
}

rn_result rn_patch_check(const rn_patch *p) {
    if (!p->map) return RN_OK;
    if (p->map_x < 1 || p->map_y < 1)
        return rn_fail(RN_INVALID, "the map has %d by %d values; it needs 1 or more", p->map_x, p->map_y);
    const bool stretched = p->spacing_x == 0.0 && p->spacing_y == 0.0;
    const bool spaced = rn_within(p->spacing_x, 1e-9, 1e9) && rn_within(p->spacing_y, 1e-9, 1e9);
    if ((!stretched && !spaced) || !isfinite(p->origin_x) || !isfinite(p->origin_y))
        return rn_fail(RN_INVALID, "the values of the map are %g by %g m apart, from %g, %g; these must be sizes (m)",
                       p->spacing_x, p->spacing_y, p->origin_x, p->origin_y);
    return RN_OK;
}

rn_result rn_patch_meets(const rn_world *world, const rn_patch *p) {
    if (rn_patch_each(world, p, 0.0, NULL, NULL) > 0) return RN_OK;
    return rn_fail(RN_INVALID, p->map ? "the map covers no ground of its region; place it over the terrain"
                                      : "the region touches no ground; extend it into the terrain");
}
