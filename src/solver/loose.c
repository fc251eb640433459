#include "solver/loose.h"

#include "solver/passages.h"
#include "solver/tiles.h"

/* ---- What is wet -------------------------------------------------------------------------------------------- */

static void list_special(rn_state *s, int32_t i) {
    if (s->graph.specials[i].listed) return;
    s->graph.specials[i].listed = true;
    s->schedule.busy[s->schedule.busy_count++] = i;
}

/* Pipes whose ends are dry carry nothing, and columns that have only such pipes are as if they had none. */
static void list_wet(rn_state *s) {
    for (int32_t i = 0; i < s->schedule.busy_count; i++) s->graph.specials[s->schedule.busy[i]].listed = false;
    s->schedule.wet_count = s->schedule.busy_count = 0;
    for (int32_t i = 0; i < s->graph.loose; i++) {
        const int32_t a = s->graph.loose_a[i], b = s->graph.loose_b[i];
        if (s->columns.depth[a] > 0.0f || s->columns.depth[b] > 0.0f) {
            s->schedule.wet_pipes[s->schedule.wet_count++] = i;
            list_special(s, s->graph.special_of[a] - 1);
            list_special(s, s->graph.special_of[b] - 1);
        } else if (s->graph.loose_flux[i] != 0.0f || s->graph.loose_move[i] != 0.0f) {
            s->graph.loose_flux[i] = s->graph.loose_move[i] = 0.0f;
        }
    }
}

/* Slopes that ordinary pipes ask for. */
static void list_bent(rn_state *s) {
    const int32_t up = s->columns.grid.stride;
    for (int32_t i = 0; i < s->graph.bent_count; i++) {
        const float *depth = s->columns.depth + s->graph.specials[i].slot;
        if (depth[0] > 0.0f || depth[-1] > 0.0f || depth[1] > 0.0f || depth[-up] > 0.0f || depth[up] > 0.0f)
            list_special(s, i);
    }
}

/* ---- Slopes ------------------------------------------------------------------------------------------------- */

static float bed_step_between(const substep *step, int32_t a, int32_t b, float drop, int axis) {
    const rn_state *s = step->s;
    float db = s->columns.base[a] - (s->columns.base[b] - drop),
          dh = db + (rn_column_stand(&s->columns, a) - rn_column_stand(&s->columns, b)) + step->law->tilt[axis];
    return rn_bed_step(rn_splat(db), rn_size(rn_splat(dh)))[0];
}

/* A column with pipes to other layers counts, on each side, the gentlest of its bed steps. Falls do not count. */
static void slope_special(const substep *step, rn_special *special) {
    const rn_state *s = step->s;
    const int32_t c = special->slot, up = s->columns.grid.stride;
    const int32_t from[4] = {c - 1, c, c - up, c}, to[4] = {c, c + 1, c, c + up};
    const uint8_t kinds[4] = {s->graph.pipe_x[c - 1], s->graph.pipe_x[c], s->graph.pipe_y[c - up], s->graph.pipe_y[c]};
    float side[4] = {0};
    bool has[4] = {0};
    for (int k = 0; k < 4; k++) {
        has[k] = kinds[k] & RN_PIPE_PLAIN;
        if (has[k]) side[k] = bed_step_between(step, from[k], to[k], 0.0f, k / 2);
    }
    for (int32_t n = special->begin; n < special->end; n++) {
        int32_t p = s->graph.links[n] / 2;
        if (s->graph.loose_kind[p] & RN_PIPE_FALL) continue;
        int k = 2 * s->graph.loose_axis[p] + (s->graph.links[n] % 2 ? 0 : 1);
        float w = bed_step_between(step, s->graph.loose_a[p], s->graph.loose_b[p], s->graph.loose_drop[p],
                                   s->graph.loose_axis[p]);
        side[k] = has[k] ? rn_minmod(rn_splat(side[k]), rn_splat(w))[0] : w;
        has[k] = true;
    }
    rn_wide slope[2];
    for (int axis = 0; axis < 2; axis++) {
        rn_mask before = -(int32_t)has[2 * axis] - (rn_mask){0}, after = -(int32_t)has[2 * axis + 1] - (rn_mask){0};
        slope[axis] = 2.0f * rn_bed_half_slope(rn_splat(side[2 * axis]), rn_splat(side[2 * axis + 1]), before, after);
    }
    float per_cell = 1.0f / step->law->cell, gx = slope[0][0] * per_cell, gy = slope[1][0] * per_cell;
    special->slope_x = slope[0][0];
    special->slope_y = slope[1][0];
    special->slope = 1.0f + (gx * gx + gy * gy);
}

