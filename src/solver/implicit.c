/* The implicit step: finds the pressure at the end of the substep by Newton's method (docs/model.md, "The implicit
   solver").

   Interface (solver/implicit.h): rn_implicit_step takes one substep; rn_implicit_fit allocates its arrays when
   columns have changed. solver/pipe_solver.c calls rn_multigrid_fit, rn_implicit_fit and rn_implicit_step in every
   substep, and takes explicit substeps instead if the solve does not converge.

   For every column V(h) + T h = right-hand side. V is its volume as a function of its head h, cut off at its floor
   and its ceiling; T are the fluxes that differences of heads drive in this substep. Newton's method changes the
   kinds of columns (dry, free or full), and for given kinds the system is linear. The unknown is the rise of heads
   since the last substep, because floats have too few digits for the heads themselves.

   Order of calls in a substep:
   - rn_passages_init_heads (solver/passages.c): first heads of columns that have just filled up;
   - rn_momentum_predict (solver/momentum.c): speeds after transport and drag, and depths that cross;
   - rn_newton_assemble (solver/newton_system.c): kept fluxes, and the gain per metre of head;
   - find_heads: Newton, and if it cycles the nested iteration of Brugnano and Casulli (2009), which never cycles;
     each round solves by solver/multigrid.c;
   - rn_flood_list (solver/flood.c): passages of the columns that are full now;
   - finish_wraps, finish_rows and finish_irregular: transfers in whole quanta;
   - rn_newton_repair (solver/newton_repair.c): no column gives or takes more than it can;
   - find_speeds: speeds for the next substep;
   - rn_pipes_depths: depths, by the sweeps of explicit steps; then keep_heads: heads for the next substep. */
#include "solver/implicit.h"

#include "base/memory.h"
#include "kernels/face.h"
#include "solver/momentum.h"
#include "solver/newton.h"

#define YIELD       1e-4f    /* share of its links by which a full or dry column yields: gives sealed ones a head */
#define NEAR_FULL   32.0f    /* quanta below its ceiling from which a full column is topped up */
#define TOPPED      16.0f    /* quanta below its ceiling to which it is topped up */
#define NEARLY_FULL 65536.0f /* quanta below its ceiling at which a column under pressure keeps its head */
#define WEIGHT      0.6f     /* of the new heads in a flux: 1/2 would preserve every wave, 1 damps them */
#define LINEAR      1e-6f    /* accuracy of a linear solve, relative to its first residual */
#define NEWTON      1e-4f    /* accuracy of the whole iteration */
#define ENOUGH      4.0f     /* or this many quanta */
enum { NEWTONS = 12, NESTED = 60 };

/* Replaces all arrays by new ones for this many slots and rows; old contents are lost. Returns RN_MEMORY, with a
   message, if memory runs out; then some may be missing, and `slots` is 0. */
static rn_result make_room(rn_implicit *implicit, const rn_state *s, size_t slots, size_t rows) {
    rn_implicit_free(implicit, &s->columns.hooks);
    implicit->rise = rn_alloc(&s->columns.hooks, slots, sizeof *implicit->rise);
    implicit->take = rn_alloc(&s->columns.hooks, slots, sizeof *implicit->take);
    implicit->kind = rn_alloc(&s->columns.hooks, slots, sizeof *implicit->kind);
    implicit->rows = rn_alloc(&s->columns.hooks, rows, sizeof *implicit->rows);
    if (s->columns.partial && !(implicit->open = rn_alloc(&s->columns.hooks, slots, sizeof *implicit->open)))
        return RN_MEMORY;
    if (!implicit->rise || !implicit->take || !implicit->kind || !implicit->rows) return RN_MEMORY;
    implicit->slots = slots;
    implicit->row_count = rows;
    return RN_OK;
}

rn_result rn_implicit_fit(rn_implicit *implicit, const rn_state *s) {
    const size_t slots = (size_t)s->columns.grid.slots, rows = (size_t)row_count(s);
    const bool fits =
        implicit->slots == slots && implicit->row_count == rows && s->columns.partial == (implicit->open != NULL);
    if (fits && implicit->shape == s->columns.shape) return RN_OK;
    const rn_result result = fits ? RN_OK : make_room(implicit, s, slots, rows);
    if (result != RN_OK) return result;
    /* columns that solid has left may have lost their irregular pipes, and find_open_shares would skip them */
    for (size_t i = 0; implicit->open && i < slots; i++) implicit->open[i] = 1.0f;
    implicit->shape = s->columns.shape;
    return RN_OK;
}

void rn_implicit_free(rn_implicit *implicit, const rn_hooks *hooks) {
    rn_free(hooks, implicit->rise);
    rn_free(hooks, implicit->take);
    rn_free(hooks, implicit->kind);
    rn_free(hooks, implicit->rows);
    rn_free(hooks, implicit->open);
    implicit->rise = implicit->take = implicit->open = NULL;
    implicit->kind = NULL;
    implicit->rows = NULL;
    implicit->slots = implicit->row_count = 0;
}

