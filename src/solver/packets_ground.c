/* The ground under the packets solver: what it looks like beyond edges, what the solver accepts, and the lid above
   it.

   Interface (solver/packets_self.h):
   - rn_packets_survey copies the ground into an array with a margin, continues it beyond the edges as a wall, as a
     drop or as the opposite edge, lists the sinks, and marks columns whose surroundings are level. It runs when the
     solver is created and whenever columns have changed;
   - rn_packets_accept refuses ceilings, when the solver is created;
   - rn_packets_reshape applies a batch of changed columns, and refuses ceilings and several columns in a cell;
   - rn_packets_press_down hands liquid above the lid to the columns around it, after each substep in which some
     reached the lid.

   Level ground is marked because packets and pressure have a faster form there. rn_packets_reshape makes all tiles
   fine before it writes columns, because a survey needs fine tiles. rn_packets_press_down searches ring by ring for
   room; the liquid that it moves loses its momentum. Volumes stay whole quanta throughout. */
#include "base/error.h"
#include "solver/packets_tiling.h"

#include <stdlib.h>
#include <string.h>

/* ---- Beyond edges ------------------------------------------------------------------------------------------------ */

/* The ground (m above the datum) of a cell, also beyond edges: a copy of the opposite edge, less its drop, a wall
   (RN_NO_COLUMN), or two cells below the datum beyond an open edge. */
static float ground_at(const rn_columns *c, int x, int y) {
    const rn_grid *g = &c->grid;
    const float nothing = -2.0f * c->cell;
    float drop = 0.0f;
    bool left = false;
    if (x < 0 || x >= g->nx) {
        if (c->periodic_x) drop += (float)rn_packets_wrap(&x, g->nx) * c->drop[0];
        else if (c->edges[x < 0 ? RN_SIDE_WEST : RN_SIDE_EAST] == RN_EDGE_OPEN) left = true;
        else return RN_NO_COLUMN;
    }
    if (y < 0 || y >= g->ny) {
        if (c->periodic_y) drop += (float)rn_packets_wrap(&y, g->ny) * c->drop[1];
        else if (c->edges[y < 0 ? RN_SIDE_SOUTH : RN_SIDE_NORTH] == RN_EDGE_OPEN) left = true;
        else return RN_NO_COLUMN;
    }
    if (left) return nothing;
    const float base = c->base[rn_slot(g, 0, y, x)];
    return base < 0.0f || base >= RN_NO_COLUMN ? base : base - drop;
}

/* Whether the ground of a column is level with all columns around it, and not a hole or wall. */
static bool is_level(const rn_packets *solver, int32_t slot) {
    const int32_t stride = solver->columns.grid.stride;
    const float here = solver->ground[slot];
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            if (solver->ground[slot + j * stride + i] != here) return false;
    return here >= 0.0f && here < RN_NO_COLUMN;
}

void rn_packets_survey(rn_packets *solver) {
    const rn_grid *g = &solver->columns.grid;
    for (int32_t slot = 0; slot < g->slots; slot++) solver->ground[slot] = RN_NO_COLUMN;
    for (int y = -g->rim; y < g->ny + g->rim; y++)
        for (int x = -g->rim; x < g->nx + g->rim; x++)
            solver->ground[rn_slot(g, 0, y, x)] = ground_at(&solver->columns, x, y);
    solver->sink_count = 0;
    for (int y = -1; y <= g->ny; y++)
        for (int x = -1; x <= g->nx; x++) {
            const int32_t slot = rn_slot(g, 0, y, x);
            const bool copy = ((x < 0 || x >= g->nx) && solver->columns.periodic_x) ||
                              ((y < 0 || y >= g->ny) && solver->columns.periodic_y);
            solver->plain[slot] = is_level(solver, slot);
            if (solver->ground[slot] == -2.0f * solver->columns.cell && !copy)
                solver->sinks[solver->sink_count++] = slot;
        }
    if (solver->tiles) rn_tiles_survey(solver);
}

/* ---- Columns that change ----------------------------------------------------------------------------------------- */

