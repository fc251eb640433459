/* The solvers "explicit" and "implicit": parameters and graph from a definition, and the division of time into
   substeps.

   Interface: the classes rn_solver_explicit and rn_solver_implicit, which solver/solvers.c lists. rn_pipes_go_on
   (solver/pipe_self.h) divides a stretch of time into substeps; GPUs use it too (src/cuda).

   Order of calls: the world creates a solver, calls advance, stable_dt and progress in its frames (world/frame.c),
   and `changed`, reshape, shut and push after changes from outside. An explicit substep runs
   - rn_flood_find: which columns are flooded;
   - begin_substep: parameters of this length of substep;
   - rn_momentum_step, or in the paper's model rn_pipes_step;
   - end_substep: sinks are emptied, sources run, and faces beside new liquid are slowed.

   Algorithm: both solvers share one kind of state and differ only in a substep: solver/momentum.c and solver/pipes.c
   for the explicit one; solver/implicit.c for the implicit one, which falls back to explicit substeps if its solve
   does not converge. A stretch of time is divided into equal substeps, none longer than rn_time_step_limit allows.
   Their length stays until the limit requires a shorter one or, with momentum, allows fewer substeps. */
#include "solver/pipe_solver.h"

#include "base/error.h"
#include "base/maths.h"
#include "base/memory.h"
#include "kernels/face.h"
#include "solver/momentum.h"
#include "solver/pipes_archive.h"
#include "solver/pipes_flow.h"
#include "solver/push.h"
#include "solver/tiles.h"
#include "solver/time_step.h"

/* ---- Creation --------------------------------------------------------------------------------------------- */

/* Returns RN_INVALID, with a message, if the definition has something that the explicit solver does not support. */
static rn_result check_explicit(const rn_world_def *def) {
    if (def->contact == RN_CONTACT_DYNAMIC && def->model == RN_MODEL_PAPER)
        return rn_fail(RN_INVALID, "the paper's model has no dynamic contact; use the physical model");
    if (def->passages < RN_PASSAGES_DEFAULT || def->passages > RN_PASSAGES_NONE)
        return rn_fail(RN_INVALID, "passages is %d; it must be one of rn_passages", (int)def->passages);
    if (def->passages == RN_PASSAGES_UNIFIED_LONG && def->model == RN_MODEL_PAPER)
        return rn_fail(RN_INVALID, "the paper's model has no such passages; use unified, axis or none, or "
                                   "the physical model");
    return RN_OK;
}

/* Returns RN_INVALID, with a message, if the definition has something that the implicit solver does not support. */
static rn_result check_implicit(const rn_world_def *def) {
    if (def->contact == RN_CONTACT_DYNAMIC)
        return rn_fail(RN_INVALID, "the implicit solver has no dynamic contact; use the explicit solver");
    if (def->model == RN_MODEL_PAPER)
        return rn_fail(RN_INVALID, "the implicit solver does not have the paper's model; use the explicit solver, or "
                                   "the physical model");
    if (def->passages != RN_PASSAGES_DEFAULT)
        return rn_fail(RN_INVALID, "the implicit solver has passages of its own; leave passages at its default");
    return RN_OK;
}

/* Sets the parameters that stay the same from substep to substep until `retune`; the others stay. cell: width of a cell
   (m). q: the quantum (m). canal: one row of cells. */
static void set_params(const rn_world_def *world, double cell, double q, bool canal, rn_step_params *params) {
    const double down = -world->gravity.z, nu = world->liquid.viscosity;
    const double viscous = 300.0 * rn_cube_root(nu * nu / down); /* m: viscosity rules thinner films */
    params->cell = (float)cell;
    params->gravity = (float)down;
    params->kappa = (float)-rn_log_unit(world->friction);
    params->manning = (float)((double)(float)down * world->manning * world->manning);
    params->chezy = world->chezy > 0.0 ? (float)((double)(float)down / (world->chezy * world->chezy)) : 0.0f;
    params->nu3 = (float)(3.0 * nu);
    params->paper = world->model == RN_MODEL_PAPER;
    params->thin_depth = rn_film(cell);
    params->quantum = (float)q;
    params->per_quantum = (float)(1.0 / q);
    params->tilt[0] = (float)(rint(world->gravity.x / down * cell / q) * q);
    params->tilt[1] = (float)(rint(world->gravity.y / down * cell / q) * q);
    params->momentum = world->model == RN_MODEL_PHYSICAL;
    params->per_cell = (float)(1.0 / cell);
    params->half_per_g = (float)(0.5 / down);
    params->viscous = (float)(viscous * viscous + 1e-30);
    params->wave_factor = (float)(canal ? down : 2.0 * down);
}

