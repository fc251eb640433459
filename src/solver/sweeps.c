#include "solver/sweeps.h"

/* RN_LANES columns at a time. The lanes past a row's end work on the padding, where nothing is ever open. */

enum { ROOM = RN_TILE_X + RN_PAD }; /* a tile's columns, and what vectors reach beyond */

/* ---- Slopes (docs/model.md, step 0) -------------------------------------------------------------------- */

/* Where slopes of one row go or come from, [0] for the patch's first column. */
typedef struct slope_row {
    float *e, *x, *y; /* slope factor; m per cell, fall of the bed towards +x and +y */
} slope_row;

/* One row of slopes in the making. */
typedef struct slope_walk {
    const float *base, *depth; /* at the row's first column */
    const uint8_t *pipe_x, *pipe_y;
    int32_t up;
    float tilt_x, tilt_y, per_cell;
    float *steps; /* bed steps from the row below, which are left as those to the row above */
    slope_row to;
} slope_walk;

/* From column `begin` to `end` - 1; `before` is the bed step behind the first. */
RN_INLINE void slope_lanes(const slope_walk *walk, int begin, int end, rn_wide before, const bool masked) {
    const slope_walk w = *walk;
    for (int i = begin; i < end; i += RN_LANES) {
        const rn_wide b = rn_load(w.base + i), h = b + rn_load(w.depth + i);
        const rn_wide bx = rn_load(w.base + i + 1), hx = bx + rn_load(w.depth + i + 1);
        const rn_wide by = rn_load(w.base + i + w.up), hy = by + rn_load(w.depth + i + w.up);
        const rn_wide east = rn_bed_step(b - bx, h - hx + w.tilt_x), north = rn_bed_step(b - by, h - hy + w.tilt_y);
        const rn_wide west = rn_behind(before, east), south = rn_load(w.steps + i);
        rn_wide x, y;
        before = east;
        rn_store(w.steps + i, north);
        if (masked) {
            const uint8_t *px = w.pipe_x + i, *py = w.pipe_y + i;
            x = rn_bed_slope(west, east, load_flags(px - 1), load_flags(px));
            y = rn_bed_slope(south, north, load_flags(py - w.up), load_flags(py));
        } else {
            x = rn_bed_slope_between(west, east);
            y = rn_bed_slope_between(south, north);
        }
        const rn_wide gx = x * w.per_cell, gy = y * w.per_cell;
        rn_store(w.to.x + i, x);
        rn_store(w.to.y + i, y);
        rn_store(w.to.e + i, 1.0f + (gx * gx + gy * gy));
    }
}

/* The bed step from one column to another. */
static float bed_step(const slope_walk *w, int from, int32_t to, float tilt) {
    const float db = w->base[from] - w->base[to];
    const float dh = (w->base[from] + w->depth[from]) - (w->base[to] + w->depth[to]) + tilt;
    return rn_bed_step(rn_splat(db), rn_splat(dh))[0];
}

/* All of a row, and one column more. Beside edges of the grid some pipes are missing. */
static void slope_columns(slope_walk *w, const rn_patch *patch, bool masked) {
    const int end = patch->columns + 1;
    int whole = patch->west ? RN_LANES : 0, whole_end = patch->east ? (patch->columns - 1) / RN_LANES * RN_LANES : end;
    if (masked || whole > whole_end) whole = whole_end = end;
    for (int i = 0; i < end;) {
        const bool outer = i < whole || i >= whole_end;
        const int stop = i < whole ? (whole < end ? whole : end) : outer ? end : whole_end;
        const rn_wide before = rn_splat(bed_step(w, i - 1, i, w->tilt_x));
        if (outer) slope_lanes(w, i, stop, before, true);
        else slope_lanes(w, i, stop, before, false);
        i = stop;
    }
}

static slope_walk walk_from(const substep *step, int32_t first, float *steps, slope_row to) {
    const rn_state *s = step->s;
    const rn_law *law = step->law;
    return (slope_walk){.base = s->base + first,
                        .depth = s->depth + first,
                        .pipe_x = s->pipe_x + first,
                        .pipe_y = s->pipe_y + first,
                        .up = s->grid.stride,
                        .tilt_x = law->tilt[0],
                        .tilt_y = law->tilt[1],
                        .per_cell = 1.0f / law->cell,
                        .steps = steps,
                        .to = to};
}

