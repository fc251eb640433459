/* The linear system of an implicit substep.

   Interface (solver/newton.h): rn_newton_assemble writes the system that solver/multigrid.c solves;
   rn_newton_irregular_drive gives the difference of heads that drives an irregular pipe, which rn_implicit_step also
   needs when it rounds transfers.

   Order of calls: rn_implicit_step calls rn_newton_assemble once per substep, after rn_momentum_predict has found
   next speeds, gains and widths, and after the rows without liquid are known and the others have their strips.
   Newton's rounds change only `own` and `b` of level 0, never its links.

   Algorithm: for every pipe the new flux is kept + gain * (difference of heads). `kept` is the flux after transport
   and drag, `gain` the flux that one metre of head adds in this substep. Rows of the matrix belong to columns, and
   its links are the gains of the pipes. Assembly goes in this order:
   - gains and kept fluxes of all pipes, row by row, then of irregular pipes;
   - kept fluxes are limited to the liquid in columns, and falls to the room below;
   - the heads of the last substep are added, so that the unknown is the change of heads: floats have too few digits
     for the heads themselves;
   - pipes across periodic edges are moved to the irregular links, and the links of each column are summed up. */
#include "solver/newton.h"

/* By lanes: copies heads across periodic edges, next to the edges raised or lowered by the drop of the ground there;
   columns without a head stay at 0. context: the address of the state. */
static void mirror_heads(const void *context) {
    const rn_state *s = *(rn_state *const *)context;
    const rn_grid *g = &s->columns.grid;
    RN_FOR_ITEMS (r, 0, s->columns.periodic_x || s->columns.periodic_y ? row_count(s) : 0) {
        const row_ref p = row_at(s, r);
        mirror_row(s, s->graph.head, p.layer, p.y);
        float *row = s->graph.head + rn_slot(g, p.layer, p.y, 0);
        if (s->columns.periodic_x && row[-1] > 0.0f) row[-1] += s->columns.drop[0];
        if (s->columns.periodic_x && row[g->nx] > 0.0f) row[g->nx] -= s->columns.drop[0];
    }
    rn_lanes_meet();
    for (int l = 0; s->columns.periodic_y && s->columns.drop[1] != 0.0f && l < g->layers; l++)
        RN_FOR_ITEMS (x, 0, g->nx) {
            float *low = s->graph.head + rn_slot(g, l, -1, x), *high = s->graph.head + rn_slot(g, l, g->ny, x);
            if (*low > 0.0f) *low += s->columns.drop[1];
            if (*high > 0.0f) *high -= s->columns.drop[1];
        }
}

/* ---- Kept fluxes, and the gain per head difference --------------------------------------------------------------- */

/* Sets the factors of the new flux of ducts, kept*f + gain*dh, for fluxes f (m^3/s), friction kappa (1/s) and heights H
   (m). Ducts have no transport of momentum, because their cross-sections are constant. */
RN_INLINE void start_ducts(const newton *n, const rn_ends *p, const rn_ducts *d, rn_wide kappa, rn_wide H, rn_wide f,
                           rn_wide *kept, rn_wide *gain) {
    const rn_wide e = rn_select(d->full_i & d->full_j, rn_duct_slope(n->step.params, p), rn_splat(1.0f));
    const rn_wide loss = act_on(n, p, d->hi, d->hj, d->full_i, d->full_j, f).loss;
    rn_duct_split(n->step.params, H, e, rn_duct_drag(n->step.params, kappa + loss, H, e), kept, gain);
}

/* By lanes: writes for the pipes of a row along one axis the kept part of each flux to `move` (m of depth), the gain
   per metre of head to `link`, and the kept flux to `flux` (m^3/s); for ducts `flux` is that before drag, and their
   width is set too. All are 0 where both columns are dry. Raises *height (m). `row`: slot of the row's first column. */
