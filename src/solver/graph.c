#include "solver/graph.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { PAD = 16, SIDES = 4 }; /* slots beside a row, a multiple of every vector width */

/* What a terrain's cell becomes: quantised, relative to the datum, bottomless gaps as sinks. */
typedef struct span {
    float base, ceil;
} span;

typedef struct builder {
    const rn_graph_def *def; /* NULL while joining anew */
    rn_terrain_info info;
    rn_state *state;
    span *spans; /* room for one cell, info.layers + 1 */
    float *rise; /* per slot and side, m, how far the lowest linked neighbour stands above; INFINITY: none */
    bool *sink;  /* per slot */
    int32_t loose;
} builder;

/* A possible pipe: two columns of neighbouring cells whose open ranges overlap. */
typedef struct pair {
    int32_t a, b;
    int axis;
    float drop;
    bool same_layer;
} pair;

static float quantise(const builder *b, double height) {
    return (float)(rint((height - b->def->datum) / b->def->quantum) * b->def->quantum);
}

/* Columns with hardly any room count as solid. A sink's base is below the datum, where no other is. */
static int cell_spans(builder *b, int x, int y) {
    int count = 0, given = 0;
    const rn_column *columns = rn_terrain_cell(b->def->terrain, x, y, &given);
    float least = 2.0f * RN_FULL * (float)b->def->quantum;
    if (given == 0 || isfinite(columns[0].under)) {
        float ceil = quantise(b, given ? columns[0].under : b->info.lid);
        if (ceil > 0.0f) b->spans[count++] = (span){-2.0f * b->state->cell, ceil};
    }
    for (int i = 0; i < given; i++) {
        span s = {quantise(b, columns[i].base), quantise(b, columns[i].ceil)};
        if (s.ceil - s.base >= least) b->spans[count++] = s;
    }
    return count;
}

/* All pairs of two neighbouring cells. Columns of a cell are in order of height, so the search never goes back. */
static void visit_cells(builder *b, int32_t a, int32_t n, pair p, void (*visit)(builder *, const pair *)) {
    const rn_state *s = b->state;
    const int32_t up = s->grid.layer_stride;
    int first = 0;
    for (int la = 0; la < s->grid.layers && s->base[a + la * up] < RN_NO_COLUMN; la++) {
        p.a = a + la * up;
        for (int lb = first; lb < s->grid.layers; lb++) {
            p.b = n + lb * up;
            if (s->base[p.b] >= RN_NO_COLUMN || s->base[p.b] - p.drop >= s->ceil[p.a]) break;
            if (s->ceil[p.b] - p.drop <= s->base[p.a]) {
                first = lb + 1;
                continue;
            }
            p.same_layer = la == lb;
            if (!(b->sink[p.a] && b->sink[p.b])) visit(b, &p);
        }
    }
}

static void visit_pairs(builder *b, void (*visit)(builder *, const pair *)) {
    const rn_state *s = b->state;
    const rn_grid *grid = &s->grid;
    for (int y = 0; y < grid->ny; y++)
        for (int x = 0; x < grid->nx; x++)
            for (int axis = 0; axis < 2; axis++) {
                int nx = axis == 0 ? x + 1 : x, ny = axis == 1 ? y + 1 : y;
                pair p = {.axis = axis};
                if (nx == grid->nx || ny == grid->ny) {
                    if (!(axis == 0 ? s->periodic_x : s->periodic_y)) continue;
                    p.drop = s->drop[axis];
                    if (axis == 0) nx = 0;
                    else ny = 0;
                }
                visit_cells(b, rn_slot(grid, 0, y, x), rn_slot(grid, 0, ny, nx), p, visit);
            }
}

static float *rise_at(const builder *b, int32_t slot, int side) {
    return &b->rise[(size_t)slot * SIDES + (size_t)side];
}

static float rise_of_b(const builder *b, const pair *p) {
    return b->state->base[p->b] - p->drop - b->state->base[p->a];
}

static void note_rise(builder *b, const pair *p) {
    float rise = rise_of_b(b, p);
    float *ahead = rise_at(b, p->a, 2 * p->axis), *behind = rise_at(b, p->b, 2 * p->axis + 1);
    *ahead = fminf(*ahead, rise);
    *behind = fminf(*behind, -rise);
}

