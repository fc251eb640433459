/* The frame: how a stretch of time becomes substeps, and what a substep does. */
#include "base/error.h"
#include "base/maths.h"
#include "solver/pipes.h"
#include "world/pose.h"
#include "world/settle.h"
#include "world/stir.h"

#define WAVE_SAFETY   0.8  /* of the two-dimensional wave limit dx / sqrt(2 g H) */
#define SPEED_SAFETY  0.5  /* of a cell that liquid may cross in a substep */
#define FAST_SAFETY   0.15 /* the same where inertia is scaled down */
#define GROWTH        1.25 /* how much higher a cross-section may be than one substep ago */
#define MOST_SUBSTEPS 1000000
#define HEAD_SPEED    2.2 /* fastest flow / sqrt(g head): a dam break's front reaches 2 */

static double wave_step(const rn_world *world, double height) {
    return WAVE_SAFETY * world->ground.cell_size / sqrt(2.0 * world->law.gravity * height);
}

/* What the last substep saw; after a change from outside, what is there now, and at least that. */
static void look(rn_world *world) {
    if (!world->touched) return;
    const rn_peak before = world->peak;
    rn_pipes_measure(&world->state, &world->law, &world->peak);
    world->peak.wave = before.wave > world->peak.wave ? before.wave : world->peak.wave;
    world->peak.fast_speed = before.fast_speed;
    world->top = (float)rn_max(world->top, world->peak.top);
    world->touched = false;
    world->added = 0.0f;
}

/* The largest step for waves on liquid of this height; the paper's run at sqrt(g dx) whatever the depth. */
static double wave_limit(const rn_world *world, double height) {
    if (world->law.paper) height = height > 0.0 ? world->ground.cell_size : 0.0;
    else height = rn_min(height, world->ground.lid - world->datum);
    return rn_min(wave_step(world, height), 1e9);
}

/* The largest step that is still stable when sources have poured for that long onto liquid of this height. */
static double pouring_step(const rn_world *world, double height, double step) {
    if (wave_limit(world, height + rn_sources_rise(world, height, step)) >= step) return step;
    double low = 0.0, high = step;
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        if (wave_limit(world, height + rn_sources_rise(world, height, middle)) >= middle) low = middle;
        else high = middle;
    }
    return low;
}

/* The largest stable substep, or `courant` times that of waves and flow. INFINITY where nothing is wet and nothing is
   going to be. */
static double stable_step(rn_world *world, double courant) {
    look(world);
    const rn_peak *peak = &world->peak;
    const double cell = world->ground.cell_size;
    double height = peak->deepest, step;
    if (world->law.paper) {
        step = wave_limit(world, height);
    } else {
        height = rn_min(peak->deepest, GROWTH * peak->height + world->added);
        step = rn_min(wave_step(world, rn_max(height, peak->wave)), 1e9);
        world->law.wave_dt = (float)rn_min(wave_step(world, height), 1e6);
        if (peak->speed > 0.0f) step = rn_min(step, SPEED_SAFETY * cell / peak->speed);
        if (peak->fast_speed > 0.0f) step = rn_min(step, FAST_SAFETY * cell / peak->fast_speed);
        if (peak->pace > 0.0f) step = rn_min(step, WAVE_SAFETY * cell / peak->pace);
    }
    return rn_min(courant * pouring_step(world, height, step), rn_sources_stay(world));
}

/* Pipes carry no momentum away with the liquid, so without drag a thin film would speed up for ever. */
static double fastest_flow(const rn_world *world) {
    const rn_state *s = &world->state;
    const float *tilt = world->law.tilt;
    bool endless_x = s->periodic_x && (s->drop[0] != 0.0f || tilt[0] != 0.0f);
    bool endless_y = s->periodic_y && (s->drop[1] != 0.0f || tilt[1] != 0.0f);
    if (endless_x || endless_y) return INFINITY;
    double head = world->top + fabs(tilt[0]) * s->grid.nx + fabs(tilt[1]) * s->grid.ny;
    return HEAD_SPEED * sqrt(world->law.gravity * head);
}

static void begin_substep(rn_world *world, double dt) {
    world->law.dt = (float)dt;
    world->law.fastest = (float)fastest_flow(world);
    world->law.dither = rn_dither(world->state.step);
    world->law.kept = (float)rn_decay(world->law.kappa * dt);
}

static void end_substep(rn_world *world, double dt) {
    rn_gauges_step(world);
    rn_sources_step(world, dt);
    world->stats.time += dt;
    world->stats.steps++;
}

static void report(rn_world *world) {
    if (world->flood.failures == 0 || world->failed) return;
    world->failed = true;
    rn_log(&world->hooks, RN_LOG_WARNING,
           "at %g s the heads of full columns could not be found (a residual of %g m was left): such substeps are done "
           "explicitly, as far as possible, and nothing is lost",
           world->stats.time, (double)world->flood.residual);
}

static rn_result explicit_substep(rn_world *world, double dt) {
    const rn_result result = rn_flood_find(&world->flood, &world->state);
    if (result != RN_OK) return result;
    begin_substep(world, dt);
    rn_pipes_step(&world->state, &world->law, &world->flood, world->pool, &world->peak);
    report(world);
    end_substep(world, dt);
    return RN_OK;
}

