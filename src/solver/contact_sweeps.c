/* The loops of contact heads over rows, compiled once for each instruction set (base/dispatch.h). All give the same
   bits.

   Interface: the table rn_contact_sweeps (solver/contact_sweeps.h), which solver/contact.c calls in this order:
   - heads: the head of surface tension and wetting in every column, from slopes at its four corners, and the head
     difference that the edge of the liquid can hold; also advances the wetness of the ground;
   - filter: one pass of the filter that solver/contact.c describes, from `total` to `total_next`;
   - finish: contact heads from what was filtered, and damping by what the last substep moved;
   - dry: for rows far from liquid, instead of all others: wet ground dries.

   Algorithm: kernels/contact.h has the formulas. Slopes are found at corners, where four columns meet. The energy of
   wetting is found partly at corners and partly in columns: with either alone, edges stick to cells. Each row
   computes the corners below and above it for stretches of STRETCH columns, which stay in the first-level cache.
   Faces that an edge may hold are left out of the filter. Loops take RN_LANES columns at a time; lanes past the end
   of a row process the padding, which has no faces. */
#include "solver/contact_sweeps.h"

#include "kernels/contact.h"

enum { STRETCH = 128, ROOM = STRETCH + 2 * RN_PAD }; /* columns processed together, and their room with padding */

/* Pulls and heads of wetting at the corners of a row of columns; [RN_PAD] is the corner to the upper right of the first
   column. wetting: per 1 - cos theta (m); negative at a corner where a face is missing. */
typedef struct corner_row {
    float below[ROOM], above[ROOM], left[ROOM], right[ROOM], wetting[ROOM];
} corner_row;

/* The slope of a face; if the face is missing, that of the opposite face; 0 if both are. */
RN_INLINE rn_wide slope_of(rn_mask here, rn_wide slope, rn_mask there, rn_wide opposite) {
    return rn_select(here, slope, rn_keep(there, opposite));
}

/* Writes pulls and heads of wetting at the corners to the upper right of column c - 1 and of the `columns` after it. */
RN_INLINE void corner_lanes(const substep *step, int32_t c, int columns, corner_row *to) {
    const rn_state *s = step->s;
    const float per_cell = step->params->per_cell;
    const int32_t up = s->columns.grid.stride;
    const float *const base = s->columns.base + c, *const depth = s->columns.depth + c;
    const uint8_t *const pipe_x = s->graph.pipe_x + c, *const pipe_y = s->graph.pipe_y + c;
    const rn_wide dry = rn_wetting_head(step->params, rn_splat(0.0f));
    for (int n = -1; n < columns; n += RN_LANES) {
        const rn_wide h00 = rn_load(depth + n), h10 = rn_load(depth + n + 1), h01 = rn_load(depth + n + up),
                      h11 = rn_load(depth + n + up + 1);
        const int at = n + RN_PAD;
        rn_corner pull = {0};
        rn_wide wetting = dry;
        const rn_mask wet = (h00 > 0.0f) | (h10 > 0.0f) | (h01 > 0.0f) | (h11 > 0.0f);
        if (rn_any(wet)) {
            const rn_wide b00 = rn_load(base + n), b10 = rn_load(base + n + 1), b01 = rn_load(base + n + up),
                          b11 = rn_load(base + n + up + 1);
            const rn_wide z00 = b00 + h00, z10 = b10 + h10, z01 = b01 + h01, z11 = b11 + h11;
            const rn_mask below = load_plain(pipe_x + n), above = load_plain(pipe_x + n + up),
                          left = load_plain(pipe_y + n), right = load_plain(pipe_y + n + 1);
            const rn_wide gb = (z10 - z00) * per_cell, ga = (z11 - z01) * per_cell, gl = (z01 - z00) * per_cell,
                          gr = (z11 - z10) * per_cell;
            const rn_corner slope = {slope_of(below, gb, above, ga), slope_of(above, ga, below, gb),
                                     slope_of(left, gl, right, gr), slope_of(right, gr, left, gl)};
            pull = rn_corner_pull(&slope);
            pull.below = rn_keep(wet & below, pull.below), pull.above = rn_keep(wet & above, pull.above);
            pull.left = rn_keep(wet & left, pull.left), pull.right = rn_keep(wet & right, pull.right);
            const rn_wide x = 0.5f * per_cell * ((b10 - b00) + (b11 - b01)),
                          y = 0.5f * per_cell * ((b01 - b00) + (b11 - b10));
            const rn_wide mean = 0.25f * ((h00 + h10) + (h01 + h11));
            wetting = rn_wetting_head(step->params, mean / rn_root(1.0f + (x * x + y * y)));
            wetting = rn_select(below & above & left & right, wetting, rn_splat(-1.0f));
        }
        rn_store(to->below + at, pull.below), rn_store(to->above + at, pull.above);
        rn_store(to->left + at, pull.left), rn_store(to->right + at, pull.right);
        rn_store(to->wetting + at, wetting);
    }
}

