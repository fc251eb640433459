#include "solver/reshape.h"

#include "base/error.h"
#include "base/memory.h"
#include "solver/pipes.h"
#include "solver/tiles.h"

#include <math.h>
#include <string.h>

/* A pipe between two ranges, both as seen from the first column. */
typedef struct record {
    int32_t owner;
    rn_gap a, b;
    float flux, height;           /* m^3/s, m */
    float low, high, shut, speed; /* as of a loose pipe */
} record;

static float overlap(rn_gap a, rn_gap b) { return fminf(a.ceil, b.ceil) - fmaxf(a.base, b.base); }

/* ---- The batch --------------------------------------------------------------------------------------------- */

void rn_reshape_begin(rn_reshaping *r) {
    r->change_count = r->gap_count = r->owner_count = r->record_count = r->node_count = 0;
    r->loses = r->patient = false; /* a state that is restored must have its columns as they are told */
    r->loose.count = 0;
    r->loose.failed = false;
    r->left = r->trapped = r->withheld = 0;
    r->deepest = r->added = r->top = r->highest = 0.0f;
}

void rn_reshape_free(rn_reshaping *r, const rn_hooks *hooks) {
    void *const buffers[] = {r->changes, r->gaps,  r->lost,        r->levels, r->filled, r->owners,
                             r->records, r->nodes, r->loose.pipes, r->again,  r->seen,   r->held};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) rn_free(hooks, buffers[i]);
}

size_t rn_reshape_bytes(const rn_reshaping *r, size_t cells) {
    return r->change_capacity * sizeof(rn_change) + r->gap_capacity * sizeof(rn_gap) +
           r->lost_capacity * sizeof *r->lost + r->level_capacity * sizeof *r->levels +
           r->filled_capacity * sizeof *r->filled + r->owner_capacity * sizeof(int32_t) +
           r->record_capacity * sizeof(record) + r->held_capacity * sizeof(rn_held) +
           r->loose.capacity * sizeof(rn_loose) + r->seen_capacity * sizeof *r->seen +
           r->node_capacity * sizeof(rn_pushed) + (r->again ? cells : 0);
}

static bool add_gaps(rn_reshaping *r, const rn_state *s, const rn_gap *gaps, int count, size_t *first) {
    *first = r->gap_count;
    for (int i = 0; i < count; i++) {
        if (!rn_grow(&s->hooks, &r->gaps, &r->gap_capacity, r->gap_count, sizeof *gaps)) return false;
        ((rn_gap *)r->gaps)[r->gap_count++] = gaps[i];
    }
    return true;
}

int rn_ranges_present(const rn_state *s, int x, int y, rn_range *ranges) {
    int count = 0;
    for (; count < s->grid.layers; count++) {
        const int32_t slot = rn_slot(&s->grid, count, y, x);
        if (s->base[slot] >= RN_NO_COLUMN) break;
        ranges[count] = (rn_range){s->base[slot], s->ceil[slot]};
    }
    return count;
}

static int present_gaps(const rn_state *s, int x, int y, rn_gap *gaps) {
    rn_range ranges[RN_MOST_LAYERS];
    const int count = rn_ranges_present(s, x, y, ranges);
    for (int i = 0; i < count; i++) {
        gaps[i] = (rn_gap){.base = ranges[i].base, .ceil = ranges[i].ceil};
        if (s->parted) gaps[i].part = rn_part_of(s, rn_slot(&s->grid, i, y, x));
    }
    return count;
}

rn_result rn_reshape_add(rn_reshaping *r, const rn_state *s, int x, int y, const rn_gap *gaps, int count) {
    rn_gap was[RN_MOST_LAYERS];
    rn_change change = {.x = x, .y = y, .was_count = present_gaps(s, x, y, was), .is_count = count};
    bool same = count == change.was_count;
    for (int i = 0; same && i < count; i++) same = rn_gap_equal(&gaps[i], &was[i]);
    if (same) return RN_OK;
    if (!add_gaps(r, s, was, change.was_count, &change.was) || !add_gaps(r, s, gaps, count, &change.is) ||
        !rn_grow(&s->hooks, &r->changes, &r->change_capacity, r->change_count, sizeof change))
        return RN_MEMORY;
    ((rn_change *)r->changes)[r->change_count++] = change;
    return RN_OK;
}

int rn_reshape_layers(const rn_reshaping *r) {
    int layers = 0;
    for (size_t i = 0; i < r->change_count; i++)
        layers = rn_change_at(r, i)->is_count > layers ? rn_change_at(r, i)->is_count : layers;
    return layers;
}