/* Where the solid that a column stands on begins: at the ceiling of the column below. */
static float underside(const rn_state *s, int32_t slot) {
    const int32_t below = slot - s->grid.layer_stride;
    return below >= 0 && s->base[below] < RN_NO_COLUMN ? s->ceil[below] : -INFINITY;
}

/* A fall has a slab to fall past, or leaves a cliff rather than an even slope: the drop is more than a cell
   and twice what the bed rises behind the brink. */
static bool is_fall(const builder *b, const pair *p) {
    if (b->sink[p->a] || b->sink[p->b]) return true;
    float rise = rise_of_b(b, p);
    bool a_upper = rise < 0.0f;
    int32_t upper = a_upper ? p->a : p->b;
    float lower_base = a_upper ? b->state->base[p->b] - p->drop : b->state->base[p->a] + p->drop;
    if (lower_base < underside(b->state, upper)) return true;
    float behind = *rise_at(b, upper, 2 * p->axis + (a_upper ? 1 : 0));
    float ramp = isfinite(behind) ? fmaxf(behind, 0.0f) : 0.0f;
    return fabsf(rise) > b->state->cell + 2.0f * ramp;
}

static void count_pipe(builder *b, const pair *p) {
    if (!p->same_layer || is_fall(b, p)) b->loose++;
}

static void add_loose(builder *b, const pair *p, bool fall) {
    rn_state *s = b->state;
    int32_t i = b->loose++;
    s->loose_a[i] = p->a;
    s->loose_b[i] = p->b;
    s->loose_drop[i] = p->drop;
    s->loose_axis[i] = (uint8_t)p->axis;
    s->loose_fall[i] = fall;
    s->falls += fall;
}

static void place_pipe(builder *b, const pair *p) {
    rn_state *s = b->state;
    bool fall = is_fall(b, p);
    s->pipes++;
    if (!p->same_layer || fall) add_loose(b, p, fall);
    else (p->axis == 0 ? s->pipe_x : s->pipe_y)[p->a] = 1;
}

static bool is_brink(const builder *b, int32_t slot) { return b->state->base[slot] < RN_NO_COLUMN && !b->sink[slot]; }

static int32_t edge_columns(const builder *b) {
    const rn_grid *g = &b->state->grid;
    int32_t count = 0;
    for (int l = 0; l < g->layers; l++) {
        for (int y = 0; y < g->ny; y++) {
            count += b->state->edges[RN_SIDE_WEST] == RN_EDGE_OPEN && is_brink(b, rn_slot(g, l, y, 0));
            count += b->state->edges[RN_SIDE_EAST] == RN_EDGE_OPEN && is_brink(b, rn_slot(g, l, y, g->nx - 1));
        }
        for (int x = 0; x < g->nx; x++) {
            count += b->state->edges[RN_SIDE_SOUTH] == RN_EDGE_OPEN && is_brink(b, rn_slot(g, l, 0, x));
            count += b->state->edges[RN_SIDE_NORTH] == RN_EDGE_OPEN && is_brink(b, rn_slot(g, l, g->ny - 1, x));
        }
    }
    return count;
}

/* Past an open edge every column meets a sink below it. */
static void open_edge(builder *b, int32_t inner, int32_t outer, int axis) {
    rn_state *s = b->state;
    if (!is_brink(b, inner)) return;
    s->base[outer] = s->base[inner] - 2.0f * s->cell;
    s->ceil[outer] = s->ceil[inner];
    b->sink[outer] = true;
    s->pipes++;
    pair p = {.a = inner < outer ? inner : outer, .b = inner < outer ? outer : inner, .axis = axis};
    add_loose(b, &p, true);
}

static void copy_slot(rn_state *s, int32_t to, int32_t from, float drop) {
    s->base[to] = s->base[from] < RN_NO_COLUMN ? s->base[from] - drop : RN_NO_COLUMN;
    s->ceil[to] = s->base[from] < RN_NO_COLUMN ? s->ceil[from] - drop : RN_NO_COLUMN;
}

