/* Pressure.

   p is in units of velocity: pressure times dt divided by density and cell size. The flow through a face with the
   open fraction f is f u, so a liquid cell c has the equation sum over faces of f (p_c - p_neighbour) = - divergence
   of f u, with p = 0 in air. With ghost fluid p is 0 where the surface crosses the line between two centres, a share
   theta of the way (Gibou et al. 2002). With Gates' conditions it is 0 at the centres of free cells. */
#include "mac/pressure.h"

#include "mac/bodies.h"
#include "mac/multigrid.h"
#include "mac/surface.h"
#include "mac/transfer.h"

#include <string.h>

#define LEAST_THETA 0.02f
#define MOST_HASTE  2.0f /* how much faster than a solid the liquid may leave a cell that the solid pushes it out of */

/* ---- The system of equations ------------------------------------------------------------------------------------- */

/* 1 / theta, theta being the share of the way from the centre of a liquid cell to that of a neighbour at which p =
   0. */
static float inverse_theta(const rn_mac *mac, int32_t liquid, int32_t other) {
    if (mac->def.surface == RN_MAC_GATES) return 1.0f;
    const float inside = mac->distance[liquid], outside = mac->distance[other], theta = inside / (inside - outside);
    return 1.0f / (theta < LEAST_THETA ? LEAST_THETA : theta > 1.0f ? 1.0f : theta);
}

/* The pressure of surface tension (times dt / (density * cell size), so in m/s) between the centres of a liquid cell
   and an air cell beside it; above 0 in drops. The curvature is taken where the smoothed surface crosses the line
   between the centres. It is not taken where the unsmoothed surface does: curvature grows towards the centre of a drop,
   so short waves would grow. */
static float surface_pressure(const rn_mac *mac, int32_t liquid, int32_t air) {
    const float inside = mac->curvature[liquid], outside = mac->curvature[air], in = mac->filled[liquid] - 0.5f,
                out = mac->filled[air] - 0.5f;
    if (inside == 0.0f || outside == 0.0f) return mac->tension * (inside + outside); /* only one of them is known */
    const float share = in > out ? in / (in - out) : 0.5f;
    return mac->tension * (inside + (share < 0.0f ? 0.0f : share > 1.0f ? 1.0f : share) * (outside - inside));
}

/* What surface tension adds to the right side of liquid cell c through a face. */
static float face_pull(const rn_mac *mac, int32_t c, int32_t other, float open) {
    return mac->kind[other] == RN_MAC_AIR ? open * inverse_theta(mac, c, other) * surface_pressure(mac, c, other)
                                          : 0.0f;
}

/* The contribution of a face to the diagonal of liquid cell c. */
static float face_weight(const rn_mac *mac, int32_t c, int32_t other, float open) {
    switch (mac->kind[other]) {
    case RN_MAC_LIQUID:
    case RN_MAC_FREE: return open;
    case RN_MAC_AIR: return open * inverse_theta(mac, c, other);
    default: return 0.0f;
    }
}

/* The divergence (m/s over a cell) that a moving solid causes in cell c by its closed parts of faces. Limited by what
   can leave through the open parts: from slivers of cells, as in corners that turn, liquid would shoot at any speed. */
static float pushed_at(const rn_mac *mac, int32_t c) {
    float sum = 0.0f, open = 0.0f, fastest = 0.0f;
    for (int a = 0; a < 3; a++)
        for (int high = 0; high < 2; high++) {
            const int32_t face = c + high * mac->grid.step[a];
            const float speed = mac->solid[a][face], size = speed < 0.0f ? -speed : speed;
            sum += (high ? 1.0f : -1.0f) * (1.0f - mac->open[a][face]) * speed;
            open += mac->open[a][face];
            fastest = size > fastest ? size : fastest;
        }
    const float most = MOST_HASTE * fastest * open;
    return sum > most ? most : sum < -most ? -most : sum;
}

/* The divergence of cell c (m/s per cell): outflow through open parts of faces and with moving solids. */
static float divergence_at(const rn_mac *mac, int32_t c) {
    float sum = 0.0f;
    for (int a = 0; a < 3; a++) {
        const int32_t next = c + mac->grid.step[a];
        sum += mac->open[a][next] * mac->velocity[a][next] - mac->open[a][c] * mac->velocity[a][c];
    }
    return mac->solid[0] ? sum + pushed_at(mac, c) : sum;
}

