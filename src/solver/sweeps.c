/* Loops over the columns of tiles, compiled once for each instruction set (base/dispatch.h). All of them give the
   same bits.

   Interface: the table rn_sweeps (solver/sweeps.h). solver/pipes.c calls it in the order that its own head
   describes, solver/tiles.c calls is_level, and GPUs use the same loops (src/cuda):
   - find_fluxes: fluxes and transfers of the paper's pipes; with momentum solver/face_sweeps.c finds transfers
     instead;
   - find_depths: makes the transfers, and marks rows that ran dry or over; move_rows, for GPUs, makes them too, but
     only finds whether any row did;
   - check_transfers: marks rows that would run dry or over, without changing depths; undo_transfers: takes transfers
     back;
   - find_shares, limit_transfers, reset_shares: keep columns from giving more than they have, or taking more than
     they have room for (docs/model.md, step 6);
   - is_level: whether a tile at rest would rest for any length of substep.

   Algorithm: kernels/pipe.h has the maths of one pipe and one column. Depths and transfers are whole quanta, so sums
   are exact, and undo_transfers restores every bit. Each loop takes RN_LANES columns at a time. Lanes past the end
   of a row process the padding, where no pipe is open, so no loop needs a remainder. Rows that can neither run dry
   nor over take simpler loops. */
#include "solver/sweeps.h"

static bool has_bit(uint32_t rows, int line) { return rows >> line & 1u; }

/* ---- Fluxes by the paper's equations ------------------------------------------------------------------------- */

/* The highest speed (m/s) so far, and the lanes that have had a flux. */
typedef struct wide_peak {
    rn_wide speed;
    rn_mask flows;
} wide_peak;

/* Finds fluxes (m^3/s) and transfers (m) of a row's pipes along one axis, for `columns` columns from slot `first` on; 0
   where both columns are dry or no pipe is open. Raises *extremes. The paper's pipes have neither slopes nor falls. */
RN_INLINE void paper_lanes(const substep *step, int32_t first, int columns, int axis, wide_peak *extremes) {
    const rn_state *s = step->s;
    const rn_step_params params = *step->params;
    const int32_t next = axis == 0 ? 1 : s->columns.grid.stride;
    const float *const depth = s->columns.depth + first, *const base = s->columns.base + first;
    const float *const ceil = s->columns.ceil + first;
    const uint8_t *const pipes = (axis == 0 ? s->graph.pipe_x : s->graph.pipe_y) + first;
    float *const flux = (axis == 0 ? s->columns.flux_x : s->columns.flux_y) + first;
    float *const move = (axis == 0 ? s->graph.transfer_x : s->graph.transfer_y) + first;
    const float tilt = params.tilt[axis];
    RN_FOR_LANES (n, 0, columns) {
        rn_ends p = {.di = rn_load(depth + n), .dj = rn_load(depth + n + next)};
        if (!rn_any((rn_mask)p.di | (rn_mask)p.dj)) {
            rn_store(flux + n, (rn_wide){0}), rn_store(move + n, (rn_wide){0});
            continue;
        }
        p.bi = rn_load(base + n), p.bj = rn_load(base + n + next);
        p.ci = rn_load(ceil + n), p.cj = rn_load(ceil + n + next);
        const rn_wide dh = (p.bi + p.di) - (p.bj + p.dj) + tilt;
        const rn_flow flow = rn_pipe_paper(&params, &p, dh, rn_load(flux + n));
        const rn_mask open = load_any(pipes + n);
        const rn_wide f = rn_keep(open, flow.f);
        rn_store(flux + n, f);
        rn_store(move + n, rn_keep(open, flow.t));
        extremes->flows |= (rn_mask)f;
        extremes->speed = rn_greater(rn_keep(f != 0.0f, flow.speed), extremes->speed);
    }
}

/* Finds fluxes and transfers of the marked rows of a patch. Raises found->speed (m/s) to the highest; found->flows:
   some flux is not 0. */