size_t rn_implicit_bytes(const rn_implicit *implicit) {
    return implicit->slots * ((implicit->open ? 3 : 2) * sizeof *implicit->rise + sizeof *implicit->kind) +
           implicit->row_count * sizeof *implicit->rows;
}

/* ---- Newton -------------------------------------------------------------------------------------------------- */

/* The depth (m) at which a column counts as full: its present depth, so that a few missing quanta move nothing. But if
   more than NEAR_FULL quanta are missing to `most` (m), what the column can hold, it is topped up to TOPPED quanta
   below `most`. */
RN_INLINE rn_wide full_depth(const rn_step_params *params, rn_wide depth, rn_wide most) {
    return rn_select(depth < most - NEAR_FULL * params->quantum, most - TOPPED * params->quantum, depth);
}

/* The work of balance_rows in a row, by lanes. */
static void balance_row(const void *context) {
    const row_work *work = context;
    const newton *n = &work->n;
    const rn_state *s = n->step.s;
    const rn_step_params params = *n->step.params;
    const rn_level *level = &n->grid->levels[0];
    const float *const rise = n->implicit->rise, *const open = n->implicit->open;
    uint8_t *const kinds = n->implicit->kind;
    const int32_t up = s->columns.grid.stride;
    RN_FOR_VECTORS(c, work->first, work->end) {
        const rn_wide base = rn_load(s->columns.base + c), head = rn_load(s->graph.head + c), e = rn_load(rise + c);
        const rn_wide depth = rn_load(s->columns.depth + c), share = open ? rn_load(open + c) : rn_splat(1.0f);
        const rn_mask column = (base < RN_NO_COLUMN) & (base >= 0.0f) & lanes_in(s, work->first, c),
                      flooded = head > 0.0f;
        const rn_wide most = rn_load(s->columns.ceil + c) - base - taken_at(s, c);
        const rn_wide steep = share * (1.0f / WEIGHT), ceil = rn_load(s->columns.ceil + c);
        const rn_wide whole = full_depth(&params, depth, most);
        const rn_wide start = rn_select(flooded, whole + (head - ceil) * steep, acting_depth(s, c)),
                      v = start + e * steep;
        rn_mask was_full, was_dry;
        for (int lane = 0; lane < RN_LANES; lane++) {
            was_full[lane] = kinds[c + lane] == KIND_FULL || kinds[c + lane] == KIND_TOPPED ? -1 : 0;
            was_dry[lane] = kinds[c + lane] == KIND_DRY ? -1 : 0;
        }
        const rn_wide links = rn_load(s->graph.share + c);
        rn_mask full = v >= whole, dry = ~full & (v <= 0.0f);
        if (n->pass == FIRST) dry = (rn_mask){0};
        if (n->pass == INNER) full = was_full, dry = ~full & (was_dry | (v <= 0.0f));
        if (n->pass == OUTER) dry = (rn_mask){0};
        const rn_mask alone = links == 0.0f;
        full &= ~alone;
        dry &= ~alone;
        const rn_mask free_kind = ~(full | dry);
        const rn_wide gap = rn_select(full, depth - whole, rn_select(dry, depth, (depth - start) - e * steep));
        const rn_wide x = rn_load(rise + c);
        const rn_wide west = rn_load(s->graph.transfer_x + c - 1) +
                             rn_load(level->link_x + c - 1) * (rn_load(rise + c - 1) - x),
                      east =
                          rn_load(s->graph.transfer_x + c) + rn_load(level->link_x + c) * (x - rn_load(rise + c + 1)),
                      south = rn_load(s->graph.transfer_y + c - up) +
                              rn_load(level->link_y + c - up) * (rn_load(rise + c - up) - x),
                      north =
                          rn_load(s->graph.transfer_y + c) + rn_load(level->link_y + c) * (x - rn_load(rise + c + up));
        const rn_wide left = rn_keep(column, gap + ((west - east) + (south - north)));
        rn_store(level->b + c, left);
        rn_store(level->own + c, rn_keep(column, rn_select(free_kind, steep, YIELD * (links + 1.0f))));
        for (int lane = 0; lane < RN_LANES; lane++)
            kinds[c + lane] = (uint8_t)(!column[lane] ? KIND_NONE
                                        : full[lane]  ? (depth[lane] < whole[lane] ? KIND_TOPPED : KIND_FULL)
                                        : dry[lane]   ? KIND_DRY
                                                      : KIND_FREE);
    }
    rn_lanes_meet();
    uint64_t mark = 0;
    RN_FOR_ITEMS (i, 0, (work->end - work->first + MARKED - 1) / MARKED)
        mark += kinds_mark(kinds, work->first + i * MARKED, work->end);
    rn_short_add(&n->implicit->rows[work->at.layer * s->columns.grid.ny + work->at.y].mark, (int64_t)mark);
}

