/* Solid that comes, moves and goes: from shapes and ground to the open ranges of changed cells. */
#include "base/error.h"
#include "base/maths.h"
#include "base/memory.h"
#include "terrain/terrain.h"
#include "world/world.h"

#include <string.h>

static rn_solid *solid_at(const rn_world *world, size_t i) { return &world->solids.list[i]; }

static rn_solid *find_solid(const rn_world *world, int number) {
    const rn_solids *all = &world->solids;
    if (number >= 0 && (size_t)number < all->count && solid_at(world, (size_t)number)->shape)
        return solid_at(world, (size_t)number);
    rn_fail(RN_INVALID, "there is no solid %d; %zu have been added", number, all->count);
    return NULL;
}

/* ---- Cells ----------------------------------------------------------------------------------------------- */

/* Of the cells along one side, those whose middles lie between low and high (m from the origin). */
static void range_within(double low, double high, double cell, int cells, int *first, int *end) {
    *first = (int)rn_clamp(ceil(low / cell - 0.5), 0.0, cells);
    *end = (int)rn_clamp(floor(high / cell - 0.5) + 1.0, 0.0, cells);
}

static rn_cells cells_under(const rn_world *world, const rn_sdf *shape) {
    const rn_terrain_info *g = &world->ground;
    const rn_box box = rn_sdf_bounds(shape);
    rn_cells cells;
    range_within(box.low.x - g->origin_x, box.high.x - g->origin_x, g->cell_size, g->cells_x, &cells.x0, &cells.x1);
    range_within(box.low.y - g->origin_y, box.high.y - g->origin_y, g->cell_size, g->cells_y, &cells.y0, &cells.y1);
    return cells;
}

static void make_stale(rn_world *world, rn_cells cells) {
    if (rn_cells_empty(cells)) return;
    rn_solids *all = &world->solids;
    for (int y = cells.y0; y < cells.y1; y++)
        memset(all->stale + rn_cell_index(world, cells.x0, y), 1, (size_t)(cells.x1 - cells.x0));
    all->stale_in = rn_cells_join(all->stale_in, cells);
}

/* Stale cells are drawn so many at a time, shared among threads. */
enum { DRAWN_TOGETHER = 512 };

/* ---- Open ranges of a cell --------------------------------------------------------------------------------- */

typedef struct rn_draft {
    rn_gap list[RN_MOST_LAYERS];
    int count;
    bool full; /* there would be more */
} gaps;

static void add_gap(gaps *to, float base, float ceil) {
    if (ceil <= base) return;
    if (to->count == RN_MOST_LAYERS) to->full = true;
    else to->list[to->count++] = (rn_gap){.base = base, .ceil = ceil};
}

/* Without the places that are not used: there are many. */
static void take_over(gaps *cell, const gaps *now) {
    memcpy(cell->list, now->list, (size_t)now->count * sizeof *now->list);
    cell->count = now->count;
    cell->full = now->full;
}

static void begin_gaps(gaps *cell, bool full) {
    cell->count = 0;
    cell->full = full;
}

/* Takes solid from low to high away from the open ranges. */
static void close_range(gaps *cell, float low, float high) {
    gaps now;
    begin_gaps(&now, cell->full);
    for (int i = 0; i < cell->count; i++) {
        const rn_gap gap = cell->list[i];
        if (low >= gap.ceil || high <= gap.base) {
            add_gap(&now, gap.base, gap.ceil);
            continue;
        }
        if (low > gap.base) add_gap(&now, gap.base, low);
        if (high < gap.ceil) add_gap(&now, high, gap.ceil);
    }
    take_over(cell, &now);
}

/* Adds a range to the open ones, and joins it with those that it meets. */
static void open_range(gaps *cell, float low, float high) {
    gaps now;
    begin_gaps(&now, cell->full);
    bool placed = false;
    for (int i = 0; i < cell->count; i++) {
        const rn_gap gap = cell->list[i];
        if (gap.ceil < low) {
            add_gap(&now, gap.base, gap.ceil);
        } else if (gap.base > high) {
            if (!placed) add_gap(&now, low, high);
            placed = true;
            add_gap(&now, gap.base, gap.ceil);
        } else {
            low = fminf(low, gap.base);
            high = fmaxf(high, gap.ceil);
        }
    }
    if (!placed) add_gap(&now, low, high);
    take_over(cell, &now);
}