/* What one or more substeps have come to. */
typedef struct stride {
    double least; /* s, the least substep */
    double time;  /* s, advanced */
    int count;
    bool slowed; /* there were not enough */
} stride;

/* How long a substep may be, so that equal ones fill the time that is left. */
static double even_part(double left, double limit) {
    const double count = ceil(rn_min(left / limit, 1e9) * (1.0 - 1e-9)), part = count > 1.0 ? left / count : left;
    return part >= left * (1.0 - 1e-6) ? left : part;
}

/* Where the solve does not converge, as many explicit substeps as it takes, up to `most`. */
static rn_result implicit_substep(rn_world *world, double dt, int most, stride *done) {
    rn_result result = rn_multigrid_fit(&world->flood.grid, &world->state);
    if (result == RN_OK) result = rn_implicit_fit(&world->implicit, &world->state);
    if (result != RN_OK) return result;
    begin_substep(world, dt);
    bool converged;
    result = rn_implicit_step(&world->implicit, &world->flood, &world->state, &world->law, world->pool, &world->peak,
                              &converged);
    if (result != RN_OK) return result;
    if (converged) {
        end_substep(world, dt);
        *done = (stride){dt, dt, 1, false};
        return RN_OK;
    }
    report(world);
    const uint64_t failures = world->flood.failures; /* one for the whole of it */
    *done = (stride){.least = dt};
    while (done->time < dt && done->count < most && result == RN_OK) {
        const double left = dt - done->time, part = even_part(left, stable_step(world, 1.0));
        result = explicit_substep(world, part);
        done->time = part == left ? dt : done->time + part;
        done->least = rn_min(done->least, part);
        done->count++;
    }
    world->flood.failures = failures;
    return result;
}

/* Adds to `sum` what a part of an rn_world_step has come to; its time is less than asked for if `most` substeps were
   not enough. */
static rn_result run_part(rn_world *world, double seconds, int most, stride *sum) {
    const bool implicit = world->flood.method == RN_PASSAGES_IMPLICIT;
    const double courant = implicit ? world->courant : 1.0;
    double left = seconds;
    while (left > 0.0 && sum->count < most) {
        const double dt = even_part(left, stable_step(world, courant));
        /* The split holds until the liquid asks for smaller steps. */
        do {
            stride next = {.time = dt >= left * (1.0 - 1e-6) ? left : dt, .count = 1};
            next.least = next.time;
            const rn_result result = implicit ? implicit_substep(world, next.time, most - sum->count, &next)
                                              : explicit_substep(world, next.time);
            if (result != RN_OK) return result;
            sum->least = rn_min(sum->least, next.least);
            left -= next.time;
            sum->count += next.count;
        } while (left > 0.0 && sum->count < most && stable_step(world, courant) >= dt);
    }
    sum->time += left > 0.0 ? seconds - left : seconds;
    if (left > 0.0) sum->slowed = true;
    return RN_OK;
}

/* Bodies go where they are after this share of the step, and solid and liquid with them. */
static rn_result bring_bodies(rn_world *world, double share, double seconds) {
    rn_bodies_advance(world, share);
    world->solids.reshaping.give = world->give_back > 0.0 ? 1.0 - rn_decay(seconds / world->give_back) : 1.0;
    const rn_result result = rn_solids_apply(world);
    world->solids.reshaping.give = 0.0;
    return result == RN_OK ? rn_stir(world) : result;
}

static void take_stats(rn_world *world, double seconds, const stride *sum) {
    rn_world_stats *stats = &world->stats;
    stats->asked += seconds;
    stats->substeps = sum->count;
    stats->dt = sum->least;
    stats->limit = stable_step(world, world->flood.method == RN_PASSAGES_IMPLICIT ? world->courant : 1.0);
    stats->fastest = world->peak.speed;
    stats->deepest = world->peak.deepest;
    stats->flooded = (int64_t)world->flood.flooded_count;
    stats->passages = (int)world->flood.passage_count;
    stats->iterations = world->flood.iterations;
    stats->fallbacks = world->flood.failures;
    stats->residual = world->flood.residual;
}

rn_result rn_world_step(rn_world *world, double seconds) {
    if (!(seconds >= 0.0 && seconds <= 1e9))
        return rn_fail(RN_INVALID, "rn_world_step was asked for %g s; it must be 0 or more", seconds);
    const int most = world->max_substeps > 0 ? world->max_substeps : MOST_SUBSTEPS;
    const int parts = rn_bodies_parts(world);
    stride sum = {.least = seconds};
    for (int part = 0; part < parts; part++) {
        rn_result result = bring_bodies(world, (part + 1.0) / parts, seconds / parts);
        if (result != RN_OK) return result;
        if (part == 0) {
            rn_gauges_begin(world);
            world->flood.iterations = 0;
        }
        result = run_part(world, seconds / parts, most, &sum);
        if (result != RN_OK) return result;
    }
    if (sum.slowed && !world->slowed) {
        world->slowed = true;
        rn_log(&world->hooks, RN_LOG_WARNING, "time runs slower: %d substeps were not enough for %g s", most, seconds);
    }
    take_stats(world, seconds, &sum);
    rn_bodies_settle(world, seconds);
    return RN_OK;
}

rn_world_stats rn_world_progress(const rn_world *world) { return world->stats; }
