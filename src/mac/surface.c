/* Finds the surface of the liquid.

   Cells with particles all around them are deep in the liquid, cells without any nearby are air. In between, the
   distance from a cell's centre to the surface follows from the weighted mean offset of the particles around it (Zhu
   & Bridson 2005). The mean offset in a half space filled with particles is a function of the distance to its
   surface; a table inverts it, so that flat surfaces have their true distance.

   With Gates' conditions a cell is liquid if it holds a particle, and free (p = 0) if it is liquid beside air. */
#include "mac/surface.h"

#include "mac/particle_sweeps.h"
#include "mac/solids.h"

#include <math.h>
#include <string.h>

enum { CROWD = 6 };            /* particles in a cell that is never air: it could be compressed without limit */
#define SHALLOW       (-0.05f) /* cells, distance of crowded cells that would be air */
#define WALL_DISTANCE (-0.5f)  /* cells, distance of cells whose centre is solid */
#define FAR           1.0f     /* cells, largest absolute distance */
#define BEYOND_GAP    0.75f /* cells, mean offset from an empty cell at a wall to liquid that does not reach the wall */

/* ---- The table --------------------------------------------------------------------------------------------------- */

/* The weighted mean offset (cells, 0 or more) from a point d (cells) above a half space to the part of the half space
   within RN_MAC_RADIUS; RN_MAC_RADIUS if there is none. The kernel is (1 - s^2)^3, and (1 - s^2)^4 integrated over
   planes. */
static double mean_offset(double d) {
    enum { STEPS = 1000 };
    const double R = (double)RN_MAC_RADIUS;
    double weight = 0.0, moment = 0.0;
    for (int i = 0; i < STEPS; i++) {
        const double z = -R + (R - d) * (i + 0.5) / STEPS, s = 1.0 - z * z / (R * R), w = s * s * s * s;
        weight += w;
        moment += w * z;
    }
    return weight > 0.0 ? -moment / weight : R;
}

/* The inverse of mean_offset: distance (cells) to the surface of a half space with this mean offset (cells). */
static double distance_of(double offset) {
    double low = -(double)RN_MAC_RADIUS, high = (double)RN_MAC_RADIUS;
    for (int i = 0; i < 40; i++) {
        const double middle = 0.5 * (low + high);
        if (mean_offset(middle) < offset) low = middle;
        else high = middle;
    }
    return 0.5 * (low + high);
}

void rn_mac_make_table(rn_mac *mac) {
    for (int t = 0; t <= RN_MAC_TABLE; t++) {
        const double d = distance_of((double)RN_MAC_RADIUS * t / RN_MAC_TABLE);
        mac->table[t] = (float)(d < -1.0 ? -1.0 : d > 1.0 ? 1.0 : d);
    }
}

/* The distance (cells) to a flat surface whose particles have this mean offset (cells), from the table. */
static float look_up(const rn_mac *mac, float offset) {
    const float place = offset * (RN_MAC_TABLE / RN_MAC_RADIUS);
    if (!(place < RN_MAC_TABLE)) return mac->table[RN_MAC_TABLE];
    const int t = (int)place;
    return mac->table[t] + (place - (float)t) * (mac->table[t + 1] - mac->table[t]);
}

/* ---- How full the neighbourhood is ------------------------------------------------------------------------------- */

/* Whether a cell has particles or no room for them. */
static bool is_full(const rn_mac *mac, int32_t c) {
    return mac->start[c] != mac->start[c + 1] || (mac->room && mac->room[c] < RN_MAC_ROOMLESS);
}

/* A task over rows: known[0] = number of full cells among a cell and its two neighbours along x. The rim counts as
   full, and idle rows get none. */
