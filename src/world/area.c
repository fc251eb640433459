/* Rain and losses: sources over the whole world, given as a depth a second. All columns count the same time, so one
   number holds what is owed to all of them, and a substep in which no whole quantum has come together costs nothing. */
#include "base/error.h"
#include "base/maths.h"
#include "base/memory.h"
#include "solver/pipes.h"
#include "world/world.h"

static bool meets(const rn_interval *spans, int count, double low, double high) {
    for (int i = 0; i < count; i++)
        if (spans[i].low < high && spans[i].high > low) return true;
    return false;
}

/* A share of the map, linear between the middles of its samples. */
static double map_share(const rn_source_def *def, double u, double v) {
    double x = rn_clamp(u * def->map_x - 0.5, 0.0, def->map_x - 1.0);
    double y = rn_clamp(v * def->map_y - 0.5, 0.0, def->map_y - 1.0);
    int x0 = (int)x, y0 = (int)y, x1 = x0 + 1 < def->map_x ? x0 + 1 : x0, y1 = y0 + 1 < def->map_y ? y0 + 1 : y0;
    const float *low = def->map + (size_t)y0 * (size_t)def->map_x, *high = def->map + (size_t)y1 * (size_t)def->map_x;
    double south = low[x0] + (x - x0) * (low[x1] - low[x0]), north = high[x0] + (x - x0) * (high[x1] - high[x0]);
    return south + (y - y0) * (north - south);
}

/* The shares of one cell's columns. True if any has one. */
static bool share_cell(const rn_world *world, const rn_source_def *def, int x, int y, float *shares) {
    const rn_state *s = &world->state;
    const rn_grid *g = &s->grid;
    double share = def->map ? map_share(def, (x + 0.5) / g->nx, (y + 0.5) / g->ny) : 1.0;
    rn_interval spans[RN_MOST_SPANS];
    int count = def->shape ? rn_world_spans(world, def->shape, x, y, spans) : 0;
    bool any = false;
    for (int layer = 0; layer < g->layers; layer++) {
        int32_t slot = rn_slot(g, layer, y, x);
        if (s->base[slot] >= RN_NO_COLUMN) break;
        const bool sink = s->base[slot] < 0.0f; /* takes none, but may become a column */
        bool within = !def->shape || meets(spans, count, s->base[slot] + world->datum, s->ceil[slot] + world->datum);
        shares[slot] = within ? (float)share : 0.0f;
        any |= within && !sink;
    }
    return any;
}

/* Shares of new layers are those of the lowest one. */
static rn_result grow_shares(const rn_world *world, rn_source *source, int32_t slots) {
    const rn_grid *g = &world->state.grid;
    float *grown = rn_alloc(&world->hooks, (size_t)slots, sizeof *grown);
    if (!grown) return RN_MEMORY;
    for (int32_t slot = 0; slot < slots; slot++)
        grown[slot] = source->shares[slot < g->slots ? slot : slot % g->layer_stride];
    rn_free(&world->hooks, source->shares);
    source->shares = grown;
    return RN_OK;
}

rn_result rn_sources_make_room(rn_world *world, int layers) {
    const rn_grid *g = &world->state.grid;
    const int64_t slots = g->slots + (int64_t)(layers - g->layers) * g->layer_stride;
    if (layers <= g->layers || !world->area_rows || slots > INT32_MAX) return RN_OK; /* too many are refused later */
    const size_t rows = (size_t)layers * (size_t)g->ny;
    rn_area_row *more = rn_alloc(&world->hooks, rows, sizeof *more);
    if (!more) return RN_MEMORY;
    rn_free(&world->hooks, world->area_rows);
    world->area_rows = more;
    for (size_t i = 0; i < world->source_count; i++) {
        rn_source *source = &world->sources[i];
        rn_result result = RN_OK;
        if (source->shares) result = grow_shares(world, source, (int32_t)slots);
        if (result != RN_OK) return result;
    }
    return RN_OK;
}

rn_result rn_area_create(rn_world *world, const rn_source_def *def, rn_source *source) {
    const rn_grid *g = &world->state.grid;
    const size_t rows = (size_t)g->layers * (size_t)g->ny;
    if (!world->area_rows) world->area_rows = rn_alloc(&world->hooks, rows, sizeof *world->area_rows);
    if (!world->area_rows) return RN_MEMORY;
    if (!def->map && !def->shape) return RN_OK;
    source->shares = rn_alloc(&world->hooks, (size_t)g->slots, sizeof *source->shares);
    if (!source->shares) return RN_MEMORY;
    bool any = false;
    for (int y = 0; y < g->ny; y++)
        for (int x = 0; x < g->nx; x++) any |= share_cell(world, def, x, y, source->shares);
    return any ? RN_OK : rn_fail(RN_INVALID, "its region covers no column; place it over the terrain");
}

/* One substep's pass. */
typedef struct pass {
    rn_world *world;
    const float *shares;  /* NULL: 1 */
    double before, after; /* whole quanta of a share of 1, so far */
    float least_ceil;     /* m, only columns with at least this ceiling */
    bool takes;
} pass;

/* Whole quanta for a column: what its share of the total has grown by, so that no remainder is ever dropped. */
RN_INLINE double wanted(const pass *p, int32_t slot) {
    if (!p->shares) return p->after - p->before;
    double share = p->shares[slot];
    return floor(share * p->after) - floor(share * p->before);
}

