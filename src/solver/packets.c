/* The packets solver (Lee & O'Sullivan 2007; docs/packets.md): parameters from a definition, the division of time
   into substeps, and the substep with cells of one size.

   Interface: the class rn_solver_packets, which solver/solvers.c lists. The world creates it, calls advance,
   stable_dt and progress in its frames (world/frame.c), and `changed`, reshape and push after changes from outside.

   A substep (take_substep; solver/packets_tiled.c has that of the adaptive solver):

     send     every cell sends off its packets: nine sums, rounded to whole quanta      rows, threads
     gather   every cell puts together what has come                                    rows, threads
     far      packets that travel further than to the next cell                         in order
     kick     pressure, sideways gravity, drag                                          rows, threads
     sources  the world's (solver/solver.h)

   A thread that gathers rows also sends those rows and one more on either side, so that no two threads write the
   same cell. The kick limits the substep: waves may run `courant` cells in it. Sources raise the liquid meanwhile,
   so stable_dt finds the length of the substep by bisection. */
#include "solver/packets.h"

#include "base/error.h"
#include "base/maths.h"
#include "base/memory.h"
#include "kernels/face.h"
#include "solver/packets_tiling.h"

#include <string.h>

enum { RIM = 2 };

/* ---- Creation ---------------------------------------------------------------------------------------------------- */

/* Returns RN_INVALID, with a message, if the definition has something that packets do not support, or numbers out of
   their ranges. */
static rn_result check_definition(const rn_world_def *def) {
    if (def->contact == RN_CONTACT_DYNAMIC)
        return rn_fail(RN_INVALID, "packets have no dynamic contact; use the explicit solver");
    const rn_packets_def *p = &def->packets;
    if (def->passages != RN_PASSAGES_DEFAULT)
        return rn_fail(RN_INVALID, "the packets solver has no passages; leave passages at its default, or use the "
                                   "explicit solver");
    if (p->count == 1)
        return rn_fail(RN_INVALID,
                       "packets.count is 1: a single widened packet covers three cells along an axis, and is "
                       "deposited in two; use 2, 3 or 4");
    if (p->count < 2 || p->count > 4) return rn_fail(RN_INVALID, "packets.count is %d; it must be 2, 3 or 4", p->count);
    if (p->smoothing == 1.0)
        return rn_fail(RN_INVALID,
                       "packets.smoothing is 1: without any smoothing, neighbouring cells part into a "
                       "checkerboard that the pressure does not see; use more than 1, up to 2, such as 1.05");
    if (!(p->smoothing > 1.0 && p->smoothing <= 2.0))
        return rn_fail(RN_INVALID, "packets.smoothing is %g; it must be above 1, and at most 2", p->smoothing);
    if (!(p->courant > 0.0 && p->courant <= RN_PACKETS_COURANT))
        return rn_fail(RN_INVALID,
                       "packets.courant is %g: waves would run that many cells in a substep, and the pressure step is "
                       "stable up to %g; use more than 0 and at most that",
                       p->courant, RN_PACKETS_COURANT);
    if (p->levels < 0 || p->levels > RN_PACKETS_LEVELS)
        return rn_fail(RN_INVALID, "packets.levels is %d; it must be from 0 (cells of one size) to %d", p->levels,
                       RN_PACKETS_LEVELS);
    if (p->levels > 0 && def->model == RN_MODEL_PAPER)
        return rn_fail(RN_INVALID,
                       "packets.levels is %d: the paper's model has cells of one size; use 0, or the "
                       "physical model",
                       p->levels);
    if (!(p->tolerance >= 0.0 && p->tolerance <= 1e9))
        return rn_fail(RN_INVALID, "packets.tolerance is %g; it must be 0 or more (m)", p->tolerance);
    for (int i = 0; i < 4; i++)
        if (!(fabs(p->fine[i]) <= 1e9) || p->fine[2] < p->fine[0] || p->fine[3] < p->fine[1])
            return rn_fail(RN_INVALID, "packets.fine is from (%g, %g) to (%g, %g); it must go upwards (m)", p->fine[0],
                           p->fine[1], p->fine[2], p->fine[3]);
    if (p->trace != RN_TRACE_EULER && p->trace != RN_TRACE_MIDPOINT)
        return rn_fail(RN_INVALID, "packets.trace is %d; it must be RN_TRACE_EULER or RN_TRACE_MIDPOINT",
                       (int)p->trace);
    return RN_OK;
}