const rn_change *rn_change_of(const rn_reshaping *r, int x, int y) {
    size_t low = 0, high = r->change_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const rn_change *c = rn_change_at(r, middle);
        if (c->y < y || (c->y == y && c->x < x)) low = middle + 1;
        else high = middle;
    }
    if (low == r->change_count) return NULL;
    const rn_change *found = rn_change_at(r, low);
    return found->x == x && found->y == y ? found : NULL;
}

int rn_change_heir(const rn_reshaping *r, const rn_change *change, int layer) {
    int heir = -1;
    float most = 0.0f;
    for (int i = 0; i < change->is_count; i++) {
        float shared = overlap(rn_gaps_at(r, change->was)[layer], rn_gaps_at(r, change->is)[i]);
        if (shared <= most) continue;
        most = shared;
        heir = i;
    }
    return heir;
}

/* ---- Pipes as they were -------------------------------------------------------------------------------------- */

static int32_t owner_of(const rn_grid *g, int x, int y, int axis) { return 2 * (y * g->nx + x) + axis; }
static int owner_x(const rn_grid *g, int32_t owner) { return owner / 2 % g->nx; }
static int owner_y(const rn_grid *g, int32_t owner) { return owner / 2 / g->nx; }

static int32_t loose_owner(const rn_state *s, int32_t i) {
    const rn_spot at = rn_slot_place(&s->grid, s->loose_a[i]);
    return owner_of(&s->grid, at.x, at.y, s->loose_axis[i]);
}

static int wrapped(int at, int cells, bool periodic) {
    if (at >= 0 && at < cells) return at;
    return periodic ? (at + cells) % cells : -1;
}

/* A pipe depends on its two cells, and whether it is a fall also on the one behind the brink: a change is felt by
   the pairs that begin up to two cells before it and one after. */
static void mark_owners(rn_reshaping *r, const rn_state *s) {
    const rn_grid *g = &s->grid;
    for (size_t i = 0; i < r->change_count; i++) {
        const rn_change *c = rn_change_at(r, i);
        for (int away = -2; away <= 1; away++) {
            int x = wrapped(c->x + away, g->nx, s->periodic_x), y = wrapped(c->y + away, g->ny, s->periodic_y);
            if (x >= 0) r->again[(size_t)c->y * (size_t)g->nx + (size_t)x] |= 1;
            if (y >= 0) r->again[(size_t)y * (size_t)g->nx + (size_t)c->x] |= 2;
        }
    }
}

static bool add_owner(rn_reshaping *r, const rn_state *s, int32_t owner) {
    if (!rn_grow(&s->hooks, &r->owners, &r->owner_capacity, r->owner_count, sizeof owner)) return false;
    ((int32_t *)r->owners)[r->owner_count++] = owner;
    return true;
}

static int32_t owner_at(const rn_reshaping *r, size_t i) { return ((int32_t *)r->owners)[i]; }

/* Turns the marks into a list, and takes them away. */
static bool list_row(rn_reshaping *r, const rn_state *s, int y) {
    bool fine = true;
    for (int x = 0; x < s->grid.nx; x++) {
        uint8_t *mark = &r->again[(size_t)y * (size_t)s->grid.nx + (size_t)x];
        for (int axis = 0; axis < 2; axis++)
            if (*mark & (1 << axis)) fine = fine && add_owner(r, s, owner_of(&s->grid, x, y, axis));
        *mark = 0;
    }
    return fine;
}

static bool is_near(const rn_state *s, int y, int first, int last) {
    const int ny = s->grid.ny;
    return (y >= first - 2 && y <= last + 1) || (s->periodic_y && (y >= first - 2 + ny || y <= last + 1 - ny));
}

static bool make_marks(rn_reshaping *r, const rn_state *s) {
    const size_t cells = (size_t)s->grid.nx * (size_t)s->grid.ny;
    if (!r->again) r->again = rn_alloc(&s->hooks, cells, sizeof *r->again);
    return r->again != NULL;
}

static rn_result list_owners(rn_reshaping *r, const rn_state *s) {
    if (!make_marks(r, s)) return RN_MEMORY;
    const int first = rn_change_at(r, 0)->y, last = rn_change_at(r, r->change_count - 1)->y;
    bool fine = true;
    mark_owners(r, s);
    for (int y = 0; y < s->grid.ny; y++)
        if (is_near(s, y, first, last)) fine = list_row(r, s, y) && fine;
    return fine ? RN_OK : RN_MEMORY;
}