/* A task over rows: finds the kinds of columns for the current heads, as n->pass says, and writes `own` and the
   residual (m, in `b`) of each, without irregular pipes. A column without links is free. Needs rn_newton_assemble. Idle
   rows are skipped. */
static void balance_rows(void *context, int begin, int end, int worker) {
    const newton *n = context;
    for (int r = begin; r < end; r++) {
        const row_work work = row_work_at(n, r, worker);
        n->implicit->rows[r].mark = 0;
        if (!is_idle(n, &work.at)) rn_lanes_run(balance_row, &work);
    }
}

/* Adds the inflow of irregular pipes and across periodic edges at the current heads to the residuals (m), by ascending
   number of pipes: solver/multigrid.h. By lanes, which wait for each other. */
static void add_irregular_balance(const newton *n) {
    const rn_state *s = n->step.s;
    const rn_level *level = &n->grid->levels[0];
    const rn_link_sums *ends = &level->ends;
    const float *const rise = n->implicit->rise;
    RN_FOR_ITEMS (k, 0, ends->count) {
        float sum = level->b[ends->target[k]];
        for (int32_t m = ends->begin[k]; m < ends->begin[k + 1]; m++) {
            const int32_t i = ends->links[m] / 2, a = level->irregular_a[i], b = level->irregular_b[i];
            const float known = i < s->graph.irregular_count ? s->graph.irregular_transfer[i]
                                                             : 0.0f; /* counted already, across periodic edges */
            const float v = known + level->irregular_link[i] * ((a < 0 ? 0.0f : rise[a]) - (b < 0 ? 0.0f : rise[b]));
            sum = ends->links[m] % 2 ? sum + v : sum - v;
        }
        level->b[ends->target[k]] = sum;
    }
    rn_lanes_meet();
}

/* By lanes: adds irregular pipes to the residuals, sums the marks of rows, and finds the largest residual (m) of any
   column; NAN if some residual is NaN. */
static void end_balance(const void *context) {
    const newton *n = context;
    rn_implicit *implicit = n->implicit;
    int64_t mark = 0, all;
    add_irregular_balance(n);
    RN_FOR_ITEMS (r, 0, (int32_t)implicit->row_count)
        mark = (int64_t)((uint64_t)mark + (uint64_t)implicit->rows[r].mark);
    rn_lanes_before(mark, &all);
    const float worst = rn_multigrid_largest(n->grid, n->grid->levels[0].b);
    if (rn_lanes_own() > 0) return;
    implicit->mark = (uint64_t)all;
    implicit->worst = worst;
}

/* Finds kinds and residuals (m) of all columns, irregular pipes included, and the largest residual, implicit->worst.
   Returns a hash of all kinds: equal hashes mean equal kinds. */
static uint64_t balance_columns(newton *n, rn_pool *pool) {
    rn_parallel_for(pool, row_count(n->step.s), balance_rows, n);
    rn_lanes_run(end_balance, n);
    return n->implicit->mark;
}

/* A linear system that lanes solve together. */
typedef struct solving {
    newton n;
    rn_pool *pool;
    float tolerance;
    int most;
} solving;

/* By lanes: solves the linear system. */
static void solve_by_lanes(const void *context) {
    const solving *job = context;
    const rn_solve solve = rn_multigrid_solve(job->n.grid, job->pool, job->tolerance, job->most);
    if (rn_lanes_own() == 0) job->n.implicit->solve = solve;
}

/* The work of add_rise in a row, by lanes. */
static void add_row_rise(const void *context) {
    const row_work *work = context;
    float *const rise = work->n.implicit->rise;
    RN_FOR_VECTORS(c, work->first, work->end)
    rn_store(rise + c, rn_load(rise + c) + rn_load(work->n.grid->solution + c));
}

/* A task over rows: adds the solution of the linear system to the rise of heads. Idle rows are skipped. */
static void add_rise(void *context, int begin, int end, int worker) {
    for (int r = begin; r < end; r++) {
        const row_work work = row_work_at(context, r, worker);
        if (!is_idle(&work.n, &work.at)) rn_lanes_run(add_row_rise, &work);
    }
}

typedef enum newton_outcome { BALANCED, CIRCLES, FAILED } newton_outcome;

/* Solves the linear system for the kinds of columns and the residuals of the last balance_columns, and adds the
   solution to the rise of heads. Sets n->residual and raises flood->iterations. Returns false if the solve does not
   converge; then the rise is unchanged. */
static bool solve_once(newton *n, rn_flood *flood, rn_pool *pool) {
    const float tolerance = fmaxf(0.25f * n->step.params->quantum, LINEAR * n->implicit->worst);
    rn_lanes_run(solve_by_lanes, (&(solving){*n, pool, tolerance, flood->most}));
    const rn_solve solve = n->implicit->solve;
    if (solve.iterations > flood->iterations) flood->iterations = solve.iterations;
    n->residual = solve.residual;
    if (solve.converged) rn_parallel_for(pool, row_count(n->step.s), add_rise, n);
    return solve.converged;
}

