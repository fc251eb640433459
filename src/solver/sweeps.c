/* RN_LANES columns at a time. The lanes past a row's end work on the padding, where nothing is ever open.

   This is one long file on purpose: it is compiled once for every instruction set, and all of its loops share helpers
   that have to be inlined into them. */
#include "solver/sweeps.h"

enum { ROOM = RN_RUN * RN_TILE_X + 2 * RN_PAD }; /* a row's columns, and what vectors reach beyond */

static bool has_bit(uint32_t rows, int line) { return rows >> line & 1u; }

/* ---- Slopes (docs/model.md, step 0) -------------------------------------------------------------------- */

/* Where slopes of one row go or come from, [0] for the patch's first column. */
typedef struct slope_row {
    float *e, *x, *y; /* slope factor; m per cell, half the fall of the bed towards +x and +y */
    float *h;         /* m, level; NULL if it is not kept */
} slope_row;

/* One row of slopes in the making. */
typedef struct slope_walk {
    const float *base, *depth; /* at the row's first column */
    const uint8_t *pipe_x, *pipe_y;
    int32_t up;
    float tilt_x, tilt_y, per_half; /* m per cell; 2/m */
    float *steps;                   /* bed steps from the row below, which are left as those to the row above */
    slope_row to;
    float *next_h; /* levels of the row above, to be found */
} slope_walk;

/* From column `begin` to `end` - 1; `before` is the bed step behind the first. */
RN_INLINE void slope_lanes(const slope_walk *walk, int begin, int end, rn_wide before, const bool masked,
                           const bool tilted) {
    const slope_walk w = *walk;
    for (int i = begin; i < end; i += RN_LANES) {
        const rn_wide b = rn_load(w.base + i), h = rn_load(w.to.h + i);
        const rn_wide bx = rn_load(w.base + i + 1), hx = rn_load(w.to.h + i + 1);
        const rn_wide by = rn_load(w.base + i + w.up), hy = by + rn_load(w.depth + i + w.up);
        rn_store(w.next_h + i, hy);
        const rn_wide drop_x = tilted ? rn_size(h - hx + w.tilt_x) : rn_apart(h, hx);
        const rn_wide drop_y = tilted ? rn_size(h - hy + w.tilt_y) : rn_apart(h, hy);
        const rn_wide east = rn_bed_step(b - bx, drop_x), north = rn_bed_step(b - by, drop_y);
        const rn_wide west = rn_behind(before, east), south = rn_load(w.steps + i);
        rn_wide x, y;
        before = east;
        rn_store(w.steps + i, north);
        if (masked) {
            const rn_mask wet = (rn_mask)rn_load(w.depth + i) | (rn_mask)rn_load(w.depth + i - 1) |
                                (rn_mask)rn_load(w.depth + i + 1) | (rn_mask)rn_load(w.depth + i - w.up) |
                                (rn_mask)rn_load(w.depth + i + w.up);
            if (!rn_any(wet)) { /* nothing flows here: nobody asks */
                rn_store(w.to.x + i, (rn_wide){0}), rn_store(w.to.y + i, (rn_wide){0});
                rn_store(w.to.e + i, rn_splat(1.0f));
                continue;
            }
            const uint8_t *px = w.pipe_x + i, *py = w.pipe_y + i;
            x = rn_bed_half_slope(west, east, load_plain(px - 1), load_plain(px));
            y = rn_bed_half_slope(south, north, load_plain(py - w.up), load_plain(py));
        } else {
            x = rn_bed_half_slope_between(west, east);
            y = rn_bed_half_slope_between(south, north);
        }
        const rn_wide gx = x * w.per_half, gy = y * w.per_half;
        rn_store(w.to.x + i, x);
        rn_store(w.to.y + i, y);
        rn_store(w.to.e + i, 1.0f + (gx * gx + gy * gy));
    }
}

/* The bed step from one column to another. */
static float bed_step(const slope_walk *w, int from, int32_t to, float tilt) {
    const float db = w->base[from] - w->base[to];
    const float dh = (w->base[from] + w->depth[from]) - (w->base[to] + w->depth[to]) + tilt;
    return rn_bed_step(rn_splat(db), rn_size(rn_splat(dh)))[0];
}

/* All of a row and one column more, and levels of the next row for one more than that. Beside edges of the grid some
   pipes are missing. */
static void slope_columns(slope_walk *w, const rn_patch *patch, bool masked) {
    const int end = patch->columns + 2;
    int whole = patch->west ? RN_LANES : 0, whole_end = patch->east ? (patch->columns - 1) / RN_LANES * RN_LANES : end;
    if (masked || whole > whole_end) whole = whole_end = end;
    for (int i = 0; i < end;) {
        const bool outer = i < whole || i >= whole_end;
        const int stop = i < whole ? (whole < end ? whole : end) : outer ? end : whole_end;
        const rn_wide before = rn_splat(bed_step(w, i - 1, i, w->tilt_x));
        if (outer) slope_lanes(w, i, stop, before, true, true);
        else if (w->tilt_x != 0.0f || w->tilt_y != 0.0f) slope_lanes(w, i, stop, before, false, true);
        else slope_lanes(w, i, stop, before, false, false);
        i = stop;
    }
}

static slope_walk walk_from(const substep *step, int32_t first, float *steps, slope_row to, float *next_h) {
    const rn_state *s = step->s;
    const rn_law *law = step->law;
    return (slope_walk){.base = s->columns.base + first,
                        .depth = s->columns.depth + first,
                        .pipe_x = s->graph.pipe_x + first,
                        .pipe_y = s->graph.pipe_y + first,
                        .up = s->columns.grid.stride,
                        .tilt_x = law->tilt[0],
                        .tilt_y = law->tilt[1],
                        .per_half = 2.0f * (1.0f / law->cell),
                        .steps = steps,
                        .to = to,
                        .next_h = next_h};
}

/* Bed steps from the row below row `y`, and levels of that. */
static void first_steps(const substep *step, const rn_patch *patch, int y, float *steps, float *levels) {
    const int32_t row = patch->first + y * step->s->columns.grid.stride;
    const slope_walk w = walk_from(step, row, steps, (slope_row){0}, levels);
    for (int i = 0; i <= patch->columns + 1; i += RN_LANES) {
        const rn_wide b = rn_load(w.base + i - w.up), h = b + rn_load(w.depth + i - w.up);
        const rn_wide by = rn_load(w.base + i), hy = by + rn_load(w.depth + i);
        rn_store(steps + i, rn_bed_step(b - by, rn_size(h - hy + w.tilt_y)));
        rn_store(levels + i, hy);
    }
}

/* Columns with pipes to other layers have had their slopes found; falls do not count. */
static void special_columns(const substep *step, const rn_patch *patch, int32_t row, slope_row to) {
    const rn_state *s = step->s;
    for (int i = 0; s->graph.bent_count > 0 && i <= patch->columns; i += RN_LANES) {
        rn_mask some;
        memcpy(&some, s->graph.special_of + row + i, sizeof some);
        for (int lane = 0; rn_any(some) && lane < RN_LANES; lane++) {
            if (some[lane] == 0 || some[lane] > s->graph.bent_count) continue;
            const rn_special *special = &s->graph.specials[some[lane] - 1];
            to.e[i + lane] = special->slope;
            to.x[i + lane] = 0.5f * special->slope_x;
            to.y[i + lane] = 0.5f * special->slope_y;
        }
    }
}

