#include "solver/pipes.h"

#include "solver/advection.h"
#include "solver/rows.h"

/* The passes of one substep, in order. Each runs over rows, RN_LANES columns at a time, and reads only what the
   pass before has written, so rows may be shared among threads in any way. The lanes past a row's end work on
   the padding, where nothing is ever open. */

static place slot_place(const rn_state *s, int32_t slot) {
    return (place){slot / s->grid.layer_stride, slot % s->grid.layer_stride / s->grid.stride - 1};
}

static void mirror_wet(rn_state *s) {
    const rn_grid *g = &s->grid;
    for (int layer = 0; s->periodic_y && layer < g->layers; layer++) {
        rn_row_at(s, layer, -1)->wet = rn_row_at(s, layer, g->ny - 1)->wet;
        rn_row_at(s, layer, g->ny)->wet = rn_row_at(s, layer, 0)->wet;
    }
}

/* Neither the column nor any that it has a pipe to holds liquid: nothing can move here. Sinks never give any. */
static bool rests(const rn_state *s, const rn_special *special) {
    const int32_t c = special->slot, up = s->grid.stride;
    if (special->sink) return true;
    bool wet = s->depth[c] > 0.0f || s->depth[c - 1] > 0.0f || s->depth[c + 1] > 0.0f || s->depth[c - up] > 0.0f ||
               s->depth[c + up] > 0.0f;
    for (int32_t n = special->begin; !wet && n < special->end; n++) {
        int32_t p = s->links[n] / 2;
        wet = s->depth[s->loose_a[p]] > 0.0f || s->depth[s->loose_b[p]] > 0.0f;
    }
    return !wet;
}

/* ---- Slopes (docs/model.md, step 0) -------------------------------------------------------------------- */

RN_INLINE void store_slope(rn_state *s, const rn_law *law, int32_t slot, rn_wide x, rn_wide y) {
    float per_cell = 1.0f / law->cell;
    rn_wide gx = x * per_cell, gy = y * per_cell;
    rn_store(s->slope_x + slot, x);
    rn_store(s->slope_y + slot, y);
    rn_store(s->slope + slot, 1.0f + (gx * gx + gy * gy));
}

/* In whole rows under the open sky a pipe leads wherever there is a column. */
RN_INLINE void slope_lanes(const substep *step, int32_t row, const bool whole) {
    rn_state *s = step->s;
    const int32_t up = s->grid.stride, neighbour[4] = {-1, 1, -up, up}, end = row + s->grid.nx;
    const float *const base = s->base, *const depth = s->depth;
    const uint8_t *const pipe_x = s->pipe_x, *const pipe_y = s->pipe_y;
    const rn_law law = *step->law;
    for (int32_t c = row; c < end; c += RN_LANES) {
        const uint8_t *const pipes[4] = {pipe_x + c - 1, pipe_x + c, pipe_y + c - up, pipe_y + c};
        rn_wide b = rn_load(base + c), h = b + rn_load(depth + c), side[4];
        rn_mask has[4];
        for (int k = 0; k < 4; k++) {
            rn_wide bn = rn_load(base + c + neighbour[k]), hn = bn + rn_load(depth + c + neighbour[k]);
            float tilt = law.tilt[k / 2];
            side[k] = k % 2 ? rn_bed_step(b - bn, h - hn + tilt) : rn_bed_step(bn - b, hn - h + tilt);
            has[k] = whole ? bn < RN_NO_COLUMN : load_flags(pipes[k]);
        }
        store_slope(s, &law, c, rn_bed_slope(side[0], side[1], has[0], has[1]),
                    rn_bed_slope(side[2], side[3], has[2], has[3]));
    }
}

static void slope_row(const substep *step, int layer, int y) {
    const rn_row *row = rn_row_at(step->s, layer, y);
    const int32_t first = rn_slot(&step->s->grid, layer, y, 0);
    if (row[-1].gaps || row[0].gaps || row[-1].roofed || row[0].roofed) slope_lanes(step, first, false);
    else slope_lanes(step, first, true);
}

static float bed_step_between(const substep *step, int32_t a, int32_t b, float drop, int axis) {
    const rn_state *s = step->s;
    float db = s->base[a] - (s->base[b] - drop), dh = db + (s->depth[a] - s->depth[b]) + step->law->tilt[axis];
    return rn_bed_step(rn_splat(db), rn_splat(dh))[0];
}

