/* The length of a substep of the pipe solvers (docs/model.md, "Step size").

   Interface (solver/time_step.h): rn_time_step_limit gives the largest stable substep, rn_time_step_bound says what
   limits it, and rn_time_step_fastest is a speed that no liquid of the world can exceed.

   Order of calls: solver/pipe_solver.c asks for the limit before a substep and for its bound to report it. The limit
   needs the extremes of the last substep; if liquid was changed from outside since (solver->touched),
   rn_time_step_limit measures them first, which costs a walk over all columns.

   Algorithm: a substep stores its fastest signal in `extremes`: the speed of waves plus that of the liquid. Nothing
   may cross more than a fixed share of a cell in a substep. What was added since then, and what sources will add
   meanwhile, makes waves faster; because a longer substep pours more, the limit is found by the secant method. The
   implicit step is limited by the speed of the liquid and, for waves, by `courant` times the explicit limit. The
   paper's model is limited to a fixed share of sqrt(cell / 2g), because its waves run at the same speed in any depth.
 */
#include "solver/time_step.h"

#include "base/maths.h"
#include "solver/momentum.h"

#define WAVE_SAFETY   0.8   /* of the two-dimensional limit dx / sqrt(2 g dx) of the paper's waves */
#define SIGNAL_SAFETY 0.85  /* of a cell: most that the fastest signal may cross in a substep */
#define POURED_SAFETY 0.9   /* of a cell, with liquid poured meanwhile; above it even films are unstable */
#define CLOSE         1e-12 /* of a step that sources shorten: how exactly it is found */
#define HEAD_SPEED    2.2   /* fastest flow / sqrt(g head): a dam break's front reaches 2 */

/* After a change from outside: measures the extremes, which are otherwise those of the last substep, raises
   solver->top, and sets `added` to 0. Does nothing if they are up to date. */
static void measure_if_touched(rn_pipe_solver *solver) {
    if (!solver->touched) return;
    (solver->params.momentum ? rn_momentum_measure : rn_pipes_measure)(&solver->state, &solver->params,
                                                                       &solver->extremes);
    solver->top = (float)rn_max(solver->top, solver->extremes.top);
    solver->touched = false;
    solver->added = 0.0f;
}

/* The largest step (s) of the paper's model, whose waves run at sqrt(g dx) at any depth; 1e9 if all is dry and no
   source pours. */
static double paper_limit(const rn_pipe_solver *solver, const rn_forcing *forcing) {
    const double step = rn_min(WAVE_SAFETY * sqrt(solver->cell / (2.0 * solver->params.gravity)), 1e9);
    const bool wet = solver->extremes.deepest > 0.0f || forcing->rise(forcing->context, 0.0, step) > 0.0;
    return wet ? step : 1e9;
}

/* The largest step (s) for the fastest signal of the last substep, at most 1e9. */
static double signal_limit(const rn_pipe_solver *solver) {
    const double signal_speed = solver->extremes.signal_speed;
    return signal_speed > 0.0 ? rn_min(SIGNAL_SAFETY * solver->cell / signal_speed, 1e9) : 1e9;
}

/* The largest step (s), at most 1e9, for the fastest signal if the liquid has become `deeper` (m) deeper, and waves
   faster; no liquid is deeper than the world is high. */
static double deeper_limit(const rn_pipe_solver *solver, double deeper) {
    const rn_extremes *extremes = &solver->extremes;
    const double waves = solver->params.wave_factor, height = rn_min(extremes->height, solver->extent);
    const double signal =
        extremes->signal_speed + sqrt(waves * rn_min(height + deeper, solver->extent)) - sqrt(waves * height);
    return signal > 0.0 ? rn_min(POURED_SAFETY * solver->cell / signal, 1e9) : 1e9;
}

/* The largest step (s) with the liquid that has been added, and with what sources add within `step` (s). */
static double poured_limit(const rn_pipe_solver *solver, const rn_forcing *forcing, double step) {
    const double rise = forcing->rise(forcing->context, solver->extremes.height, step);
    return deeper_limit(solver, solver->added + rise);
}

/* The largest step (s) for signals on liquid that has been added and that sources raise in the meantime: the step that
   is its own poured_limit(), by the secant method. The longer a step, the lower is its limit, so step and limit always
   enclose the result. */
static double momentum_limit(const rn_pipe_solver *solver, const rn_forcing *forcing) {
    double low = 0.0, high = rn_min(signal_limit(solver), deeper_limit(solver, solver->added));
    double at = high, limit = poured_limit(solver, forcing, at), before = 0.0, slack_before = high;
    if (limit >= at) return at;
    for (int i = 0; i < 60; i++) {
        const double slack = limit - at;
        low = rn_max(low, rn_min(at, limit)), high = rn_min(high, rn_max(at, limit));
        if (high - low <= CLOSE * high) break;
        double next = at - slack * ((at - before) / (slack - slack_before));
        before = at, slack_before = slack;
        if (!(next > low - CLOSE * high && next < high + CLOSE * high) || i % 4 == 3)
            next = low > 0.0 ? sqrt(low * high) : 0.5 * high;
        at = rn_clamp(next, low + 0.5 * CLOSE * high, high - 0.5 * CLOSE * high); /* so that both ends close in */
        limit = poured_limit(solver, forcing, at);
    }
    return low;
}