/* One column that may have too little room, or too little to take. */
static void work_column(const pass *p, int32_t c, rn_area_row *row) {
    rn_state *s = &p->world->state;
    const float quantum = p->world->law.quantum, base = s->base[c], depth = s->depth[c];
    const float room = (p->takes ? depth : rn_room(s, c)) * p->world->law.per_quantum;
    const double wish = wanted(p, c);
    const float fits = wish < room ? (float)wish : room;
    row->asked += wish;
    if (!(fits > 0.0f)) return;
    const float now = p->takes ? depth - fits * quantum : depth + fits * quantum;
    s->depth[c] = now;
    row->quanta += (int64_t)fits;
    row->touched = c;
    row->deepest = now > row->deepest ? now : row->deepest;
    row->top = base + now > row->top ? base + now : row->top;
}

/* RN_LANES columns at a time while all of them have room for the whole of it. */
RN_INLINE void work_row(const pass *p, int32_t first, rn_area_row *row, const bool takes, const bool shared) {
    rn_state *s = &p->world->state;
    const float quantum = p->world->law.quantum, per_quantum = p->world->law.per_quantum;
    const int32_t end = first + s->grid.nx;
    rn_mask lane;
    for (int k = 0; k < RN_LANES; k++) lane[k] = k;
    rn_wide deepest = {0}, top = {0}, wish = rn_splat((float)(p->after - p->before));
    rn_mask filled = {0};
    int64_t sum = 0;
    for (int32_t c = first; c < end; c += RN_LANES) {
        const rn_wide base = rn_load(s->base + c), depth = rn_load(s->depth + c), ceil = rn_load(s->ceil + c);
        const rn_mask open = (base >= 0.0f) & (base < RN_NO_COLUMN) & (ceil >= p->least_ceil) & (lane < end - c);
        const rn_wide room = (takes ? depth : ceil - base - depth) * per_quantum;
        if (!rn_any(open) || (takes && !rn_any(open & (room > 0.0f)))) continue;
        if (shared)
            for (int k = 0; k < RN_LANES; k++) wish[k] = open[k] ? (float)wanted(p, c + k) : 0.0f;
        if (rn_any(open & (room < wish))) {
            for (int k = 0; k < RN_LANES; k++)
                if (open[k]) work_column(p, c + k, row);
            continue;
        }
        const rn_wide change = rn_keep(open, wish * quantum), now = takes ? depth - change : depth + change;
        rn_store(s->depth + c, now);
        if (shared)
            for (int k = 0; k < RN_LANES; k++) sum += (int64_t)wish[k];
        filled -= open & (wish > 0.0f);
        deepest = rn_greater(rn_keep(open, now), deepest);
        top = rn_greater(rn_keep(open, base + now), top);
        for (int k = 0; row->touched < 0 && k < RN_LANES; k++)
            if (open[k] && wish[k] > 0.0f) row->touched = c + k;
    }
    for (int k = 0; k < RN_LANES && !shared; k++) sum += filled[k] * (int64_t)wish[k];
    row->quanta += sum;
    row->asked += (double)sum;
    row->deepest = fmaxf(row->deepest, rn_greatest(deepest));
    row->top = fmaxf(row->top, rn_greatest(top));
}

static void work_rows(void *context, int begin, int end, int worker) {
    const pass *p = context;
    const rn_grid *g = &p->world->state.grid;
    (void)worker;
    for (int r = begin; r < end; r++) {
        rn_area_row row = {.touched = -1};
        const int32_t first = rn_slot(g, r / g->ny, r % g->ny, 0);
        if (p->shares) work_row(p, first, &row, p->takes, true);
        else if (p->takes) work_row(p, first, &row, true, false);
        else work_row(p, first, &row, false, false);
        p->world->area_rows[r] = row;
    }
}

static void book(rn_world *world, const pass *p) {
    for (int r = 0; r < world->state.grid.layers * world->state.grid.ny; r++) {
        const rn_area_row *row = &world->area_rows[r];
        if (!p->takes) world->ledger.refused += row->asked - (double)row->quanta;
        if (row->touched < 0) continue;
        rn_pipes_row_wetted(&world->state, r / world->state.grid.ny, r % world->state.grid.ny);
        *(p->takes ? &world->ledger.drained : &world->ledger.poured) += row->quanta;
        if (p->takes) continue;
        world->top = (float)rn_max(world->top, row->top);
        world->peak.deepest = (float)rn_max(world->peak.deepest, row->deepest);
    }
    if (!p->takes) world->added += (float)((p->after - p->before) * world->quantum);
}

void rn_area_step(rn_world *world, rn_source *source, double from, double to) {
    source->owed += rn_max(rn_series_integral(&source->value, from, to), 0.0) / world->quantum;
    const double whole = floor(source->owed), lid = rint((world->ground.lid - world->datum) / world->quantum);
    if (whole < 1.0) return;
    source->owed -= whole;
    pass p = {.world = world,
              .shares = source->shares,
              .before = source->given,
              .after = source->given + whole,
              .least_ceil = source->kind == RN_SOURCE_INFILTRATION ? 0.0f : (float)(lid * world->quantum),
              .takes = source->kind != RN_SOURCE_RAIN};
    source->given += whole;
    rn_parallel_for(world->pool, world->state.grid.layers * world->state.grid.ny, work_rows, &p);
    book(world, &p);
}