/* A column with pipes to other layers counts, on each side, the gentlest of its bed steps. Falls do not count. */
static void slope_special(const substep *step, const rn_special *special) {
    rn_state *s = step->s;
    const int32_t c = special->slot, up = s->grid.stride;
    const int32_t from[4] = {c - 1, c, c - up, c}, to[4] = {c, c + 1, c, c + up};
    const bool pipe[4] = {s->pipe_x[c - 1], s->pipe_x[c], s->pipe_y[c - up], s->pipe_y[c]};
    float side[4] = {0};
    bool has[4] = {0};
    for (int k = 0; k < 4; k++) {
        has[k] = pipe[k];
        if (pipe[k]) side[k] = bed_step_between(step, from[k], to[k], 0.0f, k / 2);
    }
    for (int32_t n = special->begin; n < special->end; n++) {
        int32_t p = s->links[n] / 2;
        if (s->loose_fall[p]) continue;
        int k = 2 * s->loose_axis[p] + (s->links[n] % 2 ? 0 : 1);
        float w = bed_step_between(step, s->loose_a[p], s->loose_b[p], s->loose_drop[p], s->loose_axis[p]);
        side[k] = has[k] ? rn_minmod(rn_splat(side[k]), rn_splat(w))[0] : w;
        has[k] = true;
    }
    rn_wide slope[2];
    for (int axis = 0; axis < 2; axis++) {
        rn_mask before = -(int32_t)has[2 * axis] - (rn_mask){0}, after = -(int32_t)has[2 * axis + 1] - (rn_mask){0};
        slope[axis] = rn_bed_slope(rn_splat(side[2 * axis]), rn_splat(side[2 * axis + 1]), before, after);
    }
    float per_cell = 1.0f / step->law->cell, gx = slope[0][0] * per_cell, gy = slope[1][0] * per_cell;
    s->slope_x[c] = slope[0][0];
    s->slope_y[c] = slope[1][0];
    s->slope[c] = 1.0f + (gx * gx + gy * gy);
}

static void slopes(void *context, int begin, int end, int worker) {
    const substep *step = context;
    (void)worker;
    for (int r = begin; r < end; r++) {
        place p = row_place(step->s, r);
        const rn_row *row = rn_row_at(step->s, p.layer, p.y);
        if (row->bumpy && wet_around(row)) slope_row(step, p.layer, p.y);
    }
}

static void special_slopes(void *context, int begin, int end, int worker) {
    const substep *step = context;
    (void)worker;
    for (int i = begin; i < end; i++)
        if (!rests(step->s, &step->s->specials[i])) slope_special(step, &step->s->specials[i]);
}

static void mirror_slopes(rn_state *s) {
    if (!s->periodic_x && !s->periodic_y) return;
    for (int r = 0; r < row_count(s); r++) {
        place p = row_place(s, r);
        mirror_row(s, s->slope, p.layer, p.y);
        mirror_row(s, s->slope_x, p.layer, p.y);
        mirror_row(s, s->slope_y, p.layer, p.y);
    }
}

/* ---- Fluxes (steps 1 to 6) -------------------------------------------------------------------------------- */

/* Running maxima over the pipes of a row. */
typedef struct wide_peak {
    rn_wide height, wave, speed, fast_speed;
} wide_peak;

static void raise_all(rn_peak *peak, const wide_peak *wide) {
    raise(&peak->height, rn_greatest(wide->height));
    raise(&peak->wave, rn_greatest(wide->wave));
    raise(&peak->speed, rn_greatest(wide->speed));
    raise(&peak->fast_speed, rn_greatest(wide->fast_speed));
}

/* Ordinary pipes along a row, each to the slot `next` further on. */
typedef struct pipe_run {
    int32_t first, next;
    int count, axis;
    const float *across;  /* bed slope across the axis */
    const uint8_t *pipes; /* where there are any */
    float *flux, *move;
    float *speed; /* where H is left for the advection, or NULL */
} pipe_run;

/* Level ground, open sky and whole rows are the common case: what a row does not have costs it nothing. */
typedef struct row_kind {
    bool sloped, roofed, tilted, advected, rough;
} row_kind;

