/* The ground: the open ranges of every cell without solids and bodies, and the cells whose columns must be made
   again.

   Interface (world/ground.h): rn_draft_... for the open ranges of one cell, rn_ground_... and rn_solids_keep_ground
   for the stored ground, rn_ground_make_stale and rn_solids_touch for stale cells.

   Order of calls: rn_solids_keep_ground must run before anything is marked as stale; world/solids.c and
   world/blocking.c call it when the first solid, change of the ground or blocking body appears. Until then no ground
   is stored, and worlds without moving solid pay nothing. Later world/solids.c draws cells from the ground, and
   world/apply.c makes the columns of stale cells.

   A draft is the list of open ranges of one cell while it is changed: rn_draft_open adds a range, rn_draft_close
   fills heights with solid, and rn_draft_drop_narrow removes ranges too low for liquid. Drafts have a fixed capacity
   and live on the stack or in one shared array; too many ranges only set `full`, and the caller reports it. A range
   that begins below the datum is a sink, through which liquid leaves the world. */
#include "world/ground.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

/* ---- Open ranges of a cell --------------------------------------------------------------------------------- */

void rn_draft_add(rn_draft *to, float base, float ceil) {
    if (ceil <= base) return;
    if (to->count == RN_MOST_LAYERS) to->full = true;
    else to->list[to->count++] = (rn_column_shape){.base = base, .ceil = ceil};
}

/* Copies draft `now` over `cell`, only the used ranges: most are unused. */
static void copy_draft(rn_draft *cell, const rn_draft *now) {
    memcpy(cell->list, now->list, (size_t)now->count * sizeof *now->list);
    cell->count = now->count;
    cell->full = now->full;
}

void rn_draft_begin(rn_draft *cell, bool full) {
    cell->count = 0;
    cell->full = full;
}

void rn_draft_close(rn_draft *cell, float low, float high) {
    rn_draft now;
    rn_draft_begin(&now, cell->full);
    for (int i = 0; i < cell->count; i++) {
        const rn_column_shape gap = cell->list[i];
        if (low >= gap.ceil || high <= gap.base) {
            rn_draft_add(&now, gap.base, gap.ceil);
            continue;
        }
        if (low > gap.base) rn_draft_add(&now, gap.base, low);
        if (high < gap.ceil) rn_draft_add(&now, high, gap.ceil);
    }
    copy_draft(cell, &now);
}

void rn_draft_open(rn_draft *cell, float low, float high) {
    rn_draft now;
    rn_draft_begin(&now, cell->full);
    bool placed = false;
    for (int i = 0; i < cell->count; i++) {
        const rn_column_shape gap = cell->list[i];
        if (gap.ceil < low) {
            rn_draft_add(&now, gap.base, gap.ceil);
        } else if (gap.base > high) {
            if (!placed) rn_draft_add(&now, low, high);
            placed = true;
            rn_draft_add(&now, gap.base, gap.ceil);
        } else {
            low = fminf(low, gap.base);
            high = fmaxf(high, gap.ceil);
        }
    }
    if (!placed) rn_draft_add(&now, low, high);
    copy_draft(cell, &now);
}

void rn_draft_drop_narrow(const rn_columns *s, rn_draft *cell) {
    int kept = 0;
    for (int i = 0; i < cell->count; i++) {
        const rn_column_shape gap = cell->list[i];
        const bool sink = gap.base < 0.0f; /* everything below the datum is outside the world */
        if (sink && gap.ceil > 0.0f) cell->list[kept++] = (rn_column_shape){.base = -2.0f * s->cell, .ceil = gap.ceil};
        if (!sink && gap.ceil - gap.base >= rn_least_opening(s)) cell->list[kept++] = gap;
    }
    cell->count = kept;
}

rn_result rn_draft_fail_full(const rn_world *world, int x, int y) {
    const rn_terrain_info *g = &world->ground;
    return rn_fail(RN_LIMIT, "at (%g, %g) m more than %d columns would lie above each other",
                   g->origin_x + (x + 0.5) * g->cell_size, g->origin_y + (y + 0.5) * g->cell_size, RN_MOST_LAYERS);
}