/* Bed steps from the row below the first. */
static void first_steps(const substep *step, const rn_patch *patch, float *steps) {
    const slope_walk w = walk_from(step, patch->first, steps, (slope_row){0});
    for (int i = 0; i <= patch->columns; i += RN_LANES) {
        const rn_wide b = rn_load(w.base + i - w.up), h = b + rn_load(w.depth + i - w.up);
        const rn_wide by = rn_load(w.base + i), hy = by + rn_load(w.depth + i);
        rn_store(steps + i, rn_bed_step(b - by, h - hy + w.tilt_y));
    }
}

/* Columns with pipes to other layers have had their slopes found. */
static void special_columns(const substep *step, const rn_patch *patch, int32_t row, slope_row to) {
    const rn_state *s = step->s;
    for (int i = 0; s->special_count > 0 && i <= patch->columns; i += RN_LANES) {
        rn_mask some;
        memcpy(&some, s->special_of + row + i, sizeof some);
        for (int lane = 0; rn_any(some) && lane < RN_LANES; lane++) {
            if (some[lane] == 0) continue;
            const rn_special *special = &s->specials[some[lane] - 1];
            to.e[i + lane] = special->slope;
            to.x[i + lane] = special->slope_x;
            to.y[i + lane] = special->slope_y;
        }
    }
}

static void slopes_of(const substep *step, const rn_patch *patch, int y, bool gaps, float *steps, slope_row to) {
    const int32_t row = patch->first + y * step->s->grid.stride;
    if (y == patch->rows && patch->north) { /* past the edge */
        for (int i = 0; i < ROOM; i++) to.e[i] = 1.0f, to.x[i] = to.y[i] = 0.0f;
        return;
    }
    slope_walk walk = walk_from(step, row, steps, to);
    slope_columns(&walk, patch, gaps || (y == 0 && patch->south) || (y == patch->rows - 1 && patch->north));
    special_columns(step, patch, row, to);
}

static void keep_slopes(const substep *step, const rn_patch *patch, bool gaps) {
    rn_state *s = step->s;
    float steps[ROOM], beyond[3][ROOM];
    first_steps(step, patch, steps);
    for (int y = 0; y < patch->rows; y++) {
        const int32_t row = patch->first + y * s->grid.stride;
        slopes_of(step, patch, y, gaps, steps, (slope_row){beyond[0], beyond[1], beyond[2]});
        const size_t bytes = (size_t)patch->columns * sizeof(float);
        memcpy(s->slope + row, beyond[0], bytes);
        memcpy(s->slope_x + row, beyond[1], bytes);
        memcpy(s->slope_y + row, beyond[2], bytes);
    }
}

/* ---- Fluxes (steps 1 to 6) -------------------------------------------------------------------------------- */

/* Running maxima. */
typedef struct wide_peak {
    rn_wide height, wave, fast_speed;
    rn_wide pace; /* H R, a speed times the cell */
    rn_mask flows;
} wide_peak;

/* One pipe of each lane, on its way through the steps. */
typedef struct pipe {
    rn_ends ends;
    rn_wide H, H2, dh, drop, e, D, f, m, root, R; /* drop: |dh| */
} pipe;

/* Two rows of pipes: along x and along y from the same columns. */
typedef struct pipe_row {
    int32_t first;
    int count;
    slope_row here, above;
} pipe_row;

/* All that a loop may have to do; what is false costs nothing. */
typedef struct loop_kind {
    bool sloped, gated, dry, tilted, advected, rough;
} loop_kind;

RN_INLINE void look_at(const rn_state *s, const rn_law *law, pipe *p, int32_t i, int32_t j, int axis, rn_wide ei,
                       rn_wide ej, const loop_kind kind) {
    rn_ends *ends = &p->ends;
    p->dh = (ends->bi + ends->di) - (ends->bj + ends->dj);
    if (kind.gated) {
        ends->ci = rn_load(s->ceil + i), ends->cj = rn_load(s->ceil + j);
        p->H = rn_keep(load_open((axis == 0 ? s->pipe_x : s->pipe_y) + i), rn_pipe_height(ends));
    } else {
        p->H = rn_pipe_height_open(ends);
    }
    if (kind.tilted) p->dh += law->tilt[axis];
    p->drop = rn_size(p->dh);
    p->H2 = p->H * p->H;
    p->e = kind.sloped ? upper_slope(p->dh, ei, ej) : rn_splat(1.0f);
    const rn_wide kappa = kind.rough ? 0.5f * (rn_load(s->kappa + i) + rn_load(s->kappa + j)) : rn_splat(law->kappa);
    p->D = kappa * p->H2 + law->nu3 * p->e;
    p->m = rn_splat(1.0f);
    p->root = (rn_wide){0};
}