#define CONTACT_FILM    0.05      /* of the foot: what an edge leaves behind that is thinner may cling */
#define CONTACT_FASTER  4.0       /* squared: waves so many times as fast as without contact need no filter */
#define CONTACT_GAIN_3  1.17      /* gain of a filter of degree 3 over 3^2 (choose_filter); */
#define CONTACT_GAIN_5  0.81      /* of degree 5 over 5^2; with more, small drops stop before they are round, */
#define CONTACT_GAIN_5X 1.59      /* so it is more, up to this, only where substeps would be short otherwise */
#define CONTACT_DAMPING 0.04      /* more, and drops stop before they are round; */
#define CONTACT_DAMPED  2.0       /* at most */
#define CONTACT_STEEP   0.741181f /* 1 - cos 75 degrees: larger angles need CONTACT_STEEP_DEGREE if they have little */
#define CONTACT_LITTLE  0.8f /* hysteresis: 1 - cos of the receding angle is more than so much of the advancing's; */
#define CONTACT_STEEPER 1.087156f /* 1 - cos 95 degrees: still larger ones need it always */
/* Degrees of the filter, at most. With more, edges without hysteresis swing for ever; steep ones do so earlier. */
enum { CONTACT_DEGREE = 5, CONTACT_STEEP_DEGREE = 3 };

/* Whether edges with these angles, as 1 - cos, need CONTACT_STEEP_DEGREE. */
static bool is_steep(float advancing, float receding) {
    return advancing > CONTACT_STEEPER || (advancing > CONTACT_STEEP && receding > CONTACT_LITTLE * advancing);
}

/* Sets solver->steep: whether edges on some ground need CONTACT_STEEP_DEGREE (is_steep). */
static void find_steep(rn_pipe_solver *solver) {
    const rn_columns *c = &solver->state.columns;
    bool steep = is_steep(solver->params.advancing, solver->params.receding) && !c->angles;
    for (int32_t i = 0; c->angles && i < c->grid.slots; i++) steep |= is_steep(c->advancing[i], c->receding[i]);
    solver->steep = steep;
}

/* Sets the degree of the filter of heads (solver/contact.c), the wave_factor that it allows, and the damping that goes
   with it. Short waves run at sqrt(wave_factor h); contact makes that so many times as large. A filter of degree n
   divides it by n^2, or by half as much in a canal, where waves run along one axis only. Except in a canal, `whole` is
   twice what the shortest waves need: mean slopes at corners make them half as stiff. So gains may be above 1. */
static void choose_filter(rn_pipe_solver *solver) {
    rn_step_params *params = &solver->params;
    const int most = solver->steep ? CONTACT_STEEP_DEGREE : CONTACT_DEGREE;
    const double g = params->gravity, base = solver->plain_waves;
    const double stiffness = (double)params->tension / (solver->cell * solver->cell);
    const bool canal = base < 1.5 * g;
    const double whole = base + (canal ? 4.0 : 16.0) * stiffness * g;
    int degree = 1;
    double faster = whole;
    while (faster > CONTACT_FASTER * base && degree < most) {
        degree += 2;
        const double gain = canal ? 0.5 * CONTACT_GAIN_5 : degree == 3 ? CONTACT_GAIN_3 : CONTACT_GAIN_5;
        faster = whole / (gain * degree * degree);
    }
    if (degree == CONTACT_DEGREE && !canal && faster > CONTACT_FASTER * base)
        faster = rn_max(whole / (CONTACT_GAIN_5X * degree * degree), CONTACT_FASTER * base);
    params->filter = degree;
    params->wave_factor = (float)rn_max(faster, base);
    params->damping = (float)rn_min(CONTACT_DAMPING * (params->wave_factor - base) / g, CONTACT_DAMPED);
}

