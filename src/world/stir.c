/* Bodies that float (Thuerey 2007): liquid flows on as if they were not there, and rises and sinks with them. What they
   add to a cell follows how much of them is submerged there, in whole quanta that are taken back when they go. */
#include "base/maths.h"
#include "base/memory.h"
#include "solver/pipes.h"
#include "world/world.h"

static size_t cell_index(const rn_world *world, int x, int y) {
    return (size_t)y * (size_t)world->state.grid.nx + (size_t)x;
}

/* Adds what a body does to the cells that it is in, and returns them. It is taken to dip into a level surface: if waves
   under it counted, it would feed them. */
static rn_cells dip_body(rn_world *world, const rn_body *body) {
    if (!rn_bodies_dip(world, body, true, world->bodies.dippers)) return (rn_cells){0};
    const rn_waters *w = &world->bodies.dippers->waters;
    for (int y = 0; y < w->ny; y++)
        for (int x = 0; x < w->nx; x++) {
            const rn_water *water = &w->cells[(size_t)y * (size_t)w->nx + (size_t)x];
            if (water->slot < 0 || !(water->sunk > 0.0)) continue;
            rn_dip *dip = &world->bodies.dips[cell_index(world, w->x0 + x, w->y0 + y)];
            dip->sunk += (float)water->sunk;
            dip->slot = water->slot + 1;
        }
    return (rn_cells){w->x0, w->y0, w->x0 + w->nx, w->y0 + w->ny};
}

/* Smoothed over 3 x 3 cells. Past the edges there is nothing. */
static double smooth_dip(const rn_world *world, int x, int y) {
    const rn_grid *g = &world->state.grid;
    double sum = 0.0;
    for (int n = 0; n < 9; n++) {
        const int dx = n % 3 - 1, dy = n / 3 - 1;
        if (x + dx < 0 || y + dy < 0 || x + dx >= g->nx || y + dy >= g->ny) continue;
        const double weight = (dx == 0 ? 0.5 : 0.25) * (dy == 0 ? 0.5 : 0.25);
        sum += weight * (double)world->bodies.dips[cell_index(world, x + dx, y + dy)].sunk;
    }
    return sum;
}

/* The column that bodies are in, or else the topmost liquid; -1: it is dry. */
static int32_t column_to_stir(const rn_world *world, int x, int y) {
    const rn_state *s = &world->state;
    const int32_t known = world->bodies.dips[cell_index(world, x, y)].slot - 1;
    if (known >= 0) return known;
    int32_t found = -1;
    for (int l = 0; l < s->grid.layers; l++) {
        const int32_t slot = rn_slot(&s->grid, l, y, x);
        if (s->base[slot] >= RN_NO_COLUMN) break;
        if (s->base[slot] >= 0.0f && s->depth[slot] > 0.0f) found = slot;
    }
    return found;
}

/* Adds quanta to a column or takes them away, as far as it has room or liquid; how many. */
static int64_t change(rn_world *world, int32_t slot, double quanta) {
    rn_state *s = &world->state;
    if (quanta > 0.0) return rn_world_add(world, slot, quanta);
    const double taken = rn_min(-quanta, (double)s->depth[slot] / world->quantum);
    s->depth[slot] -= (float)(taken * world->quantum);
    return -(int64_t)taken;
}

static void tell(rn_world *world, int32_t slot, int64_t done) {
    rn_state *s = &world->state;
    const float depth = s->depth[slot];
    world->top = fmaxf(world->top, rn_state_level(s, slot));
    world->peak.deepest = depth > world->peak.deepest ? depth : world->peak.deepest;
    world->added = (float)rn_max(world->added, (double)done * world->quantum);
    rn_pipes_changed(s, slot);
}

/* What cannot be done now is tried again in the next step. */
static void stir_cell(rn_world *world, int x, int y) {
    int32_t *stirred = &world->bodies.stirred[cell_index(world, x, y)];
    const double missing = rint(world->stir * smooth_dip(world, x, y) / world->quantum) - *stirred;
    if (missing == 0.0) return;
    const int32_t slot = column_to_stir(world, x, y);
    const int64_t done = slot >= 0 ? change(world, slot, missing) : 0;
    if (done == 0) return;
    *stirred += (int32_t)done;
    world->ledger.lent += done;
    tell(world, slot, done);
}

