/* Implicit viscosity, all three components at once (Batty & Bridson 2008): the velocity u that minimises

     1/2 vol |u - u*|^2 + dt nu (vol_c (u_x^2 + v_y^2 + w_z^2) + 1/2 vol_e ((u_y + v_x)^2 + ...))

   with the liquid volumes vol around faces, centres of cells and edges of cells. Where there is no liquid there is no
   stress, so the surface is free of traction without any condition, and rigid rotation is not damped. Solved one
   component by itself, a spinning ball would stop.

   Stresses live at centres (xx, yy, zz) and on edges (xy, xz, yz). Walls are half a cell from the faces along them: a
   face beyond the wall has minus the speed of the one inside where the liquid sticks, and the same where it slips.
   Solids that cut cells give the faces inside them their own velocity.

   Conjugate gradients, preconditioned by the diagonal. Sums go row by row, in the order of rows. */
#include "mac/viscosity.h"

#include "base/memory.h"
#include "mac/drag.h"
#include "mac/solids.h"

#include <string.h>

enum {
    CENTRE = 3, /* volumes: 0 to 2 of faces, then of centres and edges */
    EDGE = 4,   /* xy, xz, yz */
    VOLUMES = 7,
    STRESSES = 6, /* xx, yy, zz, xy, xz, yz */
    MOST_ITERATIONS = 2000,
};
#define BARELY      (-0.25f) /* cells, distance to the surface in cells that are barely liquid */
#define LEAST_MASS  0.01f    /* of a face that stress acts on, so that no part of the liquid is without inertia */
#define LEAST_SHARE 0.1f     /* of the way between two faces, to a solid between them */
#define ENOUGH      1e-12    /* square of the residual over that of the right side, in the norm of the preconditioner */

struct rn_mac_viscous {
    float *volume[VOLUMES]; /* of a cell, from 0 to 1 */
    float *stress[STRESSES];
    float *inverse[3]; /* of the diagonal; 0: no unknown */
    float *x[3], *r[3], *direction[3], *image[3];
    double *sums;   /* of rows */
    float strength; /* nu dt / cell^2 */
};

/* Arrays over cells. X(pointer) */
#define ARRAYS(X)                                                                                                      \
    X(volume[0])                                                                                                       \
    X(volume[1])                                                                                                       \
    X(volume[2])                                                                                                       \
    X(volume[3])                                                                                                       \
    X(volume[4])                                                                                                       \
    X(volume[5])                                                                                                       \
    X(volume[6])                                                                                                       \
    X(stress[0])                                                                                                       \
    X(stress[1])                                                                                                       \
    X(stress[2])                                                                                                       \
    X(stress[3])                                                                                                       \
    X(stress[4])                                                                                                       \
    X(stress[5])                                                                                                       \
    X(inverse[0])                                                                                                      \
    X(inverse[1])                                                                                                      \
    X(inverse[2])                                                                                                      \
    X(x[0])                                                                                                            \
    X(x[1])                                                                                                            \
    X(x[2])                                                                                                            \
    X(r[0])                                                                                                            \
    X(r[1])                                                                                                            \
    X(r[2])                                                                                                            \
    X(direction[0])                                                                                                    \
    X(direction[1])                                                                                                    \
    X(direction[2])                                                                                                    \
    X(image[0])                                                                                                        \
    X(image[1])                                                                                                        \
    X(image[2])

bool rn_mac_viscosity_create(rn_mac *mac) {
    if (!(mac->def.viscosity > 0.0)) return true;
    rn_mac_viscous *v = mac->viscous = rn_alloc(&mac->hooks, 1, sizeof *v);
    if (!v) return false;
    const size_t cells = (size_t)mac->grid.cells, rows = (size_t)mac->grid.rows;
#define ALLOCATE(pointer)                                                                                              \
    if (!(v->pointer = rn_alloc(&mac->hooks, cells, sizeof(float)))) return false;
    ARRAYS(ALLOCATE)
#undef ALLOCATE
    v->sums = rn_alloc(&mac->hooks, rows, sizeof(double));
    return v->sums != NULL;
}