/* Sets params->contact, and if dynamic contact acts its parameters (docs/contact.md); needs gravity and quantum of
   params. Contact acts only if the world asks for it and has momentum, in cells (m) smaller than CONTACT_COARSEST, with
   surface tension, and at angles above CONTACT_LEAST. */
static void add_contact(const rn_world_def *world, double cell, rn_step_params *params) {
    const rn_liquid *liquid = &world->liquid;
    const double G = liquid->surface_tension / liquid->density, g = params->gravity;
    const double degree = 3.14159265358979323846 / 180.0, angle = liquid->contact_angle * degree;
    const double receding = rn_min(liquid->receding_angle, liquid->contact_angle) * degree;
    const double foot = rn_contact_foot(world, cell);
    params->contact = foot > 0.0;
    if (!params->contact) return;
    double sine, cosine, sine_back, cosine_back; /* of half the angles: 1 - cos theta = 2 sin^2(theta/2) */
    rn_sin_cos(0.5 * angle, &sine, &cosine);
    rn_sin_cos(0.5 * receding, &sine_back, &cosine_back);
    params->tension = (float)(G / g);
    params->advancing = (float)(2.0 * sine * sine);
    params->receding = (float)(2.0 * sine_back * sine_back);
    params->per_foot = (float)(1.0 / foot);
    params->capillary = (float)sqrt(G / g);
    params->brink_sine = (float)(2.0 * sine * cosine);
    params->awake = (float)(RN_ASLEEP * params->quantum * (1.0 + 16.0 * G / (g * cell * cell)));
    params->clings = (float)rn_max(RN_CLINGS * params->quantum, CONTACT_FILM * foot);
}

/* Frees the solver with all it owns, columns included. NULL is allowed. */
static void destroy(void *self) {
    rn_pipe_solver *solver = self;
    if (!solver) return;
    rn_flood_free(&solver->flood, &solver->hooks);
    rn_implicit_free(&solver->implicit, &solver->hooks);
    rn_reconnect_free(&solver->seams, &solver->hooks);
    rn_graph_free(&solver->state);
    const rn_hooks hooks = solver->hooks;
    rn_free(&hooks, solver);
}

/* Creates a solver of either class. *columns points into it. On failure returns a code, with a message; then everything
   is freed, and *self is not set. */
static rn_result create_solver(const rn_solver_def *def, bool implicit, void **self, rn_columns **columns) {
    const rn_world_def *world = def->world;
    rn_pipe_solver *solver = rn_alloc(&def->hooks, 1, sizeof *solver);
    if (!solver) return RN_MEMORY;
    rn_passages method = world->passages;
    if (method == RN_PASSAGES_DEFAULT && !implicit)
        method = world->model == RN_MODEL_PAPER ? RN_PASSAGES_UNIFIED : RN_PASSAGES_UNIFIED_LONG;
    solver->hooks = def->hooks;
    solver->pool = def->pool;
    const bool momentum = world->model == RN_MODEL_PHYSICAL;
    const rn_terrain_info ground = rn_terrain_describe(def->columns.terrain);
    set_params(world, def->cell_size, def->columns.quantum, ground.cells_x == 1 || ground.cells_y == 1,
               &solver->params);
    solver->plain_waves = solver->params.wave_factor;
    add_contact(world, def->cell_size, &solver->params);
    solver->drying_time = world->liquid.drying_time;
    solver->cell = def->cell_size;
    solver->courant = implicit ? world->courant : 1.0;
    solver->touched = true;
    solver->flood.method = method;
    /* the paper's passages have no loss at their ends: jets would only make the outflow faster */
    solver->params.jet_share = method == RN_PASSAGES_UNIFIED || method == RN_PASSAGES_AXIS ? 0.0f : 1.0f;
    solver->flood.implicit = implicit;
    solver->flood.most = world->solver_iterations;
    solver->extent = ground.lid - def->columns.datum;
    const rn_graph_def graph = {
        .columns = def->columns,
        .momentum = momentum,
        .implicit = implicit,
        .contact = solver->params.contact,
        .heads = implicit || method == RN_PASSAGES_UNIFIED_LONG,
        .workers = def->workers > rn_pool_size(def->pool) ? def->workers : rn_pool_size(def->pool),
    };
    const rn_result result = rn_graph_build(&graph, &solver->state);
    if (result != RN_OK) {
        destroy(solver);
        return result;
    }
    find_steep(solver);
    if (solver->params.contact) choose_filter(solver);
    *self = solver;
    *columns = &solver->state.columns;
    return RN_OK;
}