/* Newton's plain iteration, at most NEWTONS rounds. If the kinds do not change, they are right, because the system is
   then linear. Returns CIRCLES if kinds came back or rounds did not suffice, and FAILED if a linear solve did not
   converge. Sets n->residual, and n->enough from the residual of the first round. */
static newton_outcome iterate_newton(newton *n, rn_flood *flood, rn_pool *pool) {
    uint64_t marks[NEWTONS];
    for (int i = 0; i < NEWTONS; i++) {
        n->pass = i == 0 ? FIRST : SINGLE;
        marks[i] = balance_columns(n, pool);
        n->residual = n->implicit->worst;
        if (i == 0) n->enough = fmaxf(ENOUGH * n->step.params->quantum, NEWTON * n->residual);
        if (n->residual <= (i == 0 ? 0.25f * n->step.params->quantum : n->enough)) return BALANCED;
        if (i > 0 && marks[i] == marks[i - 1]) return BALANCED;
        for (int k = 0; k + 1 < i; k++)
            if (marks[k] == marks[i]) return CIRCLES;
        if (!solve_once(n, flood, pool)) return FAILED;
    }
    return CIRCLES;
}

/* By lanes: makes all columns free. */
static void free_kinds(const void *context) {
    const rn_implicit *implicit = ((const newton *)context)->implicit;
    RN_FOR_ITEMS (c, 0, (int32_t)implicit->slots) implicit->kind[c] = KIND_FREE;
}

/* The nested iteration of Brugnano and Casulli (2009), which never cycles as Newton's may: first without ceilings, with
   columns falling dry one after the other; then with the ceilings that were exceeded, and so on. Continues from the
   rise so far; needs n->enough, and sets n->residual. Returns FAILED after NESTED rounds, or if a linear solve does not
   converge. */
static newton_outcome iterate_nested(newton *n, rn_flood *flood, rn_pool *pool) {
    rn_lanes_run(free_kinds, n);
    n->pass = INNER;
    uint64_t mark = balance_columns(n, pool);
    for (int i = 0; i < NESTED; i++) {
        if (!solve_once(n, flood, pool)) return FAILED;
        n->pass = INNER;
        const uint64_t before = mark;
        mark = balance_columns(n, pool);
        if (mark != before && n->implicit->worst > n->enough) continue;
        n->pass = SINGLE;
        balance_columns(n, pool);
        n->residual = n->implicit->worst;
        if (n->residual <= n->enough) return BALANCED;
        n->pass = OUTER;
        mark = balance_columns(n, pool);
    }
    n->residual = n->implicit->worst;
    return FAILED;
}

/* Finds heads that balance every column, as their rise since the last substep. If it finds none, returns false and
   counts the failure in flood->failures; flood->residual is that of the first failure. */
static bool find_heads(newton *n, rn_flood *flood, rn_pool *pool) {
    newton_outcome how = iterate_newton(n, flood, pool);
    if (how == CIRCLES) how = iterate_nested(n, flood, pool);
    if (how == BALANCED) return true;
    if (flood->failures++ == 0) flood->residual = n->residual;
    return false;
}

/* ---- Transfers ----------------------------------------------------------------------------------------------- */

/* The speed (m/s) of a flux (m^3/s) through a face whose cross-section is this deep (m); 0 if it is closed. */
RN_INLINE rn_wide speed_through(const rn_step_params *params, rn_wide width, rn_wide flux) {
    const rn_wide section = params->cell * width;
    return rn_keep(section > 0.0f, flux / rn_greater(section, rn_splat(1e-30f))) + 0.0f;
}

/* The transfer in whole quanta (t) and the flux (f, m^3/s) of a pipe that should move `v` (m of depth), with a
   cross-section `width` (m) deep. The level difference `dh` (m) decides only whether the pipe comes to rest: its flux
   is then that of the whole quanta. Speed is not set. */
RN_INLINE rn_flow round_transfer(const newton *n, rn_wide v, rn_wide width, rn_wide dh) {
    const rn_step_params *params = n->step.params;
    const rn_wide crossing = width * params->lambda;
    rn_crossing f = {.u = rn_keep(crossing > 0.0f, v / rn_greater(crossing, rn_splat(1e-30f)))};
    rn_flow flow;
    rn_wide speed;
    rn_crossing_transfer(params, &f, width, dh, (rn_face_kind){0}, &speed, &flow.t);
    flow.f = speed * (params->cell * width);
    return flow;
}

/* By lanes, for the pipes of a row along one axis: corrects the wanted transfers (transfer_x or transfer_y) by the
 * solved heads, replaces them by whole quanta, and sets the fluxes (m^3/s). `row`: slot of its first column. Closed
 * pipes get 0. */
