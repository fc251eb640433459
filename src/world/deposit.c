/* The only code that adds liquid to columns or removes it between substeps.

   Interface (world/deposit.h): rn_deposit changes one column and rn_deposit_shower all of them (rain and losses).
   Both are limited by the room or the liquid in a column, count whole quanta, and report the change to the solver.
   rn_deposit_unknown reports changes anywhere. rn_deposit_mend corrects what hosts have written into views: depths
   become whole quanta within their columns.

   Order of calls: sources and rain deposit after each substep (world/sources.c, world/area.c), floating bodies before
   the solver advances (world/stir.c), fills and commits between steps (world/fill.c, world/books.c). Callers of
   rn_deposit enter what was poured or drained in the ledger; rn_deposit_shower enters its own. Liquid that falls into a
   hole is entered here, as left.

   Depths are floats, but whole multiples of the quantum, a power of two, and at most 2^23 of them, so every sum is
   exact in any order. A shower treats RN_LANES columns at a time while all have room for what they are due, and falls
   back to single columns where some have not. Threads share parts of rows; each part has its own sums, which are added
   up row by row. */
#include "world/deposit.h"

/* ---- One column ------------------------------------------------------------------------------------------ */

/* Adds whole quanta to a column, or removes them if negative, as far as there is room or liquid; returns how many,
   negative if removed. A hole accepts any number. Changes neither ledger nor solver. */
static int64_t change_depth(const rn_world *world, int32_t slot, double quanta) {
    rn_columns *c = world->columns;
    if (quanta == 0.0) return 0;
    if (quanta < 0.0) {
        const double there = c->depth[slot] / world->quantum, taken = rn_min(-quanta, there);
        c->depth[slot] = (float)((there - taken) * world->quantum);
        return -(int64_t)taken;
    }
    if (c->base[slot] < 0.0f) return (int64_t)quanta;
    const double room = rn_column_room(c, slot) / world->quantum, fits = quanta < room ? quanta : room;
    c->depth[slot] += (float)(fits * world->quantum);
    return (int64_t)fits;
}

rn_deposited rn_deposit_apart(rn_world *world, int32_t slot, double quanta, rn_deposit_by by) {
    const rn_columns *c = world->columns;
    const int64_t done = change_depth(world, slot, quanta);
    if (by == RN_BY_SOURCE && done > 0 && c->gained) c->gained[slot] += (float)((double)done * world->quantum);
    return (rn_deposited){.asked = quanta, .quanta = done, .base = c->base[slot], .depth = c->depth[slot]};
}

/* Notifies the solver of columns in a row; does nothing if there are none. top, deepest: m, of all of them. */
static void tell_run(rn_world *world, int32_t slot, int32_t count, float top, float deepest) {
    const rn_disturbance what = {
        .what = RN_CHANGED_COLUMNS, .slot = slot, .count = count, .top = top, .deepest = deepest};
    if (count > 0) world->solver->changed(world->self, &what);
}

void rn_deposit_tell(rn_world *world, const int32_t *slots, const rn_deposited *done, int32_t count) {
    int32_t first = 0, run = 0;
    float top = 0.0f, deepest = 0.0f;
    int64_t left = 0;
    for (int32_t i = 0; i < count; i++) {
        const rn_deposited one = done[i];
        if (one.skipped) continue;
        if (one.base < 0.0f && one.quanta > 0) left += one.quanta;
        if (slots[i] != first + run) {
            tell_run(world, first, run, top, deepest);
            first = slots[i], run = 0, top = deepest = 0.0f;
        }
        run++;
        top = fmaxf(top, one.base + one.depth);
        deepest = fmaxf(deepest, one.depth);
    }
    tell_run(world, first, run, top, deepest);
    rn_short_add(&world->ledger.left, left);
}

int64_t rn_deposit(rn_world *world, int32_t slot, double quanta, rn_deposit_by by) {
    const rn_columns *c = world->columns;
    const int64_t done = change_depth(world, slot, quanta);
    if (done > 0 && c->base[slot] < 0.0f) world->ledger.left += done;
    if (by == RN_BY_FILL || done == 0) return done;
    world->solver->changed(world->self, &(rn_disturbance){.what = RN_CHANGED_COLUMNS,
                                                          .slot = slot,
                                                          .count = 1,
                                                          .top = rn_column_level(c, slot),
                                                          .deepest = c->depth[slot],
                                                          .added = (float)((double)done * world->quantum)});
    return done;
}

/* ---- All columns ----------------------------------------------------------------------------------------- */