static void slopes(void *context, int begin, int end, int worker) {
    const substep *step = context;
    (void)worker;
    for (int i = begin; i < end; i++) {
        rn_special *special = &step->s->graph.specials[step->s->schedule.busy[i]];
        if (!special->sink) slope_special(step, special); /* a sink has none: it may lie past the edges */
    }
}

void rn_loose_look(substep *step, rn_pool *pool) {
    list_wet(step->s);
    if (step->law->paper) return;
    list_bent(step->s);
    rn_parallel_for(pool, step->s->schedule.busy_count, slopes, step);
}

/* ---- Fluxes ------------------------------------------------------------------------------------------------- */

/* Running maxima. */
typedef struct wide_peak {
    rn_wide height, wave, speed, fast_speed;
} wide_peak;

/* Shares of pipes' cross-sections that are open, and of their columns' areas at the surface, the lesser of both. */
typedef struct openings {
    rn_wide pipe, column;
} openings;

static float open_column(const rn_state *s, int32_t slot) {
    if (!rn_column_is_parted(&s->columns, slot)) return 1.0f;
    const rn_part part = rn_column_part(&s->columns, slot);
    return rn_part_slope(&part, s->columns.base[slot], s->columns.depth[slot]);
}

static openings open_batch(const rn_state *s, const int32_t *pipes, int count, const rn_ends *p, rn_wide room) {
    openings all = {rn_splat(1.0f), rn_splat(1.0f)};
    for (int lane = 0; lane < RN_LANES; lane++) {
        const int32_t n = pipes[lane < count ? lane : count - 1];
        all.pipe[lane] = rn_part_open(fmaxf(p->bi[lane], p->bj[lane]), room[lane], s->graph.loose_low[n],
                                      s->graph.loose_high[n], s->graph.loose_shut[n]);
        all.column[lane] = fminf(open_column(s, s->graph.loose_a[n]), open_column(s, s->graph.loose_b[n]));
    }
    return all;
}

/* Loose pipes, gathered RN_LANES at a time; lanes past the last pipe repeat it. */
static void loose_batch(const substep *step, const int32_t *pipes, int count, wide_peak *peak) {
    rn_state *s = step->s;
    rn_ends p;
    rn_wide ei, ej, along_i, along_j, across_i, across_j, tilt, tilt_across, f, kappa = rn_splat(step->law->kappa);
    rn_mask fall, duct;
    for (int lane = 0; lane < RN_LANES; lane++) {
        int n = pipes[lane < count ? lane : count - 1], axis = s->graph.loose_axis[n];
        int32_t i = s->graph.loose_a[n], j = s->graph.loose_b[n];
        const rn_special *from = &s->graph.specials[s->graph.special_of[i] - 1],
                         *to = &s->graph.specials[s->graph.special_of[j] - 1];
        p.bi[lane] = s->columns.base[i], p.di[lane] = rn_column_stand(&s->columns, i), p.ci[lane] = s->columns.ceil[i];
        p.bj[lane] = s->columns.base[j] - s->graph.loose_drop[n], p.dj[lane] = rn_column_stand(&s->columns, j),
        p.cj[lane] = s->columns.ceil[j] - s->graph.loose_drop[n];
        ei[lane] = from->slope, ej[lane] = to->slope;
        along_i[lane] = axis == 0 ? from->slope_x : from->slope_y,
        along_j[lane] = axis == 0 ? to->slope_x : to->slope_y;
        across_i[lane] = axis == 0 ? from->slope_y : from->slope_x,
        across_j[lane] = axis == 0 ? to->slope_y : to->slope_x;
        tilt[lane] = step->law->tilt[axis], tilt_across[lane] = step->law->tilt[1 - axis];
        f[lane] = s->graph.loose_flux[n];
        if (s->columns.kappa) kappa[lane] = 0.5f * (s->columns.kappa[i] + s->columns.kappa[j]);
        fall[lane] = s->graph.loose_kind[n] & RN_PIPE_FALL ? -1 : 0;
        duct[lane] = s->graph.loose_kind[n] & RN_PIPE_DUCT ? -1 : 0;
    }
    const rn_wide dh = (p.bi + p.di) - (p.bj + p.dj) + tilt;
    rn_flow out;
    if (rn_any(duct)) { /* closed here: solver/passages.c */
        p.ci = rn_select(duct, p.bi, p.ci), p.cj = rn_select(duct, p.bj, p.cj);
    }
    if (step->law->paper) {
        out = rn_pipe_paper(step->law, &p, dh, f);
    } else {
        rn_wide e = upper_slope(dh, ei, ej), H = rn_pipe_height(&p), room = rn_pipe_room(&p), felt = dh, steep = H;
        rn_wide wide = rn_splat(1.0f);
        if (s->columns.parted) {
            const openings open = open_batch(s, pipes, count, &p, room);
            H *= open.pipe, room *= open.pipe, felt *= open.column;
            steep = H / open.column;
            wide = open.pipe; /* a slit carries little across a cell, however fast */
        }
        rn_wide along = rn_select(dh > 0.0f, along_i, along_j), across = rn_select(dh > 0.0f, across_i, across_j);
        rn_wide floor = rn_greater(p.bi, p.bj);
        rn_wide ledge = rn_greater(p.bi + p.di, floor) - rn_greater(p.bj + p.dj, floor) + tilt;
        rn_wide D = rn_pipe_drag(step->law, kappa, H, e), brake = rn_pipe_brake(step->law, kappa, H * H, e),
                fall_brake = rn_pipe_brake(step->law, kappa, room * room, e);
        rn_pace pace = rn_pipe_pace(step->law, H, dh, e, D, across + tilt_across, f);
        rn_flow flow =
            rn_pipe_flow_felt(step->law, &p, H, dh, felt, rn_pipe_lean(H, dh, p.di - p.dj), e, brake, f, pace.m);
        out = rn_pipe_fall(step->law, &p, room, dh, ledge, along, e, fall_brake, f);
        out.f = rn_select(fall, out.f, flow.f);
        out.t = rn_select(fall, out.t, flow.t);
        out.speed = rn_select(fall, out.speed, flow.speed);
        rn_wide fast_speed = rn_keep(~fall & (pace.root > 0.0f), flow.speed * pace.root * wide);
        peak->height = rn_greater(rn_select(fall, room, H), peak->height);
        peak->wave = rn_greater(rn_keep(~fall, rn_greater(pace.wave, steep)), peak->wave);
        peak->fast_speed = rn_greater(fast_speed, peak->fast_speed);
    }
    peak->speed = rn_greater(out.speed, peak->speed);
    for (int lane = 0; lane < count && lane < RN_LANES; lane++) {
        s->graph.loose_flux[pipes[lane]] = out.f[lane];
        s->graph.loose_move[pipes[lane]] = out.t[lane];
    }
}