/* rn_solver_class.create of the explicit solver: see create_solver. */
static rn_result create_explicit(const rn_solver_def *def, void **self, rn_columns **columns) {
    return create_solver(def, false, self, columns);
}

/* rn_solver_class.create of the implicit solver: see create_solver. */
static rn_result create_implicit(const rn_solver_def *def, void **self, rn_columns **columns) {
    return create_solver(def, true, self, columns);
}

/* Returns the numbers of pipes and falls, the memory held (bytes), and the archive version that the state needs. */
static rn_solver_info describe(const void *self) {
    const rn_pipe_solver *solver = self;
    const rn_graph *g = &solver->state.graph;
    return (rn_solver_info){
        .pipes = g->ordinary + g->irregular_count,
        .falls = g->falls[0] + g->falls[1],
        .format = g->momentum ? RN_ARCHIVE_MOMENTUM : RN_ARCHIVE_HEADS,
        .bytes = rn_graph_bytes(&solver->state) + rn_flood_bytes(&solver->flood) +
                 rn_implicit_bytes(&solver->implicit) + rn_reconnect_bytes(&solver->seams),
    };
}

/* ---- Substeps ---------------------------------------------------------------------------------------------- */

/* Sets the parameters of a substep of `dt` (s) that only the momentum-carrying step reads, and its dither; chooses the
   filter of contact heads. Needs solver->last, the length of the last substep, and extremes.height. */
static void begin_momentum(rn_pipe_solver *solver, double dt) {
    rn_step_params *params = &solver->params;
    const double last = solver->last, kick = params->implicit ? dt : 0.5 * (last + dt), cell = params->cell;
    params->dither = rn_white_dither(solver->state.graph.step);
    params->turbulent = solver->state.columns.laws || params->manning > 0.0f || params->chezy > 0.0f;
    params->last_dt = (float)last;
    params->kick_dt = (float)kick;
    params->kick_ratio = last > 0.0 ? (float)(kick / last) : 0.0f;
    params->half_last_per_cell = (float)(0.5 * last / cell);
    params->lambda = (float)(dt / cell);
    params->gravity_kick = (float)(params->gravity * kick / cell);
    params->most_speed = (float)(RN_CAP * cell / dt);
    if (!params->contact) return;
    choose_filter(solver);
    params->per_deepest = 1.0f / fmaxf(solver->extremes.height, 1e-6f);
    params->drying = (float)rn_min(dt / rn_max(solver->drying_time, 1e-9), 1.0);
}

/* Sets the friction factor of a substep of `dt` (s). Substeps often have the same length: it is then known, and a
   series need not be summed. */
static void set_friction_factor(rn_pipe_solver *solver, double dt) {
    const double slowed_by = solver->params.kappa * dt;
    if (slowed_by != solver->slowed_by || slowed_by == 0.0)
        solver->params.friction_factor = slowed_by == 0.0 ? 1.0f : (float)rn_decay(slowed_by);
    solver->slowed_by = slowed_by;
}

/* Sets the parameters of a substep of `dt` (s), implicit or not. */
static void begin_substep(rn_pipe_solver *solver, double dt, bool implicit) {
    solver->params.dt = (float)dt;
    solver->params.implicit = implicit;
    solver->params.fastest = (float)rn_time_step_fastest(solver);
    solver->params.dither = rn_dither(solver->state.graph.step);
    if (solver->params.momentum) begin_momentum(solver, dt);
    set_friction_factor(solver, dt);
}

/* Empties all sinks; returns the quanta that have left over open edges and through holes. */
static int64_t empty_sinks(rn_state *s) {
    int64_t left = 0;
    for (int32_t i = 0; i < s->graph.sink_count; i++) {
        float *depth = &s->columns.depth[s->graph.sinks[i]];
        left += (int64_t)(*depth / (double)s->columns.quantum);
        *depth = 0.0f;
    }
    return left;
}

