/* Builds the graph of columns and pipes from a terrain, and owns the memory of all arrays.

   Interface: rn_graph_build makes a state, rn_graph_free frees it, rn_graph_grow adds layers. The pieces that
   solver/reconnect.c uses when solid changes are rn_graph_pairs, rn_graph_join, rn_graph_unjoin, rn_graph_join_rim,
   rn_graph_reserve and rn_graph_store.

   Order of calls: solver/pipe_solver.c builds the graph when it creates a solver. Later rn_graph_grow runs before
   columns change, and rn_graph_reserve too, so that rn_graph_store cannot fail once they have changed.

   Algorithm: rn_graph_build makes the columns, finds the false openings that stay shut (solver/shells.c), and joins
   all cells. For every two neighbouring cells, rn_graph_pairs lists the pairs of columns whose open ranges overlap.
   rn_graph_join makes each pair a pipe: an ordinary one if both columns have the same layer, neither is a sink and
   neither is partly solid, else an irregular one. Falls are irregular too with implicit steps, and with momentum and
   periodic edges. A face is a fall if the bed drops by more than one cell plus twice the rise of the bed behind the
   brink (is_fall); so are all faces into sinks and, without momentum, those beside a slab that liquid can fall past.
   Open edges get pipes into a sink beyond the rim; periodic edges get pipes to the other end. The irregular pipes
   are listed in order of owners. rn_graph_store copies the list, and build_junctions lists, for every column at the
   end of an irregular pipe, the pipes that end there, like the rows of a sparse matrix. */
#include "solver/graph.h"

#include "base/error.h"
#include "base/memory.h"
#include "solver/connection_links.h"
#include "solver/shells.h"
#include "solver/tiles.h"

#include <math.h>
#include <string.h>

/* ---- Pairs ------------------------------------------------------------------------------------------------ */

/* Whether a slot has a column or is a sink. */
static bool is_column(const rn_state *s, int32_t slot) { return s->columns.base[slot] < RN_NO_COLUMN; }
/* Whether a slot is a hole or lies beyond an open edge: its base is below the datum. */
static bool is_sink(const rn_state *s, int32_t slot) { return s->columns.base[slot] < 0.0f; }

/* Columns of a cell are in order of height, so the search never goes back. */
int rn_graph_pairs(const rn_state *s, int32_t cell, int32_t next, float drop, int axis, rn_pair *pairs) {
    const int32_t up = s->columns.grid.layer_stride;
    rn_pair p = {.axis = axis, .drop = drop};
    int first = 0, count = 0;
    for (int la = 0; la < s->columns.grid.layers && is_column(s, cell + la * up); la++) {
        p.a = cell + la * up;
        for (int lb = first; lb < s->columns.grid.layers; lb++) {
            p.b = next + lb * up;
            if (!is_column(s, p.b) || s->columns.base[p.b] - p.drop >= s->columns.ceil[p.a]) break;
            if (s->columns.ceil[p.b] - p.drop <= s->columns.base[p.a]) {
                first = lb + 1;
                continue;
            }
            p.same_layer = la == lb;
            if ((is_sink(s, p.a) && is_sink(s, p.b)) || rn_shells_shut(s, p.a, p.b, axis, drop)) continue;
            pairs[count++] = p;
        }
    }
    return count;
}

/* Whether the opening from a column to one beside it, which counts `drop` (m) lower, is a false one
   (solver/shells.h). */
static bool is_shut_towards(const rn_state *s, int32_t slot, int32_t next, rn_side side, float drop) {
    const int axis = side == RN_SIDE_SOUTH || side == RN_SIDE_NORTH;
    const bool ahead = side == RN_SIDE_EAST || side == RN_SIDE_NORTH;
    return ahead ? rn_shells_shut(s, slot, next, axis, drop) : rn_shells_shut(s, next, slot, axis, -drop);
}

/* How far (m) the lowest column that can be joined on one side stands above this one; 0 if it stands lower or there is
   none. */
