#include "solver/graph.h"

#include "base/error.h"
#include "base/memory.h"
#include "solver/tiles.h"

#include <math.h>
#include <string.h>

/* ---- Pairs ------------------------------------------------------------------------------------------------ */

int32_t rn_cell_beside(const rn_state *s, int x, int y, rn_side side, float *drop) {
    const rn_grid *g = &s->grid;
    const bool along_x = side == RN_SIDE_WEST || side == RN_SIDE_EAST;
    const bool ahead = side == RN_SIDE_EAST || side == RN_SIDE_NORTH;
    int *along = along_x ? &x : &y;
    const int cells = along_x ? g->nx : g->ny;
    *along += ahead ? 1 : -1;
    *drop = 0.0f;
    if (*along < 0 || *along == cells) {
        if (!(along_x ? s->periodic_x : s->periodic_y)) return -1;
        *along = ahead ? 0 : cells - 1;
        *drop = ahead ? s->drop[!along_x] : -s->drop[!along_x];
    }
    return rn_slot(g, 0, y, x);
}

static bool is_column(const rn_state *s, int32_t slot) { return s->base[slot] < RN_NO_COLUMN; }
static bool is_sink(const rn_state *s, int32_t slot) { return s->base[slot] < 0.0f; }

/* Columns of a cell are in order of height, so the search never goes back. */
int rn_graph_pairs(const rn_state *s, int32_t cell, int32_t next, float drop, int axis, rn_pair *pairs) {
    const int32_t up = s->grid.layer_stride;
    rn_pair p = {.axis = axis, .drop = drop};
    int first = 0, count = 0;
    for (int la = 0; la < s->grid.layers && is_column(s, cell + la * up); la++) {
        p.a = cell + la * up;
        for (int lb = first; lb < s->grid.layers; lb++) {
            p.b = next + lb * up;
            if (!is_column(s, p.b) || s->base[p.b] - p.drop >= s->ceil[p.a]) break;
            if (s->ceil[p.b] - p.drop <= s->base[p.a]) {
                first = lb + 1;
                continue;
            }
            p.same_layer = la == lb;
            if (!(is_sink(s, p.a) && is_sink(s, p.b))) pairs[count++] = p;
        }
    }
    return count;
}

/* How far the lowest column linked on one side stands above this one (m), 0 if it does not or there is none. */
static float ramp(const rn_state *s, int32_t slot, rn_side side) {
    const rn_spot at = rn_slot_place(&s->grid, slot);
    float drop;
    int32_t next = rn_cell_beside(s, at.x, at.y, side, &drop);
    for (int l = 0; next >= 0 && l < s->grid.layers && is_column(s, next); l++, next += s->grid.layer_stride) {
        float base = s->base[next] - drop, ceil = s->ceil[next] - drop;
        if (base < s->ceil[slot] && ceil > s->base[slot]) return fmaxf(base - s->base[slot], 0.0f);
    }
    return 0.0f;
}

/* Where the solid that a column stands on begins: at the ceiling of the column below. */
static float underside(const rn_state *s, int32_t slot) {
    const int32_t below = slot - s->grid.layer_stride;
    return below >= 0 && is_column(s, below) ? s->ceil[below] : -INFINITY;
}

/* A fall has a slab to fall past, or leaves a cliff rather than an even slope: the drop is more than a cell
   and twice what the bed rises behind the brink. */
static bool is_fall(const rn_state *s, const rn_pair *p) {
    if (is_sink(s, p->a) || is_sink(s, p->b)) return true;
    const float rise = s->base[p->b] - p->drop - s->base[p->a];
    const bool a_upper = rise < 0.0f;
    const int32_t upper = a_upper ? p->a : p->b;
    const float lower_base = a_upper ? s->base[p->b] - p->drop : s->base[p->a] + p->drop;
    if (lower_base < underside(s, upper)) return true;
    if (fabsf(rise) <= s->cell) return false;
    const rn_side behind[2][2] = {{RN_SIDE_EAST, RN_SIDE_WEST}, {RN_SIDE_NORTH, RN_SIDE_SOUTH}};
    return fabsf(rise) > s->cell + 2.0f * ramp(s, upper, behind[p->axis][a_upper]);
}

/* ---- Loose pipes ------------------------------------------------------------------------------------------ */

