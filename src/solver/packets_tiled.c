/* A substep of the adaptive packets solver. All levels take the same substep.

     fill     ghosts around tiles that meet tiles of another level
     choose   levels of tiles, every few substeps                              tiles, threads
     send     cells send off their packets, and those ghosts that fine cells see    rows, threads
     gather   cells put together what has come                                 rows, threads
     settle   coarse cells take what has passed at joints                      in order
     fill     ghosts of depths
     kick     pressure, sideways gravity, drag                                 rows, threads

   Bands of rows do not depend on each other, and nothing is added in an order that depends on threads. */
#include "solver/packets_tiles.h"

enum { SUBSTEPS_OF_A_CHOICE = 8 }; /* waves run half a tile at most meanwhile */

typedef struct tiled {
    rn_packets *solver;
    const rn_packet_sweeps *sweeps;
    rn_packet_pass pass[RN_PACKETS_LEVELS + 1];
    int bands; /* of each level */
    rn_packet_peaks *peaks;
} tiled;

/* ---- Sending at joints ---------------------------------------------------------------------------------------------
 */

/* Where a field of what a cell sends one way stands: sums[sum_at(...)]. */
static inline int32_t sum_at(int way, int f, int32_t stride, int x) {
    return (way * RN_PACKET_FIELDS + f) * stride + RN_PAD + x;
}

/* What a coarse cell would send to finer ones stays: they exchange by the packets of the finer level. */
static void keep_back(const rn_packet_joint *j, int32_t stride, float *sums) {
    for (int k = 0; k < RN_AROUND; k++)
        for (int f = 0; f < RN_PACKET_FIELDS && (j->finer >> k & 1); f++)
            sums[sum_at(RN_STAYS, f, stride, j->x)] += sums[sum_at(k, f, stride, j->x)];
}

/* And ghosts of this row in finer tiles send nothing. */
static void silence(const rn_packet_joint *j, int y, int32_t stride, float *sums) {
    for (int dx = -1; dx <= 1; dx++) {
        if (!(j->finer >> (3 * (y - j->y + 1) + dx + 1) & 1)) continue;
        for (int n = 0; n < RN_AROUND * RN_PACKET_FIELDS; n++) sums[n * stride + RN_PAD + j->x + dx] = 0.0f;
    }
}

static void mend_row(const rn_packet_level *level, int y, float *sums) {
    const int ny = level->grid.ny, from = y > 0 ? y - 1 : 0, to = y + 1 < ny ? y + 1 : ny - 1;
    if (from >= ny || to < 0) return;
    for (int n = level->first_joint[from]; n < level->first_joint[to + 1]; n++) {
        const rn_packet_joint *j = &level->joints[n];
        if (j->y == y) keep_back(j, level->grid.stride, sums);
        silence(j, y, level->grid.stride, sums);
    }
}

/* ---- Gathering at joints -------------------------------------------------------------------------------------------
 */

/* Whether the neighbour k of the quarter (sx, sy) of a coarse cell is a fine cell. */
static bool meets_fine(const rn_packet_joint *j, int sx, int sy, int k) {
    const int dx = k % 3 - 1, dy = k / 3 - 1, i = dx == sx ? dx : 0, n = dy == sy ? dy : 0;
    return (i || n) && (j->finer >> (3 * (n + 1) + i + 1) & 1);
}

/* What fine cells have sent to a ghost, less what they have got from it, into the arrays of the way through. */
static void book_ghost(const rn_packet_level *level, const rn_packet_joint *j, int x, int y,
                       const float *const rows[3]) {
    const int32_t stride = level->grid.stride, slot = rn_slot(&level->grid, 0, y, x);
    float *const to[] = {level->h1, level->u1, level->v1};
    const int sx = x & 1 ? 1 : -1, sy = y & 1 ? 1 : -1;
    for (int f = 0; f < RN_PACKET_FIELDS; f++) {
        float sum = 0.0f;
        for (int k = 0; k < RN_AROUND; k++)
            if (meets_fine(j, sx, sy, k))
                sum +=
                    rows[k / 3][sum_at(RN_AROUND - 1 - k, f, stride, x + k % 3 - 1)] - rows[1][sum_at(k, f, stride, x)];
        to[f][slot] = sum;
    }
}

static void book_ghosts(const rn_packet_level *level, const rn_packet_level *above, int y, const float *const rows[3]) {
    for (int n = above->first_joint[y / 2]; n < above->first_joint[y / 2 + 1]; n++) {
        const rn_packet_joint *j = &above->joints[n];
        for (int i = 0; i < 2; i++) book_ghost(level, j, 2 * j->x + i, y, rows);
    }
}