static void sum_along_x(void *context, int begin, int end, int worker) {
    (void)worker;
    rn_mac *mac = context;
    uint8_t *sums = mac->known[0], full[RN_MAC_LONGEST + 2];
    const int nx = mac->grid.n[0];
    for (int r = begin; r < end; r++) {
        if (mac->idle[r]) continue;
        const rn_mac_row row = rn_mac_row_of(&mac->grid, r);
        if (!row.inside) {
            memset(sums + row.at - 1, 3, (size_t)mac->grid.step[1]);
            continue;
        }
        for (int i = 0; i < nx; i++) full[1 + i] = is_full(mac, row.at + i);
        full[0] = mac->def.periodic_x ? full[nx] : 1;
        full[nx + 1] = mac->def.periodic_x ? full[1] : 1;
        for (int i = 0; i < nx; i++) sums[row.at + i] = (uint8_t)(full[i] + full[i + 1] + full[i + 2]);
    }
}

/* A task over rows: known[1] = number of full cells of the 3 x 3 around a cell in x and y, from the sums along x. */
static void sum_along_y(void *context, int begin, int end, int worker) {
    (void)worker;
    rn_mac *mac = context;
    const int32_t sy = mac->grid.step[1];
    const uint8_t *from = mac->known[0];
    uint8_t *to = mac->known[1];
    for (int r = begin; r < end; r++) {
        if (mac->idle[r]) continue;
        const rn_mac_row row = rn_mac_row_of(&mac->grid, r);
        if (!row.inside) memset(to + row.at - 1, 9, (size_t)sy);
        else
            for (int32_t c = row.at; c < row.at + mac->grid.n[0]; c++)
                to[c] = (uint8_t)(from[c - sy] + from[c] + from[c + sy]);
    }
}

/* ---- Distances --------------------------------------------------------------------------------------------------- */

/* The particles of cell (i, j, k) and the 26 around it, row by row, also across periodic ends. Returns the number of
   ranges. */
static int ranges_around(const rn_mac *mac, int i, int j, int k, rn_mac_range ranges[18]) {
    const int nx = mac->grid.n[0], low = i > 0 ? i - 1 : 0, high = i < nx - 1 ? i + 1 : nx - 1;
    int count = 0;
    for (int dk = -1; dk <= 1; dk++)
        for (int dj = -1; dj <= 1; dj++) {
            const int32_t at = rn_mac_cell(&mac->grid, 0, j + dj, k + dk); /* rows of the rim are empty */
            ranges[count++] = (rn_mac_range){.begin = mac->start[at + low], .end = mac->start[at + high + 1]};
            if (!mac->def.periodic_x || (i > 0 && i < nx - 1)) continue;
            const int other = i == 0 ? nx - 1 : 0;
            ranges[count++] = (rn_mac_range){.begin = mac->start[at + other],
                                             .end = mac->start[at + other + 1],
                                             .shift = i == 0 ? (float)-nx : (float)nx};
        }
    return count;
}

/* Removes the part of a summed offset, whose weights sum to `weight`, that points away from sides of the box beside a
   cell, also open ones. A wall is not air, so that part says nothing about a surface; unless the cell is empty and the
   mean offset is BEYOND_GAP or more: then there is air between the wall and the liquid. */
static void ignore_walls(const rn_mac *mac, const int cell[3], float weight, float offset[3]) {
    const int32_t c = rn_mac_cell(&mac->grid, cell[0], cell[1], cell[2]);
    const float most = mac->start[c] == mac->start[c + 1] ? BEYOND_GAP * weight : INFINITY;
    for (int a = mac->def.periodic_x ? 1 : 0; a < 3; a++) {
        if (cell[a] == 0 && offset[a] > 0.0f && offset[a] < most) offset[a] = 0.0f;
        if (cell[a] == mac->grid.n[a] - 1 && offset[a] < 0.0f && -offset[a] < most) offset[a] = 0.0f;
    }
}

/* Removes the part of an offset that points away from the solid, if the solid is nearer to the point `at` (cells) than
   RN_MAC_RADIUS. Needs `nodes`. */
