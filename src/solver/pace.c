/* How long a substep of the pipe solvers may be (docs/model.md, "Step size"). */
#include "solver/pace.h"

#include "base/maths.h"
#include "solver/momentum.h"

#define WAVE_SAFETY   0.8  /* of the two-dimensional wave limit dx / sqrt(2 g H) */
#define SIGNAL_SAFETY 0.85 /* of a cell that the fastest signal may cross in a substep */
#define POURED_SAFETY 0.9  /* the same with all that will be poured meanwhile; even films become unstable above it */
#define SPEED_SAFETY  0.5  /* of a cell that liquid may cross in a substep */
#define FAST_SAFETY   0.15 /* the same where inertia is scaled down */
#define GROWTH        1.25 /* how much higher a cross-section may be than one substep ago */
#define HEAD_SPEED    2.2  /* fastest flow / sqrt(g head): a dam break's front reaches 2 */

static double wave_step(const rn_pipe_solver *solver, double height) {
    return WAVE_SAFETY * solver->cell / sqrt(2.0 * solver->law.gravity * height);
}

/* What the last substep saw; after a change from outside, what is there now, and at least that. */
static void look(rn_pipe_solver *solver) {
    if (!solver->touched) return;
    const rn_peak before = solver->peak;
    (solver->law.momentum ? rn_momentum_measure : rn_pipes_measure)(&solver->state, &solver->law, &solver->peak);
    solver->peak.wave = before.wave > solver->peak.wave ? before.wave : solver->peak.wave;
    solver->peak.fast_speed = before.fast_speed;
    solver->top = (float)rn_max(solver->top, solver->peak.top);
    solver->touched = false;
    solver->added = 0.0f;
}

/* The largest step for waves on liquid of this height; the paper's run at sqrt(g dx) whatever the depth. */
static double wave_limit(const rn_pipe_solver *solver, double height) {
    if (solver->law.paper) height = height > 0.0 ? solver->cell : 0.0;
    else height = rn_min(height, solver->extent);
    return rn_min(wave_step(solver, height), 1e9);
}

/* The largest step that is still stable when sources have poured for that long onto liquid of this height. */
static double pouring_step(const rn_pipe_solver *solver, double height, double step, const rn_forcing *forcing) {
    if (wave_limit(solver, height + forcing->rise(forcing->context, height, step)) >= step) return step;
    double low = 0.0, high = step;
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        if (wave_limit(solver, height + forcing->rise(forcing->context, height, middle)) >= middle) low = middle;
        else high = middle;
    }
    return low;
}

/* The largest step for signals of the last substep's speed. */
static double signal_step(const rn_pipe_solver *solver) {
    const double pace = solver->peak.pace;
    return pace > 0.0 ? rn_min(SIGNAL_SAFETY * solver->cell / pace, 1e9) : 1e9;
}

/* The same, carried by waves on liquid that has become this much deeper (m). */
static double deeper_step(const rn_pipe_solver *solver, double deeper) {
    const rn_peak *peak = &solver->peak;
    const double waves = solver->law.waves, height = rn_min(peak->height, solver->extent);
    const double signal = peak->pace + sqrt(waves * rn_min(height + deeper, solver->extent)) - sqrt(waves * height);
    return signal > 0.0 ? rn_min(POURED_SAFETY * solver->cell / signal, 1e9) : 1e9;
}

static double momentum_step(const rn_pipe_solver *solver, const rn_forcing *forcing) {
    const double height = solver->peak.height, step = rn_min(signal_step(solver), deeper_step(solver, solver->added));
    if (deeper_step(solver, solver->added + forcing->rise(forcing->context, height, step)) >= step) return step;
    double low = 0.0, high = step;
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);
        const double deeper = solver->added + forcing->rise(forcing->context, height, middle);
        if (deeper_step(solver, deeper) >= middle) low = middle;
        else high = middle;
    }
    return low;
}

double rn_pace_limit(rn_pipe_solver *solver, double courant, const rn_forcing *forcing) {
    look(solver);
    if (solver->law.momentum)
        return rn_min(courant * momentum_step(solver, forcing), forcing->longest(forcing->context));
    const rn_peak *peak = &solver->peak;
    const double cell = solver->cell;
    double height = peak->deepest, step;
    if (solver->law.paper) {
        step = wave_limit(solver, height);
    } else {
        height = rn_min(peak->deepest, GROWTH * peak->height + solver->added);
        step = rn_min(wave_step(solver, rn_max(height, peak->wave)), 1e9);
        solver->law.wave_dt = (float)rn_min(wave_step(solver, height), 1e6);
        if (peak->speed > 0.0f) step = rn_min(step, SPEED_SAFETY * cell / peak->speed);
        if (peak->fast_speed > 0.0f) step = rn_min(step, FAST_SAFETY * cell / peak->fast_speed);
        if (peak->pace > 0.0f) step = rn_min(step, WAVE_SAFETY * cell / peak->pace);
    }
    return rn_min(courant * pouring_step(solver, height, step, forcing), forcing->longest(forcing->context));
}

/* Pipes carry no momentum away with the liquid, so without drag a thin film would speed up for ever. */
double rn_pace_fastest(const rn_pipe_solver *solver) {
    const rn_columns *c = &solver->state.columns;
    const float *tilt = solver->law.tilt;
    bool endless_x = c->periodic_x && (c->drop[0] != 0.0f || tilt[0] != 0.0f);
    bool endless_y = c->periodic_y && (c->drop[1] != 0.0f || tilt[1] != 0.0f);
    if (endless_x || endless_y) return INFINITY;
    double head = solver->top + fabs(tilt[0]) * c->grid.nx + fabs(tilt[1]) * c->grid.ny;
    return HEAD_SPEED * sqrt(solver->law.gravity * head);
}