void rn_mac_viscosity_free(rn_mac *mac) {
    rn_mac_viscous *v = mac->viscous;
    if (!v) return;
#define RELEASE(pointer) rn_free(&mac->hooks, v->pointer);
    ARRAYS(RELEASE)
#undef RELEASE
    rn_free(&mac->hooks, v->sums);
    rn_free(&mac->hooks, v);
}

uint64_t rn_mac_viscosity_bytes(const rn_mac_grid *grid) {
#define COUNT(pointer) +1
    enum { COUNTED = 0 ARRAYS(COUNT) };
#undef COUNT
    return (uint64_t)COUNTED * (uint64_t)grid->cells * sizeof(float) + (uint64_t)grid->rows * sizeof(double);
}

/* The cell in the box that cell c, `i` cells along x, stands for: beyond a periodic end, that at the other end. Else c.
 */
static int32_t joined(const rn_mac *mac, int32_t c, int i) {
    if (!mac->def.periodic_x) return c;
    return i < 0 ? c + mac->grid.n[0] : i >= mac->grid.n[0] ? c - mac->grid.n[0] : c;
}

/* ---- Volumes ----------------------------------------------------------------------------------------------------- */

/* The number of particles in a cell that is barely liquid and lies beside a wall or a solid, divided by the number in a
   full cell; may exceed 1. Returns 0 for other cells, and for all cells if def.no_slip is not set. */
static float stranded(const rn_mac *mac, int32_t c) {
    const int32_t particles = mac->start[c + 1] - mac->start[c];
    if (!particles || mac->distance[c] <= BARELY || !mac->def.no_slip) return 0.0f;
    bool beside = false;
    for (int a = 0; a < 3; a++)
        beside = beside || mac->kind[c - mac->grid.step[a]] == RN_MAC_SOLID ||
                 mac->kind[c + mac->grid.step[a]] == RN_MAC_SOLID;
    return beside ? (float)particles / (float)RN_MAC_REST : 0.0f;
}

/* The liquid part, 0 to 1, of a cell's volume around a place: from the mean distance of those of the `count` cells at
   that place that are not solid; 0 if all are. Single particles on a wall have hardly a surface, but the wall must hold
   them: there, from their number if that is more. */
static float volume_around(const rn_mac *mac, const int32_t *cells, int count) {
    float sum = 0.0f, counted = 0.0f;
    int open = 0;
    for (int n = 0; n < count; n++) {
        if (mac->kind[cells[n]] == RN_MAC_SOLID) continue;
        sum += mac->distance[cells[n]];
        counted += stranded(mac, cells[n]);
        open++;
    }
    if (!open) return 0.0f;
    const float by_distance = 0.5f - sum / (float)open, by_count = counted / (float)open;
    const float part = by_distance > by_count ? by_distance : by_count;
    return part < 0.0f ? 0.0f : part > 1.0f ? 1.0f : part;
}

/* Whether the liquid sticks to the low or the high wall of an axis. */
static bool sticks(const rn_mac *mac, int axis, bool high) { return mac->def.no_slip >> (2 * axis + high) & 1u; }

/* Whether stress may act at a point that lies at `at` along an axis: not on walls where the liquid slips. */
static bool is_held(const rn_mac *mac, int axis, int at) {
    if (axis == 0 && mac->def.periodic_x) return true;
    if (at == 0) return sticks(mac, axis, false);
    if (at == mac->grid.n[axis]) return sticks(mac, axis, true);
    return true;
}

/* Whether an edge that is perpendicular to axes a and b, at cell `at`, lies in no side of the box. Periodic ends
   are no sides. a < b. */
static bool is_inner(const rn_mac *mac, const int at[3], int a, int b) {
    const bool in_a = (a == 0 && mac->def.periodic_x) || (at[a] > 0 && at[a] < mac->grid.n[a]);
    return in_a && at[b] > 0 && at[b] < mac->grid.n[b];
}

