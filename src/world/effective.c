/* The effective surface (Kellomaki 2014, section 3.6): the level and flow that the liquid would have if no body
   pushed it down. Bodies float on it.

   Interface: world/effective.h, and rn_bodies_effective_level (include/runnel/bodies.h) for hosts. Order of calls:
   - rn_effective_fit makes room for the planes, when a body is added and at the end of a step;
   - rn_effective_note stores a cell before a body closes it (world/apply.c), so that spreading starts from what was
     there;
   - rn_effective_step spreads levels under bodies, once per frame (world/settle.c);
   - rn_effective_gather copies the part around a body into a window that bodies/forces.c works on, and
     rn_effective_flow adds the flow to the window.

   In open cells the effective surface is the liquid itself. In cells that bodies cover, rn_effective_step moves it
   towards the mean of its neighbours (Eq. 3), half of the way in SPREAD_HALF, 0.02 s. All cells are updated from the
   previous values, so that no direction is favoured. Cells that a body has just entered take the level of their
   neighbours at once. There is one plane for each open range of the ground in a cell, the highest first: a bridge and
   the river below it have different levels. Stored values are up to date only where bodies block. */
#include "world/effective.h"

#include "base/maths.h"
#include "base/memory.h"
#include "world/pose.h"
#include "world/solids.h"

#include <string.h>

#define SPREAD_HALF                                                                                                    \
    0.02 /* s, time in which a cell under a body moves half of the way to its neighbours: the paper's kappa */
#define LN2 0.693147180559945309417
enum { MOST_AT_ONCE = 32 }; /* cells over which a level spreads in one step under a body that has none yet */

/* ---- One open range of a cell's ground --------------------------------------------------------------------------- */

typedef struct pool {
    float base;   /* m above the datum, of the ground */
    float level;  /* m above the datum; NAN: dry */
    int32_t slot; /* of the liquid that has this level or is held below it; -1: none */
    bool carried; /* the level comes from the neighbours, because a body is in the way */
    bool covered; /* a body is here */
    bool parted;  /* a body fills a part of the column */
    size_t index; /* index into the planes */
} pool;

/* Finds the surface of the liquid in an open range of a cell; sets all of *it but the index. told: the level (m above
   the datum) that the neighbours suggest; NAN: they are dry. Liquid under a body that is lower than that is pushed
   down, or about to rise, and the level is `told`, as in a range without columns, which a body fills; liquid on top of
   a body that is higher is a puddle, and skipped. Films too thin to count are dry: a film on a shore says nothing about
   the lake. */
static void find_surface(const rn_world *world, int x, int y, const rn_column_range *gap, float told, pool *it) {
    const rn_columns *s = world->columns;
    it->base = gap->base;
    it->level = told;
    it->slot = -1;
    it->carried = it->covered = true;
    it->parted = false;
    for (int l = s->grid.layers - 1; l >= 0; l--) {
        const int32_t slot = rn_slot(&s->grid, l, y, x);
        const float base = s->base[slot], ceil = s->ceil[slot];
        if (base >= RN_NO_COLUMN || base < gap->base || ceil > gap->ceil) continue;
        const bool wet = s->depth[slot] > world->film, grounded = base == gap->base, open = ceil == gap->ceil;
        it->covered = !(grounded && open);
        if (!wet && !grounded) continue;
        if (open && !grounded && told <= base) continue; /* a puddle on top of a body */
        if (wet) it->slot = slot;
        it->parted = rn_column_is_partial(s, slot);
        it->carried = !open && told > ceil;
        if (!it->carried) it->level = wet ? rn_column_level(s, slot) : NAN;
        return;
    }
}

/* Finds the surface of the liquid in an open range of a cell, starting from the level stored for the cell in this plane
   (NAN if there have never been bodies); sets all of *it. */
static void find_stored_surface(const rn_world *world, int x, int y, const rn_column_range *gap, int plane, pool *it) {
    const rn_bodies *all = &world->bodies;
    it->index = (size_t)plane * rn_cell_index(world, 0, world->columns->grid.ny) + rn_cell_index(world, x, y);
    find_surface(world, x, y, gap, all->planes > 0 ? all->effective[it->index] : NAN, it);
}