/* Pipes that may be fast: which are, and what that does to them. */
RN_INLINE void scale(const rn_law *law, pipe *p, rn_wide across_i, rn_wide across_j, int axis, wide_peak *most,
                     const loop_kind kind) {
    rn_wide gt = {0};
    if (kind.sloped) gt = rn_select(p->dh > 0.0f, across_i, across_j);
    if (kind.tilted) gt += law->tilt[1 - axis];
    const rn_pace pace = rn_pipe_pace(law, p->H, p->dh, p->e, p->D, gt, p->f);
    p->m = pace.m;
    p->root = pace.root;
    most->wave = rn_greater(pace.wave, most->wave);
}

RN_INLINE rn_wide lean_of(const pipe *p, const loop_kind kind) {
    const rn_wide most = kind.advected ? rn_pipe_upwind(&p->ends, p->H) : p->H;
    if (kind.tilted) return rn_pipe_lean(most, p->dh, p->ends.di - p->ends.dj);
    const rn_wide size = 0.5f * (p->drop + rn_apart(p->ends.di, p->ends.dj) - rn_apart(p->ends.bi, p->ends.bj));
    return rn_signed(rn_lesser(size, most), p->dh);
}

/* A size of transfer in quanta becomes a flux and a transfer. */
RN_INLINE void give(const rn_law *law, const pipe *p, rn_wide size, rn_mask sleeps, bool some_sleep, float *flux,
                    float *move, wide_peak *most, const loop_kind kind) {
    rn_wide f = p->H2 * p->R, count = size + law->dither;
    if (some_sleep) count = rn_select(sleeps, size, count);
    rn_wide t = rn_signed(rn_trunc(rn_lesser(count, rn_splat(RN_MOST))) * law->quantum, p->R);
    if (some_sleep) f = rn_select(sleeps, t * (law->cell * law->cell / law->dt) + 0.0f, f);
    const rn_mask open =
        kind.dry ? rn_pipe_gives(p->H, p->R, p->ends.di, p->ends.dj) : (rn_mask)(p->H >= RN_CLOSED);
    f = rn_keep(open, f);
    most->flows |= (rn_mask)f;
    rn_store(flux, f);
    rn_store(move, rn_keep(open, t));
}