static bool add_record(rn_reshaping *r, const rn_state *s, int32_t owner, const rn_loose *pipe) {
    if (!rn_grow(&s->hooks, &r->records, &r->record_capacity, r->record_count, sizeof(record))) return false;
    const int32_t a = pipe->a, b = pipe->b;
    ((record *)r->records)[r->record_count++] = (record){
        .owner = owner,
        .a = {.base = s->base[a], .ceil = s->ceil[a]},
        .b = {.base = s->base[b] - pipe->drop, .ceil = s->ceil[b] - pipe->drop},
        .flux = pipe->flux,
        .height = rn_felt_height(s, a, b, pipe->drop),
        .low = pipe->low,
        .high = pipe->high,
        .shut = pipe->shut,
        .speed = pipe->speed,
    };
    return true;
}

/* One without flux has nothing to hand down, but for how far it is shut. */
static bool is_recorded(const rn_state *s, float flux) { return flux != 0.0f || s->parted; }

static bool record_plain(rn_reshaping *r, const rn_state *s, int32_t owner) {
    const int axis = owner % 2;
    const uint8_t *pipes = axis == 0 ? s->pipe_x : s->pipe_y;
    const float *flux = axis == 0 ? s->flux_x : s->flux_y;
    float drop;
    const int x = owner_x(&s->grid, owner), y = owner_y(&s->grid, owner);
    const int32_t next = rn_cell_beside(s, x, y, axis == 0 ? RN_SIDE_EAST : RN_SIDE_NORTH, &drop);
    for (int l = 0; next >= 0 && l < s->grid.layers; l++) {
        const int32_t a = rn_slot(&s->grid, l, y, x);
        if (!pipes[a] || !is_recorded(s, flux[a])) continue;
        const rn_loose pipe = {.a = a, .b = next + l * s->grid.layer_stride, .drop = drop, .flux = flux[a]};
        if (!add_record(r, s, owner, &pipe)) return false;
    }
    return true;
}

static rn_result record_pipes(rn_reshaping *r, const rn_state *s) {
    int32_t p = 0;
    for (size_t i = 0; i < r->owner_count; i++) {
        const int32_t owner = owner_at(r, i);
        if (!record_plain(r, s, owner)) return RN_MEMORY;
        while (p < s->loose_inner && loose_owner(s, p) < owner) p++;
        for (; p < s->loose_inner && loose_owner(s, p) == owner; p++) {
            const rn_loose pipe = rn_loose_get(s, p);
            if (is_recorded(s, pipe.flux) && !add_record(r, s, owner, &pipe)) return RN_MEMORY;
        }
    }
    return RN_OK;
}

/* ---- Columns and their liquid ---------------------------------------------------------------------------------- */

static int64_t quanta_of(const rn_state *s, float depth) { return (int64_t)((double)depth / s->quantum); }

/* Liquid rides on ground that rises by no more than a cell. What comes from the side or from above does not lift. */
static float lift_of(const rn_state *s, rn_gap was, const rn_gap *is, int count) {
    for (int i = 0; i < count; i++)
        if (overlap(was, is[i]) > 0.0f) {
            float rise = is[i].base - was.base;
            return rise > 0.0f && rise <= s->cell ? rise : 0.0f;
        }
    return 0.0f;
}

static float capacity_of(const rn_gap *gap) { return (gap->ceil - gap->base) - gap->part.taken; }

/* Whole quanta, and no more. */
static float whole_quanta(const rn_state *s, float depth) {
    return (float)(floor((double)depth / s->quantum) * s->quantum);
}

/* The depth that a range has between the ends of another. */
static float held_by(const rn_state *s, const rn_gap *gap, rn_gap of) {
    if (gap->part.taken == 0.0f) return overlap(of, *gap);
    const float low = fmaxf(of.base, gap->base), high = fminf(of.ceil, gap->ceil);
    if (high <= low) return 0.0f;
    const float below = rn_part_depth(&gap->part, gap->base, low), all = rn_part_depth(&gap->part, gap->base, high);
    return whole_quanta(s, all - below);
}

/* Where solid leaves a part of the area open, liquid rises in that part; how much of it does. With patience solid takes
   less of the column than it should, for now, rather than push any liquid out. */