/* ---- The ground ------------------------------------------------------------------------------------------------ */

void rn_ground_of(const rn_world *world, int x, int y, rn_draft *cell) {
    const rn_solids *all = &world->solids;
    const rn_column_range *from = all->ground + rn_cell_index(world, x, y) * (size_t)all->layers;
    rn_draft_begin(cell, false);
    for (int l = 0; l < all->layers && from[l].ceil > from[l].base; l++) rn_draft_add(cell, from[l].base, from[l].ceil);
}

rn_result rn_ground_grow(rn_world *world, int layers) {
    rn_solids *all = &world->solids;
    const size_t cells = rn_cell_index(world, 0, world->ground.cells_y);
    rn_column_range *grown = rn_alloc(&world->hooks, cells * (size_t)layers, sizeof *grown);
    if (!grown) return RN_MEMORY;
    for (size_t i = 0; all->ground && i < cells; i++)
        memcpy(grown + i * (size_t)layers, all->ground + i * (size_t)all->layers, (size_t)all->layers * sizeof *grown);
    rn_free(&world->hooks, all->ground);
    all->ground = grown;
    all->layers = layers;
    return RN_OK;
}

rn_result rn_ground_set(rn_world *world, int x, int y, const rn_draft *cell) {
    rn_solids *all = &world->solids;
    if (cell->count > all->layers) {
        rn_result result = rn_ground_grow(world, cell->count);
        if (result != RN_OK) return result;
    }
    rn_column_range *to = all->ground + rn_cell_index(world, x, y) * (size_t)all->layers;
    for (int l = 0; l < all->layers; l++) {
        const rn_column_shape *made = &cell->list[l];
        const rn_column_range now =
            l < cell->count ? (rn_column_range){made->base, made->ceil} : (rn_column_range){0.0f, 0.0f};
        if (now.base != to[l].base || now.ceil != to[l].ceil) all->altered = true;
        to[l] = now;
    }
    return RN_OK;
}

rn_result rn_solids_keep_ground(rn_world *world) {
    rn_solids *all = &world->solids;
    const rn_columns *s = world->columns;
    if (all->ground) return RN_OK;
    if (rn_world_needs(world, RN_CAN_RESHAPE, "ground that changes") != RN_OK) return RN_INVALID;
    if (!all->stale) all->stale = rn_alloc(&world->hooks, rn_cell_index(world, 0, s->grid.ny), sizeof *all->stale);
    if (!all->drafts) all->drafts = rn_alloc(&world->hooks, RN_DRAWN_TOGETHER, sizeof(rn_draft));
    if (!all->stale || !all->drafts) return RN_MEMORY;
    rn_result result = rn_ground_grow(world, s->grid.layers);
    for (int y = 0; result == RN_OK && y < s->grid.ny; y++)
        for (int x = 0; x < s->grid.nx; x++)
            for (int l = 0; l < s->grid.layers; l++) {
                const int32_t slot = rn_slot(&s->grid, l, y, x);
                if (s->base[slot] >= RN_NO_COLUMN) break;
                all->ground[rn_cell_index(world, x, y) * (size_t)all->layers + (size_t)l] =
                    (rn_column_range){s->base[slot], s->ceil[slot]};
            }
    return result;
}

/* ---- Stale cells ------------------------------------------------------------------------------------------------- */

void rn_ground_make_stale(rn_world *world, rn_cells cells) {
    if (rn_cells_empty(cells)) return;
    rn_solids *all = &world->solids;
    for (int y = cells.y0; y < cells.y1; y++)
        memset(all->stale + rn_cell_index(world, cells.x0, y), 1, (size_t)(cells.x1 - cells.x0));
    all->stale_in = rn_cells_join(all->stale_in, cells);
}

void rn_solids_touch(rn_world *world, int x, int y) { rn_ground_make_stale(world, (rn_cells){x, y, x + 1, y + 1}); }
