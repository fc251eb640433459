/* rn_world_step, one frame, and rn_world_get_stats (include/runnel/world.h). This file is the order in which
   everything in a world with columns happens; a 3D liquid has its own in world/mac_step.c.

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

rn_result rn_world_step(rn_world *world, double seconds) {
    if (!(seconds >= 0.0 && seconds <= 1e9))
        return rn_fail(RN_INVALID, "rn_world_step was asked for %g s; it must be 0 or more", seconds);
    if (world->mac) return rn_world_mac_step(world, seconds);
    const int most = world->max_substeps > 0 ? world->max_substeps : MOST_SUBSTEPS;
    const int parts = rn_bodies_parts(world);
    const rn_forcing forcing = rn_forcing_of(world);
    rn_step_report report = {.least = seconds};
    for (int part = 0; part < parts; part++) {
        rn_result result = move_bodies(world, (part + 1.0) / parts, seconds / parts);
        if (result != RN_OK) return result;
        if (part == 0) rn_gauges_begin(world);
        rn_forces_act(world, seconds / parts);
        result = world->solver->advance(world->self, seconds / parts, most, &forcing, &report);
        if (result != RN_OK) return result;
    }
    if (report.slowed && !world->slowed) {
        world->slowed = true;
        rn_log(&world->hooks, RN_LOG_WARNING, "time runs slower: %d substeps were not enough for %g s", most, seconds);
    }
    update_stats(world, seconds, &report);
    rn_bodies_settle(world, seconds);
    return RN_OK;
}

rn_world_stats rn_world_get_stats(const rn_world *world) { return world->stats; }
