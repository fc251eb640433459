/* Allocates the arrays of columns, fills them from a terrain, and grows them.

   Interface: solver/columns.h. rn_columns_build fills new columns, rn_columns_grow makes a copy with more layers,
   rn_columns_allow_partial adds the arrays of partial solids, rn_columns_roughen those of friction, and
   rn_columns_set_angles those of contact angles. rn_columns_roughen_rim continues friction and angles past the
   edges. rn_cell_beside, rn_column_beside and rn_columns_ranges answer questions about cells.

   Order of calls: a solver calls rn_columns_build once, at its creation (solver/graph.c, solver/packets.c). The
   world adds arrays when regions, angles or blocking bodies first need them (world/roughness.c, world/wetting.c,
   world/blocking.c), and must call rn_columns_roughen_rim after it has changed friction or angles. rn_columns_grow
   runs when a change of solids, or a saved state, stacks more columns in a cell than there are layers.

   Algorithm: a terrain gives each cell its open ranges in metres. rn_columns_build
   - counts the layers,
   - rounds bases and ceilings to whole quanta above the datum, so that sums and differences of heights are exact,
   - turns bottomless ranges into sinks, whose base lies below the datum,
   - drops ranges too low for liquid (rn_least_opening).

   All arrays come from the list RN_COLUMN_ARRAYS; an array that a world does not need stays NULL. */
#include "solver/columns.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/platform.h"

#include <string.h>

/* ---- Memory ------------------------------------------------------------------------------------------------- */

typedef enum extent { EXTENT_SLOTS, EXTENT_ROUGH, EXTENT_LAWS, EXTENT_ANGLES, EXTENT_PARTS } extent;

/* Number of elements of an array of this extent: the number of slots, or 0 if the world does not need it. */
static size_t array_length(const rn_columns *c, extent which) {
    if ((which == EXTENT_ROUGH && !c->rough) || (which == EXTENT_LAWS && !c->laws)) return 0;
    if ((which == EXTENT_ANGLES && !c->angles) || (which == EXTENT_PARTS && !c->partial)) return 0;
    return (size_t)c->grid.slots;
}

/* Allocates all arrays that the world needs, zeroed; the others become NULL. Returns RN_MEMORY, with a message, if
   memory runs out; then some may be missing, and the caller frees the rest. */