static float rise_behind(const rn_state *s, int32_t slot, rn_side side) {
    const rn_spot at = rn_slot_place(&s->columns.grid, slot);
    float drop;
    int32_t next = rn_cell_beside(&s->columns, at.x, at.y, side, &drop);
    for (int l = 0; next >= 0 && l < s->columns.grid.layers && is_column(s, next);
         l++, next += s->columns.grid.layer_stride) {
        float base = s->columns.base[next] - drop, ceil = s->columns.ceil[next] - drop;
        const bool meets = base < s->columns.ceil[slot] && ceil > s->columns.base[slot];
        if (meets && !is_shut_towards(s, slot, next, side, drop)) return fmaxf(base - s->columns.base[slot], 0.0f);
    }
    return 0.0f;
}

/* The height (m) where the solid under a column begins: the ceiling of the column below; -INFINITY for the lowest
   column of a cell. */
static float underside_height(const rn_state *s, int32_t slot) {
    const int32_t below = slot - s->columns.grid.layer_stride;
    return below >= 0 && is_column(s, below) ? s->columns.ceil[below] : -INFINITY;
}

/* Whether a pair's pipe is a fall, a cliff rather than an even slope: the drop is more than a cell plus twice the rise
   of the bed behind the brink. Pipes into sinks always are. Without momentum a pipe is also a fall if liquid can fall
   past a slab; with momentum, films on thin shells and lapped decks would run too fast. */
static bool is_fall(const rn_state *s, const rn_pair *p) {
    if (is_sink(s, p->a) || is_sink(s, p->b)) return true;
    const float rise = s->columns.base[p->b] - p->drop - s->columns.base[p->a];
    const bool a_upper = rise < 0.0f;
    const int32_t upper = a_upper ? p->a : p->b;
    const float lower_base = a_upper ? s->columns.base[p->b] - p->drop : s->columns.base[p->a] + p->drop;
    if (!s->graph.momentum && lower_base < underside_height(s, upper)) return true;
    if (fabsf(rise) <= s->columns.cell) return false;
    const rn_side behind[2][2] = {{RN_SIDE_EAST, RN_SIDE_WEST}, {RN_SIDE_NORTH, RN_SIDE_SOUTH}};
    return fabsf(rise) > s->columns.cell + 2.0f * rise_behind(s, upper, behind[p->axis][a_upper]);
}

/* ---- Irregular pipes ------------------------------------------------------------------------------------------ */

void rn_irregular_add(const rn_state *s, rn_irregular_list *list, rn_irregular pipe) {
    if (!rn_grow(&s->columns.hooks, &list->pipes, &list->capacity, list->count, sizeof pipe)) list->failed = true;
    else list->pipes[list->count++] = pipe;
}

rn_irregular rn_irregular_get(const rn_state *s, int32_t i) {
    return (rn_irregular){s->graph.irregular_a[i],
                          s->graph.irregular_b[i],
                          s->graph.irregular_owner[i],
                          s->graph.irregular_drop[i],
                          s->graph.irregular_flux[i],
                          s->graph.irregular_axis[i],
                          s->graph.irregular_kind[i],
                          s->graph.irregular_low[i],
                          s->graph.irregular_high[i],
                          s->graph.irregular_shut[i],
                          s->graph.irregular_push[i],
                          s->graph.irregular_speed[i],
                          s->graph.momentum ? s->graph.irregular_transfer[i] : 0.0f};
}

bool rn_graph_join(rn_state *s, const rn_pair *p, int32_t owner, rn_tally *tally, rn_irregular *irregular) {
    const bool fall = is_fall(s, p), sink = is_sink(s, p->a) || is_sink(s, p->b);
    const uint8_t kind = fall ? RN_PIPE_FALL : RN_PIPE_PLAIN;
    const bool partial = rn_column_is_partial(&s->columns, p->a) || rn_column_is_partial(&s->columns, p->b);
    if (!p->same_layer || sink || partial || (fall && s->graph.irregular_falls)) {
        *irregular = (rn_irregular){.a = p->a,
                                    .b = p->b,
                                    .owner = owner,
                                    .drop = p->drop,
                                    .axis = (uint8_t)p->axis,
                                    .kind = kind,
                                    .shut = s->columns.partial ? RN_NEW : 0.0f};
        return true;
    }
    (p->axis == 0 ? s->graph.pipe_x : s->graph.pipe_y)[p->a] = kind;
    tally->ordinary++;
    tally->falls += fall;
    return false;
}