/* Rows in the making: slopes of two, levels of three. */
typedef struct slope_rows {
    float steps[ROOM], e[2][ROOM], x[2][ROOM], y[2][ROOM], h[3][ROOM];
} slope_rows;

/* Row `y` of a patch, after those before it. Past the edge of the grid the ground is level. */
static slope_row slopes_of(const substep *step, const rn_patch *patch, int y, bool gaps, slope_rows *rows) {
    const int32_t row = patch->first + y * step->s->columns.grid.stride;
    const slope_row to = {rows->e[y % 2], rows->x[y % 2], rows->y[y % 2], rows->h[y % 3]};
    if (y == patch->rows && patch->north) {
        for (int i = 0; i < ROOM; i++) to.e[i] = 1.0f, to.x[i] = to.y[i] = 0.0f;
        return to;
    }
    slope_walk walk = walk_from(step, row, rows->steps, to, rows->h[(y + 1) % 3]);
    slope_columns(&walk, patch, gaps || (y == 0 && patch->south) || (y == patch->rows - 1 && patch->north));
    special_columns(step, patch, row, to);
    return to;
}

static void keep_slopes(const substep *step, const rn_patch *patch, bool gaps) {
    rn_state *s = step->s;
    slope_rows rows;
    first_steps(step, patch, 0, rows.steps, rows.h[0]);
    for (int y = 0; y < patch->rows; y++) {
        const int32_t row = patch->first + y * s->columns.grid.stride;
        const slope_row found = slopes_of(step, patch, y, gaps, &rows);
        for (int i = 0; i < patch->columns; i++) {
            s->graph.slope[row + i] = found.e[i];
            s->graph.slope_x[row + i] = 2.0f * found.x[i];
            s->graph.slope_y[row + i] = 2.0f * found.y[i];
        }
    }
}

/* ---- Fluxes (steps 1 to 6) -------------------------------------------------------------------------------- */

/* Running maxima. */
typedef struct wide_peak {
    rn_wide height, wave, fast_speed;
    rn_wide pace; /* H R, a speed times the cell, where something flows and films are not too thin to count */
    rn_wide any_pace;
    rn_wide fall_speed, fall_move; /* m/s, m */
    rn_mask flows[RN_RUN];
} wide_peak;

/* A row of pipes along one axis, and what is known of them between the two loops over it: short loops keep a
   processor's units busy, because several rounds are under way at once. */
typedef struct pipe_row {
    int32_t first, next;                        /* from each column to the slot so much further on */
    int begin, count, axis;                     /* from column `begin` on, up to `count` */
    const float *ei, *ej, *across_i, *across_j; /* slopes at both ends, */
    const float *along_i, *along_j;
    float slope;          /* those across and along the pipe times this */
    const float *hi, *hj; /* m, levels there, if they are known */
} pipe_row;

typedef struct pipe_work {
    float H[ROOM], U[ROOM]; /* m; a speed times the cell: the new flux is H U */
    float lean[ROOM];       /* m, how far the depth leans across */
    float drop[ROOM];       /* m, the size of the level difference */
    float root[ROOM];       /* of phi where inertia is scaled, else 0 */
    bool scaled, beyond;    /* some inertia is; some speed is above law.fastest */
} pipe_work;

/* All that a loop may have to do; what is false costs nothing. */
typedef struct loop_kind {
    bool sloped, gated, falls, dry, tilted, advected, rough;
} loop_kind;

RN_INLINE rn_wide lean_of(const rn_ends *p, rn_wide H, rn_wide dh, rn_wide drop, const loop_kind kind) {
    const rn_wide most = kind.advected ? rn_pipe_upwind(p, H) : H;
    if (kind.tilted) return rn_pipe_lean(most, dh, p->di - p->dj);
    return rn_pipe_lean_untilted(p, most, dh, drop);
}

/* The falls among a row's pipes. Their fluxes and transfers are left in place for give_lanes. */
RN_INLINE void fall_lanes(const substep *step, const pipe_row *row, wide_peak *peak, const loop_kind kind) {
    const rn_state *s = step->s;
    const rn_law law = *step->law;
    const float *const depth = s->columns.depth + row->first, *const base = s->columns.base + row->first;
    const float *const ceil = s->columns.ceil + row->first;
    const uint8_t *const pipes = (row->axis == 0 ? s->graph.pipe_x : s->graph.pipe_y) + row->first;
    float *const flux = (row->axis == 0 ? s->columns.flux_x : s->columns.flux_y) + row->first;
    float *const move = (row->axis == 0 ? s->graph.move_x : s->graph.move_y) + row->first;
    const int32_t next = row->next;
    rn_wide kappa = rn_splat(law.kappa), height = peak->height, speed = peak->fall_speed, most = peak->fall_move;
    for (int n = row->begin; n < row->count; n += RN_LANES) {
        const rn_mask falls = load_falls(pipes + n);
        if (!rn_any(falls)) continue;
        rn_ends p = {.di = rn_load(depth + n), .dj = rn_load(depth + n + next)};
        if (!rn_any(falls & ((rn_mask)p.di | (rn_mask)p.dj))) {
            rn_store(flux + n, rn_keep(~falls, rn_load(flux + n)));
            rn_store(move + n, (rn_wide){0});
            continue;
        }
        p.bi = rn_load(base + n), p.bj = rn_load(base + n + next);
        p.ci = rn_load(ceil + n), p.cj = rn_load(ceil + n + next);
        const rn_wide tilt = rn_splat(kind.tilted ? law.tilt[row->axis] : 0.0f), hi = p.bi + p.di, hj = p.bj + p.dj;
        const rn_wide dh = hi - hj + tilt, room = rn_pipe_room(&p), floor = rn_greater(p.bi, p.bj);
        const rn_wide ledge = rn_greater(hi, floor) - rn_greater(hj, floor) + tilt;
        const rn_wide e = upper_slope(dh, rn_load(row->ei + n), rn_load(row->ej + n));
        const rn_wide along = row->slope * rn_select(dh > 0.0f, rn_load(row->along_i + n), rn_load(row->along_j + n));
        if (kind.rough) {
            const float *const ground = s->columns.kappa + row->first + n;
            kappa = 0.5f * (rn_load(ground) + rn_load(ground + next));
        }
        const rn_wide f = rn_load(flux + n), brake = rn_pipe_brake(&law, kappa, room * room, e);
        const rn_flow out = rn_pipe_fall(&law, &p, room, dh, ledge, along, e, brake, rn_keep(falls, f));
        rn_store(flux + n, rn_select(falls, out.f, f));
        rn_store(move + n, out.t);
        height = rn_greater(rn_keep(falls, room), height);
        speed = rn_greater(rn_keep(falls, out.speed), speed);
        most = rn_greater(rn_keep(falls, rn_size(out.t)), most);
    }
    peak->height = height;
    peak->fall_speed = speed;
    peak->fall_move = most;
}

