/* The tiles of the adaptive packets solver: their arrays, the ground of their levels, and which level each has.

   Interface (solver/packets_tiling.h): rn_tiles_create, rn_tiles_destroy and rn_tiles_bytes; rn_tiles_survey finds
   the ground of all levels; rn_tiles_roughen averages friction; rn_tiles_choose changes levels; rn_tiles_fit checks
   saved ones.

   Order of calls: rn_tiles_create when the solver is created, then rn_tiles_survey (from rn_packets_survey), again
   whenever columns have changed and all tiles are fine. rn_tiles_choose runs every few substeps, after ghosts were
   filled, and leaves new lists (rn_tiles_list); the caller fills ghosts again.

   Algorithm: a tile gets finer if the surface or a velocity bends by more than the tolerance from cell to cell, and
   coarser only if four times its bend, which cells twice as large would have, is below CALM times the tolerance.
   Tiles are fine where they or a neighbour have dry or shallow cells, holes, walls or an open edge, and in the
   rectangle `fine`. Levels of neighbours differ by at most one (grade_levels), and a tile changes by one level at a
   time. Dry tiles among dry ones are idle: none of their cells is simulated. Levels are chosen from the cells of
   tiles alone, and in order, so the choice is the same for any number of threads. */
#include "solver/packets_tiling.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

/* Liquid shallower than this many column sides dries soon: its tile is fine. */
#define SHALLOW 0.1f
/* A tile becomes coarser only if its cells would then bend by less than this share of the tolerance, so that it is
   not refined again at once. */
#define CALM 0.5f

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

/* The number of rows in a level's lists: one more on either side. */
static int row_count(const rn_packet_level *level) { return level->grid.ny + 2; }

/* The largest number of connections of a level: all cells along the sides of all tiles. */
static size_t connection_room(const rn_packet_tiles *t, int level) {
    const int side = RN_TILE >> level, rim = 4 * side < side * side ? 4 * side : side * side;
    return (size_t)(t->nx * t->ny) * (size_t)rim;
}

/* Allocates the arrays and lists of level `number`, whose grid is known; level 0 uses the solver's own arrays. Returns
   RN_MEMORY, with a message, if memory runs out; rn_tiles_destroy frees what there is. */
static rn_result allocate_level(rn_packets *solver, int number) {
    rn_packet_tiles *t = solver->tiles;
    rn_packet_level *level = &t->at[number];
    const rn_hooks *hooks = &solver->hooks;
    const size_t rows = (size_t)row_count(level), ranges = rows * (size_t)level->room;
    bool fine = true;
#define ALLOCATE(type, name)                                                                                           \
    if (number > 0) level->name = rn_alloc(hooks, (size_t)level->grid.slots, sizeof(type));                            \
    fine = fine && (number == 0 || level->name);
    RN_LEVEL_ARRAYS(ALLOCATE)
#undef ALLOCATE
    level->inside = rn_alloc(hooks, ranges, sizeof *level->inside);
    level->sends = rn_alloc(hooks, ranges, sizeof *level->sends);
    level->silent = rn_alloc(hooks, ranges, sizeof *level->silent);
    level->inside_count = rn_alloc(hooks, rows, sizeof *level->inside_count);
    level->sends_count = rn_alloc(hooks, rows, sizeof *level->sends_count);
    level->silent_count = rn_alloc(hooks, rows, sizeof *level->silent_count);
    level->first_connection = rn_alloc(hooks, rows, sizeof *level->first_connection);
    level->connections = rn_alloc(hooks, connection_room(t, number), sizeof *level->connections);
    level->ghosts = rn_alloc(hooks, 2 * connection_room(t, number), sizeof *level->ghosts);
    fine = fine && level->ghosts && level->silent && level->silent_count && level->inside && level->sends &&
           level->inside_count && level->sends_count && level->first_connection;
    return fine && level->connections ? RN_OK : RN_MEMORY;
}