/* The pulls at corners `at` and after it of a row, one per lane. */
RN_INLINE rn_corner load_corner(const corner_row *from, int at) {
    return (rn_corner){rn_load(from->below + at), rn_load(from->above + at), rn_load(from->left + at),
                       rn_load(from->right + at)};
}

/* The mean step (m) of the bed over the two faces of a column along one axis; a closed face counts as 0. d: slots to
   the next column along the axis. */
RN_INLINE rn_wide bed_step(const float *base, int32_t d, const uint8_t *pipes) {
    const rn_wide z = rn_load(base);
    return 0.5f *
           (rn_keep(load_plain(pipes - d), z - rn_load(base - d)) + rn_keep(load_plain(pipes), rn_load(base + d) - z));
}

/* The weight, 0 to 1, of the exchange over a face in a pass of the filter; 0 if the face is closed. depth, pipes: at
   the column before the face; d: slots to the column after it. */
RN_INLINE rn_wide share_of(const rn_step_params *params, const float *depth, int32_t d, const uint8_t *pipes) {
    return rn_keep(load_plain(pipes), rn_filter_height(params, rn_load(depth), rn_load(depth + d)));
}

/* 1 - cos of a contact angle of columns from slot `at` on: their own, or `all` for every column if `own` is NULL. */
RN_INLINE rn_wide angle_of(const float *own, int32_t at, float all) { return own ? rn_load(own + at) : rn_splat(all); }

/* The mean head (m) of wetting at the four corners of columns, per 1 - cos theta; `own`, that of their own depth,
   stands in for corners with missing faces. */
RN_INLINE rn_wide wetting_around(rn_wide own, const corner_row *south, const corner_row *north, int corner) {
    const rn_wide sw = rn_load(south->wetting + corner - 1), se = rn_load(south->wetting + corner);
    const rn_wide nw = rn_load(north->wetting + corner - 1), ne = rn_load(north->wetting + corner);
    return 0.25f * ((rn_select(sw < 0.0f, own, sw) + rn_select(se < 0.0f, own, se)) +
                    (rn_select(nw < 0.0f, own, nw) + rn_select(ne < 0.0f, own, ne)));
}

/* Writes totals, holds and filter shares of columns from slot `c` on, between two rows of corners, and advances their
   wet ground by a substep. */
RN_INLINE void head_lanes(const substep *step, int32_t c, int columns, const corner_row *south,
                          const corner_row *north) {
    const rn_state *s = step->s;
    const rn_step_params params = *step->params;
    const int32_t up = s->columns.grid.stride;
    for (int n = 0; n < columns; n += RN_LANES) {
        const int32_t at = c + n;
        const int corner = n + RN_PAD;
        const rn_corner sw = load_corner(south, corner - 1), se = load_corner(south, corner);
        const rn_corner nw = load_corner(north, corner - 1), ne = load_corner(north, corner);
        const rn_wide x = bed_step(s->columns.base + at, 1, s->graph.pipe_x + at) * params.per_cell;
        const rn_wide y = bed_step(s->columns.base + at, up, s->graph.pipe_y + at) * params.per_cell;
        const rn_wide depth = rn_load(s->columns.depth + at), across = depth / rn_root(1.0f + (x * x + y * y));
        const rn_wide wet = rn_load(s->graph.wet + at);
        const rn_wide own = rn_wetting_head(&params, across), around = wetting_around(own, south, north, corner);
        const rn_wide wetting = own + RN_WETTING_CORNERS * (around - own);
        const rn_wide advancing = angle_of(s->columns.advancing, at, params.advancing);
        const rn_wide receding = angle_of(s->columns.receding, at, params.receding);
        const rn_wide hold = 0.5f * (advancing - receding) * rn_select(advancing > 1.0f, around, own) * (1.0f - wet);
        const rn_wide head = rn_capillary_head(&params, &sw, &se, &nw, &ne) + (receding * wetting + hold);
        rn_store(s->graph.hold + at, hold);
        rn_store(s->graph.total + at, (rn_load(s->columns.base + at) + depth) + head);
        rn_store(s->graph.share_x + at, share_of(&params, s->columns.depth + at, 1, s->graph.pipe_x + at));
        rn_store(s->graph.share_y + at, share_of(&params, s->columns.depth + at, up, s->graph.pipe_y + at));
        rn_store(s->graph.wet + at, rn_wet_ground(&params, wet, depth, across));
    }
}