/* Finds the range of a cell that overlaps most with the heights from low to high (m above the datum), or is nearest if
   none overlaps, the higher one of two equals. Returns false if the cell is a hole or solid. Ranges below the last
   plane share it. */
static bool find_pool(const rn_world *world, int x, int y, double low, double high, pool *found) {
    rn_column_range gaps[RN_MOST_LAYERS];
    const int count = rn_solids_gaps(world, x, y, gaps), planes = world->bodies.planes;
    int best = -1;
    double most = 0.0;
    for (int i = 0; i < count; i++) {
        if (gaps[i].base < 0.0f) continue; /* a sink */
        const double common = rn_min(high, gaps[i].ceil) - rn_max(low, gaps[i].base);
        if (best >= 0 && common < most) continue;
        best = i;
        most = common;
    }
    if (best < 0) return false;
    find_stored_surface(world, x, y, &gaps[best], count - 1 - best < planes ? count - 1 - best : planes - 1, found);
    return true;
}

/* Whether the flow of the column itself counts: no body is in the range. Beside a body, and in gaps that it leaves, the
   body changes the flow; the flow without the body is wanted. */
static bool has_own_flow(const pool *it) { return !it->carried && !it->covered && !it->parted; }

/* Writes the flow (m/s along x and y) that a range would have without bodies: that of its column, or the one stored
   under bodies; 0 if dry. */
static void read_range_flow(const rn_world *world, const pool *it, float flow[2]) {
    if (!has_own_flow(it)) {
        memcpy(flow, world->bodies.flow + 2 * it->index, 2 * sizeof *flow);
        return;
    }
    double own[2] = {0};
    if (it->slot >= 0) rn_world_column_flow(world, it->slot, own);
    flow[0] = (float)own[0];
    flow[1] = (float)own[1];
}

/* ---- Memory ---------------------------------------------------------------------------------------------------- */

rn_result rn_effective_fit(rn_world *world, int least) {
    rn_bodies *all = &world->bodies;
    const int layers = world->solids.ground ? world->solids.layers : world->columns->grid.layers;
    const int needed = layers > least ? layers : least;
    if (needed <= all->planes) return RN_OK;
    const size_t cells = rn_cell_index(world, 0, world->columns->grid.ny), had = (size_t)all->planes * cells,
                 has = (size_t)needed * cells;
    float *levels = rn_alloc(&world->hooks, has, sizeof *levels),
          *flow = rn_alloc(&world->hooks, has, 2 * sizeof *flow);
    if (!levels || !flow) {
        rn_free(&world->hooks, levels);
        rn_free(&world->hooks, flow);
        return RN_MEMORY;
    }
    if (had > 0) {
        memcpy(levels, all->effective, had * sizeof *levels);
        memcpy(flow, all->flow, had * 2 * sizeof *flow);
    }
    for (size_t i = had; i < has; i++) levels[i] = NAN;
    rn_free(&world->hooks, all->effective);
    rn_free(&world->hooks, all->flow);
    all->effective = levels;
    all->flow = flow;
    all->planes = needed;
    return RN_OK;
}

/* ---- Spreading under bodies ------------------------------------------------------------------------------------ */

void rn_effective_note(rn_world *world, int x, int y) {
    rn_bodies *all = &world->bodies;
    rn_column_range gaps[RN_MOST_LAYERS];
    const int count = all->planes > 0 ? rn_solids_gaps(world, x, y, gaps) : 0;
    for (int i = count - 1; i >= 0 && count - 1 - i < all->planes; i--) {
        pool it;
        if (gaps[i].base < 0.0f) continue; /* a sink */
        find_stored_surface(world, x, y, &gaps[i], count - 1 - i, &it);
        if (it.covered) continue;
        all->effective[it.index] = it.level;
        read_range_flow(world, &it, all->flow + 2 * it.index);
    }
}

typedef struct carrying {
    rn_world *world;
    double share; /* of the way to the mean of its neighbours that a cell moves */
} carrying;

/* A range with a body in it, and its next values. */
typedef struct rn_pushed_cell {
    int x, y;
    rn_column_range gap;
    size_t index;
    float level, flow[2];
} pushed_cell;