/* ---- Bands of rows -------------------------------------------------------------------------------------------------
 */

/* The part of a pass that is about some cells of a row. */
static rn_packet_pass part_of(const rn_packet_pass *pass, int cells) {
    rn_packet_pass part = *pass;
    part.nx = cells;
    return part;
}

static const float *send_off(const tiled *job, int l, int y, float *sums, const float *none) {
    const rn_packets *solver = job->solver;
    const rn_packet_level *level = &solver->tiles->at[l];
    const bool outside = y < 0 || y >= level->grid.ny;
    if (y < -1 || y > level->grid.ny || (outside && !solver->columns.periodic_y)) return none;
    const rn_packet_range *list = level->sends + (size_t)(y + 1) * (size_t)level->room;
    for (int n = 0; n < level->sends_count[y + 1]; n++) { /* a pass sends a cell more on both sides */
        const rn_packet_pass part = part_of(&job->pass[l], list[n].to - list[n].from - 2);
        job->sweeps->send(&part, rn_slot(&level->grid, 0, y, list[n].from + 1), false, sums + list[n].from + 1);
    }
    if (l > 0) mend_row(level, y, sums);
    return sums;
}

static void gather_row(const tiled *job, int l, int y, const float *const rows[3]) {
    const rn_packet_tiles *t = job->solver->tiles;
    const rn_packet_level *level = &t->at[l];
    const rn_packet_range *list = level->inside + (size_t)(y + 1) * (size_t)level->room;
    const rn_packet_pass *pass = &job->pass[l];
    for (int n = 0; n < level->inside_count[y + 1]; n++) {
        const rn_packet_pass part = part_of(pass, list[n].to - list[n].from);
        const int x = list[n].from;
        job->sweeps->gather(&part, rn_slot(&level->grid, 0, y, x), rows[0] + x, rows[1] + x, rows[2] + x);
    }
    if (l < t->levels && y >= 0 && y < level->grid.ny) book_ghosts(level, &t->at[l + 1], y, rows);
    if (!pass->move_x) return;
    if (y < level->grid.ny) job->sweeps->count(pass, rn_slot(&level->grid, 0, y, 0), rows[1], rows[2]);
}

static void rows_of_band(const tiled *job, int number, int margin, int *level, int *from, int *to) {
    *level = number / job->bands;
    const rn_grid *g = &job->solver->tiles->at[*level].grid;
    const int band = number % job->bands, rows = g->ny + 2 * margin;
    *from = -margin + (int)((int64_t)rows * band / job->bands);
    *to = -margin + (int)((int64_t)rows * (band + 1) / job->bands);
}

static void move_band(const tiled *job, int number, float *scratch) {
    const size_t size = rn_packets_row_sums(job->solver);
    int l, from, to;
    rows_of_band(job, number, 1, &l, &from, &to);
    const float *none = scratch + RN_PACKET_ROWS * size;
    if (from >= to) return;
    const float *rows[3] = {none, send_off(job, l, from - 1, scratch, none),
                            send_off(job, l, from, scratch + size, none)};
    for (int y = from, k = 2; y < to; y++, k = (k + 1) % RN_PACKET_ROWS) {
        rows[0] = rows[1], rows[1] = rows[2];
        rows[2] = send_off(job, l, y + 1, scratch + (size_t)k * size, none);
        gather_row(job, l, y, rows);
    }
}

static void move_bands(void *context, int begin, int end, int worker) {
    const tiled *job = context;
    float *scratch = job->solver->sums + (size_t)worker * (RN_PACKET_ROWS + 1) * rn_packets_row_sums(job->solver);
    for (int n = begin; n < end; n++) move_band(job, n, scratch);
}

static void kick_bands(void *context, int begin, int end, int worker) {
    const tiled *job = context;
    (void)worker;
    for (int number = begin; number < end; number++) {
        int l, from, to;
        rows_of_band(job, number, 0, &l, &from, &to);
        const rn_packet_level *level = &job->solver->tiles->at[l];
        job->peaks[number] = (rn_packet_peaks){0};
        for (int y = from; y < to; y++) {
            const rn_packet_range *list = level->inside + (size_t)(y + 1) * (size_t)level->room;
            for (int n = 0; n < level->inside_count[y + 1]; n++) {
                const int x0 = list[n].from > 0 ? list[n].from : 0,
                          x1 = list[n].to < level->grid.nx ? list[n].to : level->grid.nx;
                const rn_packet_pass part = part_of(&job->pass[l], x1 - x0);
                job->sweeps->kick(&part, rn_slot(&level->grid, 0, y, x0), &job->peaks[number]);
            }
        }
    }
}