void rn_graph_unjoin(rn_state *s, int32_t cell, int axis, rn_tally *tally) {
    uint8_t *pipes = axis == 0 ? s->graph.pipe_x : s->graph.pipe_y;
    for (int32_t slot = cell; slot < s->columns.grid.slots; slot += s->columns.grid.layer_stride) {
        tally->ordinary -= pipes[slot] != 0;
        tally->falls -= pipes[slot] == RN_PIPE_FALL;
        pipes[slot] = 0;
    }
}

/* ---- Past the edges ---------------------------------------------------------------------------------------- */

/* Makes the slot `outer` of the rim a sink, two cells below the column `inner` beside it, and adds the pipe from
   `inner` into this sink to the list. Does nothing if `inner` has no column or is a sink itself. Sets list->failed if
   memory runs out. */
static void open_edge(rn_state *s, int32_t inner, int32_t outer, int axis, rn_irregular_list *list) {
    if (!is_column(s, inner) || is_sink(s, inner)) return;
    s->columns.base[outer] = s->columns.base[inner] - 2.0f * s->columns.cell;
    s->columns.ceil[outer] = s->columns.ceil[inner];
    rn_irregular pipe = {.a = inner < outer ? inner : outer, .b = inner < outer ? outer : inner, .owner = -1};
    pipe.axis = (uint8_t)axis;
    pipe.kind = RN_PIPE_FALL;
    rn_irregular_add(s, list, pipe);
}

/* Makes slot `to` of the rim a copy of the column in slot `from`, which counts `drop` (m) lower there, with momentum
   also of its pipes. If there is no column in `from`, `to` becomes empty. */
static void copy_slot(rn_state *s, int32_t to, int32_t from, float drop) {
    s->columns.base[to] = is_column(s, from) ? s->columns.base[from] - drop : RN_NO_COLUMN;
    s->columns.ceil[to] = is_column(s, from) ? s->columns.ceil[from] - drop : RN_NO_COLUMN;
    if (s->graph.momentum) s->graph.pipe_x[to] = s->graph.pipe_x[from], s->graph.pipe_y[to] = s->graph.pipe_y[from];
}

/* Fills the rim beyond both ends of a row of cells of one layer along an axis, as its edges say; `low` and `high` are
   its first and last slots. Pipes over open edges are added to the list. */
static void join_ends(rn_state *s, int32_t low, int32_t high, int axis, rn_irregular_list *list) {
    const int32_t step = axis == 0 ? 1 : s->columns.grid.stride;
    const rn_side before = axis == 0 ? RN_SIDE_WEST : RN_SIDE_SOUTH, after = axis == 0 ? RN_SIDE_EAST : RN_SIDE_NORTH;
    s->columns.base[low - step] = s->columns.ceil[low - step] = s->columns.base[high + step] =
        s->columns.ceil[high + step] = RN_NO_COLUMN;
    if (s->columns.edges[before] == RN_EDGE_OPEN) open_edge(s, low, low - step, axis, list);
    if (s->columns.edges[after] == RN_EDGE_OPEN) open_edge(s, high, high + step, axis, list);
    if (!(axis == 0 ? s->columns.periodic_x : s->columns.periodic_y)) return;
    const int cells = axis == 0 ? s->columns.grid.nx : s->columns.grid.ny, rim = s->columns.grid.rim;
    for (int k = 0; k < rim; k++) {
        const float drop = (float)(1 + k / cells) * s->columns.drop[axis];
        copy_slot(s, low - (k + 1) * step, high - k % cells * step, -drop);
        copy_slot(s, high + (k + 1) * step, low + k % cells * step, drop);
    }
    uint8_t *pipes = axis == 0 ? s->graph.pipe_x : s->graph.pipe_y;
    pipes[low - step] = pipes[high];
}

void rn_graph_join_rim(rn_state *s, rn_irregular_list *list) {
    const rn_grid *g = &s->columns.grid;
    for (int l = 0; l < g->layers; l++) {
        for (int y = 0; y < g->ny; y++) join_ends(s, rn_slot(g, l, y, 0), rn_slot(g, l, y, g->nx - 1), 0, list);
        const int beyond =
            s->columns.periodic_x && s->columns.periodic_y && s->graph.momentum ? g->rim : 0; /* corners */
        for (int x = -beyond; x < g->nx + beyond; x++)
            join_ends(s, rn_slot(g, l, 0, x), rn_slot(g, l, g->ny - 1, x), 1, list);
    }
    rn_columns_roughen_rim(&s->columns);
}

