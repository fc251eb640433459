/* Beginning and end of every substep of the packets solver, adaptive or not.

   Interface (solver/packets_self.h), in the order of a substep: rn_packets_pass sets the parameters for its length
   and collects the arrays; rn_packets_empty_sinks removes what has left the world, after packets have arrived;
   rn_packets_end_substep runs sources. rn_packets_row_sums gives the size of a row of sums. solver/packets.c and
   solver/packets_tiled.c call them around passes of their own.

   Liquid from sources is at rest: columns that gained some are slowed in proportion, so that momentum stays. With
   tiles, coarse cells first take over what their columns have gained (rn_tiles_absorb). */
#include "kernels/face.h"
#include "solver/packets_tiling.h"

size_t rn_packets_row_sums(const rn_packets *solver) {
    return (size_t)(RN_AROUND * RN_PACKET_FIELDS) * (size_t)solver->columns.grid.stride + RN_PAD;
}

/* Sets the parameters of a substep of `dt` (s). */
static void begin_substep(rn_packets *solver, double dt) {
    rn_packet_params *params = &solver->params;
    params->dt = (float)dt;
    params->lambda = (float)(dt / solver->cell);
    params->push = (float)(0.5 * solver->gravity * dt / solver->cell);
    params->tilt_x = (float)(solver->tilt[0] * dt);
    params->tilt_y = (float)(solver->tilt[1] * dt);
    params->most = (float)(64.0 * solver->cell / dt);
    params->dither = rn_white_dither(solver->step);
    params->turbulent = solver->columns.laws || solver->manning > 0.0f || solver->chezy > 0.0f;
}

rn_packet_pass rn_packets_pass(rn_packets *solver, double dt, bool gauged) {
    begin_substep(solver, dt);
    return (rn_packet_pass){
        .params = &solver->params,
        .columns = &solver->columns,
        .z = solver->ground,
        .h = solver->columns.depth,
        .u = solver->u,
        .v = solver->v,
        .h1 = solver->h1,
        .u1 = solver->u1,
        .v1 = solver->v1,
        .transfer_x = gauged ? solver->transfer_x : NULL,
        .transfer_y = gauged ? solver->transfer_y : NULL,
        .plain = solver->plain,
        .far = solver->far,
        .kappa = solver->kappa,
        .manning = solver->manning,
        .chezy = solver->chezy,
        .near = (double)solver->peak_speed * dt <= 0.499 * solver->cell,
        .count = solver->count,
        .stride = solver->columns.grid.stride,
        .nx = solver->columns.grid.nx,
        .margin = rn_packets_has_open_edge(solver),
    };
}

int64_t rn_packets_empty_sinks(rn_packets *solver) {
    int64_t left = 0;
    for (int32_t i = 0; i < solver->sink_count; i++) {
        float *depth = &solver->h1[solver->sinks[i]];
        left += (int64_t)(*depth / (double)solver->columns.quantum);
        *depth = 0.0f;
    }
    return left;
}

/* Slows columns to which sources have just added liquid, which is at rest, so that momentum stays; clears `gained`. */
static void slow_diluted(rn_packets *solver) {
    const rn_grid *g = &solver->columns.grid;
    for (int y = 0; y < g->ny; y++)
        for (int32_t c = rn_slot(g, 0, y, 0), end = c + g->nx; c < end; c++) {
            const float gained = solver->gained[c], all = solver->columns.depth[c];
            if (!(gained > 0.0f)) continue;
            const float kept = all > gained ? (all - gained) / all : 0.0f;
            solver->u[c] = solver->u[c] * kept + 0.0f;
            solver->v[c] = solver->v[c] * kept + 0.0f;
            solver->gained[c] = 0.0f;
        }
}

void rn_packets_end_substep(rn_packets *solver, double dt, int64_t left, const rn_forcing *forcing) {
    solver->step++;
    solver->shown = false;
    solver->columns.gained = solver->gained;
    solver->poured = false;
    solver->added = forcing->substep(forcing->context, dt, left);
    solver->columns.gained = NULL;
    if (solver->poured && solver->tiles) rn_tiles_absorb(solver);
    if (solver->poured) slow_diluted(solver);
}
