/* rn_world_step and rn_worlds_step, one frame, and rn_world_get_stats (include/runnel/world.h). This file is the order
   in which everything in a world with columns happens; a 3D liquid has its own in world/mac_step.c.

   The frame is split into parts, so that no blocking body moves more than a quarter of a cell in one (world/pose.c):
   - move_bodies: bodies advance, rn_solids_apply remakes columns and moves liquid out of the way, and rn_stir lets
     the liquid rise and sink with floating bodies;
   - rn_forces_act pushes the liquid;
   - the solver advances by the length of the part, in as many substeps as it needs.
   After every substep the solver calls back (world/forcing.c): gauges read what has passed, sources act, and the clock
   moves on. After the last part rn_bodies_settle finds the loads on bodies.

   The solver knows nothing of sources, gauges and the clock; it sees them through the callbacks of world/forcing.c.
   These also limit its substeps by what sources will add. A failure ends the step early, and time then stands somewhere
   between its beginning and its end. */
#include "base/error.h"
#include "base/maths.h"
#include "world/apply.h"
#include "world/forces.h"
#include "world/forcing_copy.h"
#include "world/mac.h"
#include "world/pose.h"
#include "world/settle.h"
#include "world/sources.h"
#include "world/stir.h"
#include "world/world.h"

#include <stdio.h>

enum { MOST_SUBSTEPS = 1000000 };

/* ---- The frame --------------------------------------------------------------------------------------------------- */

/* Moves bodies to their poses after this share (0 to 1) of the step; applies all pending changes of solid, and moves
   liquid out of the way, also under floating bodies. Part of the liquid that bodies displaced earlier and still hold
   back (world->give_back) returns, as much as in `seconds`, the length of this part. On failure returns a code, with a
   message; then bodies have moved and columns are unchanged, except if only rn_stir failed (RN_MEMORY): then all but
   floating bodies have acted on them. */
static rn_result move_bodies(rn_world *world, double share, double seconds) {
    rn_bodies_advance(world, share);
    world->solids.reshaping.give = world->give_back > 0.0 ? 1.0 - rn_decay(seconds / world->give_back) : 1.0;
    const rn_result result = rn_solids_apply(world);
    world->solids.reshaping.give = 0.0;
    return result == RN_OK ? rn_stir(world) : result;
}

/* Updates the statistics after a step of `seconds`, of which the solver has reported; not the time and the total of
   substeps, which world/forcing.c counts. */
static void update_stats(rn_world *world, double seconds, const rn_step_report *report) {
    const rn_forcing forcing = rn_forcing_of(world);
    rn_world_stats *stats = &world->stats;
    stats->asked += seconds;
    stats->substeps = report->substeps;
    stats->dt = report->least;
    stats->fallbacks += report->fallbacks;
    for (int i = 0; i < RN_BOUNDS; i++) stats->bounded[i] += report->bounded[i];
    stats->limit = world->solver->stable_dt(world->self, &forcing);
    world->solver->progress(world->self, &forcing, stats);
}

/* Returns RN_INVALID, with a message, unless a step may last so long (s). */
static rn_result check_seconds(double seconds, const char *function) {
    if (seconds >= 0.0 && seconds <= 1e9) return RN_OK;
    return rn_fail(RN_INVALID, "%s was asked for %g s; it must be 0 or more", function, seconds);
}

/* The largest number of substeps in a part of a frame. */
static int most_substeps(const rn_world *world) {
    return world->max_substeps > 0 ? world->max_substeps : MOST_SUBSTEPS;
}

/* All that comes before the solver advances, in part number `part` of `parts` of a step of `seconds`. Fails as
   move_bodies does. */
static rn_result begin_part(rn_world *world, int part, int parts, double seconds) {
    const rn_result result = move_bodies(world, (part + 1.0) / parts, seconds / parts);
    if (result != RN_OK) return result;
    if (part == 0) rn_gauges_begin(world);
    rn_forces_act(world, seconds / parts);
    return RN_OK;
}

