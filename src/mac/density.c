/* Density.

   Velocities without divergence keep the density of liquid, but particles that follow them step by step drift together
   and apart. A second solve with the matrix of the pressure, to a coarse tolerance, gives crowded liquid a positive
   divergence and sparse liquid a negative one. The result moves particles but does not enter their momentum (after
   Kugelstadt et al. 2019).

   Density is found by trilinear weights at the centres of cells, compared with that of liquid at rest in the same
   place, and both are smoothed (1, 2, 1). These filters only weaken waves of density: a count over 3 x 3 x 3 cells
   would turn the sign of short ones, and the correction would make them grow. Without smoothing, correcting the noise
   of single cells carries particles from noisy places, like the sheared foot of a film, to quiet ones.

   How full cells near air are depends on where in them the surface is, and correcting each by itself would roughen the
   surface. So one by one they are corrected only if they hold more than full cells would (not with markers). In blocks
   of cells, where noise averages out, the particles near air are compared with the volume below the surface: else
   liquid that sloshes would crowd there and lose volume. */
#include "mac/density.h"

#include "mac/faces.h"
#include "mac/pressure.h"
#include "mac/solids.h"
#include "mac/surface.h"
#include "mac/transfer.h"

#include <string.h>

enum {
    LAYERS = 2,       /* of faces beyond the liquid that move with it */
    BLOCK = 4,        /* cells along each axis whose mean density is corrected without regard to noise */
    ENOUGH_CELLS = 8, /* in a block, for a mean */
};
#define TOLERANCE    1e-2
#define MOST_CROWDED 1.0f  /* largest excess over rest density, relative to it, that is corrected at once */
#define MOST_SPARSE  0.25f /* the same below rest density */
/* Deviation from rest density, relative to it, of which half counts; smaller ones count ever less. */
#define CROWDED_NOISE 0.07f
#define SPARSE_NOISE  0.03f
#define SURFACE_NOISE 0.1f  /* once more, of crowded cells near air */
#define SURFACE_SHARE 0.75f /* of the excess of cells near air in a block that is corrected; more makes waves grow */
#define HASTE         3.0f  /* how much faster the means of blocks are corrected than single cells */
/* The same for crowded blocks of a viscous liquid, whose waves do not break, so that it loses hardly any volume. */
#define VISCOUS_HASTE 1.0f
#define LEAST_FILLED  0.1f       /* of a cell's neighbourhood, to be corrected */
#define NEAR          2.5f       /* cells, from a solid to cells that it cuts, or their neighbours */
#define AIR_STEP      2.0f       /* what the smallest trilinear weight of a cell, 1/512, makes of AIR */
#define AIR           (-1024.0f) /* added to the filled part of air cells; filtered, it is a multiple of AIR_STEP */

typedef struct density_task {
    rn_mac *mac;
    float rate;               /* m/s: cell size over time */
    float *have, *want;       /* particles found at centres of cells, and those that should be there over RN_MAC_REST */
    float *have_to, *want_to; /* what the next pass writes */
    float *shallow;           /* near air: particles found less those that the liquid part of the cell should have */
} density_task;

/* The open fraction of a cell, 1 without a solid. */
static float room_of(const rn_mac *mac, int32_t c) { return mac->room ? mac->room[c] : 1.0f; }

/* The liquid part of a cell, 0 to 1, by the distance of its centre to the surface and its room; plus AIR for air
   cells. 0 for solid cells. */
static float filled_part(const rn_mac *mac, int32_t c) {
    if (mac->kind[c] == RN_MAC_SOLID) return 0.0f;
    const float part = 0.5f - mac->distance[c], filled = part < 0.0f ? 0.0f : part > 1.0f ? 1.0f : part;
    return filled * room_of(mac, c) + (mac->kind[c] == RN_MAC_AIR ? AIR : 0.0f);
}

/* What is left of a filtered liquid part without AIR: 0 to 1. */
static float without_air(float part) {
    return part < 0.0f ? part + AIR_STEP * (float)(int)(0.75f - part / AIR_STEP) : part;
}

/* Fills the cells beyond the ends of a row, which points to cell i = 0: from the other end if x is periodic, otherwise
   with `past`. */
static void set_ends(const rn_mac *mac, float *row, float past) {
    const int n = mac->grid.n[0];
    row[-1] = mac->def.periodic_x ? row[n - 1] : past;
    row[n] = mac->def.periodic_x ? row[0] : past;
}