void rn_loose_add(const rn_state *s, rn_loose_list *list, rn_loose pipe) {
    if (!rn_grow(&s->hooks, &list->pipes, &list->capacity, list->count, sizeof pipe)) list->failed = true;
    else *rn_loose_at(list, list->count++) = pipe;
}

rn_loose rn_loose_get(const rn_state *s, int32_t i) {
    return (rn_loose){s->loose_a[i],    s->loose_b[i],    s->loose_owner[i], s->loose_drop[i],
                      s->loose_flux[i], s->loose_axis[i], s->loose_kind[i],  s->loose_low[i],
                      s->loose_high[i], s->loose_shut[i], s->loose_speed[i]};
}

bool rn_graph_join(rn_state *s, const rn_pair *p, int32_t owner, rn_tally *tally, rn_loose *loose) {
    const bool fall = is_fall(s, p), sink = is_sink(s, p->a) || is_sink(s, p->b);
    const uint8_t kind = fall ? RN_PIPE_FALL : RN_PIPE_PLAIN;
    const bool parted = rn_is_parted(s, p->a) || rn_is_parted(s, p->b);
    if (!p->same_layer || sink || parted || (fall && s->loose_falls)) {
        *loose = (rn_loose){.a = p->a,
                            .b = p->b,
                            .owner = owner,
                            .drop = p->drop,
                            .axis = (uint8_t)p->axis,
                            .kind = kind,
                            .shut = s->parted ? RN_NEW : 0.0f};
        return true;
    }
    (p->axis == 0 ? s->pipe_x : s->pipe_y)[p->a] = kind;
    tally->ordinary++;
    tally->falls += fall;
    return false;
}

void rn_graph_unjoin(rn_state *s, int32_t cell, int axis, rn_tally *tally) {
    uint8_t *pipes = axis == 0 ? s->pipe_x : s->pipe_y;
    for (int32_t slot = cell; slot < s->grid.slots; slot += s->grid.layer_stride) {
        tally->ordinary -= pipes[slot] != 0;
        tally->falls -= pipes[slot] == RN_PIPE_FALL;
        pipes[slot] = 0;
    }
}

/* ---- Past the edges ---------------------------------------------------------------------------------------- */

/* Past an open edge every column meets a sink below it. */
static void open_edge(rn_state *s, int32_t inner, int32_t outer, int axis, rn_loose_list *list) {
    if (!is_column(s, inner) || is_sink(s, inner)) return;
    s->base[outer] = s->base[inner] - 2.0f * s->cell;
    s->ceil[outer] = s->ceil[inner];
    rn_loose pipe = {.a = inner < outer ? inner : outer, .b = inner < outer ? outer : inner, .owner = -1};
    pipe.axis = (uint8_t)axis;
    pipe.kind = RN_PIPE_FALL;
    rn_loose_add(s, list, pipe);
}

static void copy_slot(rn_state *s, int32_t to, int32_t from, float drop) {
    s->base[to] = is_column(s, from) ? s->base[from] - drop : RN_NO_COLUMN;
    s->ceil[to] = is_column(s, from) ? s->ceil[from] - drop : RN_NO_COLUMN;
}

/* One end of a row or of a column of cells, and the other. */
static void join_ends(rn_state *s, int32_t low, int32_t high, int axis, rn_loose_list *list) {
    const int32_t step = axis == 0 ? 1 : s->grid.stride;
    const rn_side before = axis == 0 ? RN_SIDE_WEST : RN_SIDE_SOUTH, after = axis == 0 ? RN_SIDE_EAST : RN_SIDE_NORTH;
    s->base[low - step] = s->ceil[low - step] = s->base[high + step] = s->ceil[high + step] = RN_NO_COLUMN;
    if (s->edges[before] == RN_EDGE_OPEN) open_edge(s, low, low - step, axis, list);
    if (s->edges[after] == RN_EDGE_OPEN) open_edge(s, high, high + step, axis, list);
    if (!(axis == 0 ? s->periodic_x : s->periodic_y)) return;
    uint8_t *pipes = axis == 0 ? s->pipe_x : s->pipe_y;
    copy_slot(s, low - step, high, -s->drop[axis]);
    copy_slot(s, high + step, low, s->drop[axis]);
    pipes[low - step] = pipes[high];
}

static int inner(int at, int cells, bool periodic) {
    if (at >= 0 && at < cells) return at;
    return (at < 0) == periodic ? cells - 1 : 0;
}