/* Gives level 0 the solver's own arrays. */
static void share_arrays(rn_packets *solver) {
    rn_packet_level *finest = &solver->tiles->at[0];
    finest->ground = solver->ground;
    finest->h = solver->columns.depth;
    finest->u = solver->u, finest->v = solver->v;
    finest->h1 = solver->h1, finest->u1 = solver->u1, finest->v1 = solver->v1;
    finest->plain = solver->plain;
}

rn_result rn_tiles_create(rn_packets *solver, const rn_solver_def *def) {
    const rn_packets_def *packets = &def->world->packets;
    const rn_grid *g = &solver->columns.grid;
    if (packets->levels == 0) return RN_OK;
    rn_packet_tiles *t = solver->tiles = rn_alloc(&solver->hooks, 1, sizeof *t);
    if (!t) return RN_MEMORY;
    t->levels = packets->levels;
    t->tolerance = (float)(packets->tolerance > 0.0 ? packets->tolerance : 1e-3 * def->cell_size);
    const rn_terrain_info ground = rn_terrain_describe(def->columns.terrain);
    for (int i = 0; i < 4; i++)
        t->fine[i] = (packets->fine[i] - (i % 2 ? ground.origin_y : ground.origin_x)) / def->cell_size;
    if (packets->fine[2] <= packets->fine[0] || packets->fine[3] <= packets->fine[1]) t->fine[2] = t->fine[0];
    t->nx = (g->nx + RN_TILE - 1) / RN_TILE, t->ny = (g->ny + RN_TILE - 1) / RN_TILE;
    const size_t count = (size_t)(t->nx * t->ny);
    uint8_t **const bytes[] = {&t->level, &t->want, &t->touched, &t->most, &t->shore};
    for (int i = 0; i < 5; i++)
        if (!(*bytes[i] = rn_alloc(&solver->hooks, count, 1))) return RN_MEMORY;
    if (!(t->bend = rn_alloc(&solver->hooks, count, sizeof *t->bend))) return RN_MEMORY;
    const int room = 2 * t->nx + 8;
    if (!(t->row = rn_alloc(&solver->hooks, (size_t)room, sizeof *t->row))) return RN_MEMORY;
    for (int l = 0; l <= t->levels; l++) {
        rn_packet_level *level = &t->at[l];
        const int side = 1 << l;
        level->grid = l == 0 ? *g : rn_grid_of((g->nx + side - 1) / side, (g->ny + side - 1) / side, 1, g->rim);
        level->columns.grid = level->grid;
        level->share = (int64_t)side * side;
        level->room = room;
        const rn_result result = allocate_level(solver, l);
        if (result != RN_OK) return result;
    }
    share_arrays(solver);
    t->dirty = true;
    return RN_OK;
}

void rn_tiles_destroy(rn_packets *solver) {
    rn_packet_tiles *t = solver->tiles;
    const rn_hooks *hooks = &solver->hooks;
    if (!t) return;
    for (int l = 0; l <= t->levels; l++) {
        rn_packet_level *level = &t->at[l];
#define FREE(type, name)                                                                                               \
    if (l > 0) rn_free(hooks, level->name);
        RN_LEVEL_ARRAYS(FREE)
#undef FREE
        void *const lists[] = {level->inside,           level->sends,       level->inside_count, level->sends_count,
                               level->first_connection, level->connections, level->ghosts,       level->silent,
                               level->silent_count};
        for (int i = 0; i < 9; i++) rn_free(hooks, lists[i]);
    }
    void *const arrays[] = {t->level, t->want, t->touched, t->most, t->shore, t->bend, t->row};
    for (int i = 0; i < 7; i++) rn_free(hooks, arrays[i]);
    rn_free(hooks, t);
    solver->tiles = NULL;
}

