/* The loops of contact heads over rows, compiled once for each instruction set (base/dispatch.h). All give the same
   bits.

   - heads: the head of surface tension and wetting in every column, from slopes at its four corners, and the head
   difference that the edge of the liquid can hold (kernels/contact.h);
   - filter: one pass of the filter that solver/contact.c describes;
   - dry: wet ground dries.
   RN_LANES columns at a time. Lanes past the end of a row process the padding, which has no faces. */
#include "solver/contact_sweeps.h"

#include "kernels/contact.h"

enum { STRETCH = 128, ROOM = STRETCH + 2 * RN_PAD }; /* columns processed together, and their room with padding */

/* Pulls at the corners of a row of columns; [RN_PAD] is the corner to the upper right of the first column. */
typedef struct corner_row {
    float below[ROOM], above[ROOM], left[ROOM], right[ROOM];
} corner_row;

/* The slope of a face; if the face is missing, that of the opposite face; 0 if both are. */
RN_INLINE rn_wide slope_of(rn_mask here, rn_wide slope, rn_mask there, rn_wide opposite) {
    return rn_select(here, slope, rn_keep(there, opposite));
}

/* Pulls at the corners to the upper right of column c - 1 and of the `columns` after it. */
RN_INLINE void corner_lanes(const substep *step, int32_t c, int columns, corner_row *to) {
    const rn_state *s = step->s;
    const float per_cell = step->params->per_cell;
    const int32_t up = s->columns.grid.stride;
    const float *const base = s->columns.base + c, *const depth = s->columns.depth + c;
    const uint8_t *const pipe_x = s->graph.pipe_x + c, *const pipe_y = s->graph.pipe_y + c;
    for (int n = -1; n < columns; n += RN_LANES) {
        const rn_wide h00 = rn_load(depth + n), h10 = rn_load(depth + n + 1), h01 = rn_load(depth + n + up),
                      h11 = rn_load(depth + n + up + 1);
        const int at = n + RN_PAD;
        rn_corner pull = {0};
        const rn_mask wet = (h00 > 0.0f) | (h10 > 0.0f) | (h01 > 0.0f) | (h11 > 0.0f);
        if (rn_any(wet)) {
            const rn_wide z00 = rn_load(base + n) + h00, z10 = rn_load(base + n + 1) + h10,
                          z01 = rn_load(base + n + up) + h01, z11 = rn_load(base + n + up + 1) + h11;
            const rn_mask below = load_plain(pipe_x + n), above = load_plain(pipe_x + n + up),
                          left = load_plain(pipe_y + n), right = load_plain(pipe_y + n + 1);
            const rn_wide gb = (z10 - z00) * per_cell, ga = (z11 - z01) * per_cell, gl = (z01 - z00) * per_cell,
                          gr = (z11 - z10) * per_cell;
            const rn_corner slope = {slope_of(below, gb, above, ga), slope_of(above, ga, below, gb),
                                     slope_of(left, gl, right, gr), slope_of(right, gr, left, gl)};
            pull = rn_corner_pull(&slope);
            pull.below = rn_keep(wet & below, pull.below), pull.above = rn_keep(wet & above, pull.above);
            pull.left = rn_keep(wet & left, pull.left), pull.right = rn_keep(wet & right, pull.right);
        }
        rn_store(to->below + at, pull.below), rn_store(to->above + at, pull.above);
        rn_store(to->left + at, pull.left), rn_store(to->right + at, pull.right);
    }
}

RN_INLINE rn_corner load_corner(const corner_row *from, int at) {
    return (rn_corner){rn_load(from->below + at), rn_load(from->above + at), rn_load(from->left + at),
                       rn_load(from->right + at)};
}

/* The mean step (m) of the bed over the two faces of a column along one axis; a closed face counts as 0. */
RN_INLINE rn_wide bed_step(const float *base, int32_t d, const uint8_t *pipes) {
    const rn_wide z = rn_load(base);
    return 0.5f *
           (rn_keep(load_plain(pipes - d), z - rn_load(base - d)) + rn_keep(load_plain(pipes), rn_load(base + d) - z));
}

/* Contact heads, holds and wet ground of columns from slot `c` on, between two rows of corners. */
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
        const rn_wide wet = rn_load(s->graph.wet + at), wetting = rn_wetting_head(&params, across);
        const rn_wide hold = 0.5f * (params.advancing - params.receding) * wetting * (1.0f - wet);
        rn_store(s->graph.hold + at, hold);
        rn_store(s->graph.contact + at,
                 rn_capillary_head(&params, &sw, &se, &nw, &ne) + (params.receding * wetting + hold));
        rn_store(s->graph.wet + at, rn_wet_ground(&params, wet, depth, across));
    }
}

/* Contact heads, holds and wet ground of the row that begins at slot `row`. */
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

/* The contribution of a neighbour to a filtered head, through one face. Where an edge may hold the face, nothing
   moves and nothing is filtered: otherwise heads would oscillate forever. */
RN_INLINE rn_wide filtered_over(const rn_step_params *params, const float *depth, const float *head, const float *hold,
                                int32_t d, const uint8_t *pipes) {
    const rn_wide height = rn_filter_height(params, rn_load(depth), rn_load(depth + d));
    const rn_mask held = (rn_load(hold) > 0.0f) | (rn_load(hold + d) > 0.0f);
    return rn_keep(load_plain(pipes) & ~held, height * (rn_load(head + d) - rn_load(head)));
}

/* One pass of the filter over a row: from `contact` to `contact_next`, by the share `part` of the differences. */
static void filter(const substep *step, int32_t row, float part) {
    const rn_state *s = step->s;
    const rn_step_params params = *step->params;
    const int32_t up = s->columns.grid.stride;
    for (int32_t c = row; c < row + s->columns.grid.nx; c += RN_LANES) {
        const float *const depth = s->columns.depth + c, *const head = s->graph.contact + c;
        const float *const hold = s->graph.hold + c;
        rn_wide sum = {0};
        if (rn_any(rn_load(depth) > 0.0f))
            sum = (filtered_over(&params, depth, head, hold, -1, s->graph.pipe_x + c - 1) +
                   filtered_over(&params, depth, head, hold, 1, s->graph.pipe_x + c)) +
                  (filtered_over(&params, depth, head, hold, -up, s->graph.pipe_y + c - up) +
                   filtered_over(&params, depth, head, hold, up, s->graph.pipe_y + c));
        rn_store(s->graph.contact_next + c, rn_load(head) + part * sum);
    }
}

/* Dries the ground of a row without liquid by one substep. */
static void dry(const substep *step, int32_t row) {
    float *const wet = step->s->graph.wet + row;
    for (int x = 0; x < step->s->columns.grid.nx; x += RN_LANES)
        rn_store(wet + x, rn_positive(rn_load(wet + x) - step->params->drying));
}

const rn_contact_sweeps RN_ISA(rn_contact_sweeps) = {.heads = heads, .filter = filter, .dry = dry};
