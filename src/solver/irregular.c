/* Fluxes, limits and depths at junctions: the columns where irregular pipes end.

   Interface (solver/irregular.h), in the order in which solver/pipes.c calls it: rn_irregular_look lists the pipes
   with liquid; rn_irregular_fluxes finds fluxes and transfers of the paper's model; rn_irregular_check marks
   junctions that would run dry or over; rn_irregular_shares finds how much they can give and take, and
   rn_irregular_limits cuts their transfers; rn_irregular_free_shares sets shares back to 1; rn_irregular_depths
   makes the transfers.

   Order of calls: with momentum, solver/connections.c lists wet junctions and finds transfers in place of the first
   two. The rest runs in both models, after the row loops of ordinary pipes have found their transfers.
   rn_irregular_depths comes last, once all limits are known.

   Algorithm: row loops handle one pipe per side and treat a junction as if it had no others. This file does their
   work for irregular pipes; a junction is limited by the transfers of all its pipes, ordinary ones included. A
   pipe's transfer is added at both ends by a gather over junctions, in the order of their links, so that sums are
   the same for any number of threads. A sink takes everything, up to what can be counted exactly. */
#include "solver/irregular.h"

#include "base/lanes.h"
#include "solver/passages.h"
#include "solver/tiles.h"

/* ---- Wet pipes ---------------------------------------------------------------------------------------------- */

/* Adds junction `i` to the busy ones, unless it is listed. */
static void list_junction(rn_state *s, int32_t i) {
    if (s->graph.junctions[i].listed) return;
    s->graph.junctions[i].listed = 1;
    s->schedule.busy[s->schedule.busy_count++] = i;
}

/* Lists wet pipes and their junctions. Pipes with two dry ends carry nothing, and get flux and transfer 0; columns with
   only such pipes count as ordinary. */
static void list_wet(rn_state *s) {
    for (int32_t i = 0; i < s->schedule.busy_count; i++) s->graph.junctions[s->schedule.busy[i]].listed = 0;
    s->schedule.wet_count = s->schedule.busy_count = 0;
    for (int32_t i = 0; i < s->graph.irregular_count; i++) {
        const int32_t a = s->graph.irregular_a[i], b = s->graph.irregular_b[i];
        if (s->columns.depth[a] > 0.0f || s->columns.depth[b] > 0.0f) {
            s->schedule.wet_pipes[s->schedule.wet_count++] = i;
            list_junction(s, s->graph.junction_of[a] - 1);
            list_junction(s, s->graph.junction_of[b] - 1);
        } else if (s->graph.irregular_flux[i] != 0.0f || s->graph.irregular_transfer[i] != 0.0f) {
            s->graph.irregular_flux[i] = s->graph.irregular_transfer[i] = 0.0f;
        }
    }
}

void rn_irregular_look(substep *step) { list_wet(step->s); }

/* ---- Fluxes by the paper's equations ------------------------------------------------------------------------- */

/* Sets fluxes and transfers of the first of `count` irregular pipes, at most RN_LANES, and raises *speed (m/s); lanes
   past the last pipe repeat it. Ducts count as closed here. */
static void find_batch_fluxes(const substep *step, const int32_t *pipes, int count, rn_wide *speed) {
    rn_state *s = step->s;
    rn_ends p;
    rn_wide tilt, f;
    for (int lane = 0; lane < RN_LANES; lane++) {
        const int32_t n = pipes[lane < count ? lane : count - 1], i = s->graph.irregular_a[n],
                      j = s->graph.irregular_b[n];
        const bool duct = s->graph.irregular_kind[n] & RN_PIPE_DUCT; /* closed here: see solver/passages.c */
        const float drop = s->graph.irregular_drop[n];
        p.bi[lane] = s->columns.base[i], p.di[lane] = rn_column_height(&s->columns, i);
        p.bj[lane] = s->columns.base[j] - drop, p.dj[lane] = rn_column_height(&s->columns, j);
        p.ci[lane] = duct ? p.bi[lane] : s->columns.ceil[i];
        p.cj[lane] = duct ? p.bj[lane] : s->columns.ceil[j] - drop;
        tilt[lane] = step->params->tilt[s->graph.irregular_axis[n]];
        f[lane] = s->graph.irregular_flux[n];
    }
    const rn_flow out = rn_pipe_paper(step->params, &p, (p.bi + p.di) - (p.bj + p.dj) + tilt, f);
    *speed = rn_greater(out.speed, *speed);
    for (int lane = 0; lane < count && lane < RN_LANES; lane++) {
        s->graph.irregular_flux[pipes[lane]] = out.f[lane];
        s->graph.irregular_transfer[pipes[lane]] = out.t[lane];
    }
}