/* A task over rows: sets `want` to filled_part of each cell, also in the rim; beyond periodic ends, to that of the cell
   at the other end. Here as below, idle rows are left out. */
static void filled_part_rows(void *context, int begin, int end, int worker) {
    (void)worker;
    const density_task *task = context;
    const rn_mac *mac = task->mac;
    for (int r = begin; r < end; r++) {
        if (mac->idle[r]) continue;
        float *row = task->want + rn_mac_row_of(&mac->grid, r).at;
        for (int i = -1; i <= mac->grid.n[0]; i++) row[i] = filled_part(mac, (int32_t)(row - task->want) + i);
        if (mac->def.periodic_x) set_ends(mac, row, 0.0f);
    }
}

/* ---- Filters ----------------------------------------------------------------------------------------------------- */

/* Along one axis, for `count` cells: `side` times both neighbours plus the rest of 1 times the cell itself. */
static void blur_row(const float *from, float *to, int32_t step, float side, int count) {
    const float middle = 1.0f - 2.0f * side;
    for (int i = 0; i < count; i++) to[i] = side * (from[i - step] + from[i + step]) + middle * from[i];
}

/* The weight of each of the two neighbours of a cell along an axis: by trilinear weights at the centre of the cell, and
   in the smoothing (1, 2, 1) / 4. */
#define TRILINEAR 0.125f
#define SMOOTH    0.25f

typedef struct blur_task {
    const density_task *density;
    int axis;
    bool smooth;
} blur_task;

/* A task over rows: filters `want` along task->axis into want_to, with task->smooth also `have` into have_to. Skips
   rows that later axes do not need: for y those beyond the sides of y, for z all rows of the rim. */
static void blur_rows(void *context, int begin, int end, int worker) {
    (void)worker;
    const blur_task *task = context;
    const density_task *d = task->density;
    const rn_mac_grid *g = &d->mac->grid;
    for (int r = begin; r < end; r++) {
        const rn_mac_row row = rn_mac_row_of(g, r);
        if (d->mac->idle[r]) continue;
        if ((task->axis > 0 && (row.j < 0 || row.j >= g->n[1])) || (task->axis > 1 && !row.inside)) continue;
        const int32_t step = g->step[task->axis];
        blur_row(d->want + row.at, d->want_to + row.at, step, task->smooth ? SMOOTH : TRILINEAR, g->n[0]);
        if (task->smooth) blur_row(d->have + row.at, d->have_to + row.at, step, SMOOTH, g->n[0]);
    }
}

/* Swaps two arrays. */
static void swap(float **a, float **b) {
    float *kept = *a;
    *a = *b;
    *b = kept;
}

/* Filters `want` along all three axes as trilinear weights do; with `smooth`, smooths `want` and `have` instead. Reads
   the rim, but gives no valid values there. */
static void blur(density_task *d, bool smooth) {
    for (int axis = 0; axis < 3; axis++) {
        blur_task task = {.density = d, .axis = axis, .smooth = smooth};
        rn_parallel_for(d->mac->pool, d->mac->grid.rows, blur_rows, &task);
        swap(&d->want, &d->want_to);
        if (smooth) swap(&d->have, &d->have_to);
    }
}

/* ---- Solids ------------------------------------------------------------------------------------------------------ */

/* Moves a position (cells) beyond a periodic end to the other end. Returns false if it lies beyond the box, which
   counts as solid. */
static bool bring_inside(const rn_mac *mac, float at[3]) {
    const float n = (float)mac->grid.n[0];
    if (mac->def.periodic_x) at[0] += at[0] < 0.0f ? n : at[0] > n ? -n : 0.0f;
    for (int a = 0; a < 3; a++)
        if (at[a] < 0.0f || at[a] > (float)mac->grid.n[a]) return false;
    return true;
}

/* The open part, 0 to 1, around the centre of a cell, by trilinear weights and the solid's distance in cubes of half a
   cell. What lies beyond the box is not open. */