static void start_lanes(const newton *n, int32_t row, int axis, rn_wide *height) {
    const rn_state *s = n->step.s;
    const rn_step_params params = *n->step.params;
    const int32_t next = axis == 0 ? 1 : s->columns.grid.stride;
    float *const flux = axis == 0 ? s->columns.flux_x : s->columns.flux_y;
    float *const width = axis == 0 ? s->graph.width_x : s->graph.width_y;
    const float *const speed = axis == 0 ? s->graph.speed_x : s->graph.speed_y;
    const float *const kicked = axis == 0 ? s->graph.next_x : s->graph.next_y;
    const float *const gains = axis == 0 ? s->graph.gain_x : s->graph.gain_y;
    const uint8_t *const pipes = axis == 0 ? s->graph.pipe_x : s->graph.pipe_y;
    float *const move = axis == 0 ? s->graph.transfer_x : s->graph.transfer_y;
    float *const link = axis == 0 ? n->grid->levels[0].link_x : n->grid->levels[0].link_y;
    RN_FOR_VECTORS(i, row, row + s->columns.grid.nx) {
        const int32_t j = i + next;
        const rn_mask plain = load_plain(pipes + i) & lanes_in(s, row, i); /* next speeds end with the row */
        rn_ends p = {.di = rn_load(s->columns.depth + i), .dj = rn_load(s->columns.depth + j)};
        rn_store(link + i, (rn_wide){0}), rn_store(move + i, (rn_wide){0}), rn_store(flux + i, (rn_wide){0});
        if (!rn_any((rn_mask)p.di | (rn_mask)p.dj)) continue;
        const rn_wide head_i = rn_load(s->graph.head + i), head_j = rn_load(s->graph.head + j);
        const rn_mask full_i = head_i > 0.0f, full_j = head_j > 0.0f, duct = full_i | full_j;
        rn_wide H = rn_keep(plain, rn_load(width + i)), f = rn_keep(plain, rn_load(kicked + i)) * (params.cell * H);
        rn_wide kept = f, gain = rn_load(gains + i) * (params.cell * H);
        if (rn_any(duct)) {
            p.bi = rn_load(s->columns.base + i), p.bj = rn_load(s->columns.base + j);
            p.ci = rn_load(s->columns.ceil + i), p.cj = rn_load(s->columns.ceil + j);
            const rn_ducts d = {rn_select(full_i, head_i, p.bi + p.di), rn_select(full_j, head_j, p.bj + p.dj), full_i,
                                full_j};
            rn_wide kappa = rn_splat(params.kappa), share, added;
            if (s->columns.kappa) kappa = 0.5f * (rn_load(s->columns.kappa + i) + rn_load(s->columns.kappa + j));
            H = rn_select(duct, rn_keep(plain, rn_pipe_room(&p)), H);
            f = rn_select(duct, rn_load(speed + i) * (params.cell * H), f);
            start_ducts(n, &p, &d, kappa, H, f, &share, &added);
            kept = rn_select(duct, share * f, kept), gain = rn_select(duct, added, gain);
            rn_store(width + i, H);
        }
        rn_store(flux + i, f);
        rn_store(move + i, kept * n->per_flux);
        rn_store(link + i, rn_keep(plain, gain * n->per_flux));
        *height = rn_greater(H, *height);
    }
}

/* The work of start_rows in a row, by lanes. */
static void start_row(const void *context) {
    const row_work *work = context;
    rn_wide height = {0};
    start_lanes(&work->n, work->first, 0, &height);
    start_lanes(&work->n, work->first, 1, &height);
    rn_short_raise(&work->n.step.s->schedule.extremes[work->worker].height, rn_greatest(height));
}

/* A task over rows: finds kept fluxes and gains of their pipes along both axes (start_lanes); raises the worker's
   highest cross-section. Skips idle rows whose fluxes are 0 already. */
static void start_rows(void *context, int begin, int end, int worker) {
    for (int r = begin; r < end; r++) {
        const row_work work = row_work_at(context, r, worker);
        rn_row *row = rn_row_at(work.n.step.s, work.at.layer, work.at.y);
        if (is_idle(&work.n, &work.at) && row->zero_flux) continue;
        row->zero_flux = false;
        rn_lanes_run(start_row, &work);
    }
}