/* Ranges without room count as solid; a sink needs room above the datum. */
static void drop_narrow(const rn_columns *s, gaps *cell) {
    int kept = 0;
    for (int i = 0; i < cell->count; i++) {
        const rn_gap gap = cell->list[i];
        const bool sink = gap.base < 0.0f; /* whatever lies below the datum lies outside the world */
        if (sink && gap.ceil > 0.0f) cell->list[kept++] = (rn_gap){.base = -2.0f * s->cell, .ceil = gap.ceil};
        if (!sink && gap.ceil - gap.base >= rn_least_gap(s)) cell->list[kept++] = gap;
    }
    cell->count = kept;
}

/* Fills or opens what a shape covers of a cell. Nothing is opened below the datum or above the lid. */
static void apply_shape(const rn_world *world, const rn_sdf *shape, bool carve, int x, int y, gaps *cell) {
    rn_interval spans[RN_MOST_SPANS];
    int count = rn_world_spans(world, shape, x, y, spans);
    for (int i = 0; i < count; i++) {
        float low = rn_world_quantise(world, spans[i].low), high = rn_world_quantise(world, spans[i].high);
        if (carve) open_range(cell, fmaxf(low, 0.0f), fminf(high, world->columns->lid));
        else close_range(cell, low, high);
    }
    drop_narrow(world->columns, cell);
}

/* ---- The ground ------------------------------------------------------------------------------------------------ */

static void ground_of(const rn_world *world, int x, int y, gaps *cell) {
    const rn_solids *all = &world->solids;
    const rn_range *from = all->ground + rn_cell_index(world, x, y) * (size_t)all->layers;
    begin_gaps(cell, false);
    for (int l = 0; l < all->layers && from[l].ceil > from[l].base; l++) add_gap(cell, from[l].base, from[l].ceil);
}

static rn_result grow_ground(rn_world *world, int layers) {
    rn_solids *all = &world->solids;
    const size_t cells = rn_cell_index(world, 0, world->ground.cells_y);
    rn_range *grown = rn_alloc(&world->hooks, cells * (size_t)layers, sizeof *grown);
    if (!grown) return RN_MEMORY;
    for (size_t i = 0; all->ground && i < cells; i++)
        memcpy(grown + i * (size_t)layers, all->ground + i * (size_t)all->layers, (size_t)all->layers * sizeof *grown);
    rn_free(&world->hooks, all->ground);
    all->ground = grown;
    all->layers = layers;
    return RN_OK;
}

static rn_result set_ground(rn_world *world, int x, int y, const gaps *cell) {
    rn_solids *all = &world->solids;
    if (cell->count > all->layers) {
        rn_result result = grow_ground(world, cell->count);
        if (result != RN_OK) return result;
    }
    rn_range *to = all->ground + rn_cell_index(world, x, y) * (size_t)all->layers;
    for (int l = 0; l < all->layers; l++) {
        const rn_gap *made = &cell->list[l];
        const rn_range now = l < cell->count ? (rn_range){made->base, made->ceil} : (rn_range){0.0f, 0.0f};
        if (now.base != to[l].base || now.ceil != to[l].ceil) all->altered = true;
        to[l] = now;
    }
    return RN_OK;
}

/* The columns as the world was made: the ground that all changes start from. */
rn_result rn_solids_keep_ground(rn_world *world) {
    rn_solids *all = &world->solids;
    const rn_columns *s = world->columns;
    if (all->ground) return RN_OK;
    if (rn_world_needs(world, RN_CAN_RESHAPE, "ground that changes") != RN_OK) return RN_INVALID;
    if (!all->stale) all->stale = rn_alloc(&world->hooks, rn_cell_index(world, 0, s->grid.ny), sizeof *all->stale);
    if (!all->drafts) all->drafts = rn_alloc(&world->hooks, DRAWN_TOGETHER, sizeof(gaps));
    if (!all->stale || !all->drafts) return RN_MEMORY;
    rn_result result = grow_ground(world, s->grid.layers);
    for (int y = 0; result == RN_OK && y < s->grid.ny; y++)
        for (int x = 0; x < s->grid.nx; x++)
            for (int l = 0; l < s->grid.layers; l++) {
                const int32_t slot = rn_slot(&s->grid, l, y, x);
                if (s->base[slot] >= RN_NO_COLUMN) break;
                all->ground[rn_cell_index(world, x, y) * (size_t)all->layers + (size_t)l] =
                    (rn_range){s->base[slot], s->ceil[slot]};
            }
    return result;
}

