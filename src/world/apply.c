/* Applies all changes of solid that were requested since the last step: solids, bodies and the ground itself.

   Interface (world/apply.h): rn_solids_apply does all of it; rn_solids_count updates the number of columns after a
   batch, which world/snapshot.c also needs when it restores a state.

   Order of calls: rn_solids_apply runs in every part of a step once bodies are at their new poses (world/frame.c),
   once in a step of a 3D liquid (world/mac_step.c), and before a state is saved or depths of a host are taken over.
   It
   - lets world/blocking.c find what bodies cover now, and marks the cells of moved solids as stale;
   - makes the columns of all stale cells, in parallel: ground, then solids (world/solids.c), then bodies, which end
     columns where they cover nearly all of a cell and are a partial solid where they cover less;
   - hands the changed cells to the solver as one batch, which moves the liquid (solver/reshape.c);
   - lets sources follow their columns, enters in the ledger the liquid that left or found no place, and hands the
     solver the blocked faces.

   Columns are first drafted, RN_DRAWN_TOGETHER cells at a time, and columns do not change until all drafts fit. On
   failure columns and liquid are therefore as before, and cells stay stale. A batch also runs without stale cells
   while bodies hold back liquid that is due to return (reshaping.give). */
#include "world/apply.h"

#include "base/maths.h"
#include "world/area.h"
#include "world/blocking.h"
#include "world/effective.h"
#include "world/ground.h"
#include "world/solids.h"
#include "world/sources.h"

#include <string.h>

typedef struct drafting {
    rn_world *world;
    const int32_t *cells;
    rn_draft *drafts; /* one per cell */
} drafting;

/* Sets the partial solid of an open range: the `count` ranges of `list`, clipped to it, are merged into one with their
   total depth (m), at most the share rn_blocking_sealed of its height, rounded up to whole quanta. A chink below it
   counts as solid, too. gap->part must be all 0 before, and stays so if none overlaps; it becomes 0 if the merged range
   is only a few quanta high. */
static void set_partial_solid(const rn_world *world, const rn_solid_range *list, int count, rn_column_shape *gap) {
    double taken = 0.0;
    for (int i = 0; i < count; i++) {
        const float low = fmaxf(list[i].low, gap->base), high = fminf(list[i].high, gap->ceil);
        if (high <= low) continue;
        if (taken == 0.0) gap->part.low = low;
        gap->part.high = high;
        taken += (double)list[i].share * (high - low);
    }
    if (gap->part.low - gap->base <= rn_blocking_chink(world)) gap->part.low = gap->base;
    const double most = rn_blocking_sealed(world, 0.0f) * (gap->part.high - gap->part.low);
    if (taken > 0.0) gap->part.depth = (float)(ceil(rn_min(taken, most) / world->quantum) * world->quantum);
    if (gap->part.depth >= gap->part.high - gap->part.low)
        gap->part = (rn_partial_solid){0}; /* only a few quanta high: not worth keeping */
}

/* Applies blocking bodies to the draft of a cell: ranges with a share above rn_blocking_sealed are closed, columns that
   become too narrow are dropped, and the rest of the ranges become partial solids. Returns true if a range was closed,
   whether or not it met a column. */
static bool apply_bodies(const rn_world *world, int x, int y, rn_draft *cell) {
    int count;
    const rn_solid_range *list = rn_blocking_cell(world, x, y, &count);
    if (count == 0) return false;
    const float ground = cell->count > 0 ? fmaxf(cell->list[0].base, 0.0f) : 0.0f;
    bool ends = false;
    for (int i = 0; i < count; i++) {
        if (!(list[i].share > rn_blocking_sealed(world, list[i].low - ground))) continue;
        rn_draft_close(cell, list[i].low, list[i].high);
        ends = true;
    }
    rn_draft_drop_narrow(world->columns, cell);
    for (int i = 0; i < cell->count; i++)
        if (cell->list[i].base >= 0.0f) set_partial_solid(world, list, count, &cell->list[i]);
    return ends;
}

/* A task over cells of the batch: makes their drafts from ground, solids and bodies. Notes cells where a body closes a
   range (rn_effective_note). */
static void draw_cells(void *context, int begin, int end, int worker) {
    const drafting *job = context;
    const int nx = job->world->ground.cells_x;
    (void)worker;
    for (int i = begin; i < end; i++) {
        const int x = job->cells[i] % nx, y = job->cells[i] / nx;
        rn_solids_draw(job->world, x, y, &job->drafts[i]);
        if (apply_bodies(job->world, x, y, &job->drafts[i])) rn_effective_note(job->world, x, y);
    }
}

