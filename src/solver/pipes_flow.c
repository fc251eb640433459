/* The flow that the world asks for: the speed in a column, and the liquid that passes between two cells.

   Interface: rn_pipes_column_flow and rn_pipes_face_flow (solver/pipes_flow.h), members of both classes of pipe
   solvers. The world calls the first for bodies and queries, at any time between substeps; sections call the second
   (world/sections.c) after a substep, because it reads the transfers of that substep.

   Algorithm: both sum over all pipes of a side, ordinary and irregular; rn_pipes_face_flow also over all layers of
   the cell. The speed in a column is the mean over its two sides along an axis, each being the flux through the side
   divided by the area of its cross-section. Sides with thin films count 0. With momentum a pipe stores a speed,
   which is first multiplied by its cross-section; otherwise it stores a flux. */
#include "solver/pipes_flow.h"

#include "solver/pipe_self.h"

/* Flux (m^3/s, along the axis) and height (m) of the cross-section of one side of a column, over all its pipes
   there. */
typedef struct side {
    double flux, height;
} side;

/* Adds a pipe to a side: from the column at the first end of `ends` to the slot `other`, which counts `drop` (m) lower.
   `value` is its speed (m/s) with momentum, otherwise its flux (m^3/s). */
static void add_pipe(const rn_state *s, rn_ends ends, int32_t other, float drop, float value, side *to) {
    ends.bj = rn_splat(s->columns.base[other] - drop);
    ends.dj = rn_splat(rn_column_height(&s->columns, other));
    ends.cj = rn_splat(s->columns.ceil[other] - drop);
    const float height = rn_pipe_height(&ends)[0];
    to->flux += s->graph.momentum ? value * s->columns.width * height : value; /* a speed, or a flux */
    to->height += height;
}

/* The mean speed (m/s) through two sides of a column; a side whose height is that of a thin film or less counts 0. */
static double mean_speed(const rn_pipe_solver *solver, const side *before, const side *after) {
    const double thin = solver->params.thin_depth, cell = solver->cell;
    double speed = 0.0;
    if (before->height > thin) speed += 0.5 * before->flux / (before->height * cell);
    if (after->height > thin) speed += 0.5 * after->flux / (after->height * cell);
    return speed;
}

/* The column's own end of its pipes, if it counts `drop` (m) lower and its liquid stands `stand` (m) high; the other
   end is not set. */
static rn_ends own_end(const rn_state *s, int32_t slot, float stand, float drop) {
    return (rn_ends){.bi = rn_splat(s->columns.base[slot] - drop),
                     .di = rn_splat(stand),
                     .ci = rn_splat(s->columns.ceil[slot] - drop)};
}

void rn_pipes_column_flow(const void *self, int32_t slot, double flow[2]) {
    const rn_pipe_solver *solver = self;
    const rn_state *s = &solver->state;
    const float stand = rn_column_height(&s->columns, slot);
    const rn_ends own = own_end(s, slot, stand, 0.0f);
    const bool momentum = s->graph.momentum;
    const float *const x = momentum ? s->graph.speed_x : s->columns.flux_x;
    const float *const y = momentum ? s->graph.speed_y : s->columns.flux_y;
    const float *const irregular = momentum ? s->graph.irregular_speed : s->graph.irregular_flux;
    side sides[4] = {{0}};
    for (int k = 0; k < 4; k++) {
        float drop;
        const int32_t other = rn_column_beside(&s->columns, slot, (rn_side)k, &drop), l = k % 2 ? slot : other;
        if (other >= 0 && (k < 2 ? s->graph.pipe_x : s->graph.pipe_y)[l])
            add_pipe(s, own, other, drop, (k < 2 ? x : y)[l], &sides[k]);
    }
    const rn_junction *junction = rn_junction_of(s, slot);
    for (int32_t n = junction ? junction->begin : 0; junction && n < junction->end; n++) {
        const int32_t p = s->graph.links[n] / 2;
        const float drop = s->graph.irregular_drop[p];
        side *to = &sides[2 * s->graph.irregular_axis[p]];
        if (s->graph.links[n] % 2)
            add_pipe(s, own_end(s, slot, stand, drop), s->graph.irregular_a[p], 0.0f, irregular[p], to);
        else add_pipe(s, own, s->graph.irregular_b[p], drop, irregular[p], to + 1);
    }
    flow[0] = mean_speed(solver, &sides[0], &sides[1]);
    flow[1] = mean_speed(solver, &sides[2], &sides[3]);
}

rn_face_flow rn_pipes_face_flow(const void *self, int32_t cell, int axis) {
    const rn_pipe_solver *solver = self;
    const rn_state *s = &solver->state;
    double moved = 0.0, height = 0.0; /* m of depth, m */
    const float *move = axis == 0 ? s->graph.transfer_x : s->graph.transfer_y;
    const uint8_t *pipes = axis == 0 ? s->graph.pipe_x : s->graph.pipe_y;
    for (int layer = 0; layer < s->columns.grid.layers; layer++) {
        const int32_t a = cell + layer * s->columns.grid.layer_stride;
        float drop;
        const int32_t b = rn_column_beside(&s->columns, a, axis == 0 ? RN_SIDE_EAST : RN_SIDE_NORTH, &drop);
        if (b >= 0 && pipes[a]) {
            moved += move[a];
            height += rn_state_height(s, a, b, drop);
        }
        const rn_junction *junction = rn_junction_of(s, a);
        for (int32_t n = junction ? junction->begin : 0; junction && n < junction->end; n++) {
            const int32_t p = s->graph.links[n] / 2;
            if (s->graph.links[n] % 2 || s->graph.irregular_axis[p] != axis) continue;
            moved += s->graph.irregular_transfer[p];
            height += rn_state_height(s, a, s->graph.irregular_b[p], s->graph.irregular_drop[p]);
        }
    }
    return (rn_face_flow){(int64_t)(moved * solver->params.per_quantum), height};
}
