/* The loops of contact heads over rows, compiled once for each instruction set (base/dispatch.h). All give the same
   bits.

   Interface: the table rn_contact_sweeps (solver/contact_sweeps.h), which solver/contact.c calls in this order:
   - heads: the head of surface tension and wetting in every column, from slopes at its four corners, and the head
     difference that the edge of the liquid can hold; also advances the wetness of the ground;
   - diffuse and filter, in turn: two roots of the filter that solver/contact.c describes, with `total_next` as memory;
   - finish: contact heads from what was filtered, and damping by what the last substep moved;
   - dry: for rows far from liquid, instead of all others: wet ground dries.

   Algorithm: kernels/contact.h has the formulas. Slopes are found at corners, where four columns meet. The energy of
   wetting is found partly at corners and partly in columns: with either alone, edges stick to cells. Each row
   computes the corners below and above it for stretches of STRETCH columns, which stay in the first-level cache.
   Faces that an edge may hold are left out of the filter. Loops take RN_LANES columns at a time; lanes past the end
   of a row process the padding, which has no faces. */
#include "solver/contact_sweeps.h"

#include "kernels/contact.h"

/* Columns processed together, and the room of their corners with `EDGE` before the first. */
#if defined(RN_GPU)
enum { STRETCH = 1, EDGE = 1, ROOM = STRETCH + EDGE };
#else
enum { STRETCH = 128, EDGE = RN_PAD, ROOM = STRETCH + 2 * EDGE };
#endif

/* Pulls and heads of wetting at the corners of a row of columns; [EDGE] is the corner to the upper right of the first
   column. wetting: per 1 - cos theta (m); negative at a corner where a face is missing. */
typedef struct corner_row {
    float below[ROOM], above[ROOM], left[ROOM], right[ROOM], wetting[ROOM];
} corner_row;

/* The slope of a face; if the face is missing, that of the opposite face; 0 if both are. */
RN_INLINE rn_wide slope_of(rn_mask here, rn_wide slope, rn_mask there, rn_wide opposite) {
    return rn_select(here, slope, rn_keep(there, opposite));
}

/* Whether any of RN_LANES columns from `depth` on, or of those beside them, is wet. The heads of other columns are
   never used. up: slots to the next row. */
RN_INLINE bool is_near_liquid(const float *depth, int32_t up) {
    const rn_wide across = rn_greater(rn_load(depth - 1), rn_load(depth + 1));
    const rn_wide along = rn_greater(rn_load(depth - up), rn_load(depth + up));
    return rn_any(rn_greater(rn_load(depth), rn_greater(across, along)) > 0.0f);
}

/* Whether the surface goes on from one column to the next: both levels (m) are below both ceilings (m). A column that
   is full to its ceiling has no surface. */
RN_INLINE rn_mask is_below(rn_wide ceil_a, rn_wide ceil_b, rn_wide level_a, rn_wide level_b) {
    return rn_greater(level_a, level_b) < rn_lesser(ceil_a, ceil_b);
}