/* The ends of irregular pipe `i`, with b lowered by its drop; liquid reaches up to the heads, but at most to the
   ceilings. */
static rn_ends irregular_ends(const newton *n, int32_t i) {
    const rn_state *s = n->step.s;
    const int32_t a = s->graph.irregular_a[i], b = s->graph.irregular_b[i];
    const float drop = s->graph.irregular_drop[i], ha = head_at(s, a), hb = head_at(s, b);
    return (rn_ends){rn_splat(s->columns.base[a]),
                     rn_splat(fminf(ha, s->columns.ceil[a]) - s->columns.base[a]),
                     rn_splat(s->columns.ceil[a]),
                     rn_splat(s->columns.base[b] - drop),
                     rn_splat(fminf(hb, s->columns.ceil[b]) - s->columns.base[b]),
                     rn_splat(s->columns.ceil[b] - drop)};
}

/* Writes kept part, gain and flux of irregular pipe `i`, as start_lanes does for ordinary ones; 0 if both ends are dry.
   Raises the highest cross-section. */
static void start_irregular(const newton *n, int32_t i, rn_extremes *extremes) {
    rn_state *s = n->step.s;
    const rn_step_params *params = n->step.params;
    const int32_t a = s->graph.irregular_a[i], b = s->graph.irregular_b[i];
    rn_connection *connection = &s->connections.faces[i]; /* irregular pipes come first in this list */
    float *link = &n->grid->levels[0].irregular_link[i];
    s->graph.irregular_flux[i] = s->graph.irregular_transfer[i] = *link = 0.0f;
    if (!(s->columns.depth[a] > 0.0f || s->columns.depth[b] > 0.0f)) return;
    float f = s->graph.irregular_next[i] * (params->cell * connection->width), kept = f,
          gain = connection->gain * params->cell * connection->width;
    const bool full_a = s->graph.head[a] > 0.0f, full_b = s->graph.head[b] > 0.0f;
    if (full_a || full_b) {
        const rn_ends p = irregular_ends(n, i);
        const rn_ducts d = {rn_splat(head_at(s, a)), rn_splat(head_at(s, b) - s->graph.irregular_drop[i]),
                            rn_splat(s->graph.head[a]) > 0.0f, rn_splat(s->graph.head[b]) > 0.0f};
        const float kappa = s->columns.kappa ? 0.5f * (s->columns.kappa[a] + s->columns.kappa[b]) : params->kappa;
        rn_wide H = rn_pipe_room(&p), share, added;
        if (s->columns.partial)
            H *= rn_partial_open(fmaxf(p.bi[0], p.bj[0]), H[0], s->graph.irregular_low[i], s->graph.irregular_high[i],
                                 s->graph.irregular_shut[i]);
        f = s->graph.irregular_speed[i] * (params->cell * H[0]);
        start_ducts(n, &p, &d, rn_splat(kappa), H, rn_splat(f), &share, &added);
        kept = share[0] * f, gain = added[0];
        connection->width = H[0];
    }
    s->graph.irregular_flux[i] = f;
    s->graph.irregular_transfer[i] = kept * n->per_flux;
    *link = gain * n->per_flux;
    rn_short_raise(&extremes->height, connection->width);
}

/* By lanes: start_irregular for all irregular pipes. */
static void start_all_irregular(const void *context) {
    const newton *n = context;
    RN_FOR_ITEMS (i, 0, n->step.s->graph.irregular_count) start_irregular(n, i, &n->step.s->schedule.extremes[0]);
}

float rn_newton_irregular_drive(const newton *n, int32_t i) {
    const rn_state *s = n->step.s;
    const int32_t a = s->graph.irregular_a[i], b = s->graph.irregular_b[i];
    const rn_ends p = irregular_ends(n, i);
    const float sill = fmaxf(p.bi[0], p.bj[0]);
    const rn_level *level = &n->grid->levels[0];
    const float ha = level->irregular_a[i] < 0 ? sill : head_at(s, a),
                hb = level->irregular_b[i] < 0 ? sill : head_at(s, b) - s->graph.irregular_drop[i];
    const acting_levels out = act_on(n, &p, rn_splat(ha), rn_splat(hb), rn_splat(s->graph.head[a]) > 0.0f,
                                     rn_splat(s->graph.head[b]) > 0.0f, rn_splat(s->graph.irregular_flux[i]));
    return out.hi[0] - out.hj[0] + n->step.params->tilt[s->graph.irregular_axis[i]];
}

