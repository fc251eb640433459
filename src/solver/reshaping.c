/* A batch of changed columns, and the liquid in them. Only columns are handled here; solvers handle what joins them.

   Interface and order of calls (solver/reshaping.h):
   - rn_reshape_begin, then rn_reshape_add for every cell that may have changed, in order of y and x (world/apply.c,
     or solver/columns_archive.c when a state is read). Cells whose ranges are unchanged are skipped;
   - rn_reshape_reserve allocates everything that follows needs, so that nothing can fail once columns are written;
   - rn_reshape_write for every changed cell, on any thread;
   - rn_displace (solver/displace.c) places the liquid that has lost its column.

   The solver calls the last three (solver/reshape.c, solver/packets_ground.c). rn_change_of, rn_change_successor and
   rn_change_pass_on tell others what has become of a column.

   Algorithm: rn_reshape_write passes the liquid of each former column on to the new columns that overlap its range.
   Liquid rises with ground that rises by at most a cell. Where a solid takes a part of the area, liquid rises in the
   open part. The rest is counted in `lost`, in whole quanta, so that the volume stays exact. */
#include "solver/reshaping.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

/* The height (m) that two ranges share; negative if they are apart. */
static float overlap(rn_column_shape a, rn_column_shape b) { return fminf(a.ceil, b.ceil) - fmaxf(a.base, b.base); }

/* ---- The batch --------------------------------------------------------------------------------------------- */

void rn_reshape_begin(rn_reshaping *r) {
    r->change_count = r->gap_count = r->node_count = r->fill_count = 0;
    r->unlisted = false;
    r->loses = r->shrink = false; /* a restored state must have exactly the saved columns */
    r->left = r->trapped = r->newly_held = 0;
    r->deepest = r->added = r->top = r->highest = 0.0f;
}

void rn_reshape_free(rn_reshaping *r, const rn_hooks *hooks) {
    void *const buffers[] = {r->changes, r->gaps,  r->lost,  r->levels, r->filled,
                             r->fills,   r->nodes, r->again, r->seen,   r->held};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) rn_free(hooks, buffers[i]);
}

size_t rn_reshape_bytes(const rn_reshaping *r, size_t cells) {
    return r->change_capacity * sizeof *r->changes + r->gap_capacity * sizeof *r->gaps +
           r->lost_capacity * sizeof *r->lost + r->level_capacity * sizeof *r->levels +
           r->filled_capacity * sizeof *r->filled + r->fill_capacity * sizeof *r->fills +
           r->held_capacity * sizeof *r->held + r->seen_capacity * sizeof *r->seen +
           r->node_capacity * sizeof *r->nodes + (r->again ? cells : 0);
}

/* Appends `count` ranges to r->gaps; *first: index of the first. Returns false, with an error text, if memory runs out;
   then some may have been added. */
static bool add_gaps(rn_reshaping *r, const rn_columns *c, const rn_column_shape *gaps, int count, size_t *first) {
    *first = r->gap_count;
    for (int i = 0; i < count; i++) {
        if (!rn_grow(&c->hooks, &r->gaps, &r->gap_capacity, r->gap_count, sizeof *gaps)) return false;
        r->gaps[r->gap_count++] = gaps[i];
    }
    return true;
}

/* Writes the current open ranges of a cell, bottom to top, with their partial solids; returns their number, at most
   RN_MOST_LAYERS. */
static int present_gaps(const rn_columns *c, int x, int y, rn_column_shape *gaps) {
    rn_column_range ranges[RN_MOST_LAYERS];
    const int count = rn_columns_ranges(c, x, y, ranges);
    for (int i = 0; i < count; i++) {
        gaps[i] = (rn_column_shape){.base = ranges[i].base, .ceil = ranges[i].ceil};
        if (c->partial) gaps[i].part = rn_column_partial(c, rn_slot(&c->grid, i, y, x));
    }
    return count;
}

