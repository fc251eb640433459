/* Lists of the adaptive packets solver: the cells of each level that are simulated, those that send packets, and
   those where two levels meet.

   Interface: rn_tiles_list (solver/packets_tiling.h) makes all lists. It runs whenever tiles have changed their
   levels: after levels were chosen or the ground was surveyed (solver/packets_tiles.c), and after all tiles were
   made fine or a state was read (solver/packets_shown.c). A substep only reads the lists.

   Algorithm: for every row of a level, `inside` has ranges of simulated cells, whole tiles at a time; `sends` has
   these and the cells around them, and `silent` has ghosts in finer tiles, which would otherwise send what the finer
   level sends already. A connection is a cell beside a finer tile, with bits for the cells around it that lie there.
   A ghost is what such a cell sees in a finer tile; ghosts at sides come before those at corners, because a corner
   counts only where no cell sees it through a side. Rows beyond a periodic edge are those of the other end. The
   lists are in order of rows, and depend on the levels of tiles alone. Their room was allocated for the worst case,
   so making them cannot fail. */
#include "solver/packets_tiling.h"

/* Adds cells `from` to `to` - 1 to a row's `count` ranges, and merges ranges that touch. `from` must not decrease from
   call to call, and there must be room. Returns the new number of ranges. */
static int append_range(rn_packet_range *list, int count, int from, int to) {
    if (count > 0 && from <= list[count - 1].to) {
        if (to > list[count - 1].to) list[count - 1].to = to;
        return count;
    }
    list[count] = (rn_packet_range){from, to};
    return count + 1;
}

/* Lists the simulated cells of row y, from -1 to ny, of level l: whole tiles, and counts them in `active`. At level 0
   they extend beyond open edges, where liquid leaves. */
static void list_inside(const rn_packets *solver, int l, int y) {
    rn_packet_tiles *t = solver->tiles;
    rn_packet_level *level = &t->at[l];
    const rn_grid *g = &level->grid;
    const int margin = l == 0 && rn_packets_has_open_edge(solver), row = y < 0 ? 0 : y >= g->ny ? g->ny - 1 : y;
    rn_packet_range *list = level->inside + (size_t)(y + 1) * (size_t)level->room;
    int count = 0;
    for (int tx = 0; (row == y || margin) && tx < t->nx; tx++) {
        const int number = (row << l) / RN_TILE * t->nx + tx;
        if (t->level[number] != l) continue;
        const rn_tile_cells e = rn_tile_extent(solver, number, l);
        count = append_range(list, count, e.x0 == 0 ? -margin : e.x0, e.x1 == g->nx ? e.x1 + margin : e.x1);
        if (row == y) t->active += e.x1 - e.x0;
    }
    level->inside_count[y + 1] = count;
}

/* Merges the ranges of up to three rows, in order, each a cell wider on both sides, into `to`; returns their number. */
static int join_ranges(const rn_packet_range *const lists[3], const int counts[3], rn_packet_range *to) {
    int at[3] = {0}, count = 0;
    for (;;) {
        int next = -1;
        for (int k = 0; k < 3; k++)
            if (at[k] < counts[k] && (next < 0 || lists[k][at[k]].from < lists[next][at[next]].from)) next = k;
        if (next < 0) return count;
        const rn_packet_range *r = &lists[next][at[next]++];
        count = append_range(to, count, r->from - 1, r->to + 1);
    }
}

/* Adds cells at one end of a periodic row that are beside cells at the other, to `count` ranges with space for `room`;
   returns the new number of ranges. Does nothing in other rows. */
static int join_ends(const rn_columns *c, int nx, rn_packet_range *list, int count, int room) {
    if (!c->periodic_x || count == 0) return count;
    const bool west = list[0].from<0, east = list[count - 1].to> nx;
    if (west && list[count - 1].to < nx + 1) count = append_range(list, count, nx - 1, nx + 1);
    if (east && list[0].from > 1 && count < room) {
        for (int i = count; i > 0; i--) list[i] = list[i - 1];
        list[0] = (rn_packet_range){-1, 1};
        return count + 1;
    }
    if (east && list[0].from > -1) list[0].from = -1;
    return count;
}

/* Whether cell (x, y) of level l, which may lie beyond an edge, is in a finer tile. Returns false beyond edges that are
   not periodic. */
static bool is_in_finer(const rn_packets *solver, int l, int x, int y) {
    const rn_packet_level *level = &solver->tiles->at[l];
    const int nx = level->grid.nx, ny = level->grid.ny;
    const int tx = x < 0     ? -1
                   : x >= nx ? solver->tiles->nx
                             : (x << l) / RN_TILE,
              ty = y < 0     ? -1
                   : y >= ny ? solver->tiles->ny
                             : (y << l) / RN_TILE;
    const int number = rn_tile_number(solver, tx, ty);
    return number >= 0 && rn_tile_level(solver->tiles, number) < l;
}