static void fluxes(void *context, int begin, int end, int worker) {
    const substep *step = context;
    wide_peak peak = {0};
    for (int b = begin; b < end; b++) {
        const int first = b * RN_LANES;
        loose_batch(step, step->s->schedule.wet_pipes + first, step->s->schedule.wet_count - first, &peak);
    }
    raise(&step->s->schedule.peaks[worker].height, rn_greatest(peak.height));
    raise(&step->s->schedule.peaks[worker].wave, rn_greatest(peak.wave));
    raise(&step->s->schedule.peaks[worker].speed, rn_greatest(peak.speed));
    raise(&step->s->schedule.peaks[worker].fast_speed, rn_greatest(peak.fast_speed));
}

void rn_loose_fluxes(substep *step, rn_pool *pool) {
    rn_parallel_for(pool, (step->s->schedule.wet_count + RN_LANES - 1) / RN_LANES, fluxes, step);
}

/* ---- Limits ------------------------------------------------------------------------------------------------- */

/* m of depth that all pipes of a column want to take from it, and to bring. */
typedef struct traffic {
    float out, in;
} traffic;

static void add_traffic(traffic *sum, float into) {
    if (into > 0.0f) sum->in += into;
    else sum->out -= into;
}

static traffic traffic_of(const rn_state *s, const rn_special *special) {
    const int32_t c = special->slot, up = s->columns.grid.stride;
    traffic sum = {0};
    for (int32_t n = special->begin; n < special->end; n++) {
        const float t = s->graph.loose_move[s->graph.links[n] / 2];
        add_traffic(&sum, s->graph.links[n] % 2 ? t : -t);
    }
    if (special->sink) return sum;
    add_traffic(&sum, s->graph.move_x[c - 1]);
    add_traffic(&sum, -s->graph.move_x[c]);
    add_traffic(&sum, s->graph.move_y[c - up]);
    add_traffic(&sum, -s->graph.move_y[c]);
    return sum;
}

static void checks(void *context, int begin, int end, int worker) {
    const substep *step = context;
    rn_state *s = step->s;
    (void)worker;
    for (int i = begin; i < end; i++) {
        rn_special *special = &s->graph.specials[s->schedule.busy[i]];
        const traffic sum = traffic_of(s, special);
        const float room = special->sink ? INFINITY : rn_column_room(&s->columns, special->slot);
        const float most = special->sink ? rn_most_at_once(step->law) : room;
        special->limited[0] = !special->sink && sum.out > s->columns.depth[special->slot];
        special->limited[1] = sum.in > most || room <= RN_FULL * s->columns.quantum;
        rn_tile_limit(s, &s->schedule.tiles[special->tile], special->limited[0] ? special->spot.lines : 0u,
                      special->limited[1] ? special->spot.lines : 0u);
    }
}