static float squeeze(rn_reshaping *r, bool patient, rn_gap *is, int count, rn_gap liquid, float lost, float *depths) {
    float kept = 0.0f;
    for (int i = 0; i < count && lost > kept; i++) {
        if (is[i].part.taken == 0.0f || overlap(liquid, is[i]) <= 0.0f) continue;
        const float lacks = (lost - kept) - (capacity_of(&is[i]) - depths[i]);
        if (patient && lacks > 0.0f) {
            is[i].part.taken -= fminf(lacks, is[i].part.taken);
            r->squeezed = true;
        }
        const float more = fmaxf(fminf(lost - kept, capacity_of(&is[i]) - depths[i]), 0.0f);
        depths[i] += more;
        kept += more;
    }
    return kept;
}

/* What of a former column's liquid still has its place goes into `depths`; the rest is excess. */
static void hand_down(rn_reshaping *r, const rn_state *s, size_t index, int layer, float depth, float *depths) {
    const rn_change *change = rn_change_at(r, index);
    const rn_gap was = rn_gaps_at(r, change->was)[layer];
    rn_gap *is = (rn_gap *)r->gaps + change->is;
    const float lift = lift_of(s, was, is, change->is_count);
    const float stand = was.part.taken > 0.0f ? rn_part_stand(&was.part, was.base, depth) : depth;
    const rn_gap liquid = {.base = was.base + lift, .ceil = was.base + lift + stand};
    float lost = depth;
    for (int i = 0; i < change->is_count; i++) {
        const float room = capacity_of(&is[i]) - depths[i], kept = fminf(fminf(held_by(s, &is[i], liquid), room), lost);
        if (kept <= 0.0f) continue;
        depths[i] += kept;
        lost -= kept;
    }
    const bool full = capacity_of(&was) - depth <= RN_FULL * s->quantum; /* and would be for as long as solid waits */
    lost -= squeeze(r, r->patient && !full, is, change->is_count, liquid, lost, depths);
    r->lost[change->was + (size_t)layer] = quanta_of(s, lost);
    if (lost > 0.0f) r->levels[change->was + (size_t)layer] = was.base + stand;
    r->loses |= lost > 0.0f;
}

void rn_change_inherit(const rn_reshaping *r, const rn_grid *g, const rn_change *change, float *values) {
    float now[RN_MOST_LAYERS];
    for (int l = 0; l < change->is_count; l++) now[l] = values[rn_slot(g, 0, change->y, change->x)];
    for (int l = 0; l < change->was_count; l++) {
        const int heir = rn_change_heir(r, change, l);
        if (heir >= 0) now[heir] = values[rn_slot(g, l, change->y, change->x)];
    }
    for (int l = 0; l < change->is_count; l++) values[rn_slot(g, l, change->y, change->x)] = now[l];
}

/* Up to where liquid stood, for the heirs of a cell's columns: m above their bases. */
static void inherit_levels(const rn_reshaping *r, const rn_state *s, const rn_change *change, float *felt) {
    for (int l = 0; l < change->was_count; l++) {
        const int heir = rn_change_heir(r, change, l);
        const int32_t slot = rn_slot(&s->grid, l, change->y, change->x);
        if (heir < 0) continue;
        const float level = s->base[slot] + rn_state_felt(s, slot);
        felt[heir] = fmaxf(felt[heir], level - rn_gaps_at(r, change->is)[heir].base);
    }
}

static void write_columns(rn_reshaping *r, rn_state *s, size_t index) {
    const rn_change *change = rn_change_at(r, index);
    const rn_gap *is = rn_gaps_at(r, change->is);
    float depths[RN_MOST_LAYERS] = {0}, felt[RN_MOST_LAYERS];
    for (int l = 0; l < change->is_count; l++) felt[l] = RN_NEW;
    if (s->parted) inherit_levels(r, s, change, felt);
    if (s->rough) rn_change_inherit(r, &s->grid, change, s->kappa);
    for (int l = 0; l < change->was_count; l++) {
        float depth = s->depth[rn_slot(&s->grid, l, change->y, change->x)];
        r->levels[change->was + (size_t)l] = rn_gaps_at(r, change->was)[l].ceil;
        if (depth > 0.0f) hand_down(r, s, index, l, depth, depths);
    }
    for (int l = 0; l < s->grid.layers; l++) {
        const int32_t slot = rn_slot(&s->grid, l, change->y, change->x);
        const bool column = l < change->is_count;
        s->base[slot] = column ? is[l].base : RN_NO_COLUMN;
        s->ceil[slot] = column ? is[l].ceil : RN_NO_COLUMN;
        if (s->parted) {
            s->solid_low[slot] = column ? is[l].part.low : 0.0f;
            s->solid_high[slot] = column ? is[l].part.high : 0.0f;
            s->solid_taken[slot] = column ? is[l].part.taken : 0.0f;
            s->solid_felt[slot] = column ? felt[l] : 0.0f;
        }
        s->depth[slot] = column && is[l].base >= 0.0f ? depths[l] : 0.0f;
        if (s->headed) s->head[slot] = 0.0f;
        if (column && is[l].base < 0.0f) r->left += quanta_of(s, depths[l]);
    }
}