/* Liquid volumes (of a cell, 0 to 1) around the lower faces of cell c, `i` cells along x, that are open, at least in
   part. Others keep their 0. */
static void face_volumes(rn_mac *mac, int32_t c, int i) {
    for (int a = 0; a < 3; a++) {
        const int32_t cells[2] = {c, a == 0 ? joined(mac, c - 1, i - 1) : c - mac->grid.step[a]};
        if (mac->open[a][c] > 0.0f) mac->viscous->volume[a][c] = volume_around(mac, cells, 2);
    }
}

/* Whether the liquid may slip along a solid that one of the four faces around an edge lies in. The edge is the lower
   one of cell c that is perpendicular to axes a and b; `back` is the cell before c along a. */
static bool slips_at(const rn_mac *mac, int32_t c, int32_t back, int a, int b) {
    if (!mac->nodes || mac->def.no_slip & RN_MAC_SOLIDS) return false;
    const float *across = mac->open[a], *along = mac->open[b];
    return across[c] == 0.0f || across[c - mac->grid.step[b]] == 0.0f || along[c] == 0.0f || along[back] == 0.0f;
}

/* How much steeper the speed along axis a changes between two faces than over a cell, if a solid to which the liquid
   sticks lies between them: the inverse of the share of the way from the free face to the solid. Else 1. c: the first
   face, at cell `at` in the box; the other lies a cell before it along b. */
static float steepness(const rn_mac *mac, int a, int b, const int at[3], int32_t c) {
    const int32_t other = b == 0 ? joined(mac, c - 1, at[0] - 1) : c - mac->grid.step[b];
    const bool stuck = rn_mac_is_stuck(mac, a, c);
    if (stuck == rn_mac_is_stuck(mac, a, other)) return 1.0f;
    float slope[3], place[3];
    for (int n = 0; n < 3; n++) place[n] = (float)at[n] + (n == a ? 0.0f : 0.5f);
    const float here = rn_mac_solid_distance(mac, place, slope);
    place[b] -= 1.0f;
    if (place[0] < 0.0f) place[0] += (float)mac->grid.n[0]; /* the other side of a periodic end */
    const float there = rn_mac_solid_distance(mac, place, slope), inside = stuck ? here : there,
                outside = stuck ? there : here,
                share = outside > 0.0f && inside < 0.0f ? outside / (outside - inside) : 1.0f;
    return 1.0f / (share < LEAST_SHARE ? LEAST_SHARE : share);
}

/* Whether liquid sticks to solids that cut cells. */
static bool has_sticky_solid(const rn_mac *mac) { return mac->nodes && mac->def.no_slip & RN_MAC_SOLIDS; }

/* The factor, 1 to 1 / LEAST_SHARE, by which stress on the lower edge of cell c that is perpendicular to axes a and b
   grows beside a solid to which the liquid sticks. Always 1 in sides of the box. */
static float edge_steepness(const rn_mac *mac, int a, int b, const int at[3], int32_t c) {
    if (!has_sticky_solid(mac) || !is_inner(mac, at, a, b)) return 1.0f;
    const float one = steepness(mac, a, b, at, c), other = steepness(mac, b, a, at, c);
    return one == 1.0f ? other : other == 1.0f ? one : 0.5f * (one + other);
}

/* Liquid volumes (of a cell, 0 to 1), times edge_steepness, around those lower edges of cell c, which lies at `at`,
   that stress acts on. Others keep their 0. The edges in both periodic ends are the same. */