static rn_result allocate_arrays(rn_columns *c) {
    bool fine = true;
#define ALLOCATE(type, name, extent, role)                                                                             \
    c->name = NULL;                                                                                                    \
    if (array_length(c, EXTENT_##extent)) {                                                                            \
        c->name = rn_alloc(&c->hooks, array_length(c, EXTENT_##extent), sizeof(type));                                 \
        fine = fine && c->name;                                                                                        \
    }
    RN_COLUMN_ARRAYS(ALLOCATE)
#undef ALLOCATE
    return fine ? RN_OK : RN_MEMORY;
}

void rn_columns_free(rn_columns *c) {
#define FREE(type, name, extent, role) rn_free(&c->hooks, c->name);
    RN_COLUMN_ARRAYS(FREE)
#undef FREE
}

size_t rn_columns_bytes(const rn_columns *c) {
    size_t bytes = 0;
#define ADD(type, name, extent, role) bytes += array_length(c, EXTENT_##extent) * sizeof(type);
    RN_COLUMN_ARRAYS(ADD)
#undef ADD
    return bytes;
}

/* Marks all slots from number `from` on as having no column; their depths stay. */
static void clear_slots(rn_columns *c, int32_t from) {
    for (int32_t slot = from; slot < c->grid.slots; slot++) c->base[slot] = c->ceil[slot] = RN_NO_COLUMN;
}

rn_result rn_columns_grow(const rn_columns *from, int layers, rn_columns *to) {
    const rn_grid *g = &from->grid;
    const int64_t slots = g->slots + (int64_t)(layers - g->layers) * g->layer_stride;
    if (layers > RN_MOST_LAYERS || slots > INT32_MAX)
        return rn_fail(RN_LIMIT, "the edit would stack %d columns in a cell of %d x %d; at most %d are allowed", layers,
                       g->nx, g->ny, RN_MOST_LAYERS);
    *to = *from;
    to->grid.layers = layers;
    to->grid.slots = (int32_t)slots;
    to->shape++;
    if (allocate_arrays(to) != RN_OK) {
        rn_columns_free(to);
        return RN_MEMORY;
    }
#define COPY(type, name, extent, role)                                                                                 \
    if (to->name) memcpy(to->name, from->name, (size_t)g->slots * sizeof(type));
    RN_COLUMN_ARRAYS(COPY)
#undef COPY
    clear_slots(to, g->slots);
    for (int32_t slot = g->slots; slot < to->grid.slots; slot++) {
        const int32_t lowest = slot % g->layer_stride;
        if (to->rough) to->kappa[slot] = from->kappa[lowest];
        if (to->laws) to->manning[slot] = from->manning[lowest], to->chezy[slot] = from->chezy[lowest];
        if (to->angles) to->advancing[slot] = from->advancing[lowest], to->receding[slot] = from->receding[lowest];
    }
    return RN_OK;
}

rn_result rn_columns_allow_partial(rn_columns *c) {
    if (c->partial) return RN_OK;
    bool fine = true;
#define ALLOCATE(type, name, extent, role)                                                                             \
    if (EXTENT_##extent == EXTENT_PARTS) {                                                                             \
        c->name = rn_alloc(&c->hooks, (size_t)c->grid.slots, sizeof(type));                                            \
        fine = fine && c->name;                                                                                        \
    }
    RN_COLUMN_ARRAYS(ALLOCATE)
#undef ALLOCATE
    c->partial = fine;
    if (fine) return RN_OK;
#define FREE(type, name, extent, role)                                                                                 \
    if (EXTENT_##extent == EXTENT_PARTS) {                                                                             \
        rn_free(&c->hooks, c->name);                                                                                   \
        c->name = NULL;                                                                                                \
    }
    RN_COLUMN_ARRAYS(FREE)
#undef FREE
    return RN_MEMORY;
}

/* A new array over slots with this value everywhere, which the caller owns, or NULL, with a message, if memory runs
   out. */
static float *make_even(const rn_columns *c, float value) {
    float *values = rn_alloc(&c->hooks, (size_t)c->grid.slots, sizeof *values);
    for (int32_t slot = 0; values && slot < c->grid.slots; slot++) values[slot] = value;
    return values;
}

rn_result rn_columns_roughen(rn_columns *c, const rn_ground_friction *first, bool laws) {
    if (!c->rough) {
        c->kappa = make_even(c, first->kappa);
        if (!c->kappa) return RN_MEMORY;
        c->rough = true;
    }
    if (!laws || c->laws) return RN_OK;
    c->manning = make_even(c, first->manning);
    c->chezy = c->manning ? make_even(c, first->chezy) : NULL;
    c->laws = c->chezy != NULL;
    if (c->laws) return RN_OK;
    rn_free(&c->hooks, c->manning);
    c->manning = NULL;
    return RN_MEMORY;
}

rn_result rn_columns_set_angles(rn_columns *c, const rn_ground_angles *first) {
    if (c->angles) return RN_OK;
    c->advancing = make_even(c, first->advancing);
    c->receding = c->advancing ? make_even(c, first->receding) : NULL;
    c->angles = c->receding != NULL;
    if (c->angles) return RN_OK;
    rn_free(&c->hooks, c->advancing);
    c->advancing = NULL;
    return RN_MEMORY;
}

/* The index along an axis of `cells` cells whose value applies at index `at`: beyond a periodic edge that of the other
   end, otherwise the nearest. */
static int inner_index(int at, int cells, bool periodic) {
    if (at >= 0 && at < cells) return at;
    if (periodic) return (at % cells + cells) % cells;
    return at < 0 ? 0 : cells - 1;
}

/* Fills the rim of an array over slots, in all layers: from the nearest cell, or from the opposite edge if periodic. */
static void continue_past_edges(const rn_columns *c, float *values) {
    const rn_grid *g = &c->grid;
    for (int layer = 0; layer < g->layers; layer++)
        for (int y = -g->rim; y < g->ny + g->rim; y++)
            for (int x = -g->rim; x < g->nx + g->rim; x++)
                values[rn_slot(g, layer, y, x)] = values[rn_slot(g, layer, inner_index(y, g->ny, c->periodic_y),
                                                                 inner_index(x, g->nx, c->periodic_x))];
}

void rn_columns_roughen_rim(rn_columns *c) {
    if (c->rough) continue_past_edges(c, c->kappa);
    if (c->laws) continue_past_edges(c, c->manning), continue_past_edges(c, c->chezy);
    if (c->angles) continue_past_edges(c, c->advancing), continue_past_edges(c, c->receding);
}

/* ---- Cells -------------------------------------------------------------------------------------------------- */

int32_t rn_cell_beside(const rn_columns *c, int x, int y, rn_side side, float *drop) {
    const rn_grid *g = &c->grid;
    const bool along_x = side == RN_SIDE_WEST || side == RN_SIDE_EAST;
    const bool ahead = side == RN_SIDE_EAST || side == RN_SIDE_NORTH;
    int *along = along_x ? &x : &y;
    const int cells = along_x ? g->nx : g->ny;
    *along += ahead ? 1 : -1;
    *drop = 0.0f;
    if (*along < 0 || *along == cells) {
        if (!(along_x ? c->periodic_x : c->periodic_y)) return -1;
        *along = ahead ? 0 : cells - 1;
        *drop = ahead ? c->drop[!along_x] : -c->drop[!along_x];
    }
    return rn_slot(g, 0, y, x);
}

int32_t rn_column_beside(const rn_columns *c, int32_t slot, rn_side side, float *drop) {
    const rn_spot at = rn_slot_place(&c->grid, slot);
    const int32_t cell = rn_cell_beside(c, at.x, at.y, side, drop);
    return cell < 0 ? -1 : cell + at.layer * c->grid.layer_stride;
}

int rn_columns_ranges(const rn_columns *c, int x, int y, rn_column_range *ranges) {
    int count = 0;
    for (; count < c->grid.layers; count++) {
        const int32_t slot = rn_slot(&c->grid, count, y, x);
        if (c->base[slot] >= RN_NO_COLUMN) break;
        ranges[count] = (rn_column_range){c->base[slot], c->ceil[slot]};
    }
    return count;
}

/* ---- From a terrain ---------------------------------------------------------------------------------------- */

/* A terrain's height in m above the datum, rounded to whole quanta. */
static float quantise(const rn_columns_def *def, double height) {
    return (float)(rint((height - def->datum) / def->quantum) * def->quantum);
}

/* Writes the open ranges of a terrain's cell, bottom to top, and returns their number, at most one more than the cell's
   columns. An opening below all solid, or a cell without columns, becomes a sink if it reaches above the datum; ranges
   narrower than rn_least_opening are left out. */
static int find_open_ranges(const rn_columns_def *def, const rn_columns *c, int x, int y, rn_column_shape *gaps) {
    int count = 0, given = 0;
    const rn_column *columns = rn_terrain_cell(def->terrain, x, y, &given);
    if (given == 0 || isfinite(columns[0].under)) {
        float ceil = given ? quantise(def, columns[0].under) : c->lid;
        if (ceil > 0.0f) gaps[count++] = (rn_column_shape){.base = -2.0f * c->cell, .ceil = ceil};
    }
    for (int i = 0; i < given; i++) {
        rn_column_shape gap = {.base = quantise(def, columns[i].base), .ceil = quantise(def, columns[i].ceil)};
        if (gap.ceil - gap.base >= rn_least_opening(c)) gaps[count++] = gap;
    }
    return count;
}

/* Counts the layers and sets c->grid; needs cell, quantum and lid of c. `gaps`: scratch for one cell. On failure
   returns RN_INVALID (there are no columns) or RN_LIMIT (too many layers, or more memory than the machine has), with a
   message. */
static rn_result lay_out_grid(rn_columns *c, const rn_columns_def *def, rn_column_shape *gaps) {
    const rn_terrain_info info = rn_terrain_describe(def->terrain);
    rn_grid *g = &c->grid;
    g->nx = info.cells_x;
    g->ny = info.cells_y;
    for (int y = 0; y < g->ny; y++)
        for (int x = 0; x < g->nx; x++) {
            int count = find_open_ranges(def, c, x, y, gaps);
            if (count > g->layers) g->layers = count;
        }
    if (g->layers > RN_MOST_LAYERS)
        return rn_fail(RN_LIMIT, "the terrain stacks %d columns in a cell; at most %d are allowed: use larger cells",
                       g->layers, RN_MOST_LAYERS);
    if (g->layers == 0) return rn_fail(RN_INVALID, "no column of the terrain has room for liquid: raise the lid");
    const int rim = def->rim > 1 ? def->rim : 1;
    const rn_grid grid = rn_grid_of(g->nx, g->ny, g->layers, rim);
    const double living = sizeof(rn_column) + sizeof(int32_t);
    const double slot_bytes = (double)rn_columns_bytes(&(rn_columns){.grid.slots = 1}) + def->slot_bytes;
    const double bytes = (double)rn_slots_of(g->nx, g->ny, g->layers, rim) * slot_bytes + (double)info.columns * living;
    const double memory = rn_memory_total();
    if (grid.slots == 0 || (memory > 0.0 && bytes > memory))
        return rn_fail(RN_LIMIT,
                       "%d x %d cells in %d layers need %.1f GB; this machine has %.1f: use fewer or larger cells",
                       g->nx, g->ny, g->layers, bytes * 1e-9, memory * 1e-9);
    *g = grid;
    return RN_OK;
}

/* Lays out the grid, allocates all arrays, and fills bases and ceilings; depths stay 0. `gaps`: scratch for one cell.
   Fails as lay_out_grid does, or with RN_MEMORY, with a message; the caller then frees the columns. */
static rn_result build_arrays(rn_columns *c, const rn_columns_def *def, rn_column_shape *gaps) {
    rn_result result = lay_out_grid(c, def, gaps);
    if (result != RN_OK) return result;
    if ((result = allocate_arrays(c)) != RN_OK) return result;
    clear_slots(c, 0);
    for (int y = 0; y < c->grid.ny; y++)
        for (int x = 0; x < c->grid.nx; x++) {
            const int count = find_open_ranges(def, c, x, y, gaps);
            for (int l = 0; l < count; l++) {
                c->base[rn_slot(&c->grid, l, y, x)] = gaps[l].base;
                c->ceil[rn_slot(&c->grid, l, y, x)] = gaps[l].ceil;
            }
        }
    return RN_OK;
}

rn_result rn_columns_build(const rn_columns_def *def, rn_columns *c) {
    const rn_terrain_info info = rn_terrain_describe(def->terrain);
    c->hooks = def->hooks;
    c->quantum = (float)def->quantum;
    c->cell = (float)(rint(info.cell_size / def->quantum) * def->quantum);
    c->width = (float)info.cell_size;
    c->lid = quantise(def, info.lid);
    for (int side = 0; side < 4; side++) c->edges[side] = def->edges[side];
    for (int axis = 0; axis < 2; axis++) c->drop[axis] = (float)def->drop[axis];
    c->periodic_x = def->edges[RN_SIDE_WEST] == RN_EDGE_PERIODIC;
    c->periodic_y = def->edges[RN_SIDE_SOUTH] == RN_EDGE_PERIODIC;
    rn_column_shape *gaps = rn_alloc(&def->hooks, (size_t)info.layers + 1, sizeof *gaps);
    const rn_result result = gaps ? build_arrays(c, def, gaps) : RN_MEMORY;
    rn_free(&def->hooks, gaps);
    return result;
}