/* The parameters that do not change from substep to substep; the others are 0. */
static rn_packet_params make_params(const rn_solver_def *def) {
    const rn_packets_def *p = &def->world->packets;
    const bool paper = def->world->model == RN_MODEL_PAPER;
    const double n = p->count, s = p->smoothing;
    const rn_terrain_info ground = rn_terrain_describe(def->columns.terrain);
    const bool canal = ground.cells_x == 1 || ground.cells_y == 1;
    return (rn_packet_params){
        .spill = paper ? 0.0f : (float)((s - 1.0) / (2.0 * s * n)),
        .lead = paper ? (float)((s - 1.0) / (2.0 * n)) : 0.0f,
        .scale = (float)(paper ? n / s : n),
        .share = (float)(1.0 / (n * n)),
        .reach = paper ? (float)(1.0 - (s - 1.0) / (2.0 * n)) : 1.0f,
        .slip = paper ? 0.0f : -1.0f,
        .glide = paper && !canal ? 0.0f : 1.0f, /* a canal of one row, as in the paper's listing, has no banks */
        .quantum = (float)def->columns.quantum,
        .per_quantum = (float)(1.0 / def->columns.quantum),
        .dry = (float)(RN_DRY * def->columns.quantum),
        .cell = (float)def->cell_size,
        .midpoint = p->trace == RN_TRACE_MIDPOINT,
        .paper = paper,
    };
}

/* Frees the solver with its columns and tiles. NULL is allowed. */
static void destroy(void *self) {
    rn_packets *solver = self;
    if (!solver) return;
    const rn_hooks hooks = solver->hooks;
#define FREE(type, name) rn_free(&hooks, solver->name);
    RN_PACKET_ARRAYS(FREE)
#undef FREE
    rn_tiles_destroy(solver);
    rn_free(&hooks, solver->extremes);
    rn_free(&hooks, solver->sums);
    rn_columns_free(&solver->columns);
    rn_free(&hooks, solver);
}

/* Allocates arrays over slots, and scratch rows of sums for every worker. Returns RN_MEMORY, with a message, if memory
   runs out; `destroy` frees what there is. */
static rn_result allocate_arrays(rn_packets *solver) {
    const rn_grid *g = &solver->columns.grid;
    bool fine = true;
#define ALLOCATE(type, name)                                                                                           \
    solver->name = rn_alloc(&solver->hooks, (size_t)g->slots, sizeof(type));                                           \
    fine = fine && solver->name;
    RN_PACKET_ARRAYS(ALLOCATE)
#undef ALLOCATE
    solver->extremes = rn_alloc(&solver->hooks, (size_t)g->ny, sizeof *solver->extremes);
    solver->sums = rn_alloc(&solver->hooks,
                            (RN_PACKET_ROWS + 1) * rn_packets_row_sums(solver) * (size_t)rn_pool_size(solver->pool),
                            sizeof(float));
    return fine && solver->extremes && solver->sums ? RN_OK : RN_MEMORY;
}

/* Sets what `retune` may change: gravity, liquid, courant and friction of all ground. */
static void set_conditions(rn_packets *solver, const rn_world_def *world) {
    solver->params.nu3 = (float)(3.0 * world->liquid.viscosity);
    solver->gravity = (double)(float)-world->gravity.z;
    solver->tilt[0] = world->gravity.x;
    solver->tilt[1] = world->gravity.y;
    solver->courant = world->packets.courant;
    solver->kappa = (float)-rn_log_unit(world->friction);
    solver->manning = (float)(solver->gravity * world->manning * world->manning);
    solver->chezy = world->chezy > 0.0 ? (float)(solver->gravity / (world->chezy * world->chezy)) : 0.0f;
}

