#include "solver/reshape.h"

#include "base/memory.h"
#include "solver/seams.h"

#include <math.h>
#include <string.h>

static float overlap(rn_gap a, rn_gap b) { return fminf(a.ceil, b.ceil) - fmaxf(a.base, b.base); }

/* ---- The batch --------------------------------------------------------------------------------------------- */

void rn_reshape_begin(rn_reshaping *r) {
    r->change_count = r->gap_count = r->seam_count = r->node_count = 0;
    r->loses = r->patient = false; /* a state that is restored must have its columns as they are told */
    r->loose.count = 0;
    r->loose.failed = false;
    r->left = r->trapped = r->withheld = 0;
    r->deepest = r->added = r->top = r->highest = 0.0f;
}

void rn_reshape_free(rn_reshaping *r, const rn_hooks *hooks) {
    void *const buffers[] = {r->changes, r->gaps,  r->lost,  r->levels,      r->filled, r->fills, r->seams, r->slices,
                             r->records, r->pipes, r->nodes, r->loose.pipes, r->again,  r->seen,  r->held};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) rn_free(hooks, buffers[i]);
}

size_t rn_reshape_bytes(const rn_reshaping *r, size_t cells) {
    return r->change_capacity * sizeof(rn_change) + r->gap_capacity * sizeof(rn_gap) +
           r->lost_capacity * sizeof *r->lost + r->level_capacity * sizeof *r->levels +
           r->filled_capacity * sizeof *r->filled + r->fill_capacity * sizeof(int32_t) +
           r->held_capacity * sizeof(rn_held) + r->seen_capacity * sizeof *r->seen +
           r->node_capacity * sizeof(rn_pushed) + rn_seams_bytes(r) + (r->again ? cells : 0);
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
    if (gap->part.taken == 0.0f) return whole_quanta(s, overlap(of, *gap)); /* liquid in a part stands anywhere */
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
            __atomic_store_n(&r->squeezed, true, __ATOMIC_RELAXED);
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

/* Others of the same row may be written at once. */
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
        const bool column = l < change->is_count, was_roofed = rn_is_roofed(s, slot);
        rn_row *row = rn_row_at(s, l, change->y);
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
        if (s->depth[slot] > 0.0f) __atomic_store_n(&row->wet, true, __ATOMIC_RELAXED);
        __atomic_fetch_add(&row->roofed, rn_is_roofed(s, slot) - was_roofed, __ATOMIC_RELAXED);
        if (column && is[l].base < 0.0f) __atomic_fetch_add(&r->left, quanta_of(s, depths[l]), __ATOMIC_RELAXED);
    }
}

typedef struct writing {
    rn_reshaping *r;
    rn_state *s;
} writing;

static void write_cells(void *context, int begin, int end, int worker) {
    const writing *job = context;
    (void)worker;
    for (int i = begin; i < end; i++) write_columns(job->r, job->s, (size_t)i);
}

/* ---- The whole ------------------------------------------------------------------------------------------------- */

static rn_result reserve(rn_reshaping *r, rn_state *s) {
    const size_t slots = (size_t)s->grid.slots, cells = (size_t)s->grid.nx * (size_t)s->grid.ny;
    void *lost = r->lost, *seen = r->seen, *levels = r->levels, *filled = r->filled;
    bool fine = rn_renew(&s->hooks, &filled, &r->filled_capacity, slots, sizeof *r->filled);
    fine = rn_renew(&s->hooks, &lost, &r->lost_capacity, r->gap_count, sizeof *r->lost) && fine;
    fine = rn_renew(&s->hooks, &seen, &r->seen_capacity, slots + r->gap_count, sizeof *r->seen) && fine;
    fine = rn_renew(&s->hooks, &levels, &r->level_capacity, r->gap_count, sizeof *r->levels) && fine;
    r->lost = lost;
    r->levels = levels;
    r->filled = filled;
    r->seen = seen;
    if (!r->again) r->again = rn_alloc(&s->hooks, cells, sizeof *r->again);
    if (!fine || !r->again) return RN_MEMORY;
    memset(r->lost, 0, r->gap_count * sizeof *r->lost);
    return RN_OK;
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
    rn_result result = recall_held(r, s);
    if (result == RN_OK) result = reserve(r, s);
    if (result != RN_OK) return result;
    offer_held(r);
    rn_displace(r, s);
    return RN_OK;
}

rn_result rn_reshape_apply(rn_reshaping *r, rn_state *s, rn_pool *pool) {
    if (r->change_count == 0) return r->held_count > 0 && r->give > 0.0 ? give_held(r, s) : RN_OK;
    rn_result result = rn_graph_grow(s, rn_reshape_layers(r));
    if (result == RN_OK) result = recall_held(r, s);
    if (result == RN_OK) result = reserve(r, s);
    if (result == RN_OK) result = rn_seams_open(r, s, pool);
    if (result != RN_OK) return result;
    offer_held(r);
    rn_parallel_for(pool, (int)r->change_count, write_cells, &(writing){r, s});
    for (size_t i = 0; i < r->gap_count; i++) r->loses |= r->lost[i] > 0;
    rn_displace(r, s);
    return rn_seams_close(r, s, pool);
}

/* ---- Pipes that solid shuts in a part -------------------------------------------------------------------------- */

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

/* A pipe is shut as it is told, or opened. */
static void shut_pipe(rn_state *s, int32_t i, const rn_shut *is, float chink) {
    if (!is && s->loose_shut[i] == 0.0f) return;
    const float was = s->loose_shut[i] == RN_NEW ? 0.0f : rn_loose_open(s, i);
    const bool known = s->loose_shut[i] != RN_NEW || is;
    const float floor = fmaxf(s->base[s->loose_a[i]], s->base[s->loose_b[i]] - s->loose_drop[i]);
    s->loose_low[i] = !is ? 0.0f : is->low - floor <= chink ? fminf(is->low, floor) : is->low;
    s->loose_high[i] = is ? is->high : 0.0f;
    s->loose_shut[i] = is ? is->share : 0.0f;
    if (!known) return;
    const float height = rn_felt_height(s, s->loose_a[i], s->loose_b[i], s->loose_drop[i]);
    if (is) s->loose_speed[i] = is->speed;
    s->loose_flux[i] = reopened(s->loose_flux[i], was, rn_loose_open(s, i), height, s->cell, s->loose_speed[i]);
}

typedef struct shutting {
    rn_state *s;
    const rn_shut *list;
    size_t count;
    float chink; /* m */
} shutting;

static void shut_pipes(void *context, int begin, int end, int worker) {
    const shutting *job = context;
    size_t at = 0, high = job->count;
    (void)worker;
    while (at < high) {
        const size_t middle = (at + high) / 2;
        if (job->list[middle].owner < job->s->loose_owner[begin]) at = middle + 1;
        else high = middle;
    }
    for (int32_t i = begin; i < end; i++) {
        const int32_t owner = job->s->loose_owner[i];
        while (at < job->count && job->list[at].owner < owner) at++;
        shut_pipe(job->s, i, at < job->count && job->list[at].owner == owner ? &job->list[at] : NULL, job->chink);
    }
}

void rn_reshape_shut(rn_state *s, rn_pool *pool, const rn_shut *list, size_t count, float chink) {
    for (int32_t i = 0; s->parted && i < s->special_count; i++) {
        const int32_t c = s->specials[i].slot;
        if (rn_is_parted(s, c) && s->solid_felt[c] == RN_NEW) s->solid_felt[c] = level_beside(s, &s->specials[i]);
    }
    rn_parallel_for(pool, s->loose_inner, shut_pipes, &(shutting){s, list, count, chink});
}