/* A task over batches of RN_LANES wet pipes: their fluxes and transfers; raises the worker's highest speed. */
static void flux_batches(void *context, int begin, int end, int worker) {
    const substep *step = context;
    rn_wide speed = {0};
    for (int b = begin; b < end; b++) {
        const int first = b * RN_LANES;
        find_batch_fluxes(step, step->s->schedule.wet_pipes + first, step->s->schedule.wet_count - first, &speed);
    }
    raise(&step->s->schedule.extremes[worker].speed, rn_greatest(speed));
}

void rn_irregular_fluxes(substep *step, rn_pool *pool) {
    rn_parallel_for(pool, (step->s->schedule.wet_count + RN_LANES - 1) / RN_LANES, flux_batches, step);
}

/* ---- Limits ------------------------------------------------------------------------------------------------- */

/* Depths (m) that all pipes of a column take from it, and bring to it. */
typedef struct traffic {
    float out, in;
} traffic;

/* Adds a transfer (m) into the column; a negative one leaves it. */
static void add_traffic(traffic *sum, float into) {
    if (into > 0.0f) sum->in += into;
    else sum->out -= into;
}

/* Sums of all transfers (m) of a junction, by irregular and ordinary pipes; a sink has only irregular ones. */
static traffic junction_traffic(const rn_state *s, const rn_junction *junction) {
    const int32_t c = junction->slot, up = s->columns.grid.stride;
    traffic sum = {0};
    for (int32_t n = junction->begin; n < junction->end; n++) {
        const float t = s->graph.irregular_transfer[s->graph.links[n] / 2];
        add_traffic(&sum, s->graph.links[n] % 2 ? t : -t);
    }
    if (junction->sink) return sum;
    add_traffic(&sum, s->graph.transfer_x[c - 1]);
    add_traffic(&sum, -s->graph.transfer_x[c]);
    add_traffic(&sum, s->graph.transfer_y[c - up]);
    add_traffic(&sum, -s->graph.transfer_y[c]);
    return sum;
}

/* A pass over few junctions takes less time than waiting for other threads, so threads get whole groups. */
enum { GROUP = 512 };

/* The number of groups of busy junctions, the last one perhaps shorter. */
static int group_count(const rn_state *s) { return (s->schedule.busy_count + GROUP - 1) / GROUP; }
/* One past the last busy junction of group `end` - 1, the last group being shorter. */
static int32_t group_end(const rn_state *s, int end) {
    return end * GROUP < s->schedule.busy_count ? end * GROUP : s->schedule.busy_count;
}

void rn_irregular_check_one(const substep *step, rn_junction *junction) {
    const rn_state *s = step->s;
    const traffic sum = junction_traffic(s, junction);
    const float room = junction->sink ? INFINITY : rn_column_room(&s->columns, junction->slot);
    const float most = junction->sink ? rn_most_at_once(step->params) : room;
    junction->limited[0] = !junction->sink && sum.out > s->columns.depth[junction->slot];
    junction->limited[1] = sum.in > most || room <= RN_FULL * s->columns.quantum;
}