rn_result rn_reshape_add(rn_reshaping *r, const rn_columns *c, int x, int y, const rn_column_shape *gaps, int count) {
    rn_column_shape was[RN_MOST_LAYERS];
    rn_change change = {.x = x, .y = y, .was_count = present_gaps(c, x, y, was), .is_count = count};
    bool same = count == change.was_count;
    for (int i = 0; same && i < count; i++) same = rn_column_shape_equal(&gaps[i], &was[i]);
    if (same) return RN_OK;
    if (!add_gaps(r, c, was, change.was_count, &change.was) || !add_gaps(r, c, gaps, count, &change.is) ||
        !rn_grow(&c->hooks, &r->changes, &r->change_capacity, r->change_count, sizeof change))
        return RN_MEMORY;
    r->changes[r->change_count++] = change;
    return RN_OK;
}

int rn_reshape_layers(const rn_reshaping *r) {
    int layers = 0;
    for (size_t i = 0; i < r->change_count; i++)
        layers = r->changes[i].is_count > layers ? r->changes[i].is_count : layers;
    return layers;
}

const rn_change *rn_change_of(const rn_reshaping *r, int x, int y) {
    size_t low = 0, high = r->change_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const rn_change *c = &r->changes[middle];
        if (c->y < y || (c->y == y && c->x < x)) low = middle + 1;
        else high = middle;
    }
    if (low == r->change_count) return NULL;
    const rn_change *found = &r->changes[low];
    return found->x == x && found->y == y ? found : NULL;
}

int rn_change_successor(const rn_reshaping *r, const rn_change *change, int layer) {
    int heir = -1;
    float most = 0.0f;
    for (int i = 0; i < change->is_count; i++) {
        float shared = overlap((r->gaps + change->was)[layer], (r->gaps + change->is)[i]);
        if (shared <= most) continue;
        most = shared;
        heir = i;
    }
    return heir;
}

/* ---- Columns and their liquid ---------------------------------------------------------------------------------- */

/* A depth (m, whole quanta) in quanta. */
static int64_t to_quanta(const rn_columns *c, float depth) { return (int64_t)((double)depth / c->quantum); }

/* How far (m) rising ground lifts the liquid of a former range, from the base of the lowest new range that overlaps it;
   0 if the ground sinks or rises by more than a cell. Solid from the side or from above does not lift. */
static float lift_by_ground(const rn_columns *c, rn_column_shape was, const rn_column_shape *is, int count) {
    for (int i = 0; i < count; i++)
        if (overlap(was, is[i]) > 0.0f) {
            float rise = is[i].base - was.base;
            return rise > 0.0f && rise <= c->cell ? rise : 0.0f;
        }
    return 0.0f;
}

/* The depth (m) that fits into a range, less what its partial solid takes. */
static float range_capacity(const rn_column_shape *gap) { return (gap->ceil - gap->base) - gap->part.depth; }

/* A depth (m) rounded down to whole quanta. */
static float whole_quanta(const rn_columns *c, float depth) {
    return (float)(floor((double)depth / c->quantum) * c->quantum);
}

/* The depth (m, whole quanta) that range `gap` can hold within range `within`; 0 or less if they do not overlap. */
static float held_depth(const rn_columns *c, const rn_column_shape *gap, rn_column_shape within) {
    if (gap->part.depth == 0.0f)
        return whole_quanta(c, overlap(within, *gap)); /* liquid may stand anywhere in the range */
    const float low = fmaxf(within.base, gap->base), high = fminf(within.ceil, gap->ceil);
    if (high <= low) return 0.0f;
    const float below = rn_partial_depth(&gap->part, gap->base, low),
                all = rn_partial_depth(&gap->part, gap->base, high);
    return whole_quanta(c, all - below);
}

/* Lets `lost` (m) of liquid rise in the open part of those of `count` partly solid ranges that it touches: adds to
   their `depths` (m). Returns how much (m) found room. With `shrink`, the solid takes less of the column in this
   substep instead of displacing liquid, and r->squeezed is set. */