/* Entry i of scratch->pushed, below its count. */
static pushed_cell *pushed_at(const rn_body_scratch *scratch, size_t i) { return scratch->pushed + i; }

/* Adds the ranges of a cell that a body is in to list->pushed. Returns false, with a message, if memory runs out. */
static bool list_cell(const rn_world *world, int x, int y, rn_body_scratch *list) {
    rn_column_range gaps[RN_MOST_LAYERS];
    const int count = rn_solids_gaps(world, x, y, gaps);
    for (int i = count - 1; i >= 0 && count - 1 - i < world->bodies.planes; i--) {
        pool it;
        if (gaps[i].base < 0.0f) continue;
        find_stored_surface(world, x, y, &gaps[i], count - 1 - i, &it);
        if (!it.covered && !it.parted) continue;
        if (!rn_grow(NULL, &list->pushed, &list->pushed_capacity, list->pushed_count, sizeof(pushed_cell)))
            return false;
        *pushed_at(list, list->pushed_count++) = (pushed_cell){.x = x, .y = y, .gap = gaps[i], .index = it.index};
    }
    return true;
}

/* A task over bodies: lists the ranges that blocking ones are in, or in a cell beside them, in the worker's scratch. A
   cell between two bodies may be listed twice, which makes no difference. Stops early if memory runs out. */
static void list_pushed(void *context, int begin, int end, int worker) {
    const rn_world *world = ((const carrying *)context)->world;
    for (int i = begin; i < end; i++) {
        const rn_body *body = rn_body_at(&world->bodies, (size_t)i);
        if (!body->shape || !body->blocks) continue;
        const rn_cells in = rn_body_cells(world, body, &body->now, 1);
        for (int y = in.y0; y < in.y1; y++)
            for (int x = in.x0; x < in.x1; x++)
                if (!list_cell(world, x, y, &world->bodies.scratches[worker])) return;
    }
}

/* The mean over a cell's neighbours, as far as they count. */
typedef struct around {
    double level, flow[2];
    int levels, flows;
} around;

/* Adds the range of cell (x, y), a neighbour of `cell`, to a mean; nothing outside the domain, and for holes and solid.
   Liquid counts with its level and flow. Dry ground counts, with its height, only if it is below `own` (m above the
   datum), the level of `cell`, whose liquid would run off over it. */
static void add_neighbour(const rn_world *world, const pushed_cell *cell, int x, int y, float own, around *sum) {
    const rn_grid *g = &world->columns->grid;
    pool it;
    if (x < 0 || y < 0 || x >= g->nx || y >= g->ny || !find_pool(world, x, y, cell->gap.base, cell->gap.ceil, &it))
        return;
    const bool dry = isnan(it.level);
    if (dry && (it.carried || !(it.base < own))) return;
    sum->level += dry ? it.base : it.level;
    sum->levels++;
    if (dry) return;
    float flow[2];
    read_range_flow(world, &it, flow);
    for (int axis = 0; axis < 2; axis++) sum->flow[axis] += flow[axis];
    sum->flows++;
}

/* Sets cell->level and cell->flow to the next values of a range with a body: `share` of the way to the mean of its
   neighbours (Eq. 3, with h(A) - z+ as its second argument). A range without a level takes that of its neighbours at
   once; a level no more than a quantum above the base becomes NAN, dry. The planes stay as they are. */
static void relax_range(const rn_world *world, pushed_cell *cell, double share) {
    const rn_bodies *all = &world->bodies;
    const float *flow = all->flow + 2 * cell->index;
    pool it;
    find_surface(world, cell->x, cell->y, &cell->gap, all->effective[cell->index], &it);
    const float own = it.level;
    around sum = {0};
    for (int n = 0; n < 4; n++)
        add_neighbour(world, cell, cell->x + (n == 1) - (n == 0), cell->y + (n == 3) - (n == 2), own, &sum);
    double told = own;
    if (sum.levels > 0 && isnan(own)) told = sum.level / sum.levels;
    else if (sum.levels > 0) told = own + share * (sum.level / sum.levels - own);
    if (!(told > cell->gap.base + world->quantum)) told = NAN;
    find_surface(world, cell->x, cell->y, &cell->gap, (float)told, &it);
    cell->level = it.level;
    for (int axis = 0; axis < 2; axis++) {
        const double mean = sum.flows > 0 ? sum.flow[axis] / sum.flows : 0.0;
        cell->flow[axis] = (float)(flow[axis] + share * (mean - flow[axis]));
    }
}