void rn_loose_check(substep *step, rn_pool *pool) { rn_parallel_for(pool, step->s->schedule.busy_count, checks, step); }

/* The share that a column can take or give of all that its pipes bring or want. */
static float share_of(const substep *step, const rn_special *special, bool in) {
    const rn_state *s = step->s;
    const traffic sum = traffic_of(s, special);
    if (special->sink) { /* takes all, but as much as can be counted exactly */
        const float countable = rn_most_at_once(step->law);
        return in && sum.in > countable ? countable / sum.in * RN_SAFE : 1.0f;
    }
    return in ? rn_share_in(step->law, rn_splat(sum.in), rn_splat(rn_column_room(&s->columns, special->slot)))[0]
              : rn_share_out(rn_splat(sum.out), rn_splat(s->columns.depth[special->slot]))[0];
}

void rn_loose_shares(substep *step, bool in, bool all) {
    rn_state *s = step->s;
    for (int32_t i = 0; i < s->schedule.busy_count; i++) {
        const rn_special *special = &s->graph.specials[s->schedule.busy[i]];
        const bool limited = all || special->limited[in];
        if (!limited && !special->limited[1]) continue;
        float *share = &s->graph.share[special->slot];
        *share = limited ? share_of(step, special, in) : 1.0f;
        if (*share < 1.0f) s->schedule.limited[in] = true;
    }
}

void rn_loose_free_shares(rn_state *s) {
    for (int32_t i = 0; i < s->schedule.busy_count; i++)
        s->graph.share[s->graph.specials[s->schedule.busy[i]].slot] = 1.0f;
}

void rn_loose_limits(substep *step, bool in) {
    rn_state *s = step->s;
    for (int32_t i = 0; i < s->schedule.busy_count; i++) {
        const rn_special *special = &s->graph.specials[s->schedule.busy[i]];
        const float share = s->graph.share[special->slot];
        if (share >= 1.0f) continue;
        for (int32_t n = special->begin; n < special->end; n++) {
            const int32_t p = s->graph.links[n] / 2;
            const float flow = s->graph.momentum ? s->graph.loose_move[p] : s->graph.loose_flux[p];
            const bool is_b = s->graph.links[n] % 2, takes = (flow > 0.0f) == is_b;
            if (takes != in || (s->graph.momentum && flow == 0.0f)) continue;
            s->graph.loose_move[p] = rn_limit_transfer(step->law, rn_splat(s->graph.loose_move[p]), rn_splat(share))[0];
            if (s->graph.momentum && in)
                s->graph.loose_speed[p] = rn_limit_flux(rn_splat(s->graph.loose_speed[p]), rn_splat(share))[0];
            s->graph.loose_flux[p] = rn_limit_flux(rn_splat(s->graph.loose_flux[p]), rn_splat(share))[0];
        }
    }
}

/* ---- Depths ------------------------------------------------------------------------------------------------- */

/* Several columns of a tile may be worked on at once. */
static void raise_shared(float *most, float value) {
    float old;
    __atomic_load(most, &old, __ATOMIC_RELAXED);
    while (value > old && !__atomic_compare_exchange(most, &old, &value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

static void depths(void *context, int begin, int end, int worker) {
    const substep *step = context;
    rn_state *s = step->s;
    (void)worker;
    for (int i = begin; i < end; i++) {
        const rn_special *special = &s->graph.specials[s->schedule.busy[i]];
        float change = 0.0f;
        for (int32_t n = special->begin; n < special->end; n++) {
            const float t = s->graph.loose_move[s->graph.links[n] / 2];
            change += s->graph.links[n] % 2 ? t : -t;
        }
        if (change == 0.0f) continue;
        rn_tile *tile = &s->schedule.tiles[special->tile];
        s->columns.depth[special->slot] += change;
        __atomic_store_n(&tile->touched, true, __ATOMIC_RELAXED);
        __atomic_fetch_or(&tile->wet.lines, special->spot.lines, __ATOMIC_RELAXED);
        __atomic_fetch_or(&tile->wet.blocks, special->spot.blocks, __ATOMIC_RELAXED);
        raise_shared(&tile->deepest, s->columns.depth[special->slot]);
    }
}

void rn_loose_depths(substep *step, rn_pool *pool) {
    rn_parallel_for(pool, step->s->schedule.busy_count, depths, step);
}