/* Empties sinks, runs the sources of a substep of `dt` (s), and stores what they added. Faces of columns that gained
   liquid lose speed, because it is at rest. */
static void end_substep(rn_pipe_solver *solver, double dt, const rn_forcing *forcing) {
    rn_state *s = &solver->state;
    const int64_t left = empty_sinks(s);
    s->columns.gained = s->graph.gained;
    solver->poured = false;
    solver->added = forcing->substep(forcing->context, dt, left);
    s->columns.gained = NULL;
    if (solver->poured && solver->params.momentum) rn_momentum_dilute(s, solver->pool);
}

/* Logs a warning the first time that a solve for heads fails. */
static void warn_if_unsolved_once(rn_pipe_solver *solver, const rn_forcing *forcing) {
    if (solver->flood.failures == 0 || solver->told) return;
    solver->told = true;
    rn_log(&solver->hooks, RN_LOG_WARNING,
           "at %g s the solve for the heads of full columns did not converge (residual %g m); such substeps are done "
           "explicitly, as far as possible, and nothing is lost",
           forcing->time(forcing->context), (double)solver->flood.residual);
}

/* Takes one explicit substep of `dt` (s), with sources. Returns RN_MEMORY, with a message, if memory runs out; then
   nothing has been done. */
static rn_result explicit_substep(rn_pipe_solver *solver, double dt, const rn_forcing *forcing) {
    const rn_result result = rn_flood_find(&solver->flood, &solver->state);
    if (result != RN_OK) return result;
    begin_substep(solver, dt, false);
    (solver->params.momentum ? rn_momentum_step : rn_pipes_step)(&solver->state, &solver->params, &solver->flood,
                                                                 solver->pool, &solver->extremes);
    solver->last = dt;
    solver->shown = false;
    warn_if_unsolved_once(solver, forcing);
    end_substep(solver, dt, forcing);
    return RN_OK;
}

/* The length (s) of equal substeps, none longer than `limit` (s), that fill the time `left` (s); `left` itself if one
   suffices. */
static double even_part(double left, double limit) {
    const double count = ceil(rn_min(left / limit, 1e9) * (1.0 - 1e-9)), part = count > 1.0 ? left / count : left;
    return part >= left * (1.0 - 1e-6) ? left : part;
}

/* The result of one or more substeps. */
typedef struct stride {
    double least; /* s, shortest substep */
    double time;  /* s, advanced */
    int count;
} stride;

/* Takes one implicit substep of `dt` (s), with sources. If the solve does not converge, takes up to `most` explicit
   ones instead, which may not fill dt; failed solves of these are not counted in flood.failures. Sets *done to what was
   done. Returns RN_MEMORY, with a message, if memory runs out; then some explicit ones may have been taken. */
static rn_result implicit_substep(rn_pipe_solver *solver, double dt, int most, const rn_forcing *forcing,
                                  stride *done) {
    rn_result result = rn_multigrid_fit(&solver->flood.grid, &solver->state);
    if (result == RN_OK) result = rn_implicit_fit(&solver->implicit, &solver->state);
    if (result != RN_OK) return result;
    begin_substep(solver, dt, true);
    bool converged;
    result = rn_implicit_step(&solver->implicit, &solver->flood, &solver->state, &solver->params, solver->pool,
                              &solver->extremes, &converged);
    if (result != RN_OK) return result;
    if (converged) {
        solver->last = dt;
        solver->shown = false;
        end_substep(solver, dt, forcing);
        *done = (stride){dt, dt, 1};
        return RN_OK;
    }
    warn_if_unsolved_once(solver, forcing);
    const uint64_t failures = solver->flood.failures; /* counts as one failure */
    *done = (stride){.least = dt};
    while (done->time < dt && done->count < most && result == RN_OK) {
        const double left = dt - done->time, part = even_part(left, rn_time_step_limit(solver, 1.0, forcing));
        result = explicit_substep(solver, part, forcing);
        done->time = part == left ? dt : done->time + part;
        done->least = rn_min(done->least, part);
        done->count++;
    }
    solver->flood.failures = failures;
    return result;
}

/* The largest stable substep now (s): rn_time_step_limit with the solver's courant. */
static double stable_dt(void *self, const rn_forcing *forcing) {
    rn_pipe_solver *solver = self;
    return rn_time_step_limit(solver, solver->courant, forcing);
}