static float open_around(const rn_mac *mac, const int cell[3]) {
    static const float weight[4] = {0.125f, 0.375f, 0.375f, 0.125f};
    float sum = 0.0f, slope[3];
    for (int n = 0; n < 64; n++) {
        const int half[3] = {n & 3, n >> 2 & 3, n >> 4};
        float at[3];
        for (int a = 0; a < 3; a++) at[a] = (float)cell[a] + 0.5f * (float)half[a] - 0.25f;
        if (!bring_inside(mac, at)) continue;
        const float part = 0.5f + 2.0f * rn_mac_solid_distance(mac, at, slope);
        sum += weight[half[0]] * weight[half[1]] * weight[half[2]] * (part < 0.0f ? 0.0f : part > 1.0f ? 1.0f : part);
    }
    return sum;
}

/* The open part, 0 to 1, around the centre of a cell, by trilinear weights from the rooms of the 27 cells around it, as
   blur finds it in a substep. What lies beyond the box is not open. */
static float rooms_around(const rn_mac *mac, const int cell[3]) {
    static const float weight[3] = {TRILINEAR, 1.0f - 2.0f * TRILINEAR, TRILINEAR};
    float sum = 0.0f;
    for (int n = 0; n < 27; n++) {
        const int step[3] = {n % 3, n / 3 % 3, n / 9};
        float at[3];
        for (int a = 0; a < 3; a++) at[a] = (float)(cell[a] + step[a]) - 0.5f;
        if (!bring_inside(mac, at)) continue;
        sum += weight[step[0]] * weight[step[1]] * weight[step[2]] *
               mac->room[rn_mac_cell(&mac->grid, (int)at[0], (int)at[1], (int)at[2])];
    }
    return sum;
}

/* A task over rows: finds room_seen of all cells in the box; 1 farther than NEAR from the solid's surface, and where
   rooms leave no more than LEAST_FILLED open. */
static void see_rows(void *context, int begin, int end, int worker) {
    (void)worker;
    rn_mac *mac = context;
    for (int r = begin; r < end; r++) {
        const rn_mac_row row = rn_mac_row_of(&mac->grid, r);
        for (int i = 0; row.inside && i < mac->grid.n[0]; i++) {
            const int cell[3] = {i, row.j, row.k};
            const float at[3] = {(float)i + 0.5f, (float)row.j + 0.5f, (float)row.k + 0.5f};
            float slope[3], *seen = &mac->room_seen[row.at + i];
            const float distance = rn_mac_solid_distance(mac, at, slope);
            *seen = 1.0f;
            if (distance < -NEAR || distance > NEAR) continue;
            const float rooms = rooms_around(mac, cell);
            if (rooms > LEAST_FILLED) *seen = open_around(mac, cell) / rooms;
        }
    }
}

void rn_mac_see_rooms(rn_mac *mac) { rn_mac_each_row(mac, see_rows); }

/* ---- Excess ------------------------------------------------------------------------------------------------------ */

/* The part of `excess` that counts: half of it at `noise`, nearly all if it is much larger. */
static float above_noise(float excess, float noise) {
    const float size = excess < 0.0f ? -excess : excess;
    return excess * (size / (size + noise));
}

/* Limits an excess of density, relative to rest, to -MOST_SPARSE and MOST_CROWDED. */
static float within_limits(float part) {
    return part < -MOST_SPARSE ? -MOST_SPARSE : part > MOST_CROWDED ? MOST_CROWDED : part;
}

/* The part of an excess of density (over rest, negative where sparse) that is corrected: above noise, and within
   limits. */
static float counted(float excess) {
    return within_limits(above_noise(excess, excess < 0.0f ? SPARSE_NOISE : CROWDED_NOISE));
}

/* The part of the excess of density that is corrected in a cell near air where trilinear weights find `have`
   particles: only what exceeds a full cell, and noise. 0 with markers, because there the grid carries the velocity. */
static float counted_near_air(const rn_mac *mac, float have) {
    const float excess = have / (float)RN_MAC_REST - 1.0f;
    return excess > 0.0f && mac->def.transfer != RN_MAC_MARKERS ? counted(above_noise(excess, SURFACE_NOISE)) : 0.0f;
}

/* Prepares a cell for the smoothing; needs `have` from rn_mac_find_density and the filtered `want`. Unknowns that are
   not near air and more than LEAST_FILLED full take part: b and `want` become the particles that they should have. All
   others get `have` and `want` 0, and b 0 or, if an unknown is near air, minus the excess that counts. `shallow`
   becomes, near air, the particles found less those that fill the liquid part; elsewhere 0. */