RN_INLINE void finish_lanes(const newton *n, int32_t row, int axis) {
    const rn_state *s = n->step.s;
    const rn_step_params *params = n->step.params;
    const rn_level *level = &n->grid->levels[0];
    const int32_t next = axis == 0 ? 1 : s->columns.grid.stride;
    float *const move = axis == 0 ? s->graph.transfer_x : s->graph.transfer_y, *const flux = axis == 0
                                                                                                 ? s->columns.flux_x
                                                                                                 : s->columns.flux_y;
    const float *const link = axis == 0 ? level->link_x : level->link_y, *const rise = n->implicit->rise;
    const float *const width = axis == 0 ? s->graph.width_x : s->graph.width_y;
    const float tilt = params->tilt[axis];
    RN_FOR_VECTORS(i, row, row + s->columns.grid.nx) {
        const int32_t j = i + next;
        const rn_wide e = rn_load(rise + i) - rn_load(rise + j), v = rn_load(move + i) + rn_load(link + i) * e;
        const rn_wide head_i = rn_load(s->graph.head + i), head_j = rn_load(s->graph.head + j);
        const rn_wide level_i = rn_load(s->columns.base + i) + rn_load(s->columns.depth + i);
        const rn_wide level_j = rn_load(s->columns.base + j) + rn_load(s->columns.depth + j);
        const rn_wide hi = rn_select(head_i > 0.0f, head_i, level_i), hj = rn_select(head_j > 0.0f, head_j, level_j);
        const rn_wide crossing = rn_keep(lanes_in(s, row, i), rn_load(width + i));
        const rn_flow flow = round_transfer(n, rn_keep(crossing > 0.0f, v), crossing, (hi - hj) + tilt + e);
        rn_store(flux + i, flow.f);
        rn_store(move + i, flow.t);
    }
}

/* By lanes: adds the flow driven by the rise of heads to the transfers across periodic edges, whose links are among the
   irregular ones of the linear solver: first those along x. */
static void finish_wraps(const void *context) {
    const newton *n = context;
    const rn_state *s = n->step.s;
    const rn_level *level = &n->grid->levels[0];
    const float *const rise = n->implicit->rise;
    const int32_t along_y =
        s->graph.irregular_count + (s->columns.periodic_x ? s->columns.grid.layers * s->columns.grid.ny : 0);
    RN_FOR_ITEMS (i, s->graph.irregular_count, level->irregular_count) {
        const int32_t a = level->irregular_a[i], b = level->irregular_b[i];
        (i < along_y ? s->graph.transfer_x : s->graph.transfer_y)[a] += level->irregular_link[i] * (rise[a] - rise[b]);
    }
}

/* The work of finish_rows in a row, by lanes. */
static void finish_row(const void *context) {
    const row_work *work = context;
    finish_lanes(&work->n, work->first, 0);
    finish_lanes(&work->n, work->first, 1);
}

/* A task over rows: finish_lanes along both axes. Skips rows whose fluxes are known to be 0, and marks idle rows as
   such. */
static void finish_rows(void *context, int begin, int end, int worker) {
    for (int r = begin; r < end; r++) {
        const row_work work = row_work_at(context, r, worker);
        rn_row *row = rn_row_at(work.n.step.s, work.at.layer, work.at.y);
        if (row->zero_flux) continue;
        rn_lanes_run(finish_row, &work);
        row->zero_flux = is_idle(&work.n, &work.at);
    }
}

/* By lanes: turns what irregular pipes should move into fluxes (m^3/s) and transfers in whole quanta, from the solved
   heads. Beside partly solid columns a pipe comes to rest at larger level differences. */
static void finish_irregular(const void *context) {
    const newton *n = context;
    rn_state *s = n->step.s;
    const rn_level *level = &n->grid->levels[0];
    const float *const rise = n->implicit->rise;
    RN_FOR_ITEMS (i, 0, s->graph.irregular_count) {
        const int32_t a = level->irregular_a[i], b = level->irregular_b[i];
        const float e = (a < 0 ? 0.0f : rise[a]) - (b < 0 ? 0.0f : rise[b]),
                    v = s->graph.irregular_transfer[i] + level->irregular_link[i] * e;
        const float *const open = n->implicit->open,
                           slow = open ? fminf(open[s->graph.irregular_a[i]], open[s->graph.irregular_b[i]]) : 1.0f;
        const rn_flow flow = round_transfer(n, rn_splat(v), rn_splat(s->connections.faces[i].width),
                                            rn_splat((rn_newton_irregular_drive(n, i) + e) * slow));
        s->graph.irregular_flux[i] = flow.f[0];
        s->graph.irregular_transfer[i] = flow.t[0];
    }
}

/* ---- Speeds ------------------------------------------------------------------------------------------------------ */