/* Takes over gravity, liquid, courant and friction of a changed definition (rn_solver_class.retune). Never fails. */
static rn_result retune(void *self, const rn_world_def *world) {
    rn_packets *solver = self;
    set_conditions(solver, world);
    solver->touched = true;
    return RN_OK;
}

/* Creates the solver and its columns, and the tiles of an adaptive one. *columns points into it. On failure returns a
   code, with a message; then everything is freed, and *self is not set. */
static rn_result create(const rn_solver_def *def, void **self, rn_columns **columns) {
    const rn_world_def *world = def->world;
    rn_packets *solver = rn_alloc(&def->hooks, 1, sizeof *solver);
    if (!solver) return RN_MEMORY;
    solver->hooks = def->hooks;
    solver->pool = def->pool;
    solver->params = make_params(def);
    solver->cell = def->cell_size;
    set_conditions(solver, world);
    solver->widening = world->packets.smoothing;
    solver->count = world->packets.count;
    solver->touched = true;
    rn_columns_def layout = def->columns;
    layout.rim = RIM;
    layout.slot_bytes = 9.0 * sizeof(float) + sizeof(int32_t) + 2.0;
    rn_result result = rn_columns_build(&layout, &solver->columns);
    if (result == RN_OK) result = rn_packets_accept(&solver->columns);
    if (result == RN_OK) result = allocate_arrays(solver);
    if (result == RN_OK) result = rn_tiles_create(solver, def);
    if (result != RN_OK) {
        destroy(solver);
        return result;
    }
    rn_packets_survey(solver);
    *self = solver;
    *columns = &solver->columns;
    return RN_OK;
}

/* Returns the memory held (bytes) and the archive version that the state needs; there are no pipes and falls. */
static rn_solver_info describe(const void *self) {
    const rn_packets *solver = self;
    const rn_grid *g = &solver->columns.grid;
    size_t bytes = rn_columns_bytes(&solver->columns) + (size_t)g->ny * sizeof *solver->extremes;
#define ADD(type, name) bytes += (size_t)g->slots * sizeof(type);
    RN_PACKET_ARRAYS(ADD)
#undef ADD
    bytes += (RN_PACKET_ROWS + 1) * rn_packets_row_sums(solver) * (size_t)rn_pool_size(solver->pool) * sizeof(float);
    return (rn_solver_info){.bytes = bytes + rn_tiles_bytes(solver), .format = RN_ARCHIVE_MOMENTUM};
}

/* ---- A substep --------------------------------------------------------------------------------------------------- */

/* The rows to move, divided into bands for tasks. */
typedef struct moving {
    rn_packets *solver;
    const rn_packet_pass *pass;
    const rn_packet_sweeps *sweeps;
    int first, rows, bands; /* first row, number of rows, and number of bands */
} moving;

/* Sends row `y` and returns its sums, in `sums`; `none` for rows that send nothing: those beyond an edge that is not
   periodic. `own`: also marks the row's far packets. */
static const float *send_row(const moving *job, int y, bool own, float *sums, const float *none) {
    const rn_columns *c = &job->solver->columns;
    const bool outside = y < 0 || y >= c->grid.ny;
    if (y < -1 || y > c->grid.ny || (outside && !c->periodic_y)) return none;
    job->sweeps->send(job->pass, rn_slot(&c->grid, 0, y, 0), own, sums);
    return sums;
}

/* Sends and gathers the rows of band number `band`, and counts transfers if they are needed. `scratch` has
   RN_PACKET_ROWS rows of sums, used in turn, then one of zeros. */