#define REGROWTH 0.95 /* of the limit: substeps become longer only if fewer fit with this reserve */

/* Whether equal substeps of `dt` (s) still suit the time `left` (s): the limit (s) does not require shorter ones, nor,
   with momentum, allow fewer. */
static bool still_fits(const rn_pipe_solver *solver, double dt, double left, double limit) {
    if (limit < dt) return false;
    return !solver->params.momentum || even_part(left, REGROWTH * limit) <= dt * (1.0 + 1e-6);
}

rn_stretch rn_stretch_of(double seconds) { return (rn_stretch){.seconds = seconds, .left = seconds}; }

/* Takes one substep of the stretch, whose limit and dt are chosen, or what comes in its place; updates the stretch and
   the report, and finds whether the next substep may be as long. Returns RN_MEMORY, with a message, if memory runs
   out. */
static rn_result stretch_substep(rn_pipe_solver *solver, rn_stretch *s, int most, const rn_forcing *forcing,
                                 rn_step_report *report) {
    const rn_bound bound = s->limit >= s->seconds ? RN_BOUND_CALL : rn_time_step_bound(solver, s->limit, forcing);
    const uint64_t failures = solver->flood.failures;
    stride next = {.time = s->dt >= s->left * (1.0 - 1e-6) ? s->left : s->dt, .count = 1};
    next.least = next.time;
    const rn_result result = solver->flood.implicit
                                 ? implicit_substep(solver, next.time, most - report->substeps, forcing, &next)
                                 : explicit_substep(solver, next.time, forcing);
    report->fallbacks += solver->flood.failures - failures;
    if (result != RN_OK) return result;
    report->least = rn_min(report->least, next.least);
    s->left -= next.time;
    report->substeps += next.count;
    report->bounded[bound] += (uint64_t)next.count;
    s->limit = s->left > 0.0 && report->substeps < most ? stable_dt(solver, forcing) : 0.0;
    s->chosen = s->limit > 0.0 && still_fits(solver, s->dt, s->left, s->limit);
    return RN_OK;
}

rn_result rn_pipes_go_on(rn_pipe_solver *solver, rn_stretch *s, int most, const rn_forcing *forcing,
                         rn_step_report *report) {
    while (s->left > 0.0 && report->substeps < most) {
        if (!s->chosen) s->limit = stable_dt(solver, forcing), s->dt = even_part(s->left, s->limit), s->chosen = true;
        const rn_result result = stretch_substep(solver, s, most, forcing, report);
        if (result != RN_OK) return result;
    }
    if (s->left > 0.0) report->slowed = true;
    return RN_OK;
}

/* Takes substeps for `seconds` (s): rn_pipes_go_on. The first call of a frame resets the count of iterations. Returns
   RN_MEMORY, with a message, if memory runs out; then some substeps may have been taken. */
static rn_result advance(void *self, double seconds, int most, const rn_forcing *forcing, rn_step_report *report) {
    rn_pipe_solver *solver = self;
    rn_stretch stretch = rn_stretch_of(seconds);
    if (report->substeps == 0) solver->flood.iterations = 0;
    return rn_pipes_go_on(solver, &stretch, most, forcing, report);
}

/* Fills in the statistics of liquid and passages, and what limits the next substep; needs stats->limit, the largest
   stable substep (s). */
static void progress(const void *self, const rn_forcing *forcing, rn_world_stats *stats) {
    const rn_pipe_solver *solver = self;
    stats->bound = rn_time_step_bound(solver, stats->limit, forcing);
    stats->bound_depth = solver->extremes.signal_depth;
    stats->bound_speed = solver->extremes.signal_flow;
    stats->fastest = solver->extremes.speed;
    stats->deepest = solver->extremes.deepest;
    stats->flooded = (int64_t)solver->flood.flooded_count;
    stats->passages = (int)solver->flood.passage_count;
    stats->iterations = solver->flood.iterations;
    stats->residual = solver->flood.residual;
}

/* ---- Changes from outside ------------------------------------------------------------------------------------- */