rn_result rn_packets_accept(const rn_columns *c) {
    const rn_grid *g = &c->grid;
    for (int y = 0; g->layers == 1 && y < g->ny; y++)
        for (int x = 0; x < g->nx; x++)
            if (rn_column_is_roofed(c, rn_slot(g, 0, y, x)))
                return rn_fail(RN_INVALID,
                               "the solver \"packets\" (cpu) does not have ceilings, overhangs or passages, and cell "
                               "(%d, %d) has one above its ground; use \"explicit\"",
                               x, y);
    return RN_OK;
}

/* Returns RN_INVALID, with a message, if a batch would give a cell columns that this solver does not support. */
static rn_result accept_batch(const rn_packets *solver, const rn_reshaping *batch) {
    for (size_t i = 0; i < batch->change_count; i++) {
        const rn_change *change = &batch->changes[i];
        const rn_column_shape *gap = batch->gaps + change->is;
        if (change->is_count <= 1 && (change->is_count == 0 || gap->base < 0.0f || gap->ceil >= solver->columns.lid))
            continue;
        return rn_fail(
            RN_INVALID,
            "the solver \"packets\" (cpu) does not have several columns in a cell, and solid would leave room "
            "for liquid below and above it in cell (%d, %d); use \"explicit\"",
            change->x, change->y);
    }
    return RN_OK;
}

rn_result rn_packets_reshape(void *self, rn_reshaping *batch) {
    rn_packets *solver = self;
    rn_columns *c = &solver->columns;
    if (batch->change_count == 0 && !(batch->held_count > 0 && batch->give > 0.0)) return RN_OK;
    rn_result result = accept_batch(solver, batch);
    if (result == RN_OK) result = rn_reshape_reserve(batch, c);
    if (result != RN_OK) return result;
    if (solver->tiles) rn_tiles_flatten(solver);
    for (size_t i = 0; i < batch->change_count; i++) rn_reshape_write(batch, c, i);
    for (size_t i = 0; i < batch->gap_count; i++) batch->loses |= batch->lost[i] > 0;
    rn_displace(batch, c);
    c->shape++;
    rn_packets_survey(solver);
    solver->shown = false;
    solver->touched = true;
    return RN_OK;
}

/* ---- The lid ----------------------------------------------------------------------------------------------------- */

/* Moves as much of a column's excess (m), in slot `from`, as fits into the column of cell (x, y), and lowers *excess;
   does nothing beyond edges, at holes and walls. */
static void move_excess(rn_packets *solver, int32_t from, int x, int y, float *excess) {
    const rn_columns *c = &solver->columns;
    const rn_grid *g = &c->grid;
    if (x < 0 || y < 0 || x >= g->nx || y >= g->ny) return;
    const int32_t to = rn_slot(g, 0, y, x);
    if (!(c->base[to] >= 0.0f && c->base[to] < RN_NO_COLUMN)) return;
    const float room = rn_column_room(c, to), some = room < *excess ? room : *excess;
    if (!(some > 0.0f)) return;
    c->depth[to] += some;
    c->depth[from] -= some;
    *excess -= some;
}

void rn_packets_press_down(rn_packets *solver) {
    const rn_columns *c = &solver->columns;
    const rn_grid *g = &c->grid;
    const int widest = g->nx > g->ny ? g->nx : g->ny;
    for (int y = 0; y < g->ny; y++)
        for (int x = 0; solver->extremes[y].highest > c->lid && x < g->nx; x++) {
            const int32_t slot = rn_slot(g, 0, y, x);
            float excess = c->base[slot] < RN_NO_COLUMN ? -rn_column_room(c, slot) : 0.0f;
            for (int ring = 1; excess > 0.0f && ring < widest; ring++)
                for (int j = -ring; j <= ring; j++)
                    for (int i = -ring; i <= ring; i += abs(j) == ring ? 1 : 2 * ring)
                        if (excess > 0.0f) move_excess(solver, slot, x + i, y + j, &excess);
        }
}