/* ---- Limits of kept fluxes -------------------------------------------------------------------------------------- */

/* The work of find_kept_shares in a row, by lanes. */
static void find_kept_share(const void *context) {
    const row_work *work = context;
    const rn_state *s = work->n.step.s;
    RN_FOR_VECTORS(c, work->first, work->end) {
        const rn_wide out = flow_out(s, c), depth = rn_load(s->columns.depth + c);
        const rn_mask short_of = (out > depth) & (rn_load(s->graph.head + c) <= 0.0f);
        rn_store(s->graph.share + c, rn_select(short_of, depth / out, rn_splat(1.0f)));
    }
}

/* A task over rows: writes to `share` the share of its kept outflows that each column has liquid for; 1 for flooded
   columns. Junctions follow later. */
static void find_kept_shares(void *context, int begin, int end, int worker) {
    for (int r = begin; r < end; r++) {
        const row_work work = row_work_at(context, r, worker);
        if (is_idle(&work.n, &work.at)) continue;
        rn_lanes_run(find_kept_share, &work);
        mirror_row(work.n.step.s, work.n.step.s->graph.share, work.at.layer, work.at.y);
    }
}

/* Writes to `share` the share of their kept outflows that junctions have liquid for, over all their pipes; in partly
   solid ones the inflow counts as such liquid too. Flooded ones and sinks get 1. By lanes, which wait for each other.
 */
static void find_junction_kept_shares(const newton *n) {
    rn_state *s = n->step.s;
    RN_FOR_ITEMS (i, 0, s->graph.junction_count) {
        const int32_t c = s->graph.junctions[i].slot;
        if (s->graph.junctions[i].sink) {
            s->graph.share[c] = 1.0f;
            continue;
        }
        float out, in;
        irregular_sums(s, &s->graph.junctions[i], &out, &in);
        out += flow_out(s, c)[0];
        /* liquid that closing solid pushes out passes on, together with the inflow, in the same substep */
        const float there =
            rn_column_is_partial(&s->columns, c) ? s->columns.depth[c] + (in + flow_in(s, c)[0]) : s->columns.depth[c];
        s->graph.share[c] = out > there && !(s->graph.head[c] > 0.0f) ? there / out : 1.0f;
    }
    rn_lanes_meet();
    if (s->graph.junction_count > 0) mirror_by_lanes(s, s->graph.share);
}

/* What irregular pipe `i` without a gain (a fall) brings to the column at its b (`to_b`) or a (m): 0 if it has a gain,
   or brings something to the other end. */
static float fall_into(const newton *n, int32_t i, bool to_b) {
    const float v = n->step.s->graph.irregular_transfer[i];
    return n->grid->levels[0].irregular_link[i] > 0.0f || (v > 0.0f) != to_b ? 0.0f : fabsf(v);
}

/* Limits what falls bring to a column to its room, because nothing below can push back; sinks take everything. Inflow
   to a column is summed by ascending number of its pipes: solver/multigrid.h. Overwrites implicit->take at their ends.
   By lanes, which wait for each other. */
