/* The pipes of a column, for searches along passages (solver/flood.c, flood_lists.c). */
#ifndef RN_SOLVER_FLOOD_PIPES_H
#define RN_SOLVER_FLOOD_PIPES_H

#include "solver/graph.h"
#include "solver/multigrid.h"

/* A pipe of a column, as rn_visit_pipes gives it; pipe, copy, link, way and axis: as in rn_duct. */
typedef struct rn_pipe_ends {
    int32_t a, b, pipe, copy, link;
    uint8_t way, axis;
    float drop;
} rn_pipe_ends;
typedef bool (*rn_pipe_visitor)(void *context, const rn_pipe_ends *pipe, int32_t other); /* false: stop */

/* The ordinary pipe from column `a` to the next one along an axis, perhaps at the other end of the world. It must
   exist. */
static inline rn_pipe_ends rn_ordinary_pipe(const rn_state *s, int32_t a, int axis) {
    const rn_grid *g = &s->columns.grid;
    const int32_t step = axis == 0 ? 1 : g->stride;
    rn_pipe_ends p = {
        .a = a, .b = a + step, .pipe = a, .copy = -1, .link = -1, .way = (uint8_t)axis, .axis = (uint8_t)axis};
    if (!(axis == 0 ? s->columns.periodic_x : s->columns.periodic_y)) return p;
    const rn_spot at = rn_slot_place(g, a);
    if ((axis == 0 ? at.x : at.y) != (axis == 0 ? g->nx : g->ny) - 1) return p;
    p.b = axis == 0 ? rn_slot(g, at.layer, at.y, 0) : rn_slot(g, at.layer, 0, at.x);
    p.copy = p.b - step;
    p.drop = s->columns.drop[axis];
    p.link = rn_multigrid_wrap(s, axis, a);
    return p;
}

/* Calls `visit` with each pipe of column `c` and its other end until that returns false; irregular pipes last. */
static inline void rn_visit_pipes(const rn_state *s, int32_t c, rn_pipe_visitor visit, void *context) {
    const rn_grid *g = &s->columns.grid;
    for (int axis = 0; axis < 2; axis++) {
        const uint8_t *pipes = axis == 0 ? s->graph.pipe_x : s->graph.pipe_y;
        const int32_t step = axis == 0 ? 1 : g->stride;
        if (pipes[c - step]) {
            const bool periodic = axis == 0 ? s->columns.periodic_x : s->columns.periodic_y;
            const rn_spot at = periodic ? rn_slot_place(g, c) : (rn_spot){0};
            int32_t a = c - step;
            if (periodic && (axis == 0 ? at.x : at.y) == 0)
                a = axis == 0 ? rn_slot(g, at.layer, at.y, g->nx - 1) : rn_slot(g, at.layer, g->ny - 1, at.x);
            const rn_pipe_ends p = rn_ordinary_pipe(s, a, axis);
            if (!visit(context, &p, p.a)) return;
        }
        if (pipes[c]) {
            const rn_pipe_ends p = rn_ordinary_pipe(s, c, axis);
            if (!visit(context, &p, p.b)) return;
        }
    }
    const rn_junction *junction = rn_junction_of(s, c);
    for (int32_t n = junction ? junction->begin : 0; junction && n < junction->end; n++) {
        const int32_t i = s->graph.links[n] / 2;
        const rn_pipe_ends p = {s->graph.irregular_a[i],    s->graph.irregular_b[i],   i, -1, i, 2,
                                s->graph.irregular_axis[i], s->graph.irregular_drop[i]};
        if (!visit(context, &p, s->graph.links[n] % 2 ? p.a : p.b)) return;
    }
}

#endif
