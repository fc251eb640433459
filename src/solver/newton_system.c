/* The linear system of one substep: for every pipe what is kept of its flux, and what a metre of head adds. */
#include "solver/newton.h"

/* Past a periodic edge a head counts as much lower as the ground does. */
static void mirror_heads(rn_state *s) {
    const rn_grid *g = &s->columns.grid;
    for (int r = 0; (s->columns.periodic_x || s->columns.periodic_y) && r < row_count(s); r++) {
        const place p = row_place(s, r);
        mirror_row(s, s->graph.head, p.layer, p.y);
        float *row = s->graph.head + rn_slot(g, p.layer, p.y, 0);
        if (s->columns.periodic_x && row[-1] > 0.0f) row[-1] += s->columns.drop[0];
        if (s->columns.periodic_x && row[g->nx] > 0.0f) row[g->nx] -= s->columns.drop[0];
    }
    for (int l = 0; s->columns.periodic_y && s->columns.drop[1] != 0.0f && l < g->layers; l++)
        for (int x = 0; x < g->nx; x++) {
            float *low = s->graph.head + rn_slot(g, l, -1, x), *high = s->graph.head + rn_slot(g, l, g->ny, x);
            if (*low > 0.0f) *low += s->columns.drop[1];
            if (*high > 0.0f) *high -= s->columns.drop[1];
        }
}

/* ---- Fluxes: what is kept, and what a head difference adds ------------------------------------------------------- */

typedef struct wide_gauge {
    rn_wide height, fast_speed;
} wide_gauge;

/* Leaves what is kept of a flux in `move`, as m of depth, and what 1 m of head adds in `link`. */
static void start_lanes(const newton *n, int32_t row, int axis, wide_gauge *peak) {
    const rn_state *s = n->step.s;
    const rn_law law = *n->step.law;
    const int32_t next = axis == 0 ? 1 : s->columns.grid.stride;
    const float *const flux = axis == 0 ? s->columns.flux_x : s->columns.flux_y, *const across = axis == 0
                                                                                                     ? s->graph.slope_y
                                                                                                     : s->graph.slope_x;
    const uint8_t *const pipes = axis == 0 ? s->graph.pipe_x : s->graph.pipe_y;
    float *const move = axis == 0 ? s->graph.move_x : s->graph.move_y;
    float *const link = axis == 0 ? n->grid->levels[0].link_x : n->grid->levels[0].link_y;
    const float tilt = law.tilt[axis], tilt_across = law.tilt[1 - axis];
    const rn_wide zero = {0}, one = rn_splat(1.0f);
    for (int32_t i = row; i < row + s->columns.grid.nx; i += RN_LANES) {
        const int32_t j = i + next;
        rn_ends p = {.di = rn_load(s->columns.depth + i), .dj = rn_load(s->columns.depth + j)};
        rn_store(link + i, zero);
        rn_store(move + i, zero);
        if (!rn_any((rn_mask)p.di | (rn_mask)p.dj)) continue;
        p.bi = rn_load(s->columns.base + i), p.bj = rn_load(s->columns.base + j);
        p.ci = rn_load(s->columns.ceil + i), p.cj = rn_load(s->columns.ceil + j);
        const rn_wide head_i = rn_load(s->graph.head + i), head_j = rn_load(s->graph.head + j);
        const rn_mask full_i = head_i > 0.0f, full_j = head_j > 0.0f, duct = full_i | full_j;
        const rn_wide hi = rn_select(full_i, head_i, p.bi + p.di), hj = rn_select(full_j, head_j, p.bj + p.dj);
        const rn_wide dh = hi - hj + tilt;
        rn_wide f = rn_load(flux + i);
        rn_wide H = rn_select(duct, rn_pipe_room(&p), rn_pipe_height(&p));
        H = rn_keep(load_plain(pipes + i), H);
        rn_wide e = upper_slope(dh, rn_load(s->graph.slope + i), rn_load(s->graph.slope + j));
        rn_wide gt = rn_select(dh > 0.0f, rn_load(across + i), rn_load(across + j)) + tilt_across;
        rn_wide kappa = rn_splat(law.kappa), m = one, kept, gain;
        if (s->columns.kappa) kappa = 0.5f * (rn_load(s->columns.kappa + i) + rn_load(s->columns.kappa + j));
        rn_wide D = rn_pipe_drag(&law, kappa, H, e);
        if (rn_any(duct)) {
            e = rn_select(duct, rn_select(full_i & full_j, rn_duct_slope(&law, &p), one), e);
            const rn_wide loss = feel(n, &p, hi, hj, full_i, full_j, f).loss;
            D = rn_select(duct, rn_duct_drag(&law, kappa + loss, H, e), D);
        }
        const rn_wide bound = rn_keep(H > 0.0f, law.fastest * law.cell * H);
        f = rn_lesser(rn_greater(f, -bound), bound);
        if (rn_any(rn_pipe_is_fast(&law, H, e, rn_splat(4.0f), f) & ~duct)) {
            const rn_wide phi = rn_pipe_diagonal(dh, gt);
            const rn_mask fast = rn_pipe_is_fast(&law, H, e, phi, f) & (H >= RN_CLOSED) & ~duct;
            m = rn_select(fast, rn_pipe_inertia(&law, H, dh, e, D, phi, f), one);
            peak->fast_speed = rn_greater(rn_keep(fast & (m > 1.0f), rn_size(rn_pipe_speed(&law, H, f)) * rn_root(phi)),
                                          peak->fast_speed);
        }
        rn_pipe_split(&law, H, e, D, m, &kept, &gain);
        rn_store(move + i, kept * f * n->per_flux);
        rn_store(link + i, gain * n->per_flux);
        peak->height = rn_greater(H, peak->height);
    }
}

