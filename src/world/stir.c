/* Floating bodies (Thuerey 2007): liquid flows through them, and rises and sinks with them.

   Interface: rn_stir (world/stir.h). Order of calls: world/frame.c calls it in every part of a step, after bodies
   have moved and columns have been remade, and before the solver advances. It uses the scratches and rn_body_submerge
   of world/settle.c.

   rn_stir finds how much of each floating body is submerged in each cell, bodies in parallel, smooths that over 3 x 3
   cells, and adds `stir` times as much liquid to the cell, in whole quanta. When the body leaves, the quanta are
   removed again. The ledger counts them as body_offset. What a column cannot take or give now is tried again in the
   next part.

   Added liquid is at rest; the momentum of its column is kept. The submerged depth is that in a level surface: if
   waves under the body counted, the body would amplify them. Only cells in or beside a body, and cells that still
   hold quanta of one, are visited; they are bits in `busy`. After a state has been restored these bits are not known,
   and all cells count. */
#include "world/stir.h"

#include "base/maths.h"
#include "base/memory.h"
#include "world/deposit.h"
#include "world/settle.h"

/* ---- Cells of floating bodies ------------------------------------------------------------------------------------ */

/* Lists the cells of a body in body->cells, with its submerged depth (m) in each, as if it floated in a level surface:
   if waves under it counted, it would amplify them. If memory runs out, the remaining cells are left out. */
static void list_body_cells(const rn_world *world, rn_body *body, rn_body_scratch *scratch) {
    body->cell_count = 0;
    if (!rn_body_submerge(world, body, true, scratch)) return;
    const rn_liquid_window *w = &scratch->window;
    const rn_cell_liquid *next = w->cells;
    for (int y = w->y0; y < w->y0 + w->ny; y++)
        for (int x = w->x0; x < w->x0 + w->nx; x++, next++) {
            if (next->slot < 0 || !(next->submerged > 0.0)) continue;
            if (!rn_grow(NULL, &body->cells, &body->cell_capacity, body->cell_count, sizeof(rn_body_cell))) return;
            body->cells[body->cell_count++] = (rn_body_cell){x, y, (float)next->submerged, next->slot};
        }
}

/* Whether a body has not been removed and does not block now. */
static bool is_floating(const rn_body *body) { return body->shape && !body->blocks; }

/* A task over bodies: lists the cells of each that floats, in its body->cells. */
static void submerge_bodies(void *context, int begin, int end, int worker) {
    const rn_world *world = context;
    for (int i = begin; i < end; i++) {
        rn_body *body = rn_body_at(&world->bodies, (size_t)i);
        if (is_floating(body)) list_body_cells(world, body, &world->bodies.scratches[worker]);
    }
}

/* Adds the submerged depths (m) of a body to its cells in world->bodies.floating, and returns the rectangle of these
   and the cells beside them, within the grid; empty if it has none. */
static rn_cells add_body_cells(rn_world *world, const rn_body *body) {
    const rn_grid *g = &world->columns->grid;
    rn_cells in = {0};
    for (size_t i = 0; i < body->cell_count; i++) {
        const rn_body_cell *cell = &body->cells[i];
        rn_floating_cell *sum = &world->bodies.floating[rn_cell_index(world, cell->x, cell->y)];
        sum->submerged += cell->submerged;
        sum->slot = cell->slot + 1;
        in = rn_cells_join(in, (rn_cells){cell->x - 1, cell->y - 1, cell->x + 2, cell->y + 2});
    }
    return (rn_cells){in.x0 > 0 ? in.x0 : 0, in.y0 > 0 ? in.y0 : 0, in.x1 < g->nx ? in.x1 : g->nx,
                      in.y1 < g->ny ? in.y1 : g->ny};
}

/* ---- One cell -------------------------------------------------------------------------------------------- */

/* Adds `weight` times the mean submerged depth (m) of the three cells of a row around x, with weights 1/4, 1/2 and 1/4,
   to a sum; cells beyond the `nx` of the row count as 0. */
static double add_row(double sum, const rn_floating_cell *row, int x, int nx, double weight) {
    if (x > 0) sum += 0.25 * weight * (double)row[x - 1].submerged;
    sum += 0.5 * weight * (double)row[x].submerged;
    if (x + 1 < nx) sum += 0.25 * weight * (double)row[x + 1].submerged;
    return sum;
}

/* The submerged depth (m) at a cell, smoothed over 3 x 3 cells with weights 1/4, 1/2, 1/4 along each axis; cells beyond
   the edges count as 0. */
static double smooth_submerged(const rn_world *world, int x, int y) {
    const int nx = world->columns->grid.nx, ny = world->columns->grid.ny;
    const rn_floating_cell *row = world->bodies.floating + rn_cell_index(world, 0, y);
    double sum = y > 0 ? add_row(0.0, row - nx, x, nx, 0.25) : 0.0;
    sum = add_row(sum, row, x, nx, 0.5);
    return y + 1 < ny ? add_row(sum, row + nx, x, nx, 0.25) : sum;
}

/* The slot of the column that bodies are in, or else of the topmost liquid of the cell, or -1 if there is neither. */
static int32_t column_to_stir(const rn_world *world, int x, int y) {
    const rn_columns *s = world->columns;
    const int32_t known = world->bodies.floating[rn_cell_index(world, x, y)].slot - 1;
    if (known >= 0) return known;
    int32_t found = -1;
    for (int l = 0; l < s->grid.layers; l++) {
        const int32_t slot = rn_slot(&s->grid, l, y, x);
        if (s->base[slot] >= RN_NO_COLUMN) break;
        if (s->base[slot] >= 0.0f && s->depth[slot] > 0.0f) found = slot;
    }
    return found;
}