/* ---- Joining anew ------------------------------------------------------------------------------------------------ */

static size_t columns_before(const rn_state *s, int32_t slot) {
    size_t count = 0;
    while (count < (size_t)s->grid.layers && s->base[slot] < RN_NO_COLUMN) count++, slot += s->grid.layer_stride;
    return count;
}

/* A bound on the loose pipes that there can be afterwards: two stacks of columns meet in fewer places than they have
   columns. What changed cells gain counts for each of their sides, which is quicker than to look every pair's up. */
static size_t most_loose(const rn_reshaping *r, const rn_state *s) {
    enum { MOST_SIDES = 8 }; /* four pairs, and as many edges where a row is a single cell */
    size_t most = (size_t)s->loose;
    for (size_t i = 0; i < r->owner_count; i++) {
        const int32_t owner = owner_at(r, i);
        const int x = owner_x(&s->grid, owner), y = owner_y(&s->grid, owner);
        float drop;
        const int32_t next = rn_cell_beside(s, x, y, owner % 2 == 0 ? RN_SIDE_EAST : RN_SIDE_NORTH, &drop);
        if (next >= 0) most += columns_before(s, rn_slot(&s->grid, 0, y, x)) + columns_before(s, next);
    }
    for (size_t i = 0; i < r->change_count; i++) {
        const rn_change *c = rn_change_at(r, i);
        if (c->is_count > c->was_count) most += MOST_SIDES * (size_t)(c->is_count - c->was_count);
    }
    /* every column at an edge has one pipe over it, or two at a corner */
    for (int y = 0; y < s->grid.ny; y++)
        most +=
            columns_before(s, rn_slot(&s->grid, 0, y, 0)) + columns_before(s, rn_slot(&s->grid, 0, y, s->grid.nx - 1));
    for (int x = 0; x < s->grid.nx; x++)
        most +=
            columns_before(s, rn_slot(&s->grid, 0, 0, x)) + columns_before(s, rn_slot(&s->grid, 0, s->grid.ny - 1, x));
    return most;
}

/* Room for so many; what was there is not kept. */
static bool renew(const rn_state *s, void **data, size_t *capacity, size_t count, size_t size) {
    if (count <= *capacity) return true;
    rn_free(&s->hooks, *data);
    *capacity = 0;
    *data = rn_alloc(&s->hooks, count + count / 2, size);
    if (*data) *capacity = count + count / 2;
    return *data != NULL;
}

static rn_result reserve(rn_reshaping *r, rn_state *s) {
    const size_t most = most_loose(r, s);
    rn_result result = rn_graph_reserve(s, most);
    if (result != RN_OK) return result;
    bool fine = renew(s, &r->loose.pipes, &r->loose.capacity, most, sizeof(rn_loose));
    void *lost = r->lost, *seen = r->seen, *levels = r->levels, *filled = r->filled;
    fine = renew(s, &filled, &r->filled_capacity, (size_t)s->grid.slots, sizeof *r->filled) && fine;
    fine = renew(s, &lost, &r->lost_capacity, r->gap_count, sizeof *r->lost) && fine;
    fine = renew(s, &seen, &r->seen_capacity, (size_t)s->grid.slots + r->gap_count, sizeof *r->seen) && fine;
    fine = renew(s, &levels, &r->level_capacity, r->gap_count, sizeof *r->levels) && fine;
    r->lost = lost;
    r->levels = levels;
    r->filled = filled;
    r->seen = seen;
    if (!fine) return RN_MEMORY;
    memset(r->lost, 0, r->gap_count * sizeof *r->lost);
    return RN_OK;
}

static bool near_edge(const rn_state *s, const rn_change *c) {
    return c->x <= 1 || c->y <= 1 || c->x >= s->grid.nx - 2 || c->y >= s->grid.ny - 2;
}

