/* The world's view of the adaptive packets solver: columns as fine as the ground.

   Interface (solver/packets_tiling.h): rn_tiles_show and rn_tiles_show_speeds write columns, rn_tiles_touch and
   rn_tiles_absorb take changes of columns over, rn_tiles_flatten makes all tiles fine, rn_tiles_find says where a
   column is simulated, rn_tiles_archive saves and restores.

   Order of calls: rn_tiles_show runs at the end of every `advance`, and in substeps with sources or gauges before
   the world is called back. Changes by sources, bodies or hosts mark tiles (rn_tiles_touch); rn_tiles_absorb follows
   after sources, and at the beginning of the next substep. rn_tiles_flatten runs before columns are reshaped, after
   all columns were changed, and before liquid is pressed below the lid.

   Algorithm: the world reads and changes columns, while coarse tiles have cells of their own, and both must agree to
   the quantum. rn_tiles_show spreads the liquid of each coarse cell over its columns, along the slope of its
   surface, in whole quanta; evenly where a column would run dry. Columns that are already right stay as they are, so
   liquid at rest keeps its bits. An archive holds columns and levels, from which coarse cells are found again. */
#include "solver/packets_tiling.h"

#include <string.h>

const rn_packet_level *rn_tiles_find(const rn_packets *solver, int32_t slot, int32_t *at) {
    const rn_packet_tiles *t = solver->tiles;
    const rn_spot spot = rn_slot_place(&solver->columns.grid, slot);
    const bool outside =
        spot.x < 0 || spot.y < 0 || spot.x >= solver->columns.grid.nx || spot.y >= solver->columns.grid.ny;
    const int l = outside ? 0 : rn_tile_level(t, spot.y / RN_TILE * t->nx + spot.x / RN_TILE);
    *at = l == 0 ? slot : rn_slot(&t->at[l].grid, 0, spot.y >> l, spot.x >> l);
    return &t->at[l];
}

/* ---- Depths ------------------------------------------------------------------------------------------------------ */

/* Half the rise of the surface of a cell of level `l` from one column to the next (m, whole quanta), along the axis on
   which cells are `step` slots apart. Towards a wall the surface counts as level. */
RN_INLINE float half_rise(const rn_packet_level *level, int32_t slot, int32_t step, const int l, float quantum) {
    const float *z = level->ground, *h = level->h;
    const float here = z[slot] + h[slot];
    const float back = z[slot - step] < RN_NO_COLUMN ? here - (z[slot - step] + h[slot - step]) : 0.0f,
                ahead = z[slot + step] < RN_NO_COLUMN ? (z[slot + step] + h[slot + step]) - here : 0.0f;
    const float per_rise = 1.0f / ((float)(4 << l) * quantum); /* a power of two */
    return (float)(int32_t)((back + ahead) * per_rise) * quantum;
}

/* Gives all columns of a cell the same depth, the first one also the remainder in quanta: for cells where some columns
   would be dry. */
static void show_evenly(const rn_packets *solver, const rn_packet_level *level, int l, int x, int y, int32_t slot) {
    const rn_columns *c = &solver->columns;
    const double quantum = (double)c->quantum;
    const int64_t all =
        (int64_t)((double)level->h[slot] / quantum) * level->share - level->debt[slot] + level->rest[slot];
    for (int n = 0; n < (int)level->share; n++) {
        const int side = 1 << l, cx = x * side + n % side, cy = y * side + n / side;
        const int64_t some = all / level->share + (n == 0 ? all % level->share : 0);
        c->depth[rn_slot(&c->grid, 0, cy, cx)] = (float)((double)some * quantum);
    }
}

/* Whether three corners of a cell have the right depths; then all its columns have, and liquid at rest stays unchanged.
   `first`: slot of its first column, `side`: columns along a side, `corner`: surface there (m), dx, dy: those of
   half_rise. Must not be used for level 1, whose columns may hold ghosts. */