/* A task over scratches: finds the next values of all ranges listed in them (relax_range). */
static void relax_lists(void *context, int begin, int end, int worker) {
    (void)worker;
    const carrying *job = context;
    for (int i = begin; i < end; i++) {
        const rn_body_scratch *scratch = &job->world->bodies.scratches[i];
        for (size_t k = 0; k < scratch->pushed_count; k++) relax_range(job->world, pushed_at(scratch, k), job->share);
    }
}

/* Relaxes all listed ranges from their previous values, so that no direction is favoured, and then stores the results.
   Returns true if a range without a level got one. */
static bool relax_all(carrying *job) {
    rn_bodies *all = &job->world->bodies;
    bool appeared = false;
    rn_parallel_for(job->world->pool, all->scratch_count, relax_lists, job);
    for (int i = 0; i < all->scratch_count; i++)
        for (size_t k = 0; k < all->scratches[i].pushed_count; k++) {
            const pushed_cell *cell = pushed_at(&all->scratches[i], k);
            appeared |= isnan(all->effective[cell->index]) && !isnan(cell->level);
            all->effective[cell->index] = cell->level;
            memcpy(all->flow + 2 * cell->index, cell->flow, sizeof cell->flow);
        }
    return appeared;
}

void rn_effective_step(rn_world *world, double seconds) {
    rn_bodies *all = &world->bodies;
    carrying job = {world, 1.0 - rn_decay(LN2 * seconds / SPREAD_HALF)};
    for (int i = 0; i < all->scratch_count; i++) all->scratches[i].pushed_count = 0;
    rn_parallel_for(world->pool, (int)all->count, list_pushed, &job);
    for (int i = 0; i < MOST_AT_ONCE && relax_all(&job); i++) continue;
}

/* ---- Reading the liquid around a body -------------------------------------------------------------------------- */

/* Makes room for `count` cells in the window of a scratch; the old ones are lost. Returns false, with a message, if
   memory runs out; then nothing has changed. */
static bool make_window_room(rn_body_scratch *scratch, size_t count) {
    if (count <= scratch->window_capacity) return true;
    rn_cell_liquid *cells = rn_alloc(NULL, count, sizeof *cells);
    if (!cells) return false;
    rn_free(NULL, scratch->window.cells);
    scratch->window.cells = cells;
    scratch->window_capacity = count;
    return true;
}

/* Writes the liquid of a cell around a body that reaches from low to high (m), without its flow; in holes and solid,
   the ground is at INFINITY and there is no liquid. */
static void read_liquid(const rn_world *world, int x, int y, double low, double high, rn_cell_liquid *water) {
    pool it;
    *water = (rn_cell_liquid){.lowest = INFINITY, .slot = -1, .ground = INFINITY};
    if (!find_pool(world, x, y, low - world->datum, high - world->datum, &it)) return;
    water->ground = it.base + world->datum;
    water->slot = it.slot;
    water->carried = has_own_flow(&it) ? 0 : it.index + 1;
    water->wet = !isnan(it.level);
    water->level = water->wet ? it.level + world->datum : water->ground;
}

/* Gives cells of a window that still have no finite level, holes and solid, the level and ground `bottom` (m): nothing
   floats there. */
static void set_holes_to_bottom(rn_liquid_window *window, double bottom) {
    for (int i = 0; i < window->nx * window->ny; i++)
        if (!isfinite(window->cells[i].level)) window->cells[i].level = window->cells[i].ground = bottom;
}

bool rn_effective_gather(const rn_world *world, rn_cells in, double low, double high, rn_body_scratch *scratch) {
    const rn_terrain_info *g = &world->ground;
    rn_liquid_window *to = &scratch->window;
    const size_t count = (size_t)(in.x1 - in.x0) * (size_t)(in.y1 - in.y0);
    if (!make_window_room(scratch, count)) return false;
    to->grid = (rn_raster_grid){g->origin_x, g->origin_y, g->cell_size, g->cells_x, g->cells_y};
    to->x0 = in.x0;
    to->y0 = in.y0;
    to->nx = in.x1 - in.x0;
    to->ny = in.y1 - in.y0;
    rn_cell_liquid *next = to->cells;
    for (int y = in.y0; y < in.y1; y++)
        for (int x = in.x0; x < in.x1; x++) read_liquid(world, x, y, low, high, next++);
    rn_waters_join(to);
    set_holes_to_bottom(to, world->datum);
    return true;
}