/* What flowed over an edge from the columns that have become this one. */
static float flux_out(const rn_reshaping *r, const rn_state *s, int32_t inner, int32_t outer) {
    const rn_spot at = rn_slot_place(&s->grid, inner);
    const rn_change *change = rn_change_of(r, at.x, at.y);
    float flux = 0.0f;
    for (int l = 0; l < s->grid.layers; l++) {
        const rn_special *sink = rn_special_of(s, outer + (l - at.layer) * s->grid.layer_stride);
        bool before = change ? l < change->was_count && rn_change_heir(r, change, l) == at.layer : l == at.layer;
        if (before && sink) flux += s->loose_flux[s->links[sink->begin] / 2];
    }
    return flux;
}

/* What lies past the edges; a sink there has just one pipe. */
static void join_rim(rn_reshaping *r, rn_state *s, size_t inner) {
    bool touched = false;
    for (size_t i = 0; i < r->change_count && !touched; i++) touched = near_edge(s, rn_change_at(r, i));
    if (!touched) {
        for (int32_t p = s->loose_inner; p < s->loose; p++) rn_loose_add(s, &r->loose, rn_loose_get(s, p));
        return;
    }
    rn_graph_join_rim(s, &r->loose);
    for (size_t i = inner; i < r->loose.count; i++) {
        rn_loose *pipe = rn_loose_at(&r->loose, i);
        const rn_spot at = rn_slot_place(&s->grid, pipe->a);
        const bool first = at.x >= 0 && at.y >= 0; /* the inner column is the first of the two */
        pipe->flux = first ? flux_out(r, s, pipe->a, pipe->b) : flux_out(r, s, pipe->b, pipe->a);
    }
}

static void join_owners(rn_reshaping *r, rn_state *s) {
    int32_t p = 0;
    for (size_t i = 0; i < r->owner_count; i++) {
        const int32_t owner = owner_at(r, i);
        const int x = owner_x(&s->grid, owner), y = owner_y(&s->grid, owner);
        for (; p < s->loose_inner && loose_owner(s, p) < owner; p++) rn_loose_add(s, &r->loose, rn_loose_get(s, p));
        while (p < s->loose_inner && loose_owner(s, p) == owner) p++;
        rn_graph_join_cell(s, x, y, owner % 2, &r->loose);
        float *flux = owner % 2 == 0 ? s->flux_x : s->flux_y;
        for (int l = 0; l < s->grid.layers; l++) flux[rn_slot(&s->grid, l, y, x)] = 0.0f;
    }
    for (; p < s->loose_inner; p++) rn_loose_add(s, &r->loose, rn_loose_get(s, p));
}

/* ---- Fluxes ------------------------------------------------------------------------------------------------------ */

/* Shares a former pipe's flux among the pipes that have taken its place, by the height that each has of it. None flows
   faster than it did: where less room is left, less flows. */
typedef struct heirs {
    rn_state *s;
    const record *from;
    float total; /* m; 0: still adding up */
    float sum;
} heirs;

/* The loose pipe of a pair; -1: it has an ordinary one. */
static int32_t loose_of(const rn_state *s, const rn_pair *p) {
    if (p->same_layer && (p->axis == 0 ? s->pipe_x : s->pipe_y)[p->a]) return -1;
    const rn_special *special = rn_special_of(s, p->a);
    int32_t n = special->begin;
    for (; n < special->end; n++) {
        const int32_t i = s->links[n] / 2;
        if (s->loose_a[i] == p->a && s->loose_b[i] == p->b && s->loose_axis[i] == p->axis) break;
    }
    return s->links[n] / 2;
}

/* What opens (m) where a pipe that was shut in a part is not any more. */
static float opened(const record *from, const rn_gap *range, float part) {
    const float room = fminf(from->height, range->ceil - range->base);
    return part * room * (1.0f - rn_part_open(range->base, room, from->low, from->high, from->shut));
}