/* Writes pulls and heads of wetting at the corners to the upper right of column c - 1 and of the `columns` after it. */
RN_INLINE void corner_lanes(const substep *step, int32_t c, int columns, corner_row *to) {
    const rn_state *s = step->s;
    const float per_cell = step->params->per_cell;
    const int32_t up = s->columns.grid.stride;
    const float *const base = s->columns.base + c, *const depth = s->columns.depth + c;
    const float *const ceil = s->columns.ceil + c, lid = s->columns.lid;
    const uint8_t *const pipe_x = s->graph.pipe_x + c, *const pipe_y = s->graph.pipe_y + c;
    const rn_wide dry = rn_wetting_head(step->params, rn_splat(0.0f));
    for (int n = -1; n < columns; n += RN_LANES) {
        const rn_wide h00 = rn_load(depth + n), h10 = rn_load(depth + n + 1), h01 = rn_load(depth + n + up),
                      h11 = rn_load(depth + n + up + 1);
        const int at = n + EDGE;
        rn_corner pull = {0};
        rn_wide wetting = dry;
        const rn_mask wet = (h00 > 0.0f) | (h10 > 0.0f) | (h01 > 0.0f) | (h11 > 0.0f);
        if (rn_any(wet)) {
            const rn_wide b00 = rn_load(base + n), b10 = rn_load(base + n + 1), b01 = rn_load(base + n + up),
                          b11 = rn_load(base + n + up + 1);
            const rn_wide z00 = b00 + h00, z10 = b10 + h10, z01 = b01 + h01, z11 = b11 + h11;
            rn_mask below = load_plain(pipe_x + n), above = load_plain(pipe_x + n + up), left = load_plain(pipe_y + n),
                    right = load_plain(pipe_y + n + 1);
            const rn_wide c00 = rn_load(ceil + n), c10 = rn_load(ceil + n + 1), c01 = rn_load(ceil + n + up),
                          c11 = rn_load(ceil + n + up + 1);
            const rn_mask low = (c00 < lid) | (c10 < lid) | (c01 < lid) | (c11 < lid);
            if (rn_any(low)) { /* lanes without a low ceiling stay as they are in narrower vectors */
                below &= ~low | is_below(c00, c10, z00, z10), above &= ~low | is_below(c01, c11, z01, z11);
                left &= ~low | is_below(c00, c01, z00, z01), right &= ~low | is_below(c10, c11, z10, z11);
            }
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
            const rn_wide square = 1.0f + (x * x + y * y);
            wetting = (rn_wide){0};
            if (!rn_all(rn_is_past_foot(step->params, mean, square)))
                wetting = rn_wetting_head(step->params, mean / rn_root(square));
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

/* The weight, 0 to 1, of the exchange over a face in a pass of the filter; 0 if the face is closed. at: slot of
   the column before the face; d: slots to the column after it. */
RN_INLINE rn_wide share_of(const rn_step_params *params, const rn_columns *columns, int32_t at, int32_t d,
                           const uint8_t *pipes) {
    const rn_wide hl = rn_load(columns->depth + at), hr = rn_load(columns->depth + at + d);
    const rn_wide cl = rn_load(columns->ceil + at), cr = rn_load(columns->ceil + at + d);
    rn_mask open = load_plain(pipes + at);
    const rn_mask low = (cl < columns->lid) | (cr < columns->lid);
    if (rn_any(low))
        open &= ~low | is_below(cl, cr, rn_load(columns->base + at) + hl, rn_load(columns->base + at + d) + hr);
    return rn_keep(open, rn_filter_height(params, hl, hr));
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

/* Dries the ground of RN_LANES columns by a substep. */
RN_INLINE void dry_lanes(float *wet, float drying) { rn_store(wet, rn_positive(rn_load(wet) - drying)); }

/* Writes totals, holds and filter shares of columns from slot `c` on, between two rows of corners, and advances their
   wet ground by a substep. Far from liquid the ground only dries. */
RN_INLINE void head_lanes(const substep *step, int32_t c, int columns, const corner_row *south,
                          const corner_row *north) {
    const rn_state *s = step->s;
    const rn_step_params params = *step->params;
    const int32_t up = s->columns.grid.stride;
    for (int n = 0; n < columns; n += RN_LANES) {
        const int32_t at = c + n;
        const int corner = n + EDGE;
        if (!is_near_liquid(s->columns.depth + at, up)) {
            if (params.drying > 0.0f) dry_lanes(s->graph.wet + at, params.drying);
            continue;
        }
        const rn_corner sw = load_corner(south, corner - 1), se = load_corner(south, corner);
        const rn_corner nw = load_corner(north, corner - 1), ne = load_corner(north, corner);
        const rn_wide x = bed_step(s->columns.base + at, 1, s->graph.pipe_x + at) * params.per_cell;
        const rn_wide y = bed_step(s->columns.base + at, up, s->graph.pipe_y + at) * params.per_cell;
        const rn_wide depth = rn_load(s->columns.depth + at), square = 1.0f + (x * x + y * y);
        rn_wide across = depth;
        if (!rn_all(rn_is_past_foot(&params, depth, square))) across = depth / rn_root(square);
        const rn_wide wet = rn_load(s->graph.wet + at);
        const rn_wide own = rn_wetting_head(&params, across), around = wetting_around(own, south, north, corner);
        const rn_wide wetting = own + RN_WETTING_CORNERS * (around - own);
        const rn_wide advancing = angle_of(s->columns.advancing, at, params.advancing);
        const rn_wide receding = angle_of(s->columns.receding, at, params.receding);
        const rn_wide hold = 0.5f * (advancing - receding) * rn_select(advancing > 1.0f, around, own) * (1.0f - wet);
        const rn_wide head = rn_capillary_head(&params, &sw, &se, &nw, &ne) + (receding * wetting + hold);
        rn_store(s->graph.hold + at, hold);
        rn_store(s->graph.total + at, (rn_load(s->columns.base + at) + depth) + head);
        rn_store(s->graph.share_x + at, share_of(&params, &s->columns, at, 1, s->graph.pipe_x));
        rn_store(s->graph.share_y + at, share_of(&params, &s->columns, at, up, s->graph.pipe_y));
        rn_store(s->graph.wet + at, rn_wet_ground(&params, wet, depth, across));
    }
}

/* Writes totals, holds, filter shares and wet ground of `rows` rows of columns, the lowest from slot `first` on.
   Corners between two rows are found once. */
static void heads(const substep *step, int32_t first, int columns, int rows) {
    const int32_t up = step->s->columns.grid.stride;
    corner_row corners[2];
    for (int x = 0; x < columns; x += STRETCH) {
        const int some = columns - x < STRETCH ? columns - x : STRETCH;
        int32_t row = first + x;
        corner_lanes(step, row - up, some, &corners[0]);
        for (int y = 0; y < rows; y++, row += up) {
            corner_lanes(step, row, some, &corners[(y + 1) % 2]);
            head_lanes(step, row, some, &corners[y % 2], &corners[(y + 1) % 2]);
        }
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

/* What all four neighbours add to the values `of` columns from slot `c` on; x, y: sideways gravity (m) per cell. held:
   some of them may have holds. */
RN_INLINE rn_wide added(const rn_state *s, int32_t c, const float *of, float x, float y, const bool held) {
    const float *const total = of + c, *const hold = s->graph.hold + c;
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

/* How fast the heads of columns from slot `first` on even out: minus L of solver/contact.c, from `total` to
   `total_next`. */
static void diffuse(const substep *step, int32_t first, int columns) {
    const rn_state *s = step->s;
    const float *const tilt = step->params->tilt;
    for (int32_t c = first; c < first + columns; c += RN_LANES) {
        const rn_mask wet = rn_load(s->columns.depth + c) > 0.0f;
        rn_wide sum = {0};
        if (rn_any(wet))
            sum = may_be_held(s, c) ? added(s, c, s->graph.total, tilt[0], tilt[1], true)
                                    : added(s, c, s->graph.total, tilt[0], tilt[1], false);
        rn_store(s->graph.total_next + c, rn_keep(wet, sum));
    }
}

/* Two roots of the filter over columns from slot `first` on: adds to `total` what `diffuse` found and L of it, each
   times its factor of `pair`. */
static void filter(const substep *step, int32_t first, int columns, const rn_filter_pair *pair) {
    const rn_state *s = step->s;
    for (int32_t c = first; c < first + columns; c += RN_LANES) {
        const rn_mask wet = rn_load(s->columns.depth + c) > 0.0f;
        if (!rn_any(wet)) continue;
        const rn_wide twice = may_be_held(s, c) ? added(s, c, s->graph.total_next, 0.0f, 0.0f, true)
                                                : added(s, c, s->graph.total_next, 0.0f, 0.0f, false);
        const rn_wide once = rn_load(s->graph.total_next + c);
        rn_store(s->graph.total + c,
                 rn_load(s->graph.total + c) + rn_keep(wet, pair->first * once + pair->second * twice));
    }
}

/* Contact heads of columns from slot `first` on: what is left of the totals without levels, and resistance to what
   moved in the last substep. */
static void finish(const substep *step, int32_t first, int columns) {
    const rn_state *s = step->s;
    const float damping = step->params->damping;
    const int32_t up = s->columns.grid.stride;
    for (int32_t c = first; c < first + columns; c += RN_LANES) {
        if (!is_near_liquid(s->columns.depth + c, up)) continue;
        const float *const x = s->graph.transfer_x + c, *const y = s->graph.transfer_y + c;
        const rn_wide rose = (rn_load(x - 1) - rn_load(x)) + (rn_load(y - up) - rn_load(y));
        const rn_wide level = rn_load(s->columns.base + c) + rn_load(s->columns.depth + c);
        rn_store(s->graph.contact + c, (rn_load(s->graph.total + c) - level) + damping * rose);
    }
}

/* Dries the ground of columns far from liquid by one substep. */
static void dry(const substep *step, int32_t first, int columns) {
    for (int x = 0; x < columns; x += RN_LANES) dry_lanes(step->s->graph.wet + first + x, step->params->drying);
}

const rn_contact_sweeps RN_ISA(rn_contact_sweeps) = {
    .heads = heads, .diffuse = diffuse, .filter = filter, .finish = finish, .dry = dry};