/* From levels to rates. */
RN_INLINE void rate_lanes(const substep *step, const pipe_row *row, pipe_work *work, wide_peak *peak,
                          const loop_kind kind) {
    const rn_state *s = step->s;
    const rn_law law = *step->law;
    const float *const depth = s->columns.depth + row->first, *const base = s->columns.base + row->first;
    const float *const ei = row->ei, *const ej = row->ej;
    const float *const flux = (row->axis == 0 ? s->columns.flux_x : s->columns.flux_y) + row->first;
    const uint8_t *const pipes = (row->axis == 0 ? s->graph.pipe_x : s->graph.pipe_y) + row->first;
    float *const speed = kind.advected ? (row->axis == 0 ? s->graph.carried_x : s->graph.carried_y) + row->first : NULL;
    const int32_t next = row->next;
    const int count = row->count;
    const rn_wide one = rn_splat(1.0f), zero = {0};
    const float dt_kappa = law.dt * law.kappa, dt_nu3 = law.dt * law.nu3;
    rn_wide kappa = rn_splat(law.kappa);
    rn_wide height = peak->height, wave = peak->wave, pace_most = zero;
    work->scaled = false;
    for (int n = row->begin; n < count; n += RN_LANES) {
        rn_ends p = {.di = rn_load(depth + n), .dj = rn_load(depth + n + next)};
        if (kind.dry && !rn_any((rn_mask)p.di | (rn_mask)p.dj)) {
            rn_store(work->H + n, zero), rn_store(work->U + n, zero), rn_store(work->root + n, zero);
            if (kind.falls) rn_store(work->lean + n, zero), rn_store(work->drop + n, zero);
            if (kind.advected) rn_store(speed + n, zero);
            continue;
        }
        p.bi = rn_load(base + n), p.bj = rn_load(base + n + next);
        rn_wide dh = (p.bi + p.di) - (p.bj + p.dj), H, e = one;
        if (kind.gated) {
            const float *const ceil = s->columns.ceil + row->first + n;
            p.ci = rn_load(ceil), p.cj = rn_load(ceil + next);
            H = rn_keep(load_open(pipes + n), rn_pipe_height(&p));
        } else {
            H = rn_pipe_height_open(&p);
        }
        rn_wide f = rn_load(flux + n);
        if (kind.falls) { /* which fall_lanes does */
            const rn_mask open = load_open(pipes + n);
            H = rn_keep(open, H), f = rn_keep(open, f);
        }
        if (kind.tilted) dh += law.tilt[row->axis];
        if (kind.advected) rn_store(speed + n, H);
        if (kind.sloped) e = upper_slope(dh, rn_load(ei + n), rn_load(ej + n));
        const rn_wide H2 = H * H, drop = rn_size(dh);
        if (kind.rough) {
            const float *const ground = s->columns.kappa + row->first + n;
            kappa = 0.5f * (rn_load(ground) + rn_load(ground + next));
        }
        const rn_wide brake = kind.rough ? rn_pipe_brake(&law, kappa, H2, e) : dt_kappa * H2 + dt_nu3 * e;
        height = rn_greater(H, height);
        rn_store(work->H + n, H);
        rn_store(work->drop + n, drop);
        rn_store(work->lean + n, lean_of(&p, H, dh, drop, kind));
        rn_wide R, root = zero;
        if (rn_any(rn_pipe_may_be_fast(&law, H, H2, e, f))) {
            rn_wide gt = zero;
            if (kind.sloped)
                gt = row->slope * rn_select(dh > 0.0f, rn_load(row->across_i + n), rn_load(row->across_j + n));
            if (kind.tilted) gt += law.tilt[1 - row->axis];
            const rn_wide D = rn_pipe_drag(&law, kappa, H, e);
            const rn_pace scale = rn_pipe_pace(&law, H, dh, e, D, gt, f);
            wave = rn_greater(scale.wave, wave);
            root = scale.root;
            work->scaled = true;
            R = rn_pipe_rate(&law, H, dh, e, brake, scale.m, f);
        } else {
            R = rn_pipe_rate_unscaled(&law, H, H2, dh, e, brake, f);
        }
        const rn_wide U = H * R;
        rn_store(work->U + n, U);
        rn_store(work->root + n, root);
        pace_most = rn_greater(rn_size(U), pace_most);
    }
    peak->height = height;
    peak->wave = wave;
    peak->any_pace = rn_greater(pace_most, peak->any_pace);
    work->beyond = !kind.advected && rn_greatest(pace_most) * (1.0f / law.cell) > law.fastest;
}

/* No flow is faster than its liquid's height could make it; and where inertia is scaled, speeds bound the step more. */
static void cap_row(const substep *step, const pipe_row *row, pipe_work *work, wide_peak *peak, bool advected) {
    const rn_law law = *step->law;
    const float per_cell = 1.0f / law.cell;
    const float fastest = advected ? INFINITY : law.fastest; /* what carries its momentum away is bound enough */
    for (int n = row->begin; n < row->count; n += RN_LANES) {
        const rn_wide H = rn_load(work->H + n), U = rn_load(work->U + n), root = rn_load(work->root + n);
        const rn_wide speed = rn_size(U) * per_cell;
        rn_store(work->U + n, rn_select(speed > fastest, U * (fastest / speed), U));
        const rn_wide felt = rn_keep((H > law.felt) & (root > 0.0f), rn_lesser(speed, rn_splat(fastest)) * root);
        peak->fast_speed = rn_greater(felt, peak->fast_speed);
    }
}

/* From rates to fluxes and whole quanta. */
RN_INLINE void give_lanes(const substep *step, const pipe_row *row, const pipe_work *work, wide_peak *peak,
                          const loop_kind kind) {
    const rn_state *s = step->s;
    const rn_law law = *step->law;
    const float *const depth = s->columns.depth + row->first;
    const uint8_t *const pipes = (row->axis == 0 ? s->graph.pipe_x : s->graph.pipe_y) + row->first;
    float *const flux = (row->axis == 0 ? s->columns.flux_x : s->columns.flux_y) + row->first;
    float *const move = (row->axis == 0 ? s->graph.move_x : s->graph.move_y) + row->first;
    const float per_volume = law.dt / (law.cell * law.cell) * law.per_quantum, asleep = RN_ASLEEP * law.quantum;
    const int count_all = row->count;
    rn_wide pace = peak->pace;
    for (int tile = row->begin / RN_TILE_X; tile * RN_TILE_X < count_all; tile++) {
        rn_mask flows = peak->flows[tile];
        const int end = (tile + 1) * RN_TILE_X < count_all ? (tile + 1) * RN_TILE_X : count_all;
        for (int n = row->begin > tile * RN_TILE_X ? row->begin : tile * RN_TILE_X; n < end; n += RN_LANES) {
            const rn_wide H = rn_load(work->H + n), U = rn_load(work->U + n), lean = rn_load(work->lean + n);
            const rn_mask falls = kind.falls ? load_falls(pipes + n) : (rn_mask){0};
            if (kind.dry && !rn_any((rn_mask)H | falls)) {
                rn_store(flux + n, (rn_wide){0}), rn_store(move + n, (rn_wide){0});
                continue;
            }
            const rn_wide size = rn_size(U * rn_add_scaled(H, rn_flipped(lean, U), 0.5f) * per_volume);
            const rn_mask sleeps = (rn_load(work->drop + n) <= asleep) & (size <= RN_ASLEEP);
            rn_wide f = U * H, count = size + law.dither;
            rn_mask open = H >= RN_CLOSED;
            if (kind.dry) open = rn_pipe_gives(H, U, rn_load(depth + n), rn_load(depth + n + row->next));
            if (rn_any(sleeps)) {
                count = rn_select(sleeps, size, count);
                const rn_wide t = rn_signed(rn_trunc(rn_lesser(count, rn_splat(RN_MOST))) * law.quantum, U);
                f = rn_select(sleeps, t * (law.cell * law.cell / law.dt) + 0.0f, f);
            }
            rn_wide t = rn_keep(open, rn_signed(rn_trunc(rn_lesser(count, rn_splat(RN_MOST))) * law.quantum, U));
            f = rn_keep(open, f);
            pace = rn_greater(rn_keep((f != 0.0f) & (H > law.felt), rn_size(U)), pace);
            if (kind.falls) f = rn_select(falls, rn_load(flux + n), f), t = rn_select(falls, rn_load(move + n), t);
            flows |= (rn_mask)f;
            rn_store(flux + n, f);
            rn_store(move + n, t);
        }
        peak->flows[tile] = flows;
    }
    peak->pace = pace;
}