static void start_rows(void *context, int begin, int end, int worker) {
    const newton *n = context;
    rn_state *s = n->step.s;
    wide_gauge peak = {0};
    for (int r = begin; r < end; r++) {
        const place p = row_place(s, r);
        rn_row *row = rn_row_at(s, p.layer, p.y);
        if (is_idle(n, &p) && row->still) continue;
        const int32_t first = rn_slot(&s->columns.grid, p.layer, p.y, 0);
        row->still = false;
        start_lanes(n, first, 0, &peak);
        start_lanes(n, first, 1, &peak);
    }
    raise(&s->schedule.peaks[worker].height, rn_greatest(peak.height));
    raise(&s->schedule.peaks[worker].fast_speed, rn_greatest(peak.fast_speed));
}

/* Liquid that leaves a brink does not feel what waits below: its flux is known. */
static void start_fall(const newton *n, int32_t i, const rn_ends *p, float dh, float ledge, float slope, rn_wide e,
                       rn_wide kappa, float f) {
    rn_state *s = n->step.s;
    const rn_law *law = n->step.law;
    const rn_wide room = rn_pipe_room(p), brake = rn_pipe_brake(law, kappa, room * room, e);
    const rn_flow flow =
        rn_pipe_fall(law, p, room, rn_splat(dh), rn_splat(ledge), rn_splat(slope), e, brake, rn_splat(f));
    s->graph.loose_move[i] = flow.f[0] * n->per_flux;
    n->grid->levels[0].loose_link[i] = 0.0f;
}

/* The ends of a loose pipe, b counting as much lower as it does. */
static rn_ends loose_ends(const newton *n, int32_t i) {
    const rn_state *s = n->step.s;
    const int32_t a = s->graph.loose_a[i], b = s->graph.loose_b[i];
    const float drop = s->graph.loose_drop[i], ha = head_at(s, a), hb = head_at(s, b);
    return (rn_ends){rn_splat(s->columns.base[a]),
                     rn_splat(fminf(ha, s->columns.ceil[a]) - s->columns.base[a]),
                     rn_splat(s->columns.ceil[a]),
                     rn_splat(s->columns.base[b] - drop),
                     rn_splat(fminf(hb, s->columns.ceil[b]) - s->columns.base[b]),
                     rn_splat(s->columns.ceil[b] - drop)};
}

