/* Pressure.

   p is in units of velocity: pressure times dt over density and cell size. Through an open part f of a face flows f u,
   so a liquid cell c has the equation sum over faces of f (p_c - p_neighbour) = - divergence of f u, with p = 0 in air.
   With ghost fluid p is 0 where the surface crosses the line between two centres, a share theta of the way (Gibou et
   al. 2002). With Gates' conditions it is 0 at the centres of free cells.

   Volume that particles lose by piling up is given back by a second solve, to a coarse tolerance, with the same matrix:
   crowded liquid gets a positive divergence, which moves particles but does not enter their momentum. */
#include "mac/pressure.h"

#include "mac/multigrid.h"
#include "mac/surface.h"

#include <string.h>

#define LEAST_THETA       0.02f
#define DENSITY_TOLERANCE 1e-2
#define MOST_CROWDED      1.0f /* density above rest, over rest, that is corrected at once */
#define NOISE             0.1f /* density above rest, over rest, of which half counts, and of less an ever smaller part */
#define MOST_SPARSE       (-0.25f)

/* ---- The system of equations --------------------------------------------------------------------------------------
 */

/* 1 over the share of the way from the centre of a liquid cell to that of a neighbour where p = 0. */
static float inverse_theta(const rn_mac *mac, int32_t liquid, int32_t other) {
    if (mac->def.surface == RN_MAC_GATES) return 1.0f;
    const float inside = mac->distance[liquid], outside = mac->distance[other], theta = inside / (inside - outside);
    return 1.0f / (theta < LEAST_THETA ? LEAST_THETA : theta > 1.0f ? 1.0f : theta);
}

/* What a face adds to the diagonal of liquid cell c. */
static float face_weight(const rn_mac *mac, int32_t c, int32_t other, float open) {
    switch (mac->kind[other]) {
    case RN_MAC_LIQUID:
    case RN_MAC_FREE: return open;
    case RN_MAC_AIR: return open * inverse_theta(mac, c, other);
    default: return 0.0f;
    }
}

/* Through the closed part of a face flows what a moving solid pushes or leaves. */
static float pushed_through(const rn_mac *mac, int a, int32_t face) {
    return mac->solid[a] ? (1.0f - mac->open[a][face]) * mac->solid[a][face] : 0.0f;
}

static float divergence_at(const rn_mac *mac, int32_t c) {
    float sum = 0.0f;
    for (int a = 0; a < 3; a++) {
        const int32_t next = c + mac->grid.step[a];
        sum += mac->open[a][next] * mac->velocity[a][next] - mac->open[a][c] * mac->velocity[a][c];
        sum += pushed_through(mac, a, next) - pushed_through(mac, a, c);
    }
    return sum;
}

/* Returns whether the cell has an open face to where p = 0. */
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
    return diagonal > links;
}

static void build_rows(void *context, int begin, int end, int worker) {
    (void)worker;
    rn_mac *mac = context;
    rn_mac_level *l = &mac->level[0];
    float *all[] = {l->link[0], l->link[1], l->link[2],    l->diagonal,    l->inverse, l->x,
                    l->b,       l->r,       mac->pressure, mac->direction, mac->image};
    for (int r = begin; r < end; r++) {
        const rn_mac_row row = rn_mac_row_of(&mac->grid, r);
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            memset(all[i] + row.at - 1, 0, (size_t)mac->grid.step[1] * sizeof(float));
        mac->has_surface[r] = false;
        if (!row.inside) continue;
        for (int32_t c = row.at; c < row.at + mac->grid.n[0]; c++)
            if (mac->kind[c] == RN_MAC_LIQUID && build_cell(mac, c)) mac->has_surface[r] = true;
        if (mac->def.periodic_x) l->link[0][row.at + mac->grid.n[0]] = l->link[0][row.at];
    }
}

/* Liquid that fills the box has no surface: only differences of its pressure count, and there is a solution only if the
   right sides add up to 0. */
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

/* ---- Velocities from pressure -------------------------------------------------------------------------------------
 */

/* The velocity that pressure takes from a face between cell c and the one before it. */
static float pressure_step(const rn_mac *mac, int32_t c, int32_t before) {
    const float *p = mac->pressure;
    const uint8_t here = mac->kind[c], there = mac->kind[before];
    if (here == RN_MAC_LIQUID && there == RN_MAC_AIR) return p[c] * inverse_theta(mac, c, before);
    if (there == RN_MAC_LIQUID && here == RN_MAC_AIR) return -p[before] * inverse_theta(mac, before, c);
    return p[c] - p[before]; /* p of free cells is 0 */
}