/* Finds links, diagonal and right side of liquid cell c. Returns true if the cell has an open face to where p = 0. */
static bool build_cell(rn_mac *mac, int32_t c) {
    rn_mac_level *l = &mac->level[0];
    float diagonal = 0.0f, links = 0.0f;
    for (int a = 0; a < 3; a++) {
        const int32_t step = mac->grid.step[a];
        if (mac->kind[c - step] == RN_MAC_LIQUID) l->link[a][c] = mac->open[a][c];
        links += l->link[a][c] + (mac->kind[c + step] == RN_MAC_LIQUID ? mac->open[a][c + step] : 0.0f);
        diagonal +=
            face_weight(mac, c, c - step, mac->open[a][c]) + face_weight(mac, c, c + step, mac->open[a][c + step]);
    }
    if (!(diagonal > 0.0f)) return false;
    l->diagonal[c] = diagonal;
    l->inverse[c] = 1.0f / diagonal;
    l->b[c] = -divergence_at(mac, c);
    for (int a = 0; a < 3 && mac->curvature; a++) {
        const int32_t step = mac->grid.step[a];
        l->b[c] += face_pull(mac, c, c - step, mac->open[a][c]) + face_pull(mac, c, c + step, mac->open[a][c + step]);
    }
    return diagonal > links;
}

/* Clears a row of the finest level. */
static void clear_row(rn_mac *mac, const rn_mac_row *row) {
    const rn_mac_level *l = &mac->level[0];
    float *all[] = {l->link[0], l->link[1], l->link[2], l->diagonal,   l->inverse,
                    l->x,       l->b,       l->r,       mac->pressure, mac->direction};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        memset(all[i] + row->at - 1, 0, (size_t)mac->grid.step[1] * sizeof(float));
}

/* A task over rows: clears the finest level, then builds all liquid cells and finds has_surface. Idle rows have no
   liquid; their links and diagonals are 0 from then on, and their other values are not used. */
static void build_rows(void *context, int begin, int end, int worker) {
    (void)worker;
    rn_mac *mac = context;
    rn_mac_level *l = &mac->level[0];
    for (int r = begin; r < end; r++) {
        const rn_mac_row row = rn_mac_row_of(&mac->grid, r);
        if (mac->built[r] || !mac->idle[r]) clear_row(mac, &row);
        mac->built[r] = !mac->idle[r];
        mac->has_surface[r] = false;
        if (!row.inside || mac->idle[r]) continue;
        for (int32_t c = row.at; c < row.at + mac->grid.n[0]; c++)
            if (mac->kind[c] == RN_MAC_LIQUID && build_cell(mac, c)) mac->has_surface[r] = true;
        if (mac->def.periodic_x) l->link[0][row.at + mac->grid.n[0]] = l->link[0][row.at];
    }
}

/* Makes the right sides sum to 0 if no cell has a surface: only then is there a solution, and only pressure
   differences matter. */
static void balance(rn_mac *mac) {
    const rn_mac_level *l = &mac->level[0];
    double sum = 0.0, count = 0.0;
    for (int r = 0; r < mac->grid.rows; r++)
        if (mac->has_surface[r]) return;
    for (int32_t c = 0; c < mac->grid.cells; c++)
        if (l->diagonal[c] != 0.0f) sum += (double)l->b[c], count += 1.0;
    for (int32_t c = 0; c < mac->grid.cells; c++)
        if (l->diagonal[c] != 0.0f) l->b[c] -= (float)(sum / count);
}

/* ---- Velocities from pressure ------------------------------------------------------------------------------------ */

/* The velocity (m/s) that pressure subtracts from the face between cell c and the one before it. pulled: with surface
   tension. */
static float pressure_step(const rn_mac *mac, int32_t c, int32_t before, bool pulled) {
    const float *p = mac->pressure;
    const uint8_t here = mac->kind[c], there = mac->kind[before];
    pulled = pulled && mac->curvature;
    if (here == RN_MAC_LIQUID && there == RN_MAC_AIR)
        return (p[c] - (pulled ? surface_pressure(mac, c, before) : 0.0f)) * inverse_theta(mac, c, before);
    if (there == RN_MAC_LIQUID && here == RN_MAC_AIR)
        return ((pulled ? surface_pressure(mac, before, c) : 0.0f) - p[before]) * inverse_theta(mac, before, c);
    return p[c] - p[before]; /* p of free cells is 0 */
}