/* Busy junctions that lanes work on. */
typedef struct junction_range {
    substep step;
    int32_t begin, end;
} junction_range;

/* The junctions of groups `begin` to `end` - 1. */
static junction_range groups_of(const substep *step, int begin, int end) {
    return (junction_range){*step, begin * GROUP, group_end(step->s, end)};
}

/* The work of check_groups, by lanes. */
static void check_by_lanes(const void *context) {
    const junction_range *job = context;
    rn_state *s = job->step.s;
    RN_FOR_ITEMS (i, job->begin, job->end) {
        rn_junction *junction = &s->graph.junctions[s->schedule.busy[i]];
        rn_irregular_check_one(&job->step, junction);
        rn_tile_limit(s, &s->schedule.tiles[junction->tile], junction->limited[0] ? junction->spot.lines : 0u,
                      junction->limited[1] ? junction->spot.lines : 0u);
    }
}

/* A task over groups of busy junctions: marks those that would give more than they have, and those that would get more
   than they have room for or are full. */
static void check_groups(void *context, int begin, int end, int worker) {
    const junction_range junctions = groups_of(context, begin, end);
    (void)worker;
    rn_lanes_run(check_by_lanes, &junctions);
}

void rn_irregular_check(substep *step, rn_pool *pool) {
    rn_parallel_for(pool, group_count(step->s), check_groups, step);
}

/* The share (0 to 1) of all inflows (`in`) or outflows that a junction can take or give. A sink gives all, and takes
   all up to what can be counted exactly. */
static float junction_share(const substep *step, const rn_junction *junction, bool in) {
    const rn_state *s = step->s;
    const traffic sum = junction_traffic(s, junction);
    if (junction->sink) { /* takes everything, up to what can be counted exactly */
        const float countable = rn_most_at_once(step->params);
        return in && sum.in > countable ? countable / sum.in * RN_SAFE : 1.0f;
    }
    return in ? rn_share_in(step->params, rn_splat(sum.in), rn_splat(rn_column_room(&s->columns, junction->slot)))[0]
              : rn_share_out(rn_splat(sum.out), rn_splat(s->columns.depth[junction->slot]))[0];
}

bool rn_irregular_share_one(const substep *step, const rn_junction *junction, bool in, bool all) {
    const bool limited = all || junction->limited[in];
    if (!limited && !junction->limited[1]) return false;
    float *share = &step->s->graph.share[junction->slot];
    *share = limited ? junction_share(step, junction, in) : 1.0f;
    return *share < 1.0f;
}

/* What lanes work on that limit junctions. */
typedef struct limiting {
    substep step;
    bool in, all;
} limiting;

/* The work of rn_irregular_shares, by lanes. */
static void share_by_lanes(const void *context) {
    const limiting *job = context;
    rn_state *s = job->step.s;
    RN_FOR_ITEMS (i, 0, s->schedule.busy_count)
        if (rn_irregular_share_one(&job->step, &s->graph.junctions[s->schedule.busy[i]], job->in, job->all))
            s->schedule.limited[job->in] = true;
}

void rn_irregular_shares(substep *step, bool in, bool all) {
    rn_lanes_run(share_by_lanes, (&(limiting){*step, in, all}));
}

/* The work of rn_irregular_free_shares, by lanes; context: the address of the state. */
static void free_by_lanes(const void *context) {
    const rn_state *s = *(rn_state *const *)context;
    RN_FOR_ITEMS (i, 0, s->schedule.busy_count) s->graph.share[s->graph.junctions[s->schedule.busy[i]].slot] = 1.0f;
}

void rn_irregular_free_shares(rn_state *s) { rn_lanes_run(free_by_lanes, &s); }