static void choose_cell(const density_task *task, int32_t c) {
    const rn_mac *mac = task->mac;
    float *have = &task->have[c], *want = &task->want[c], *b = &mac->level[0].b[c];
    const bool unknown = mac->level[0].diagonal[c] != 0.0f, near_air = *want < 0.0f;
    const float full = (float)RN_MAC_REST * without_air(*want) * (mac->room_seen ? mac->room_seen[c] : 1.0f);
    const bool counts = unknown && !near_air && full > (float)RN_MAC_REST * LEAST_FILLED;
    *b = counts ? full : unknown && near_air ? -counted_near_air(mac, *have) : 0.0f;
    task->shallow[c] = near_air ? *have - full : 0.0f;
    *want = counts ? full : 0.0f;
    *have = counts ? *have : 0.0f;
}

/* A task over rows: choose_cell for all active cells in the box. Sets `have` and `want` in the rim and in rows without
   active cells to 0, or beyond periodic ends to those at the other end. */
static void choose_rows(void *context, int begin, int end, int worker) {
    (void)worker;
    const density_task *task = context;
    const rn_mac *mac = task->mac;
    const size_t length = (size_t)mac->grid.step[1] * sizeof(float);
    for (int r = begin; r < end; r++) {
        const rn_mac_row row = rn_mac_row_of(&mac->grid, r);
        if (mac->idle[r]) continue;
        if (!row.inside || mac->last[r] < mac->first[r]) {
            memset(task->have + row.at - 1, 0, length);
            memset(task->want + row.at - 1, 0, length);
            continue;
        }
        for (int32_t c = row.at; c < row.at + mac->grid.n[0]; c++) choose_cell(task, c);
        set_ends(mac, task->have + row.at, 0.0f);
        set_ends(mac, task->want + row.at, 0.0f);
    }
}

/* Cells of a block from `low` on, along x, y and z: the last one is `high` - 1. */
typedef struct block {
    int low[3], high[3];
} block;

/* Sums over a block: have, want, counted and deep of cells that take part in the smoothing; surface and
   surface_counted of unknowns near air; shallow of all cells near air. */
typedef struct block_sums {
    float have, want, counted;
    int deep, surface; /* numbers of cells */
    float shallow, surface_counted;
} block_sums;

/* Whether a cell is near air and an unknown of the solver. A cell is near air if its `shallow` is not 0. */
static bool is_surface(const density_task *task, int32_t c) {
    return task->shallow[c] != 0.0f && task->mac->level[0].diagonal[c] != 0.0f;
}

/* For the cells of block k in the row whose cell i = 0 is `at`: replaces b of smoothed cells by minus the excess that
   counts, and adds all cells to the sums. */
static void count_row(const density_task *task, const block *k, int32_t at, block_sums *sums) {
    float *b = task->mac->level[0].b;
    for (int32_t c = at + k->low[0]; c < at + k->high[0]; c++) {
        sums->shallow += task->shallow[c];
        if (b[c] > 0.0f) {
            const float part = counted(task->have[c] / task->want[c] - 1.0f);
            sums->have += task->have[c];
            sums->want += task->want[c];
            sums->counted += part;
            sums->deep++;
            b[c] = -part;
        } else if (is_surface(task, c)) {
            sums->surface_counted -= b[c];
            sums->surface++;
        }
    }
}

/* For the cells of block k in the row whose cell i = 0 is `at`: turns b from minus the excess that counts into the
   divergence (m/s over a cell) to solve for. Adds `surface` to the excess of unknowns near air, `deep` to that of all
   other unknowns, also those too empty to be smoothed. Clears `shallow`. */
static void finish_row(const density_task *task, const block *k, int32_t at, float deep, float surface) {
    float *b = task->mac->level[0].b;
    for (int32_t c = at + k->low[0]; c < at + k->high[0]; c++) {
        const bool unknown = task->mac->level[0].diagonal[c] != 0.0f;
        const float rest = !unknown ? 0.0f : task->shallow[c] != 0.0f ? surface : deep;
        b[c] = task->rate * room_of(task->mac, c) * (rest - b[c]);
        task->shallow[c] = 0.0f;
    }
}

/* What each deep cell and each cell near air of a block gets in addition to its own excess, so that their means become
   those of the block, within limits: over a block noise averages out. Deep cells get HASTE times as much, so that air
   that waves fold in leaves fast and liquid that they compress expands fast. Cells near air get SURFACE_SHARE of
   theirs, or 0 if they are fewer than ENOUGH_CELLS. With fewer deep cells both are 0: of spray and sheets the surface
   is not known well enough. */