RN_INLINE void flux_lanes(const substep *step, const pipe_run *run, wide_peak *peak, const row_kind kind) {
    const rn_state *s = step->s;
    rn_law law = *step->law;
    if (kind.advected) law.fastest = INFINITY; /* liquid carries its momentum away, which is bound enough */
    const float tilt = law.tilt[run->axis], tilt_across = law.tilt[1 - run->axis];
    const rn_wide one = rn_splat(1.0f), zero = {0};
    rn_wide kappa = rn_splat(law.kappa);
    const float *const depth = s->depth, *const base = s->base, *const ceil = s->ceil, *const slope = s->slope;
    const float *const across = run->across;
    const uint8_t *const pipes = run->pipes;
    float *const flux = run->flux, *const move = run->move;
    const int32_t end = run->first + run->count, next = run->next;
    wide_peak most = *peak;
    for (int32_t i = run->first; i < end; i += RN_LANES) {
        const int32_t j = i + next;
        rn_ends p = {.di = rn_load(depth + i), .dj = rn_load(depth + j)};
        if (!rn_any((rn_mask)p.di | (rn_mask)p.dj)) {
            rn_store(flux + i, zero);
            rn_store(move + i, zero);
            if (kind.advected) rn_store(run->speed + i, zero);
            continue;
        }
        p.bi = rn_load(base + i), p.bj = rn_load(base + j);
        p.ci = p.cj = rn_splat(INFINITY);
        if (kind.roofed) p.ci = rn_load(ceil + i), p.cj = rn_load(ceil + j);
        rn_wide f = rn_load(flux + i), H = rn_pipe_height(&p), dh = (p.bi + p.di) - (p.bj + p.dj), dd = p.di - p.dj;
        rn_wide e = one, gt = zero, phi_most = one, m = one, root = zero;
        if (kind.roofed) H = rn_keep(load_open(pipes + i), H);
        if (kind.tilted) dh += tilt;
        if (kind.advected) rn_store(run->speed + i, H);
        if (kind.sloped) {
            e = upper_slope(dh, rn_load(slope + i), rn_load(slope + j));
            gt = rn_select(dh > 0.0f, rn_load(across + i), rn_load(across + j));
            if (kind.tilted) gt += tilt_across;
            phi_most = 1.0f + rn_keep(gt != 0.0f, rn_splat(3.0f));
        }
        if (kind.rough) kappa = 0.5f * (rn_load(s->kappa + i) + rn_load(s->kappa + j));
        const rn_wide D = rn_pipe_drag(&law, kappa, H, e);
        most.height = rn_greater(H, most.height);
        bool fast = rn_any(rn_pipe_is_fast(&law, H, e, phi_most, f));
        if (fast) {
            rn_pace pace = rn_pipe_pace(&law, H, dh, e, D, gt, f);
            m = pace.m;
            root = pace.root;
            most.wave = rn_greater(pace.wave, most.wave);
        }
        rn_wide most_lean = kind.advected ? rn_pipe_upwind(&p, H) : H;
        rn_wide lean =
            kind.tilted ? rn_pipe_lean(most_lean, dh, dd) : rn_pipe_lean_untilted(most_lean, dh, dd, p.bi - p.bj);
        rn_flow flow = rn_pipe_flow(&law, H, dh, lean, e, D, f, m);
        rn_store(flux + i, flow.f);
        rn_store(move + i, flow.t);
        most.speed = rn_greater(flow.speed, most.speed);
        if (fast) most.fast_speed = rn_greater(rn_keep(root > 0.0f, flow.speed * root), most.fast_speed);
    }
    *peak = most;
}

/* The paper's pipes know neither slopes nor falls; their waves are as fast as on water one cell deep. */
static void paper_lanes(const substep *step, const pipe_run *run, wide_peak *peak) {
    const rn_state *s = step->s;
    const rn_law law = *step->law;
    for (int32_t i = run->first; i < run->first + run->count; i += RN_LANES) {
        const int32_t j = i + run->next;
        rn_ends p = {.bi = rn_load(s->base + i), .di = rn_load(s->depth + i), .ci = rn_load(s->ceil + i)};
        p.bj = rn_load(s->base + j), p.dj = rn_load(s->depth + j), p.cj = rn_load(s->ceil + j);
        rn_wide dh = (p.bi + p.di) - (p.bj + p.dj) + law.tilt[run->axis];
        rn_flow flow = rn_pipe_paper(&law, &p, dh, rn_load(run->flux + i));
        rn_mask pipes = load_open(run->pipes + i);
        rn_store(run->flux + i, rn_keep(pipes, flow.f));
        rn_store(run->move + i, rn_keep(pipes, flow.t));
        peak->speed = rn_greater(rn_keep(pipes, flow.speed), peak->speed);
    }
}