static void ignore_solid(const rn_mac *mac, const float at[3], float offset[3]) {
    float slope[3];
    if (rn_mac_solid_distance(mac, at, slope) >= RN_MAC_RADIUS) return;
    const float length = slope[0] * slope[0] + slope[1] * slope[1] + slope[2] * slope[2] + 1e-9f;
    const float away = (offset[0] * slope[0] + offset[1] * slope[1] + offset[2] * slope[2]) / length;
    if (away > 0.0f)
        for (int a = 0; a < 3; a++) offset[a] -= away * slope[a];
}

/* Distance (cells) from the centre of cell (i, j, k) to the surface, negative in liquid; FAR without particles. */
static float distance_at(const rn_mac *mac, const rn_mac_particle_sweeps *sweeps, int i, int j, int k) {
    rn_mac_range ranges[18];
    const int cell[3] = {i, j, k}, count = ranges_around(mac, i, j, k, ranges);
    const float at[3] = {(float)i + 0.5f, (float)j + 0.5f, (float)k + 0.5f};
    float sums[4];
    sweeps->weigh(&mac->particles, at, ranges, count, sums);
    if (!(sums[0] > 1e-6f)) return FAR;
    float *offset = sums + 1;
    ignore_walls(mac, cell, sums[0], offset);
    if (mac->nodes) ignore_solid(mac, at, offset);
    const float squares = offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2];
    return look_up(mac, sqrtf(squares) / sums[0]);
}

/* Finds distances of the active cells of a row that are not solid; cells with a negative distance become liquid.
   Crowded cells always do. With Gates' conditions the distance is -0.5 in cells with particles, otherwise 0.5. Needs
   the sums in known[1]. */
static void find_row(rn_mac *mac, const rn_mac_particle_sweeps *sweeps, const rn_mac_row *row) {
    const int32_t sz = mac->grid.step[2];
    const uint8_t *full = mac->known[1];
    for (int i = row->first; i <= row->last; i++) {
        const int32_t c = row->at + i;
        if (mac->kind[c] == RN_MAC_SOLID) continue;
        const int sum = full[c - sz] + full[c] + full[c + sz];
        const int32_t here = mac->start[c + 1] - mac->start[c];
        float distance;
        if (mac->def.surface == RN_MAC_GATES) distance = here ? -0.5f : 0.5f;
        else distance = sum == 27 ? -FAR : sum == 0 ? FAR : distance_at(mac, sweeps, i, row->j, row->k);
        if (here >= CROWD && distance > SHALLOW) distance = SHALLOW;
        mac->distance[c] = distance;
        if (distance < 0.0f) mac->kind[c] = RN_MAC_LIQUID;
    }
}

/* Marks all cells of a row, including the rim, as solid or air, and as far from the surface. */
static void empty_row(rn_mac *mac, const rn_mac_row *row) {
    const int nx = mac->grid.n[0];
    uint8_t *kind = mac->kind + row->at;
    float *distance = mac->distance + row->at;
    for (int i = -1; i <= nx; i++) distance[i] = FAR;
    kind[-1] = rn_mac_is_closed(mac, row, -1) ? RN_MAC_SOLID : RN_MAC_AIR;
    kind[nx] = rn_mac_is_closed(mac, row, nx) ? RN_MAC_SOLID : RN_MAC_AIR;
    if (row->inside && !mac->nodes) memset(kind, RN_MAC_AIR, (size_t)nx);
    else
        for (int i = 0; i < nx; i++) kind[i] = rn_mac_is_closed(mac, row, i) ? RN_MAC_SOLID : RN_MAC_AIR;
}

/* A task over rows: first marks all cells of a row as solid or air at distance FAR, then finds distances and liquid in
   active cells. */
static void find_rows(void *context, int begin, int end, int worker) {
    (void)worker;
    rn_mac *mac = context;
    const rn_mac_particle_sweeps *sweeps = RN_ISA_CHOSEN(rn_mac_particle_sweeps);
    for (int r = begin; r < end; r++) {
        const rn_mac_row row = rn_mac_active_inside(mac, r);
        empty_row(mac, &row);
        find_row(mac, sweeps, &row);
    }
}