/* Whether pressure acts on a face: it is open and beside liquid. */
static bool gets_pressure(const rn_mac *mac, int a, int32_t c) {
    if (!(mac->open[a][c] > 0.0f)) return false;
    return rn_mac_is_wet(mac->kind[c]) || rn_mac_is_wet(mac->kind[c - mac->grid.step[a]]);
}

/* A task over rows: subtracts pressure_step(), with surface tension, from the velocity of each open face beside liquid,
   and marks the face as known. Copies the first face of a periodic row to its end. */
static void push_rows(void *context, int begin, int end, int worker) {
    (void)worker;
    rn_mac *mac = context;
    for (int r = begin; r < end; r++) {
        const rn_mac_row row = rn_mac_active_row(mac, r); /* faces at high open sides lie in the rim */
        for (int32_t c = row.at + (row.first < 0 ? 0 : row.first); c <= row.at + row.last; c++)
            for (int a = 0; a < 3; a++) {
                if (!gets_pressure(mac, a, c)) continue;
                mac->velocity[a][c] -= pressure_step(mac, c, c - mac->grid.step[a], true);
                mac->known[a][c] = RN_MAC_KNOWN;
            }
        if (mac->def.periodic_x && row.inside) mac->velocity[0][row.at + mac->grid.n[0]] = mac->velocity[0][row.at];
    }
}

void rn_mac_project(rn_mac *mac, double seconds) {
    double left;
    mac->tension = (float)(mac->def.surface_tension * seconds / (mac->def.cell_size * mac->def.cell_size));
    rn_mac_each_row(mac, build_rows);
    rn_mac_bodies_drive(mac, seconds);
    balance(mac);
    rn_mac_multigrid_prepare(mac);
    const int iterations = rn_mac_multigrid_solve(mac, mac->def.tolerance, true, &left);
    if (iterations > mac->report.most_iterations) mac->report.most_iterations = iterations;
    if (left > mac->report.divergence) mac->report.divergence = left;
    rn_mac_each_row(mac, push_rows);
    rn_mac_bodies_push(mac, seconds);
}

float rn_mac_largest_divergence(const rn_mac *mac) {
    float most = 0.0f;
    for (int32_t c = 0; c < mac->grid.cells; c++) {
        if (mac->kind[c] != RN_MAC_LIQUID || mac->level[0].diagonal[c] == 0.0f) continue;
        const float size = divergence_at(mac, c);
        most = size > most ? size : -size > most ? -size : most;
    }
    return most;
}

/* ---- Shifts ------------------------------------------------------------------------------------------------------ */

/* Sets component a of the shift (m/s) and its `known` in one row: 0 and unknown where pressure does not act. */
static void shift_row(const rn_mac *mac, const rn_mac_row *row, int a) {
    float *shift = mac->shift[a] + row->at;
    memset(shift - 1, 0, (size_t)mac->grid.step[1] * sizeof *shift);
    memset(mac->known[a] + row->at - 1, RN_MAC_UNKNOWN, (size_t)mac->grid.step[1]);
    for (int i = row->first < 0 ? 0 : row->first; i <= row->last; i++) {
        const int32_t c = row->at + i;
        if (!gets_pressure(mac, a, c)) continue;
        shift[i] = -pressure_step(mac, c, c - mac->grid.step[a], false);
        mac->known[a][c] = RN_MAC_KNOWN;
    }
}

/* A task over rows: shift_row for all components. No particle is near idle rows. */
static void shift_rows(void *context, int begin, int end, int worker) {
    (void)worker;
    rn_mac *mac = context;
    for (int r = begin; r < end; r++) {
        if (mac->idle[r]) continue;
        const rn_mac_row row = rn_mac_active_row(mac, r);
        for (int a = 0; a < 3; a++) shift_row(mac, &row, a);
    }
}

void rn_mac_solve_shift(rn_mac *mac, double tolerance) {
    rn_mac_level *l = &mac->level[0];
    double left;
    rn_mac_clear(mac, l->r); /* coarse levels sum all fine cells */
    rn_mac_clear(mac, l->x);
    balance(mac);
    const int iterations = rn_mac_multigrid_solve(mac, tolerance, false, &left);
    if (iterations > mac->report.most_density_iterations) mac->report.most_density_iterations = iterations;
    mac->shift[0] = l->x;
    mac->shift[1] = l->b;
    mac->shift[2] = l->r;
    rn_mac_each_row(mac, shift_rows);
}