RN_INLINE bool is_shown(const rn_columns *c, int32_t first, const int side, float corner, float dx, float dy,
                        float rest) {
    const int32_t east = first + side - 1, north = first + (side - 1) * c->grid.stride;
    const float along = (float)(2 * (side - 1));
    return c->depth[first] == corner - c->base[first] + rest && c->depth[east] == corner + along * dx - c->base[east] &&
           c->depth[north] == corner + along * dy - c->base[north];
}

/* Spreads the liquid of a coarse cell over its columns along the slope of its surface, in whole quanta; evenly if some
   would be dry. */
RN_INLINE void show_cell(const rn_packets *solver, const rn_packet_level *level, const int l, int x, int y) {
    const rn_columns *c = &solver->columns;
    const int32_t slot = rn_slot(&level->grid, 0, y, x), first = rn_slot(&c->grid, 0, y << l, x << l);
    const float quantum = c->quantum;
    const int side = 1 << l;
    const float dx = half_rise(level, slot, 1, l, quantum), dy = half_rise(level, slot, level->grid.stride, l, quantum);
    const float here = level->ground[slot] + level->h[slot], rest = (float)level->rest[slot] * quantum;
    const float corner = here - (float)(side - 1) * (dx + dy);
    if (l > 1 && is_shown(c, first, side, corner, dx, dy, rest)) return;
    float least = 1e30f;
    for (int j = 0; j < side; j++) {
        const int32_t row = first + j * c->grid.stride;
        const float west = corner + (float)(2 * j) * dy;
        for (int i = 0; i < side; i++) {
            const float h = west + (float)(2 * i) * dx - c->base[row + i];
            c->depth[row + i] = h;
            least = h < least ? h : least;
        }
    }
    c->depth[first] += rest;
    if (!(fminf(least, least + rest) > 0.0f)) show_evenly(solver, level, l, x, y, slot);
}

/* Spreads the liquid of all cells of a tile of level `l`, a constant. */
RN_INLINE void show_tile(const rn_packets *solver, int number, const int l) {
    const rn_tile_cells e = rn_tile_extent(solver, number, l);
    for (int y = e.y0; y < e.y1; y++)
        for (int x = e.x0; x < e.x1; x++) show_cell(solver, &solver->tiles->at[l], l, x, y);
}

/* A task over tiles: spreads the liquid of coarse ones over their columns. */
static void show_tiles(void *context, int begin, int end, int worker) {
    const rn_packets *solver = context;
    (void)worker;
    for (int n = begin; n < end; n++) switch (rn_tile_level(solver->tiles, n)) {
        case 1: show_tile(solver, n, 1); break;
        case 2: show_tile(solver, n, 2); break;
        case 3: show_tile(solver, n, 3); break;
        default: break;
        }
}

void rn_tiles_show(rn_packets *solver) {
    rn_packet_tiles *t = solver->tiles;
    if (!t->stale) return;
    rn_tiles_fill_depths(solver, false);
    rn_parallel_for(solver->pool, t->nx * t->ny, show_tiles, solver);
    t->stale = false;
}

void rn_tiles_show_speeds(rn_packets *solver) {
    const rn_packet_tiles *t = solver->tiles;
    for (int n = 0; n < t->nx * t->ny; n++) {
        const int l = rn_tile_level(t, n);
        const rn_tile_cells e = rn_tile_extent(solver, n, 0);
        for (int y = e.y0; l > 0 && y < e.y1; y++)
            for (int x = e.x0; x < e.x1; x++) {
                const int32_t to = rn_slot(&solver->columns.grid, 0, y, x),
                              from = rn_slot(&t->at[l].grid, 0, y >> l, x >> l);
                solver->u[to] = t->at[l].u[from];
                solver->v[to] = t->at[l].v[from];
            }
    }
}

/* ---- Changes from outside ---------------------------------------------------------------------------------------- */

/* Gives a coarse cell exactly the liquid of its columns. Liquid added by sources, which is at rest, slows it; clears
   `gained` of the columns. */