static void move_band(const moving *job, int band, float *scratch) {
    const rn_grid *g = &job->solver->columns.grid;
    const size_t size = rn_packets_row_sums(job->solver);
    const int from = job->first + (int)((int64_t)job->rows * band / job->bands),
              to = job->first + (int)((int64_t)job->rows * (band + 1) / job->bands);
    const float *none = scratch + RN_PACKET_ROWS * size;
    const float *before = send_row(job, from - 1, false, scratch, none),
                *here = send_row(job, from, from >= 0 && from < g->ny, scratch + size, none);
    for (int y = from, k = 2; y < to; y++, k = (k + 1) % RN_PACKET_ROWS) {
        const float *after = send_row(job, y + 1, y + 1 < to && y + 1 < g->ny, scratch + (size_t)k * size, none);
        job->sweeps->gather(job->pass, rn_slot(g, 0, y, 0), before, here, after);
        if (job->pass->transfer_x) job->sweeps->count(job->pass, rn_slot(g, 0, y, 0), here, after);
        if (job->pass->transfer_x && y == 0) job->sweeps->count(job->pass, rn_slot(g, 0, -1, 0), before, here);
        before = here;
        here = after;
    }
}

/* A task over bands: sends and gathers their rows (move_band), with the scratch rows of the worker. */
static void move_bands(void *context, int begin, int end, int worker) {
    const moving *job = context;
    float *scratch = job->solver->sums + (size_t)worker * (RN_PACKET_ROWS + 1) * rn_packets_row_sums(job->solver);
    for (int band = begin; band < end; band++) move_band(job, band, scratch);
}

/* A task over rows: pressure and drag, and the extremes of each row, which are overwritten. */
static void kick_rows(void *context, int begin, int end, int worker) {
    const moving *job = context;
    (void)worker;
    for (int y = begin; y < end; y++) {
        job->solver->extremes[y] = (rn_packet_peaks){0};
        job->sweeps->kick(job->pass, rn_slot(&job->solver->columns.grid, 0, y, 0), &job->solver->extremes[y]);
    }
}

/* Sets peak_depth and peak_speed to the maxima of all rows. Liquid above the lid is pressed down. */
static void measure_rows(rn_packets *solver) {
    const int ny = solver->columns.grid.ny;
    bool over = false;
    solver->peak_depth = solver->peak_speed = 0.0f;
    for (int y = 0; y < ny; y++) {
        solver->peak_depth = fmaxf(solver->peak_depth, solver->extremes[y].deepest);
        solver->peak_speed = fmaxf(solver->peak_speed, solver->extremes[y].fastest);
        over = over || solver->extremes[y].highest > solver->columns.lid;
    }
    if (over) rn_packets_press_down(solver);
}

enum { ROWS_OF_A_BAND = 16 }; /* at least: two more rows are sent for each band */

/* Takes one substep of `dt` (s) with cells of one size, and runs sources. */
static void take_substep(rn_packets *solver, double dt, const rn_forcing *forcing) {
    const rn_packet_pass pass = rn_packets_pass(solver, dt, forcing->gauged);
    const rn_columns *c = &solver->columns;
    const rn_grid *g = &c->grid;
    moving job = {solver, &pass, RN_ISA_CHOSEN(rn_packet_sweeps), -pass.margin, g->ny + 2 * pass.margin, 1};
    const int workers = rn_pool_size(solver->pool), most = job.rows / ROWS_OF_A_BAND;
    if (workers > 1) job.bands = most < 1 ? 1 : most < 2 * workers ? most : 2 * workers;
    const bool may_travel = (double)solver->peak_speed * dt >= 0.7 * solver->cell;
    rn_packets_mirror(c, g, pass.h);
    rn_packets_mirror(c, g, pass.u);
    rn_packets_mirror(c, g, pass.v);
    rn_parallel_for(solver->pool, job.bands, move_bands, &job);
    if (may_travel) rn_packets_far(solver, &pass);
    const int64_t left = rn_packets_empty_sinks(solver);
    rn_packets_mirror(c, g, pass.h1);
    rn_parallel_for(solver->pool, g->ny, kick_rows, &job);
    measure_rows(solver);
    rn_packets_end_substep(solver, dt, left, forcing);
}

/* ---- Step size --------------------------------------------------------------------------------------------------- */

/* Finds the deepest and the fastest column again if there was a change from outside, and sets `added` to 0; otherwise
   does nothing. */