static void flux_run(const substep *step, const pipe_run *run, wide_peak *peak, bool sloped, bool roofed, bool tilted) {
    if (step->law->paper) paper_lanes(step, run, peak);
    else if (step->s->kappa && run->speed)
        flux_lanes(step, run, peak,
                   (row_kind){.sloped = true, .roofed = true, .tilted = true, .advected = true, .rough = true});
    else if (step->s->kappa)
        flux_lanes(step, run, peak, (row_kind){.sloped = true, .roofed = true, .tilted = true, .rough = true});
    else if (run->speed && (tilted || sloped || roofed))
        flux_lanes(step, run, peak, (row_kind){.sloped = true, .roofed = true, .tilted = true, .advected = true});
    else if (run->speed) flux_lanes(step, run, peak, (row_kind){.advected = true});
    else if (tilted) flux_lanes(step, run, peak, (row_kind){.sloped = true, .roofed = true, .tilted = true});
    else if (sloped && roofed) flux_lanes(step, run, peak, (row_kind){.sloped = true, .roofed = true});
    else if (sloped) flux_lanes(step, run, peak, (row_kind){.sloped = true});
    else if (roofed) flux_lanes(step, run, peak, (row_kind){.roofed = true});
    else flux_lanes(step, run, peak, (row_kind){0});
}

static void fluxes(void *context, int begin, int end, int worker) {
    const substep *step = context;
    rn_state *s = step->s;
    const rn_grid *g = &s->grid;
    const bool tilted = step->law->tilt[0] != 0.0f || step->law->tilt[1] != 0.0f;
    wide_peak peak = {0};
    for (int r = begin; r < end; r++) {
        place p = rim_place(s, r);
        rn_row *row = rn_row_at(s, p.layer, p.y);
        const bool dry = !row[0].wet && !row[1].wet;
        if (dry && row->still) continue;
        row->still = dry;
        const bool sloped = row[0].bumpy || row[1].bumpy || s->special_count > 0, roofed = row->gaps || row->roofed;
        pipe_run x = {.first = rn_slot(g, p.layer, p.y, -1), .next = 1, .count = g->nx + 1, .axis = 0};
        pipe_run y = {.first = rn_slot(g, p.layer, p.y, 0), .next = g->stride, .count = g->nx, .axis = 1};
        x.flux = s->flux_x, x.move = s->move_x, x.across = s->slope_y, x.pipes = s->pipe_x, x.speed = s->speed_x;
        y.flux = s->flux_y, y.move = s->move_y, y.across = s->slope_x, y.pipes = s->pipe_y, y.speed = s->speed_y;
        if (p.y >= 0) flux_run(step, &x, &peak, sloped, roofed, tilted);
        /* past a periodic edge columns go on, but have no pipes of their own */
        flux_run(step, &y, &peak, sloped, roofed || s->periodic_x, tilted);
    }
    raise_all(&s->peaks[worker], &peak);
}

