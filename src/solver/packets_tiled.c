/* A substep of the adaptive packets solver. All levels take the same substep.

   Interface: rn_tiles_substep (solver/packets_tiling.h). `advance` of solver/packets.c calls it in place of its own
   substep if there are tiles. The passes:

     absorb   coarse cells take over changes of their columns, if there were any
     fill     ghosts around tiles that meet tiles of another level
     choose   levels of tiles, every few substeps                                   tiles, threads
     send     cells send off their packets, and those ghosts that fine cells see    rows, threads
     gather   cells put together what has come                                      rows, threads
     settle   coarse cells take what has passed at connections                      in order
     fill     ghosts of depths
     kick     pressure, sideways gravity, drag                                      rows, threads
     show     columns of coarse tiles, if sources or gauges will read them          tiles, threads

   Algorithm: the loops of solver/packet_sweeps.c run over the ranges of each level's rows. What crosses between
   levels is recorded while rows are gathered (book_ghosts, book_connections) and settled afterwards, because
   different threads may process the levels. Bands of rows are independent, and no sum depends on the order of
   threads. Packets travel at most RN_NEAR of a fine cell, which limits the substep. While sections are measured all
   tiles are fine. */
#include "solver/packets_tiling.h"

enum { SUBSTEPS_OF_A_CHOICE = 8 }; /* waves run at most half a tile in this time */

#define STILL 1e-12f /* m/s: slower flow becomes 0, before it spreads as denormal numbers, which are slow */

typedef struct tiled {
    rn_packets *solver;
    const rn_packet_sweeps *sweeps;
    rn_packet_pass pass[RN_PACKETS_LEVELS + 1];
    int bands; /* of each level */
    rn_packet_peaks *extremes;
} tiled;

/* ---- Connections ------------------------------------------------------------------------------------------------- */

/* Sets `net`, field by field, to what the cells around cell x marked in `around` have sent to it, minus what they got
   from it. `rows` are the sums of the rows before, here and after, of `stride` floats per field. */
static void find_net_transfer(const float *const rows[3], int32_t stride, int x, uint32_t around,
                              float net[RN_PACKET_FIELDS]) {
    net[0] = net[1] = net[2] = 0.0f;
    for (int k = 0; k < RN_AROUND; k++) {
        if (!(around >> k & 1)) continue;
        const float *in = rows[k / 3] + (RN_AROUND - 1 - k) * RN_PACKET_FIELDS * stride + RN_PAD + x + k % 3 - 1;
        const float *out = rows[1] + k * RN_PACKET_FIELDS * stride + RN_PAD + x;
        for (int f = 0; f < RN_PACKET_FIELDS; f++) net[f] += in[f * stride] - out[f * stride];
    }
}

/* Writes the net amounts that fine cells of row y sent to ghosts in coarser tiles to h1, u1 and v1 of these ghosts, for
   rn_tiles_settle. `above`: the next coarser level. */
static void book_ghosts(const rn_packet_level *level, const rn_packet_level *above, int y, const float *const rows[3]) {
    for (int n = above->first_connection[y / 2]; n < above->first_connection[y / 2 + 1]; n++) {
        const rn_packet_connection *j = &above->connections[n];
        for (int i = 0; i < 2; i++) {
            const uint32_t around = j->quarter_finer[2 * (y & 1) + i];
            const int32_t slot = j->child + (y & 1) * level->grid.stride + i;
            float net[RN_PACKET_FIELDS];
            if (!around) continue;
            find_net_transfer(rows, level->grid.stride, 2 * j->x + i, around, net);
            level->h1[slot] = net[0], level->u1[slot] = net[1], level->v1[slot] = net[2];
        }
    }
}

/* Stores the net amounts that coarse cells of row y sent to their ghosts in finer tiles, to be returned by
   rn_tiles_settle. */
static void book_connections(const rn_packet_level *level, int y, const float *const rows[3]) {
    for (int n = level->first_connection[y]; n < level->first_connection[y + 1]; n++) {
        rn_packet_connection *j = &level->connections[n];
        float net[RN_PACKET_FIELDS];
        find_net_transfer(rows, level->grid.stride, j->x, j->finer, net);
        for (int f = 0; f < RN_PACKET_FIELDS; f++) j->more[f] = -net[f];
    }
}

/* ---- Bands of rows ----------------------------------------------------------------------------------------------- */

/* A copy of the pass for a run of `cells` cells in place of whole rows. */
static rn_packet_pass narrow_pass(const rn_packet_pass *pass, int cells) {
    rn_packet_pass part = *pass;
    part.nx = cells;
    return part;
}

/* Sets the sums of ghosts in finer tiles, in row y, to 0: they send nothing, because the finer level counts transfers
   there. */
static void silence_ghosts(const rn_packet_level *level, int y, float *sums) {
    const rn_packet_range *list = level->silent + (size_t)(y + 1) * (size_t)level->room;
    for (int n = 0; n < level->silent_count[y + 1]; n++)
        for (int k = 0; k < RN_AROUND * RN_PACKET_FIELDS; k++)
            for (int x = list[n].from; x < list[n].to; x++) sums[k * level->grid.stride + RN_PAD + x] = 0.0f;
}