/* Lists the indices (y * nx + x) of at most RN_DRAWN_TOGETHER cells whose solid has changed (all->stale), starting at
 *from, and moves *from past them. Returns their number, 0 at the end. */
static int list_stale(const rn_world *world, int32_t *from, int32_t *cells) {
    const rn_solids *all = &world->solids;
    const int32_t end = (int32_t)rn_cell_index(world, 0, all->stale_in.y1);
    int count = 0;
    while (count < RN_DRAWN_TOGETHER && *from < end) {
        const uint8_t *at = memchr(all->stale + *from, 1, (size_t)(end - *from));
        if (!at) *from = end;
        else *from = 1 + (cells[count++] = (int32_t)(at - all->stale));
    }
    return count;
}

/* Begins a new batch (world->solids.reshaping), drafts the columns of all stale cells and adds cells whose columns
   differ. The columns themselves stay as they are. On failure returns RN_LIMIT (a cell has too many layers) or
   RN_MEMORY, with a message. */
static rn_result collect_changes(rn_world *world) {
    rn_solids *all = &world->solids;
    const int nx = world->ground.cells_x;
    int32_t cells[RN_DRAWN_TOGETHER], from = (int32_t)rn_cell_index(world, 0, all->stale_in.y0);
    const drafting job = {world, cells, all->drafts};
    rn_reshape_begin(&all->reshaping);
    all->reshaping.shrink = rn_world_can(world, RN_CAN_SWEEP);
    for (int count; (count = list_stale(world, &from, cells)) > 0;) {
        rn_parallel_for(world->pool, count, draw_cells, (void *)&job);
        for (int i = 0; i < count; i++) {
            const int x = cells[i] % nx, y = cells[i] / nx;
            const rn_draft *cell = &job.drafts[i];
            const rn_result result =
                cell->full ? rn_draft_fail_full(world, x, y)
                           : rn_reshape_add(&all->reshaping, world->columns, x, y, cell->list, cell->count);
            if (result != RN_OK) return result;
        }
    }
    return RN_OK;
}

/* The number of columns among the `count` open ranges of a cell; a sink at the bottom does not count. */
static int count_columns(const rn_column_shape *ranges, int count) {
    return count > 0 && ranges[0].base < 0.0f ? count - 1 : count; /* a sink does not count */
}

void rn_solids_count(rn_world *world) {
    const rn_reshaping *r = &world->solids.reshaping;
    for (size_t i = 0; i < r->change_count; i++) {
        const rn_change *c = &r->changes[i];
        world->ground.columns +=
            count_columns(r->gaps + c->is, c->is_count) - count_columns(r->gaps + c->was, c->was_count);
    }
}

/* Enters the liquid (quanta) of the last batch of changes in the ledger: what left the world, what found no place, and
   what bodies newly hold back. Updates the number of columns. */
static void update_ledger(rn_world *world) {
    const rn_reshaping *r = &world->solids.reshaping;
    world->ledger.left += r->left;
    world->ledger.displaced += r->trapped;
    world->ledger.body_offset -= r->newly_held;
    rn_solids_count(world);
}

/* Creates the columns of stale cells, moves the liquid that was in them, and updates sources, ledger, the number of
   columns and bodies.squeezed. No cell is stale afterwards. On failure returns RN_LIMIT or RN_MEMORY, with a message;
   then all cells stay stale, and columns and liquid are unchanged. */
static rn_result remake_columns(rn_world *world) {
    rn_solids *all = &world->solids;
    rn_result result = collect_changes(world);
    if (result == RN_OK) result = rn_sources_make_room(world, rn_reshape_layers(&all->reshaping));
    if (result == RN_OK) result = world->solver->reshape(world->self, &all->reshaping);
    if (result != RN_OK) return result;
    for (int y = all->stale_in.y0; y < all->stale_in.y1; y++)
        memset(all->stale + rn_cell_index(world, all->stale_in.x0, y), 0,
               (size_t)(all->stale_in.x1 - all->stale_in.x0));
    all->stale_in = (rn_cells){0};
    rn_sources_follow(world, &all->reshaping);
    world->bodies.squeezed = all->reshaping.squeezed;
    update_ledger(world);
    return RN_OK;
}

rn_result rn_solids_apply(rn_world *world) {
    const rn_solids *all = &world->solids;
    rn_result result = rn_blocking_look(world);
    if (result != RN_OK || !all->ground) return result;
    rn_solids_mark_moved(world);
    const bool gives_back = all->reshaping.held_count > 0 && all->reshaping.give > 0.0;
    if (!rn_cells_empty(all->stale_in) || gives_back) result = remake_columns(world);
    if (result == RN_OK) rn_blocking_shut(world);
    return result;
}