typedef struct pouring {
    rn_world *world;
    rn_area_flux shower; /* not a pointer: threads of a GPU cannot read each other's local variables */
} pouring;

/* Whole quanta that a column is due now: the growth of its share of the total, each rounded down, so that no remainder
   is ever lost. 0 or more, for losses too. */
RN_INLINE double quanta_due(const pouring *p, int32_t slot) {
    if (!p->shower.shares) return p->shower.after - p->shower.before;
    double share = p->shower.shares[slot];
    return floor(share * p->shower.after) - floor(share * p->shower.before);
}

/* Applies rain or loss to the column in slot c, as far as it has room or liquid; adds quanta, refused quanta, largest
   depth and level (m) to `part`. The caller has checked that the column exists and is high enough. */
static void apply_to_column(const pouring *p, int32_t c, rn_area_part *part) {
    rn_columns *s = p->world->columns;
    const float quantum = (float)p->world->quantum, base = s->base[c], depth = s->depth[c];
    const float room = (p->shower.takes ? depth : rn_column_room(s, c)) * (float)(1.0 / p->world->quantum);
    const double asked = quanta_due(p, c);
    const float fits = asked < room ? (float)asked : room;
    rn_refuse(&part->refused, asked - (double)fits);
    if (!(fits > 0.0f)) return;
    const float now = p->shower.takes ? depth - fits * quantum : depth + fits * quantum;
    s->depth[c] = now;
    if (s->gained && !p->shower.takes) s->gained[c] += fits * quantum;
    part->quanta += (int64_t)fits;
    part->touched = c;
    part->deepest = now > part->deepest ? now : part->deepest;
    part->top = base + now > part->top ? base + now : part->top;
}

/* Applies rain or loss to `count` columns of a row from slot `first` on: RN_LANES columns at a time if all have room,
   otherwise one by one; adds the result to `part`. takes: the flux removes liquid; shared: it has shares. Both must be
   compile-time constants where that is possible. */
RN_INLINE void apply_to_part(const pouring *p, int32_t first, int count, rn_area_part *part, const bool takes,
                             const bool shared) {
    rn_columns *s = p->world->columns;
    const float quantum = (float)p->world->quantum, per_quantum = (float)(1.0 / p->world->quantum);
    const int32_t end = first + count;
    rn_mask lane;
    for (int k = 0; k < RN_LANES; k++) lane[k] = k;
    rn_wide deepest = {0}, top = {0}, asked = rn_splat((float)(p->shower.after - p->shower.before));
    rn_mask filled = {0};
    int64_t sum = 0;
    for (int32_t c = first; c < end; c += RN_LANES) {
        const rn_wide base = rn_load(s->base + c), depth = rn_load(s->depth + c), ceil = rn_load(s->ceil + c);
        const rn_mask open = (base >= 0.0f) & (base < RN_NO_COLUMN) & (ceil >= p->shower.least_ceil) & (lane < end - c);
        const rn_wide room = (takes ? depth : ceil - base - depth) * per_quantum;
        if (!rn_any(open) || (takes && !rn_any(open & (room > 0.0f)))) continue;
        if (shared)
            for (int k = 0; k < RN_LANES; k++) asked[k] = open[k] ? (float)quanta_due(p, c + k) : 0.0f;
        if (rn_any(open & (room < asked))) {
            for (int k = 0; k < RN_LANES; k++)
                if (open[k]) apply_to_column(p, c + k, part);
            continue;
        }
        const rn_wide change = rn_keep(open, asked * quantum), now = takes ? depth - change : depth + change;
        rn_store(s->depth + c, now);
        if (s->gained && !takes) rn_store(s->gained + c, rn_load(s->gained + c) + change);
        if (shared)
            for (int k = 0; k < RN_LANES; k++) sum += (int64_t)asked[k];
        filled -= open & (asked > 0.0f);
        deepest = rn_greater(rn_keep(open, now), deepest);
        top = rn_greater(rn_keep(open, base + now), top);
        for (int k = 0; part->touched < 0 && k < RN_LANES; k++)
            if (open[k] && asked[k] > 0.0f) part->touched = c + k;
    }
    for (int k = 0; k < RN_LANES && !shared; k++) sum += filled[k] * (int64_t)asked[k];
    part->quanta += sum;
    part->deepest = fmaxf(part->deepest, rn_greatest(deepest));
    part->top = fmaxf(part->top, rn_greatest(top));
}

/* A task over parts, counted through all rows and layers: applies rain or loss, and writes the results to the parts of
   sources. */