/* Divides a row's `count` ranges `all` into cells that send and those that do not: ghosts in finer tiles. */
static void part_row(const rn_packets *solver, int l, int y, const rn_packet_range *all, int count) {
    rn_packet_level *level = &solver->tiles->at[l];
    const int side = RN_TILE >> l;
    rn_packet_range *sends = level->sends + (size_t)(y + 1) * (size_t)level->room,
                    *silent = level->silent + (size_t)(y + 1) * (size_t)level->room;
    int send_count = 0, silent_count = 0;
    for (int n = 0; n < count; n++)
        for (int x = all[n].from, next; x < all[n].to; x = next) { /* tile by tile */
            const int end = x < 0 ? 0 : x >= level->grid.nx ? all[n].to : (x / side + 1) * side;
            next = end < all[n].to ? end : all[n].to;
            if (is_in_finer(solver, l, x, y)) silent_count = append_range(silent, silent_count, x, next);
            else send_count = append_range(sends, send_count, x, next);
        }
    level->sends_count[y + 1] = send_count;
    level->silent_count[y + 1] = silent_count;
}

/* Lists the cells of row y of level l that send packets: those that are simulated, and those around them, except ghosts
   in finer tiles, which become `silent`. `all` is scratch. */
static void list_sends(const rn_packets *solver, int l, int y, rn_packet_range *all) {
    rn_packet_level *level = &solver->tiles->at[l];
    const rn_grid *g = &level->grid;
    const rn_packet_range *lists[3] = {NULL, NULL, NULL};
    int counts[3] = {0};
    for (int k = 0; k < 3; k++) {
        int row = y + k - 1;
        if (solver->columns.periodic_y) row = row < 0 ? row + g->ny : row >= g->ny ? row - g->ny : row;
        if (row < -1 || row > g->ny) continue;
        lists[k] = level->inside + (size_t)(row + 1) * (size_t)level->room;
        counts[k] = level->inside_count[row + 1];
    }
    const int count = join_ranges(lists, counts, all);
    part_row(solver, l, y, all, join_ends(&solver->columns, g->nx, all, count, level->room));
}

/* Bits (1 << RN_TO_...) of the tiles around one that are of a finer level. */
static uint32_t finer_tiles(const rn_packets *solver, int number) {
    const rn_packet_tiles *t = solver->tiles;
    const int tx = number % t->nx, ty = number / t->nx, own = rn_tile_level(t, number);
    uint32_t finer = 0;
    for (int k = 0; k < RN_AROUND; k++) {
        const int other = rn_tile_number(solver, tx + k % 3 - 1, ty + k / 3 - 1);
        if (other >= 0 && rn_tile_level(t, other) < own) finer |= 1u << k;
    }
    return finer;
}

/* Bits of the cells around cell (x, y) of tile `e` that lie in the tiles of the bits `tiles`. */
static uint32_t finer_cells(const rn_tile_cells *e, int x, int y, uint32_t tiles) {
    uint32_t finer = 0;
    for (int k = 0; k < RN_AROUND; k++) {
        const int cx = x + k % 3 - 1, cy = y + k / 3 - 1;
        const int i = cx < e->x0 ? 0 : cx >= e->x1 ? 2 : 1, j = cy < e->y0 ? 0 : cy >= e->y1 ? 2 : 1;
        if (3 * j + i != RN_STAYS && (tiles >> (3 * j + i) & 1)) finer |= 1u << k;
    }
    return finer;
}

/* Bits of the fine cells around the quarter (sx, sy), each -1 or 1, of a cell that lie in finer tiles. `finer`: those
   bits for the cell itself. */
static uint32_t finer_around(uint32_t finer, int sx, int sy) {
    uint32_t around = 0;
    for (int k = 0; k < RN_AROUND; k++) {
        const int dx = k % 3 - 1, dy = k / 3 - 1, i = dx == sx ? dx : 0, j = dy == sy ? dy : 0;
        if ((i || j) && (finer >> (3 * (j + 1) + i + 1) & 1)) around |= 1u << k;
    }
    return around;
}

/* The connection of cell (x, y); `finer` as in rn_packet_connection. */
static rn_packet_connection make_connection(const rn_packet_level *level, int x, int y, uint32_t finer) {
    rn_packet_connection connection = {.x = x,
                                       .y = y,
                                       .slot = rn_slot(&level->grid, 0, y, x),
                                       .child = rn_slot(&level[-1].grid, 0, 2 * y, 2 * x),
                                       .finer = finer};
    for (int k = 0; k < 4; k++) connection.quarter_finer[k] = finer_around(finer, k % 2 ? 1 : -1, k / 2 ? 1 : -1);
    return connection;
}