/* Loose pipes, gathered RN_LANES at a time; lanes past the last pipe repeat it. */
static void loose_batch(const substep *step, int first, int count, wide_peak *peak) {
    rn_state *s = step->s;
    rn_ends p;
    rn_wide ei, ej, along_i, along_j, across_i, across_j, tilt, tilt_across, f, kappa = rn_splat(step->law->kappa);
    rn_mask fall, duct;
    for (int lane = 0; lane < RN_LANES; lane++) {
        int n = first + (lane < count ? lane : count - 1), axis = s->loose_axis[n];
        int32_t i = s->loose_a[n], j = s->loose_b[n];
        const float *along = axis == 0 ? s->slope_x : s->slope_y, *across = axis == 0 ? s->slope_y : s->slope_x;
        p.bi[lane] = s->base[i], p.di[lane] = s->depth[i], p.ci[lane] = s->ceil[i];
        p.bj[lane] = s->base[j] - s->loose_drop[n], p.dj[lane] = s->depth[j],
        p.cj[lane] = s->ceil[j] - s->loose_drop[n];
        ei[lane] = s->slope[i], along_i[lane] = along[i], across_i[lane] = across[i];
        ej[lane] = s->slope[j], along_j[lane] = along[j], across_j[lane] = across[j];
        tilt[lane] = step->law->tilt[axis], tilt_across[lane] = step->law->tilt[1 - axis];
        f[lane] = s->loose_flux[n];
        if (s->kappa) kappa[lane] = 0.5f * (s->kappa[i] + s->kappa[j]);
        fall[lane] = s->loose_fall[n] & 1 ? -1 : 0;
        duct[lane] = s->loose_fall[n] & RN_HELD ? -1 : 0;
    }
    const rn_wide dh = (p.bi + p.di) - (p.bj + p.dj) + tilt;
    rn_flow out;
    if (rn_any(duct)) { /* closed here: solver/passages.c */
        p.ci = rn_select(duct, p.bi, p.ci), p.cj = rn_select(duct, p.bj, p.cj);
    }
    if (step->law->paper) {
        out = rn_pipe_paper(step->law, &p, dh, f);
    } else {
        rn_wide e = upper_slope(dh, ei, ej), H = rn_pipe_height(&p), room = rn_pipe_room(&p);
        rn_wide along = rn_select(dh > 0.0f, along_i, along_j), across = rn_select(dh > 0.0f, across_i, across_j);
        rn_wide floor = rn_greater(p.bi, p.bj);
        rn_wide ledge = rn_greater(p.bi + p.di, floor) - rn_greater(p.bj + p.dj, floor) + tilt;
        rn_wide D = rn_pipe_drag(step->law, kappa, H, e), fall_D = rn_pipe_drag(step->law, kappa, room, e);
        rn_pace pace = rn_pipe_pace(step->law, H, dh, e, D, across + tilt_across, f);
        rn_flow flow = rn_pipe_flow(step->law, H, dh, rn_pipe_lean(H, dh, p.di - p.dj), e, D, f, pace.m);
        out = rn_pipe_fall(step->law, room, dh, ledge, along, e, fall_D, f);
        out.f = rn_select(fall, out.f, flow.f);
        out.t = rn_select(fall, out.t, flow.t);
        out.speed = rn_select(fall, out.speed, flow.speed);
        rn_wide fast_speed = rn_keep(~fall & (pace.root > 0.0f), flow.speed * pace.root);
        peak->height = rn_greater(rn_select(fall, room, H), peak->height);
        peak->wave = rn_greater(rn_keep(~fall, pace.wave), peak->wave);
        peak->fast_speed = rn_greater(fast_speed, peak->fast_speed);
    }
    peak->speed = rn_greater(out.speed, peak->speed);
    for (int lane = 0; lane < count && lane < RN_LANES; lane++) {
        s->loose_flux[first + lane] = out.f[lane];
        s->loose_move[first + lane] = out.t[lane];
    }
}

static int batch_count(const rn_state *s) { return (s->loose + RN_LANES - 1) / RN_LANES; }

static void loose_fluxes(void *context, int begin, int end, int worker) {
    const substep *step = context;
    wide_peak peak = {0};
    for (int b = begin; b < end; b++) loose_batch(step, b * RN_LANES, step->s->loose - b * RN_LANES, &peak);
    raise_all(&step->s->peaks[worker], &peak);
}

/* ---- Limits (step 7) ---------------------------------------------------------------------------------------- */

RN_INLINE rn_wide flow_in(rn_wide west, rn_wide east, rn_wide south, rn_wide north) {
    return (rn_positive(west) + rn_positive(-east)) + (rn_positive(south) + rn_positive(-north));
}

RN_INLINE rn_wide flow_out(rn_wide west, rn_wide east, rn_wide south, rn_wide north) {
    return (rn_positive(-west) + rn_positive(east)) + (rn_positive(-south) + rn_positive(north));
}

static void share_row(const substep *step, int layer, int y, bool in) {
    rn_state *s = step->s;
    const rn_law law = *step->law;
    const int32_t row = rn_slot(&s->grid, layer, y, 0), up = s->grid.stride;
    rn_mask limited = {0};
    for (int32_t c = row; c < row + s->grid.nx; c += RN_LANES) {
        rn_wide west = rn_load(s->move_x + c - 1), east = rn_load(s->move_x + c);
        rn_wide south = rn_load(s->move_y + c - up), north = rn_load(s->move_y + c);
        rn_wide depth = rn_load(s->depth + c), base = rn_load(s->base + c), share;
        if (in) share = rn_share_in(&law, flow_in(west, east, south, north), (rn_load(s->ceil + c) - base) - depth);
        else share = rn_share_out(flow_out(west, east, south, north), depth);
        limited |= (share < 1.0f) & (base < RN_NO_COLUMN);
        rn_store(s->share + c, share);
    }
    rn_row_at(s, layer, y)->limited = rn_any(limited);
    mirror_row(s, s->share, layer, y);
}