/* Sends row `y` of level `l` and returns its sums, in `sums`; `none` for rows that send nothing: those beyond an edge
   that is not periodic. */
static const float *send_row(const tiled *job, int l, int y, float *sums, const float *none) {
    const rn_packets *solver = job->solver;
    const rn_packet_level *level = &solver->tiles->at[l];
    const bool outside = y < 0 || y >= level->grid.ny;
    if (y < -1 || y > level->grid.ny || (outside && !solver->columns.periodic_y)) return none;
    const rn_packet_range *list = level->sends + (size_t)(y + 1) * (size_t)level->room;
    for (int n = 0; n < level->sends_count[y + 1]; n++) { /* a pass sends one more cell on both sides */
        const rn_packet_pass part = narrow_pass(&job->pass[l], list[n].to - list[n].from - 2);
        job->sweeps->send(&part, rn_slot(&level->grid, 0, y, list[n].from + 1), false, sums + list[n].from + 1);
    }
    silence_ghosts(level, y, sums); /* a vector may have passed the end of a short range */
    return sums;
}

/* Gathers the simulated cells of row y of level l, stores the transfers at its connections, and counts transfers for
   gauges. */
static void gather_row(const tiled *job, int l, int y, const float *const rows[3]) {
    const rn_packet_tiles *t = job->solver->tiles;
    const rn_packet_level *level = &t->at[l];
    const rn_packet_range *list = level->inside + (size_t)(y + 1) * (size_t)level->room;
    const rn_packet_pass *pass = &job->pass[l];
    for (int n = 0; n < level->inside_count[y + 1]; n++) {
        const rn_packet_pass part = narrow_pass(pass, list[n].to - list[n].from);
        const int x = list[n].from;
        job->sweeps->gather(&part, rn_slot(&level->grid, 0, y, x), rows[0] + x, rows[1] + x, rows[2] + x);
    }
    const bool is_row = y >= 0 && y < level->grid.ny;
    if (l < t->levels && is_row) book_ghosts(level, &t->at[l + 1], y, rows);
    if (l > 0 && is_row) book_connections(level, y, rows);
    if (!pass->transfer_x) return;
    if (y < level->grid.ny) job->sweeps->count(pass, rn_slot(&level->grid, 0, y, 0), rows[1], rows[2]);
}

/* Sets the level and rows `from` to `to` - 1 of band `number`, with `margin` rows beyond both ends of the grid; from =
   to: none. */
static void find_band_rows(const tiled *job, int number, int margin, int *level, int *from, int *to) {
    *level = number / job->bands;
    const rn_grid *g = &job->solver->tiles->at[*level].grid;
    const int band = number % job->bands, rows = g->ny + 2 * margin;
    *from = -margin + (int)((int64_t)rows * band / job->bands);
    *to = -margin + (int)((int64_t)rows * (band + 1) / job->bands);
}

/* Sends and gathers the rows of band `number`, counted over all levels. `scratch` has RN_PACKET_ROWS rows of sums, used
   in turn, then one of zeros. */
static void move_band(const tiled *job, int number, float *scratch) {
    const size_t size = rn_packets_row_sums(job->solver);
    int l, from, to;
    find_band_rows(job, number, 1, &l, &from, &to);
    const float *none = scratch + RN_PACKET_ROWS * size;
    if (from >= to) return;
    const float *rows[3] = {none, send_row(job, l, from - 1, scratch, none),
                            send_row(job, l, from, scratch + size, none)};
    for (int y = from, k = 2; y < to; y++, k = (k + 1) % RN_PACKET_ROWS) {
        rows[0] = rows[1], rows[1] = rows[2];
        rows[2] = send_row(job, l, y + 1, scratch + (size_t)k * size, none);
        gather_row(job, l, y, rows);
    }
}

/* A task over bands of all levels: sends and gathers their rows (move_band), with the scratch rows of the worker. */
static void move_bands(void *context, int begin, int end, int worker) {
    const tiled *job = context;
    float *scratch = job->solver->sums + (size_t)worker * (RN_PACKET_ROWS + 1) * rn_packets_row_sums(job->solver);
    for (int n = begin; n < end; n++) move_band(job, n, scratch);
}

/* A task over bands of all levels: pressure and drag, and the extremes of each band. */
static void kick_bands(void *context, int begin, int end, int worker) {
    const tiled *job = context;
    (void)worker;
    for (int number = begin; number < end; number++) {
        int l, from, to;
        find_band_rows(job, number, 0, &l, &from, &to);
        const rn_packet_level *level = &job->solver->tiles->at[l];
        job->extremes[number] = (rn_packet_peaks){0};
        for (int y = from; y < to; y++) {
            const rn_packet_range *list = level->inside + (size_t)(y + 1) * (size_t)level->room;
            for (int n = 0; n < level->inside_count[y + 1]; n++) {
                const int x0 = list[n].from > 0 ? list[n].from : 0,
                          x1 = list[n].to < level->grid.nx ? list[n].to : level->grid.nx;
                const rn_packet_pass part = narrow_pass(&job->pass[l], x1 - x0);
                job->sweeps->kick(&part, rn_slot(&level->grid, 0, y, x0), &job->extremes[number]);
            }
        }
    }
}