size_t rn_tiles_bytes(const rn_packets *solver) {
    const rn_packet_tiles *t = solver->tiles;
    if (!t) return 0;
    size_t bytes = sizeof *t + (size_t)(t->nx * t->ny) * (5 + sizeof *t->bend);
    bytes += (size_t)t->at[0].room * sizeof *t->row;
    for (int l = 0; l <= t->levels; l++) {
        const rn_packet_level *level = &t->at[l];
#define ADD(type, name)                                                                                                \
    if (l > 0) bytes += (size_t)level->grid.slots * sizeof(type);
        RN_LEVEL_ARRAYS(ADD)
#undef ADD
        bytes += (size_t)row_count(level) * (3 * (size_t)level->room * sizeof(rn_packet_range) + 4 * sizeof(int));
        bytes += connection_room(t, l) * (sizeof(rn_packet_connection) + 2 * sizeof(rn_packet_ghost));
    }
    return bytes;
}

/* ---- Ground ------------------------------------------------------------------------------------------------------ */

/* Finds ground, debt and height of columns of cell (x, y) of a level above 0; sets its rest to 0. A cell that contains
   anything but columns, or reaches beyond the grid, is a wall. */
static void survey_cell(rn_packets *solver, rn_packet_level *level, int l, int x, int y) {
    const rn_columns *c = &solver->columns;
    const int32_t slot = rn_slot(&level->grid, 0, y, x);
    const double per_quantum = 1.0 / (double)c->quantum;
    const int side = 1 << l;
    int64_t sum = 0;
    float highest = 0.0f;
    level->ground[slot] = level->extremes[slot] = RN_NO_COLUMN;
    level->debt[slot] = level->rest[slot] = 0;
    for (int j = 0; j < side; j++)
        for (int i = 0; i < side; i++) {
            const int cx = x * side + i, cy = y * side + j;
            if (cx >= c->grid.nx || cy >= c->grid.ny) return;
            const float z = c->base[rn_slot(&c->grid, 0, cy, cx)];
            if (!(z >= 0.0f && z < RN_NO_COLUMN)) return;
            sum += (int64_t)((double)z * per_quantum);
            highest = fmaxf(highest, z);
        }
    level->ground[slot] = (float)((double)(sum / level->share) * (double)c->quantum);
    level->debt[slot] = (int32_t)(sum % level->share);
    level->extremes[slot] = highest - level->ground[slot];
}

/* Continues the ground of a level across periodic edges, less their drop; beyond other edges there is a wall. */
static void survey_rim(const rn_packets *solver, rn_packet_level *level) {
    const rn_columns *c = &solver->columns;
    const rn_grid *g = &level->grid;
    for (int y = -g->rim; y < g->ny + g->rim; y++)
        for (int x = -g->rim; x < g->nx + g->rim; x++) {
            int fx = x, fy = y;
            const bool past_x = x < 0 || x >= g->nx, past_y = y < 0 || y >= g->ny;
            if (!past_x && !past_y) continue;
            float *ground = &level->ground[rn_slot(g, 0, y, x)];
            *ground = RN_NO_COLUMN;
            if ((past_x && !c->periodic_x) || (past_y && !c->periodic_y)) continue;
            const float drop =
                (float)rn_packets_wrap(&fx, g->nx) * c->drop[0] + (float)rn_packets_wrap(&fy, g->ny) * c->drop[1];
            const float z = level->ground[rn_slot(g, 0, fy, fx)];
            if (z < RN_NO_COLUMN) *ground = z - drop;
        }
}

/* Marks cells of a level, and of one row and column around it, whose ground is level with all cells around. */
static void survey_plain(rn_packet_level *level) {
    const rn_grid *g = &level->grid;
    for (int y = -1; y <= g->ny; y++)
        for (int x = -1; x <= g->nx; x++) {
            const int32_t slot = rn_slot(g, 0, y, x);
            bool plain = level->ground[slot] < RN_NO_COLUMN;
            for (int k = 0; k < RN_AROUND && plain; k++)
                plain = level->ground[slot + (k / 3 - 1) * g->stride + k % 3 - 1] == level->ground[slot];
            level->plain[slot] = plain;
        }
}