static void limit_falls(const newton *n) {
    rn_state *s = n->step.s;
    const rn_level *level = &n->grid->levels[0];
    const rn_link_sums *ends = &level->ends;
    float *const coming = n->implicit->take;
    RN_FOR_ITEMS (k, 0, ends->count) {
        float sum = 0.0f;
        for (int32_t m = ends->begin[k]; m < ends->begin[k + 1]; m++)
            if (ends->links[m] / 2 < s->graph.irregular_count)
                sum += fall_into(n, ends->links[m] / 2, ends->links[m] % 2);
        coming[ends->target[k]] = sum;
    }
    rn_lanes_meet();
    RN_FOR_ITEMS (i, 0, s->graph.irregular_count) {
        const float v = s->graph.irregular_transfer[i];
        const int32_t to = v > 0.0f ? s->graph.irregular_b[i] : s->graph.irregular_a[i];
        if (v == 0.0f || level->irregular_link[i] > 0.0f) continue;
        if ((v > 0.0f ? level->irregular_b : level->irregular_a)[i] < 0) continue; /* sinks take everything */
        const float room = rn_column_room(&s->columns, to);
        if (coming[to] > room) s->graph.irregular_transfer[i] = v * (room / coming[to]);
    }
    rn_lanes_meet();
}

/* By lanes: limits kept transfers of irregular pipes by room below, and finds the shares of junctions. */
static void limit_kept(const void *context) {
    limit_falls(context);
    find_junction_kept_shares(context);
}

/* By lanes: limits the kept transfers of a row along one axis by the shares of the giving columns, and adds the flow
   driven by the heads of the last substep. `row`: slot of the row's first column. */
RN_INLINE void add_heads(const newton *n, int32_t row, int axis) {
    const rn_state *s = n->step.s;
    const int32_t next = axis == 0 ? 1 : s->columns.grid.stride;
    float *const move = axis == 0 ? s->graph.transfer_x : s->graph.transfer_y;
    const float *const link = axis == 0 ? n->grid->levels[0].link_x : n->grid->levels[0].link_y;
    const float *const flux = axis == 0 ? s->columns.flux_x : s->columns.flux_y;
    const float tilt = n->step.params->tilt[axis];
    RN_FOR_VECTORS(i, row, row + s->columns.grid.nx) {
        const int32_t j = i + next;
        const rn_wide head_i = rn_load(s->graph.head + i), head_j = rn_load(s->graph.head + j), v = rn_load(move + i),
                      g = rn_load(link + i);
        const rn_mask full_i = head_i > 0.0f, full_j = head_j > 0.0f;
        rn_ends p = {.bi = rn_load(s->columns.base + i),
                     .di = rn_load(s->columns.depth + i),
                     .ci = rn_load(s->columns.ceil + i)};
        p.bj = rn_load(s->columns.base + j), p.dj = rn_load(s->columns.depth + j), p.cj = rn_load(s->columns.ceil + j);
        rn_wide hi = rn_select(full_i, head_i, p.bi + p.di), hj = rn_select(full_j, head_j, p.bj + p.dj);
        if (rn_any(full_i ^ full_j)) {
            const acting_levels out = act_on(n, &p, hi, hj, full_i, full_j, rn_load(flux + i));
            hi = out.hi, hj = out.hj;
        }
        const rn_wide share = rn_select(v > 0.0f, rn_load(s->graph.share + i), rn_load(s->graph.share + j));
        rn_store(move + i, v * share + rn_keep(g > 0.0f, g * ((hi - hj) + tilt)));
    }
}

/* The work of add_heads_in_rows in a row, by lanes. */
static void add_heads_in_row(const void *context) {
    const row_work *work = context;
    add_heads(&work->n, work->first, 0);
    add_heads(&work->n, work->first, 1);
}

/* A task over rows: limits kept transfers by shares and adds the flow driven by the heads of the last substep, along
   both axes. Idle rows are skipped. */
static void add_heads_in_rows(void *context, int begin, int end, int worker) {
    for (int r = begin; r < end; r++) {
        const row_work work = row_work_at(context, r, worker);
        if (!is_idle(&work.n, &work.at)) rn_lanes_run(add_heads_in_row, &work);
    }
}

/* Limits the kept transfers of irregular pipes by the shares of the giving columns, and adds the flow driven by the
   heads of the last substep. By lanes. */
static void add_irregular_heads(const newton *n) {
    rn_state *s = n->step.s;
    RN_FOR_ITEMS (i, 0, s->graph.irregular_count) {
        const float v = s->graph.irregular_transfer[i],
                    share = s->graph.share[v > 0.0f ? s->graph.irregular_a[i] : s->graph.irregular_b[i]];
        const float link = n->grid->levels[0].irregular_link[i];
        s->graph.irregular_transfer[i] = v * share + (link > 0.0f ? link * rn_newton_irregular_drive(n, i) : 0.0f);
    }
}

