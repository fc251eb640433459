#include "solver/shells.h"

#include "base/memory.h"
#include "solver/graph.h"
#include "terrain/terrain.h"

/* The open heights that two columns have in common (m above the datum). */
static rn_range window_of(const rn_columns *c, int32_t a, int32_t b, float drop) {
    return (rn_range){fmaxf(c->base[a], c->base[b] - drop), fminf(c->ceil[a], c->ceil[b] - drop)};
}

/* A cell's seam with the next one along an axis, in the order in which cells are joined. */
static int32_t seam_of(const rn_grid *g, int32_t slot, int axis) {
    const rn_spot at = rn_slot_place(g, slot);
    return 2 * (at.y * g->nx + at.x) + axis;
}

/* ---- Asking ----------------------------------------------------------------------------------------------------- */

bool rn_shells_shut(const rn_state *s, int32_t a, int32_t b, int axis, float drop) {
    if (s->graph.window_count == 0) return false;
    const int32_t seam = seam_of(&s->columns.grid, a, axis);
    size_t at = 0, high = s->graph.window_count;
    while (at < high) {
        const size_t middle = (at + high) / 2;
        if (s->graph.windows[middle].seam < seam) at = middle + 1;
        else high = middle;
    }
    const rn_range is = window_of(&s->columns, a, b, drop);
    for (; at < s->graph.window_count && s->graph.windows[at].seam == seam; at++)
        if (is.base >= s->graph.windows[at].low && is.ceil <= s->graph.windows[at].high) return true;
    return false;
}

/* ---- Finding ---------------------------------------------------------------------------------------------------- */

/* Whether a slab lies over the lower of two columns and the window leads on to its top, or to the ground beside it. */
static bool is_under_slab(const rn_state *s, int32_t lower, float base, float ceil, rn_range window) {
    const int32_t above = lower + s->columns.grid.layer_stride;
    return above < s->columns.grid.slots && s->columns.base[above] < RN_NO_COLUMN && window.ceil == ceil &&
           window.base > base;
}

static bool may_be_false(const rn_state *s, const rn_pair *p, rn_range window) {
    const rn_columns *c = &s->columns;
    return is_under_slab(s, p->a, c->base[p->a], c->ceil[p->a], window) ||
           is_under_slab(s, p->b, c->base[p->b] - p->drop, c->ceil[p->b] - p->drop, window);
}

/* Whether there is solid in the middle of a window, on the line between its cells. The line is cut as columns are. */
static bool is_solid(const rn_state *s, const rn_columns_def *def, int x, int y, int axis, rn_range window) {
    const rn_terrain *terrain = def->terrain;
    const double cell = terrain->info.cell_size, z = def->datum + 0.5 * ((double)window.base + (double)window.ceil);
    const double at_x = terrain->info.origin_x + (x + (axis == 0 ? 1.0 : 0.5)) * cell;
    const double at_y = terrain->info.origin_y + (y + (axis == 0 ? 0.5 : 1.0)) * cell;
    return rn_sdf_intervals(terrain->solid, at_x, at_y, z, z + (double)s->columns.quantum, cell, NULL, 0) > 0;
}

typedef struct window_list {
    rn_window *windows;
    size_t count, capacity;
} window_list;

static rn_result look_at_seam(const rn_state *s, const rn_columns_def *def, int x, int y, int axis, window_list *to) {
    rn_pair pairs[2 * RN_MOST_LAYERS];
    float drop;
    const int32_t cell = rn_slot(&s->columns.grid, 0, y, x);
    const int32_t next = rn_cell_beside(&s->columns, x, y, axis == 0 ? RN_SIDE_EAST : RN_SIDE_NORTH, &drop);
    const int count = next < 0 ? 0 : rn_graph_pairs(s, cell, next, drop, axis, pairs);
    for (int i = 0; i < count; i++) {
        const rn_range window = window_of(&s->columns, pairs[i].a, pairs[i].b, drop);
        if (!may_be_false(s, &pairs[i], window) || !is_solid(s, def, x, y, axis, window)) continue;
        if (!rn_grow(&s->columns.hooks, &to->windows, &to->capacity, to->count, sizeof(rn_window))) return RN_MEMORY;
        to->windows[to->count++] = (rn_window){seam_of(&s->columns.grid, cell, axis), window.base, window.ceil};
    }
    return RN_OK;
}

rn_result rn_shells_find(rn_state *s, const rn_columns_def *def) {
    const rn_grid *g = &s->columns.grid;
    if (!def->terrain->solid || g->layers < 2) return RN_OK;
    window_list all = {0};
    rn_result result = RN_OK;
    for (int y = 0; y < g->ny; y++)
        for (int x = 0; x < g->nx; x++)
            for (int axis = 0; axis < 2 && result == RN_OK; axis++) result = look_at_seam(s, def, x, y, axis, &all);
    s->graph.windows = all.windows; /* from now on joining asks */
    s->graph.window_count = all.count;
    return result;
}