static void start_loose(const newton *n, int32_t i, rn_peak *peak) {
    rn_state *s = n->step.s;
    const rn_law *law = n->step.law;
    const int32_t a = s->graph.loose_a[i], b = s->graph.loose_b[i];
    const int axis = s->graph.loose_axis[i];
    const float drop = s->graph.loose_drop[i], tilt = law->tilt[axis];
    float *link = &n->grid->levels[0].loose_link[i];
    float f = s->graph.loose_flux[i];
    s->graph.loose_move[i] = *link = 0.0f;
    if (!(s->columns.depth[a] > 0.0f || s->columns.depth[b] > 0.0f)) return;
    const bool full_a = s->graph.head[a] > 0.0f, full_b = s->graph.head[b] > 0.0f, duct = full_a || full_b;
    const float ha = head_at(s, a), hb = head_at(s, b) - drop;
    const rn_ends p = loose_ends(n, i);
    const float sill = fmaxf(p.bi[0], p.bj[0]), dh = ha - hb + tilt;
    const float *along = axis == 0 ? s->graph.slope_x : s->graph.slope_y,
                *across = axis == 0 ? s->graph.slope_y : s->graph.slope_x;
    const int32_t upper = dh > 0.0f ? a : b;
    const float e = dh != 0.0f ? s->graph.slope[upper] : fminf(s->graph.slope[a], s->graph.slope[b]);
    const rn_wide kappa = rn_splat(s->columns.kappa ? 0.5f * (s->columns.kappa[a] + s->columns.kappa[b]) : law->kappa);
    const bool sink = n->grid->levels[0].loose_a[i] < 0 || n->grid->levels[0].loose_b[i] < 0;
    if (!duct && (s->graph.loose_kind[i] & RN_PIPE_FALL) && (sink || fminf(ha, hb) <= sill)) {
        start_fall(n, i, &p, dh, fmaxf(ha, sill) - fmaxf(hb, sill) + tilt, along[upper], rn_splat(e), kappa, f);
    } else {
        const rn_wide room = rn_pipe_room(&p), one = rn_splat(1.0f);
        rn_wide H = duct || (s->graph.loose_kind[i] & RN_PIPE_FALL) ? room : rn_pipe_height(&p);
        if (s->columns.parted)
            H *= rn_part_open(sill, room[0], s->graph.loose_low[i], s->graph.loose_high[i], s->graph.loose_shut[i]);
        const rn_wide ee = full_a && full_b ? rn_duct_slope(law, &p) : duct ? one : rn_splat(e);
        const rn_wide loss = feel(n, &p, rn_splat(ha), rn_splat(hb), rn_splat(s->graph.head[a]) > 0.0f,
                                  rn_splat(s->graph.head[b]) > 0.0f, rn_splat(f))
                                 .loss;
        const rn_wide D = duct ? rn_duct_drag(law, kappa + loss, H, ee) : rn_pipe_drag(law, kappa, H, ee);
        const float bound = H[0] > 0.0f ? law->fastest * law->cell * H[0] : 0.0f;
        rn_wide kept, gain, m = one;
        f = fmaxf(fminf(f, bound), -bound);
        if (!duct && !(s->graph.loose_kind[i] & RN_PIPE_FALL)) {
            const rn_wide phi = rn_pipe_diagonal(rn_splat(dh), rn_splat(across[upper] + law->tilt[1 - axis]));
            if (rn_any(rn_pipe_is_fast(law, H, ee, phi, rn_splat(f))) && H[0] >= RN_CLOSED)
                m = rn_pipe_inertia(law, H, rn_splat(dh), ee, D, phi, rn_splat(f));
        }
        rn_pipe_split(law, H, ee, D, m, &kept, &gain);
        s->graph.loose_move[i] = kept[0] * f * n->per_flux;
        *link = gain[0] * n->per_flux;
        raise(&peak->height, H[0]);
    }
}