/* By lanes: sets the speeds (m/s) of a row's faces along one axis from their fluxes; 0 where closed. `row`: slot of its
   first column. */
RN_INLINE void speed_lanes(const newton *n, int32_t row, int axis) {
    const rn_state *s = n->step.s;
    const float *const flux = axis == 0 ? s->columns.flux_x : s->columns.flux_y;
    const float *const width = axis == 0 ? s->graph.width_x : s->graph.width_y;
    float *const speed = axis == 0 ? s->graph.speed_x : s->graph.speed_y;
    RN_FOR_VECTORS(i, row, row + s->columns.grid.nx)
    rn_store(speed + i, speed_through(n->step.params, rn_load(width + i), rn_load(flux + i)));
}

/* The work of speed_rows in a row, by lanes. */
static void speed_row(const void *context) {
    const row_work *work = context;
    speed_lanes(&work->n, work->first, 0);
    speed_lanes(&work->n, work->first, 1);
}

/* A task over rows: sets the speeds of their faces along both axes from fluxes. */
static void speed_rows(void *context, int begin, int end, int worker) {
    for (int r = begin; r < end; r++) {
        const row_work work = row_work_at(context, r, worker);
        rn_lanes_run(speed_row, &work);
    }
}

/* The work of measure_rows in a row, by lanes. */
static void measure_row(const void *context) {
    const row_work *work = context;
    const rn_state *s = work->n.step.s;
    const rn_step_params *params = work->n.step.params;
    const int32_t up = s->columns.grid.stride;
    rn_extremes own = {0}, *const found = &s->schedule.extremes[work->worker];
    const float known = found->signal_speed;
    rn_wide speed = {0}, drift = {0};
    RN_FOR_VECTORS(c, work->first, work->end) {
        const rn_wide h = rn_load(s->columns.depth + c);
        const rn_wide a =
            rn_greater(rn_size(rn_load(s->graph.speed_x + c)), rn_size(rn_load(s->graph.speed_x + c - 1)));
        const rn_wide b =
            rn_greater(rn_size(rn_load(s->graph.speed_y + c)), rn_size(rn_load(s->graph.speed_y + c - up)));
        const rn_mask counts = (h > params->thin_depth) & lanes_in(s, work->first, c);
        speed = rn_greater(rn_keep(counts, rn_greater(a, b)), speed);
        drift = rn_greater(rn_keep(counts, a + b), drift);
        const rn_wide signal = rn_keep(counts, rn_root(params->wave_factor * h) + 2.0f * (a + b)), sum = a + b;
        if (!rn_any(counts & (signal >= rn_splat(fmaxf(known, own.signal_speed))))) continue;
        for (int lane = 0; lane < RN_LANES; lane++)
            if (counts[lane]) raise_signal(&own, signal[lane], h[lane], sum[lane]);
    }
    rn_short_raise(&found->speed, rn_greatest(speed));
    rn_short_raise(&found->flow_sum, rn_greatest(drift));
    raise_signal_by_lanes(&own, found);
}

/* A task over rows: raises the worker's extremes that set the next substep, from the depths after this one. Liquid not
   deeper than thin_depth does not count. */
static void measure_rows(void *context, int begin, int end, int worker) {
    for (int r = begin; r < end; r++) {
        const row_work work = row_work_at(context, r, worker);
        if (!is_idle(&work.n, &work.at)) rn_lanes_run(measure_row, &work);
    }
}

/* By lanes: sets the speeds of irregular pipes from their fluxes, and copies speeds and transfers across periodic
   edges. Raises speed and flow_sum of the extremes by irregular pipes, except ducts and thin ones. */
static void find_irregular_speeds(const void *context) {
    const newton *n = context;
    const rn_state *s = n->step.s;
    RN_FOR_ITEMS (i, 0, s->graph.irregular_count) {
        const int32_t a = s->graph.irregular_a[i], b = s->graph.irregular_b[i];
        const float u = speed_through(n->step.params, rn_splat(s->connections.faces[i].width),
                                      rn_splat(s->graph.irregular_flux[i]))[0];
        s->graph.irregular_speed[i] = u;
        if (!(s->graph.head[a] > 0.0f || s->graph.head[b] > 0.0f) &&
            s->connections.faces[i].width > n->step.params->thin_depth) {
            rn_short_raise(&s->schedule.extremes[0].speed, fabsf(u));
            rn_short_raise(&s->schedule.extremes[0].flow_sum, fabsf(u));
        }
    }
    mirror_by_lanes(s, s->graph.speed_x);
    mirror_by_lanes(s, s->graph.speed_y);
    mirror_by_lanes(s, s->graph.transfer_x);
    mirror_by_lanes(s, s->graph.transfer_y);
}