/* Whether a tile, and therefore all tiles around it, must stay fine: this tile is at an open edge, contains a hole or
   wall, or has an odd side. */
static bool is_rugged(const rn_packets *solver, int number) {
    const rn_columns *c = &solver->columns;
    const rn_tile_cells e = rn_tile_extent(solver, number, 0);
    if (e.x0 == 0 && c->edges[RN_SIDE_WEST] == RN_EDGE_OPEN) return true;
    if (e.y0 == 0 && c->edges[RN_SIDE_SOUTH] == RN_EDGE_OPEN) return true;
    if (e.x1 == c->grid.nx && c->edges[RN_SIDE_EAST] == RN_EDGE_OPEN) return true;
    if (e.y1 == c->grid.ny && c->edges[RN_SIDE_NORTH] == RN_EDGE_OPEN) return true;
    if ((e.x1 - e.x0) % 2 || (e.y1 - e.y0) % 2) return true;
    for (int y = e.y0; y < e.y1; y++)
        for (int x = e.x0; x < e.x1; x++) {
            const float z = c->base[rn_slot(&c->grid, 0, y, x)];
            if (!(z >= 0.0f && z < RN_NO_COLUMN)) return true;
        }
    return false;
}

/* Loops over a tile and all tiles around it. */
#define FOR_TILES_AROUND(solver, number, other)                                                                        \
    for (int k_ = 0, other; k_ < RN_AROUND; k_++)                                                                      \
        if ((other = rn_tile_number(solver, (number) % (solver)->tiles->nx + k_ % 3 - 1,                               \
                                    (number) / (solver)->tiles->nx + k_ / 3 - 1)) >= 0)

/* Finds the highest level that each tile may have: 0 if it is not whole, on or beside rugged ground, or to be kept
   fine; otherwise all levels. */
static void survey_tiles(rn_packets *solver) {
    rn_packet_tiles *t = solver->tiles;
    for (int n = 0; n < t->nx * t->ny; n++) {
        const rn_tile_cells e = rn_tile_extent(solver, n, 0);
        const bool kept =
            t->fine[2] > t->fine[0] && e.x0 < t->fine[2] && e.x1 > t->fine[0] && e.y0 < t->fine[3] && e.y1 > t->fine[1];
        const bool whole = e.x1 - e.x0 == RN_TILE && e.y1 - e.y0 == RN_TILE;
        t->most[n] = whole && !kept ? (uint8_t)t->levels : 0;
    }
    for (int n = 0; n < t->nx * t->ny; n++)
        if (is_rugged(solver, n)) FOR_TILES_AROUND(solver, n, other) t->most[other] = 0;
}

void rn_tiles_roughen(rn_packets *solver) {
    const rn_columns *c = &solver->columns;
    for (int l = 1; l <= solver->tiles->levels; l++) {
        rn_packet_level *level = &solver->tiles->at[l];
        const float *const from[] = {c->kappa, c->manning, c->chezy};
        float *const to[] = {level->kappa, level->manning, level->chezy};
        level->columns.kappa = c->kappa ? level->kappa : NULL;
        level->columns.manning = c->manning ? level->manning : NULL;
        level->columns.chezy = c->chezy ? level->chezy : NULL;
        for (int k = 0; k < 3; k++)
            for (int y = 0; from[k] && y < level->grid.ny; y++)
                for (int x = 0; x < level->grid.nx; x++) {
                    double sum = 0.0;
                    for (int i = 0; i < (int)level->share; i++) {
                        const int cx = (x << l) + i % (1 << l), cy = (y << l) + i / (1 << l);
                        if (cx < c->grid.nx && cy < c->grid.ny) sum += (double)from[k][rn_slot(&c->grid, 0, cy, cx)];
                    }
                    to[k][rn_slot(&level->grid, 0, y, x)] = (float)(sum / (double)level->share);
                }
    }
}

