/* Rain, evaporation and infiltration: sources over the whole world, given as depth per second (m/s).

   Interface (world/area.h): rn_area_create makes the shares of a source from its map and its region; rn_area_step
   applies a source for a part of a substep; rn_sources_make_room makes room for the shares of all sources and for the parts of rows.

   Order of calls: world/sources.c calls rn_area_create when a source is added, and rn_area_step after every substep
   in which the source is active. rn_sources_make_room must run before columns get more layers: world/apply.c calls it
   before the solver remakes columns, and world/snapshot.c before it restores a state.

   All columns are due the same depth, so a single number, `owed`, holds the remainder below one quantum for all of
   them. A substep in which it stays below one quantum costs nothing. A column with the share s gets floor(s after) -
   floor(s before) quanta, where `before` and `after` are the whole quanta given so far: the sum over time is exact
   for every share. Rain and evaporation act only on columns that reach the lid; infiltration acts under roofs, too. A
   sink has a share although it gets nothing, because it may become a column later. */
#include "world/area.h"

#include "base/error.h"
#include "base/maths.h"
#include "base/memory.h"
#include "world/deposit.h"

/* Whether some of `count` ranges overlaps the heights from low to high (m); touching is not enough. */
static bool overlaps_any(const rn_interval *spans, int count, double low, double high) {
    for (int i = 0; i < count; i++)
        if (spans[i].low < high && spans[i].high > low) return true;
    return false;
}

/* The share of the map at (u, v), each 0 to 1 across the domain; bilinear between the centres of its samples, constant
   beyond the outermost ones. The map must exist. */
static double map_share(const rn_source_def *def, double u, double v) {
    double x = rn_clamp(u * def->map_x - 0.5, 0.0, def->map_x - 1.0);
    double y = rn_clamp(v * def->map_y - 0.5, 0.0, def->map_y - 1.0);
    int x0 = (int)x, y0 = (int)y, x1 = x0 + 1 < def->map_x ? x0 + 1 : x0, y1 = y0 + 1 < def->map_y ? y0 + 1 : y0;
    const float *low = def->map + (size_t)y0 * (size_t)def->map_x, *high = def->map + (size_t)y1 * (size_t)def->map_x;
    double south = low[x0] + (x - x0) * (low[x1] - low[x0]), north = high[x0] + (x - x0) * (high[x1] - high[x0]);
    return south + (y - y0) * (north - south);
}

/* Sets the shares of one cell's columns: that of the map at its centre (1 without a map) where the open range meets the
   region, otherwise 0. Without a shape all columns lie in the region. Returns true if any column other than a sink
   does. */
static bool share_cell(const rn_world *world, const rn_source_def *def, int x, int y, float *shares) {
    const rn_columns *s = world->columns;
    const rn_grid *g = &s->grid;
    double share = def->map ? map_share(def, (x + 0.5) / g->nx, (y + 0.5) / g->ny) : 1.0;
    rn_interval spans[RN_MOST_SPANS];
    int count = def->shape ? rn_world_spans(world, def->shape, x, y, spans) : 0;
    bool any = false;
    for (int layer = 0; layer < g->layers; layer++) {
        int32_t slot = rn_slot(g, layer, y, x);
        if (s->base[slot] >= RN_NO_COLUMN) break;
        const bool sink = s->base[slot] < 0.0f; /* gets none, but may become a column */
        bool within =
            !def->shape || overlaps_any(spans, count, s->base[slot] + world->datum, s->ceil[slot] + world->datum);
        shares[slot] = within ? (float)share : 0.0f;
        any |= within && !sink;
    }
    return any;
}

/* Enlarges the shares of a source, which must have some, from `had` to `slots` slots; new layers copy the lowest one.
   Returns RN_MEMORY, with a message, if memory runs out; then the shares are unchanged. */
static rn_result grow_shares(const rn_world *world, rn_source *source, int32_t had, int32_t slots) {
    float *grown = rn_alloc(&world->hooks, (size_t)slots, sizeof *grown);
    if (!grown) return RN_MEMORY;
    for (int32_t slot = 0; slot < slots; slot++)
        grown[slot] = source->shares[slot < had ? slot : slot % world->columns->grid.layer_stride];
    rn_free(&world->hooks, source->shares);
    source->shares = grown;
    return RN_OK;
}

/* Returns memory for the parts of all rows of so many layers; NULL, with a message, if there is too little. */
static rn_area_part *alloc_parts(const rn_world *world, int layers) {
    const rn_grid *g = &world->columns->grid;
    return rn_alloc(&world->hooks, (size_t)layers * (size_t)g->ny * (size_t)rn_area_parts(g->nx), sizeof(rn_area_part));
}

rn_result rn_sources_make_room(rn_world *world, int layers) {
    const rn_grid *g = &world->columns->grid;
    rn_sources *all = &world->sources;
    const int64_t had = rn_slots_of(g->nx, g->ny, all->layers, g->rim),
                  slots = rn_slots_of(g->nx, g->ny, layers, g->rim);
    if (!all->parts || layers <= all->layers || slots > INT32_MAX) return RN_OK; /* too many slots are refused later */
    rn_area_part *more = alloc_parts(world, layers);
    if (!more) return RN_MEMORY;
    rn_free(&world->hooks, all->parts);
    all->parts = more;
    for (size_t i = 0; i < all->count; i++) {
        rn_source *source = &all->list[i];
        if (source->shares && grow_shares(world, source, (int32_t)had, (int32_t)slots) != RN_OK) return RN_MEMORY;
    }
    all->layers = layers;
    return RN_OK;
}

rn_result rn_area_create(rn_world *world, const rn_source_def *def, rn_source *source) {
    const rn_grid *g = &world->columns->grid;
    rn_sources *all = &world->sources;
    if (!all->parts) {
        all->parts = alloc_parts(world, g->layers);
        if (!all->parts) return RN_MEMORY;
        all->layers = g->layers;
    }
    if (!def->map && !def->shape) return RN_OK;
    source->shares = rn_alloc(&world->hooks, (size_t)g->slots, sizeof *source->shares);
    if (!source->shares) return RN_MEMORY;
    bool any = false;
    for (int y = 0; y < g->ny; y++)
        for (int x = 0; x < g->nx; x++) any |= share_cell(world, def, x, y, source->shares);
    if (!any) return rn_fail(RN_INVALID, "its region covers no column; place it over the terrain");
    const int64_t slots =
        rn_slots_of(g->nx, g->ny, all->layers, g->rim); /* more than exist now, if columns could not grow */
    return slots > g->slots ? grow_shares(world, source, g->slots, (int32_t)slots) : RN_OK;
}

void rn_area_step(rn_world *world, rn_source *source, const rn_area_flux *kind, double from, double to, float *added) {
    source->owed += rn_max(rn_series_integral(&source->value, from, to), 0.0) / world->quantum;
    const double whole = floor(source->owed), lid = rint((world->ground.lid - world->datum) / world->quantum);
    if (whole < 1.0) return;
    source->owed -= whole;
    const rn_area_flux shower = {
        .shares = source->shares,
        .before = source->given,
        .after = source->given + whole,
        .least_ceil = kind->under_roofs ? 0.0f : (float)(lid * world->quantum),
        .takes = kind->takes,
    };
    source->given += whole;
    rn_deposit_shower(world, &shower);
    if (!shower.takes) *added += (float)((shower.after - shower.before) * world->quantum);
}