RN_INLINE void flux_lanes(const substep *step, const pipe_row *row, wide_peak *peak, const loop_kind kind) {
    pipe_work work;
    if (kind.falls) fall_lanes(step, row, peak, kind);
    rate_lanes(step, row, &work, peak, kind);
    if (work.scaled || work.beyond) cap_row(step, row, &work, peak, kind.advected);
    give_lanes(step, row, &work, peak, kind);
}

/* The paper's pipes know neither slopes nor falls; their waves are as fast as on water one cell deep. */
RN_INLINE void paper_lanes(const substep *step, const pipe_row *row, wide_peak *peak, const bool gated) {
    const rn_state *s = step->s;
    const rn_law law = *step->law;
    const float *const depth = s->columns.depth + row->first, *const base = s->columns.base + row->first;
    const float *const ceil = s->columns.ceil + row->first;
    const uint8_t *const pipes = (row->axis == 0 ? s->graph.pipe_x : s->graph.pipe_y) + row->first;
    float *const flux = (row->axis == 0 ? s->columns.flux_x : s->columns.flux_y) + row->first;
    float *const move = (row->axis == 0 ? s->graph.move_x : s->graph.move_y) + row->first;
    const int32_t next = row->next;
    const float tilt = law.tilt[row->axis];
    rn_wide pace = peak->pace;
    for (int tile = row->begin / RN_TILE_X; tile * RN_TILE_X < row->count; tile++) {
        rn_mask flows = peak->flows[tile];
        const int end = (tile + 1) * RN_TILE_X < row->count ? (tile + 1) * RN_TILE_X : row->count;
        for (int n = row->begin > tile * RN_TILE_X ? row->begin : tile * RN_TILE_X; n < end; n += RN_LANES) {
            rn_ends p = {.di = rn_load(depth + n), .dj = rn_load(depth + n + next)};
            if (!rn_any((rn_mask)p.di | (rn_mask)p.dj)) {
                rn_store(flux + n, (rn_wide){0}), rn_store(move + n, (rn_wide){0});
                continue;
            }
            p.bi = rn_load(base + n), p.bj = rn_load(base + n + next);
            p.ci = gated ? rn_load(ceil + n) : rn_splat(INFINITY);
            p.cj = gated ? rn_load(ceil + n + next) : p.ci;
            const rn_wide dh = (p.bi + p.di) - (p.bj + p.dj) + tilt;
            const rn_flow flow = rn_pipe_paper(&law, &p, dh, rn_load(flux + n));
            const rn_mask open = load_any(pipes + n);
            const rn_wide f = rn_keep(open, flow.f);
            rn_store(flux + n, f);
            rn_store(move + n, rn_keep(open, flow.t));
            flows |= (rn_mask)f;
            pace = rn_greater(rn_keep(f != 0.0f, flow.speed), pace);
        }
        peak->flows[tile] = flows;
    }
    peak->pace = pace;
}

/* A kind's bits for one row. */
typedef struct row_kind {
    bool sloped, gaps, falls, gated, tilted;
    bool dry;         /* some columns may be */
    float shallowest; /* m, or less */
} row_kind;

static void flux_row(const substep *step, const pipe_row *row, wide_peak *peak, row_kind kind) {
    const bool plain = !kind.sloped && !kind.gated && !kind.tilted;
    const rn_state *s = step->s;
    if (step->law->paper && kind.gated) paper_lanes(step, row, peak, true);
    else if (step->law->paper) paper_lanes(step, row, peak, false);
    else if (s->columns.kappa && s->graph.advected)
        flux_lanes(
            step, row, peak,
            (loop_kind){.sloped = true, .gated = true, .dry = true, .tilted = true, .advected = true, .rough = true});
    else if (s->columns.kappa)
        flux_lanes(
            step, row, peak,
            (loop_kind){.sloped = true, .gated = true, .falls = true, .dry = true, .tilted = true, .rough = true});
    else if (s->graph.advected && !plain)
        flux_lanes(step, row, peak,
                   (loop_kind){.sloped = true, .gated = true, .dry = true, .tilted = true, .advected = true});
    else if (s->graph.advected) flux_lanes(step, row, peak, (loop_kind){.dry = true, .advected = true});
    else if (kind.tilted)
        flux_lanes(step, row, peak,
                   (loop_kind){.sloped = true, .gated = true, .falls = true, .dry = true, .tilted = true});
    else if (kind.gated && kind.falls)
        flux_lanes(step, row, peak, (loop_kind){.sloped = true, .gated = true, .falls = true, .dry = true});
    else if (kind.falls) flux_lanes(step, row, peak, (loop_kind){.sloped = true, .falls = true, .dry = true});
    else if (kind.gated) flux_lanes(step, row, peak, (loop_kind){.sloped = true, .gated = true, .dry = true});
    else if (kind.sloped && kind.dry) flux_lanes(step, row, peak, (loop_kind){.sloped = true, .dry = true});
    else if (kind.sloped) flux_lanes(step, row, peak, (loop_kind){.sloped = true});
    else if (kind.dry) flux_lanes(step, row, peak, (loop_kind){.dry = true});
    else flux_lanes(step, row, peak, (loop_kind){0});
}

/* ---- Calm water ------------------------------------------------------------------------------------------------- */

/* Most water is deep, slow and never level to the quantum: then every pipe is open, awake, below the speeds where
   inertia is scaled, and has one end that is higher. This loop takes that for granted and leaves out all masks and
   branches; a few running least and greatest values tell afterwards whether it was so. If not, it is done again.
   Heights are doubled throughout, which saves halving them: scaling by powers of two changes no bit of a result. */