void rn_graph_roughen_rim(rn_state *s) {
    const rn_grid *g = &s->grid;
    for (int layer = 0; layer < g->layers; layer++)
        for (int y = -1; y <= g->ny; y++)
            for (int x = -1; x <= g->nx; x++)
                s->kappa[rn_slot(g, layer, y, x)] =
                    s->kappa[rn_slot(g, layer, inner(y, g->ny, s->periodic_y), inner(x, g->nx, s->periodic_x))];
}

void rn_graph_join_rim(rn_state *s, rn_loose_list *list) {
    const rn_grid *g = &s->grid;
    for (int l = 0; l < g->layers; l++) {
        for (int y = 0; y < g->ny; y++) join_ends(s, rn_slot(g, l, y, 0), rn_slot(g, l, y, g->nx - 1), 0, list);
        for (int x = 0; x < g->nx; x++) join_ends(s, rn_slot(g, l, 0, x), rn_slot(g, l, g->ny - 1, x), 1, list);
    }
    if (s->rough) rn_graph_roughen_rim(s);
}

/* ---- What rows and columns have ---------------------------------------------------------------------------- */

void rn_graph_flag_row(rn_state *s, int layer, int y) {
    const rn_grid *g = &s->grid;
    const int32_t first = rn_slot(g, layer, y, 0), up = g->stride;
    rn_row *row = rn_row_at(s, layer, y);
    row->gaps =
        (y >= 0 && y < g->ny && row_has_gaps(s, first - 1, g->nx + 1, 1, s->pipe_x)) ||
        (y < g->ny && row_has_gaps(s, first, g->nx, up, s->pipe_y)) || /* the rim past the last row has no pipes */
        row_has_roofs(s, first - 1, g->nx + 2) || (y < g->ny && row_has_roofs(s, first - 1 + up, g->nx + 2));
}

static bool is_outside(const rn_state *s, int32_t slot) {
    const rn_spot at = rn_slot_place(&s->grid, slot);
    return at.x < 0 || at.y < 0 || at.x == s->grid.nx || at.y == s->grid.ny;
}

/* Numbers the columns that loose pipes meet, in order of pipes that are no falls (bent) or that are, and counts the
   pipes of each in `end`. */
static void count_ends(rn_state *s, bool bent) {
    for (int32_t i = 0; i < 2 * s->loose; i++) {
        if (bent != (s->loose_kind[i / 2] == RN_PIPE_PLAIN)) continue;
        const int32_t slot = i % 2 ? s->loose_b[i / 2] : s->loose_a[i / 2];
        if (s->special_of[slot] == 0) {
            const bool sink = is_sink(s, slot) || (i / 2 >= s->loose_inner && is_outside(s, slot));
            s->specials[s->special_count++] = (rn_special){.slot = slot,
                                                           .sink = sink,
                                                           .slope = 1.0f,
                                                           .tile = (int32_t)(rn_tile_of(s, slot) - s->tiles),
                                                           .spot = rn_tile_spot(s, slot)};
            s->special_of[slot] = s->special_count;
            s->sink_count += sink;
        }
        s->specials[s->special_of[slot] - 1].end++;
    }
}

/* Which loose pipes meet each column, as a list per column in order of pipes. */
static void build_specials(rn_state *s) {
    for (int32_t i = 0; i < s->special_count; i++) s->special_of[s->specials[i].slot] = 0;
    s->special_count = s->sink_count = s->busy_count = s->wet_count = 0;
    count_ends(s, true);
    s->bent_count = s->special_count;
    count_ends(s, false);
    int32_t begin = 0, sinks = 0;
    for (int32_t i = 0; i < s->special_count; i++) {
        rn_special *special = &s->specials[i];
        special->begin = begin;
        begin += special->end;
        special->end = special->begin;
        if (special->sink) s->sinks[sinks++] = special->slot;
    }
    for (int32_t i = 0; i < s->loose; i++) {
        s->links[s->specials[s->special_of[s->loose_a[i]] - 1].end++] = 2 * i;
        s->links[s->specials[s->special_of[s->loose_b[i]] - 1].end++] = 2 * i + 1;
    }
}

/* ---- Memory ------------------------------------------------------------------------------------------------- */

typedef enum extent {
    EXTENT_SLOTS,
    EXTENT_LOOSE,
    EXTENT_ADVECTED,
    EXTENT_HEADS,
    EXTENT_ROUGH,
    EXTENT_SLOPES,
    EXTENT_PARTS
} extent;

