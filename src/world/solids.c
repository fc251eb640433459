/* Solids: shapes that hosts add, move, deform, show, hide and remove, and changes of the ground itself.

   Interface: rn_world_add_solid, move, deform, show, remove and has, rn_world_sculpt and rn_world_set_ground
   (include/runnel/world.h) for hosts; rn_solids_mark_moved, rn_solids_draw, rn_solids_gaps, rn_solids_keep, bytes and
   free (world/solids.h) for the world.

   Order of calls: hosts change solids between steps, which only moves the shape and sets `moved`. rn_solids_apply
   (world/apply.c) then calls rn_solids_mark_moved, which marks the cells that a shape has left and entered as stale,
   and rn_solids_draw for each stale cell. rn_solids_gaps gives the same ranges without bodies at any time, for
   drawing and for the effective surface.

   rn_solids_draw gives the open ranges of one cell: those of the ground, with solids filled in or carved out in the
   order in which they were added. A shape is sampled along the vertical line through the centre of a cell, so at each
   height a solid covers a cell wholly or not at all. rn_world_sculpt and rn_world_set_ground change the stored ground
   (world/ground.c) permanently. */
#include "world/solids.h"

#include "base/error.h"
#include "base/maths.h"
#include "base/memory.h"
#include "base/quat.h"
#include "terrain/terrain.h"
#include "world/ground.h"

#include <string.h>

/* Solid i, below the count; removed ones have no shape. */
static rn_solid *solid_at(const rn_world *world, size_t i) { return &world->solids.list[i]; }

bool rn_world_has_solid(const rn_world *world, int number) {
    return number >= 0 && (size_t)number < world->solids.count && solid_at(world, (size_t)number)->shape;
}

/* The solid with this number, or NULL, with an error text, if it does not exist or was removed. */
static rn_solid *find_solid(const rn_world *world, int number) {
    if (rn_world_has_solid(world, number)) return solid_at(world, (size_t)number);
    rn_fail(RN_INVALID, "there is no solid %d; %zu have been added", number, world->solids.count);
    return NULL;
}

/* ---- Cells ----------------------------------------------------------------------------------------------- */

/* Finds the cells along one axis, from *first up to, not including, *end, whose centres lie between low and high (m
   from the origin), clamped to the `cells` cells there are; none if *end <= *first. */
static void find_cells_between(double low, double high, double cell, int cells, int *first, int *end) {
    *first = (int)rn_clamp(ceil(low / cell - 0.5), 0.0, cells);
    *end = (int)rn_clamp(floor(high / cell - 0.5) + 1.0, 0.0, cells);
}

/* The rectangle of cells whose centres lie within the bounding box of a shape, seen from above; may be empty. */
static rn_cells cells_under(const rn_world *world, const rn_sdf *shape) {
    const rn_terrain_info *g = &world->ground;
    const rn_box box = rn_sdf_bounds(shape);
    rn_cells cells;
    find_cells_between(box.low.x - g->origin_x, box.high.x - g->origin_x, g->cell_size, g->cells_x, &cells.x0,
                       &cells.x1);
    find_cells_between(box.low.y - g->origin_y, box.high.y - g->origin_y, g->cell_size, g->cells_y, &cells.y0,
                       &cells.y1);
    return cells;
}

/* Fills the heights of a draft that a shape covers over the cell's centre, or with `carve` opens them; then drops
   ranges too low for liquid. Nothing is opened below the datum or above the lid. */
static void apply_shape(const rn_world *world, const rn_sdf *shape, bool carve, int x, int y, rn_draft *cell) {
    rn_interval spans[RN_MOST_SPANS];
    int count = rn_world_spans(world, shape, x, y, spans);
    for (int i = 0; i < count; i++) {
        float low = rn_world_quantise(world, spans[i].low), high = rn_world_quantise(world, spans[i].high);
        if (carve) rn_draft_open(cell, fmaxf(low, 0.0f), fminf(high, world->columns->lid));
        else rn_draft_close(cell, low, high);
    }
    rn_draft_drop_narrow(world->columns, cell);
}

rn_result rn_solids_keep(rn_world *world, int layers, size_t count) {
    rn_solids *all = &world->solids;
    rn_result result = layers > 0 ? rn_solids_keep_ground(world) : RN_OK;
    if (result == RN_OK && layers > all->layers) result = rn_ground_grow(world, layers);
    if (result != RN_OK) return result;
    for (; all->count > count; all->count--) rn_sdf_destroy(solid_at(world, all->count - 1)->shape);
    if (all->stale) memset(all->stale, 0, rn_cell_index(world, 0, world->ground.cells_y));
    all->stale_in = (rn_cells){0};
    if (layers == 0) {
        rn_free(&world->hooks, all->ground);
        all->ground = NULL;
    }
    all->layers = layers;
    return RN_OK;
}