void rn_tiles_survey(rn_packets *solver) {
    rn_packet_tiles *t = solver->tiles;
    for (int l = 1; l <= t->levels; l++) {
        rn_packet_level *level = &t->at[l];
        for (int32_t slot = 0; slot < level->grid.slots; slot++) level->ground[slot] = RN_NO_COLUMN;
        for (int y = 0; y < level->grid.ny; y++)
            for (int x = 0; x < level->grid.nx; x++) survey_cell(solver, level, l, x, y);
        survey_rim(solver, level);
        survey_plain(level);
    }
    survey_tiles(solver);
    rn_tiles_roughen(solver);
    rn_tiles_list(solver);
    t->dirty = true;
}

/* ---- Choosing ---------------------------------------------------------------------------------------------------- */

static inline float larger_of(float a, float b) { return a > b ? a : b; }

/* The second difference of a field over slots `step` apart: how far a cell is off a straight line; not negative. Beyond
   a wall the field continues level. */
static float field_bend(const float *f, const float *ground, int32_t c, int32_t step) {
    const float here = f[c];
    const float back = ground[c - step] < RN_NO_COLUMN ? f[c - step] - here : 0.0f;
    const float ahead = ground[c + step] < RN_NO_COLUMN ? f[c + step] - here : 0.0f;
    return fabsf(back + ahead);
}

/* The size of the second difference (m) of the surface over slots `step` apart, 0 on a straight slope. Beyond a wall or
 * dry ground the surface continues level. */
static float level_bend(const rn_packet_level *level, int32_t c, int32_t step) {
    const float *z = level->ground, *h = level->h;
    const float here = z[c] + h[c];
    const bool west = z[c - step] < RN_NO_COLUMN && h[c - step] > 0.0f,
               east = z[c + step] < RN_NO_COLUMN && h[c + step] > 0.0f;
    const float back = west ? z[c - step] + h[c - step] - here : 0.0f,
                ahead = east ? z[c + step] + h[c + step] - here : 0.0f;
    return fabsf(back + ahead);
}

typedef struct measuring {
    rn_packets *solver;
    float scale; /* s, turns a velocity into a height: a wave of 1 m has g/c m/s */
} measuring;

/* Sets t->bend, how much the fields of a tile bend (m), and t->shore: 1 if some cell is dry or shallow (SHALLOW), 2 if
   all are dry. A tile whose liquid is too shallow for cells twice as large counts as bent enough to stay. */
static void measure_tile(const measuring *job, int number) {
    rn_packets *solver = job->solver;
    rn_packet_tiles *t = solver->tiles;
    const int l = rn_tile_level(t, number);
    const rn_packet_level *level = &t->at[l];
    const rn_tile_cells e = rn_tile_extent(solver, number, l);
    const float shallow = SHALLOW * (float)solver->cell;
    const int32_t row = level->grid.stride;
    float bend = 0.0f;
    bool shore = false, wet = false, tight = false; /* tight: too shallow for cells twice as large */
    for (int y = e.y0; y < e.y1; y++)
        for (int x = e.x0; x < e.x1; x++) {
            const int32_t c = rn_slot(&level->grid, 0, y, x);
            const float h = level->h[c];
            wet = wet || h > 0.0f;
            if (!(h > shallow + (l > 0 ? level->extremes[c] : 0.0f))) shore = true;
            if (l < t->levels) {
                const rn_packet_level *above = level + 1;
                tight = tight || !(h > shallow + above->extremes[rn_slot(&above->grid, 0, y >> 1, x >> 1)]);
            }
            if (shore) continue;
            bend = larger_of(bend, larger_of(level_bend(level, c, 1), level_bend(level, c, row)));
            const float speeds = larger_of(
                larger_of(field_bend(level->u, level->ground, c, 1), field_bend(level->u, level->ground, c, row)),
                larger_of(field_bend(level->v, level->ground, c, 1), field_bend(level->v, level->ground, c, row)));
            bend = larger_of(bend, job->scale * speeds);
        }
    t->bend[number] = tight ? larger_of(bend, 0.25f * CALM * t->tolerance) : bend;
    t->shore[number] = !wet ? 2 : shore;
}