/* Writes totals, holds, filter shares and wet ground of the row that begins at slot `row`. */
static void heads(const substep *step, int32_t row) {
    const int32_t up = step->s->columns.grid.stride;
    const int nx = step->s->columns.grid.nx;
    corner_row south, north;
    for (int x = 0; x < nx; x += STRETCH) {
        const int columns = nx - x < STRETCH ? nx - x : STRETCH;
        corner_lanes(step, row + x - up, columns, &south);
        corner_lanes(step, row + x, columns, &north);
        head_lanes(step, row + x, columns, &south, &north);
    }
}

/* What the neighbour d slots away adds to a total over one face; `tilt` (m) is sideways gravity from here to there.
   held: some columns may have holds. Faces that an edge may hold are not filtered: a filtered push would hardly ever
   overcome the hold. */
RN_INLINE rn_wide added_over(const float *total, const float *hold, int32_t d, rn_wide share, float tilt,
                             const bool held) {
    rn_wide push = (rn_load(total + d) - rn_load(total)) - tilt;
    if (held) push = rn_keep((rn_load(hold) <= 0.0f) & (rn_load(hold + d) <= 0.0f), push);
    return share * push;
}

/* What all four neighbours add to the totals of columns from slot `c` on. held: some of them may have holds. */
RN_INLINE rn_wide added(const substep *step, int32_t c, const bool held) {
    const rn_state *s = step->s;
    const float x = step->params->tilt[0], y = step->params->tilt[1];
    const float *const total = s->graph.total + c, *const hold = s->graph.hold + c;
    const float *const share_x = s->graph.share_x + c, *const share_y = s->graph.share_y + c;
    const int32_t up = s->columns.grid.stride;
    return (added_over(total, hold, -1, rn_load(share_x - 1), -x, held) +
            added_over(total, hold, 1, rn_load(share_x), x, held)) +
           (added_over(total, hold, -up, rn_load(share_y - up), -y, held) +
            added_over(total, hold, up, rn_load(share_y), y, held));
}

/* Whether columns from slot `c` on or their neighbours have holds. */
RN_INLINE bool may_be_held(const rn_state *s, int32_t c) {
    const float *const hold = s->graph.hold + c;
    const int32_t up = s->columns.grid.stride;
    return rn_any(
        ((rn_load(hold) + (rn_load(hold - 1) + rn_load(hold + 1))) + (rn_load(hold - up) + rn_load(hold + up))) > 0.0f);
}

/* One pass of the filter over a row: from `total` to `total_next`, by `part` of the differences. */
static void filter(const substep *step, int32_t row, float part) {
    const rn_state *s = step->s;
    for (int32_t c = row; c < row + s->columns.grid.nx; c += RN_LANES) {
        rn_wide sum = {0};
        if (rn_any(rn_load(s->columns.depth + c) > 0.0f))
            sum = may_be_held(s, c) ? added(step, c, true) : added(step, c, false);
        rn_store(s->graph.total_next + c, rn_load(s->graph.total + c) + part * sum);
    }
}

/* Contact heads of a row: what is left of the totals without levels, and resistance to what the last substep moved. */
static void finish(const substep *step, int32_t row) {
    const rn_state *s = step->s;
    const float damping = step->params->damping;
    const int32_t up = s->columns.grid.stride;
    for (int32_t c = row; c < row + s->columns.grid.nx; c += RN_LANES) {
        const float *const x = s->graph.transfer_x + c, *const y = s->graph.transfer_y + c;
        const rn_wide rose = (rn_load(x - 1) - rn_load(x)) + (rn_load(y - up) - rn_load(y));
        const rn_wide level = rn_load(s->columns.base + c) + rn_load(s->columns.depth + c);
        rn_store(s->graph.contact + c, (rn_load(s->graph.total + c) - level) + damping * rose);
    }
}

/* Dries the ground of a row without liquid by one substep. */
static void dry(const substep *step, int32_t row) {
    float *const wet = step->s->graph.wet + row;
    for (int x = 0; x < step->s->columns.grid.nx; x += RN_LANES)
        rn_store(wet + x, rn_positive(rn_load(wet + x) - step->params->drying));
}

const rn_contact_sweeps RN_ISA(rn_contact_sweeps) = {.heads = heads, .filter = filter, .finish = finish, .dry = dry};