size_t rn_solids_bytes(const rn_world *world) {
    const rn_solids *all = &world->solids;
    const size_t cells = rn_cell_index(world, 0, world->ground.cells_y);
    size_t bytes = all->ground ? cells * ((size_t)all->layers * sizeof *all->ground + sizeof *all->stale) : 0;
    if (all->drafts) bytes += RN_DRAWN_TOGETHER * sizeof(rn_draft);
    return bytes + all->capacity * sizeof(rn_solid) + rn_reshape_bytes(&all->reshaping, cells);
}

void rn_solids_free(rn_world *world) {
    rn_solids *all = &world->solids;
    for (size_t i = 0; i < all->count; i++) rn_sdf_destroy(solid_at(world, i)->shape);
    rn_free(&world->hooks, all->list);
    rn_free(&world->hooks, all->ground);
    rn_free(&world->hooks, all->stale);
    rn_free(&world->hooks, all->drafts);
    /* its lists grow with the hooks of the columns: with a GPU, those are not the hooks of the world */
    if (world->columns) rn_reshape_free(&all->reshaping, &world->columns->hooks);
}

/* ---- Public functions -------------------------------------------------------------------------------------------- */

int rn_world_add_solid(rn_world *world, const rn_solid_def *def) {
    rn_solids *all = &world->solids;
    rn_solid solid = {
        .carve = def->carve, .hidden = def->hidden, .at = def->at, .turn = rn_quat_unit(def->turn), .moved = true};
    if (!def->shape && !rn_error_held()) rn_fail(RN_INVALID, "the solid has no shape");
    solid.shape = rn_sdf_mount(def->shape);
    if (solid.shape && rn_sdf_place(solid.shape, def->at, def->turn) && rn_solids_keep_ground(world) == RN_OK &&
        rn_grow(&world->hooks, &all->list, &all->capacity, all->count, sizeof solid)) {
        all->list[all->count] = solid;
        return (int)all->count++;
    }
    rn_sdf_destroy(solid.shape);
    return -1;
}

rn_result rn_world_move_solid(rn_world *world, int number, rn_vec3 at, rn_quat turn) {
    rn_solid *solid = find_solid(world, number);
    if (!solid || !rn_sdf_place(solid->shape, at, turn)) return RN_INVALID;
    const rn_quat unit = rn_quat_unit(turn);
    solid->moved |= memcmp(&at, &solid->at, sizeof at) != 0 || memcmp(&unit, &solid->turn, sizeof unit) != 0;
    solid->at = at;
    solid->turn = unit;
    return RN_OK;
}

rn_result rn_world_deform_solid(rn_world *world, int number, const float *positions, size_t vertex_count) {
    rn_solid *solid = find_solid(world, number);
    const rn_result result = solid ? rn_sdf_bend(solid->shape, positions, vertex_count) : RN_INVALID;
    if (result != RN_OK) return result;
    solid->moved = true;
    solid->bends++;
    return RN_OK;
}

rn_result rn_world_show_solid(rn_world *world, int number, bool shown) {
    rn_solid *solid = find_solid(world, number);
    if (!solid) return RN_INVALID;
    solid->moved |= solid->hidden == shown;
    solid->hidden = !shown;
    return RN_OK;
}

rn_result rn_world_remove_solid(rn_world *world, int number) {
    rn_solid *solid = find_solid(world, number);
    if (!solid) return RN_INVALID;
    rn_ground_make_stale(world, solid->drawn);
    rn_sdf_destroy(solid->shape);
    *solid = (rn_solid){0};
    return RN_OK;
}

/* Fills, or with `carve` opens, the stored ground of all cells under a shape, and marks them as stale. On failure
   returns RN_LIMIT (too many columns in a cell) or RN_MEMORY, with a message; then cells before that one have been
   changed. */
static rn_result sculpt_cells(rn_world *world, const rn_sdf *shape, bool carve) {
    const rn_cells cells = cells_under(world, shape);
    rn_result result = RN_OK;
    for (int y = cells.y0; y < cells.y1 && result == RN_OK; y++)
        for (int x = cells.x0; x < cells.x1 && result == RN_OK; x++) {
            rn_draft cell;
            rn_ground_of(world, x, y, &cell);
            apply_shape(world, shape, carve, x, y, &cell);
            result = cell.full ? rn_draft_fail_full(world, x, y) : rn_ground_set(world, x, y, &cell);
        }
    rn_ground_make_stale(world, cells);
    return result;
}

rn_result rn_world_sculpt(rn_world *world, const rn_sdf *shape, bool carve) {
    if (!shape && !rn_error_held()) return rn_fail(RN_INVALID, "there is no shape to sculpt with");
    if (!shape) return RN_INVALID;
    rn_result result = world->mac ? rn_world_needs(world, 0, "ground that is sculpted") : rn_solids_keep_ground(world);
    return result == RN_OK ? sculpt_cells(world, shape, carve) : result;
}

/* Returns RN_INVALID, with a message, unless all cells lie in the world, have fewer than RN_MOST_LAYERS columns each,
   and these are in order, between the datum and the lid. The length of the arrays cannot be checked. */