static void apply_to_parts(void *context, int begin, int end, int worker) {
    const pouring *p = context;
    const rn_grid *g = &p->world->columns->grid;
    const int parts = rn_area_parts(g->nx);
    (void)worker;
    for (int i = begin; i < end; i++) {
        rn_area_part part = {.touched = -1};
        const int r = i / parts, x = i % parts * RN_AREA_PART;
        const int count = g->nx - x < RN_AREA_PART ? g->nx - x : RN_AREA_PART;
        const int32_t first = rn_slot(g, r / g->ny, r % g->ny, x);
        if (p->shower.shares) apply_to_part(p, first, count, &part, p->shower.takes, true);
        else if (p->shower.takes) apply_to_part(p, first, count, &part, true, false);
        else apply_to_part(p, first, count, &part, false, false);
        p->world->sources.parts[i] = part;
    }
}

/* Adds the result of a part to `sum`. */
static void add_part(rn_area_part *sum, const rn_area_part *part) {
    if (part->refused > 0) sum->refused = 1;
    if (part->touched < 0) return;
    sum->touched = part->touched;
    sum->quanta += part->quanta;
    sum->top = fmaxf(sum->top, part->top);
    sum->deepest = fmaxf(sum->deepest, part->deepest);
}

/* A task over rows that have got rain or a loss: adds to the sums of all sources, and notifies the solver. */
static void settle_rows(void *context, int begin, int end, int worker) {
    const pouring *p = context;
    rn_sources *all = &p->world->sources;
    const int parts = rn_area_parts(p->world->columns->grid.nx);
    int64_t changed = 0;
    uint32_t refuses = 0;
    (void)worker;
    for (int r = begin; r < end; r++) {
        rn_area_part row = {.touched = -1};
        for (int i = r * parts; i < (r + 1) * parts; i++) add_part(&row, &all->parts[i]);
        if (row.refused > 0) refuses = 1;
        if (row.touched < 0) continue;
        rn_disturbance what = {.what = RN_CHANGED_ROW, .slot = row.touched};
        if (!p->shower.takes) what.top = row.top, what.deepest = row.deepest;
        p->world->solver->changed(p->world->self, &what);
        changed += row.quanta;
    }
    rn_short_add(&all->changed, changed);
    rn_short_set(&all->refuses, refuses);
}

void rn_deposit_shower(rn_world *world, const rn_area_flux *shower) {
    const rn_grid *g = &world->columns->grid;
    rn_sources *all = &world->sources;
    const int rows = g->layers * g->ny, parts = rows * rn_area_parts(g->nx);
    pouring p = {world, *shower};
    rn_parallel_for(world->pool, parts, apply_to_parts, &p);
    all->changed = 0;
    all->refuses = 0;
    rn_short_for(world->pool, rows, settle_rows, &p);
    *(shower->takes ? &world->ledger.drained : &world->ledger.poured) += all->changed;
    for (int i = 0; !shower->takes && all->refuses && i < parts; i++)
        rn_refuse(&world->ledger.refused, (double)all->parts[i].refused);
}

void rn_deposit_unknown(rn_world *world, bool fluxes) {
    world->solver->changed(world->self, &(rn_disturbance){.what = RN_CHANGED_ALL, .fluxes = fluxes});
}

/* ---- Values written by hosts ------------------------------------------------------------------------------ */

/* The flux limited to -most..most (m^3/s); 0 if it is not finite. */
static float mend_flux(float flux, float most) {
    if (!isfinite(flux)) return 0.0f;
    return flux > most ? most : flux < -most ? -most : flux;
}

void rn_deposit_mend(rn_world *world) {
    rn_columns *s = world->columns;
    /* as much as the whole height of the world could carry */
    const double height = world->ground.lid - world->datum;
    const float most = (float)(3.0 * world->ground.cell_size * height * sqrt(world->gravity * height));
    for (int layer = 0; layer < s->grid.layers; layer++)
        for (int y = -1; y < s->grid.ny; y++)
            for (int x = -1; x < s->grid.nx; x++) {
                int32_t c = rn_slot(&s->grid, layer, y, x);
                const bool column = s->base[c] < RN_NO_COLUMN;
                s->flux_x[c] = column ? mend_flux(s->flux_x[c], most) : 0.0f;
                s->flux_y[c] = column ? mend_flux(s->flux_y[c], most) : 0.0f;
                if (x < 0 || y < 0) continue;
                double room = column ? rn_column_capacity(s, c) : 0.0;
                double depth = isnan(s->depth[c]) ? 0.0 : rn_clamp(s->depth[c], 0.0, room);
                s->depth[c] = (float)(rint(depth / world->quantum) * world->quantum);
            }
}