/* Sets the flow (m/s) of a cell of a window, from its slot, or as stored under bodies. */
static void read_flow(const rn_world *world, rn_cell_liquid *w) {
    const pool it = {.slot = w->slot, .carried = w->carried > 0, .index = w->carried - 1};
    read_range_flow(world, &it, w->flow);
}

/* Whether a cell of a window is wet, and neither this body nor any blocking one is in it. */
static bool is_clear(const rn_cell_liquid *w) { return w->wet && !(w->submerged > 0.0) && w->carried == 0; }

bool rn_effective_clear(const rn_liquid_window *window, int x, int y) {
    const rn_cell_liquid *w = &window->cells[y * window->nx + x];
    return is_clear(w) && (x == 0 || is_clear(w - 1)) && (x == window->nx - 1 || is_clear(w + 1)) &&
           (y == 0 || is_clear(w - window->nx)) && (y == window->ny - 1 || is_clear(w + window->nx));
}

/* Writes the mean flow (m/s) of the clear cells around a body (rn_effective_clear): the inflow behind it and the
   outflow in front of it cancel out. Also sets the flow of these cells. Returns false if there are no such cells; then
   `mean` is not set. */
static bool read_flow_around(const rn_world *world, rn_liquid_window *window, float mean[2]) {
    double sum[2] = {0};
    int count = 0;
    for (int i = 0; i < window->nx * window->ny; i++) {
        rn_cell_liquid *w = &window->cells[i];
        if (!rn_effective_clear(window, i % window->nx, i / window->nx)) continue;
        read_flow(world, w);
        for (int axis = 0; axis < 2; axis++) sum[axis] += w->flow[axis];
        count++;
    }
    for (int axis = 0; axis < 2 && count > 0; axis++) mean[axis] = (float)(sum[axis] / count);
    return count > 0;
}

void rn_effective_flow(const rn_world *world, bool blocks, rn_liquid_window *window) {
    float mean[2];
    const bool known = blocks && read_flow_around(world, window, mean);
    for (int i = 0; i < window->nx * window->ny; i++) {
        rn_cell_liquid *w = &window->cells[i];
        if (!w->wet || !(w->submerged > 0.0)) continue;
        if (known) memcpy(w->flow, mean, sizeof mean);
        else read_flow(world, w);
    }
}

/* The effective level (m) of a cell's highest range; NAN: dry, a hole or solid. */
static double top_level(const rn_world *world, int x, int y) {
    pool it;
    if (!find_pool(world, x, y, world->columns->lid, world->columns->lid, &it)) return NAN;
    return it.level + world->datum;
}

double rn_bodies_effective_level(const rn_world *world, double x, double y) {
    const rn_terrain_info *g = &world->ground;
    const double u = (x - g->origin_x) / g->cell_size, v = (y - g->origin_y) / g->cell_size;
    if (!(u >= 0.0 && u <= g->cells_x && v >= 0.0 && v <= g->cells_y)) return NAN;
    if (isnan(top_level(world, (int)rn_min(u, g->cells_x - 1.0), (int)rn_min(v, g->cells_y - 1.0)))) return NAN;
    const int x0 = (int)floor(u - 0.5), y0 = (int)floor(v - 0.5);
    double sum = 0.0, weights = 0.0;
    for (int corner = 0; corner < 4; corner++) {
        const int cx = x0 + corner % 2, cy = y0 + corner / 2;
        if (cx < 0 || cy < 0 || cx >= g->cells_x || cy >= g->cells_y) continue;
        const double weight = (1.0 - fabs(u - 0.5 - cx)) * (1.0 - fabs(v - 0.5 - cy)), level = top_level(world, cx, cy);
        if (isnan(level)) continue;
        sum += weight * level;
        weights += weight;
    }
    return weights > 0.0 ? sum / weights : NAN;
}