/* Copies speeds and transfers across periodic edges; does nothing without momentum. */
static void mirror_state(const rn_pipe_solver *solver) {
    const rn_state *s = &solver->state;
    if (!s->graph.momentum) return;
    mirror_faces(s, s->graph.speed_x, s->graph.speed_y);
    mirror_faces(s, s->graph.transfer_x, s->graph.transfer_y);
}

/* After a state was restored: discards what is known of rows, tiles, connections and passages, and updates copies
   beyond periodic edges. */
static void handle_restored(rn_pipe_solver *solver) {
    rn_state *s = &solver->state;
    for (int l = 0; l < s->columns.grid.layers; l++)
        for (int y = -1; y <= s->columns.grid.ny; y++) {
            rn_row_at(s, l, y)->zero_flux = false;
            if (y >= 0 && y < s->columns.grid.ny) rn_pipes_row_changed(s, l, y);
        }
    s->connections.listings = 0; /* wet connections are not known either */
    find_steep(solver);
    rn_flood_restored(&solver->flood, s);
    mirror_state(solver);
}

void rn_pipes_poured(void *self, const rn_disturbance *what) {
    rn_pipe_solver *solver = self;
    rn_state *s = &solver->state;
    const rn_spot at = rn_slot_place(&s->columns.grid, what->slot);
    if (what->what == RN_CHANGED_COLUMNS) rn_pipes_changed(s, what->slot, what->count, what->deepest);
    else rn_pipes_row_wetted(s, at.layer, at.y);
    solver->poured = rn_row_at(s, at.layer, at.y)->poured = true;
    solver->shown = false;
    rn_short_raise(&solver->top, what->top);
    rn_short_raise(&solver->extremes.deepest, what->deepest);
    rn_short_raise(&solver->added, what->added);
}

/* Handles a change from outside (liquid, friction, contact angles, a restored state): takes over fluxes that hosts have
   written, wakes tiles, marks rows, and raises what limits the next substep. */
static void changed(void *self, const rn_disturbance *what) {
    rn_pipe_solver *solver = self;
    rn_state *s = &solver->state;
    switch (what->what) {
    case RN_CHANGED_COLUMNS:
    case RN_CHANGED_ROW: rn_pipes_poured(self, what); return;
    case RN_CHANGED_ALL:
        if (solver->params.momentum && what->fluxes && solver->shown) rn_momentum_take(s);
        solver->touched = true;
        break;
    case RN_CHANGED_PARTIAL: break; /* the next batch of columns says where */
    case RN_RESTORED: handle_restored(solver); break;
    case RN_CHANGED_ANGLES:
        find_steep(solver);
        rn_tiles_touch_all(s); /* what rested might move */
        break;
    case RN_CHANGED_FRICTION:
        rn_tiles_touch_all(s); /* tiles at rest might move with less friction */
        break;
    }
    solver->shown = false;
    solver->top = fmaxf(solver->top, what->top);
    solver->extremes.deepest = fmaxf(solver->extremes.deepest, what->deepest);
    solver->added = fmaxf(solver->added, what->added);
}

/* Takes over other gravity, liquid or courant (of the implicit solver), and wakes all tiles. Moving contact lines keep
   values of their own in every column, so they cannot be switched on or off: returns RN_INVALID, with a message and
   nothing changed, if the definition would do that. */
static rn_result retune(void *self, const rn_world_def *world) {
    rn_pipe_solver *solver = self;
    rn_state *s = &solver->state;
    rn_step_params params = solver->params;
    const rn_grid *g = &s->columns.grid;
    set_params(world, solver->cell, (double)s->columns.quantum, g->nx == 1 || g->ny == 1, &params);
    add_contact(world, solver->cell, &params);
    if (params.contact != solver->params.contact)
        return rn_fail(
            RN_INVALID,
            "with such a surface tension and contact angle dynamic contact would be switched %s, which only a "
            "new world can do",
            params.contact ? "on" : "off");
    solver->params = params;
    solver->slowed_by = 0.0;
    solver->plain_waves = params.wave_factor;
    find_steep(solver);
    if (params.contact) choose_filter(solver);
    solver->drying_time = world->liquid.drying_time;
    if (solver->flood.implicit) solver->courant = world->courant;
    solver->touched = true;
    rn_tiles_touch_all(s); /* what rested might move */
    return RN_OK;
}