RN_INLINE void flux_lanes(const substep *step, const pipe_row *row, wide_peak *peak, const loop_kind kind) {
    const rn_state *s = step->s;
    rn_law law = *step->law;
    if (kind.advected) law.fastest = INFINITY; /* liquid carries its momentum away, which is bound enough */
    const float *const depth = s->depth, *const base = s->base;
    const slope_row here = row->here, above = row->above;
    const int32_t up = s->grid.stride;
    const float per_volume = law.dt / (law.cell * law.cell) * law.per_quantum, asleep = RN_ASLEEP * law.quantum;
    const float fastest = law.fastest * law.cell * 0.9999f, per_cell = 1.0f / law.cell;
    wide_peak most = *peak;
    for (int n = 0; n < row->count; n += RN_LANES) {
        const int32_t i = row->first + n;
        const rn_wide d = rn_load(depth + i), b = rn_load(base + i), zero = {0}, one = rn_splat(1.0f);
        pipe x = {.ends = {.bi = b, .di = d, .bj = rn_load(base + i + 1), .dj = rn_load(depth + i + 1)}};
        pipe y = {.ends = {.bi = b, .di = d, .bj = rn_load(base + i + up), .dj = rn_load(depth + i + up)}};
        if (kind.dry && !rn_any((rn_mask)d | (rn_mask)x.ends.dj | (rn_mask)y.ends.dj)) {
            rn_store(s->flux_x + i, zero), rn_store(s->flux_y + i, zero);
            rn_store(s->move_x + i, zero), rn_store(s->move_y + i, zero);
            if (kind.advected) rn_store(s->speed_x + i, zero), rn_store(s->speed_y + i, zero);
            continue;
        }
        const rn_wide e = kind.sloped ? rn_load(here.e + n) : one;
        x.f = rn_load(s->flux_x + i), y.f = rn_load(s->flux_y + i);
        look_at(s, &law, &x, i, i + 1, 0, e, kind.sloped ? rn_load(here.e + n + 1) : one, kind);
        look_at(s, &law, &y, i, i + up, 1, e, kind.sloped ? rn_load(above.e + n) : one, kind);
        if (kind.advected) rn_store(s->speed_x + i, x.H), rn_store(s->speed_y + i, y.H);
        most.height = rn_greater(rn_greater(x.H, y.H), most.height);
        const bool fast = rn_any(rn_pipe_may_be_fast(&law, x.H, x.H2, x.e, x.f) |
                                 rn_pipe_may_be_fast(&law, y.H, y.H2, y.e, y.f));
        if (fast) {
            rn_wide gx = zero, gy = zero, gx_above = zero, gy_east = zero;
            if (kind.sloped) {
                gx = rn_load(here.x + n), gy = rn_load(here.y + n);
                gx_above = rn_load(above.x + n), gy_east = rn_load(here.y + n + 1);
            }
            scale(&law, &x, gy, gy_east, 0, &most, kind);
            scale(&law, &y, gx, gx_above, 1, &most, kind);
            x.R = rn_pipe_rate(&law, x.H, x.dh, x.e, x.D, x.m, x.f);
            y.R = rn_pipe_rate(&law, y.H, y.dh, y.e, y.D, y.m, y.f);
        } else {
            x.R = rn_pipe_rate_unscaled(&law, x.H, x.H2, x.dh, x.e, x.D, x.f);
            y.R = rn_pipe_rate_unscaled(&law, y.H, y.H2, y.dh, y.e, y.D, y.f);
        }
        rn_wide pace_x = x.H * rn_size(x.R), pace_y = y.H * rn_size(y.R);
        const rn_mask felt_x = x.H > law.felt, felt_y = y.H > law.felt;
        if (rn_any((pace_x > fastest) | (pace_y > fastest))) {
            const rn_wide speed_x = pace_x * per_cell, speed_y = pace_y * per_cell;
            x.R = rn_select(speed_x > law.fastest, x.R * (law.fastest / speed_x), x.R);
            y.R = rn_select(speed_y > law.fastest, y.R * (law.fastest / speed_y), y.R);
        }
        most.pace = rn_greater(rn_keep(felt_x, pace_x), most.pace);
        most.pace = rn_greater(rn_keep(felt_y, pace_y), most.pace);
        if (fast) {
            const rn_wide cap = rn_splat(law.fastest);
            const rn_wide speed_x = rn_keep(felt_x, rn_lesser(pace_x * per_cell, cap));
            const rn_wide speed_y = rn_keep(felt_y, rn_lesser(pace_y * per_cell, cap));
            most.fast_speed = rn_greater(rn_keep(x.root > 0.0f, speed_x * x.root), most.fast_speed);
            most.fast_speed = rn_greater(rn_keep(y.root > 0.0f, speed_y * y.root), most.fast_speed);
        }
        const rn_wide size_x = rn_size(x.H * (x.H + 0.5f * rn_flipped(lean_of(&x, kind), x.R)) * x.R * per_volume);
        const rn_wide size_y = rn_size(y.H * (y.H + 0.5f * rn_flipped(lean_of(&y, kind), y.R)) * y.R * per_volume);
        const rn_mask sleeps_x = (x.drop <= asleep) & (size_x <= RN_ASLEEP);
        const rn_mask sleeps_y = (y.drop <= asleep) & (size_y <= RN_ASLEEP);
        const bool some_sleep = rn_any(sleeps_x | sleeps_y);
        if (some_sleep) {
            give(&law, &x, size_x, sleeps_x, true, s->flux_x + i, s->move_x + i, &most, kind);
            give(&law, &y, size_y, sleeps_y, true, s->flux_y + i, s->move_y + i, &most, kind);
        } else {
            give(&law, &x, size_x, sleeps_x, false, s->flux_x + i, s->move_x + i, &most, kind);
            give(&law, &y, size_y, sleeps_y, false, s->flux_y + i, s->move_y + i, &most, kind);
        }
    }
    *peak = most;
}