void rn_solids_touch(rn_world *world, int x, int y) { make_stale(world, (rn_cells){x, y, x + 1, y + 1}); }

rn_result rn_solids_keep(rn_world *world, int layers, size_t count) {
    rn_solids *all = &world->solids;
    rn_result result = layers > 0 ? rn_solids_keep_ground(world) : RN_OK;
    if (result == RN_OK && layers > all->layers) result = grow_ground(world, layers);
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
    if (all->drafts) bytes += DRAWN_TOGETHER * sizeof(gaps);
    return bytes + all->capacity * sizeof(rn_solid) + rn_reshape_bytes(&all->reshaping, cells);
}

void rn_solids_free(rn_world *world) {
    rn_solids *all = &world->solids;
    for (size_t i = 0; i < all->count; i++) rn_sdf_destroy(solid_at(world, i)->shape);
    rn_free(&world->hooks, all->list);
    rn_free(&world->hooks, all->ground);
    rn_free(&world->hooks, all->stale);
    rn_free(&world->hooks, all->drafts);
    rn_reshape_free(&all->reshaping, &world->hooks);
}

/* ---- What hosts ask for ------------------------------------------------------------------------------------------ */

static rn_result fail_full(const rn_world *world, int x, int y) {
    const rn_terrain_info *g = &world->ground;
    return rn_fail(RN_LIMIT, "at (%g, %g) m more than %d columns would lie above each other",
                   g->origin_x + (x + 0.5) * g->cell_size, g->origin_y + (y + 0.5) * g->cell_size, RN_MOST_LAYERS);
}

int rn_world_solid(rn_world *world, const rn_solid_def *def) {
    rn_solids *all = &world->solids;
    rn_solid solid = {.carve = def->carve, .hidden = def->hidden, .at = def->at, .turn = def->turn, .moved = true};
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

rn_result rn_world_move_solid(rn_world *world, int number, rn_vec3 at, rn_vec3 turn) {
    rn_solid *solid = find_solid(world, number);
    if (!solid || !rn_sdf_place(solid->shape, at, turn)) return RN_INVALID;
    solid->moved |= memcmp(&at, &solid->at, sizeof at) != 0 || memcmp(&turn, &solid->turn, sizeof turn) != 0;
    solid->at = at;
    solid->turn = turn;
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
    make_stale(world, solid->drawn);
    rn_sdf_destroy(solid->shape);
    *solid = (rn_solid){0};
    return RN_OK;
}

static rn_result sculpt_cells(rn_world *world, const rn_sdf *shape, bool carve) {
    const rn_cells cells = cells_under(world, shape);
    rn_result result = RN_OK;
    for (int y = cells.y0; y < cells.y1 && result == RN_OK; y++)
        for (int x = cells.x0; x < cells.x1 && result == RN_OK; x++) {
            gaps cell;
            ground_of(world, x, y, &cell);
            apply_shape(world, shape, carve, x, y, &cell);
            result = cell.full ? fail_full(world, x, y) : set_ground(world, x, y, &cell);
        }
    make_stale(world, cells);
    return result;
}

rn_result rn_world_sculpt(rn_world *world, const rn_sdf *shape, bool carve) {
    if (!shape && !rn_error_held()) return rn_fail(RN_INVALID, "there is no shape to sculpt with");
    if (!shape) return RN_INVALID;
    rn_result result = rn_solids_keep_ground(world);
    return result == RN_OK ? sculpt_cells(world, shape, carve) : result;
}

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
    rn_result result = check_ground(world, def);
    if (result == RN_OK) result = rn_solids_keep_ground(world);
    int most = 0;
    for (int i = 0; result == RN_OK && i < def->cells_x * def->cells_y; i++)
        most = def->columns_per_cell[i] >= most ? def->columns_per_cell[i] + 1 : most;
    if (result == RN_OK && most > world->solids.layers) result = grow_ground(world, most);
    const rn_column *list = def->columns;
    for (int i = 0; result == RN_OK && i < def->cells_x * def->cells_y; i++) {
        const int count = def->columns_per_cell[i];
        gaps cell;
        begin_gaps(&cell, false);
        if (count == 0 || isfinite(list[0].under))
            add_gap(&cell, -2.0f * world->columns->cell,
                    count ? rn_world_quantise(world, list[0].under) : world->columns->lid);
        for (int l = 0; l < count; l++)
            add_gap(&cell, rn_world_quantise(world, list[l].base), rn_world_quantise(world, list[l].ceil));
        drop_narrow(world->columns, &cell);
        result = set_ground(world, def->x + i % def->cells_x, def->y + i / def->cells_x, &cell);
        list += count;
    }
    if (result == RN_OK) make_stale(world, (rn_cells){def->x, def->y, def->x + def->cells_x, def->y + def->cells_y});
    return result;
}