static void build_rim(builder *b) {
    rn_state *s = b->state;
    const rn_grid *g = &s->grid;
    for (int l = 0; l < g->layers; l++) {
        for (int y = 0; y < g->ny; y++) {
            int32_t west = rn_slot(g, l, y, 0), east = rn_slot(g, l, y, g->nx - 1);
            if (b->state->edges[RN_SIDE_WEST] == RN_EDGE_OPEN) open_edge(b, west, west - 1, 0);
            if (b->state->edges[RN_SIDE_EAST] == RN_EDGE_OPEN) open_edge(b, east, east + 1, 0);
            if (!s->periodic_x) continue;
            float drop = s->drop[0];
            copy_slot(s, west - 1, east, -drop);
            copy_slot(s, east + 1, west, drop);
            s->pipe_x[west - 1] = s->pipe_x[east];
        }
        for (int x = 0; x < g->nx; x++) {
            int32_t south = rn_slot(g, l, 0, x), north = rn_slot(g, l, g->ny - 1, x), up = g->stride;
            if (b->state->edges[RN_SIDE_SOUTH] == RN_EDGE_OPEN) open_edge(b, south, south - up, 1);
            if (b->state->edges[RN_SIDE_NORTH] == RN_EDGE_OPEN) open_edge(b, north, north + up, 1);
            if (!s->periodic_y) continue;
            float drop = s->drop[1];
            copy_slot(s, south - up, north, -drop);
            copy_slot(s, north + up, south, drop);
            s->pipe_y[south - up] = s->pipe_y[north];
        }
    }
}

static bool touches(const rn_state *s, int32_t a, int32_t b) {
    return fmaxf(s->base[a], s->base[b]) < fminf(s->ceil[a], s->ceil[b]);
}

static void flag_roofs(rn_state *s) {
    const rn_grid *g = &s->grid;
    float lid = 0.0f;
    for (int32_t slot = 0; slot < g->slots; slot++)
        if (s->base[slot] < RN_NO_COLUMN) lid = fmaxf(lid, s->ceil[slot]);
    for (int l = 0; l < g->layers; l++)
        for (int y = -1; y <= g->ny; y++)
            for (int x = -1; x <= g->nx; x++) {
                int32_t slot = rn_slot(g, l, y, x);
                if (s->base[slot] >= RN_NO_COLUMN || s->ceil[slot] == lid) continue;
                rn_row_at(s, l, y)->roofed = true;
                if (y >= 0) rn_row_at(s, l, y - 1)->roofed = true;
            }
}

static void flag_rows(rn_state *s) {
    const rn_grid *g = &s->grid;
    for (int l = 0; l < g->layers; l++)
        for (int y = -1; y < g->ny; y++)
            for (int x = -1; x < g->nx; x++) {
                int32_t slot = rn_slot(g, l, y, x), east = slot + 1, north = slot + g->stride;
                rn_row *row = rn_row_at(s, l, y), *next = rn_row_at(s, l, y + 1);
                bool gap_x = y >= 0 && !s->pipe_x[slot] && touches(s, slot, east);
                bool gap_y = x >= 0 && !s->pipe_y[slot] && touches(s, slot, north);
                if (gap_x || gap_y) row->gaps = true;
                if (s->pipe_x[slot] && s->base[slot] != s->base[east]) row->bumpy = true;
                if (s->pipe_y[slot] && s->base[slot] != s->base[north]) row->bumpy = next->bumpy = true;
            }
    /* Both copies of a pipe over a periodic edge must take the same way through the loops. */
    for (int l = 0; s->periodic_y && l < g->layers; l++) {
        rn_row_at(s, l, -1)->bumpy = rn_row_at(s, l, g->ny - 1)->bumpy;
        rn_row_at(s, l, g->ny)->bumpy = rn_row_at(s, l, 0)->bumpy;
    }
}