/* ---- Junctions --------------------------------------------------------------------------------------------- */

/* Whether a slot lies in the rim next to an edge, at most one cell beyond the grid. */
static bool is_outside(const rn_state *s, int32_t slot) {
    const rn_spot at = rn_slot_place(&s->columns.grid, slot);
    return at.x < 0 || at.y < 0 || at.x == s->columns.grid.nx || at.y == s->columns.grid.ny;
}

/* Numbers the columns at the ends of irregular pipes, in order of pipes, and counts the pipes of each in `end`. Counts
   sinks too. junction_of must be 0 everywhere. */
static void count_ends(rn_state *s) {
    for (int32_t i = 0; i < 2 * s->graph.irregular_count; i++) {
        const int32_t slot = i % 2 ? s->graph.irregular_b[i / 2] : s->graph.irregular_a[i / 2];
        if (s->graph.junction_of[slot] == 0) {
            const bool sink = is_sink(s, slot) || (i / 2 >= s->graph.irregular_inner && is_outside(s, slot));
            s->graph.junctions[s->graph.junction_count++] =
                (rn_junction){.slot = slot,
                              .sink = sink,
                              .tile = (int32_t)(rn_tile_of(s, slot) - s->schedule.tiles),
                              .spot = rn_tile_spot(s, slot)};
            s->graph.junction_of[slot] = s->graph.junction_count;
            s->graph.sink_count += sink;
        }
        s->graph.junctions[s->graph.junction_of[slot] - 1].end++;
    }
}

/* Lists the irregular pipes of each junction, in order of pipes, and the sinks; forgets busy junctions and wet pipes.
   The caller has made room. */
static void build_junctions(rn_state *s) {
    for (int32_t i = 0; i < s->graph.junction_count; i++) s->graph.junction_of[s->graph.junctions[i].slot] = 0;
    s->graph.junction_count = s->graph.sink_count = s->schedule.busy_count = s->schedule.wet_count = 0;
    count_ends(s);
    int32_t begin = 0, sinks = 0;
    for (int32_t i = 0; i < s->graph.junction_count; i++) {
        rn_junction *junction = &s->graph.junctions[i];
        junction->begin = begin;
        begin += junction->end;
        junction->end = junction->begin;
        if (junction->sink) s->graph.sinks[sinks++] = junction->slot;
    }
    for (int32_t i = 0; i < s->graph.irregular_count; i++) {
        s->graph.links[s->graph.junctions[s->graph.junction_of[s->graph.irregular_a[i]] - 1].end++] = 2 * i;
        s->graph.links[s->graph.junctions[s->graph.junction_of[s->graph.irregular_b[i]] - 1].end++] = 2 * i + 1;
    }
}

/* ---- Memory ------------------------------------------------------------------------------------------------- */

typedef enum extent {
    EXTENT_SLOTS,
    EXTENT_IRREGULAR,
    EXTENT_MOMENTUM,
    EXTENT_JOINTS,
    EXTENT_IMPLICIT,
    EXTENT_HEADS,
    EXTENT_CONTACT
} extent;

/* Number of elements of an array; 0 if the world does not need it. */
static size_t array_length(const rn_state *s, extent which) {
    switch (which) {
    case EXTENT_SLOTS: break;
    case EXTENT_IRREGULAR: return (size_t)s->graph.irregular_capacity;
    case EXTENT_MOMENTUM: return s->graph.momentum ? (size_t)s->columns.grid.slots : 0;
    case EXTENT_JOINTS: return s->graph.momentum && s->graph.irregular_capacity > 0 ? (size_t)s->columns.grid.slots : 0;
    case EXTENT_IMPLICIT: return s->graph.implicit ? (size_t)s->columns.grid.slots : 0;
    case EXTENT_HEADS: return s->graph.headed ? (size_t)s->columns.grid.slots : 0;
    case EXTENT_CONTACT: return s->graph.touching ? (size_t)s->columns.grid.slots : 0;
    }
    return (size_t)s->columns.grid.slots;
}