/* Applies a batch of changed columns, and raises what limits the next substep. On failure returns RN_LIMIT or
   RN_MEMORY, with a message; then nothing has changed but the number of layers. */
static rn_result reshape(void *self, rn_reshaping *batch) {
    rn_pipe_solver *solver = self;
    const rn_columns *c = &solver->state.columns;
    const rn_result result = rn_reshape_apply(batch, &solver->seams, &solver->state, solver->pool);
    solver->shown = false;
    if (result != RN_OK) return result;
    mirror_state(solver);
    rn_extremes *extremes = &solver->extremes;
    solver->top = fmaxf(solver->top, batch->top);
    extremes->deepest = fmaxf(extremes->deepest, batch->deepest);
    extremes->height = fmaxf(extremes->height, batch->highest);
    solver->added = fmaxf(solver->added, batch->added);
    for (size_t i = 0; i < batch->change_count; i++) {
        const rn_change *change = &batch->changes[i];
        for (int l = 0; l < change->is_count; l++) {
            const int32_t slot = rn_slot(&c->grid, l, change->y, change->x);
            if (c->depth[slot] > 0.0f) solver->top = fmaxf(solver->top, c->base[slot] + c->depth[slot]);
        }
    }
    return RN_OK;
}

/* Shuts parts of faces where bodies are: rn_reshape_shut. */
static void shut(void *self, const rn_face_blockage *list, size_t count, float chink) {
    rn_pipe_solver *solver = self;
    rn_reshape_shut(&solver->state, solver->pool, list, count, chink);
}

/* Makes the fluxes that hosts see from speeds, unless they are up to date. Never fails. */
static rn_result sync(void *self) {
    rn_pipe_solver *solver = self;
    if (solver->params.momentum && !solver->shown) rn_momentum_show(&solver->state);
    solver->shown = true;
    return RN_OK;
}

/* rn_solver_class.resting: a tile rests if the last substep skipped it, and nothing has changed it since. */
static rn_resting resting(const void *self, uint8_t *rests, size_t room) {
    const rn_state *s = &((const rn_pipe_solver *)self)->state;
    const rn_grid *grid = &s->columns.grid;
    const size_t count = (size_t)rn_tile_count(grid);
    for (size_t i = 0; i < count && count <= room; i++) {
        const rn_tile *tile = &s->schedule.tiles[i];
        rests[i] = !tile->awake && tile->rest >= 2 && tile->deepest > 0.0f;
    }
    return (rn_resting){.tiles_x = rn_tiles_x(grid),
                        .tiles_y = rn_tiles_y(grid),
                        .layers = grid->layers,
                        .tile_x = RN_TILE_X,
                        .tile_y = RN_TILE_Y,
                        .rests = count <= room ? rests : NULL};
}

/* ---- The classes ------------------------------------------------------------------------------------------------ */

enum {
    CAN_BOTH =
        RN_CAN_LAYERS | RN_CAN_OPEN | RN_CAN_PERIODIC | RN_CAN_RESHAPE | RN_CAN_PARTIAL | RN_CAN_ROUGHEN | RN_CAN_PUSH,
    CAN_IMPLICIT = CAN_BOTH | RN_CAN_SWEEP | RN_CAN_ANY_DT,
};

/* The members that both solvers share. */
#define PIPES                                                                                                          \
    .backend = "cpu", .destroy = destroy, .describe = describe, .stable_dt = stable_dt, .advance = advance,            \
    .progress = progress, .retune = retune, .changed = changed, .reshape = reshape, .shut = shut,                      \
    .push = rn_pipes_push, .sync = sync, .archive = rn_pipes_archive, .column_flow = rn_pipes_column_flow,             \
    .face_flow = rn_pipes_face_flow

const rn_solver_class rn_solver_explicit = {
    .name = "explicit",
    .meaning = "explicit substeps, with passages as \"passages\" says",
    .can = CAN_BOTH,
    .check = check_explicit,
    .create = create_explicit,
    .resting = resting,
    PIPES,
};

const rn_solver_class rn_solver_implicit = {
    .name = "implicit",
    .meaning = "one semi-implicit solve for all columns, full or not, stable at any substep",
    .can = CAN_IMPLICIT,
    .check = check_implicit,
    .create = create_implicit,
    PIPES,
};