/* Sets the speeds of all faces from their fluxes, for the next substep. */
static void find_speeds(newton *n, rn_pool *pool) {
    rn_parallel_for(pool, row_count(n->step.s), speed_rows, n);
    if (has_more(n->step.s)) rn_lanes_run(find_irregular_speeds, n);
}

/* ---- The step ---------------------------------------------------------------------------------------------------- */

/* The work of sum_heads in a row, by lanes. */
static void sum_row_heads(const void *context) {
    const row_work *work = context;
    const rn_state *s = work->n.step.s;
    float *const rise = work->n.implicit->rise;
    RN_FOR_VECTORS(c, work->first, work->end) {
        const rn_wide was = rn_load(s->graph.head + c), level = rn_load(s->columns.base + c) + stand_at(s, c);
        rn_store(rise + c, rn_keep(lanes_in(s, work->first, c), rn_select(was > 0.0f, was, level) + rn_load(rise + c)));
    }
}

/* A task over rows: turns `rise` into the head itself (m), from the depths before the transfers; 0 past a row's end.
   Idle rows are skipped. */
static void sum_heads(void *context, int begin, int end, int worker) {
    for (int r = begin; r < end; r++) {
        const row_work work = row_work_at(context, r, worker);
        if (!is_idle(&work.n, &work.at)) rn_lanes_run(sum_row_heads, &work);
    }
}

/* Stores `head` (m) for columns from slot `c` on that are nearly full, under a ceiling, and have heads at or above it;
   0 for others. `row`: slot of the first column of their row. */
RN_INLINE void keep_head(const newton *n, int32_t row, int32_t c, rn_wide head) {
    const rn_state *s = n->step.s;
    const rn_wide base = rn_load(s->columns.base + c), ceil = rn_load(s->columns.ceil + c);
    const rn_wide room = (ceil - base) - rn_load(s->columns.depth + c) - taken_at(s, c);
    const rn_mask full = (head >= ceil) & (base < RN_NO_COLUMN) & (base >= 0.0f) & (ceil < s->columns.lid) &
                         lanes_in(s, row, c) & (room <= NEARLY_FULL * n->step.params->quantum) &
                         (room < 0.5f * (ceil - base));
    rn_store(s->graph.head + c, rn_keep(full, head));
}

/* The work of keep_heads in a row, by lanes. */
static void keep_row_heads(const void *context) {
    const row_work *work = context;
    RN_FOR_VECTORS(c, work->first, work->end)
    keep_head(&work->n, work->first, c, rn_load(work->n.implicit->rise + c));
}

/* A task over rows: stores the heads that sum_heads has left in `rise`, as keep_head does. Idle rows are skipped. */
static void keep_heads(void *context, int begin, int end, int worker) {
    for (int r = begin; r < end; r++) {
        const row_work work = row_work_at(context, r, worker);
        if (!is_idle(&work.n, &work.at)) rn_lanes_run(keep_row_heads, &work);
    }
}

/* The work of find_wet in a row, by lanes. */
static void look_wet(const void *context) {
    const row_work *work = context;
    const rn_state *s = work->n.step.s;
    bool wet = false;
    for (int32_t c = work->first + rn_lanes_own(); c < work->end && !wet; c += rn_lanes_all())
        wet = s->columns.depth[c] > 0.0f;
    if (wet) work->n.implicit->rows[work->at.layer * s->columns.grid.ny + work->at.y].wet = true;
}

/* A task over rows: sets `wet`, from the depths themselves: the flag of the row in the state may lag by a substep, and
   results must not depend on it. */
static void find_wet(void *context, int begin, int end, int worker) {
    const newton *n = context;
    for (int r = begin; r < end; r++) {
        const row_work work = row_work_at(n, r, worker);
        n->implicit->rows[r].wet = false;
        if (rn_row_at(n->step.s, work.at.layer, work.at.y)->wet) rn_lanes_run(look_wet, &work);
    }
}

/* Whether some layer of row `y` is wet (`any_wet`); beyond periodic edges, of the row at the other end. Returns false
   beyond other edges. */
static bool is_wet(const newton *n, int y) {
    const int ny = n->step.s->columns.grid.ny;
    if (n->step.s->columns.periodic_y) y = (y + ny) % ny;
    return y >= 0 && y < ny && n->implicit->rows[y].any_wet;
}

/* The strip of a row. */
static rn_strip row_strip(const rn_grid *g, row_ref at) {
    return (rn_strip){rn_slot(g, at.layer, at.y, 0), (g->nx + RN_LANES_MOST - 1) / RN_LANES_MOST * RN_LANES_MOST,
                      at.layer, at.y};
}

/* By lanes: sets `idle` of rows without liquid in or next to them in any layer, and finds whether the other rows are
   those of the last linear system (implicit->same). Finds the open share of each junction's area at its surface, if
   there are partial solids: only junctions can be partly solid. */
