/* The last part of an implicit solve: transfers in whole quanta that every column can give and take.

   Interface: rn_newton_repair (solver/newton.h). rn_implicit_step calls it once the solved heads are turned into
   transfers (finish_rows, finish_irregular) and rn_flood_list has made the lists of passages; speeds and depths
   follow from what it leaves. It begins by rounding the flow through ducts (rn_passages_take).

   Algorithm: the heads of the solve balance every column only to within its tolerance, and rounding adds some
   quanta. rn_newton_repair sweeps over all columns. It finds the share of the outflows that a column can give and
   the share of the inflows that it has room for, and multiplies each transfer by the smaller share of its two ends.
   Net sums count first, because liquid may pass through several columns in a substep. A cut changes the balance of
   the column at the other end, so sweeps are repeated until nothing is cut. If SWEEPS rounds do not suffice, gross
   sums are used, which are always safe, and ducts move nothing in this substep. Passages are limited as a whole
   (rn_passages_repair). */
#include "solver/newton.h"

enum { SWEEPS = 60 };

/* The work of find_row_shares in a row, by lanes. */
static void find_shares_of_row(const void *context) {
    const row_work *work = context;
    const rn_state *s = work->n.step.s;
    float *const in_share = work->n.implicit->take;
    rn_mask limited = {0};
    RN_FOR_VECTORS(c, work->first, work->end) {
        const rn_wide in = flow_in(s, c), out = flow_out(s, c), depth = rn_load(s->columns.depth + c),
                      base = rn_load(s->columns.base + c), most = rn_load(s->columns.ceil + c) - base,
                      now = (depth - out) + in;
        rn_mask junction; /* handled later, with all their pipes */
        memcpy(&junction, s->graph.junction_of + c, sizeof junction);
        const rn_mask column = (base < RN_NO_COLUMN) & (junction == 0), under = (now < 0.0f) & column,
                      over = (now > most) & column;
        rn_store(s->graph.share + c, rn_select(under, (depth + in) / out * RN_SAFE, rn_splat(1.0f)));
        rn_store(in_share + c, rn_select(over, rn_positive(((most - depth) + out) / in * RN_SAFE), rn_splat(1.0f)));
        limited |= under | over;
    }
    if (rn_any(limited)) rn_row_at(s, work->at.layer, work->at.y)->limited = true;
}

/* A task over rows: writes shares of outflows to `share`, of inflows to `take`, by net sums; 1 at junctions, which
   follow later. Marks rows where one is below 1. */
static void find_row_shares(void *context, int begin, int end, int worker) {
    for (int r = begin; r < end; r++) {
        const row_work work = row_work_at(context, r, worker);
        const rn_state *s = work.n.step.s;
        rn_row_at(s, work.at.layer, work.at.y)->limited = false;
        if (is_idle(&work.n, &work.at)) continue;
        rn_lanes_run(find_shares_of_row, &work);
        mirror_row(s, s->graph.share, work.at.layer, work.at.y);
        mirror_row(s, work.n.implicit->take, work.at.layer, work.at.y);
    }
}

/* Marks the row of a column, also one beyond an edge, for another sweep. */
static void mark_limited(const rn_state *s, int32_t slot) {
    const rn_spot at = rn_slot_place(&s->columns.grid, slot);
    rn_row_at(s, at.layer, at.y)->limited = true;
}

/* Writes the shares of junctions, by all their pipes and net sums, and marks rows with a share below 1. No junction may
   give or take more than can be counted exactly; up to that sinks take everything. By lanes, which wait for each
   other. */
static void find_junction_shares(const newton *n) {
    const rn_state *s = n->step.s;
    float *const in_share = n->implicit->take;
    RN_FOR_ITEMS (i, 0, s->graph.junction_count) {
        const rn_junction *junction = &s->graph.junctions[i];
        const int32_t c = junction->slot;
        s->graph.share[c] = in_share[c] = 1.0f;
        float out, in;
        irregular_sums(s, junction, &out, &in);
        if (junction->sink) { /* takes everything, up to what can be counted exactly */
            if (in > rn_most_at_once(n->step.params)) in_share[c] = rn_most_at_once(n->step.params) / in * RN_SAFE;
            if (in_share[c] < 1.0f) mark_limited(s, c);
            continue;
        }
        out += flow_out(s, c)[0];
        in += flow_in(s, c)[0];
        const float most = rn_column_capacity(&s->columns, c), now = (s->columns.depth[c] - out) + in;
        if (now < 0.0f) s->graph.share[c] = (s->columns.depth[c] + in) / out * RN_SAFE;
        if (now > most) in_share[c] = fmaxf(((most - s->columns.depth[c]) + out) / in * RN_SAFE, 0.0f);
        const float countable = rn_most_at_once(n->step.params);
        if (out > countable) s->graph.share[c] = fminf(s->graph.share[c], countable / out * RN_SAFE);
        if (in > countable) in_share[c] = fminf(in_share[c], countable / in * RN_SAFE);
        if (s->graph.share[c] < 1.0f || in_share[c] < 1.0f) mark_limited(s, c);
    }
    rn_lanes_meet();
    if (s->graph.junction_count == 0) return;
    mirror_by_lanes(s, s->graph.share);
    mirror_by_lanes(s, in_share);
}