/* ---- A substep -----------------------------------------------------------------------------------------------------
 */

/* The law and the arrays of a level: its cells are larger, and so is what they smooth in the same time. */
static rn_packet_pass pass_of(rn_packets *solver, int l, const rn_packet_pass *finest) {
    rn_packet_level *level = &solver->tiles->at[l];
    const float side = (float)(1 << l);
    level->law = solver->law;
    level->law.lambda /= side;
    level->law.push /= side;
    level->law.spill /= side;
    level->law.cell *= side;
    rn_packet_pass pass = *finest;
    pass.law = &level->law;
    pass.near = true;
    pass.margin = 0;
    if (l == 0) return pass;
    pass.columns = &level->columns;
    pass.z = level->ground;
    pass.h = level->h, pass.u = level->u, pass.v = level->v;
    pass.h1 = level->h1, pass.u1 = level->u1, pass.v1 = level->v1;
    pass.move_x = pass.move_y = NULL;
    pass.plain = level->plain;
    pass.stride = level->grid.stride;
    return pass;
}

static bool is_all_fine(const rn_packet_tiles *t) {
    for (int n = 0; n < t->nx * t->ny; n++)
        if (t->level[n] != 0) return false;
    return true;
}

/* While sections are measured, which count what passes between columns, all tiles are fine. */
static void choose(rn_packets *solver, bool gauged) {
    rn_packet_tiles *t = solver->tiles;
    if (!t->dirty && solver->step % SUBSTEPS_OF_A_CHOICE != 0 && !gauged) return;
    if (gauged && !t->dirty && is_all_fine(t)) return;
    do {
        rn_tiles_choose(solver, gauged);
        rn_tiles_fill(solver, false);
    } while (gauged && !is_all_fine(t));
}

/* Liquid above the lid, which is rare, is pressed down by all columns. */
static void press_down(rn_packets *solver) {
    const rn_columns *c = &solver->columns;
    solver->tiles->stale = true;
    rn_tiles_flatten(solver);
    for (int y = 0; y < c->grid.ny; y++) {
        float highest = 0.0f;
        for (int32_t s = rn_slot(&c->grid, 0, y, 0), end = s + c->grid.nx; s < end; s++)
            if (c->depth[s] > 0.0f) highest = fmaxf(highest, c->base[s] + c->depth[s]);
        solver->peaks[y].highest = highest;
    }
    rn_packets_press_down(solver);
}

static void measure(rn_packets *solver, const tiled *job, int bands) {
    float highest = 0.0f;
    solver->peak_depth = solver->peak_speed = 0.0f;
    for (int n = 0; n < bands; n++) {
        solver->peak_depth = fmaxf(solver->peak_depth, job->peaks[n].deepest);
        solver->peak_speed = fmaxf(solver->peak_speed, job->peaks[n].fastest);
        highest = fmaxf(highest, job->peaks[n].highest);
    }
    if (highest > solver->columns.lid) press_down(solver);
}

enum { BANDS_OF_A_WORKER = 4, MOST_BANDS = 256 };

void rn_tiles_substep(rn_packets *solver, double dt, const rn_forcing *forcing) {
    rn_packet_tiles *t = solver->tiles;
    rn_packet_peaks peaks[(RN_PACKETS_LEVELS + 1) * MOST_BANDS];
    tiled job = {.solver = solver, .sweeps = RN_BODY_CHOSEN(rn_packet_sweeps), .bands = 1, .peaks = peaks};
    const int workers = rn_pool_size(solver->pool);
    if (workers > 1) job.bands = workers * BANDS_OF_A_WORKER < MOST_BANDS ? workers * BANDS_OF_A_WORKER : MOST_BANDS;
    const int bands = (t->levels + 1) * job.bands;
    rn_tiles_absorb(solver);
    const rn_packet_pass finest = rn_packets_pass(solver, dt, forcing->gauged);
    for (int l = 0; l <= t->levels; l++) job.pass[l] = pass_of(solver, l, &finest);
    rn_tiles_fill(solver, false);
    choose(solver, forcing->gauged);
    rn_parallel_for(solver->pool, bands, move_bands, &job);
    rn_tiles_settle(solver);
    const int64_t left = rn_packets_empty_sinks(solver);
    rn_tiles_fill(solver, true);
    rn_parallel_for(solver->pool, bands, kick_bands, &job);
    measure(solver, &job, bands);
    t->stale = true;
    if (forcing->sourced || forcing->gauged) rn_tiles_show(solver);
    rn_packets_end_substep(solver, dt, left, forcing);
}
