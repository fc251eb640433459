/* What a solver calls while it advances a world: sources, gauges and the clock.

   Interface: rn_forcing_calls (world/forcing.h). world/frame.c passes these callbacks to the solver in every frame.
   GPUs compile this file and what it calls once more (src/cuda), for copies of worlds (world/forcing_copy.c). So
   nothing here may allocate memory or use what such a copy does not have: solids, bodies, forces and 3D liquids. */
#include "world/forcing.h"

#include "world/sources.h"

/* How far (m) above `height` (m) sources can raise the liquid of a column within `seconds` from now: rn_forcing.rise
   (solver/solver.h). */
static double source_rise(const void *context, double height, double seconds) {
    return rn_sources_rise(context, height, seconds);
}

/* The longest substep (s) that moving sources allow (rn_forcing in solver/solver.h). */
static double longest_substep(const void *context) { return rn_sources_stay(context); }

/* The simulated time (s) so far (rn_forcing in solver/solver.h). */
static double simulated_time(const void *context) { return ((const rn_world *)context)->stats.time; }

/* After each substep of `dt` (s): updates gauges, liquid that left over edges (`left`, quanta), sources and the clock.
   Returns the largest depth (m) that sources added to a column. */
static float end_substep(void *context, double dt, int64_t left) {
    rn_world *world = context;
    rn_gauges_step(world);
    world->ledger.left += left;
    const float added = rn_sources_step(world, dt);
    world->stats.time += dt;
    world->stats.steps++;
    return added;
}

rn_forcing rn_forcing_calls(rn_world *world) {
    return (rn_forcing){.context = world,
                        .rise = source_rise,
                        .longest = longest_substep,
                        .substep = end_substep,
                        .time = simulated_time,
                        .gauged = rn_gauges_any(world),
                        .sourced = rn_sources_any(world)};
}