/* ---- Kinds ------------------------------------------------------------------------------------------------------- */

/* Whether a cut cell without room for particles lies beside or below liquid. As air it would drain that liquid. */
static bool belongs_to_liquid(const rn_mac *mac, int32_t c) {
    const int32_t sy = mac->grid.step[1], sz = mac->grid.step[2], around[5] = {c - 1, c + 1, c - sy, c + sy, c + sz};
    for (int n = 0; n < 5; n++)
        if (mac->kind[around[n]] == RN_MAC_LIQUID && mac->room[around[n]] >= RN_MAC_ROOMLESS) return true;
    return false;
}

/* A task over rows: sets known[2] to whether a cell is a cut cell of air that belongs to the liquid. */
static void fill_cut_cells(void *context, int begin, int end, int worker) {
    (void)worker;
    rn_mac *mac = context;
    for (int r = begin; r < end; r++) {
        const rn_mac_row row = rn_mac_active_inside(mac, r);
        for (int32_t c = row.at + row.first; c <= row.at + row.last; c++)
            mac->known[2][c] =
                mac->kind[c] == RN_MAC_AIR && mac->room[c] < RN_MAC_ROOMLESS && belongs_to_liquid(mac, c);
    }
}

/* Whether one of the six neighbours of a cell is air. */
static bool is_beside_air(const rn_mac *mac, int32_t c) {
    for (int a = 0; a < 3; a++)
        if (mac->kind[c - mac->grid.step[a]] == RN_MAC_AIR || mac->kind[c + mac->grid.step[a]] == RN_MAC_AIR)
            return true;
    return false;
}

/* A task over rows: sets known[2] of active cells to whether they are liquid beside air. */
static void find_free_cells(void *context, int begin, int end, int worker) {
    (void)worker;
    rn_mac *mac = context;
    for (int r = begin; r < end; r++) {
        const rn_mac_row row = rn_mac_active_inside(mac, r);
        for (int32_t c = row.at + row.first; c <= row.at + row.last; c++)
            mac->known[2][c] = mac->kind[c] == RN_MAC_LIQUID && is_beside_air(mac, c);
    }
}

/* Gives the active cells that are marked in known[2] a kind and a distance (cells). */
static void set_marked(rn_mac *mac, rn_mac_kind kind, float distance) {
    for (int r = 0; r < mac->grid.rows; r++) {
        const rn_mac_row row = rn_mac_active_inside(mac, r);
        for (int32_t c = row.at + row.first; c <= row.at + row.last; c++)
            if (mac->known[2][c]) {
                mac->kind[c] = (uint8_t)kind;
                mac->distance[c] = distance;
            }
    }
}

/* Copies kind and distance of periodic rows to the cells beyond their ends. */
static void copy_ends(rn_mac *mac) {
    for (int r = 0; r < mac->grid.rows; r++) {
        const int32_t low = rn_mac_row_of(&mac->grid, r).at, high = low + mac->grid.n[0];
        mac->kind[low - 1] = mac->kind[high - 1];
        mac->kind[high] = mac->kind[low];
        mac->distance[low - 1] = mac->distance[high - 1];
        mac->distance[high] = mac->distance[low];
    }
}

void rn_mac_find_surface(rn_mac *mac) {
    rn_mac_each_row(mac, sum_along_x);
    rn_mac_each_row(mac, sum_along_y);
    rn_mac_each_row(mac, find_rows);
    if (mac->def.periodic_x) copy_ends(mac);
    if (mac->room) {
        rn_mac_each_row(mac, fill_cut_cells);
        set_marked(mac, RN_MAC_LIQUID, WALL_DISTANCE);
        if (mac->def.periodic_x) copy_ends(mac);
    }
    if (mac->def.surface == RN_MAC_GATES) {
        rn_mac_each_row(mac, find_free_cells);
        set_marked(mac, RN_MAC_FREE, -0.5f);
        if (mac->def.periodic_x) copy_ends(mac);
    }
}