/* The work of limit_rows in a row, by lanes. */
static void limit_row(const void *context) {
    const row_work *work = context;
    const rn_state *s = work->n.step.s;
    const rn_step_params params = *work->n.step.params;
    const float *const in_share = work->n.implicit->take, *const out_share = s->graph.share;
    for (int axis = 0; axis < 2; axis++) {
        const int32_t next = axis == 0 ? 1 : s->columns.grid.stride;
        float *const move = axis == 0 ? s->graph.transfer_x : s->graph.transfer_y, *const flux =
                                                                                       axis == 0 ? s->columns.flux_x
                                                                                                 : s->columns.flux_y;
        const uint8_t *const pipes = axis == 0 ? s->graph.pipe_x : s->graph.pipe_y;
        RN_FOR_VECTORS(i, work->first, work->end) {
            const rn_wide t = rn_load(move + i);
            const rn_mask ahead = t > 0.0f;
            const rn_wide share = rn_lesser(rn_select(ahead, rn_load(out_share + i), rn_load(out_share + i + next)),
                                            rn_select(ahead, rn_load(in_share + i + next), rn_load(in_share + i)));
            const rn_mask cut = (share < 1.0f) & (t != 0.0f) & load_open(pipes + i);
            if (!rn_any(cut)) continue;
            const rn_wide f = rn_load(flux + i);
            rn_store(move + i, rn_select(cut, rn_limit_transfer(&params, t, share), t));
            rn_store(flux + i, rn_select(cut, rn_limit_flux(f, share), f));
        }
    }
}

/* A task over rows: multiplies transfers and fluxes by the giver's `share` or the taker's `take`, whichever is smaller.
   Ducts and falls stay. */
static void limit_rows(void *context, int begin, int end, int worker) {
    for (int r = begin; r < end; r++) {
        const row_work work = row_work_at(context, r, worker);
        if (!rn_row_at(work.n.step.s, work.at.layer, work.at.y)->zero_flux) rn_lanes_run(limit_row, &work);
    }
}

/* By lanes: multiplies transfers and fluxes of irregular pipes that are not ducts by the giver's `share` or the taker's
   `take`, whichever is smaller. */
static void limit_irregular(const void *context) {
    const newton *n = context;
    const rn_state *s = n->step.s;
    const float *const in_share = n->implicit->take;
    RN_FOR_ITEMS (i, 0, s->graph.irregular_count) {
        const float t = s->graph.irregular_transfer[i];
        const int32_t from = t > 0.0f ? s->graph.irregular_a[i] : s->graph.irregular_b[i],
                      to = t > 0.0f ? s->graph.irregular_b[i] : s->graph.irregular_a[i];
        const float share = fminf(s->graph.share[from], in_share[to]);
        if (t == 0.0f || share >= 1.0f || (s->graph.irregular_kind[i] & RN_PIPE_DUCT)) continue;
        s->graph.irregular_transfer[i] = rn_limit_transfer(n->step.params, rn_splat(t), rn_splat(share))[0];
        s->graph.irregular_flux[i] = rn_limit_flux(rn_splat(s->graph.irregular_flux[i]), rn_splat(share))[0];
    }
}

/* Copies transfers across periodic edges, and clears the marks of rows beyond the edges, which no pass over rows
   visits: they have at most sinks. By lanes; context: the address of the state. */
static void begin_sweep(const void *context) {
    const rn_state *s = *(rn_state *const *)context;
    mirror_pipes_by_lanes(s, s->graph.transfer_x, s->graph.transfer_y);
    RN_FOR_ITEMS (l, 0, s->columns.grid.layers)
        rn_row_at(s, l, -1)->limited = rn_row_at(s, l, s->columns.grid.ny)->limited = false;
}

/* By lanes: find_junction_shares, then sets implicit->limited to whether any row, also beyond the edges, is marked as
   limited. */
static void end_sweep(const void *context) {
    const newton *n = context;
    const rn_state *s = n->step.s;
    bool any = false;
    find_junction_shares(n);
    RN_FOR_ITEMS (i, 0, s->columns.grid.layers * (s->columns.grid.ny + 2)) any = any || s->schedule.rows[i].limited;
    any = rn_lanes_any(any);
    if (rn_lanes_own() == 0) n->implicit->limited = any;
}

/* Uses net sums first, because liquid may pass through several columns in one substep, and gross sums if that takes
   too long. Passages are limited as a whole. */
void rn_newton_repair(newton *n, rn_flood *flood, rn_pool *pool) {
    rn_state *s = n->step.s;
    rn_passages_take(flood, s, n->step.params);
    bool legal = false;
    for (int sweep = 0; sweep < SWEEPS && !legal; sweep++) {
        rn_lanes_run(begin_sweep, &s);
        rn_parallel_for(pool, row_count(s), find_row_shares, n);
        rn_lanes_run(end_sweep, n);
        legal = !n->implicit->limited;
        if (legal) break;
        rn_parallel_for(pool, row_count(s), limit_rows, n);
        if (s->graph.irregular_count > 0) rn_lanes_run(limit_irregular, n);
        rn_passages_repair(flood, s, n->step.params, s->graph.share, n->implicit->take);
    }
    rn_passages_release(flood, s);
    if (legal) return;
    rn_passages_stop(flood, s);
    mirror_pipes(s, s->graph.transfer_x, s->graph.transfer_y);
    mirror_pipes(s, s->columns.flux_x, s->columns.flux_y);
    rn_pipes_limit(&n->step, pool, true);
    rn_pipes_limit(&n->step, pool, false);
}