static void edge_volumes(rn_mac *mac, int32_t c, const int at[3]) {
    static const int axes[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    const int32_t here = joined(mac, c, at[0]);
    const int in[3] = {at[0] - (int)(c - here), at[1], at[2]};
    for (int e = 0; e < 3; e++) {
        const int a = axes[e][0], b = axes[e][1], along = 3 - a - b;
        const int32_t sb = mac->grid.step[b],
                      back = a == 0 ? joined(mac, here - 1, in[0] - 1) : here - mac->grid.step[a],
                      cells[4] = {here, back, here - sb, back - sb};
        if (at[along] < mac->grid.n[along] && is_held(mac, a, at[a]) && is_held(mac, b, at[b]) &&
            !(is_inner(mac, at, a, b) && slips_at(mac, here, back, a, b)))
            mac->viscous->volume[EDGE + e][c] = volume_around(mac, cells, 4) * edge_steepness(mac, a, b, in, here);
    }
}

/* A task over rows: clears all arrays of the solver, then finds the volumes around faces, centres and edges of active
   cells. */
static void volume_rows(void *context, int begin, int end, int worker) {
    (void)worker;
    rn_mac *mac = context;
    rn_mac_viscous *v = mac->viscous;
    for (int r = begin; r < end; r++) {
        const rn_mac_row row = rn_mac_active_row(mac, r);
#define CLEAR(pointer) memset(v->pointer + row.at - 1, 0, (size_t)mac->grid.step[1] * sizeof(float));
        ARRAYS(CLEAR)
#undef CLEAR
        if (row.j < 0 || row.k < 0) continue;
        for (int i = row.first < 0 ? 0 : row.first; i <= row.last; i++) {
            const int32_t c = row.at + i;
            const bool inside = row.inside && i < mac->grid.n[0];
            if (inside && mac->kind[c] != RN_MAC_SOLID) v->volume[CENTRE][c] = volume_around(mac, &c, 1);
            if (inside) face_volumes(mac, c, i);
            edge_volumes(mac, c, (const int[3]){i, row.j, row.k});
        }
    }
}

/* ---- The matrix -------------------------------------------------------------------------------------------------- */

/* Gives the face beyond one end of an axis the speed of the face inside, for the two components along the wall:
   reversed where the liquid sticks. */
static void mirror(const rn_mac *mac, float *const x[3], int axis, int32_t inner, int32_t outer, bool high) {
    const float sign = sticks(mac, axis, high) ? -1.0f : 1.0f;
    for (int a = 0; a < 3; a++)
        if (a != axis) x[a][outer] = sign * x[a][inner];
}

/* Sets the speed through a side of the box at face c: 0 at a wall. Open sides stay as they are. */
static void close_side(const rn_mac *mac, float *const x[3], int axis, int32_t c, bool high) {
    if (!rn_mac_is_open(mac, axis, high)) x[axis][c] = 0.0f;
}

/* Faces at and beyond both ends of the row along x whose cell i = 0 is `at`. */
static void mirror_ends(const rn_mac *mac, float *const x[3], int32_t at) {
    const int32_t end = at + mac->grid.n[0];
    if (mac->def.periodic_x) {
        for (int a = 0; a < 3; a++) {
            x[a][at - 1] = x[a][end - 1];
            x[a][end] = x[a][at];
        }
        return;
    }
    close_side(mac, x, 0, at, false);
    close_side(mac, x, 0, end, true);
    mirror(mac, x, 0, at, at - 1, false);
    mirror(mac, x, 0, end - 1, end, true);
}

/* Faces at and beyond a side of y or z, for the row of cells whose first has its lower face in that side. */
static void mirror_row(const rn_mac *mac, float *const x[3], int axis, int32_t wall, bool high) {
    const int32_t step = mac->grid.step[axis];
    for (int32_t c = wall - 1; c <= wall + mac->grid.n[0]; c++) {
        close_side(mac, x, axis, c, high);
        mirror(mac, x, axis, high ? c - step : c, high ? c : c - step, high);
    }
}

/* Sets the faces of x at and beyond all sides of the box, as rn_mac_stick_to_walls does for velocities. Rows beyond
   open sides count as rows of the box: they contain the faces in high sides. */
static void mirror_all(const rn_mac *mac, float *const x[3]) {
    const int *n = mac->grid.n, low[2] = {-rn_mac_is_open(mac, 1, false), -rn_mac_is_open(mac, 2, false)},
              high[2] = {n[1] + rn_mac_is_open(mac, 1, true), n[2] + rn_mac_is_open(mac, 2, true)};
    for (int k = low[1]; k < high[1]; k++)
        for (int j = low[0]; j < high[0]; j++) mirror_ends(mac, x, rn_mac_cell(&mac->grid, 0, j, k));
    for (int k = low[1]; k < high[1]; k++) {
        mirror_row(mac, x, 1, rn_mac_cell(&mac->grid, 0, 0, k), false);
        mirror_row(mac, x, 1, rn_mac_cell(&mac->grid, 0, n[1], k), true);
    }
    for (int j = low[0]; j < high[0]; j++) {
        mirror_row(mac, x, 2, rn_mac_cell(&mac->grid, 0, j, 0), false);
        mirror_row(mac, x, 2, rn_mac_cell(&mac->grid, 0, j, n[2]), true);
    }
}

/* Calls `copy` for all faces in open sides of the box along `axis`, with the next face inside the box. Does nothing in
   boxes of one cell, where that face lies in the other side. */
typedef void (*copy_face)(const rn_mac *mac, float *const x[3], int axis, int32_t side, int32_t inner);
static void each_open_face(const rn_mac *mac, float *const x[3], int axis, copy_face copy) {
    const rn_mac_grid *g = &mac->grid;
    const int b = (axis + 1) % 3, d = (axis + 2) % 3;
    for (int high = 0; high < 2; high++)
        for (int j = 0; rn_mac_is_open(mac, axis, high) && g->n[axis] > 1 && j < g->n[b]; j++)
            for (int k = 0; k < g->n[d]; k++) {
                const int32_t side =
                    rn_mac_cell(g, 0, 0, 0) + j * g->step[b] + k * g->step[d] + (high ? g->n[axis] * g->step[axis] : 0);
                copy(mac, x, axis, side, high ? side - g->step[axis] : side + g->step[axis]);
            }
}

/* A copy_face of the solve: a face in an open side has the speed of the next one inside, so that there is no stress
   between them. */
static void copy_speed(const rn_mac *mac, float *const x[3], int axis, int32_t side, int32_t inner) {
    (void)mac;
    x[axis][side] = x[axis][inner];
}

/* A copy_face for velocities after the solve: as copy_speed, if the face inside is known. */
static void copy_known(const rn_mac *mac, float *const x[3], int axis, int32_t side, int32_t inner) {
    if (mac->known[axis][inner]) x[axis][side] = x[axis][inner];
}

/* Work on one vector field, row by row. */
typedef struct field_task field_task;
typedef double (*row_work)(const field_task *task, const rn_mac_row *row);
struct field_task {
    rn_mac *mac;
    rn_mac_viscous *v;
    row_work work;
    float *const *x;
    float scale;
};

/* A task over rows: runs task->work on the active part of each. Stores its result in sums; 0 if none is active. */
static void work_on_rows(void *context, int begin, int end, int worker) {
    (void)worker;
    const field_task *task = context;
    for (int r = begin; r < end; r++) {
        const rn_mac_row row = rn_mac_active_inside(task->mac, r);
        task->v->sums[r] = row.last < row.first ? 0.0 : task->work(task, &row);
    }
}

/* Runs `work` on the active cells of all rows, in parallel. Returns the sum of its results, added in row order, so that
   the sum does not depend on the number of threads. */
static double over_rows(field_task *task, row_work work) {
    double sum = 0.0;
    task->work = work;
    rn_parallel_for(task->mac->pool, task->mac->grid.rows, work_on_rows, task);
    for (int r = 0; r < task->mac->grid.rows; r++) sum += task->v->sums[r];
    return sum;
}

/* A task over rows: finds the stresses of task->x at centres and on edges, times the liquid volume there and
   v->strength. Faces of x at and beyond the sides must be set. */
static void stress_rows(void *context, int begin, int end, int worker) {
    (void)worker;
    const field_task *task = context;
    const rn_mac *mac = task->mac;
    const rn_mac_viscous *v = mac->viscous;
    const int32_t sy = mac->grid.step[1], sz = mac->grid.step[2];
    const float *ux = task->x[0], *uy = task->x[1], *uz = task->x[2], k = v->strength;
    float *const *t = v->stress, *const *vol = v->volume;
    for (int r = begin; r < end; r++) {
        const rn_mac_row row = rn_mac_active_row(mac, r);
        if (row.j < 0 || row.k < 0) continue;
        const int32_t first = row.at + (row.first < 0 ? 0 : row.first), last = row.at + row.last;
        for (int32_t c = first; c <= last && row.inside; c++) {
            t[0][c] = 2.0f * k * vol[CENTRE][c] * (ux[c + 1] - ux[c]);
            t[1][c] = 2.0f * k * vol[CENTRE][c] * (uy[c + sy] - uy[c]);
            t[2][c] = 2.0f * k * vol[CENTRE][c] * (uz[c + sz] - uz[c]);
        }
        for (int32_t c = first; c <= last; c++) {
            t[3][c] = k * vol[EDGE][c] * ((ux[c] - ux[c - sy]) + (uy[c] - uy[c - 1]));
            t[4][c] = k * vol[EDGE + 1][c] * ((ux[c] - ux[c - sz]) + (uz[c] - uz[c - 1]));
            t[5][c] = k * vol[EDGE + 2][c] * ((uy[c] - uy[c - sz]) + (uz[c] - uz[c - sy]));
        }
        if (mac->def.periodic_x && row.last >= row.first) t[0][row.at - 1] = t[0][row.at + mac->grid.n[0] - 1];
    }
}

/* image = A x for the active part of a row, 0 where there is no unknown. Needs the stresses of x. Returns the sum of x
   image. */
static double apply_force(const field_task *task, const rn_mac_row *row) {
    const rn_mac *mac = task->mac;
    const rn_mac_viscous *v = task->v;
    float *const *t = v->stress, *const *x = task->x;
    double sum = 0.0;
    for (int32_t c = row->at + row->first; c <= row->at + row->last; c++) {
        for (int a = 0; a < 3; a++) {
            const float y =
                v->inverse[a][c] > 0.0f ? v->volume[a][c] * x[a][c] - rn_mac_stress_force(&mac->grid, t, a, c) : 0.0f;
            v->image[a][c] = y;
            sum += (double)y * (double)x[a][c];
        }
    }
    return sum;
}

/* image = A x. Returns the sum of x image. Sets task->x, the stresses, and the faces of x at and beyond the sides. */
static double apply(field_task *task, float *const x[3]) {
    task->x = x;
    mirror_all(task->mac, x);
    for (int a = 0; a < 3; a++) each_open_face(task->mac, x, a, copy_speed);
    rn_parallel_for(task->mac->pool, task->mac->grid.rows, stress_rows, task);
    return over_rows(task, apply_force);
}

/* ---- The solve --------------------------------------------------------------------------------------------------- */

/* Whether a lower face along axis a of a cell at this place along a lies in an open side. */
static bool is_open_side(const rn_mac *mac, int a, int at) { return at == 0 && rn_mac_is_open(mac, a, false); }

/* Finds the inverse of the diagonal and the first x (m/s) of the lower faces of cell c; raises volumes of unknowns to
   LEAST_MASS. Faces that stick to a solid (rn_mac_is_stuck) take its velocity and, like faces without liquid around
   them and faces in open sides, are no unknowns. `at`: the cell along x, y and z. */
static void diagonal_cell(rn_mac *mac, int32_t c, const int at[3]) {
    rn_mac_viscous *v = mac->viscous;
    const int32_t sy = mac->grid.step[1], sz = mac->grid.step[2];
    const float *centre = v->volume[CENTRE], *xy = v->volume[EDGE], *xz = v->volume[EDGE + 1],
                *yz = v->volume[EDGE + 2];
    const float stiffness[3] = {2.0f * (centre[c] + centre[c - 1]) + xy[c] + xy[c + sy] + xz[c] + xz[c + sz],
                                2.0f * (centre[c] + centre[c - sy]) + xy[c] + xy[c + 1] + yz[c] + yz[c + sz],
                                2.0f * (centre[c] + centre[c - sz]) + xz[c] + xz[c + 1] + yz[c] + yz[c + sy]};
    for (int a = 0; a < 3; a++) {
        const bool stuck = rn_mac_is_stuck(mac, a, c);
        if (stuck && mac->solid[a]) v->x[a][c] = mac->solid[a][c];
        if (stuck || is_open_side(mac, a, at[a]) || !(v->volume[a][c] + stiffness[a] > 1e-6f)) continue;
        if (v->volume[a][c] < LEAST_MASS) v->volume[a][c] = LEAST_MASS;
        v->inverse[a][c] = 1.0f / (v->volume[a][c] + v->strength * stiffness[a]);
        v->x[a][c] = mac->velocity[a][c];
    }
}

/* A task over rows: diagonal_cell for all active cells. */
static void diagonal_rows(void *context, int begin, int end, int worker) {
    (void)worker;
    rn_mac *mac = context;
    for (int r = begin; r < end; r++) {
        const rn_mac_row row = rn_mac_active_inside(mac, r);
        if (mac->def.periodic_x && row.inside)
            mac->viscous->volume[CENTRE][row.at - 1] = mac->viscous->volume[CENTRE][row.at + mac->grid.n[0] - 1];
        for (int i = row.first; i <= row.last; i++) diagonal_cell(mac, row.at + i, (const int[3]){i, row.j, row.k});
    }
}

/* The sum of the squares of the right side b over a row, in the norm of the preconditioner. */
static double right_side(const field_task *task, const rn_mac_row *row) {
    double sum = 0.0;
    for (int a = 0; a < 3; a++)
        for (int32_t c = row->at + row->first; c <= row->at + row->last; c++) {
            const float b = task->v->volume[a][c] * task->mac->velocity[a][c];
            sum += (double)b * (double)b * (double)task->v->inverse[a][c];
        }
    return sum;
}

/* Finds the first residual and direction of a row, from the image of x. Returns the sum of squares of the residual, in
   the norm of the preconditioner. */
static double start(const field_task *task, const rn_mac_row *row) {
    rn_mac_viscous *v = task->v;
    double left = 0.0;
    for (int a = 0; a < 3; a++)
        for (int32_t c = row->at + row->first; c <= row->at + row->last; c++) {
            const float inverse = v->inverse[a][c];
            if (!(inverse > 0.0f)) continue;
            v->r[a][c] = v->volume[a][c] * task->mac->velocity[a][c] - v->image[a][c];
            v->direction[a][c] = inverse * v->r[a][c];
            left += (double)v->r[a][c] * (double)v->direction[a][c];
        }
    return left;
}

/* x += scale direction, r -= scale image. Returns the sum of squares of the new residual, in the norm of `start`. */
static double advance(const field_task *task, const rn_mac_row *row) {
    rn_mac_viscous *v = task->v;
    double left = 0.0;
    for (int a = 0; a < 3; a++)
        for (int32_t c = row->at + row->first; c <= row->at + row->last; c++) {
            v->x[a][c] += task->scale * v->direction[a][c];
            const float residual = v->r[a][c] -= task->scale * v->image[a][c];
            left += (double)residual * (double)residual * (double)v->inverse[a][c];
        }
    return left;
}

/* direction = r / diagonal + scale direction. Returns 0. */
static double turn(const field_task *task, const rn_mac_row *row) {
    rn_mac_viscous *v = task->v;
    for (int a = 0; a < 3; a++)
        for (int32_t c = row->at + row->first; c <= row->at + row->last; c++)
            v->direction[a][c] = v->r[a][c] * v->inverse[a][c] + task->scale * v->direction[a][c];
    return 0.0;
}

/* The number of no-slip walls, sides of the box or solids, that lie half a cell beside the lower face along axis a of
   cell i in a row; 0 to 4. */
static int walls_beside(const rn_mac *mac, int a, const rn_mac_row *row, int i) {
    const int at[3] = {i, row->j, row->k};
    int count = 0;
    for (int b = 0; b < 3; b++) {
        if (b == a || (b == 0 && mac->def.periodic_x)) continue;
        count += (at[b] == 0 && sticks(mac, b, false)) + (at[b] == mac->grid.n[b] - 1 && sticks(mac, b, true));
        if (!mac->nodes || !(mac->def.no_slip & RN_MAC_SOLIDS)) continue;
        const int32_t c = row->at + i, step = mac->grid.step[b];
        count += at[b] > 0 && rn_mac_is_stuck(mac, a, c - step);
        count += at[b] < mac->grid.n[b] - 1 && rn_mac_is_stuck(mac, a, c + step);
    }
    return count;
}

/* Copies the solution to the velocities of faces that are unknowns, and of partly open faces that stick to a solid.
   Slows other known, open faces by walls_beside: single particles that lie on a wall are held as a cell full of liquid
   would be, or they would run off. Faces in open sides stay. Returns 0. */
static double take(const field_task *task, const rn_mac_row *row) {
    rn_mac *mac = task->mac;
    for (int i = row->first; i <= row->last; i++)
        for (int a = 0; a < 3; a++) {
            const int32_t c = row->at + i;
            if (is_open_side(mac, a, (const int[3]){i, row->j, row->k}[a])) continue;
            const bool stuck = mac->open[a][c] > 0.0f && rn_mac_is_stuck(mac, a, c);
            if (stuck || task->v->inverse[a][c] > 0.0f) mac->velocity[a][c] = task->v->x[a][c];
            else if (mac->known[a][c] && mac->open[a][c] > 0.0f)
                mac->velocity[a][c] /= 1.0f + 2.0f * task->v->strength * (float)walls_beside(mac, a, row, i);
        }
    return 0.0;
}

/* Runs conjugate gradients from x on, until the residual is small enough or after MOST_ITERATIONS, and accelerates
   bodies by the drag of dt (s). Needs volumes and the diagonal. Returns the number of iterations. */
static int solve(field_task *task, double dt) {
    rn_mac *mac = task->mac;
    rn_mac_viscous *v = task->v;
    rn_mac_drag_begin(mac, v->x);
    (void)apply(task, v->x);
    double left = over_rows(task, start) + rn_mac_drag_start(mac, v->stress, dt);
    const double right = over_rows(task, right_side), enough = ENOUGH * (right > left ? right : left);
    int iterations = 0;
    for (; iterations < MOST_ITERATIONS && left > enough; iterations++) {
        rn_mac_drag_aim(mac, v->direction);
        double steepness = apply(task, v->direction);
        steepness += rn_mac_drag_apply(mac, v->stress);
        if (!(steepness > 0.0)) break;
        task->scale = (float)(left / steepness);
        const double now = over_rows(task, advance) + rn_mac_drag_advance(mac, (double)task->scale);
        task->scale = (float)(now / left);
        left = now;
        over_rows(task, turn);
        rn_mac_drag_turn(mac, (double)task->scale);
    }
    if (mac->bodies.count) {
        (void)apply(task, v->x);
        rn_mac_drag_end(mac, v->stress, dt);
    }
    return iterations;
}

void rn_mac_viscosity(rn_mac *mac, double dt) {
    field_task task = {.mac = mac, .v = mac->viscous};
    mac->viscous->strength = (float)(mac->def.viscosity * dt / (mac->def.cell_size * mac->def.cell_size));
    rn_mac_each_row(mac, volume_rows);
    rn_mac_each_row(mac, diagonal_rows);
    const int iterations = solve(&task, dt);
    if (iterations > mac->report.most_viscosity_iterations) mac->report.most_viscosity_iterations = iterations;
    over_rows(&task, take);
    for (int a = 0; a < 3; a++) each_open_face(mac, mac->velocity, a, copy_known);
}

void rn_mac_stick_to_walls(rn_mac *mac) { mirror_all(mac, mac->velocity); }