/* The paper's pipes know neither slopes nor falls; their waves are as fast as on water one cell deep. */
RN_INLINE void paper_lanes(const substep *step, const pipe_row *row, int axis, wide_peak *most) {
    const rn_state *s = step->s;
    const rn_law law = *step->law;
    const int32_t next = axis == 0 ? 1 : s->grid.stride, end = row->first + row->count;
    float *const flux = axis == 0 ? s->flux_x : s->flux_y, *const move = axis == 0 ? s->move_x : s->move_y;
    const uint8_t *const pipes = axis == 0 ? s->pipe_x : s->pipe_y;
    for (int32_t i = row->first; i < end; i += RN_LANES) {
        const int32_t j = i + next;
        const rn_ends p = {rn_load(s->base + i), rn_load(s->depth + i), rn_load(s->ceil + i),
                           rn_load(s->base + j), rn_load(s->depth + j), rn_load(s->ceil + j)};
        const rn_wide dh = (p.bi + p.di) - (p.bj + p.dj) + law.tilt[axis];
        const rn_flow flow = rn_pipe_paper(&law, &p, dh, rn_load(flux + i));
        const rn_mask open = load_open(pipes + i);
        const rn_wide f = rn_keep(open, flow.f);
        rn_store(flux + i, f);
        rn_store(move + i, rn_keep(open, flow.t));
        most->flows |= (rn_mask)f;
        most->pace = rn_greater(rn_keep(open, flow.speed), most->pace);
    }
}

static void flux_row(const substep *step, const pipe_row *row, wide_peak *peak, rn_kind kind, bool tilted) {
    const bool plain = !kind.sloped && !kind.gated && !tilted;
    if (step->law->paper) {
        paper_lanes(step, row, 0, peak);
        paper_lanes(step, row, 1, peak);
    } else if (step->s->kappa && step->s->advected)
        flux_lanes(step, row, peak, (loop_kind){.sloped = true, .gated = true, .dry = true, .tilted = true, .advected = true, .rough = true});
    else if (step->s->kappa) flux_lanes(step, row, peak, (loop_kind){.sloped = true, .gated = true, .dry = true, .tilted = true, .rough = true});
    else if (step->s->advected && !plain)
        flux_lanes(step, row, peak, (loop_kind){.sloped = true, .gated = true, .dry = true, .tilted = true, .advected = true});
    else if (step->s->advected) flux_lanes(step, row, peak, (loop_kind){.dry = true, .advected = true});
    else if (tilted) flux_lanes(step, row, peak, (loop_kind){.sloped = true, .gated = true, .dry = true, .tilted = true});
    else if (kind.gated) flux_lanes(step, row, peak, (loop_kind){.sloped = true, .gated = true, .dry = true});
    else if (kind.sloped && kind.dry) flux_lanes(step, row, peak, (loop_kind){.sloped = true, .dry = true});
    else if (kind.sloped) flux_lanes(step, row, peak, (loop_kind){.sloped = true});
    else if (kind.dry) flux_lanes(step, row, peak, (loop_kind){.dry = true});
    else flux_lanes(step, row, peak, (loop_kind){0});
}

static void find_fluxes(const substep *step, const rn_patch *patch, rn_kind kind, rn_swept *found) {
    const rn_state *s = step->s;
    const rn_law *law = step->law;
    const bool tilted = law->tilt[0] != 0.0f || law->tilt[1] != 0.0f;
    const bool slopes = (kind.sloped || kind.gated || tilted || s->kappa) && !law->paper;
    float steps[ROOM], rows[2][3][ROOM];
    wide_peak most = {0};
    pipe_row row = {.first = patch->first, .count = patch->columns};
    row.above = (slope_row){rows[0][0], rows[0][1], rows[0][2]};
    if (slopes && !s->slope) {
        first_steps(step, patch, steps);
        slopes_of(step, patch, 0, kind.gaps, steps, row.above);
    }
    for (int y = 0; y < patch->rows; y++, row.first += s->grid.stride) {
        const int32_t next = row.first + s->grid.stride;
        float(*room)[ROOM] = rows[(y + 1) % 2];
        row.here = row.above;
        row.above = (slope_row){room[0], room[1], room[2]};
        if (slopes && s->slope) {
            row.here = (slope_row){s->slope + row.first, s->slope_x + row.first, s->slope_y + row.first};
            row.above = (slope_row){s->slope + next, s->slope_x + next, s->slope_y + next};
        } else if (slopes) {
            slopes_of(step, patch, y + 1, kind.gaps, steps, row.above);
        }
        flux_row(step, &row, &most, kind, tilted);
    }
    found->flows = rn_any(most.flows);
    raise(&found->peak.height, rn_greatest(most.height));
    raise(&found->peak.wave, rn_greatest(most.wave));
    raise(&found->peak.fast_speed, rn_greatest(most.fast_speed));
    const float speed = rn_greatest(most.pace) * (law->paper ? 1.0f : 1.0f / law->cell);
    raise(&found->peak.speed, law->paper || s->advected || speed < law->fastest ? speed : law->fastest);
}