/* Places of an array; 0 if the world has no use for it. */
static size_t array_length(const rn_state *s, extent which) {
    switch (which) {
    case EXTENT_SLOTS: break;
    case EXTENT_LOOSE: return (size_t)s->loose_capacity;
    case EXTENT_ADVECTED: return s->advected ? (size_t)s->grid.slots : 0;
    case EXTENT_HEADS: return s->headed ? (size_t)s->grid.slots : 0;
    case EXTENT_SLOPES: return s->sloped ? (size_t)s->grid.slots : 0;
    case EXTENT_ROUGH: return s->rough ? (size_t)s->grid.slots : 0;
    case EXTENT_PARTS: return s->parted ? (size_t)s->grid.slots : 0;
    }
    return (size_t)s->grid.slots;
}

/* Fresh arrays over slots or loose pipes for `to`, with what those of `from` hold in their first `count` places. */
static rn_result allocate(rn_state *to, const rn_state *from, bool loose, size_t count) {
    bool fine = true;
#define ALLOCATE(type, name, extent, role)                                                                             \
    if (loose == (EXTENT_##extent == EXTENT_LOOSE) && (loose || array_length(to, EXTENT_##extent))) {                  \
        to->name = rn_alloc(&to->hooks, array_length(to, EXTENT_##extent), sizeof(type));                              \
        fine = fine && to->name;                                                                                       \
        if (fine && count) memcpy(to->name, from->name, count * sizeof(type));                                         \
    }
    RN_STATE_ARRAYS(ALLOCATE)
#undef ALLOCATE
    return fine ? RN_OK : RN_MEMORY;
}

static void free_arrays(rn_state *s, bool loose) {
#define FREE(type, name, extent, role)                                                                                 \
    if (loose == (EXTENT_##extent == EXTENT_LOOSE)) rn_free(&s->hooks, s->name);
    RN_STATE_ARRAYS(FREE)
#undef FREE
}

static void free_ends(rn_state *s) {
    rn_free(&s->hooks, s->sinks);
    rn_free(&s->hooks, s->specials);
    rn_free(&s->hooks, s->wet_pipes);
    rn_free(&s->hooks, s->busy);
    rn_free(&s->hooks, s->links);
}

static size_t row_total(const rn_grid *g) { return (size_t)g->layers * ((size_t)g->ny + 2); }

/* Fresh rows and tiles for `to`, with what those of `from` hold; all tiles are to be looked at. */
static rn_result allocate_rows(rn_state *to, const rn_state *from) {
    const size_t tiles = (size_t)rn_tile_count(&to->grid);
    to->rows = rn_alloc(&to->hooks, row_total(&to->grid), sizeof *to->rows);
    to->tiles = rn_alloc(&to->hooks, tiles, sizeof *to->tiles);
    to->tile_list = rn_alloc(&to->hooks, tiles, sizeof *to->tile_list);
    if (!to->rows || !to->tiles || !to->tile_list) return RN_MEMORY;
    if (from) memcpy(to->rows, from->rows, row_total(&from->grid) * sizeof *to->rows);
    to->stale = true;
    for (size_t i = 0; i < tiles; i++)
        to->tiles[i] = (rn_tile){.stale = {UINT32_MAX, UINT32_MAX},
                                 .wet = {UINT32_MAX, UINT32_MAX},
                                 .active = {UINT32_MAX, UINT32_MAX},
                                 .deepest = INFINITY};
    return RN_OK;
}

static void free_rows(rn_state *s) {
    rn_free(&s->hooks, s->rows);
    rn_free(&s->hooks, s->tiles);
    rn_free(&s->hooks, s->tile_list);
}

void rn_graph_free(rn_state *s) {
    free_arrays(s, false);
    free_arrays(s, true);
    free_ends(s);
    free_rows(s);
    rn_free(&s->hooks, s->peaks);
}

rn_result rn_graph_reserve(rn_state *s, size_t count) {
    if (count <= (size_t)s->loose_capacity && s->links) return RN_OK;
    if (count > INT32_MAX / 4)
        return rn_fail(RN_LIMIT, "there would be more than 2^29 cliffs and joints between layers");
    rn_state more = *s;
    more.loose_capacity = (int32_t)(count + count / 4);
    const size_t room = (size_t)more.loose_capacity;
    rn_result result = allocate(&more, s, true, (size_t)s->loose);
    more.specials = rn_alloc(&s->hooks, 2 * room, sizeof *more.specials);
    more.wet_pipes = rn_alloc(&s->hooks, room, sizeof *more.wet_pipes);
    more.busy = rn_alloc(&s->hooks, 2 * room, sizeof *more.busy);
    more.links = rn_alloc(&s->hooks, 2 * room, sizeof *more.links);
    more.sinks = rn_alloc(&s->hooks, 2 * room, sizeof *more.sinks);
    if (!more.specials || !more.wet_pipes || !more.busy || !more.links || !more.sinks) result = RN_MEMORY;
    rn_state *unused = result == RN_OK ? s : &more;
    if (result == RN_OK && s->loose) {
        memcpy(more.specials, s->specials, (size_t)s->special_count * sizeof *s->specials);
        memcpy(more.links, s->links, 2 * (size_t)s->loose * sizeof *s->links);
        memcpy(more.sinks, s->sinks, (size_t)s->sink_count * sizeof *s->sinks);
        memcpy(more.busy, s->busy, (size_t)s->busy_count * sizeof *s->busy); /* who is marked as listed */
    }
    free_arrays(unused, true);
    free_ends(unused);
    if (result == RN_OK) *s = more;
    return result;
}

rn_result rn_graph_store(rn_state *s, const rn_loose_list *list, size_t inner) {
    if (list->failed) return RN_MEMORY;
    rn_result result = rn_graph_reserve(s, list->count);
    if (result != RN_OK) return result;
    s->loose = (int32_t)list->count;
    s->loose_inner = (int32_t)inner;
    s->falls[1] = 0;
    for (int32_t i = 0; i < s->loose; i++) {
        const rn_loose *pipe = rn_loose_at(list, (size_t)i);
        s->loose_a[i] = pipe->a;
        s->loose_b[i] = pipe->b;
        s->loose_owner[i] = pipe->owner;
        s->loose_drop[i] = pipe->drop;
        s->loose_flux[i] = pipe->flux;
        s->loose_axis[i] = pipe->axis;
        s->loose_kind[i] = pipe->kind;
        s->loose_low[i] = pipe->low;
        s->loose_high[i] = pipe->high;
        s->loose_shut[i] = pipe->shut;
        s->loose_speed[i] = pipe->speed;
        s->loose_move[i] = 0.0f;
        s->falls[1] += pipe->kind == RN_PIPE_FALL;
    }
    build_specials(s);
    s->shape++;
    return RN_OK;
}

rn_result rn_graph_part(rn_state *s) {
    if (s->parted) return RN_OK;
    const size_t slots = (size_t)s->grid.slots;
    float *low = rn_alloc(&s->hooks, slots, sizeof *low), *high = rn_alloc(&s->hooks, slots, sizeof *high);
    float *taken = rn_alloc(&s->hooks, slots, sizeof *taken), *felt = rn_alloc(&s->hooks, slots, sizeof *felt);
    if (!low || !high || !taken || !felt) {
        rn_free(&s->hooks, low);
        rn_free(&s->hooks, high);
        rn_free(&s->hooks, taken);
        rn_free(&s->hooks, felt);
        return RN_MEMORY;
    }
    s->solid_low = low, s->solid_high = high, s->solid_taken = taken, s->solid_felt = felt;
    s->parted = true;
    return RN_OK;
}

rn_result rn_graph_roughen(rn_state *s, float kappa) {
    if (s->rough) return RN_OK;
    s->kappa = rn_alloc(&s->hooks, (size_t)s->grid.slots, sizeof *s->kappa);
    if (!s->kappa) return RN_MEMORY;
    s->rough = true;
    for (int32_t slot = 0; slot < s->grid.slots; slot++) s->kappa[slot] = kappa;
    return RN_OK;
}

/* Bytes of all arrays, from the list itself. */
static size_t array_bytes(const rn_state *s) {
    size_t bytes = 0;
#define ADD(type, name, extent, role) bytes += array_length(s, EXTENT_##extent) * sizeof(type);
    RN_STATE_ARRAYS(ADD)
#undef ADD
    return bytes;
}

size_t rn_graph_bytes(const rn_state *s) {
    const size_t room = (size_t)s->loose_capacity;
    return array_bytes(s) + room * sizeof *s->wet_pipes +
           2 * room * (sizeof *s->specials + sizeof *s->busy + sizeof *s->links + sizeof *s->sinks) +
           row_total(&s->grid) * sizeof *s->rows +
           (size_t)rn_tile_count(&s->grid) * (sizeof *s->tiles + sizeof *s->tile_list);
}

/* ---- Building ------------------------------------------------------------------------------------------------ */

static float quantise(const rn_graph_def *def, double height) {
    return (float)(rint((height - def->datum) / def->quantum) * def->quantum);
}

/* The open ranges of a terrain's cell, bottomless ones as sinks. */
static int cell_gaps(const rn_graph_def *def, const rn_state *s, int x, int y, rn_gap *gaps) {
    int count = 0, given = 0;
    const rn_column *columns = rn_terrain_cell(def->terrain, x, y, &given);
    if (given == 0 || isfinite(columns[0].under)) {
        float ceil = given ? quantise(def, columns[0].under) : s->lid;
        if (ceil > 0.0f) gaps[count++] = (rn_gap){.base = -2.0f * s->cell, .ceil = ceil};
    }
    for (int i = 0; i < given; i++) {
        rn_gap gap = {.base = quantise(def, columns[i].base), .ceil = quantise(def, columns[i].ceil)};
        if (gap.ceil - gap.base >= rn_least_gap(s)) gaps[count++] = gap;
    }
    return count;
}

static double slot_bytes(const rn_state *s) {
    rn_state one = {.grid.slots = 1, .advected = s->advected, .headed = s->headed, .sloped = s->sloped};
    return (double)array_bytes(&one);
}

static rn_result lay_out(rn_state *s, const rn_graph_def *def, rn_gap *gaps) {
    const rn_terrain_info info = rn_terrain_describe(def->terrain);
    rn_grid *g = &s->grid;
    g->nx = info.cells_x;
    g->ny = info.cells_y;
    for (int y = 0; y < g->ny; y++)
        for (int x = 0; x < g->nx; x++) {
            int count = cell_gaps(def, s, x, y, gaps);
            if (count > g->layers) g->layers = count;
        }
    if (g->layers == 0) return rn_fail(RN_INVALID, "no column of the terrain has room for liquid: raise the lid");
    const rn_grid grid = rn_grid_of(g->nx, g->ny, g->layers);
    const double living = sizeof(rn_column) + sizeof(int32_t);
    double bytes = (double)rn_slots_of(g->nx, g->ny, g->layers) * slot_bytes(s) + (double)info.columns * living;
    double memory = rn_memory_total();
    if (grid.slots == 0 || (memory > 0.0 && bytes > memory))
        return rn_fail(RN_LIMIT,
                       "%d x %d cells in %d layers need %.1f GB; this machine has %.1f: use fewer or larger cells",
                       g->nx, g->ny, g->layers, bytes * 1e-9, memory * 1e-9);
    *g = grid;
    return RN_OK;
}

/* Slots without columns, from one on. */
static void clear_slots(rn_state *s, int32_t from) {
    for (int32_t slot = from; slot < s->grid.slots; slot++) {
        s->base[slot] = s->ceil[slot] = RN_NO_COLUMN;
        s->share[slot] = 1.0f;
        if (s->sloped) s->slope[slot] = 1.0f;
    }
}

rn_result rn_graph_grow(rn_state *s, int layers) {
    if (layers <= s->grid.layers) return RN_OK;
    rn_state more = *s;
    const int64_t slots = s->grid.slots + (int64_t)(layers - s->grid.layers) * s->grid.layer_stride;
    if (layers > RN_MOST_LAYERS || slots > INT32_MAX)
        return rn_fail(RN_LIMIT, "the edit would stack %d columns in a cell of %d x %d; at most %d are allowed", layers,
                       s->grid.nx, s->grid.ny, RN_MOST_LAYERS);
    more.grid.layers = layers;
    more.grid.slots = (int32_t)slots;
    rn_result result = allocate_rows(&more, s);
    const rn_result slots_result = allocate(&more, s, false, (size_t)s->grid.slots);
    if (slots_result != RN_OK) result = slots_result;
    rn_state *unused = result == RN_OK ? s : &more;
    if (result == RN_OK) {
        clear_slots(&more, s->grid.slots);
        for (int32_t slot = s->grid.slots; s->rough && slot < more.grid.slots; slot++)
            more.kappa[slot] = s->kappa[slot % s->grid.layer_stride];
    }
    free_arrays(unused, false);
    free_rows(unused);
    if (result == RN_OK) *s = more;
    s->shape++;
    return result;
}

/* Joins a cell to the next one along an axis. */
static void join_cell(rn_state *s, int x, int y, int axis, rn_tally *tally, rn_loose_list *list) {
    rn_pair pairs[2 * RN_MOST_LAYERS];
    rn_loose loose;
    float drop;
    const int32_t next = rn_cell_beside(s, x, y, axis == 0 ? RN_SIDE_EAST : RN_SIDE_NORTH, &drop);
    const int count = next < 0 ? 0 : rn_graph_pairs(s, rn_slot(&s->grid, 0, y, x), next, drop, axis, pairs);
    for (int i = 0; i < count; i++)
        if (rn_graph_join(s, &pairs[i], 2 * (y * s->grid.nx + x) + axis, tally, &loose)) rn_loose_add(s, list, loose);
}

static void count_roofs(rn_state *s) {
    for (int l = 0; l < s->grid.layers; l++)
        for (int y = 0; y < s->grid.ny; y++) {
            const int32_t first = rn_slot(&s->grid, l, y, 0);
            for (int x = 0; x < s->grid.nx; x++) rn_row_at(s, l, y)->roofed += rn_is_roofed(s, first + x);
        }
}

static rn_result join_all(rn_state *s) {
    rn_loose_list list = {0};
    rn_tally tally = {0};
    for (int y = 0; y < s->grid.ny; y++)
        for (int x = 0; x < s->grid.nx; x++)
            for (int axis = 0; axis < 2; axis++) join_cell(s, x, y, axis, &tally, &list);
    s->ordinary = tally.ordinary;
    s->falls[0] = tally.falls;
    const size_t inner = list.count;
    rn_graph_join_rim(s, &list);
    count_roofs(s);
    for (int l = 0; s->advected && l < s->grid.layers; l++)
        for (int y = -1; y <= s->grid.ny; y++) rn_graph_flag_row(s, l, y);
    rn_result result = rn_graph_store(s, &list, inner);
    rn_free(&s->hooks, list.pipes);
    return result;
}

static rn_result build(rn_state *s, const rn_graph_def *def, rn_gap *gaps) {
    rn_result result = lay_out(s, def, gaps);
    if (result != RN_OK) return result;
    s->peaks = rn_alloc(&s->hooks, (size_t)def->workers, sizeof *s->peaks);
    if (!s->peaks || allocate_rows(s, NULL) != RN_OK) return RN_MEMORY;
    if ((result = allocate(s, NULL, false, 0)) != RN_OK) return result;
    clear_slots(s, 0);
    for (int y = 0; y < s->grid.ny; y++)
        for (int x = 0; x < s->grid.nx; x++) {
            int count = cell_gaps(def, s, x, y, gaps);
            for (int l = 0; l < count; l++) {
                s->base[rn_slot(&s->grid, l, y, x)] = gaps[l].base;
                s->ceil[rn_slot(&s->grid, l, y, x)] = gaps[l].ceil;
            }
        }
    return join_all(s);
}

rn_result rn_graph_build(const rn_graph_def *def, rn_state *state) {
    const rn_terrain_info info = rn_terrain_describe(def->terrain);
    state->hooks = def->hooks;
    state->quantum = (float)def->quantum;
    state->cell = (float)(rint(info.cell_size / def->quantum) * def->quantum);
    state->lid = quantise(def, info.lid);
    state->advected = def->advection;
    state->headed = def->heads;
    state->sloped =
        def->slopes || def->edges[RN_SIDE_WEST] == RN_EDGE_PERIODIC || def->edges[RN_SIDE_SOUTH] == RN_EDGE_PERIODIC;
    state->loose_falls = state->sloped || state->advected;
    for (int side = 0; side < 4; side++) state->edges[side] = def->edges[side];
    for (int axis = 0; axis < 2; axis++) state->drop[axis] = (float)def->drop[axis];
    state->periodic_x = def->edges[RN_SIDE_WEST] == RN_EDGE_PERIODIC;
    state->periodic_y = def->edges[RN_SIDE_SOUTH] == RN_EDGE_PERIODIC;
    rn_gap *gaps = rn_alloc(&def->hooks, (size_t)info.layers + 1, sizeof *gaps);
    rn_result result = gaps ? build(state, def, gaps) : RN_MEMORY;
    rn_free(&def->hooks, gaps);
    return result;
}