/* All that comes after the solver has advanced by the whole step of `seconds`, of which it has reported. */
static void end_step(rn_world *world, double seconds, const rn_step_report *report) {
    if (report->slowed && !world->slowed) {
        world->slowed = true;
        rn_log(&world->hooks, RN_LOG_WARNING, "time runs slower: %d substeps were not enough for %g s",
               most_substeps(world), seconds);
    }
    update_stats(world, seconds, report);
    rn_bodies_settle(world, seconds);
}

rn_result rn_world_step(rn_world *world, double seconds) {
    rn_result result = check_seconds(seconds, "rn_world_step");
    if (result != RN_OK) return result;
    if (world->mac) return rn_world_mac_step(world, seconds);
    const int parts = rn_bodies_parts(world);
    const rn_forcing forcing = rn_forcing_of(world);
    rn_step_report report = {.least = seconds};
    for (int part = 0; part < parts; part++) {
        result = begin_part(world, part, parts, seconds);
        if (result != RN_OK) return result;
        result = world->solver->advance(world->self, seconds / parts, most_substeps(world), &forcing, &report);
        if (result != RN_OK) return result;
    }
    end_step(world, seconds, &report);
    return RN_OK;
}

/* ---- Many worlds ------------------------------------------------------------------------------------------------- */

/* Worlds whose solvers advance together, each in one part. */
typedef struct batch {
    rn_world *worlds[RN_MOST_WORLDS];
    void *selves[RN_MOST_WORLDS];
    int most[RN_MOST_WORLDS];
    rn_forcing forcing[RN_MOST_WORLDS];
    rn_step_report reports[RN_MOST_WORLDS];
    rn_result results[RN_MOST_WORLDS];
    int count;
} batch;

/* Whether a world may join a batch: its frame has one part, and its solver advances many worlds, and those of the
   batch. */
static bool may_join(const batch *b, const rn_world *world) {
    if (world->mac || !world->solver->advance_many || rn_bodies_parts(world) != 1) return false;
    return b->count == 0 || b->worlds[0]->solver == world->solver;
}

/* Adds a world to a batch, once all that comes before its solver advances is done. */
static rn_result join_batch(batch *b, rn_world *world, double seconds) {
    const rn_result result = begin_part(world, 0, 1, seconds);
    if (result != RN_OK) return result;
    const int i = b->count++;
    b->worlds[i] = world;
    b->selves[i] = world->self;
    b->most[i] = most_substeps(world);
    b->forcing[i] = rn_forcing_of(world);
    b->reports[i] = (rn_step_report){.least = seconds};
    return RN_OK;
}

/* Advances the worlds of a batch, and empties it. Returns a failure, with its message. */
static rn_result run_batch(batch *b, double seconds) {
    const int count = b->count;
    b->count = 0;
    if (count == 0) return RN_OK;
    const rn_result result =
        b->worlds[0]->solver->advance_many(count, b->selves, seconds, b->most, b->forcing, b->reports, b->results);
    for (int i = 0; i < count; i++)
        if (b->results[i] == RN_OK) end_step(b->worlds[i], seconds, &b->reports[i]);
    return result;
}

/* The first failure of worlds, and its message. */
typedef struct failure {
    rn_result result;
    char text[512];
} failure;

/* Keeps a result if it is the first failure. */
static void keep_failure(failure *first, rn_result result) {
    if (first->result != RN_OK || result == RN_OK) return;
    first->result = result;
    snprintf(first->text, sizeof first->text, "%s", rn_last_error());
}

rn_result rn_worlds_step(rn_world *const *worlds, int count, double seconds) {
    batch b = {.count = 0};
    failure first = {.result = check_seconds(seconds, "rn_worlds_step")};
    if (first.result != RN_OK) return first.result;
    for (int i = 0; i < count; i++) {
        keep_failure(&first,
                     may_join(&b, worlds[i]) ? join_batch(&b, worlds[i], seconds) : rn_world_step(worlds[i], seconds));
        if (b.count == RN_MOST_WORLDS) keep_failure(&first, run_batch(&b, seconds));
    }
    keep_failure(&first, run_batch(&b, seconds));
    return first.result == RN_OK ? RN_OK : rn_fail(first.result, "%s", first.text);
}

rn_world_stats rn_world_get_stats(const rn_world *world) { return world->stats; }