/* ---- Carrying it out ----------------------------------------------------------------------------------------- */

static bool holds(rn_cells cells, int x, int y) {
    return x >= cells.x0 && x < cells.x1 && y >= cells.y0 && y < cells.y1;
}

static void mark_moved(rn_world *world) {
    for (size_t i = 0; i < world->solids.count; i++) {
        rn_solid *solid = solid_at(world, i);
        if (!solid->shape || !solid->moved) continue;
        make_stale(world, solid->drawn);
        solid->drawn = solid->hidden ? (rn_cells){0} : cells_under(world, solid->shape);
        make_stale(world, solid->drawn);
        solid->moved = false;
    }
}

typedef struct drafting {
    rn_world *world;
    const int32_t *cells;
    gaps *drafts; /* of each */
} drafting;

static void draw_cell(const rn_world *world, int x, int y, gaps *cell) {
    ground_of(world, x, y, cell);
    for (size_t i = 0; i < world->solids.count; i++) {
        const rn_solid *solid = solid_at(world, i);
        if (solid->shape && holds(solid->drawn, x, y)) apply_shape(world, solid->shape, solid->carve, x, y, cell);
    }
}

/* A part of the cell is solid between two heights: of each open range that it meets, one part holds all such. */
static void add_parts(const rn_world *world, const rn_stretch *list, int count, rn_gap *gap) {
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
    if (taken > 0.0) gap->part.taken = (float)(ceil(rn_min(taken, most) / world->quantum) * world->quantum);
    if (gap->part.taken >= gap->part.high - gap->part.low) gap->part = (rn_part){0}; /* a few quanta high */
}

/* What bodies cover of a cell: nearly all of it ends columns, less is a part of them. Whether it ends some. */
static bool apply_bodies(const rn_world *world, int x, int y, gaps *cell) {
    int count;
    const rn_stretch *list = rn_blocking_cell(world, x, y, &count);
    if (count == 0) return false;
    const float ground = cell->count > 0 ? fmaxf(cell->list[0].base, 0.0f) : 0.0f;
    bool ends = false;
    for (int i = 0; i < count; i++) {
        if (!(list[i].share > rn_blocking_sealed(world, list[i].low - ground))) continue;
        close_range(cell, list[i].low, list[i].high);
        ends = true;
    }
    drop_narrow(world->columns, cell);
    for (int i = 0; i < cell->count; i++)
        if (cell->list[i].base >= 0.0f) add_parts(world, list, count, &cell->list[i]);
    return ends;
}

int rn_solids_gaps(const rn_world *world, int x, int y, rn_range *list) {
    const rn_solids *all = &world->solids;
    if (!all->ground) return rn_columns_ranges(world->columns, x, y, list);
    bool plain = true;
    for (size_t i = 0; i < all->count && plain; i++) plain = !holds(solid_at(world, i)->drawn, x, y);
    int count = 0;
    if (plain) {
        const rn_range *from = all->ground + rn_cell_index(world, x, y) * (size_t)all->layers;
        for (; count < all->layers && from[count].ceil > from[count].base; count++) list[count] = from[count];
        return count;
    }
    gaps cell;
    draw_cell(world, x, y, &cell);
    for (; count < cell.count; count++) list[count] = (rn_range){cell.list[count].base, cell.list[count].ceil};
    return count;
}

