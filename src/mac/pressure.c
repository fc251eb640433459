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

#include <math.h>
#include <string.h>

#define LEAST_THETA 0.02f
#define MOST_HASTE  2.0f /* how much faster than a solid the liquid may leave a cell that the solid pushes it out of */

/* ---- The system of equations ------------------------------------------------------------------------------------- */

/* 1 / theta, theta being the share of the way from the centre of a liquid cell to that of a neighbour at which p = 0,
   but at least LEAST_THETA. Always 1 with Gates' conditions. */
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

/* What surface tension adds to the right side of liquid cell c through the face to cell `other`: 0 unless `other` is
   air. Needs the curvature. */
static float face_pull(const rn_mac *mac, int32_t c, int32_t other, float open) {
    return mac->kind[other] == RN_MAC_AIR ? open * inverse_theta(mac, c, other) * surface_pressure(mac, c, other)
                                          : 0.0f;
}

/* What the face to cell `other` adds to the diagonal of liquid cell c. */
static float face_weight(const rn_mac *mac, int32_t c, int32_t other, float open) {
    switch (mac->kind[other]) {
    case RN_MAC_LIQUID:
    case RN_MAC_FREE: return open;
    case RN_MAC_AIR: return open * inverse_theta(mac, c, other);
    default: return 0.0f;
    }
}

/* The divergence (m/s over a cell) that a moving solid causes in cell c by its closed parts of faces. Limited to what
   leaves through the open parts at MOST_HASTE times the solid's speed: from slivers of cells, as in corners that turn,
   liquid would shoot at any speed. Needs velocities of the solid. */
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

/* Finds lower links, diagonal, inverse and right side of liquid cell c; all must be 0 before. A cell without open faces
   does not become an unknown. Returns true if the cell has an open face to where p = 0. */
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

/* ---- Closed pools ------------------------------------------------------------------------------------------------ */

/* Cells in the order in which a flood finds them. pressure of these cells is 1 meanwhile. */
typedef struct flood {
    rn_mac *mac;
    float *const *link; /* cells are connected through faces where it is above 0 */
    int32_t *found;     /* in mac->image, which the solver does not need yet */
    int32_t count;
} flood;

/* Adds cell c to a flood, unless it was found before. */
static void add_cell(flood *f, int32_t c) {
    if (f->mac->pressure[c] != 0.0f) return;
    f->mac->pressure[c] = 1.0f;
    f->found[f->count++] = c;
}

/* Adds the cells to which c has a link to a flood. Returns true if the diagonal of c is more than its links: if the
   links are those of level 0, c also has an open face to where p = 0. */
static bool add_linked(flood *f, int32_t c) {
    const rn_mac *mac = f->mac;
    const rn_mac_level *l = &mac->level[0];
    const int nx = mac->grid.n[0], i = mac->def.periodic_x ? (int)(c % mac->grid.step[1]) - 1 : -1;
    float links = 0.0f; /* in the order of build_cell, so that rounding is the same */
    for (int a = 0; a < 3; a++) {
        const int32_t step = mac->grid.step[a];
        const float low = f->link[a][c], high = f->link[a][c + step];
        links += low + high;
        if (low > 0.0f) add_cell(f, a == 0 && i == 0 ? c + nx - 1 : c - step);
        if (high > 0.0f) add_cell(f, a == 0 && i == nx - 1 ? c - nx + 1 : c + step);
    }
    return l->diagonal[c] > links;
}

/* Adds the whole pool of cell c, which must not be found yet, to a flood. Returns true if the pool has a surface. */
static bool add_pool(flood *f, int32_t c) {
    bool surface = false;
    int32_t n = f->count;
    for (add_cell(f, c); n < f->count; n++) surface = add_linked(f, f->found[n]) || surface;
    return surface;
}

/* Makes the right sides of `count` cells sum to 0. */
static void balance_cells(const rn_mac *mac, const int32_t *cells, int32_t count) {
    double sum = 0.0;
    for (int32_t n = 0; n < count; n++) sum += (double)mac->level[0].b[cells[n]];
    for (int32_t n = 0; n < count; n++) mac->level[0].b[cells[n]] -= (float)(sum / count);
}

/* Whether some pool beside a body has been found. */
static bool touches_found(const flood *f, const rn_mac_body_cells *b) {
    for (size_t n = 0; n < b->count; n++)
        if (f->mac->level[0].diagonal[b->cells[n].cell] != 0.0f && f->mac->pressure[b->cells[n].cell] != 0.0f)
            return true;
    return false;
}

/* Adds the pools beside a body to a flood, and marks the body as joined. Returns true if one of them that was not found
   before has a surface. */
static bool join_body(flood *f, rn_mac_body_cells *b) {
    bool surface = false;
    b->joined = true;
    for (size_t n = 0; n < b->count; n++) {
        const int32_t c = b->cells[n].cell;
        if (f->mac->level[0].diagonal[c] != 0.0f && f->mac->pressure[c] == 0.0f) surface = add_pool(f, c) || surface;
    }
    return surface;
}

/* Adds the pools beside all bodies that are not joined yet and touch a pool that was found, and so on. Returns true if
   one of these pools has a surface. */