/* Keeps the momentum of a column to which quanta were added at rest; negative: removed, and they leave their momentum
   behind. flow: m/s along x and y before. Does nothing if the solver has no RN_CAN_PUSH. */
static void keep_momentum(rn_world *world, int32_t slot, const double flow[2], int64_t quanta) {
    const double cell = world->ground.cell_size, volume = (double)quanta * world->quantum * cell * cell;
    if (!rn_world_can(world, RN_CAN_PUSH) || (flow[0] == 0.0 && flow[1] == 0.0)) return;
    world->solver->push(world->self, slot, (double[2]){-volume * flow[0], -volume * flow[1]});
}

/* Adds or removes quanta until bodies have added `stir` times the smoothed submerged depth to a cell, and counts them
   in the ledger. What is not possible now is tried again in the next step. Always returns true. */
static bool stir_cell(rn_world *world, int x, int y) {
    int32_t *stirred = &world->bodies.stirred[rn_cell_index(world, x, y)];
    const double missing = rint(world->stir * smooth_submerged(world, x, y) / world->quantum) - *stirred;
    const int32_t slot = missing != 0.0 ? column_to_stir(world, x, y) : -1;
    double flow[2] = {0};
    if (slot >= 0) rn_world_column_flow(world, slot, flow);
    const int64_t done = slot >= 0 ? rn_deposit(world, slot, missing, RN_BY_BODY) : 0;
    if (done == 0) return true;
    keep_momentum(world, slot, flow, done);
    *stirred += (int32_t)done;
    world->ledger.body_offset += done;
    return true;
}

/* Clears the floating bodies of a cell. Returns true if quanta added by bodies remain in it; the rectangle of stirred
   cells then grows by it. */
static bool clear_floating(rn_world *world, int x, int y) {
    rn_bodies *all = &world->bodies;
    const size_t cell = rn_cell_index(world, x, y);
    all->floating[cell] = (rn_floating_cell){0};
    if (all->stirred[cell] == 0) return false;
    all->stirred_in = rn_cells_join(all->stirred_in, (rn_cells){x, y, x + 1, y + 1});
    return true;
}

/* ---- Busy cells ---------------------------------------------------------------------------------------------------

   Bodies are few: only cells in or beside a body, and stirred cells, are visited. */

enum { WORD = 64 }; /* cells of a row per word, one bit each */

/* The number of words, of WORD cells each, of a row of busy cells. */
static size_t words_across(const rn_world *world) { return ((size_t)world->columns->grid.nx + WORD - 1) / WORD; }

/* Marks the cells of a rectangle, within the grid or empty, as busy. */
static void mark_busy(rn_world *world, rn_cells in) {
    for (int y = in.y0; y < in.y1; y++) {
        uint64_t *row = world->bodies.busy + (size_t)y * words_across(world);
        for (int x = in.x0; x < in.x1; x++) row[x / WORD] |= UINT64_C(1) << x % WORD;
    }
}

/* Visits all busy cells, row by row. Those for which `visit` returns false are no longer busy. */
static void visit_busy(rn_world *world, bool (*visit)(rn_world *, int x, int y)) {
    uint64_t *word = world->bodies.busy;
    for (int y = 0; y < world->columns->grid.ny; y++)
        for (int x = 0; x < world->columns->grid.nx; x += WORD, word++)
            for (uint64_t left = *word; left; left &= left - 1)
                if (!visit(world, x + __builtin_ctzll(left), y)) *word ^= left & -left;
}

/* Creates the per-cell arrays for floating bodies, all 0, and one scratch per thread, unless they exist. Returns
   RN_MEMORY, with a message, if memory runs out. */
static rn_result make_room(rn_world *world) {
    rn_bodies *all = &world->bodies;
    const size_t ny = (size_t)world->columns->grid.ny;
    if (!all->floating)
        all->floating = rn_alloc(&world->hooks, rn_cell_index(world, 0, (int)ny), sizeof *all->floating);
    if (!all->busy) all->busy = rn_alloc(&world->hooks, ny * words_across(world), sizeof *all->busy);
    return all->floating && all->busy ? rn_body_scratches_fit(world) : RN_MEMORY;
}

rn_result rn_stir(rn_world *world) {
    rn_bodies *all = &world->bodies;
    bool any = !rn_cells_empty(all->stirred_in);
    for (size_t i = 0; i < all->count && !any; i++) any = is_floating(rn_body_at(all, i));
    if (!any) return RN_OK;
    const rn_result result = make_room(world);
    if (result != RN_OK) return result;
    if (all->restored) mark_busy(world, all->stirred_in);
    rn_parallel_for(world->pool, (int)all->count, submerge_bodies, world);
    for (size_t i = 0; i < all->count; i++) {
        const rn_body *body = rn_body_at(all, i);
        if (is_floating(body)) mark_busy(world, add_body_cells(world, body));
    }
    visit_busy(world, stir_cell);
    all->stirred_in = (rn_cells){0};
    all->restored = false;
    visit_busy(world, clear_floating);
    return RN_OK;
}