/* ---- A substep --------------------------------------------------------------------------------------------------- */

/* Sets the parameters of level l and returns them with its arrays, from the pass of all columns. Larger cells smooth
   more in the same time, so the spill is divided by their size. Packets of tiles never travel far. */
static rn_packet_pass level_pass(rn_packets *solver, int l, const rn_packet_pass *finest) {
    rn_packet_level *level = &solver->tiles->at[l];
    const float side = (float)(1 << l);
    level->params = solver->params;
    level->params.lambda /= side;
    level->params.push /= side;
    level->params.spill /= side;
    level->params.cell *= side;
    level->params.still = STILL;
    rn_packet_pass pass = *finest;
    pass.params = &level->params;
    pass.near = true;
    pass.margin = 0;
    if (l == 0) return pass;
    pass.columns = &level->columns;
    pass.z = level->ground;
    pass.h = level->h, pass.u = level->u, pass.v = level->v;
    pass.h1 = level->h1, pass.u1 = level->u1, pass.v1 = level->v1;
    pass.transfer_x = pass.transfer_y = NULL;
    pass.plain = level->plain;
    pass.stride = level->grid.stride;
    return pass;
}

/* Whether all tiles have the finest level. */
static bool is_all_fine(const rn_packet_tiles *t) {
    for (int n = 0; n < t->nx * t->ny; n++)
        if (t->level[n] != 0) return false;
    return true;
}

/* Chooses levels every few substeps, or at once if needed, and fills ghosts again. While sections are measured
   (`gauged`) all tiles are fine, because sections count transfers between columns. */
static void choose_levels(rn_packets *solver, bool gauged) {
    rn_packet_tiles *t = solver->tiles;
    if (!t->dirty && solver->step % SUBSTEPS_OF_A_CHOICE != 0 && !gauged) return;
    if (gauged && !t->dirty && is_all_fine(t)) return;
    do {
        rn_tiles_choose(solver, gauged);
        rn_tiles_fill(solver);
    } while (gauged && !is_all_fine(t));
}

/* Makes all tiles fine, finds the highest surface of each row, and moves liquid above the lid, which is rare, to other
   columns. */
static void press_down(rn_packets *solver) {
    const rn_columns *c = &solver->columns;
    solver->tiles->stale = true;
    rn_tiles_flatten(solver);
    for (int y = 0; y < c->grid.ny; y++) {
        float highest = 0.0f;
        for (int32_t s = rn_slot(&c->grid, 0, y, 0), end = s + c->grid.nx; s < end; s++)
            if (c->depth[s] > 0.0f) highest = fmaxf(highest, c->base[s] + c->depth[s]);
        solver->extremes[y].highest = highest;
    }
    rn_packets_press_down(solver);
}

/* Sets peak_depth and peak_speed to the maxima of all `bands` bands. Liquid above the lid is pressed down. */
static void measure_bands(rn_packets *solver, const tiled *job, int bands) {
    float highest = 0.0f;
    solver->peak_depth = solver->peak_speed = 0.0f;
    for (int n = 0; n < bands; n++) {
        solver->peak_depth = fmaxf(solver->peak_depth, job->extremes[n].deepest);
        solver->peak_speed = fmaxf(solver->peak_speed, job->extremes[n].fastest);
        highest = fmaxf(highest, job->extremes[n].highest);
    }
    if (highest > solver->columns.lid) press_down(solver);
}

enum { BANDS_OF_A_WORKER = 4, MOST_BANDS = 256 };

void rn_tiles_substep(rn_packets *solver, double dt, const rn_forcing *forcing) {
    rn_packet_tiles *t = solver->tiles;
    rn_packet_peaks extremes[(RN_PACKETS_LEVELS + 1) * MOST_BANDS];
    tiled job = {.solver = solver, .sweeps = RN_ISA_CHOSEN(rn_packet_sweeps), .bands = 1, .extremes = extremes};
    const int workers = rn_pool_size(solver->pool);
    if (workers > 1) job.bands = workers * BANDS_OF_A_WORKER < MOST_BANDS ? workers * BANDS_OF_A_WORKER : MOST_BANDS;
    const int bands = (t->levels + 1) * job.bands;
    if (solver->poured) rn_tiles_absorb(solver);
    const rn_packet_pass finest = rn_packets_pass(solver, dt, forcing->gauged);
    for (int l = 0; l <= t->levels; l++) job.pass[l] = level_pass(solver, l, &finest);
    rn_tiles_fill(solver);
    choose_levels(solver, forcing->gauged);
    rn_parallel_for(solver->pool, bands, move_bands, &job);
    rn_tiles_settle(solver);
    const int64_t left = rn_packets_empty_sinks(solver);
    rn_tiles_fill_depths(solver, true);
    rn_parallel_for(solver->pool, bands, kick_bands, &job);
    measure_bands(solver, &job, bands);
    t->stale = true;
    if (forcing->sourced || forcing->gauged) rn_tiles_show(solver);
    rn_packets_end_substep(solver, dt, left, forcing);
}