static rn_result check_ground(const rn_world *world, const rn_ground_def *def) {
    const rn_terrain_info *g = &world->ground;
    if (!def->columns || !def->columns_per_cell) return rn_fail(RN_INVALID, "the ground has no columns or no counts");
    if (def->x < 0 || def->y < 0 || def->cells_x < 1 || def->cells_y < 1 || def->cells_x > g->cells_x - def->x ||
        def->cells_y > g->cells_y - def->y)
        return rn_fail(RN_INVALID, "%d x %d cells from (%d, %d) do not lie within the %d x %d of the world",
                       def->cells_x, def->cells_y, def->x, def->y, g->cells_x, g->cells_y);
    const rn_column *list = def->columns;
    for (int i = 0; i < def->cells_x * def->cells_y; i++) {
        const int x = def->x + i % def->cells_x, y = def->y + i / def->cells_x, count = def->columns_per_cell[i];
        if (count < 0 || count >= RN_MOST_LAYERS)
            return rn_fail(RN_INVALID, "cell (%d, %d) has %d columns; it must have 0 to %d", x, y, count,
                           RN_MOST_LAYERS - 1);
        for (int l = 0; l < count; l++) {
            rn_result result = rn_column_check(list, l, x, y, g->lid);
            if (result != RN_OK) return result;
            if (list[l].base < world->datum - 0.5 * world->quantum)
                return rn_fail(RN_INVALID,
                               "column %d of cell (%d, %d) has its base at %g m, below the lowest that may be dug, "
                               "%g m; enlarge rn_world_def.dig",
                               l, x, y, list[l].base, world->datum);
        }
        list += count;
    }
    return RN_OK;
}

rn_result rn_world_set_ground(rn_world *world, const rn_ground_def *def) {
    rn_result result = world->mac ? rn_world_needs(world, 0, "ground that the host sets") : check_ground(world, def);
    if (result == RN_OK) result = rn_solids_keep_ground(world);
    int most = 0;
    for (int i = 0; result == RN_OK && i < def->cells_x * def->cells_y; i++)
        most = def->columns_per_cell[i] >= most ? def->columns_per_cell[i] + 1 : most;
    if (result == RN_OK && most > world->solids.layers) result = rn_ground_grow(world, most);
    const rn_column *list = def->columns;
    for (int i = 0; result == RN_OK && i < def->cells_x * def->cells_y; i++) {
        const int count = def->columns_per_cell[i];
        rn_draft cell;
        rn_draft_begin(&cell, false);
        if (count == 0 || isfinite(list[0].under))
            rn_draft_add(&cell, -2.0f * world->columns->cell,
                         count ? rn_world_quantise(world, list[0].under) : world->columns->lid);
        for (int l = 0; l < count; l++)
            rn_draft_add(&cell, rn_world_quantise(world, list[l].base), rn_world_quantise(world, list[l].ceil));
        rn_draft_drop_narrow(world->columns, &cell);
        result = rn_ground_set(world, def->x + i % def->cells_x, def->y + i / def->cells_x, &cell);
        list += count;
    }
    if (result == RN_OK)
        rn_ground_make_stale(world, (rn_cells){def->x, def->y, def->x + def->cells_x, def->y + def->cells_y});
    return result;
}

/* ---- Ground and shapes together ------------------------------------------------------------------------------ */

/* Whether a rectangle contains a cell. */
static bool contains_cell(rn_cells cells, int x, int y) {
    return x >= cells.x0 && x < cells.x1 && y >= cells.y0 && y < cells.y1;
}

void rn_solids_mark_moved(rn_world *world) {
    for (size_t i = 0; i < world->solids.count; i++) {
        rn_solid *solid = solid_at(world, i);
        if (!solid->shape || !solid->moved) continue;
        rn_ground_make_stale(world, solid->drawn);
        solid->drawn = solid->hidden ? (rn_cells){0} : cells_under(world, solid->shape);
        rn_ground_make_stale(world, solid->drawn);
        solid->moved = false;
    }
}

void rn_solids_draw(const rn_world *world, int x, int y, rn_draft *cell) {
    rn_ground_of(world, x, y, cell);
    for (size_t i = 0; i < world->solids.count; i++) {
        const rn_solid *solid = solid_at(world, i);
        if (solid->shape && contains_cell(solid->drawn, x, y))
            apply_shape(world, solid->shape, solid->carve, x, y, cell);
    }
}

int rn_solids_gaps(const rn_world *world, int x, int y, rn_column_range *list) {
    const rn_solids *all = &world->solids;
    if (!all->ground) return rn_columns_ranges(world->columns, x, y, list);
    bool plain = true;
    for (size_t i = 0; i < all->count && plain; i++) plain = !contains_cell(solid_at(world, i)->drawn, x, y);
    int count = 0;
    if (plain) {
        const rn_column_range *from = all->ground + rn_cell_index(world, x, y) * (size_t)all->layers;
        for (; count < all->layers && from[count].ceil > from[count].base; count++) list[count] = from[count];
        return count;
    }
    rn_draft cell;
    rn_solids_draw(world, x, y, &cell);
    for (; count < cell.count; count++) list[count] = (rn_column_range){cell.list[count].base, cell.list[count].ceil};
    return count;
}