/* The largest implicit step (s) for the speed of the liquid; INFINITY at rest. */
static double drift_limit(const rn_pipe_solver *solver) {
    const rn_extremes *extremes = &solver->extremes;
    const double drift = extremes->flow_sum > 0.0f ? extremes->flow_sum : 2.0f * extremes->speed;
    return drift > 0.0 ? WAVE_SAFETY * solver->cell / drift : INFINITY;
}

/* The largest implicit step (s): waves may run `courant` times as far as in an explicit one, the liquid itself not.
   Leaves the extremes as they are. */
static double implicit_limit(rn_pipe_solver *solver, double courant, const rn_forcing *forcing) {
    rn_extremes *extremes = &solver->extremes;
    const float signal_speed = extremes->signal_speed;
    extremes->signal_speed = sqrtf((float)(solver->params.wave_factor * rn_min(extremes->height, solver->extent)));
    const double waves = courant * momentum_limit(solver, forcing);
    extremes->signal_speed = signal_speed;
    return rn_min(waves, drift_limit(solver));
}

double rn_time_step_limit(rn_pipe_solver *solver, double courant, const rn_forcing *forcing) {
    measure_if_touched(solver);
    if (solver->params.momentum && solver->flood.implicit && courant > 1.0)
        return rn_min(implicit_limit(solver, courant, forcing), forcing->longest(forcing->context));
    if (solver->params.momentum)
        return rn_min(courant * momentum_limit(solver, forcing), forcing->longest(forcing->context));
    return rn_min(paper_limit(solver, forcing), forcing->longest(forcing->context));
}

/* On steep ground the wave part of a signal is not known: it is at most the rest beside the liquid's speed. */
rn_bound rn_time_step_bound(const rn_pipe_solver *solver, double limit, const rn_forcing *forcing) {
    const rn_extremes *extremes = &solver->extremes;
    const double height = rn_min(extremes->height, solver->extent), waves = solver->params.wave_factor;
    if (!(limit < 1e8)) return RN_BOUND_CALL;
    if (limit >= forcing->longest(forcing->context)) return RN_BOUND_SOURCES;
    if (solver->params.paper) return RN_BOUND_WAVES;
    const double depth =
        extremes->signal_depth > 0.0f ? extremes->signal_depth : height; /* not known after a state was restored */
    const double rise = solver->added + forcing->rise(forcing->context, extremes->height, limit);
    double parts[RN_BOUNDS] = {0};
    parts[RN_BOUND_SPEED] = rn_min(extremes->signal_flow, extremes->signal_speed);
    parts[RN_BOUND_WAVES] = rn_min(sqrt(waves * depth), extremes->signal_speed - parts[RN_BOUND_SPEED]);
    parts[RN_BOUND_DRAG] = extremes->signal_speed - parts[RN_BOUND_SPEED] - parts[RN_BOUND_WAVES];
    parts[RN_BOUND_SOURCES] = sqrt(waves * rn_min(height + rise, solver->extent)) - sqrt(waves * height);
    if (solver->flood.implicit && limit > 1.001 * signal_limit(solver)) { /* only waves may run further */
        if (limit >= 0.999 * drift_limit(solver)) return RN_BOUND_SPEED;
        return parts[RN_BOUND_SOURCES] > sqrt(waves * height) ? RN_BOUND_SOURCES : RN_BOUND_WAVES;
    }
    rn_bound most = RN_BOUND_WAVES;
    for (rn_bound k = RN_BOUND_WAVES; k < RN_BOUNDS; k++)
        if (parts[k] > 1.001 * parts[most]) most = k; /* a measured signal_speed does not separate speed and drag */
    return most;
}

double rn_time_step_fastest(const rn_pipe_solver *solver) {
    const rn_columns *c = &solver->state.columns;
    const float *tilt = solver->params.tilt;
    bool endless_x = c->periodic_x && (c->drop[0] != 0.0f || tilt[0] != 0.0f);
    bool endless_y = c->periodic_y && (c->drop[1] != 0.0f || tilt[1] != 0.0f);
    if (endless_x || endless_y) return INFINITY;
    double head = solver->top + fabs(tilt[0]) * c->grid.nx + fabs(tilt[1]) * c->grid.ny;
    return HEAD_SPEED * sqrt(solver->params.gravity * head);
}