/* Which loose pipes meet each column, as a list per column in order of pipes. */
static rn_result build_specials(builder *b) {
    rn_state *s = b->state;
    const rn_hooks *hooks = &s->hooks;
    int32_t *count = rn_alloc(hooks, (size_t)s->grid.slots, sizeof *count);
    if (!count) return RN_MEMORY;
    for (int32_t i = 0; i < s->loose; i++) {
        if (count[s->loose_a[i]]++ == 0) s->special_count++;
        if (count[s->loose_b[i]]++ == 0) s->special_count++;
    }
    s->specials = rn_alloc(hooks, (size_t)s->special_count, sizeof *s->specials);
    s->links = rn_alloc(hooks, 2 * (size_t)s->loose, sizeof *s->links);
    if (!s->specials || !s->links) {
        rn_free(hooks, count);
        return RN_MEMORY;
    }
    int32_t found = 0, begin = 0;
    for (int32_t slot = 0; slot < s->grid.slots; slot++) {
        if (count[slot] == 0) continue;
        s->specials[found] = (rn_special){.slot = slot, .begin = begin, .end = begin, .sink = b->sink[slot]};
        begin += count[slot];
        count[slot] = found++;
    }
    for (int32_t i = 0; i < s->loose; i++) {
        s->links[s->specials[count[s->loose_a[i]]].end++] = 2 * i;
        s->links[s->specials[count[s->loose_b[i]]].end++] = 2 * i + 1;
    }
    rn_free(hooks, count);
    return RN_OK;
}

typedef enum extent { EXTENT_SLOTS, EXTENT_LOOSE, EXTENT_ADVECTED, EXTENT_ROUGH } extent;

static size_t array_length(const rn_state *s, extent which) {
    return which == EXTENT_LOOSE ? (size_t)s->loose : (size_t)s->grid.slots;
}

static rn_result allocate(rn_state *s, extent which) {
#define ALLOCATE(type, name, extent, role)                                                                             \
    if (which == EXTENT_##extent) {                                                                                    \
        s->name = rn_alloc(&s->hooks, array_length(s, which), sizeof(type));                                           \
        if (!s->name) return RN_MEMORY;                                                                                \
    }
    RN_STATE_ARRAYS(ALLOCATE)
#undef ALLOCATE
    return RN_OK;
}

void rn_graph_free(rn_state *s) {
#define FREE(type, name, extent, role) rn_free(&s->hooks, s->name);
    RN_STATE_ARRAYS(FREE)
#undef FREE
    rn_free(&s->hooks, s->sinks);
    rn_free(&s->hooks, s->specials);
    rn_free(&s->hooks, s->links);
    rn_free(&s->hooks, s->rows);
    rn_free(&s->hooks, s->peaks);
}

const rn_special *rn_special_of(const rn_state *s, int32_t slot) {
    int32_t low = 0, high = s->special_count; /* specials are in order of slots */
    while (low < high) {
        int32_t middle = (low + high) / 2;
        if (s->specials[middle].slot < slot) low = middle + 1;
        else high = middle;
    }
    return low < s->special_count && s->specials[low].slot == slot ? &s->specials[low] : NULL;
}

/* Bytes of all arrays of so many slots and loose pipes, from the list itself. */
static size_t array_bytes(const rn_state *s, size_t slots, size_t loose) {
    const size_t lengths[] = {slots, loose, s->advected ? slots : 0, s->kappa ? slots : 0};
    size_t bytes = 0;
#define ADD(type, name, extent, role) bytes += lengths[EXTENT_##extent] * sizeof(type);
    RN_STATE_ARRAYS(ADD)
#undef ADD
    return bytes;
}

size_t rn_graph_bytes(const rn_state *s) {
    return array_bytes(s, (size_t)s->grid.slots, (size_t)s->loose) + (size_t)s->special_count * sizeof *s->specials +
           2 * (size_t)s->loose * sizeof *s->links + (size_t)s->sink_count * sizeof *s->sinks +
           (size_t)s->grid.layers * ((size_t)s->grid.ny + 2) * sizeof *s->rows;
}

rn_result rn_graph_roughen(rn_state *s, float kappa) {
    if (s->kappa) return RN_OK;
    rn_result result = allocate(s, EXTENT_ROUGH);
    for (int32_t slot = 0; result == RN_OK && slot < s->grid.slots; slot++) s->kappa[slot] = kappa;
    return result;
}