static void find_fluxes(const substep *step, const rn_patch *patch, rn_swept *found) {
    wide_peak extremes = {0};
    RN_FOR_ROWS (line, 0, patch->rows) {
        if (!rn_has_line(patch, line)) continue;
        const int32_t first = patch->first + line * step->s->columns.grid.stride;
        paper_lanes(step, first, patch->columns, 0, &extremes);
        paper_lanes(step, first, patch->columns, 1, &extremes);
    }
    found->flows = rn_any(extremes.flows);
    raise(&found->speed, rn_greatest(extremes.speed));
}

/* ---- Limits (docs/model.md, step 6) ----------------------------------------------------------------------- */

/* Transfers (m, towards +x or +y) through the four sides of RN_LANES columns. */
typedef struct sides {
    rn_wide west, east, south, north;
} sides;

/* Loads the transfers around RN_LANES columns from slot `c` on. */
RN_INLINE sides load_sides(const rn_state *s, int32_t c) {
    return (sides){rn_load(s->graph.transfer_x + c - 1), rn_load(s->graph.transfer_x + c),
                   rn_load(s->graph.transfer_y + c - s->columns.grid.stride), rn_load(s->graph.transfer_y + c)};
}

RN_INLINE rn_wide negative(rn_wide a) { return rn_lesser(a, (rn_wide){0}); }

/* The inflow of each column (m), over all sides with inflow. */
RN_INLINE rn_wide flow_in(const sides *t) {
    return (rn_positive(t->west) - negative(t->east)) + (rn_positive(t->south) - negative(t->north));
}

/* The outflow of each column (m), over all sides with outflow. */
RN_INLINE rn_wide flow_out(const sides *t) {
    return (rn_positive(t->east) - negative(t->west)) + (rn_positive(t->north) - negative(t->south));
}

/* The net gain of each column (m). */
RN_INLINE rn_wide flow_net(const sides *t) { return (t->west - t->east) + (t->south - t->north); }

/* Finds each column's share of its inflow (`in`) or outflow, in the marked rows, by ordinary pipes alone. Returns true
   if some share is below 1. Slots without a column get 1. */
static bool find_shares(const substep *step, const rn_patch *patch, bool in) {
    rn_state *s = step->s;
    const rn_step_params params = *step->params;
    rn_mask limited = {0};
    RN_FOR_ROWS (y, 0, patch->rows) {
        if (!rn_has_line(patch, y)) continue;
        const int32_t row = patch->first + y * s->columns.grid.stride;
        RN_FOR_LANES (c, row, row + patch->columns) {
            const sides t = load_sides(s, c);
            const rn_wide depth = rn_load(s->columns.depth + c), base = rn_load(s->columns.base + c);
            rn_wide share = in ? rn_share_in(&params, flow_in(&t), (rn_load(s->columns.ceil + c) - base) - depth)
                               : rn_share_out(flow_out(&t), depth);
            share = rn_select(base < RN_NO_COLUMN, share, rn_splat(1.0f));
            limited |= share < 1.0f;
            rn_store(s->graph.share + c, share);
        }
    }
    return rn_any(limited);
}

/* Sets the shares of the marked rows of a patch to 1. */
static void reset_shares(const substep *step, const rn_patch *patch) {
    const rn_state *s = step->s;
    RN_FOR_ROWS (y, 0, patch->rows) {
        if (!rn_has_line(patch, y)) continue;
        const int32_t row = patch->first + y * s->columns.grid.stride;
        RN_FOR_LANES (c, row, row + patch->columns) rn_store(s->graph.share + c, rn_splat(1.0f));
    }
}

/* Multiplies transfers along one axis, of `count` pipes from slot `first` on, by the share of the column that takes
   (`in`) or gives; also fluxes, or with momentum the speeds of inflows, unless passages have heads. */