void rn_irregular_limit_one(const substep *step, const rn_junction *junction, bool in) {
    rn_state *s = step->s;
    const float share = s->graph.share[junction->slot];
    for (int32_t n = junction->begin; share < 1.0f && n < junction->end; n++) {
        const int32_t p = s->graph.links[n] / 2;
        const float flow = s->graph.momentum ? s->graph.irregular_transfer[p] : s->graph.irregular_flux[p];
        const bool is_b = s->graph.links[n] % 2, takes = (flow > 0.0f) == is_b;
        if (takes != in || (s->graph.momentum && flow == 0.0f)) continue;
        s->graph.irregular_transfer[p] =
            rn_limit_transfer(step->params, rn_splat(s->graph.irregular_transfer[p]), rn_splat(share))[0];
        if (s->graph.momentum && in && !s->graph.headed) /* otherwise a passage continues at this speed */
            s->graph.irregular_speed[p] = rn_limit_flux(rn_splat(s->graph.irregular_speed[p]), rn_splat(share))[0];
        s->graph.irregular_flux[p] = rn_limit_flux(rn_splat(s->graph.irregular_flux[p]), rn_splat(share))[0];
    }
}

/* The work of rn_irregular_limits, by lanes, with momentum. The sign of a pipe's transfer says which of its ends limits
   it. Limiting keeps the sign or makes the transfer 0, which both ends skip: so both may look at once. */
static void limit_by_lanes(const void *context) {
    const limiting *job = context;
    const rn_state *s = job->step.s;
    RN_FOR_ITEMS (i, 0, s->schedule.busy_count)
        rn_irregular_limit_one(&job->step, &s->graph.junctions[s->schedule.busy[i]], job->in);
}

void rn_irregular_limits(substep *step, bool in) {
    const limiting job = {.step = *step, .in = in};
    if (step->s->graph.momentum) {
        rn_lanes_run(limit_by_lanes, &job);
        return;
    }
    for (int32_t i = 0; i < step->s->schedule.busy_count; i++)
        rn_irregular_limit_one(step, &step->s->graph.junctions[step->s->schedule.busy[i]], in);
}

/* ---- Depths ------------------------------------------------------------------------------------------------- */

/* Raises *most to at least `value`; other threads may raise it at the same time. */
static void raise_shared(float *most, float value) {
    float old;
    __atomic_load(most, &old, __ATOMIC_RELAXED);
    while (value > old && !__atomic_compare_exchange(most, &old, &value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

float rn_irregular_change(const rn_state *s, const rn_junction *junction) {
    float change = 0.0f;
    for (int32_t n = junction->begin; n < junction->end; n++) {
        const float t = s->graph.irregular_transfer[s->graph.links[n] / 2];
        change += s->graph.links[n] % 2 ? t : -t;
    }
    return change;
}

/* The work of fill_groups, by lanes. */
static void fill_by_lanes(const void *context) {
    const junction_range *job = context;
    rn_state *s = job->step.s;
    RN_FOR_ITEMS (i, job->begin, job->end) {
        const rn_junction *junction = &s->graph.junctions[s->schedule.busy[i]];
        const float change = rn_irregular_change(s, junction);
        if (change == 0.0f) continue;
        rn_tile *tile = &s->schedule.tiles[junction->tile];
        s->columns.depth[junction->slot] += change;
        __atomic_store_n(&tile->touched, true, __ATOMIC_RELAXED);
        __atomic_fetch_or(&tile->wet.lines, junction->spot.lines, __ATOMIC_RELAXED);
        __atomic_fetch_or(&tile->wet.blocks, junction->spot.blocks, __ATOMIC_RELAXED);
        raise_shared(&tile->deepest, s->columns.depth[junction->slot]);
    }
}

/* A task over groups of busy junctions: adds the transfers of their irregular pipes to their depths, and wakes the
   tiles of those that change. */
static void fill_groups(void *context, int begin, int end, int worker) {
    const junction_range junctions = groups_of(context, begin, end);
    (void)worker;
    rn_lanes_run(fill_by_lanes, &junctions);
}

void rn_irregular_depths(substep *step, rn_pool *pool) {
    rn_parallel_for(pool, group_count(step->s), fill_groups, step);
}