/* ---- Limits (step 7) ---------------------------------------------------------------------------------------- */

/* Transfers over the four sides of RN_LANES columns. */
typedef struct sides {
    rn_wide west, east, south, north;
} sides;

RN_INLINE sides sides_of(const rn_state *s, int32_t c) {
    return (sides){rn_load(s->move_x + c - 1), rn_load(s->move_x + c), rn_load(s->move_y + c - s->grid.stride),
                   rn_load(s->move_y + c)};
}

RN_INLINE rn_wide flow_in(const sides *t) {
    return (rn_positive(t->west) + rn_positive(-t->east)) + (rn_positive(t->south) + rn_positive(-t->north));
}

RN_INLINE rn_wide flow_out(const sides *t) {
    return (rn_positive(-t->west) + rn_positive(t->east)) + (rn_positive(-t->south) + rn_positive(t->north));
}

RN_INLINE rn_wide flow_net(const sides *t) { return (t->west - t->east) + (t->south - t->north); }

static bool find_shares(const substep *step, const rn_patch *patch, bool in) {
    rn_state *s = step->s;
    const rn_law law = *step->law;
    rn_mask limited = {0};
    for (int y = 0; y < patch->rows; y++) {
        const int32_t row = patch->first + y * s->grid.stride;
        for (int32_t c = row; c < row + patch->columns; c += RN_LANES) {
            const sides t = sides_of(s, c);
            const rn_wide depth = rn_load(s->depth + c), base = rn_load(s->base + c);
            rn_wide share = in ? rn_share_in(&law, flow_in(&t), (rn_load(s->ceil + c) - base) - depth)
                               : rn_share_out(flow_out(&t), depth);
            share = rn_select(base < RN_NO_COLUMN, share, rn_splat(1.0f));
            limited |= share < 1.0f;
            rn_store(s->share + c, share);
        }
    }
    return rn_any(limited);
}

static void free_shares(const substep *step, const rn_patch *patch) {
    const rn_state *s = step->s;
    for (int y = 0; y < patch->rows; y++) {
        const int32_t row = patch->first + y * s->grid.stride;
        for (int32_t c = row; c < row + patch->columns; c += RN_LANES) rn_store(s->share + c, rn_splat(1.0f));
    }
}

RN_INLINE void limit_lanes(const substep *step, int32_t first, int count, int axis, bool in) {
    const rn_state *s = step->s;
    const rn_law law = *step->law;
    const float *const near = s->share, *const far = near + (axis == 0 ? 1 : s->grid.stride);
    const float *const forward = in ? far : near, *const backward = in ? near : far;
    float *const flux = axis == 0 ? s->flux_x : s->flux_y, *const move = axis == 0 ? s->move_x : s->move_y;
    for (int32_t i = first; i < first + count; i += RN_LANES) {
        const rn_wide f = rn_load(flux + i);
        const rn_wide share = rn_select(f > 0.0f, rn_load(forward + i), rn_load(backward + i));
        if (!rn_any(share < 1.0f)) continue;
        rn_store(move + i, rn_limit_transfer(&law, rn_load(move + i), share));
        rn_store(flux + i, rn_limit_flux(f, share));
    }
}

static void limit(const substep *step, const rn_patch *patch, bool in) {
    for (int y = 0; y < patch->rows; y++) {
        const int32_t row = patch->first + y * step->s->grid.stride;
        limit_lanes(step, row, patch->columns, 0, in);
        limit_lanes(step, row, patch->columns, 1, in);
    }
}