static void find_rest(const block_sums *sums, bool viscous, float *deep, float *surface) {
    *deep = *surface = 0.0f;
    if (sums->deep < ENOUGH_CELLS) return;
    const float excess = sums->have / sums->want - 1.0f, count = (float)sums->surface;
    const float haste = viscous && excess > 0.0f ? VISCOUS_HASTE : HASTE;
    *deep = within_limits(haste * excess) - sums->counted / (float)sums->deep;
    if (sums->surface < ENOUGH_CELLS) return;
    *surface =
        SURFACE_SHARE * within_limits(sums->shallow / ((float)RN_MAC_REST * count)) - sums->surface_counted / count;
}

/* Whether row (j, k) has active cells. */
static bool is_active(const rn_mac *mac, int j, int k) {
    const int r = (j + 1) + (k + 1) * (mac->grid.n[1] + 2);
    return mac->last[r] >= mac->first[r];
}

/* b = the divergence (m/s over a cell) that brings the cells of a block back to rest density in time. Needs b and
   `shallow` of choose_cell, and `have` and `want` smoothed; clears `shallow`. With markers each cell is corrected by
   itself. */
static void finish_block(const density_task *task, const block *k) {
    const rn_mac_grid *g = &task->mac->grid;
    block_sums sums = {0};
    float deep = 0.0f, surface = 0.0f;
    for (int z = k->low[2]; z < k->high[2]; z++)
        for (int y = k->low[1]; y < k->high[1]; y++)
            if (is_active(task->mac, y, z)) count_row(task, k, rn_mac_cell(g, 0, y, z), &sums);
    if (task->mac->def.transfer != RN_MAC_MARKERS) find_rest(&sums, task->mac->viscous, &deep, &surface);
    for (int z = k->low[2]; z < k->high[2]; z++)
        for (int y = k->low[1]; y < k->high[1]; y++)
            if (is_active(task->mac, y, z)) finish_row(task, k, rn_mac_cell(g, 0, y, z), deep, surface);
}

/* A task over rows of blocks: finish_block for all blocks of each. */
static void finish_blocks(void *context, int begin, int end, int worker) {
    (void)worker;
    const density_task *task = context;
    const int *n = task->mac->grid.n, blocks_y = (n[1] + BLOCK - 1) / BLOCK;
    for (int r = begin; r < end; r++)
        for (int x = 0; x < n[0]; x += BLOCK) {
            block k = {.low = {x, r % blocks_y * BLOCK, r / blocks_y * BLOCK}};
            for (int a = 0; a < 3; a++) k.high[a] = k.low[a] + BLOCK < n[a] ? k.low[a] + BLOCK : n[a];
            finish_block(task, &k);
        }
}

/* Extends the shift, and `known`, to LAYERS of faces beyond the liquid: particles of the outermost layers must move
   with those below them, or they would be pressed together. Sets the shift through walls of the box to 0. */
static void extend_shift(rn_mac *mac) {
    for (int a = 0; a < 3; a++) swap(&mac->velocity[a], &mac->shift[a]);
    rn_mac_close_walls(mac);
    rn_mac_extrapolate(mac, LAYERS);
    rn_mac_close_walls(mac);
    for (int a = 0; a < 3; a++) swap(&mac->velocity[a], &mac->shift[a]);
}

/* All arrays belong to the pressure solver, which does not need them yet. */
void rn_mac_restore_density(rn_mac *mac, double seconds) {
    const rn_mac_level *l = &mac->level[0];
    density_task task = {.mac = mac, .rate = (float)((double)mac->cell / seconds)};
    task.have = mac->image;
    task.have_to = mac->direction;
    task.want = l->x;
    task.want_to = l->r;
    task.shallow = mac->pressure;
    rn_mac_find_density(mac, task.have);
    rn_parallel_for(mac->pool, mac->grid.rows, filled_part_rows, &task);
    blur(&task, false);
    rn_parallel_for(mac->pool, mac->grid.rows, choose_rows, &task);
    blur(&task, true);
    const int *n = mac->grid.n;
    rn_parallel_for(mac->pool, ((n[1] + BLOCK - 1) / BLOCK) * ((n[2] + BLOCK - 1) / BLOCK), finish_blocks, &task);
    rn_mac_solve_shift(mac, TOLERANCE);
    extend_shift(mac);
}