/* Around dry rows nothing moves. */
static void shares(const substep *step, int begin, int end, bool in) {
    for (int r = begin; r < end; r++) {
        place p = row_place(step->s, r);
        rn_row *row = rn_row_at(step->s, p.layer, p.y);
        row->limited = false;
        if (wet_around(row)) share_row(step, p.layer, p.y, in);
    }
}

static void shares_in(void *context, int begin, int end, int worker) {
    (void)worker;
    shares(context, begin, end, true);
}

static void shares_out(void *context, int begin, int end, int worker) {
    (void)worker;
    shares(context, begin, end, false);
}

static float loose_sum(const rn_state *s, const rn_special *special, bool in) {
    float sum = 0.0f;
    for (int32_t n = special->begin; n < special->end; n++) {
        float t = s->loose_move[s->links[n] / 2];
        bool leaves = s->links[n] % 2 ? t < 0.0f : t > 0.0f;
        if (leaves != in) sum += fabsf(t);
    }
    return sum;
}

static void special_shares(const substep *step, bool in) {
    rn_state *s = step->s;
    const int32_t up = s->grid.stride;
    for (int32_t i = 0; i < s->special_count; i++) {
        const rn_special *special = &s->specials[i];
        const int32_t c = special->slot;
        s->share[c] = 1.0f;
        if (special->sink && in) {
            const float coming = loose_sum(s, special, true), countable = rn_most_at_once(step->law);
            if (coming > countable) {
                s->share[c] = countable / coming * RN_SAFE;
                rn_row_at(s, slot_place(s, c).layer, slot_place(s, c).y)->limited = true;
            }
        }
        if (rests(s, special)) continue;
        place p = slot_place(s, c);
        rn_wide west = rn_splat(s->move_x[c - 1]), east = rn_splat(s->move_x[c]);
        rn_wide south = rn_splat(s->move_y[c - up]), north = rn_splat(s->move_y[c]);
        rn_wide more = rn_splat(loose_sum(s, special, in)), depth = rn_splat(s->depth[c]);
        rn_wide share = in ? rn_share_in(step->law, flow_in(west, east, south, north) + more,
                                         rn_splat(s->ceil[c] - s->base[c]) - depth)
                           : rn_share_out(flow_out(west, east, south, north) + more, depth);
        s->share[c] = share[0];
        if (s->share[c] < 1.0f) rn_row_at(s, p.layer, p.y)->limited = true;
        mirror_row(s, s->share, p.layer, p.y);
    }
}

static void limit_run(const substep *step, const pipe_run *run, bool in) {
    const rn_law law = *step->law;
    const float *near = step->s->share, *far = near + run->next;
    const float *forward = in ? far : near, *backward = in ? near : far;
    for (int32_t i = run->first; i < run->first + run->count; i += RN_LANES) {
        rn_wide f = rn_load(run->flux + i);
        rn_wide share = rn_select(f > 0.0f, rn_load(forward + i), rn_load(backward + i));
        if (!rn_any(share < 1.0f)) continue;
        rn_store(run->move + i, rn_limit_transfer(&law, rn_load(run->move + i), share));
        rn_store(run->flux + i, rn_limit_flux(f, share));
    }
}

static void limits(const substep *step, int begin, int end, bool in) {
    rn_state *s = step->s;
    const rn_grid *g = &s->grid;
    for (int r = begin; r < end; r++) {
        place p = rim_place(s, r);
        int y_here = p.y < 0 && s->periodic_y ? g->ny - 1 : p.y, y_next = p.y + 1;
        if (y_next == g->ny && s->periodic_y) y_next = 0;
        bool here = rn_row_at(s, p.layer, y_here)->limited, next = rn_row_at(s, p.layer, y_next)->limited;
        pipe_run x = {.first = rn_slot(g, p.layer, p.y, -1), .next = 1, .count = g->nx + 1, .axis = 0};
        pipe_run y = {.first = rn_slot(g, p.layer, p.y, 0), .next = g->stride, .count = g->nx, .axis = 1};
        x.flux = s->flux_x, x.move = s->move_x;
        y.flux = s->flux_y, y.move = s->move_y;
        if (p.y >= 0 && here) limit_run(step, &x, in);
        if (here || next) limit_run(step, &y, in);
    }
}

static void limits_in(void *context, int begin, int end, int worker) {
    (void)worker;
    limits(context, begin, end, true);
}