static rn_result lay_out(builder *b) {
    rn_state *s = b->state;
    rn_grid *g = &s->grid;
    g->nx = b->info.cells_x;
    g->ny = b->info.cells_y;
    for (int y = 0; y < g->ny; y++)
        for (int x = 0; x < g->nx; x++) {
            int count = cell_spans(b, x, y);
            if (count > g->layers) g->layers = count;
        }
    if (g->layers == 0) return rn_fail(RN_INVALID, "no column of the terrain has room for liquid: raise the lid");
    int64_t stride = (g->nx + 2 + 2 * PAD - 1) / PAD * PAD + PAD;
    int64_t slots = stride * (g->ny + 2) * g->layers + PAD;
    const double building = sizeof(float) * SIDES + sizeof(bool), living = sizeof(rn_column) + sizeof(int32_t);
    double bytes = (double)slots * ((double)array_bytes(s, 1, 0) + building) + (double)b->info.columns * living;
    double memory = rn_memory_total();
    if (slots > INT32_MAX || (memory > 0.0 && bytes > memory))
        return rn_fail(RN_LIMIT,
                       "%d x %d cells in %d layers need %.1f GB; this machine has %.1f: use fewer or larger cells",
                       g->nx, g->ny, g->layers, bytes * 1e-9, memory * 1e-9);
    g->stride = (int32_t)stride;
    g->layer_stride = g->stride * (g->ny + 2);
    g->first = g->stride + PAD;
    g->slots = (int32_t)slots;
    return RN_OK;
}

static void place_columns(builder *b) {
    rn_state *s = b->state;
    const rn_grid *g = &s->grid;
    for (int32_t slot = 0; slot < g->slots; slot++) {
        s->base[slot] = s->ceil[slot] = RN_NO_COLUMN;
        s->slope[slot] = s->share[slot] = 1.0f;
    }
    for (int y = 0; y < g->ny; y++)
        for (int x = 0; x < g->nx; x++) {
            int count = cell_spans(b, x, y);
            for (int l = 0; l < count; l++) {
                s->base[rn_slot(g, l, y, x)] = b->spans[l].base;
                s->ceil[rn_slot(g, l, y, x)] = b->spans[l].ceil;
            }
        }
}

static rn_result list_sinks(builder *b) {
    rn_state *s = b->state;
    for (int32_t slot = 0; slot < s->grid.slots; slot++) s->sink_count += b->sink[slot];
    s->sinks = rn_alloc(&s->hooks, (size_t)s->sink_count, sizeof *s->sinks);
    if (!s->sinks) return RN_MEMORY;
    int32_t found = 0;
    for (int32_t slot = 0; slot < s->grid.slots; slot++)
        if (b->sink[slot]) s->sinks[found++] = slot;
    return RN_OK;
}

/* Finds pipes, falls, sinks and what each row has, from the bases and ceilings alone. */
static rn_result join(builder *b) {
    rn_state *s = b->state;
    const size_t slots = (size_t)s->grid.slots;
    rn_result result;
    b->rise = rn_alloc(&s->hooks, slots * SIDES, sizeof *b->rise);
    b->sink = rn_alloc(&s->hooks, slots, sizeof *b->sink);
    if (!b->rise || !b->sink) return RN_MEMORY;
    for (int32_t slot = 0; slot < s->grid.slots; slot++) {
        b->sink[slot] = s->base[slot] < 0.0f;
        for (int side = 0; side < SIDES; side++) *rise_at(b, slot, side) = INFINITY;
    }
    visit_pairs(b, note_rise);
    visit_pairs(b, count_pipe);
    s->loose = b->loose + edge_columns(b);
    if ((result = allocate(s, EXTENT_LOOSE)) != RN_OK) return result;
    b->loose = 0;
    visit_pairs(b, place_pipe);
    build_rim(b);
    flag_rows(s);
    flag_roofs(s);
    if ((result = list_sinks(b)) != RN_OK) return result;
    return build_specials(b);
}