/* Appends the connections of row y of level l to the first `count` of the level; returns the new count. Only cells at
   the sides of tiles have any. */
static int list_connections(const rn_packets *solver, int l, int y, int count) {
    const rn_packet_tiles *t = solver->tiles;
    const rn_packet_level *level = &t->at[l];
    for (int tx = 0; tx < t->nx; tx++) {
        const int number = (y << l) / RN_TILE * t->nx + tx;
        const uint32_t tiles = t->level[number] == l ? finer_tiles(solver, number) : 0;
        if (!tiles) continue;
        const rn_tile_cells e = rn_tile_extent(solver, number, l);
        const int step = y == e.y0 || y == e.y1 - 1 ? 1 : e.x1 - e.x0 - 1;
        for (int x = e.x0; x < e.x1; x += step) {
            const uint32_t finer = finer_cells(&e, x, y, tiles);
            if (finer) level->connections[count++] = make_connection(level, x, y, finer);
        }
    }
    return count;
}

/* The slot where the ghost of cell (x, y) is written: beyond a periodic edge, that of the original cell. */
static int32_t ghost_slot(const rn_columns *c, const rn_grid *g, int x, int y) {
    if (c->periodic_x) x = x < 0 ? x + g->nx : x >= g->nx ? x - g->nx : x;
    if (c->periodic_y) y = y < 0 ? y + g->ny : y >= g->ny ? y - g->ny : y;
    return rn_slot(g, 0, y, x);
}

/* The ghost that the cell of a connection sees at (dx, dy) from it: at a corner the mean of four fine cells, otherwise
   of two. Marks it as seen. */
static rn_packet_ghost make_ghost(const rn_packets *solver, const rn_packet_level *level, const rn_packet_connection *j,
                                  int dx, int dy) {
    const rn_grid *g = &level->grid, *below = &level[-1].grid;
    rn_packet_ghost ghost = {.home = ghost_slot(&solver->columns, g, j->x + dx, j->y + dy),
                             .slot = j->slot + dy * g->stride + dx,
                             .cell = j->slot,
                             .corner = dx && dy};
    const int x = 2 * j->x + (dx < 0 ? -1 : dx > 0 ? 2 : 0), y = 2 * j->y + (dy < 0 ? -1 : dy > 0 ? 2 : 0);
    const int32_t first = rn_slot(below, 0, y, x), corner = rn_slot(below, 0, 2 * (j->y + dy), 2 * (j->x + dx));
    for (int k = 0; k < 4; k++)
        ghost.fine[k] =
            ghost.corner ? corner + k / 2 * below->stride + k % 2 : first + k % 2 * (dx ? below->stride : 1);
    ghost.is_again = level->seen[ghost.home];
    level->seen[ghost.home] = 1;
    return ghost;
}

/* Lists the ghosts of a level above 0, those at sides first. Two cells may see the same ghost through two of its sides.
   A corner is listed only if no cell sees it through a side. There is room. */
static void list_ghosts(const rn_packets *solver, rn_packet_level *level) {
    const int connections = level->first_connection[level->grid.ny];
    level->ghost_count = 0;
    for (int corners = 0; corners < 2; corners++)
        for (int n = 0; n < connections; n++)
            for (int k = 0; k < RN_AROUND; k++) {
                const int dx = k % 3 - 1, dy = k / 3 - 1;
                if (!(level->connections[n].finer >> k & 1) || (dx && dy) != corners) continue;
                const rn_packet_ghost ghost = make_ghost(solver, level, &level->connections[n], dx, dy);
                if (!corners || !ghost.is_again) level->ghosts[level->ghost_count++] = ghost;
            }
    for (int n = 0; n < level->ghost_count; n++) level->seen[level->ghosts[n].home] = 0;
}

void rn_tiles_list(rn_packets *solver) {
    rn_packet_tiles *t = solver->tiles;
    t->active = 0;
    for (int l = 0; l <= t->levels; l++) {
        rn_packet_level *level = &t->at[l];
        int connections = 0;
        for (int y = -1; y <= level->grid.ny; y++) list_inside(solver, l, y);
        for (int y = -1; y <= level->grid.ny; y++) list_sends(solver, l, y, t->row);
        for (int y = 0; y < level->grid.ny; y++) {
            level->first_connection[y] = connections;
            if (l > 0) connections = list_connections(solver, l, y, connections);
        }
        level->first_connection[level->grid.ny] = connections;
        if (l > 0) list_ghosts(solver, level);
    }
}