static void draw_cells(void *context, int begin, int end, int worker) {
    const drafting *job = context;
    const int nx = job->world->ground.cells_x;
    (void)worker;
    for (int i = begin; i < end; i++) {
        const int x = job->cells[i] % nx, y = job->cells[i] / nx;
        draw_cell(job->world, x, y, &job->drafts[i]);
        if (apply_bodies(job->world, x, y, &job->drafts[i])) rn_effective_note(job->world, x, y);
    }
}

/* The next stale cells in order, from one on; how many. */
static int list_stale(const rn_world *world, int32_t *from, int32_t *cells) {
    const rn_solids *all = &world->solids;
    const int32_t end = (int32_t)rn_cell_index(world, 0, all->stale_in.y1);
    int count = 0;
    while (count < DRAWN_TOGETHER && *from < end) {
        const uint8_t *at = memchr(all->stale + *from, 1, (size_t)(end - *from));
        if (!at) *from = end;
        else *from = 1 + (cells[count++] = (int32_t)(at - all->stale));
    }
    return count;
}

static rn_result collect_changes(rn_world *world) {
    rn_solids *all = &world->solids;
    const int nx = world->ground.cells_x;
    int32_t cells[DRAWN_TOGETHER], from = (int32_t)rn_cell_index(world, 0, all->stale_in.y0);
    const drafting job = {world, cells, all->drafts};
    rn_reshape_begin(&all->reshaping);
    all->reshaping.patient = rn_world_can(world, RN_CAN_SWEEP);
    for (int count; (count = list_stale(world, &from, cells)) > 0;) {
        rn_parallel_for(world->pool, count, draw_cells, (void *)&job);
        for (int i = 0; i < count; i++) {
            const int x = cells[i] % nx, y = cells[i] / nx;
            const gaps *cell = &job.drafts[i];
            const rn_result result =
                cell->full ? fail_full(world, x, y)
                           : rn_reshape_add(&all->reshaping, world->columns, x, y, cell->list, cell->count);
            if (result != RN_OK) return result;
        }
    }
    return RN_OK;
}

static int columns_in(const rn_gap *ranges, int count) {
    return count > 0 && ranges[0].base < 0.0f ? count - 1 : count; /* a sink is none */
}

void rn_solids_count(rn_world *world) {
    const rn_reshaping *r = &world->solids.reshaping;
    for (size_t i = 0; i < r->change_count; i++) {
        const rn_change *c = &r->changes[i];
        world->ground.columns += columns_in(r->gaps + c->is, c->is_count) - columns_in(r->gaps + c->was, c->was_count);
    }
}

static void take_stock(rn_world *world) {
    const rn_reshaping *r = &world->solids.reshaping;
    world->ledger.left += r->left;
    world->ledger.displaced += r->trapped;
    world->ledger.lent -= r->withheld;
    rn_solids_count(world);
}

rn_result rn_solids_apply(rn_world *world) {
    rn_solids *all = &world->solids;
    rn_result result = rn_blocking_look(world);
    if (result != RN_OK || !all->ground) return result;
    mark_moved(world);
    if (rn_cells_empty(all->stale_in) && !(all->reshaping.held_count > 0 && all->reshaping.give > 0.0)) {
        rn_blocking_shut(world);
        return RN_OK;
    }
    result = collect_changes(world);
    if (result == RN_OK) result = rn_sources_make_room(world, rn_reshape_layers(&all->reshaping));
    if (result == RN_OK) result = world->solver->reshape(world->self, &all->reshaping);
    if (result != RN_OK) return result;
    for (int y = all->stale_in.y0; y < all->stale_in.y1; y++)
        memset(all->stale + rn_cell_index(world, all->stale_in.x0, y), 0,
               (size_t)(all->stale_in.x1 - all->stale_in.x0));
    all->stale_in = (rn_cells){0};
    rn_sources_follow(world, &all->reshaping);
    world->bodies.squeezed = all->reshaping.squeezed;
    rn_blocking_shut(world);
    take_stock(world);
    return RN_OK;
}