RN_INLINE void limit_lanes(const substep *step, int32_t first, int count, int axis, bool in) {
    const rn_state *s = step->s;
    const rn_step_params params = *step->params;
    const float *const near = s->graph.share, *const far = near + (axis == 0 ? 1 : s->columns.grid.stride);
    const float *const forward = in ? far : near, *const backward = in ? near : far;
    float *const flux = axis == 0 ? s->columns.flux_x : s->columns.flux_y, *const move = axis == 0
                                                                                             ? s->graph.transfer_x
                                                                                             : s->graph.transfer_y;
    if (s->graph.momentum) {
        float *const speed = axis == 0 ? s->graph.speed_x : s->graph.speed_y;
        RN_FOR_LANES (i, first, first + count) {
            const rn_wide t = rn_load(move + i);
            const rn_wide share =
                rn_select(t > 0.0f, rn_load(forward + i), rn_select(t < 0.0f, rn_load(backward + i), rn_splat(1.0f)));
            if (!rn_any(share < 1.0f)) continue;
            rn_store(move + i, rn_limit_transfer(&params, t, share));
            if (in && !s->graph.headed) rn_store(speed + i, rn_limit_flux(rn_load(speed + i), share));
        }
        return;
    }
    RN_FOR_LANES (i, first, first + count) {
        const rn_wide f = rn_load(flux + i);
        const rn_wide share = rn_select(f > 0.0f, rn_load(forward + i), rn_load(backward + i));
        if (!rn_any(share < 1.0f)) continue;
        rn_store(move + i, rn_limit_transfer(&params, rn_load(move + i), share));
        rn_store(flux + i, rn_limit_flux(f, share));
    }
}

/* Limits the inflows (`in`) or outflows of the marked rows of a patch by shares. */
static void limit_transfers(const substep *step, const rn_patch *patch, bool in) {
    RN_FOR_ROWS (y, 0, patch->rows) {
        if (!rn_has_line(patch, y)) continue;
        const int32_t row = patch->first + y * step->s->columns.grid.stride;
        limit_lanes(step, row, patch->columns, 0, in);
        limit_lanes(step, row, patch->columns, 1, in);
    }
}

/* ---- Depths (step 7) ------------------------------------------------------------------------------------------ */

/* Smallest and largest depths of a tile. */
typedef struct wide_depths {
    rn_wide deepest, shallowest;
} wide_depths;

/* The cases of a loop over depths. */
typedef struct depth_kind {
    bool checked, restricted; /* looks for columns that run dry, or over */
    bool moves;
} depth_kind;

/* Whether some column of a row is wet afterwards, and whether some ran dry or over. */
typedef struct row_depths {
    bool wet, under, over;
} row_depths;

/* Makes the transfers of `count` columns of a row from slot `first` on, or only finds whether these are too large. Adds
   wet blocks, unless `blocks` is NULL, and extremes to `blocks` and `found`; without `checked` all counts as wet. */
RN_INLINE row_depths depth_lanes(const substep *step, int32_t first, int count, wide_depths *found, rn_mask *blocks,
                                 const depth_kind kind) {
    const rn_state *s = step->s;
    const float full = RN_FULL * step->params->quantum;
    wide_depths most = *found;
    rn_mask wet = {0}, under = {0}, over = {0};
    RN_FOR_LANES (c, first, first + count) {
        const sides t = load_sides(s, c);
        const rn_wide was = rn_load(s->columns.depth + c);
        rn_wide depth = was + flow_net(&t);
        if (RN_LANES > RN_RIM && c + RN_LANES > first + count + RN_RIM) /* nothing is stored beyond the rim */
            depth = rn_keep(first_lanes(first + count + RN_RIM - c), depth);
        if (kind.checked) under |= flow_out(&t) > was;
        if (kind.restricted) {
            const rn_wide base = rn_load(s->columns.base + c), room = (rn_load(s->columns.ceil + c) - base) - was;
            over |= ((flow_in(&t) > room) | (room <= full)) & (base < RN_NO_COLUMN);
        }
        if (!kind.moves) continue;
        if (kind.checked && blocks) wet |= (rn_mask)depth, blocks[(c - first) / RN_TILE_BLOCK] |= (rn_mask)depth;
        most.deepest = rn_greater(depth, most.deepest);
        most.shallowest = rn_lesser(depth, most.shallowest);
        rn_store(s->columns.depth + c, depth);
    }
    *found = most;
    return (row_depths){!kind.checked || rn_any(wet), kind.checked && rn_any(under), kind.restricted && rn_any(over)};
}