float rn_newton_loose_fall(const newton *n, int32_t i) {
    const rn_state *s = n->step.s;
    const int32_t a = s->graph.loose_a[i], b = s->graph.loose_b[i];
    const rn_ends p = loose_ends(n, i);
    const float sill = fmaxf(p.bi[0], p.bj[0]);
    const rn_level *level = &n->grid->levels[0];
    const float ha = level->loose_a[i] < 0 ? sill : head_at(s, a),
                hb = level->loose_b[i] < 0 ? sill : head_at(s, b) - s->graph.loose_drop[i];
    const felt out = feel(n, &p, rn_splat(ha), rn_splat(hb), rn_splat(s->graph.head[a]) > 0.0f,
                          rn_splat(s->graph.head[b]) > 0.0f, rn_splat(s->graph.loose_flux[i]));
    return out.hi[0] - out.hj[0] + n->step.law->tilt[s->graph.loose_axis[i]];
}

/* ---- What is kept must be there to give ------------------------------------------------------------------------- */

static void kept_shares(void *context, int begin, int end, int worker) {
    const newton *n = context;
    rn_state *s = n->step.s;
    (void)worker;
    for (int r = begin; r < end; r++) {
        const place p = row_place(s, r);
        if (is_idle(n, &p)) continue;
        const int32_t row = rn_slot(&s->columns.grid, p.layer, p.y, 0);
        for (int32_t c = row; c < row + s->columns.grid.nx; c += RN_LANES) {
            const rn_wide out = flow_out(s, c), depth = rn_load(s->columns.depth + c);
            const rn_mask short_of = (out > depth) & (rn_load(s->graph.head + c) <= 0.0f);
            rn_store(s->graph.share + c, rn_select(short_of, depth / out, rn_splat(1.0f)));
        }
        mirror_row(s, s->graph.share, p.layer, p.y);
    }
}

static void special_kept(const newton *n) {
    rn_state *s = n->step.s;
    for (int32_t i = 0; i < s->graph.special_count; i++) {
        const int32_t c = s->graph.specials[i].slot;
        if (s->graph.specials[i].sink) {
            s->graph.share[c] = 1.0f;
            continue;
        }
        float out, in;
        loose_sums(s, &s->graph.specials[i], &out, &in);
        out += flow_out(s, c)[0];
        /* what solid closes in on flows on with what comes in, in the same substep */
        const float there =
            rn_column_is_parted(&s->columns, c) ? s->columns.depth[c] + (in + flow_in(s, c)[0]) : s->columns.depth[c];
        s->graph.share[c] = out > there && !(s->graph.head[c] > 0.0f) ? there / out : 1.0f;
        const place p = {rn_slot_place(&s->columns.grid, c).layer, rn_slot_place(&s->columns.grid, c).y};
        mirror_row(s, s->graph.share, p.layer, p.y);
    }
}

/* Falls push where nothing can push back, so no more may come down than there is room for. What comes to a column is
   added up by ascending number of its pipes: solver/multigrid.h. */
static void limit_falls(const newton *n) {
    rn_state *s = n->step.s;
    const rn_level *level = &n->grid->levels[0];
    float *const coming = n->implicit->take;
    for (int32_t i = 0; i < s->graph.loose; i++) coming[s->graph.loose_a[i]] = coming[s->graph.loose_b[i]] = 0.0f;
    for (int pass = 0; pass < 2; pass++)
        for (int32_t i = 0; i < s->graph.loose; i++) {
            const float v = s->graph.loose_move[i];
            const int32_t to = v > 0.0f ? s->graph.loose_b[i] : s->graph.loose_a[i];
            if (v == 0.0f || level->loose_link[i] > 0.0f) continue;
            if ((v > 0.0f ? level->loose_b : level->loose_a)[i] < 0) continue; /* sinks take all */
            const float room = rn_column_room(&s->columns, to);
            if (pass == 0) coming[to] += fabsf(v);
            else if (coming[to] > room) s->graph.loose_move[i] = v * (room / coming[to]);
        }
}