typedef struct calm_peak {
    rn_wide most;  /* m, twice a pipe's height */
    rn_wide pace;  /* m^2/s / 2, a speed times the cell */
    rn_wide push;  /* e f^2 */
    rn_wide drop;  /* m, the least level difference */
    rn_wide awake; /* m, the least of what keeps a pipe awake */
} calm_peak;

/* Both axes at once: two chains of operations that do not wait for each other. The fluxes from before are kept for
   doing it again. */
RN_INLINE void calm_lanes(const substep *step, const pipe_row rows[2], int begin, int end, float before[2][ROOM],
                          calm_peak *found, const bool sloped, const bool rubs) {
    const rn_state *s = step->s;
    const rn_law *law = step->law;
    const float fall = 0.5f * (law->dt * law->gravity);
    const float rub = law->dt * law->kappa, thick = 4.0f * (law->dt * law->nu3);
    const float volume = law->dt / (law->cell * law->cell), quantum = law->quantum, per_quantum = law->per_quantum;
    const rn_wide dither = rn_splat(law->dither);
    const int32_t first = rows[0].first + begin, next[2] = {1, s->columns.grid.stride};
    const float *const depth = s->columns.depth + first, *const base = s->columns.base + first,
                       *const levels = sloped ? rows[0].hi + begin : NULL;
    float *const flux[2] = {s->columns.flux_x + first, s->columns.flux_y + first}, *const move[2] = {
                                                                                       s->graph.move_x + first,
                                                                                       s->graph.move_y + first};
    const float *beyond[2] = {NULL}, *ei[2] = {NULL}, *ej[2] = {NULL};
    for (int k = 0; sloped && k < 2; k++)
        beyond[k] = rows[k].hj + begin, ei[k] = rows[k].ei + begin, ej[k] = rows[k].ej + begin;
    float *const was[2] = {before[0] + begin, before[1] + begin};
    calm_peak peak = *found;
    for (int n = 0; n < end - begin; n += RN_LANES) {
        const rn_wide b = rn_load(base + n), d = rn_load(depth + n), h = sloped ? rn_load(levels + n) : b + d;
        rn_wide f[2], dh[2], drop[2], bed[2], more[2], sum[2], apart[2], e[2], W[2], W2[2], N[2], brake[2], R[2], U[2],
            size[2];
        for (int k = 0; k < 2; k++) {
            const rn_wide bj = rn_load(base + n + next[k]), dj = rn_load(depth + n + next[k]);
            f[k] = rn_load(flux[k] + n);
            dh[k] = h - (sloped ? rn_load(beyond[k] + n) : bj + dj);
            bed[k] = rn_apart(b, bj);
            sum[k] = d + dj;
            apart[k] = rn_apart(d, dj);
        }
        for (int k = 0; k < 2; k++) drop[k] = rn_size(dh[k]);
        /* Twice the room above the higher bed is di + dj + |dh| - |db|: of whole quanta, all sums are exact. */
        for (int k = 0; k < 2; k++) more[k] = drop[k] - bed[k];
        for (int k = 0; k < 2; k++) W[k] = sum[k] + rn_lesser(more[k], bed[k]); /* 2 H */
        for (int k = 0; k < 2; k++)
            e[k] = sloped ? rn_select(dh[k] > 0.0f, rn_load(ei[k] + n), rn_load(ej[k] + n)) : rn_splat(1.0f);
        for (int k = 0; k < 2; k++) W2[k] = W[k] * W[k];                                         /* 4 H^2 */
        for (int k = 0; k < 2; k++) brake[k] = rubs ? rub * W2[k] + thick * e[k] : thick * e[k]; /* 4 dt D */
        for (int k = 0; k < 2; k++) {
            const rn_wide push = e[k] * f[k];
            N[k] = push + fall * W[k] * dh[k];
            peak.push = rn_greater(push * f[k], peak.push);
        }
        for (int k = 0; k < 2; k++) R[k] = N[k] / (e[k] * (W2[k] + brake[k])); /* R / 4 */
        for (int k = 0; k < 2; k++) U[k] = W[k] * R[k];                        /* H R / 2 */
        for (int k = 0; k < 2; k++) {
            peak.most = rn_greater(W[k], peak.most);
            peak.drop = rn_lesser(drop[k], peak.drop);
            rn_store(was[k] + n, f[k]);
        }
        for (int k = 0; k < 2; k++) {
            const rn_wide lean = rn_lesser(more[k] + apart[k], W[k]); /* twice that */
            const rn_wide turned = rn_signed(lean, (rn_wide)((rn_mask)dh[k] ^ (rn_mask)U[k]));
            size[k] = rn_size(U[k] * rn_add_scaled(W[k], turned, 0.5f) * volume); /* m */
        }
        for (int k = 0; k < 2; k++) {
            rn_store(flux[k] + n, U[k] * W[k]);
            peak.pace = rn_greater(rn_size(U[k]), peak.pace);
        }
        for (int k = 0; k < 2; k++) {
            const rn_wide count_k = rn_add_scaled(dither, size[k], per_quantum);
            rn_store(move[k] + n, rn_signed(rn_trunc(count_k) * quantum, U[k]));
            peak.awake = rn_lesser(rn_greater(drop[k], size[k]), peak.awake);
        }
    }
    *found = peak;
}

/* Whether all was as it was taken for. No cross-section is lower than the shallower of its columns: H is the shallowest
   of all of them. */
static bool was_calm(const rn_law *law, float H, const calm_peak *peak) {
    const float most = rn_greatest(peak->most), pace = rn_greatest(peak->pace);
    const float slow = law->scaled ? 0.99f / (4.0f * 10.89f) * law->gravity * (law->cell * law->cell) : INFINITY;
    return H >= RN_CLOSED && H > law->felt && rn_greatest(peak->push) <= slow * (H * H * H) &&
           2.0f * pace / law->cell < 0.999f * law->fastest && rn_least(peak->drop) > 0.0f &&
           rn_least(peak->awake) > RN_ASLEEP * law->quantum &&
           1.6f * most * pace * (law->dt / (law->cell * law->cell)) * law->per_quantum < RN_MOST;
}

/* Two rows of pipes from one column to another, or nothing at all. */
static bool calm_between(const substep *step, const pipe_row rows[2], int begin, int end, wide_peak *peak,
                         row_kind kind) {
    const rn_state *s = step->s;
    float before[2][ROOM];
    const rn_wide huge = rn_splat(INFINITY);
    calm_peak found = {.drop = huge, .awake = huge};
    const bool rubs = step->law->kappa != 0.0f;
    if (kind.sloped && rubs) calm_lanes(step, rows, begin, end, before, &found, true, true);
    else if (kind.sloped) calm_lanes(step, rows, begin, end, before, &found, true, false);
    else if (rubs) calm_lanes(step, rows, begin, end, before, &found, false, true);
    else calm_lanes(step, rows, begin, end, before, &found, false, false);
    if (!was_calm(step->law, kind.shallowest, &found)) {
        const size_t bytes = (size_t)(end - begin) * sizeof(float);
        memcpy(s->columns.flux_x + rows[0].first + begin, before[0] + begin, bytes);
        memcpy(s->columns.flux_y + rows[0].first + begin, before[1] + begin, bytes);
        return false;
    }
    peak->height = rn_greater(0.5f * found.most, peak->height);
    peak->pace = rn_greater(2.0f * found.pace, peak->pace);
    peak->any_pace = rn_greater(peak->pace, peak->any_pace);
    for (int tile = begin / RN_TILE_X; tile * RN_TILE_X < end; tile++) peak->flows[tile] = rn_splat(1.0f) > 0.0f;
    return true;
}