static void absorb_cell(rn_packets *solver, const rn_packet_level *level, int l, int x, int y) {
    rn_columns *c = &solver->columns;
    const int32_t slot = rn_slot(&level->grid, 0, y, x);
    const double quantum = (double)c->quantum;
    int64_t all = level->debt[slot], gained = 0;
    for (int n = 0; n < (int)level->share; n++) {
        const int32_t column = rn_slot(&c->grid, 0, (y << l) + (n >> l), (x << l) + (n & ((1 << l) - 1)));
        all += (int64_t)((double)c->depth[column] / quantum);
        gained += (int64_t)((double)solver->gained[column] / quantum);
        solver->gained[column] = 0.0f;
    }
    const int64_t whole = all > 0 ? all / level->share : 0;
    level->rest[slot] = (int32_t)(all - whole * level->share);
    level->h[slot] = (float)((double)whole * quantum);
    if (gained == 0) return;
    const float kept = all > gained ? (float)((double)(all - gained) / (double)all) : 0.0f;
    level->u[slot] = level->u[slot] * kept + 0.0f;
    level->v[slot] = level->v[slot] * kept + 0.0f;
}

void rn_tiles_touch(rn_packets *solver, const rn_disturbance *what) {
    rn_packet_tiles *t = solver->tiles;
    const rn_spot at = rn_slot_place(&solver->columns.grid, what->slot);
    uint8_t *row = t->touched + at.y / RN_TILE * t->nx;
    if (what->what == RN_CHANGED_ROW) memset(row, 1, (size_t)t->nx);
    else memset(row + at.x / RN_TILE, 1, (size_t)((at.x + what->count - 1) / RN_TILE - at.x / RN_TILE + 1));
}

void rn_tiles_absorb(rn_packets *solver) {
    rn_packet_tiles *t = solver->tiles;
    for (int n = 0; n < t->nx * t->ny; n++) {
        const int l = rn_tile_level(t, n);
        const rn_tile_cells e = rn_tile_extent(solver, n, l);
        if (t->touched[n] && t->level[n] == RN_IDLE) t->dirty = true;
        for (int y = e.y0; t->touched[n] && l > 0 && y < e.y1; y++)
            for (int x = e.x0; x < e.x1; x++) absorb_cell(solver, &t->at[l], l, x, y);
        t->touched[n] = 0;
    }
}

void rn_tiles_flatten(rn_packets *solver) {
    rn_packet_tiles *t = solver->tiles;
    rn_tiles_show(solver);
    rn_tiles_show_speeds(solver);
    const size_t count = (size_t)(t->nx * t->ny);
    memset(t->level, 0, count);
    memset(t->touched, 0, count);
    rn_tiles_list(solver);
    t->dirty = true;
}

/* ---- Archives ---------------------------------------------------------------------------------------------------- */

/* After an archive is read: gives each coarse cell the liquid of its columns and their common velocity, and lists
   the tiles. Needs the tiles' levels. */
static void restore_cells(rn_packets *solver) {
    rn_packet_tiles *t = solver->tiles;
    for (int n = 0; n < t->nx * t->ny; n++) {
        const int l = rn_tile_level(t, n);
        const rn_tile_cells e = rn_tile_extent(solver, n, l);
        for (int y = e.y0; l > 0 && y < e.y1; y++)
            for (int x = e.x0; x < e.x1; x++) {
                const int32_t slot = rn_slot(&t->at[l].grid, 0, y, x),
                              column = rn_slot(&solver->columns.grid, 0, y << l, x << l);
                absorb_cell(solver, &t->at[l], l, x, y);
                t->at[l].u[slot] = solver->u[column];
                t->at[l].v[slot] = solver->v[column];
            }
    }
    rn_tiles_list(solver);
    t->stale = false;
}

void rn_tiles_archive(rn_packets *solver, rn_archive *a) {
    rn_packet_tiles *t = solver->tiles;
    const size_t count = (size_t)(t->nx * t->ny);
    int32_t dirty = t->dirty;
    rn_archive_same(a, t->levels);
    RN_ARCHIVE_VALUE(a, dirty);
    rn_archive_data(a, t->level, count);
    if (a->broken || a->pass != RN_READ) return;
    t->dirty = dirty != 0;
    if (!rn_tiles_fit(solver, t->level)) memset(t->level, 0, count); /* invalid bytes */
    restore_cells(solver);
}