/* Moves the links across periodic edges to the irregular links of the linear solver, and leaves 0 in their place. By
   lanes. */
static void move_wraps(const newton *n) {
    const rn_state *s = n->step.s;
    const rn_grid *g = &s->columns.grid;
    rn_level *level = &n->grid->levels[0];
    for (int l = 0; l < g->layers; l++) {
        RN_FOR_ITEMS (y, 0, s->columns.periodic_x ? g->ny : 0) {
            const int32_t c = rn_slot(g, l, y, g->nx - 1);
            level->irregular_link[rn_multigrid_wrap(s, 0, c)] = level->link_x[c];
            level->link_x[c] = 0.0f;
        }
        RN_FOR_ITEMS (x, 0, s->columns.periodic_y ? g->nx : 0) {
            const int32_t c = rn_slot(g, l, g->ny - 1, x);
            level->irregular_link[rn_multigrid_wrap(s, 1, c)] = level->link_y[c];
            level->link_y[c] = 0.0f;
        }
    }
}

/* By lanes: irregular pipes and links across periodic edges. */
static void end_assembly(const void *context) {
    const newton *n = context;
    add_irregular_heads(n);
    mirror_pipes_by_lanes(n->step.s, n->step.s->graph.transfer_x, n->step.s->graph.transfer_y);
    move_wraps(n);
}

/* The work of sum_links in a row, by lanes. */
static void sum_row_links(const void *context) {
    const row_work *work = context;
    const rn_state *s = work->n.step.s;
    const rn_level *level = &work->n.grid->levels[0];
    const int32_t up = s->columns.grid.stride;
    RN_FOR_VECTORS(c, work->first, work->end)
    rn_store(s->graph.share + c, (rn_load(level->link_x + c - 1) + rn_load(level->link_x + c)) +
                                     (rn_load(level->link_y + c - up) + rn_load(level->link_y + c)));
}

/* A task over rows: writes the sum of each column's ordinary links to `share`. A column with a sum of 0 needs no solve:
   its depth follows from inflow and outflow. Idle rows are skipped. */
static void sum_links(void *context, int begin, int end, int worker) {
    for (int r = begin; r < end; r++) {
        const row_work work = row_work_at(context, r, worker);
        if (!is_idle(&work.n, &work.at)) rn_lanes_run(sum_row_links, &work);
    }
}

/* By lanes: adds irregular links to these sums, by ascending number. */
static void add_irregular_links(const void *context) {
    const newton *n = context;
    const rn_level *level = &n->grid->levels[0];
    const rn_link_sums *ends = &level->ends;
    float *const share = n->step.s->graph.share;
    RN_FOR_ITEMS (k, 0, ends->count)
        for (int32_t m = ends->begin[k]; m < ends->begin[k + 1]; m++)
            share[ends->target[k]] += level->irregular_link[ends->links[m] / 2];
}

void rn_newton_assemble(newton *n, rn_pool *pool) {
    rn_state *s = n->step.s;
    if (s->columns.periodic_x || s->columns.periodic_y) rn_lanes_run(mirror_heads, &s);
    rn_parallel_for(pool, row_count(s), start_rows, n);
    if (s->graph.irregular_count > 0) rn_lanes_run(start_all_irregular, n);
    newton_mirror(s);
    rn_parallel_for(pool, row_count(s), find_kept_shares, n);
    if (s->graph.irregular_count > 0) rn_lanes_run(limit_kept, n);
    rn_parallel_for(pool, row_count(s), add_heads_in_rows, n);
    if (n->grid->levels[0].irregular_count > 0) rn_lanes_run(end_assembly, n);
    rn_parallel_for(pool, row_count(s), sum_links, n);
    if (n->grid->levels[0].irregular_count > 0) rn_lanes_run(add_irregular_links, n);
}