static void visit_heir(void *context, const rn_pair *p) {
    heirs *h = context;
    const rn_state *s = h->s;
    const rn_gap a = {.base = s->base[p->a], .ceil = s->ceil[p->a]};
    const rn_gap b = {.base = s->base[p->b] - p->drop, .ceil = s->ceil[p->b] - p->drop};
    if (overlap(a, h->from->a) <= 0.0f || overlap(b, h->from->b) <= 0.0f) return;
    const rn_gap now = {.base = fmaxf(a.base, b.base), .ceil = fminf(a.ceil, b.ceil)};
    const rn_gap then = {.base = fmaxf(h->from->a.base, h->from->b.base),
                         .ceil = fminf(h->from->a.ceil, h->from->b.ceil)};
    const float shared = fmaxf(overlap(now, then), s->quantum);
    h->sum += shared;
    if (h->total == 0.0f) return;
    const float height = rn_felt_height(s, p->a, p->b, p->drop), part = shared / h->total;
    const float room = height < h->from->height ? height / h->from->height : 1.0f;
    const int32_t loose = loose_of(s, p);
    float *flux = loose >= 0 ? &h->s->loose_flux[loose] : &(p->axis == 0 ? h->s->flux_x : h->s->flux_y)[p->a];
    *flux += h->from->flux * fminf(part, room);
    if (loose < 0 && h->from->shut > 0.0f) *flux += opened(h->from, &then, part) * (s->cell * h->from->speed);
    if (loose < 0 || s->loose_shut[loose] != RN_NEW) return;
    h->s->loose_low[loose] = h->from->low;
    h->s->loose_high[loose] = h->from->high;
    h->s->loose_shut[loose] = h->from->shut;
    h->s->loose_speed[loose] = h->from->speed;
}

static void hand_fluxes_down(const rn_reshaping *r, rn_state *s) {
    for (size_t i = 0; i < r->record_count; i++) {
        const record *from = (record *)r->records + i;
        const int x = owner_x(&s->grid, from->owner), y = owner_y(&s->grid, from->owner);
        heirs h = {.s = s, .from = from};
        rn_graph_visit(s, x, y, from->owner % 2, visit_heir, &h);
        h.total = h.sum;
        if (h.total > 0.0f) rn_graph_visit(s, x, y, from->owner % 2, visit_heir, &h);
    }
}

/* The flux of a pipe that was open by one share of its cross-section and is now by another. */
static float reopened(float flux, float was, float is, float height, float cell, float speed) {
    if (is < was) return flux * (is / was);
    return flux + (is - was) * (height * cell * speed);
}

/* Where solid has just let go of a column, liquid comes to stand as high as beside it, on average (m above its base).
 */
static float level_beside(const rn_state *s, const rn_special *special) {
    float sum = 0.0f, count = 0.0f;
    for (int32_t k = special->begin; k < special->end; k++) {
        const int32_t p = s->links[k] / 2, other = s->links[k] % 2 ? s->loose_a[p] : s->loose_b[p];
        if (!(s->depth[other] > 0.0f)) continue;
        sum += s->base[other] + rn_state_felt(s, other) - s->base[special->slot];
        count += 1.0f;
    }
    return count > 0.0f ? fmaxf(sum / count, 0.0f) : 0.0f;
}

void rn_reshape_shut(rn_state *s, const rn_shut *list, size_t count, float chink) {
    size_t at = 0;
    for (int32_t i = 0; s->parted && i < s->special_count; i++) {
        const int32_t c = s->specials[i].slot;
        if (rn_is_parted(s, c) && s->solid_felt[c] == RN_NEW) s->solid_felt[c] = level_beside(s, &s->specials[i]);
    }
    for (int32_t i = 0; i < s->loose_inner; i++) {
        const int32_t owner = loose_owner(s, i);
        while (at < count && list[at].owner < owner) at++;
        const rn_shut *is = at < count && list[at].owner == owner ? &list[at] : NULL;
        if (!is && s->loose_shut[i] == 0.0f) continue;
        const float was = s->loose_shut[i] == RN_NEW ? 0.0f : rn_loose_open(s, i);
        const bool known = s->loose_shut[i] != RN_NEW || is;
        const float floor = fmaxf(s->base[s->loose_a[i]], s->base[s->loose_b[i]] - s->loose_drop[i]);
        s->loose_low[i] = !is ? 0.0f : is->low - floor <= chink ? fminf(is->low, floor) : is->low;
        s->loose_high[i] = is ? is->high : 0.0f;
        s->loose_shut[i] = is ? is->share : 0.0f;
        if (!known) continue;
        const float height = rn_felt_height(s, s->loose_a[i], s->loose_b[i], s->loose_drop[i]);
        if (is) s->loose_speed[i] = is->speed;
        s->loose_flux[i] = reopened(s->loose_flux[i], was, rn_loose_open(s, i), height, s->cell, s->loose_speed[i]);
    }
}

/* ---- Rows ---------------------------------------------------------------------------------------------------- */