static float squeeze(rn_reshaping *r, bool shrink, rn_column_shape *is, int count, rn_column_shape liquid, float lost,
                     float *depths) {
    float kept = 0.0f;
    for (int i = 0; i < count && lost > kept; i++) {
        if (is[i].part.depth == 0.0f || overlap(liquid, is[i]) <= 0.0f) continue;
        const float lacks = (lost - kept) - (range_capacity(&is[i]) - depths[i]);
        if (shrink && lacks > 0.0f) {
            is[i].part.depth -= fminf(lacks, is[i].part.depth);
            __atomic_store_n(&r->squeezed, true, __ATOMIC_RELAXED);
        }
        const float more = fmaxf(fminf(lost - kept, range_capacity(&is[i]) - depths[i]), 0.0f);
        depths[i] += more;
        kept += more;
    }
    return kept;
}

/* Adds the part of a former column's liquid (depth, m) that keeps its place to `depths` (m, by new layer); the rest is
   counted in `lost`, with its level. `index`: the number of the change; `layer`: the former layer. */
static void pass_liquid_on(rn_reshaping *r, const rn_columns *c, size_t index, int layer, float depth, float *depths) {
    const rn_change *change = &r->changes[index];
    const rn_column_shape was = (r->gaps + change->was)[layer];
    rn_column_shape *is = r->gaps + change->is;
    const float lift = lift_by_ground(c, was, is, change->is_count);
    const float stand = was.part.depth > 0.0f ? rn_partial_height(&was.part, was.base, depth) : depth;
    const rn_column_shape liquid = {.base = was.base + lift, .ceil = was.base + lift + stand};
    float lost = depth;
    for (int i = 0; i < change->is_count; i++) {
        const float room = range_capacity(&is[i]) - depths[i],
                    kept = fminf(fminf(held_depth(c, &is[i], liquid), room), lost);
        if (kept <= 0.0f) continue;
        depths[i] += kept;
        lost -= kept;
    }
    const bool full = range_capacity(&was) - depth <= RN_FULL * c->quantum; /* stays full while solid waits */
    lost -= squeeze(r, r->shrink && !full, is, change->is_count, liquid, lost, depths);
    r->lost[change->was + (size_t)layer] = to_quanta(c, lost);
    if (lost > 0.0f) r->levels[change->was + (size_t)layer] = was.base + stand;
}

void rn_change_pass_on(const rn_reshaping *r, const rn_grid *g, const rn_change *change, float *values) {
    float now[RN_MOST_LAYERS];
    for (int l = 0; l < change->is_count; l++) now[l] = values[rn_slot(g, 0, change->y, change->x)];
    for (int l = 0; l < change->was_count; l++) {
        const int heir = rn_change_successor(r, change, l);
        if (heir >= 0) now[heir] = values[rn_slot(g, l, change->y, change->x)];
    }
    for (int l = 0; l < change->is_count; l++) values[rn_slot(g, l, change->y, change->x)] = now[l];
}

/* Raises level_before[l] (l: layer of a new column; m above the base of that new column) to the acting levels of the
   former columns that it succeeds: their levels before solid last moved. Call it before columns are written. */
static void inherit_levels(const rn_reshaping *r, const rn_columns *c, const rn_change *change, float *level_before) {
    for (int l = 0; l < change->was_count; l++) {
        const int heir = rn_change_successor(r, change, l);
        const int32_t slot = rn_slot(&c->grid, l, change->y, change->x);
        if (heir < 0) continue;
        const float level = c->base[slot] + rn_column_acting_level(c, slot);
        level_before[heir] = fmaxf(level_before[heir], level - (r->gaps + change->is)[heir].base);
    }
}