/* ---- Blocks of cells ---------------------------------------------------------------------------------------------

   Bodies are few and far between: cells are looked at in blocks, and only in those that are busy. */

enum { BLOCK = 8 };

static int blocks_across(const rn_world *world) { return (world->state.grid.nx + BLOCK - 1) / BLOCK; }

static size_t block_count(const rn_world *world) {
    return (size_t)blocks_across(world) * (size_t)((world->state.grid.ny + BLOCK - 1) / BLOCK);
}

static rn_cells block_cells(const rn_world *world, size_t block) {
    const rn_grid *g = &world->state.grid;
    const int across = blocks_across(world), x = BLOCK * (int)(block % (size_t)across);
    const int y = BLOCK * (int)(block / (size_t)across);
    return (rn_cells){x, y, x + BLOCK < g->nx ? x + BLOCK : g->nx, y + BLOCK < g->ny ? y + BLOCK : g->ny};
}

static void mark_busy(rn_world *world, rn_cells in) {
    if (rn_cells_empty(in)) return;
    const size_t across = (size_t)blocks_across(world);
    for (int y = in.y0 / BLOCK; y <= (in.y1 - 1) / BLOCK; y++)
        for (int x = in.x0 / BLOCK; x <= (in.x1 - 1) / BLOCK; x++)
            world->bodies.busy[(size_t)y * across + (size_t)x] = 1;
}

static void stir_block(rn_world *world, rn_cells in) {
    for (int y = in.y0; y < in.y1; y++)
        for (int x = in.x0; x < in.x1; x++) stir_cell(world, x, y);
}

/* Whether something of a block is still stirred; nothing dips into it any more. */
static bool calm_block(rn_world *world, rn_cells in) {
    bool stirred = false;
    for (int y = in.y0; y < in.y1; y++)
        for (int x = in.x0; x < in.x1; x++) {
            const size_t cell = cell_index(world, x, y);
            stirred |= world->bodies.stirred[cell] != 0;
            world->bodies.dips[cell] = (rn_dip){0};
        }
    return stirred;
}

static rn_cells widen(const rn_world *world, rn_cells in) {
    const rn_grid *g = &world->state.grid;
    if (rn_cells_empty(in)) return in;
    return (rn_cells){in.x0 > 0 ? in.x0 - 1 : 0, in.y0 > 0 ? in.y0 - 1 : 0, in.x1 < g->nx ? in.x1 + 1 : g->nx,
                      in.y1 < g->ny ? in.y1 + 1 : g->ny};
}

/* ---- The whole ----------------------------------------------------------------------------------------------------
 */

static rn_result make_room(rn_world *world) {
    rn_bodies *all = &world->bodies;
    const size_t cells = cell_index(world, 0, world->state.grid.ny);
    if (!all->dips) all->dips = rn_alloc(&world->hooks, cells, sizeof *all->dips);
    if (!all->busy) all->busy = rn_alloc(&world->hooks, block_count(world), sizeof *all->busy);
    return all->dips && all->busy ? RN_OK : RN_MEMORY;
}

rn_result rn_stir(rn_world *world) {
    rn_bodies *all = &world->bodies;
    bool any = !rn_cells_empty(all->stirred_in);
    for (size_t i = 0; i < all->count && !any; i++) any = rn_body_at(all, i)->shape && !rn_body_at(all, i)->blocks;
    if (!any) return RN_OK;
    rn_result result = make_room(world);
    if (result == RN_OK) result = rn_bodies_look(world);
    if (result != RN_OK) return result;
    if (all->restored) mark_busy(world, all->stirred_in);
    for (size_t i = 0; i < all->count; i++) {
        const rn_body *body = rn_body_at(all, i);
        if (body->shape && !body->blocks) mark_busy(world, widen(world, dip_body(world, body)));
    }
    all->stirred_in = (rn_cells){0};
    all->restored = false;
    for (size_t i = 0; i < block_count(world); i++)
        if (all->busy[i]) stir_block(world, block_cells(world, i));
    for (size_t i = 0; i < block_count(world); i++) {
        if (!all->busy[i]) continue;
        const rn_cells in = block_cells(world, i);
        all->busy[i] = calm_block(world, in);
        if (all->busy[i]) all->stirred_in = rn_cells_join(all->stirred_in, in);
    }
    return RN_OK;
}