static void push_rows(void *context, int begin, int end, int worker) {
    (void)worker;
    rn_mac *mac = context;
    for (int r = begin; r < end; r++) {
        const rn_mac_row row = rn_mac_active_row(mac, r); /* faces at high open sides lie in the rim */
        for (int32_t c = row.at + (row.first < 0 ? 0 : row.first); c <= row.at + row.last; c++)
            for (int a = 0; a < 3; a++) {
                const int32_t before = c - mac->grid.step[a];
                if (!(mac->open[a][c] > 0.0f)) continue;
                if (!rn_mac_is_wet(mac->kind[c]) && !rn_mac_is_wet(mac->kind[before])) continue;
                mac->velocity[a][c] -= pressure_step(mac, c, before);
                mac->known[a][c] = RN_MAC_KNOWN;
            }
        if (mac->def.periodic_x && row.inside) mac->velocity[0][row.at + mac->grid.n[0]] = mac->velocity[0][row.at];
    }
}

void rn_mac_project(rn_mac *mac) {
    double left;
    rn_mac_each_row(mac, build_rows);
    balance(mac);
    rn_mac_multigrid_prepare(mac);
    const int iterations = rn_mac_multigrid_solve(mac, mac->def.tolerance, &left);
    if (iterations > mac->report.most_iterations) mac->report.most_iterations = iterations;
    if (left > mac->report.divergence) mac->report.divergence = left;
    rn_mac_each_row(mac, push_rows);
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

/* ---- Density ----------------------------------------------------------------------------------------------------- */

typedef struct density_task {
    rn_mac *mac;
    float rate; /* m/s: cell size over time */
} density_task;

static float room_of(const rn_mac *mac, int32_t c) { return mac->room ? mac->room[c] : 1.0f; }

/* The liquid part of a cell, by the distance of its centre to the surface. */
static float filled_part(const rn_mac *mac, int32_t c) {
    const float part = 0.5f - mac->distance[c], filled = part < 0.0f ? 0.0f : part > 1.0f ? 1.0f : part;
    return filled * room_of(mac, c);
}

/* A cell beyond a periodic end is the one at the other end. */
static int32_t inside_of(const rn_mac *mac, int32_t c) {
    if (!mac->def.periodic_x) return c;
    const int i = c % mac->grid.step[1] - 1;
    return i < 0 ? c + mac->grid.n[0] : i >= mac->grid.n[0] ? c - mac->grid.n[0] : c;
}

/* Density above rest over rest: particles in the 27 cells around, against those that fill the liquid part of these
   cells. Cells beside air count as right: there it depends on where in the cells the surface is, and correcting that
   would move the surface. */
static float excess_at(const rn_mac *mac, int32_t c) {
    const int32_t sy = mac->grid.step[1], sz = mac->grid.step[2];
    int32_t particles = 0;
    float filled = 0.0f;
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int32_t around = c + dy * sy + dz * sz - 1, last = around + 2; around <= last; around++) {
                const int32_t n = inside_of(mac, around);
                if (mac->kind[n] == RN_MAC_AIR) return 0.0f;
                if (mac->kind[n] == RN_MAC_SOLID) continue;
                particles += mac->start[n + 1] - mac->start[n];
                filled += filled_part(mac, n);
            }
    const float excess = (float)particles / ((float)RN_MAC_REST * (filled > 0.5f ? filled : 0.5f)) - 1.0f;
    const float size = excess < 0.0f ? -excess : excess, counted = excess * (size / (size + NOISE));
    return counted < MOST_SPARSE ? MOST_SPARSE : counted > MOST_CROWDED ? MOST_CROWDED : counted;
}

static void density_rows(void *context, int begin, int end, int worker) {
    (void)worker;
    const density_task *task = context;
    rn_mac *mac = task->mac;
    for (int r = begin; r < end; r++) {
        const rn_mac_row row = rn_mac_active_inside(mac, r);
        for (int32_t c = row.at + row.first; c <= row.at + row.last; c++)
            mac->level[0].b[c] =
                mac->level[0].diagonal[c] != 0.0f ? task->rate * room_of(mac, c) * excess_at(mac, c) : 0.0f;
    }
}

void rn_mac_restore_density(rn_mac *mac, double seconds) {
    density_task task = {.mac = mac, .rate = (float)((double)mac->cell / seconds)};
    double left;
    /* sliding along solids has used these as scratch, and coarse levels sum all fine cells */
    memset(mac->level[0].r, 0, (size_t)mac->grid.cells * sizeof(float));
    memset(mac->level[0].x, 0, (size_t)mac->grid.cells * sizeof(float));
    rn_parallel_for(mac->pool, mac->grid.rows, density_rows, &task);
    balance(mac);
    const int iterations = rn_mac_multigrid_solve(mac, DENSITY_TOLERANCE, &left);
    if (iterations > mac->report.most_density_iterations) mac->report.most_density_iterations = iterations;
    rn_mac_each_row(mac, push_rows);
}