/* The blocks of two rows, as bits, where nothing has been done. Mostly it is few that are not calm, so they are tried
   one by one; not in water that is wild all over. */
static uint32_t calm_rows(const substep *step, const pipe_row rows[2], int begin, int end, wide_peak *peak,
                          row_kind kind, bool wild_all_over) {
    uint32_t wild = 0;
    if (begin >= end || calm_between(step, rows, begin, end, peak, kind)) return 0;
    if (wild_all_over) return UINT32_MAX;
    for (int n = begin; n < end; n += RN_TILE_BLOCK)
        if (!calm_between(step, rows, n, n + RN_TILE_BLOCK < end ? n + RN_TILE_BLOCK : end, peak, kind))
            wild |= 1u << n / RN_TILE_BLOCK;
    return wild;
}

/* The least depth (m) of the columns that some pipes of a row join. */
static float least_depth(const rn_state *s, int32_t first, int begin, int end, bool edge) {
    const float *here = s->columns.depth + first, *above = here + s->columns.grid.stride;
    const int whole = begin + (end - begin) / RN_LANES * RN_LANES;
    rn_wide least = rn_splat(INFINITY);
    for (int i = begin; i < whole; i += RN_LANES)
        least = rn_lesser(rn_lesser(rn_load(here + i), rn_load(above + i)), least);
    float all = edge ? INFINITY : here[end];
    for (int i = whole; i < end; i++) all = fminf(all, fminf(here[i], above[i]));
    return fminf(all, rn_least(least));
}

/* Slopes of a row and the one above it. */
typedef struct slope_pair {
    slope_row here, above;
    int ready; /* the row whose slopes are `above`; -1: none */
} slope_pair;

static void find_slopes(const substep *step, const rn_patch *patch, int line, bool gaps, slope_rows *rows,
                        slope_pair *pair) {
    const rn_state *s = step->s;
    const int32_t first = patch->first + line * s->columns.grid.stride, next = first + s->columns.grid.stride;
    if (s->graph.slope) {
        pair->here = (slope_row){s->graph.slope + first, s->graph.slope_x + first, s->graph.slope_y + first, NULL};
        pair->above = (slope_row){s->graph.slope + next, s->graph.slope_x + next, s->graph.slope_y + next, NULL};
        return;
    }
    if (pair->ready != line) {
        first_steps(step, patch, line, rows->steps, rows->h[line % 3]);
        pair->above = slopes_of(step, patch, line, gaps, rows);
    }
    pair->here = pair->above;
    pair->above = slopes_of(step, patch, line + 1, gaps, rows);
    pair->ready = line + 1;
}

static void give_slopes(const slope_pair *pair, float slope, pipe_row *x, pipe_row *y) {
    const slope_row *here = &pair->here, *above = &pair->above;
    x->slope = y->slope = slope;
    x->hi = y->hi = here->h, y->hj = above->h;
    x->ei = y->ei = here->e, x->across_i = here->y, y->across_i = here->x;
    x->ej = here->e + 1, x->across_j = here->y + 1, x->hj = here->h ? here->h + 1 : NULL;
    y->ej = above->e, y->across_j = above->x;
    x->along_i = here->x, x->along_j = here->x + 1, y->along_i = here->y, y->along_j = above->y;
}

/* Pipes of a row along both axes, from one column to another. */
static void find_between(const substep *step, pipe_row pipes[2], int begin, int end, row_kind kind, wide_peak *most) {
    for (int axis = 0; axis < 2; axis++) {
        pipes[axis].begin = begin;
        pipes[axis].count = end;
        flux_row(step, &pipes[axis], most, kind);
    }
}

/* The same where it may be calm. */
static void find_calmly(const substep *step, const rn_patch *patch, int line, pipe_row pipes[2], int begin, int end,
                        row_kind kind, wide_peak *most, rn_swept *found) {
    const bool edge = patch->east && end == patch->columns;
    const int inner = edge ? (end - 1) / RN_LANES * RN_LANES : end;
    if (kind.dry) {
        kind.shallowest = least_depth(step->s, pipes[0].first, begin, end, edge);
        kind.dry = !(kind.shallowest > 0.0f);
        if (!kind.dry && end - begin == patch->columns) {
            found->deep |= 1u << line;
            found->deep_least = fminf(kind.shallowest, found->deep_least);
        }
    }
    if (kind.dry) {
        find_between(step, pipes, begin, end, kind, most);
        return;
    }
    const uint32_t wild = calm_rows(step, pipes, begin, inner, most, kind, found->wild > RN_TILE_BLOCKS);
    for (int from = begin, to; wild && from < inner; from = to) {
        const bool again = has_bit(wild, from / RN_TILE_BLOCK);
        to = from + RN_TILE_BLOCK;
        while (to < inner && has_bit(wild, to / RN_TILE_BLOCK) == again) to += RN_TILE_BLOCK;
        to = to < inner ? to : inner;
        if (again) find_between(step, pipes, from, to, kind, most);
        if (again) found->wild += (to - from) / RN_TILE_BLOCK;
    }
    if (inner < end) find_between(step, pipes, inner, end, kind, most);
}

/* From a column on, where blocks of a row end that are all left out, or none. */
static int stretch_end(const rn_patch *patch, int line, int begin, bool *left_out) {
    if (!patch->left_out) {
        *left_out = false;
        return patch->columns;
    }
    *left_out = has_bit(patch->left_out[begin / RN_TILE_BLOCK], line);
    int end = begin + RN_TILE_BLOCK;
    while (end < patch->columns && has_bit(patch->left_out[end / RN_TILE_BLOCK], line) == *left_out)
        end += RN_TILE_BLOCK;
    return end < patch->columns ? end : patch->columns;
}