/* Adds extremes and wet blocks of `count` columns of a row, whose depths do not change, to `found` and `blocks`.
   Returns true if any is wet. */
static bool look_lanes(const rn_state *s, int32_t first, int count, wide_depths *found, rn_mask *blocks) {
    rn_mask wet = {0};
    RN_FOR_LANES (c, first, first + count) {
        const rn_wide depth = rn_load(s->columns.depth + c);
        wet |= (rn_mask)depth;
        blocks[(c - first) / RN_TILE_BLOCK] |= (rn_mask)depth;
        found->deepest = rn_greater(depth, found->deepest);
        found->shallowest = rn_lesser(depth, found->shallowest);
    }
    return rn_any(wet);
}

/* Makes the transfers of a part of row `y` of a patch, `count` columns from slot `first` on, with the simplest loop
   that suits the row. `moves` false: depths stay. */
RN_INLINE row_depths depth_row(const substep *step, const rn_patch *patch, int y, int32_t first, int count,
                               wide_depths *all, rn_mask *blocks, const bool moves) {
    const bool cannot_dry = has_bit(patch->cannot_dry, y), restricted = has_bit(patch->restricted, y);
    if (has_bit(patch->look_only, y)) return (row_depths){.wet = look_lanes(step->s, first, count, all, blocks)};
    if (restricted)
        return depth_lanes(step, first, count, all, blocks,
                           (depth_kind){.checked = true, .restricted = true, .moves = moves});
    if (!cannot_dry) return depth_lanes(step, first, count, all, blocks, (depth_kind){.checked = true, .moves = moves});
    for (int i = 0; i < RN_TILE_BLOCKS; i++) blocks[i] |= rn_splat(1.0f) > 0.0f;
    if (moves) return depth_lanes(step, first, count, all, blocks, (depth_kind){.moves = true});
    return (row_depths){.wet = true};
}

/* Makes the transfers of the marked rows of a patch, and finds tile by tile where they were too large, wet places and
   extremes; `moves` false: only where they are too large. */