static void limits_out(void *context, int begin, int end, int worker) {
    (void)worker;
    limits(context, begin, end, false);
}

static void loose_limits(const substep *step, bool in) {
    rn_state *s = step->s;
    for (int32_t i = 0; i < s->loose; i++) {
        float share = s->share[(s->loose_flux[i] > 0.0f) == in ? s->loose_b[i] : s->loose_a[i]];
        if (share >= 1.0f) continue;
        s->loose_move[i] = rn_limit_transfer(step->law, rn_splat(s->loose_move[i]), rn_splat(share))[0];
        s->loose_flux[i] = rn_limit_flux(rn_splat(s->loose_flux[i]), rn_splat(share))[0];
    }
}

void rn_pipes_limit(substep *step, rn_pool *pool, bool in) {
    rn_state *s = step->s;
    free_rims(s);
    rn_parallel_for(pool, row_count(s), in ? shares_in : shares_out, step);
    special_shares(step, in);
    if (!any_limited(s)) return;
    rn_parallel_for(pool, rim_count(s), in ? limits_in : limits_out, step);
    loose_limits(step, in);
}

/* ---- Depths (step 8) ------------------------------------------------------------------------------------------ */

static void depths(void *context, int begin, int end, int worker) {
    const substep *step = context;
    rn_state *s = step->s;
    const int32_t up = s->grid.stride;
    for (int r = begin; r < end; r++) {
        place p = row_place(s, r);
        const rn_row *flags = rn_row_at(s, p.layer, p.y);
        if (flags[-1].still && flags[0].still) continue;
        const int32_t row = rn_slot(&s->grid, p.layer, p.y, 0);
        rn_wide deepest = {0};
        for (int32_t c = row; c < row + s->grid.nx; c += RN_LANES) {
            rn_wide x = rn_load(s->move_x + c - 1) - rn_load(s->move_x + c);
            rn_wide y = rn_load(s->move_y + c - up) - rn_load(s->move_y + c);
            rn_wide depth = rn_load(s->depth + c) + (x + y);
            deepest = rn_greater(depth, deepest);
            rn_store(s->depth + c, depth);
        }
        float most = rn_greatest(deepest);
        rn_row_at(s, p.layer, p.y)->wet = most > 0.0f;
        raise(&s->peaks[worker].deepest, most);
        mirror_row(s, s->depth, p.layer, p.y);
    }
}

static void special_depths(rn_state *s) {
    for (int32_t i = 0; i < s->special_count; i++) {
        const rn_special *special = &s->specials[i];
        float change = 0.0f;
        for (int32_t n = special->begin; n < special->end; n++) {
            float t = s->loose_move[s->links[n] / 2];
            change += s->links[n] % 2 ? t : -t;
        }
        place p = slot_place(s, special->slot);
        float *depth = &s->depth[special->slot];
        *depth += change;
        if (*depth > 0.0f) rn_row_at(s, p.layer, p.y)->wet = true;
        raise(&s->peaks[0].deepest, *depth);
        mirror_row(s, s->depth, p.layer, p.y);
    }
}

static void gather_peaks(rn_state *s, const rn_pool *pool, rn_peak *peak) {
    *peak = (rn_peak){0};
    for (int i = 0; i < rn_pool_size(pool); i++) {
        raise(&peak->height, s->peaks[i].height);
        raise(&peak->wave, s->peaks[i].wave);
        raise(&peak->wave, s->peaks[i].height);
        raise(&peak->speed, s->peaks[i].speed);
        raise(&peak->fast_speed, s->peaks[i].fast_speed);
        raise(&peak->deepest, s->peaks[i].deepest);
        raise(&peak->pace, s->peaks[i].pace);
        s->peaks[i] = (rn_peak){0};
    }
}

void rn_pipes_slopes(substep *step, rn_pool *pool) {
    if (step->law->paper) return;
    rn_parallel_for(pool, row_count(step->s), slopes, step);
    rn_parallel_for(pool, step->s->special_count, special_slopes, step);
    mirror_slopes(step->s);
}

void rn_pipes_depths(substep *step, rn_pool *pool) {
    rn_parallel_for(pool, row_count(step->s), depths, step);
    special_depths(step->s);
    mirror_wet(step->s);
}

void rn_pipes_end(substep *step, rn_pool *pool, rn_peak *peak) {
    gather_peaks(step->s, pool, peak);
    step->s->step++;
}