static void find_fluxes(const substep *step, const rn_patch *patch, rn_kind kind, rn_swept *found) {
    const rn_state *s = step->s;
    const rn_law *law = step->law;
    const bool tilted = law->tilt[0] != 0.0f || law->tilt[1] != 0.0f;
    const bool calm = kind.calm && !tilted && !law->paper && !s->columns.kappa && !s->graph.advected && !s->graph.slope;
    slope_rows rows;
    slope_pair slopes = {.ready = -1};
    pipe_row pipes[2] = {{.next = 1, .axis = 0}, {.next = s->columns.grid.stride, .axis = 1}};
    wide_peak most = {0};
    for (int line = 0; line < patch->rows; line++) {
        if (!rn_has_line(patch, line)) continue;
        const row_kind row = {has_bit(kind.sloped, line),
                              has_bit(kind.gaps, line),
                              has_bit(kind.falls, line),
                              has_bit(kind.gated, line),
                              tilted,
                              kind.dry,
                              kind.shallowest};
        if ((row.sloped || row.gated || row.falls || tilted || s->columns.kappa) && !law->paper) {
            find_slopes(step, patch, line, row.gaps, &rows, &slopes);
            give_slopes(&slopes, s->graph.slope ? 1.0f : 2.0f, &pipes[0], &pipes[1]);
        }
        const bool may_be_calm = calm && !row.gated && !row.gaps && !(patch->north && line == patch->rows - 1);
        pipes[0].first = pipes[1].first = patch->first + line * s->columns.grid.stride;
        for (int begin = 0, end; begin < patch->columns; begin = end) {
            bool left_out;
            end = stretch_end(patch, line, begin, &left_out);
            if (left_out) continue;
            if (may_be_calm) find_calmly(step, patch, line, pipes, begin, end, row, &most, found);
            else find_between(step, pipes, begin, end, row, &most);
        }
    }
    for (int tile = 0; tile < RN_RUN; tile++) found->flows[tile] |= rn_any(most.flows[tile]);
    raise(&found->peak.height, rn_greatest(most.height));
    raise(&found->peak.wave, rn_greatest(most.wave));
    raise(&found->peak.fast_speed, rn_greatest(most.fast_speed));
    const float moved = rn_greatest(most.height) * rn_greatest(most.any_pace) * (law->dt / (law->cell * law->cell));
    raise(&found->transfer, 1.6f * moved + law->quantum);
    raise(&found->transfer, rn_greatest(most.fall_move));
    if (law->paper || s->graph.advected) found->transfer = INFINITY;
    const float speed = rn_greatest(most.pace) * (law->paper ? 1.0f : 1.0f / law->cell);
    raise(&found->peak.speed, law->paper || s->graph.advected || speed < law->fastest ? speed : law->fastest);
    raise(&found->peak.speed, rn_greatest(most.fall_speed));
}

/* ---- Limits (step 7) ---------------------------------------------------------------------------------------- */

/* Transfers over the four sides of RN_LANES columns. */
typedef struct sides {
    rn_wide west, east, south, north;
} sides;

RN_INLINE sides sides_of(const rn_state *s, int32_t c) {
    return (sides){rn_load(s->graph.move_x + c - 1), rn_load(s->graph.move_x + c),
                   rn_load(s->graph.move_y + c - s->columns.grid.stride), rn_load(s->graph.move_y + c)};
}

RN_INLINE rn_wide negative(rn_wide a) { return rn_lesser(a, (rn_wide){0}); }

RN_INLINE rn_wide flow_in(const sides *t) {
    return (rn_positive(t->west) - negative(t->east)) + (rn_positive(t->south) - negative(t->north));
}

RN_INLINE rn_wide flow_out(const sides *t) {
    return (rn_positive(t->east) - negative(t->west)) + (rn_positive(t->north) - negative(t->south));
}

RN_INLINE rn_wide flow_net(const sides *t) { return (t->west - t->east) + (t->south - t->north); }

static bool find_shares(const substep *step, const rn_patch *patch, bool in) {
    rn_state *s = step->s;
    const rn_law law = *step->law;
    rn_mask limited = {0};
    for (int y = 0; y < patch->rows; y++) {
        if (!rn_has_line(patch, y)) continue;
        const int32_t row = patch->first + y * s->columns.grid.stride;
        for (int32_t c = row; c < row + patch->columns; c += RN_LANES) {
            const sides t = sides_of(s, c);
            const rn_wide depth = rn_load(s->columns.depth + c), base = rn_load(s->columns.base + c);
            rn_wide share = in ? rn_share_in(&law, flow_in(&t), (rn_load(s->columns.ceil + c) - base) - depth)
                               : rn_share_out(flow_out(&t), depth);
            share = rn_select(base < RN_NO_COLUMN, share, rn_splat(1.0f));
            limited |= share < 1.0f;
            rn_store(s->graph.share + c, share);
        }
    }
    return rn_any(limited);
}

static void free_shares(const substep *step, const rn_patch *patch) {
    const rn_state *s = step->s;
    for (int y = 0; y < patch->rows; y++) {
        if (!rn_has_line(patch, y)) continue;
        const int32_t row = patch->first + y * s->columns.grid.stride;
        for (int32_t c = row; c < row + patch->columns; c += RN_LANES) rn_store(s->graph.share + c, rn_splat(1.0f));
    }
}

RN_INLINE void limit_lanes(const substep *step, int32_t first, int count, int axis, bool in) {
    const rn_state *s = step->s;
    const rn_law law = *step->law;
    const float *const near = s->graph.share, *const far = near + (axis == 0 ? 1 : s->columns.grid.stride);
    const float *const forward = in ? far : near, *const backward = in ? near : far;
    float *const flux = axis == 0 ? s->columns.flux_x : s->columns.flux_y, *const move = axis == 0 ? s->graph.move_x
                                                                                                   : s->graph.move_y;
    if (s->graph.momentum) {
        float *const speed = axis == 0 ? s->graph.speed_x : s->graph.speed_y;
        for (int32_t i = first; i < first + count; i += RN_LANES) {
            const rn_wide t = rn_load(move + i);
            const rn_wide share =
                rn_select(t > 0.0f, rn_load(forward + i), rn_select(t < 0.0f, rn_load(backward + i), rn_splat(1.0f)));
            if (!rn_any(share < 1.0f)) continue;
            rn_store(move + i, rn_limit_transfer(&law, t, share));
            if (in && !s->graph.headed) rn_store(speed + i, rn_limit_flux(rn_load(speed + i), share));
        }
        return;
    }
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
        if (!rn_has_line(patch, y)) continue;
        const int32_t row = patch->first + y * step->s->columns.grid.stride;
        limit_lanes(step, row, patch->columns, 0, in);
        limit_lanes(step, row, patch->columns, 1, in);
    }
}

/* ---- Depths (step 8) ------------------------------------------------------------------------------------------ */

/* Least and greatest depths of a tile. */
typedef struct wide_depths {
    rn_wide deepest, shallowest;
} wide_depths;

/* What a loop over depths does. */
typedef struct depth_kind {
    bool checked, gated; /* looks for columns that run dry, or over */
    bool moves;
} depth_kind;

/* Whether some column of a row is wet afterwards, and whether some ran dry or over. */
typedef struct row_depths {
    bool wet, under, over;
} row_depths;

RN_INLINE row_depths depth_lanes(const substep *step, int32_t first, int count, wide_depths *found, rn_mask *blocks,
                                 const depth_kind kind) {
    const rn_state *s = step->s;
    const float full = RN_FULL * step->law->quantum;
    wide_depths most = *found;
    rn_mask wet = {0}, under = {0}, over = {0};
    for (int32_t c = first; c < first + count; c += RN_LANES) {
        const sides t = sides_of(s, c);
        const rn_wide was = rn_load(s->columns.depth + c), depth = was + flow_net(&t);
        if (kind.checked) under |= flow_out(&t) > was;
        if (kind.gated) {
            const rn_wide base = rn_load(s->columns.base + c), room = (rn_load(s->columns.ceil + c) - base) - was;
            over |= ((flow_in(&t) > room) | (room <= full)) & (base < RN_NO_COLUMN);
        }
        if (!kind.moves) continue;
        if (kind.checked) wet |= (rn_mask)depth, blocks[(c - first) / RN_TILE_BLOCK] |= (rn_mask)depth;
        most.deepest = rn_greater(depth, most.deepest);
        most.shallowest = rn_lesser(depth, most.shallowest);
        rn_store(s->columns.depth + c, depth);
    }
    *found = most;
    return (row_depths){!kind.checked || rn_any(wet), kind.checked && rn_any(under), kind.gated && rn_any(over)};
}