RN_INLINE void depth_rows(const substep *step, const rn_patch *patch, rn_swept *found, const bool moves) {
    wide_depths all[RN_RUN];
    rn_mask blocks[RN_RUN][RN_TILE_BLOCKS] = {0};
    for (int tile = 0; tile < RN_RUN; tile++) {
        all[tile] = (wide_depths){.shallowest = rn_splat(INFINITY)};
        found->wet[tile].lines = found->under[tile] = found->over[tile] = 0;
    }
    RN_FOR_ROWS (y, 0, patch->rows)
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

/* Makes the transfers of deep liquid far from ceilings, without checks: all tiles of the patch get the same bounds, and
   count as wet. */
static void deep_rows(const substep *step, const rn_patch *patch, rn_swept *found) {
    wide_depths all = {.shallowest = rn_splat(INFINITY)};
    uint32_t wet = 0;
    RN_FOR_ROWS (y, 0, patch->rows) {
        if (!rn_has_line(patch, y)) continue;
        const int32_t first = patch->first + y * step->s->columns.grid.stride;
        depth_lanes(step, first, patch->columns, &all, NULL, (depth_kind){.moves = true});
        wet |= 1u << y;
    }
    for (int tile = 0; tile < RN_RUN; tile++) {
        found->wet[tile] = (rn_tile_mask){wet, UINT32_MAX};
        found->under[tile] = found->over[tile] = 0;
        found->deepest[tile] = rn_greatest(all.deepest);
        found->shallowest[tile] = rn_least(all.shallowest);
    }
}

/* Makes the transfers of a patch, and finds where these were too large. */
static void find_depths(const substep *step, const rn_patch *patch, rn_swept *found) {
    if (~patch->cannot_dry & patch->lines || patch->restricted || patch->look_only)
        depth_rows(step, patch, found, true);
    else deep_rows(step, patch, found);
}

/* Makes the transfers of all rows of a patch. Sets found->under or over if some were too large, otherwise leaves them;
   sets found->deepest. */
static void move_rows(const substep *step, const rn_patch *patch, rn_moved *found) {
    wide_depths all = {.shallowest = rn_splat(INFINITY)};
    RN_FOR_ROWS (y, 0, patch->rows) {
        const int32_t first = patch->first + y * step->s->columns.grid.stride;
        const row_depths row = depth_lanes(step, first, patch->columns, &all, NULL,
                                           (depth_kind){.checked = true, .restricted = true, .moves = true});
        found->under = found->under || row.under;
        found->over = found->over || row.over;
    }
    found->deepest = rn_greatest(all.deepest);
}

/* Finds only where transfers of a patch are too large; depths stay. */
static void check_transfers(const substep *step, const rn_patch *patch, rn_swept *found) {
    depth_rows(step, patch, found, false);
}

/* Takes the transfers of ordinary pipes back from the depths of the marked rows of a patch. */
static void undo_transfers(const substep *step, const rn_patch *patch) {
    const rn_state *s = step->s;
    RN_FOR_ROWS (y, 0, patch->rows) {
        if (!rn_has_line(patch, y)) continue;
        const int32_t row = patch->first + y * s->columns.grid.stride;
        RN_FOR_LANES (c, row, row + patch->columns) {
            const sides t = load_sides(s, c);
            rn_store(s->columns.depth + c, rn_load(s->columns.depth + c) - flow_net(&t));
        }
    }
}

/* ---- Rest -------------------------------------------------------------------------------------------------------- */

/* Whether all open pipes of a patch join equal levels, sideways gravity included. *height (m): highest cross-section, 0
   for the paper's model. */
static bool is_level(const substep *step, const rn_patch *patch, float *height) {
    const rn_state *s = step->s;
    const rn_step_params *params = step->params;
    rn_wide highest = {0};
    rn_mask uneven = {0};
    RN_FOR_ROWS (y, 0, patch->rows) {
        const int32_t row = patch->first + y * s->columns.grid.stride;
        RN_FOR_LANES (i, row, row + patch->columns)
            for (int axis = 0; axis < 2; axis++) {
                const int32_t j = i + (axis == 0 ? 1 : s->columns.grid.stride);
                const rn_ends p = {rn_load(s->columns.base + i),  rn_load(s->columns.depth + i),
                                   rn_load(s->columns.ceil + i),  rn_load(s->columns.base + j),
                                   rn_load(s->columns.depth + j), rn_load(s->columns.ceil + j)};
                const rn_wide dh = (p.bi + p.di) - (p.bj + p.dj) + params->tilt[axis];
                const uint8_t *const pipes = (axis == 0 ? s->graph.pipe_x : s->graph.pipe_y) + i;
                const rn_wide H =
                    rn_select(load_falls(pipes), rn_pipe_room(&p), rn_keep(load_open(pipes), rn_pipe_height(&p)));
                uneven |= (dh != 0.0f) & (H > 0.0f);
                highest = rn_greater(H, highest);
            }
    }
    *height = params->paper ? 0.0f : rn_greatest(highest);
    return !rn_any(uneven);
}

const rn_sweeps RN_ISA(rn_sweeps) = {
    .fluxes = find_fluxes,
    .depths = find_depths,
    .check = check_transfers,
    .move = move_rows,
    .undo = undo_transfers,
    .shares = find_shares,
    .free_shares = reset_shares,
    .limits = limit_transfers,
    .is_level = is_level,
};