static void find_idle(const void *context) {
    const newton *n = context;
    const rn_state *s = n->step.s;
    const rn_level *level = &n->grid->levels[0];
    rn_implicit *implicit = n->implicit;
    int32_t count = 0;
    bool same = true;
    RN_FOR_ITEMS (y, 0, s->columns.grid.ny) {
        bool wet = false;
        for (int l = 0; l < s->columns.grid.layers; l++) wet = wet || implicit->rows[l * s->columns.grid.ny + y].wet;
        implicit->rows[y].any_wet = wet;
    }
    rn_lanes_meet();
    RN_FOR_ROUNDS (r, 0, row_count(s)) {
        const row_ref at = row_at(s, r < row_count(s) ? r : 0);
        const bool takes_part = r < row_count(s) && (is_wet(n, at.y - 1) || is_wet(n, at.y) || is_wet(n, at.y + 1));
        if (r < row_count(s)) implicit->rows[r].idle = !takes_part;
        const int32_t place = rn_lanes_place(takes_part, &count);
        if (!takes_part) continue;
        const rn_strip strip = row_strip(&s->columns.grid, at), *const was = &level->strips[place];
        same = same && place < level->strip_count && was->slot == strip.slot && was->count == strip.count;
    }
    same = !rn_lanes_any(!same) && count == level->strip_count;
    if (rn_lanes_own() == 0) implicit->same = same;
    RN_FOR_ITEMS (i, 0, implicit->open ? s->graph.junction_count : 0) {
        const int32_t c = s->graph.junctions[i].slot;
        const rn_partial_solid part = rn_column_partial(&s->columns, c);
        implicit->open[c] = part.depth > 0.0f ? rn_partial_slope(&part, s->columns.base[c], s->columns.depth[c]) : 1.0f;
    }
}

/* The work of begin_rows in a row, by lanes. */
static void begin_row(const void *context) {
    const row_work *work = context;
    RN_FOR_VECTORS(c, work->first, work->end) {
        rn_store(work->n.implicit->rise + c, (rn_wide){0});
        keep_head(&work->n, work->first, c, rn_load(work->n.step.s->graph.head + c));
    }
}

/* A task over rows: sets their rise to 0, and clears the heads of columns that sources, solids or the host have
   emptied. Idle rows are skipped. */
static void begin_rows(void *context, int begin, int end, int worker) {
    for (int r = begin; r < end; r++) {
        const row_work work = row_work_at(context, r, worker);
        if (!is_idle(&work.n, &work.at)) rn_lanes_run(begin_row, &work);
    }
}

/* Begins the linear system of this substep with all rows that are not idle. The one before may have had the same: then
   all of it but the values stays. */
static void begin_system(newton *n, rn_pool *pool) {
    const rn_state *s = n->step.s;
    rn_parallel_for(pool, row_count(s), find_wet, n);
    rn_lanes_run(find_idle, n);
    if (!n->implicit->same) {
        rn_multigrid_clear(n->grid);
        for (int r = 0; r < row_count(s); r++)
            if (!n->implicit->rows[r].idle)
                rn_multigrid_strip(n->grid, row_at(s, r).layer, row_at(s, r).y, 0, s->columns.grid.nx);
    }
    rn_parallel_for(pool, row_count(s), begin_rows, n);
}

rn_result rn_implicit_step(rn_implicit *implicit, rn_flood *flood, rn_state *s, const rn_step_params *params,
                           rn_pool *pool, rn_extremes *extremes, bool *converged) {
    newton n = {.implicit = implicit, .grid = &flood->grid, .step = {s, params, RN_ISA_CHOSEN(rn_sweeps)}};
    n.per_flux = params->dt / (params->cell * params->cell);
    rn_result result = rn_passages_init_heads(flood, s);
    if (result != RN_OK) return result;
    rn_momentum_predict(&n.step, pool);
    begin_system(&n, pool);
    rn_newton_assemble(&n, pool);
    *converged = find_heads(&n, flood, pool);
    if (!*converged) {
        rn_pipes_free_shares(&n.step, pool);
        mirror_faces(s, s->graph.transfer_x, s->graph.transfer_y); /* which the next kick reads */
        return RN_OK;
    }
    result = rn_flood_list(flood, s, implicit->kind, KIND_FULL);
    if (result != RN_OK) return result;
    if (has_more(s)) rn_lanes_run(finish_wraps, &n);
    rn_parallel_for(pool, row_count(s), finish_rows, &n);
    if (s->graph.irregular_count > 0) rn_lanes_run(finish_irregular, &n);
    rn_newton_repair(&n, flood, pool);
    find_speeds(&n, pool);
    rn_parallel_for(pool, row_count(s), sum_heads, &n);
    rn_pipes_depths(&n.step, pool);
    rn_parallel_for(pool, row_count(s), measure_rows, &n);
    rn_parallel_for(pool, row_count(s), keep_heads, &n);
    rn_pipes_end(&n.step, pool, extremes);
    return RN_OK;
}