void rn_reshape_write(rn_reshaping *r, rn_columns *c, size_t index) {
    const rn_change *change = &r->changes[index];
    const rn_column_shape *is = r->gaps + change->is;
    float depths[RN_MOST_LAYERS] = {0}, level_before[RN_MOST_LAYERS];
    for (int l = 0; l < change->is_count; l++) level_before[l] = RN_NEW;
    if (c->partial) inherit_levels(r, c, change, level_before);
    if (c->rough) rn_change_pass_on(r, &c->grid, change, c->kappa);
    if (c->laws) rn_change_pass_on(r, &c->grid, change, c->manning);
    if (c->laws) rn_change_pass_on(r, &c->grid, change, c->chezy);
    if (c->angles) rn_change_pass_on(r, &c->grid, change, c->advancing);
    if (c->angles) rn_change_pass_on(r, &c->grid, change, c->receding);
    for (int l = 0; l < change->was_count; l++) {
        float depth = c->depth[rn_slot(&c->grid, l, change->y, change->x)];
        r->levels[change->was + (size_t)l] = r->gaps[change->was + (size_t)l].ceil;
        if (depth > 0.0f) pass_liquid_on(r, c, index, l, depth, depths);
    }
    for (int l = 0; l < c->grid.layers; l++) {
        const int32_t slot = rn_slot(&c->grid, l, change->y, change->x);
        const bool column = l < change->is_count;
        c->base[slot] = column ? is[l].base : RN_NO_COLUMN;
        c->ceil[slot] = column ? is[l].ceil : RN_NO_COLUMN;
        if (c->partial) {
            c->solid_low[slot] = column ? is[l].part.low : 0.0f;
            c->solid_high[slot] = column ? is[l].part.high : 0.0f;
            c->solid_depth[slot] = column ? is[l].part.depth : 0.0f;
            c->pre_move_level[slot] = column ? level_before[l] : 0.0f;
        }
        c->depth[slot] = column && is[l].base >= 0.0f ? depths[l] : 0.0f;
        if (column && is[l].base < 0.0f) __atomic_fetch_add(&r->left, to_quanta(c, depths[l]), __ATOMIC_RELAXED);
    }
}

/* ---- Before columns are written -------------------------------------------------------------------------------- */

/* Allocates the arrays over slots, cells and gaps, and clears `lost`. Returns RN_MEMORY, with a message, if memory runs
   out; then some may have grown. */
static rn_result make_room(rn_reshaping *r, const rn_columns *c) {
    const size_t slots = (size_t)c->grid.slots, cells = (size_t)c->grid.nx * (size_t)c->grid.ny;
    bool fine = rn_renew(&c->hooks, &r->filled, &r->filled_capacity, slots, sizeof *r->filled);
    fine = rn_renew(&c->hooks, &r->lost, &r->lost_capacity, r->gap_count, sizeof *r->lost) && fine;
    fine = rn_renew(&c->hooks, &r->seen, &r->seen_capacity, slots + r->gap_count, sizeof *r->seen) && fine;
    fine = rn_renew(&c->hooks, &r->levels, &r->level_capacity, r->gap_count, sizeof *r->levels) && fine;
    if (!r->again) r->again = rn_alloc(&c->hooks, cells, sizeof *r->again);
    if (!fine || !r->again) return RN_MEMORY;
    memset(r->lost, 0, r->gap_count * sizeof *r->lost);
    return RN_OK;
}

/* Adds the former ranges of held liquid to `gaps`: it takes part as if its range had just been closed. Without `give`
   adds none. Returns RN_MEMORY, with a message, if memory runs out. */
static rn_result recall_held(rn_reshaping *r, const rn_columns *c) {
    r->held_gap = r->gap_count;
    for (size_t i = 0; r->give > 0.0 && i < r->held_count; i++) {
        size_t first;
        if (!add_gaps(r, c, &r->held[i].gap, 1, &first)) return RN_MEMORY;
    }
    return RN_OK;
}

/* Counts held liquid as lost, in the ranges that recall_held added. */
static void offer_held(rn_reshaping *r) {
    for (size_t i = 0; r->give > 0.0 && i < r->held_count; i++) {
        r->lost[r->held_gap + i] = r->held[i].quanta;
        r->levels[r->held_gap + i] = r->held[i].level;
        r->loses = true;
    }
}

rn_result rn_reshape_reserve(rn_reshaping *r, const rn_columns *c) {
    rn_result result = recall_held(r, c);
    if (result == RN_OK) result = make_room(r, c);
    if (result == RN_OK) offer_held(r);
    return result;
}