static bool join_neighbours(flood *f) {
    const rn_mac_bodies *all = &f->mac->bodies;
    bool surface = false;
    for (int i = 0; i < all->count; i++)
        if (!all->list[i].joined && touches_found(f, &all->list[i])) {
            surface = join_body(f, &all->list[i]) || surface;
            i = -1; /* others may touch these pools */
        }
    return surface;
}

/* Adds the pools beside bodies that are free to move to a flood, which must be empty. A body joins its pools: it gives
   way to one by pushing another. So pools that bodies join are balanced together, unless one has a surface. */
static void add_body_pools(flood *f) {
    const rn_mac_bodies *all = &f->mac->bodies;
    for (int i = 0; i < all->count; i++) all->list[i].joined = isinf(all->list[i].body.mass);
    for (int i = 0; i < all->count; i++) {
        if (all->list[i].joined) continue;
        const int32_t first = f->count;
        const bool own = join_body(f, &all->list[i]), others = join_neighbours(f);
        if (!own && !others && f->count > first) balance_cells(f->mac, f->found + first, f->count - first);
    }
}

/* Makes the right sides of each pool without a surface sum to 0; with `bodies`, those of all pools
   that the same free bodies join together. pressure must be 0, and is so again. */
static void balance_pools(rn_mac *mac, bool bodies) {
    flood f = {.mac = mac, .link = mac->level[0].link, .found = (int32_t *)(void *)mac->image};
    if (bodies) add_body_pools(&f);
    for (int r = 0; r < mac->grid.rows; r++) {
        const rn_mac_row row = rn_mac_row_of(&mac->grid, r);
        for (int32_t c = row.at; row.inside && c < row.at + mac->grid.n[0]; c++) {
            if (mac->level[0].diagonal[c] == 0.0f || mac->pressure[c] != 0.0f) continue;
            const int32_t first = f.count;
            if (!add_pool(&f, c)) balance_cells(mac, f.found + first, f.count - first);
        }
    }
    for (int32_t n = 0; n < f.count; n++) mac->pressure[f.found[n]] = 0.0f;
}

/* Whether a cell has an open face. */
static bool has_open_face(const rn_mac *mac, int32_t c) {
    for (int a = 0; a < 3; a++)
        if (mac->open[a][c] > 0.0f || mac->open[a][c + mac->grid.step[a]] > 0.0f) return true;
    return false;
}

/* A task over rows: sets pressure to 0 in cells of the box that have an open face, and to 1 elsewhere. */
static void mark_closed_rows(void *context, int begin, int end, int worker) {
    (void)worker;
    rn_mac *mac = context;
    for (int r = begin; r < end; r++) {
        const rn_mac_row row = rn_mac_row_of(&mac->grid, r);
        for (int i = -1; i <= mac->grid.n[0]; i++) {
            const bool in_box = row.inside && i >= 0 && i < mac->grid.n[0];
            mac->pressure[row.at + i] = in_box && has_open_face(mac, row.at + i) ? 0.0f : 1.0f;
        }
    }
}

void rn_mac_find_parts(rn_mac *mac) {
    flood f = {.mac = mac, .link = mac->open, .found = (int32_t *)(void *)mac->image};
    rn_mac_each_row(mac, mark_closed_rows);
    mac->has_parts = false;
    for (int32_t c = 0; c < mac->grid.cells && !mac->has_parts; c++) {
        if (mac->pressure[c] != 0.0f) continue;
        mac->has_parts = f.count > 0;
        if (!mac->has_parts) (void)add_pool(&f, c);
    }
}

/* Makes the right sides of all unknowns sum to 0. */
static void balance_all(rn_mac *mac) {
    const rn_mac_level *l = &mac->level[0];
    double sum = 0.0, count = 0.0;
    for (int32_t c = 0; c < mac->grid.cells; c++)
        if (l->diagonal[c] != 0.0f) sum += (double)l->b[c], count += 1.0;
    for (int32_t c = 0; c < mac->grid.cells; c++)
        if (l->diagonal[c] != 0.0f) l->b[c] -= (float)(sum / count);
}

/* Makes the right sides of pools without a surface sum to 0: otherwise there would be no solution. Only differences of
   pressure matter in such a pool. It fills a part of the box that has no connection to others: if there are no such
   parts, the whole box. bodies: whether bodies give way to the pressure. Needs has_surface, has_parts and a pressure of
   0. */
static void balance(rn_mac *mac, bool bodies) {
    bool surface = false;
    for (int r = 0; r < mac->grid.rows; r++) surface = surface || mac->has_surface[r];
    if (mac->has_parts) balance_pools(mac, bodies);
    else if (!surface) balance_all(mac);
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
    balance(mac, true);
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
    if (mac->def.surface == RN_MAC_GATES)
        rn_mac_clear(mac, mac->direction); /* free cells are no unknowns, but not air */
    balance(mac, false);
    const int iterations = rn_mac_multigrid_solve(mac, tolerance, false, &left);
    if (iterations > mac->report.most_density_iterations) mac->report.most_density_iterations = iterations;
    mac->shift[0] = l->x;
    mac->shift[1] = l->b;
    mac->shift[2] = l->r;
    rn_mac_each_row(mac, shift_rows);
}
