/* False openings over thin shells. Columns are cut along vertical lines through the centres of cells. Where a thin
   shell, such as the rim of a cup, passes between two of these lines, the columns there look joined.

   Interface (solver/shells.h): rn_shells_look lists such openings: rn_graph_build calls it before it joins the cells
   of a world with several layers. rn_shells_shut says whether an opening is listed, whenever cells are joined
   (solver/graph.c).

   Suspects are pairs of columns where a slab lies over the lower one and the common opening leads to the top of the
   slab. For these the terrain is cut once more, along the line between the cells. Openings that are solid there are
   listed in order, and rn_shells_shut finds them again by binary search. */
#include "solver/shells.h"

#include "base/memory.h"
#include "terrain/terrain.h"

/* The open heights that two columns have in common (m above a's datum), b counting `drop` (m) lower; the ceiling is
   below the base if there are none. */
static rn_column_range common_opening(const rn_columns *c, int32_t a, int32_t b, float drop) {
    return (rn_column_range){fmaxf(c->base[a], c->base[b] - drop), fminf(c->ceil[a], c->ceil[b] - drop)};
}

/* The number of a cell's seam with the next one along an axis, in the order in which cells are joined. `slot`: any
   column of the cell. */
static int32_t seam_number(const rn_grid *g, int32_t slot, int axis) {
    const rn_spot at = rn_slot_place(g, slot);
    return 2 * (at.y * g->nx + at.x) + axis;
}

/* ---- Queries ---------------------------------------------------------------------------------------------------- */

bool rn_shells_shut(const rn_state *s, int32_t a, int32_t b, int axis, float drop) {
    if (s->graph.window_count == 0) return false;
    const int32_t seam = seam_number(&s->columns.grid, a, axis);
    size_t at = 0, high = s->graph.window_count;
    while (at < high) {
        const size_t middle = (at + high) / 2;
        if (s->graph.windows[middle].seam < seam) at = middle + 1;
        else high = middle;
    }
    const rn_column_range is = common_opening(&s->columns, a, b, drop);
    for (; at < s->graph.window_count && s->graph.windows[at].seam == seam; at++)
        if (is.base >= s->graph.windows[at].low && is.ceil <= s->graph.windows[at].high) return true;
    return false;
}

/* ---- Finding ---------------------------------------------------------------------------------------------------- */

/* Whether column `lower`, open from base to ceil (m), has a slab above it, with another column on top, and the window
   could lead through this slab: the window ends at the ceiling of the column, but begins above its base, perhaps on top
   of the slab. */
static bool is_under_slab(const rn_state *s, int32_t lower, float base, float ceil, rn_column_range window) {
    const int32_t above = lower + s->columns.grid.layer_stride;
    return above < s->columns.grid.slots && s->columns.base[above] < RN_NO_COLUMN && window.ceil == ceil &&
           window.base > base;
}

/* Whether the window between two columns could be false, so that the terrain must be cut again: it leads from under a
   slab to its top. */
static bool may_be_false(const rn_state *s, int32_t a, int32_t b, float drop, rn_column_range window) {
    const rn_columns *c = &s->columns;
    return is_under_slab(s, a, c->base[a], c->ceil[a], window) ||
           is_under_slab(s, b, c->base[b] - drop, c->ceil[b] - drop, window);
}

/* Whether the terrain is solid in the middle of a window between cell (x, y) and the next along the axis (0: x, 1: y):
   at half the height of the window, above the point midway between the centres of the cells. Looks at one quantum of
   height there, as columns are cut. Needs terrain->solid. */
static bool is_solid(const rn_state *s, const rn_columns_def *def, int x, int y, int axis, rn_column_range window) {
    const rn_terrain *terrain = def->terrain;
    const double cell = terrain->info.cell_size, z = def->datum + 0.5 * ((double)window.base + (double)window.ceil);
    const double at_x = terrain->info.origin_x + (x + (axis == 0 ? 1.0 : 0.5)) * cell;
    const double at_y = terrain->info.origin_y + (y + (axis == 0 ? 0.5 : 1.0)) * cell;
    return rn_sdf_intervals(terrain->solid, at_x, at_y, z, z + (double)s->columns.quantum, cell, NULL, 0) > 0;
}

rn_result rn_shells_look(const rn_state *s, const rn_columns_def *def, int32_t a, int32_t b, int axis, float drop,
                         rn_window_list *to) {
    const rn_spot at = rn_slot_place(&s->columns.grid, a);
    const rn_column_range window = common_opening(&s->columns, a, b, drop);
    if (!def->terrain->solid || !may_be_false(s, a, b, drop, window)) return RN_OK;
    if (!is_solid(s, def, at.x, at.y, axis, window)) return RN_OK;
    if (!rn_grow(&s->columns.hooks, &to->windows, &to->capacity, to->count, sizeof(rn_closed_opening)))
        return RN_MEMORY;
    to->windows[to->count++] = (rn_closed_opening){seam_number(&s->columns.grid, a, axis), window.base, window.ceil};
    return RN_OK;
}