/* A task over tiles: finds how much their fields bend, and whether they are partly or wholly dry (measure_tile). */
static void measure_tiles(void *context, int begin, int end, int worker) {
    (void)worker;
    for (int n = begin; n < end; n++) measure_tile(context, n);
}

/* The level that a tile should have by its bend and shores around it, at most one from its present one. */
static int wanted_level(const rn_packets *solver, int number) {
    const rn_packet_tiles *t = solver->tiles;
    const int level = rn_tile_level(t, number);
    int most = t->most[number];
    FOR_TILES_AROUND(solver, number, other) if (t->shore[other]) most = 0;
    if (level > most || (level > 0 && t->bend[number] > t->tolerance)) return level > 0 ? level - 1 : 0;
    return level < most && 4.0f * t->bend[number] < CALM * t->tolerance ? level + 1 : level;
}

/* Lowers the wanted levels until no tile is more than one level above those around it. */
static void grade_levels(rn_packets *solver) {
    rn_packet_tiles *t = solver->tiles;
    for (bool changed = true; changed;) {
        changed = false;
        for (int n = 0; n < t->nx * t->ny; n++)
            FOR_TILES_AROUND(solver, n, other) if (t->want[n] > t->want[other] + 1) {
                t->want[n] = (uint8_t)(t->want[other] + 1);
                changed = true;
            }
    }
}

bool rn_tiles_fit(const rn_packets *solver, const uint8_t *level) {
    const rn_packet_tiles *t = solver->tiles;
    for (int n = 0; n < t->nx * t->ny; n++) {
        const int own = level[n] == RN_IDLE ? 0 : level[n];
        if (own > t->most[n]) return false;
        FOR_TILES_AROUND(solver, n, other) if (own > (level[other] == RN_IDLE ? 0 : level[other]) + 1) return false;
    }
    return true;
}

/* Makes dry tiles among dry ones idle, once all of them are fine, because at a connection the finer tile sends. Wakes
   idle tiles that no longer are. */
static void find_idle(rn_packets *solver) {
    rn_packet_tiles *t = solver->tiles;
    for (int n = 0; n < t->nx * t->ny; n++) {
        bool idle = rn_tile_level(t, n) == 0;
        FOR_TILES_AROUND(solver, n, other) idle = idle && t->shore[other] == 2 && rn_tile_level(t, other) == 0;
        if (idle) t->level[n] = RN_IDLE;
        else if (t->level[n] == RN_IDLE) t->level[n] = 0;
    }
}

void rn_tiles_choose(rn_packets *solver, bool all_fine) {
    rn_packet_tiles *t = solver->tiles;
    const int count = t->nx * t->ny;
    measuring job = {solver, sqrtf(solver->peak_depth / (float)solver->gravity)};
    rn_parallel_for(solver->pool, count, measure_tiles, &job);
    for (int n = 0; n < count; n++)
        t->want[n] =
            (uint8_t)(all_fine ? (rn_tile_level(t, n) > 0 ? rn_tile_level(t, n) - 1 : 0) : wanted_level(solver, n));
    grade_levels(solver);
    for (int n = 0; n < count; n++)
        if (t->want[n] < rn_tile_level(t, n)) rn_tile_refine(solver, n);
    for (int n = 0; n < count; n++)
        if (t->want[n] > rn_tile_level(t, n)) rn_tile_coarsen(solver, n);
    for (int n = 0; n < count; n++) t->level[n] = t->want[n];
    if (!all_fine) find_idle(solver);
    rn_tiles_list(solver);
    t->dirty = false;
}