static void find_peaks(rn_packets *solver) {
    const rn_grid *g = &solver->columns.grid;
    if (!solver->touched) return;
    solver->peak_depth = solver->peak_speed = 0.0f;
    for (int y = 0; y < g->ny; y++)
        for (int32_t c = rn_slot(g, 0, y, 0), end = c + g->nx; c < end; c++) {
            solver->peak_depth = fmaxf(solver->peak_depth, solver->columns.depth[c]);
            solver->peak_speed = fmaxf(solver->peak_speed, fmaxf(fabsf(solver->u[c]), fabsf(solver->v[c])));
        }
    solver->touched = false;
    solver->added = 0.0f;
}

/* The largest substep (s) for waves on liquid of this depth (m), at most 1e9. In the paper's model waves run at sqrt(2
   g h / s). With tiles the fastest packets limit it too. */
static double wave_step(const rn_packets *solver, double depth) {
    const double factor = solver->params.paper ? 2.0 / solver->widening : 1.0;
    const double speed = solver->tiles ? (double)solver->peak_speed : 0.0; /* packets of tiles must not travel far */
    const double near = speed > 0.0 ? rn_min(RN_NEAR * solver->cell / speed, 1e9) : 1e9;
    return depth > 0.0 ? rn_min(solver->courant * solver->cell / sqrt(factor * solver->gravity * depth), near) : near;
}

/* The largest stable substep (s), with the liquid that sources add in that time, found by bisection, and at most what
   sources allow; about 1e9 if nothing is wet and no source will pour. */
static double stable_dt(void *self, const rn_forcing *forcing) {
    rn_packets *solver = self;
    find_peaks(solver);
    const double now = (double)solver->peak_depth, step = wave_step(solver, now + (double)solver->added);
    double low = 0.0, high = rn_min(step, 1e9);
    if (wave_step(solver, now + (double)solver->added + forcing->rise(forcing->context, now, high)) >= high) low = high;
    for (int i = 0; i < 60 && low < high; i++) {
        const double middle = 0.5 * (low + high);
        if (wave_step(solver, now + (double)solver->added + forcing->rise(forcing->context, now, middle)) >= middle)
            low = middle;
        else high = middle;
    }
    return rn_min(low, forcing->longest(forcing->context));
}

/* The length (s) of equal substeps, none longer than `limit` (s), that fill the time `left` (s); `left` itself if one
   suffices. */
static double even_part(double left, double limit) {
    const double count = ceil(rn_min(left / limit, 1e9) * (1.0 - 1e-9)), part = count > 1.0 ? left / count : left;
    return part >= left * (1.0 - 1e-6) ? left : part;
}

/* What limits substeps to `limit` (s): sources, waves, or nothing but the call. */
static rn_bound find_bound(const rn_packets *solver, double limit, const rn_forcing *forcing) {
    if (!(limit < 1e8)) return RN_BOUND_CALL;
    if (limit >= forcing->longest(forcing->context)) return RN_BOUND_SOURCES;
    return limit < 0.99 * wave_step(solver, (double)solver->peak_depth) ? RN_BOUND_SOURCES : RN_BOUND_WAVES;
}

/* Advances by `seconds` in equal substeps as far as possible. Stops early, with report->slowed, once report->substeps
   reaches `most`. With tiles, brings the depths of all columns up to date. Never fails. */
static rn_result advance(void *self, double seconds, int most, const rn_forcing *forcing, rn_step_report *report) {
    rn_packets *solver = self;
    double left = seconds;
    while (left > 0.0 && report->substeps < most) {
        const double limit = stable_dt(solver, forcing), dt = even_part(left, limit);
        const rn_bound bound = limit >= seconds ? RN_BOUND_CALL : find_bound(solver, limit, forcing);
        if (solver->tiles) rn_tiles_substep(solver, dt, forcing);
        else take_substep(solver, dt, forcing);
        report->least = rn_min(report->least, dt);
        report->substeps++;
        report->bounded[bound]++;
        left -= dt;
    }
    if (left > 0.0) report->slowed = true;
    if (solver->tiles) rn_tiles_show(solver);
    return RN_OK;
}

