/* Measures how the liquids of two worlds differ. Entry point: compare_worlds(), called after every frame; it visits
   each cell once and adds it to the outline of each liquid. */
#include "compare/compare.h"

#include <math.h>

/* Returns the depth of all layers of cell (x, y) together (m). */
static double depth_at(const rn_view *depth, int x, int y) {
    double sum = 0;
    for (int layer = 0; layer < depth->layers; layer++)
        sum += (double)depth->data[layer * depth->layer_stride + y * depth->row_stride + x];
    return sum;
}

/* Adds cell (x, y) with this depth (m) to the outline: to its volume and greatest depth, and if `wet` also to its area
   and bounds. */
static void add_cell(outline *o, const rn_world_info *grid, int x, int y, double depth, bool wet) {
    const double cell = grid->cell_size, from[2] = {grid->origin_x + x * cell, grid->origin_y + y * cell};
    o->volume += depth * cell * cell;
    o->deepest = fmax(o->deepest, depth);
    if (!wet) return;
    for (int a = 0; a < 2; a++) {
        o->low[a] = o->area > 0 ? fmin(o->low[a], from[a]) : from[a];
        o->high[a] = o->area > 0 ? fmax(o->high[a], from[a] + cell) : from[a] + cell;
    }
    o->area += cell * cell;
}

difference compare_worlds(rn_world *const worlds[BOTH], double wet) {
    const rn_view views[BOTH] = {rn_world_view(worlds[SHALLOW], RN_FIELD_DEPTH),
                                 rn_world_view(worlds[DEEP], RN_FIELD_DEPTH)};
    const rn_world_info grid = rn_world_describe(worlds[SHALLOW]);
    difference d = {.time = rn_world_get_stats(worlds[DEEP]).time};
    double squares = 0, either = 0, both = 0;
    for (int y = 0; y < grid.cells_y; y++)
        for (int x = 0; x < grid.cells_x; x++) {
            const double depths[BOTH] = {depth_at(&views[SHALLOW], x, y), depth_at(&views[DEEP], x, y)};
            const bool is_wet[BOTH] = {depths[SHALLOW] >= wet, depths[DEEP] >= wet};
            for (int i = 0; i < BOTH; i++) add_cell(&d.of[i], &grid, x, y, depths[i], is_wet[i]);
            if (!is_wet[SHALLOW] && !is_wet[DEEP]) continue;
            squares += (depths[SHALLOW] - depths[DEEP]) * (depths[SHALLOW] - depths[DEEP]);
            either++;
            both += is_wet[SHALLOW] && is_wet[DEEP];
        }
    d.height = either > 0 ? sqrt(squares / either) : 0;
    d.shared = either > 0 ? both / either : 1;
    if (!(d.of[SHALLOW].area > 0 && d.of[DEEP].area > 0)) return d; /* no fronts to compare */
    for (int a = 0; a < 2; a++) {
        d.front = fmax(d.front, fabs(d.of[SHALLOW].low[a] - d.of[DEEP].low[a]));
        d.front = fmax(d.front, fabs(d.of[SHALLOW].high[a] - d.of[DEEP].high[a]));
    }
    return d;
}