/* Depths that have not changed. */
static bool look_lanes(const rn_state *s, int32_t first, int count, wide_depths *found, rn_mask *blocks) {
    rn_mask wet = {0};
    for (int32_t c = first; c < first + count; c += RN_LANES) {
        const rn_wide depth = rn_load(s->columns.depth + c);
        wet |= (rn_mask)depth;
        blocks[(c - first) / RN_TILE_BLOCK] |= (rn_mask)depth;
        found->deepest = rn_greater(depth, found->deepest);
        found->shallowest = rn_lesser(depth, found->shallowest);
    }
    return rn_any(wet);
}

RN_INLINE row_depths depth_row(const substep *step, const rn_patch *patch, int y, int32_t first, int count,
                               wide_depths *all, rn_mask *blocks, const bool moves) {
    const bool safe = has_bit(patch->safe, y), gated = has_bit(patch->gated, y);
    if (has_bit(patch->still, y)) return (row_depths){.wet = look_lanes(step->s, first, count, all, blocks)};
    if (gated)
        return depth_lanes(step, first, count, all, blocks,
                           (depth_kind){.checked = true, .gated = true, .moves = moves});
    if (!safe) return depth_lanes(step, first, count, all, blocks, (depth_kind){.checked = true, .moves = moves});
    for (int i = 0; i < RN_TILE_BLOCKS; i++) blocks[i] |= rn_splat(1.0f) > 0.0f;
    if (moves) return depth_lanes(step, first, count, all, blocks, (depth_kind){.moves = true});
    return (row_depths){.wet = true};
}

RN_INLINE void depth_rows(const substep *step, const rn_patch *patch, rn_swept *found, const bool moves) {
    wide_depths all[RN_RUN];
    rn_mask blocks[RN_RUN][RN_TILE_BLOCKS] = {0};
    for (int tile = 0; tile < RN_RUN; tile++) {
        all[tile] = (wide_depths){.shallowest = rn_splat(INFINITY)};
        found->wet[tile].lines = found->under[tile] = found->over[tile] = 0;
    }
    for (int y = 0; y < patch->rows; y++)
        for (int tile = 0; rn_has_line(patch, y) && tile * RN_TILE_X < patch->columns; tile++) {
            const int begin = tile * RN_TILE_X, rest = patch->columns - begin;
            const int count = rest < RN_TILE_X ? rest : RN_TILE_X;
            const int32_t first = patch->first + y * step->s->columns.grid.stride + begin;
            const row_depths row = depth_row(step, patch, y, first, count, &all[tile], blocks[tile], moves);
            found->wet[tile].lines |= (uint32_t)row.wet << y;
            found->under[tile] |= (uint32_t)row.under << y;
            found->over[tile] |= (uint32_t)row.over << y;
        }
    for (int tile = 0; tile < RN_RUN; tile++) {
        found->deepest[tile] = rn_greatest(all[tile].deepest);
        found->shallowest[tile] = rn_least(all[tile].shallowest);
        found->wet[tile].blocks = 0;
        for (int i = 0; moves && i < RN_TILE_BLOCKS; i++)
            found->wet[tile].blocks |= (uint32_t)rn_any(blocks[tile][i]) << (i + patch->block);
    }
}

/* Deep water far from ceilings: all tiles of the patch get the same bounds. */
static void deep_rows(const substep *step, const rn_patch *patch, rn_swept *found) {
    wide_depths all = {.shallowest = rn_splat(INFINITY)};
    uint32_t wet = 0;
    for (int y = 0; y < patch->rows; y++) {
        if (!rn_has_line(patch, y)) continue;
        const int32_t first = patch->first + y * step->s->columns.grid.stride;
        depth_lanes(step, first, patch->columns, &all, NULL, (depth_kind){.moves = true});
        wet |= 1u << y;
    }
    for (int tile = 0; tile < RN_RUN; tile++) {
        found->wet[tile] = (rn_where){wet, UINT32_MAX};
        found->under[tile] = found->over[tile] = 0;
        found->deepest[tile] = rn_greatest(all.deepest);
        found->shallowest[tile] = rn_least(all.shallowest);
    }
}

static void find_depths(const substep *step, const rn_patch *patch, rn_swept *found) {
    if (~patch->safe & patch->lines || patch->gated || patch->still) depth_rows(step, patch, found, true);
    else deep_rows(step, patch, found);
}

static void check(const substep *step, const rn_patch *patch, rn_swept *found) {
    depth_rows(step, patch, found, false);
}

static void undo(const substep *step, const rn_patch *patch) {
    const rn_state *s = step->s;
    for (int y = 0; y < patch->rows; y++) {
        if (!rn_has_line(patch, y)) continue;
        const int32_t row = patch->first + y * s->columns.grid.stride;
        for (int32_t c = row; c < row + patch->columns; c += RN_LANES) {
            const sides t = sides_of(s, c);
            rn_store(s->columns.depth + c, rn_load(s->columns.depth + c) - flow_net(&t));
        }
    }
}

/* ---- Rest -------------------------------------------------------------------------------------------------------- */

static bool is_level(const substep *step, const rn_patch *patch, float *height) {
    const rn_state *s = step->s;
    const rn_law *law = step->law;
    const float closed = law->paper || law->momentum ? 0.0f : RN_CLOSED;
    rn_wide highest = {0};
    rn_mask uneven = {0};
    for (int y = 0; y < patch->rows; y++) {
        const int32_t row = patch->first + y * s->columns.grid.stride;
        for (int32_t i = row; i < row + patch->columns; i += RN_LANES)
            for (int axis = 0; axis < 2; axis++) {
                const int32_t j = i + (axis == 0 ? 1 : s->columns.grid.stride);
                const rn_ends p = {rn_load(s->columns.base + i),  rn_load(s->columns.depth + i),
                                   rn_load(s->columns.ceil + i),  rn_load(s->columns.base + j),
                                   rn_load(s->columns.depth + j), rn_load(s->columns.ceil + j)};
                const rn_wide dh = (p.bi + p.di) - (p.bj + p.dj) + law->tilt[axis];
                const uint8_t *const pipes = (axis == 0 ? s->graph.pipe_x : s->graph.pipe_y) + i;
                const rn_wide H =
                    rn_select(load_falls(pipes), rn_pipe_room(&p), rn_keep(load_open(pipes), rn_pipe_height(&p)));
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
    .check = check,
    .undo = undo,
    .shares = find_shares,
    .free_shares = free_shares,
    .limits = limit,
    .slopes = keep_slopes,
    .is_level = is_level,
};