void rn_pipes_step(rn_state *s, const rn_law *law, rn_flood *flood, rn_pool *pool, rn_peak *peak) {
    substep step = {s, law};
    rn_pipes_slopes(&step, pool);
    rn_passages_hold(flood, s);
    rn_parallel_for(pool, rim_count(s), fluxes, &step);
    rn_parallel_for(pool, batch_count(s), loose_fluxes, &step);
    rn_passages_drive(flood, s, law, pool);
    rn_pipes_limit(&step, pool, true);
    rn_flood_press(s);
    rn_pipes_limit(&step, pool, false);
    rn_passages_move(flood, s, law, &s->peaks[0]);
    if (s->advected) rn_advection_look(&step, pool);
    rn_pipes_depths(&step, pool);
    if (s->advected) {
        rn_advection_step(&step, pool);
        mirror_pipes(s, s->flux_x, s->flux_y);
    }
    rn_passages_end(flood, s);
    rn_pipes_end(&step, pool, peak);
}

void rn_pipes_changed(rn_state *s, int32_t slot) {
    place p = slot_place(s, slot);
    if (s->depth[slot] > 0.0f) rn_row_at(s, p.layer, p.y)->wet = true;
    mirror_row(s, s->depth, p.layer, p.y);
    mirror_wet(s);
}

void rn_pipes_row_changed(rn_state *s, int layer, int y) {
    const int32_t row = rn_slot(&s->grid, layer, y, 0), nx = s->grid.nx;
    bool wet = false;
    for (int32_t c = row; c < row + nx; c++) wet |= s->depth[c] > 0.0f;
    rn_row_at(s, layer, y)->wet = wet;
    mirror_row(s, s->depth, layer, y);
    if (s->periodic_x) s->flux_x[row - 1] = s->flux_x[row + nx - 1];
    if (s->periodic_y && y == s->grid.ny - 1)
        memcpy(s->flux_y + rn_slot(&s->grid, layer, -1, 0), s->flux_y + row, (size_t)nx * sizeof *s->flux_y);
    mirror_wet(s);
}

/* ---- Looking without moving ----------------------------------------------------------------------------------- */

static void measure_pipe(const rn_state *s, int32_t a, int32_t b, float drop, float f, const rn_law *law,
                         rn_peak *peak) {
    rn_ends p = {rn_splat(s->base[a]),        rn_splat(s->depth[a]), rn_splat(s->ceil[a]),
                 rn_splat(s->base[b] - drop), rn_splat(s->depth[b]), rn_splat(s->ceil[b] - drop)};
    float H = rn_pipe_height(&p)[0];
    if (H < RN_CLOSED) return;
    raise(&peak->height, H);
    if (H > law->felt) raise(&peak->speed, fabsf(f) / (law->cell * H));
    if (s->advected) raise(&peak->pace, sqrtf(2.0f * law->gravity * H) + fabsf(f) / (law->cell * H));
}

void rn_pipes_measure(rn_state *s, const rn_law *law, rn_peak *peak) {
    const rn_grid *g = &s->grid;
    *peak = (rn_peak){0};
    mirror_pipes(s, s->flux_x, s->flux_y);
    for (int layer = 0; layer < g->layers; layer++)
        for (int y = 0; y < g->ny; y++) {
            rn_row *row = rn_row_at(s, layer, y);
            row->wet = row->still = row[-1].still = false;
            mirror_row(s, s->depth, layer, y);
            for (int x = 0; x < g->nx; x++) {
                float depth = s->depth[rn_slot(g, layer, y, x)];
                if (depth > 0.0f) row->wet = true;
                if (depth > 0.0f) raise(&peak->top, s->base[rn_slot(g, layer, y, x)] + depth);
                raise(&peak->deepest, depth);
            }
        }
    mirror_wet(s);
    for (int layer = 0; layer < g->layers; layer++)
        for (int y = 0; y < g->ny; y++)
            for (int x = 0; x < g->nx; x++) {
                int32_t a = rn_slot(g, layer, y, x);
                if (s->pipe_x[a]) measure_pipe(s, a, a + 1, 0.0f, s->flux_x[a], law, peak);
                if (s->pipe_y[a]) measure_pipe(s, a, a + g->stride, 0.0f, s->flux_y[a], law, peak);
            }
    for (int32_t i = 0; i < s->loose; i++)
        measure_pipe(s, s->loose_a[i], s->loose_b[i], s->loose_drop[i], s->loose_flux[i], law, peak);
    peak->wave = peak->height;
}