/* What is kept, limited, and what the heads of the last substep add. */
RN_INLINE void add_heads(const newton *n, int32_t row, int axis) {
    const rn_state *s = n->step.s;
    const int32_t next = axis == 0 ? 1 : s->columns.grid.stride;
    float *const move = axis == 0 ? s->graph.move_x : s->graph.move_y;
    const float *const link = axis == 0 ? n->grid->levels[0].link_x : n->grid->levels[0].link_y;
    const float *const flux = axis == 0 ? s->columns.flux_x : s->columns.flux_y;
    const float tilt = n->step.law->tilt[axis];
    for (int32_t i = row; i < row + s->columns.grid.nx; i += RN_LANES) {
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
            const felt out = feel(n, &p, hi, hj, full_i, full_j, rn_load(flux + i));
            hi = out.hi, hj = out.hj;
        }
        const rn_wide share = rn_select(v > 0.0f, rn_load(s->graph.share + i), rn_load(s->graph.share + j));
        rn_store(move + i, v * share + rn_keep(g > 0.0f, g * ((hi - hj) + tilt)));
    }
}

static void head_rows(void *context, int begin, int end, int worker) {
    const newton *n = context;
    const rn_state *s = n->step.s;
    (void)worker;
    for (int r = begin; r < end; r++) {
        const place p = row_place(s, r);
        if (is_idle(n, &p)) continue;
        add_heads(n, rn_slot(&s->columns.grid, p.layer, p.y, 0), 0);
        add_heads(n, rn_slot(&s->columns.grid, p.layer, p.y, 0), 1);
    }
}

/* Links over periodic edges are loose ones to the solver. */
static void move_wraps(const newton *n) {
    const rn_state *s = n->step.s;
    const rn_grid *g = &s->columns.grid;
    rn_level *level = &n->grid->levels[0];
    for (int l = 0; l < g->layers; l++) {
        for (int y = 0; s->columns.periodic_x && y < g->ny; y++) {
            const int32_t c = rn_slot(g, l, y, g->nx - 1);
            level->loose_link[rn_multigrid_wrap(s, 0, c)] = level->link_x[c];
            level->link_x[c] = 0.0f;
        }
        for (int x = 0; s->columns.periodic_y && x < g->nx; x++) {
            const int32_t c = rn_slot(g, l, g->ny - 1, x);
            level->loose_link[rn_multigrid_wrap(s, 1, c)] = level->link_y[c];
            level->link_y[c] = 0.0f;
        }
    }
}

/* All links of a column together, in `share`: one without any follows from what comes and goes. Loose ones by ascending
   number. */
static void sum_links(const newton *n) {
    const rn_state *s = n->step.s;
    const rn_level *level = &n->grid->levels[0];
    const int32_t up = s->columns.grid.stride;
    for (int32_t i = 0; i < level->strip_count; i++)
        for (int32_t c = level->strips[i].slot; c < level->strips[i].slot + level->strips[i].count; c += RN_LANES)
            rn_store(s->graph.share + c, (rn_load(level->link_x + c - 1) + rn_load(level->link_x + c)) +
                                             (rn_load(level->link_y + c - up) + rn_load(level->link_y + c)));
    for (int32_t i = 0; i < level->loose; i++) {
        if (level->loose_a[i] >= 0) s->graph.share[level->loose_a[i]] += level->loose_link[i];
        if (level->loose_b[i] >= 0) s->graph.share[level->loose_b[i]] += level->loose_link[i];
    }
}

void rn_newton_assemble(newton *n, rn_pool *pool) {
    rn_state *s = n->step.s;
    mirror_heads(s);
    rn_parallel_for(pool, row_count(s), start_rows, n);
    for (int32_t i = 0; i < s->graph.loose; i++) start_loose(n, i, &s->schedule.peaks[0]);
    mirror_pipes(s, s->graph.move_x, s->graph.move_y);
    rn_parallel_for(pool, row_count(s), kept_shares, n);
    limit_falls(n);
    special_kept(n);
    rn_parallel_for(pool, row_count(s), head_rows, n);
    for (int32_t i = 0; i < s->graph.loose; i++) {
        const float v = s->graph.loose_move[i],
                    share = s->graph.share[v > 0.0f ? s->graph.loose_a[i] : s->graph.loose_b[i]];
        const float link = n->grid->levels[0].loose_link[i];
        s->graph.loose_move[i] = v * share + (link > 0.0f ? link * rn_newton_loose_fall(n, i) : 0.0f);
    }
    mirror_pipes(s, s->graph.move_x, s->graph.move_y);
    move_wraps(n);
    sum_links(n);
}