static rn_result build(builder *b) {
    rn_state *s = b->state;
    rn_result result = lay_out(b);
    if (result != RN_OK) return result;
    s->rows = rn_alloc(&s->hooks, (size_t)s->grid.layers * ((size_t)s->grid.ny + 2), sizeof *s->rows);
    s->peaks = rn_alloc(&s->hooks, (size_t)b->def->workers, sizeof *s->peaks);
    if (!s->rows || !s->peaks) return RN_MEMORY;
    if ((result = allocate(s, EXTENT_SLOTS)) != RN_OK) return result;
    if (s->advected && (result = allocate(s, EXTENT_ADVECTED)) != RN_OK) return result;
    place_columns(b);
    return join(b);
}

static void free_builder(builder *b) {
    rn_free(&b->state->hooks, b->spans);
    rn_free(&b->state->hooks, b->rise);
    rn_free(&b->state->hooks, b->sink);
}

rn_result rn_graph_build(const rn_graph_def *def, rn_state *state) {
    builder b = {.def = def, .info = rn_terrain_describe(def->terrain), .state = state};
    state->hooks = def->hooks;
    state->cell = (float)(rint(b.info.cell_size / def->quantum) * def->quantum);
    for (int side = 0; side < 4; side++) state->edges[side] = def->edges[side];
    for (int axis = 0; axis < 2; axis++) state->drop[axis] = (float)def->drop[axis];
    state->advected = def->advection;
    state->periodic_x = def->edges[RN_SIDE_WEST] == RN_EDGE_PERIODIC;
    state->periodic_y = def->edges[RN_SIDE_SOUTH] == RN_EDGE_PERIODIC;
    b.spans = rn_alloc(&def->hooks, (size_t)b.info.layers + 1, sizeof *b.spans);
    rn_result result = b.spans ? build(&b) : RN_MEMORY;
    free_builder(&b);
    return result;
}

static void free_joints(rn_state *s) {
#define FREE_LOOSE(type, name, extent, role)                                                                           \
    if (EXTENT_##extent == EXTENT_LOOSE) rn_free(&s->hooks, s->name);
    RN_STATE_ARRAYS(FREE_LOOSE)
#undef FREE_LOOSE
    rn_free(&s->hooks, s->sinks);
    rn_free(&s->hooks, s->specials);
    rn_free(&s->hooks, s->links);
}

static void forget_joints(rn_state *s) {
#define FORGET_LOOSE(type, name, extent, role)                                                                         \
    if (EXTENT_##extent == EXTENT_LOOSE) s->name = NULL;
    RN_STATE_ARRAYS(FORGET_LOOSE)
#undef FORGET_LOOSE
    s->sinks = NULL;
    s->specials = NULL;
    s->links = NULL;
    s->loose = s->sink_count = s->special_count = 0;
    s->pipes = s->falls = 0;
    memset(s->pipe_x, 0, (size_t)s->grid.slots);
    memset(s->pipe_y, 0, (size_t)s->grid.slots);
    memset(s->rows, 0, (size_t)s->grid.layers * ((size_t)s->grid.ny + 2) * sizeof *s->rows);
}

/* Fluxes stay where a pipe still joins the same two columns. */
static void carry_fluxes(const rn_state *from, rn_state *to) {
    for (int32_t i = 0; i < to->loose; i++) {
        const rn_special *special = rn_special_of(from, to->loose_a[i]);
        for (int32_t n = special ? special->begin : 0; special && n < special->end; n++) {
            int32_t p = from->links[n] / 2;
            if (from->loose_a[p] == to->loose_a[i] && from->loose_b[p] == to->loose_b[i])
                to->loose_flux[i] = from->loose_flux[p];
        }
    }
}

rn_result rn_graph_join(rn_state *state) {
    const rn_grid *g = &state->grid;
    rn_state before = *state;
    forget_joints(state);
    for (int l = 0; l < g->layers; l++)
        for (int y = -1; y <= g->ny; y++)
            for (int x = -1; x <= g->nx; x++)
                if (x < 0 || y < 0 || x == g->nx || y == g->ny)
                    state->base[rn_slot(g, l, y, x)] = state->ceil[rn_slot(g, l, y, x)] = RN_NO_COLUMN;
    builder b = {.state = state};
    rn_result result = join(&b);
    free_builder(&b);
    if (result == RN_OK) carry_fluxes(&before, state);
    free_joints(result == RN_OK ? &before : state);
    if (result != RN_OK) *state = before;
    return result;
}