/* ---- Depths (step 8) ------------------------------------------------------------------------------------------ */

RN_INLINE void depth_lanes(const substep *step, const rn_patch *patch, rn_swept *found, const bool gated) {
    const rn_state *s = step->s;
    const float full = RN_FULL * step->law->quantum;
    rn_wide deepest = {0}, shallowest = rn_splat(INFINITY);
    rn_mask limited = {0};
    const int end = patch->columns, whole = end / RN_LANES * RN_LANES;
    for (int y = 0; y < patch->rows; y++) {
        const int32_t row = patch->first + y * s->grid.stride;
        for (int n = 0; n < end; n += RN_LANES) {
            const int32_t c = row + n;
            const sides t = sides_of(s, c);
            const rn_wide was = rn_load(s->depth + c), depth = was + flow_net(&t);
            limited |= flow_out(&t) > was;
            if (gated) {
                const rn_wide base = rn_load(s->base + c), room = (rn_load(s->ceil + c) - base) - was;
                limited |= ((flow_in(&t) > room) | (room <= full)) & (base < RN_NO_COLUMN);
            }
            deepest = rn_greater(depth, deepest);
            if (n < whole) shallowest = rn_lesser(depth, shallowest);
            rn_store(s->depth + c, depth);
        }
    }
    found->limited = rn_any(limited);
    found->shallowest = whole < end ? 0.0f : rn_least(shallowest);
    raise(&found->peak.deepest, rn_greatest(deepest));
}

static void find_depths(const substep *step, const rn_patch *patch, bool gated, rn_swept *found) {
    if (gated) depth_lanes(step, patch, found, true);
    else depth_lanes(step, patch, found, false);
}

static void undo(const substep *step, const rn_patch *patch) {
    const rn_state *s = step->s;
    for (int y = 0; y < patch->rows; y++) {
        const int32_t row = patch->first + y * s->grid.stride;
        for (int32_t c = row; c < row + patch->columns; c += RN_LANES) {
            const sides t = sides_of(s, c);
            rn_store(s->depth + c, rn_load(s->depth + c) - flow_net(&t));
        }
    }
}

/* ---- Rest -------------------------------------------------------------------------------------------------------- */

static bool flows(const substep *step, const rn_patch *patch) {
    const rn_state *s = step->s;
    rn_mask some = {0};
    for (int y = 0; y < patch->rows; y++) {
        const int32_t row = patch->first + y * s->grid.stride;
        for (int32_t i = row; i < row + patch->columns; i += RN_LANES)
            some |= (rn_mask)rn_load(s->flux_x + i) | (rn_mask)rn_load(s->flux_y + i);
    }
    return rn_any(some);
}

static bool is_level(const substep *step, const rn_patch *patch, float *height) {
    const rn_state *s = step->s;
    const rn_law *law = step->law;
    const float closed = law->paper ? 0.0f : RN_CLOSED;
    rn_wide highest = {0};
    rn_mask uneven = {0};
    for (int y = 0; y < patch->rows; y++) {
        const int32_t row = patch->first + y * s->grid.stride;
        for (int32_t i = row; i < row + patch->columns; i += RN_LANES)
            for (int axis = 0; axis < 2; axis++) {
                const int32_t j = i + (axis == 0 ? 1 : s->grid.stride);
                const rn_ends p = {rn_load(s->base + i), rn_load(s->depth + i), rn_load(s->ceil + i),
                                   rn_load(s->base + j), rn_load(s->depth + j), rn_load(s->ceil + j)};
                const rn_wide dh = (p.bi + p.di) - (p.bj + p.dj) + law->tilt[axis];
                const rn_wide H = rn_keep(load_open((axis == 0 ? s->pipe_x : s->pipe_y) + i), rn_pipe_height(&p));
                uneven |= (dh != 0.0f) & (H > 0.0f) & (H >= closed);
                highest = rn_greater(H, highest);
            }
    }
    *height = law->paper ? 0.0f : rn_greatest(highest);
    return !rn_any(uneven);
}

const rn_sweeps RN_BODY(rn_sweeps) = {
    .fluxes = find_fluxes,
    .depths = find_depths,
    .undo = undo,
    .shares = find_shares,
    .free_shares = free_shares,
    .limits = limit,
    .flows = flows,
    .slopes = keep_slopes,
    .is_level = is_level,
};