/* Fills in bound, bound_depth, fastest and deepest of the statistics; needs stats->limit, the largest stable substep
   (s). */
static void progress(const void *self, const rn_forcing *forcing, rn_world_stats *stats) {
    const rn_packets *solver = self;
    stats->bound = find_bound(solver, stats->limit, forcing);
    stats->bound_depth = (double)solver->peak_depth;
    stats->fastest = (double)solver->peak_speed;
    stats->deepest = (double)solver->peak_depth;
}

/* ---- Changes from outside ---------------------------------------------------------------------------------------- */

/* Handles a change of liquid or friction from outside; with tiles a change of all columns makes all tiles fine. Raises
   peak_depth and `added` as the disturbance says. */
static void changed(void *self, const rn_disturbance *what) {
    rn_packets *solver = self;
    switch (what->what) {
    case RN_CHANGED_COLUMNS:
    case RN_CHANGED_ROW:
        solver->poured = true;
        if (solver->tiles) rn_tiles_touch(solver, what);
        break;
    case RN_CHANGED_ALL:
        if (solver->tiles) rn_tiles_flatten(solver);
        if (what->fluxes && solver->shown) rn_packets_take(solver);
        solver->touched = true;
        break;
    case RN_CHANGED_FRICTION:
        if (solver->tiles) rn_tiles_roughen(solver);
        break;
    case RN_RESTORED:
    case RN_CHANGED_ANGLES:
    case RN_CHANGED_PARTIAL: break;
    }
    solver->shown = false;
    solver->peak_depth = fmaxf(solver->peak_depth, what->deepest);
    solver->added = fmaxf(solver->added, what->added);
}

/* Adds an impulse (m^4/s, divided by the density) to the liquid of a column, or with tiles of its cell, unless the
   liquid is not deeper than params.dry; raises peak_speed. */
static void push(void *self, int32_t slot, const double impulse[2]) {
    rn_packets *solver = self;
    float *h = solver->columns.depth, *u = solver->u, *v = solver->v;
    double area = solver->cell * solver->cell;
    if (solver->tiles) {
        const rn_packet_level *level = rn_tiles_find(solver, slot, &slot);
        h = level->h, u = level->u, v = level->v;
        area *= (double)level->share;
    }
    const double mass = (double)h[slot] * area;
    if (!(h[slot] > solver->params.dry)) return;
    u[slot] += (float)(impulse[0] / mass);
    v[slot] += (float)(impulse[1] / mass);
    solver->peak_speed = fmaxf(solver->peak_speed, fmaxf(fabsf(u[slot]), fabsf(v[slot])));
    solver->shown = false;
}

/* Writes the fluxes that hosts see: rn_packets_show. Never fails. */
static rn_result sync(void *self) {
    rn_packets_show(self);
    return RN_OK;
}

/* The tiles of an adaptive solver; all 0 if all cells have one size. */
static rn_tiles tiles_of(const void *self) {
    const rn_packet_tiles *t = ((const rn_packets *)self)->tiles;
    return t ? (rn_tiles){t->nx, t->ny, t->active, t->level} : (rn_tiles){0};
}

const rn_solver_class rn_solver_packets = {
    .name = "packets",
    .backend = "cpu",
    .meaning = "packets of liquid that move with the flow (Lee & O'Sullivan 2007), on ground without overhangs",
    .can = RN_CAN_OPEN | RN_CAN_PERIODIC | RN_CAN_RESHAPE | RN_CAN_ROUGHEN | RN_CAN_PUSH,
    .check = check_definition,
    .create = create,
    .destroy = destroy,
    .describe = describe,
    .stable_dt = stable_dt,
    .advance = advance,
    .progress = progress,
    .retune = retune,
    .changed = changed,
    .reshape = rn_packets_reshape,
    .push = push,
    .sync = sync,
    .archive = rn_packets_archive,
    .column_flow = rn_packets_column_flow,
    .face_flow = rn_packets_face_flow,
    .tiles = tiles_of,
};