/* Allocates zeroed arrays for `to`, either those over irregular pipes (`irregular`) or all others, and copies the first
   `count` elements from those of `from` (NULL if 0). Returns RN_MEMORY, with a message, if memory runs out; then some
   may be NULL, and the caller frees the others. */
static rn_result allocate_arrays(rn_state *to, const rn_state *from, bool irregular, size_t count) {
    bool fine = true;
#define ALLOCATE(type, name, extent, role)                                                                             \
    if (irregular == (EXTENT_##extent == EXTENT_IRREGULAR) && (irregular || array_length(to, EXTENT_##extent))) {      \
        to->graph.name = rn_alloc(&to->columns.hooks, array_length(to, EXTENT_##extent), sizeof(type));                \
        fine = fine && to->graph.name;                                                                                 \
        if (fine && count) memcpy(to->graph.name, from->graph.name, count * sizeof(type));                             \
    }
    RN_GRAPH_ARRAYS(ALLOCATE)
#undef ALLOCATE
    return fine ? RN_OK : RN_MEMORY;
}

/* Frees the graph's arrays over irregular pipes, or with false all others. */
static void free_arrays(rn_state *s, bool irregular) {
#define FREE(type, name, extent, role)                                                                                 \
    if (irregular == (EXTENT_##extent == EXTENT_IRREGULAR)) rn_free(&s->columns.hooks, s->graph.name);
    RN_GRAPH_ARRAYS(FREE)
#undef FREE
}

/* Frees the lists of junctions, links, sinks, wet pipes, busy junctions and connections. */
static void free_ends(rn_state *s) {
    rn_free(&s->columns.hooks, s->graph.sinks);
    rn_free(&s->columns.hooks, s->graph.junctions);
    rn_free(&s->columns.hooks, s->schedule.wet_pipes);
    rn_free(&s->columns.hooks, s->schedule.busy);
    rn_free(&s->columns.hooks, s->graph.links);
    rn_connections_free(&s->columns.hooks, &s->connections);
}

/* The number of rows of all layers, with one more beyond either end. */
static size_t row_total(const rn_grid *g) { return (size_t)g->layers * ((size_t)g->ny + 2); }

/* Allocates rows and tiles for `to`, with copies of the rows of `from` unless NULL; marks all tiles as stale and wet.
   Returns RN_MEMORY, with a message, if memory runs out; the caller frees what there is. */
static rn_result allocate_rows(rn_state *to, const rn_state *from) {
    const size_t tiles = (size_t)rn_tile_count(&to->columns.grid);
    to->schedule.rows = rn_alloc(&to->columns.hooks, row_total(&to->columns.grid), sizeof *to->schedule.rows);
    to->schedule.row_list = rn_alloc(&to->columns.hooks, row_total(&to->columns.grid), sizeof *to->schedule.row_list);
    to->schedule.tiles = rn_alloc(&to->columns.hooks, tiles, sizeof *to->schedule.tiles);
    to->schedule.tile_list = rn_alloc(&to->columns.hooks, tiles, sizeof *to->schedule.tile_list);
    if (!to->schedule.rows || !to->schedule.row_list || !to->schedule.tiles || !to->schedule.tile_list)
        return RN_MEMORY;
    if (from)
        memcpy(to->schedule.rows, from->schedule.rows, row_total(&from->columns.grid) * sizeof *to->schedule.rows);
    to->schedule.stale = true;
    for (size_t i = 0; i < tiles; i++)
        to->schedule.tiles[i] = (rn_tile){.stale = {UINT32_MAX, UINT32_MAX},
                                          .wet = {UINT32_MAX, UINT32_MAX},
                                          .active = {UINT32_MAX, UINT32_MAX},
                                          .deepest = INFINITY};
    return RN_OK;
}

/* Frees the lists of rows and tiles. */
static void free_rows(rn_state *s) {
    rn_free(&s->columns.hooks, s->schedule.rows);
    rn_free(&s->columns.hooks, s->schedule.row_list);
    rn_free(&s->columns.hooks, s->schedule.tiles);
    rn_free(&s->columns.hooks, s->schedule.tile_list);
}

void rn_graph_free(rn_state *s) {
    free_arrays(s, false);
    free_arrays(s, true);
    free_ends(s);
    free_rows(s);
    rn_free(&s->columns.hooks, s->graph.windows);
    rn_free(&s->columns.hooks, s->schedule.extremes);
    rn_columns_free(&s->columns);
}

/* Allocates the arrays of half speeds, which only worlds with momentum and irregular pipes need; does nothing if they
   exist. Returns RN_MEMORY, with a message, if memory runs out; then neither exists. */
static rn_result allocate_halves(rn_state *more) {
    const size_t slots = array_length(more, EXTENT_JOINTS);
    if (slots == 0 || more->graph.half_x) return RN_OK;
    more->graph.half_x = rn_alloc(&more->columns.hooks, slots, sizeof *more->graph.half_x);
    more->graph.half_y = rn_alloc(&more->columns.hooks, slots, sizeof *more->graph.half_y);
    if (more->graph.half_x && more->graph.half_y) return RN_OK;
    rn_free(&more->columns.hooks, more->graph.half_x);
    rn_free(&more->columns.hooks, more->graph.half_y);
    more->graph.half_x = more->graph.half_y = NULL;
    return RN_MEMORY;
}

rn_result rn_graph_reserve(rn_state *s, size_t count) {
    if (count <= (size_t)s->graph.irregular_capacity && s->graph.links) return RN_OK;
    if (count > INT32_MAX / 4 || (s->graph.momentum && rn_connections_most(count + count / 4) > INT32_MAX / 4))
        return rn_fail(RN_LIMIT, "there would be more than 2^29 cliffs and connections between layers");
    if (s->graph.momentum && count > 0 && s->columns.grid.slots > 1 << 30)
        return rn_fail(RN_LIMIT, "there would be connections between layers among more than 2^30 columns");
    rn_state more = *s;
    more.graph.irregular_capacity = (int32_t)(count + count / 4);
    const size_t room = (size_t)more.graph.irregular_capacity;
    rn_result result = allocate_arrays(&more, s, true, (size_t)s->graph.irregular_count);
    more.graph.junctions = rn_alloc(&s->columns.hooks, 2 * room, sizeof *more.graph.junctions);
    more.schedule.wet_pipes = rn_alloc(&s->columns.hooks, room, sizeof *more.schedule.wet_pipes);
    more.schedule.busy = rn_alloc(&s->columns.hooks, 2 * room, sizeof *more.schedule.busy);
    more.graph.links = rn_alloc(&s->columns.hooks, 2 * room, sizeof *more.graph.links);
    more.graph.sinks = rn_alloc(&s->columns.hooks, 2 * room, sizeof *more.graph.sinks);
    more.connections = (rn_connections){0};
    if (s->graph.momentum && rn_connections_reserve(&s->columns.hooks, room, &more.connections) != RN_OK)
        result = RN_MEMORY;
    if (!more.graph.junctions || !more.schedule.wet_pipes || !more.schedule.busy || !more.graph.links ||
        !more.graph.sinks)
        result = RN_MEMORY;
    if (result == RN_OK) result = allocate_halves(&more);
    rn_state *unused = result == RN_OK ? s : &more;
    if (result == RN_OK && s->graph.irregular_count) {
        memcpy(more.graph.junctions, s->graph.junctions, (size_t)s->graph.junction_count * sizeof *s->graph.junctions);
        memcpy(more.graph.links, s->graph.links, 2 * (size_t)s->graph.irregular_count * sizeof *s->graph.links);
        memcpy(more.graph.sinks, s->graph.sinks, (size_t)s->graph.sink_count * sizeof *s->graph.sinks);
        memcpy(more.schedule.busy, s->schedule.busy,
               (size_t)s->schedule.busy_count * sizeof *s->schedule.busy); /* which junctions are listed */
    }
    free_arrays(unused, true);
    free_ends(unused);
    if (result == RN_OK) *s = more;
    if (result == RN_OK && s->graph.momentum) rn_connections_build(s); /* of the graph as it is */
    return result;
}

rn_result rn_graph_store(rn_state *s, const rn_irregular_list *list, size_t inner) {
    if (list->failed) return RN_MEMORY;
    rn_result result = rn_graph_reserve(s, list->count);
    if (result != RN_OK) return result;
    s->graph.irregular_count = (int32_t)list->count;
    s->graph.irregular_inner = (int32_t)inner;
    s->graph.falls[1] = 0;
    for (int32_t i = 0; i < s->graph.irregular_count; i++) {
        const rn_irregular *pipe = &list->pipes[i];
        s->graph.irregular_a[i] = pipe->a;
        s->graph.irregular_b[i] = pipe->b;
        s->graph.irregular_owner[i] = pipe->owner;
        s->graph.irregular_drop[i] = pipe->drop;
        s->graph.irregular_flux[i] = pipe->flux;
        s->graph.irregular_axis[i] = pipe->axis;
        s->graph.irregular_kind[i] = pipe->kind;
        s->graph.irregular_low[i] = pipe->low;
        s->graph.irregular_high[i] = pipe->high;
        s->graph.irregular_shut[i] = pipe->shut;
        s->graph.irregular_push[i] = pipe->speed;
        s->graph.irregular_transfer[i] = pipe->move;
        s->graph.irregular_speed[i] = pipe->flow;
        s->graph.falls[1] += pipe->kind == RN_PIPE_FALL;
    }
    const bool had_none = s->graph.junction_count == 0;
    build_junctions(s);
    if (s->graph.momentum) rn_connections_build(s);
    if (had_none && s->graph.junction_count > 0) rn_tiles_touch_all(s); /* half speeds were not stored so far */
    s->columns.shape++;
    return RN_OK;
}

/* Bytes of all arrays of the graph, from the list itself. */
static size_t array_bytes(const rn_state *s) {
    size_t bytes = 0;
#define ADD(type, name, extent, role) bytes += array_length(s, EXTENT_##extent) * sizeof(type);
    RN_GRAPH_ARRAYS(ADD)
#undef ADD
    return bytes;
}

size_t rn_graph_bytes(const rn_state *s) {
    const size_t room = (size_t)s->graph.irregular_capacity;
    return rn_columns_bytes(&s->columns) + array_bytes(s) + room * sizeof *s->schedule.wet_pipes +
           2 * room *
               (sizeof *s->graph.junctions + sizeof *s->schedule.busy + sizeof *s->graph.links +
                sizeof *s->graph.sinks) +
           s->graph.window_count * sizeof *s->graph.windows +
           row_total(&s->columns.grid) * (sizeof *s->schedule.rows + sizeof *s->schedule.row_list) +
           (size_t)rn_tile_count(&s->columns.grid) * (sizeof *s->schedule.tiles + sizeof *s->schedule.tile_list);
}

/* ---- Building ------------------------------------------------------------------------------------------------ */

/* Sets the shares of slots from `from` on to 1. */
static void clear_slots(rn_state *s, int32_t from) {
    for (int32_t slot = from; slot < s->columns.grid.slots; slot++) {
        s->graph.share[slot] = 1.0f;
    }
}

rn_result rn_graph_grow(rn_state *s, int layers) {
    if (layers <= s->columns.grid.layers) return RN_OK;
    rn_state more = *s;
    rn_result result = rn_columns_grow(&s->columns, layers, &more.columns);
    if (result != RN_OK) return result;
    result = allocate_rows(&more, s);
    const rn_result slots_result = allocate_arrays(&more, s, false, (size_t)s->columns.grid.slots);
    if (slots_result != RN_OK) result = slots_result;
    rn_state *unused = result == RN_OK ? s : &more;
    if (result == RN_OK) clear_slots(&more, s->columns.grid.slots);
    rn_columns_free(&unused->columns);
    free_arrays(unused, false);
    free_rows(unused);
    if (result == RN_OK) *s = more;
    return result;
}

/* Writes all pairs of a cell with the next one along an axis, room for 2 * RN_MOST_LAYERS; returns their number, 0 at
   an edge that is not periodic. */
static int find_pairs(const rn_state *s, int x, int y, int axis, rn_pair *pairs) {
    float drop;
    const int32_t next = rn_cell_beside(&s->columns, x, y, axis == 0 ? RN_SIDE_EAST : RN_SIDE_NORTH, &drop);
    return next < 0 ? 0 : rn_graph_pairs(s, rn_slot(&s->columns.grid, 0, y, x), next, drop, axis, pairs);
}

/* Finds the false windows that stay shut: from then on no pair uses them. Returns RN_MEMORY, with a message, if memory
   runs out; then only some are known. Does nothing in a world of one layer. */
static rn_result shut_windows(rn_state *s, const rn_columns_def *def) {
    const rn_grid *g = &s->columns.grid;
    rn_window_list list = {0};
    rn_result result = RN_OK;
    if (g->layers < 2) return RN_OK;
    for (int32_t seam = 0; result == RN_OK && seam < 2 * g->nx * g->ny; seam++) {
        rn_pair pairs[2 * RN_MOST_LAYERS];
        const int count = find_pairs(s, seam / 2 % g->nx, seam / 2 / g->nx, seam % 2, pairs);
        for (int i = 0; result == RN_OK && i < count; i++)
            result = rn_shells_look(s, def, pairs[i].a, pairs[i].b, seam % 2, pairs[i].drop, &list);
    }
    s->graph.windows = list.windows;
    s->graph.window_count = list.count;
    return result;
}

/* Joins a cell to the next one along an axis: ordinary pipes are stored, irregular ones added to the list. Sets
   list->failed if memory runs out. */
static void join_cell(rn_state *s, int x, int y, int axis, rn_tally *tally, rn_irregular_list *list) {
    rn_pair pairs[2 * RN_MOST_LAYERS];
    rn_irregular irregular;
    const int count = find_pairs(s, x, y, axis, pairs);
    for (int i = 0; i < count; i++)
        if (rn_graph_join(s, &pairs[i], 2 * (y * s->columns.grid.nx + x) + axis, tally, &irregular))
            rn_irregular_add(s, list, irregular);
}

/* Adds to each row's count the columns whose ceilings are below the lid; sinks do not count. */
static void count_roofs(rn_state *s) {
    for (int l = 0; l < s->columns.grid.layers; l++)
        for (int y = 0; y < s->columns.grid.ny; y++) {
            const int32_t first = rn_slot(&s->columns.grid, l, y, 0);
            for (int x = 0; x < s->columns.grid.nx; x++)
                rn_row_at(s, l, y)->roofed += rn_column_is_roofed(&s->columns, first + x);
        }
}

/* Makes all pipes of a new world, also those of its edges, and counts ordinary pipes, falls and roofs. On failure
   returns RN_MEMORY or RN_LIMIT, with a message; then irregular pipes are missing. */
static rn_result join_all(rn_state *s) {
    rn_irregular_list list = {0};
    rn_tally tally = {0};
    for (int y = 0; y < s->columns.grid.ny; y++)
        for (int x = 0; x < s->columns.grid.nx; x++)
            for (int axis = 0; axis < 2; axis++) join_cell(s, x, y, axis, &tally, &list);
    s->graph.ordinary = tally.ordinary;
    s->graph.falls[0] = tally.falls;
    const size_t inner = list.count;
    rn_graph_join_rim(s, &list);
    count_roofs(s);
    rn_result result = rn_graph_store(s, &list, inner);
    rn_free(&s->columns.hooks, list.pipes);
    return result;
}

rn_result rn_graph_build(const rn_graph_def *def, rn_state *s) {
    rn_graph *graph = &s->graph;
    graph->momentum = def->momentum;
    graph->touching = def->contact;
    graph->headed = def->heads;
    graph->implicit = def->implicit;
    const rn_edge *edges = def->columns.edges;
    const bool periodic = edges[RN_SIDE_WEST] == RN_EDGE_PERIODIC || edges[RN_SIDE_SOUTH] == RN_EDGE_PERIODIC;
    graph->irregular_falls = graph->implicit || (graph->momentum && periodic);
    rn_state one = {.columns.grid.slots = 1, .graph = *graph};
    rn_columns_def columns = def->columns;
    columns.slot_bytes = (double)array_bytes(&one);
    columns.rim = graph->momentum ? RN_RIM : 1;
    const rn_result result = rn_columns_build(&columns, &s->columns);
    if (result != RN_OK) return result;
    s->schedule.extremes = rn_alloc(&s->columns.hooks, (size_t)def->workers, sizeof *s->schedule.extremes);
    if (!s->schedule.extremes || allocate_rows(s, NULL) != RN_OK || allocate_arrays(s, NULL, false, 0) != RN_OK)
        return RN_MEMORY;
    clear_slots(s, 0);
    return shut_windows(s, &columns) == RN_OK ? join_all(s) : RN_MEMORY;
}