static void refresh_row(rn_state *s, int layer, int y) {
    const bool periodic = s->periodic_x || s->periodic_y; /* cells have other neighbours */
    rn_graph_flag_row(s, layer, y);
    rn_row_at(s, layer, y)->still = false;
    if (periodic) rn_tiles_reshape_row(s, layer, y);
    if (y >= 0 && y < s->grid.ny) (periodic ? rn_pipes_row_changed : rn_pipes_row_reshaped)(s, layer, y);
}

static void refresh_rows(const rn_reshaping *r, rn_state *s) {
    const int ny = s->grid.ny;
    int last = -3;
    for (size_t i = 0; i < r->owner_count; i++) {
        const int y = owner_y(&s->grid, owner_at(r, i));
        if (y == last) continue;
        for (int near = last + 2 > y - 1 ? last + 2 : y - 1; near <= y + 1; near++)
            for (int l = 0; l < s->grid.layers; l++) refresh_row(s, l, near);
        last = y;
    }
    for (size_t i = 0; i < r->owner_count; i++)
        rn_tiles_reshape(s, owner_x(&s->grid, owner_at(r, i)), owner_y(&s->grid, owner_at(r, i)));
    for (int l = 0; s->periodic_y && l < s->grid.layers; l++) {
        refresh_row(s, l, -1);
        refresh_row(s, l, ny);
    }
}

/* ---- The whole ------------------------------------------------------------------------------------------------- */

typedef struct survey {
    rn_reshaping *r;
    const rn_state *s;
} survey;

static void measure_pair(void *context, const rn_pair *p) {
    const survey *look = context;
    const rn_state *s = look->s;
    look->r->highest = fmaxf(look->r->highest, rn_state_height(s, p->a, p->b, p->drop));
    look->r->deepest = fmaxf(look->r->deepest, fmaxf(s->depth[p->a], s->depth[p->b]));
}

/* What the next step size depends on. */
static void measure(rn_reshaping *r, const rn_state *s) {
    survey look = {r, s};
    for (size_t i = 0; i < r->owner_count; i++) {
        const int32_t owner = owner_at(r, i);
        rn_graph_visit(s, owner_x(&s->grid, owner), owner_y(&s->grid, owner), owner % 2, measure_pair, &look);
    }
}

/* Liquid that is held takes part as if its place had just been closed. */
static rn_result recall_held(rn_reshaping *r, const rn_state *s) {
    r->held_gap = r->gap_count;
    for (size_t i = 0; r->give > 0.0 && i < r->held_count; i++) {
        size_t first;
        if (!add_gaps(r, s, &rn_held_at(r, i)->gap, 1, &first)) return RN_MEMORY;
    }
    return RN_OK;
}

static void offer_held(rn_reshaping *r) {
    for (size_t i = 0; r->give > 0.0 && i < r->held_count; i++) {
        r->lost[r->held_gap + i] = rn_held_at(r, i)->quanta;
        r->levels[r->held_gap + i] = rn_held_at(r, i)->level;
        r->loses = true;
    }
}

/* Nothing has changed, but liquid is held. */
static rn_result give_held(rn_reshaping *r, rn_state *s) {
    rn_result result = make_marks(r, s) ? recall_held(r, s) : RN_MEMORY;
    if (result == RN_OK) result = reserve(r, s);
    if (result != RN_OK) return result;
    offer_held(r);
    rn_displace(r, s);
    return RN_OK;
}

rn_result rn_reshape_apply(rn_reshaping *r, rn_state *s) {
    if (r->change_count == 0) return r->held_count > 0 && r->give > 0.0 ? give_held(r, s) : RN_OK;
    rn_result result = rn_graph_grow(s, rn_reshape_layers(r));
    if (result == RN_OK) result = list_owners(r, s);
    if (result == RN_OK) result = record_pipes(r, s);
    if (result == RN_OK) result = recall_held(r, s);
    if (result == RN_OK) result = reserve(r, s);
    if (result != RN_OK) return result;
    offer_held(r);
    for (size_t i = 0; i < r->change_count; i++) write_columns(r, s, i);
    join_owners(r, s);
    const size_t inner = r->loose.count;
    join_rim(r, s, inner);
    result = rn_graph_store(s, &r->loose, inner); /* there is room: it cannot fail */
    rn_displace(r, s);
    hand_fluxes_down(r, s);
    refresh_rows(r, s);
    measure(r, s);
    return result;
}
