/* What the program of plain worlds has in place of the rest of the solver, as PTX: it must be short, because a program
   that does not stay in the GPU's cache of instructions is slow. */
#include "cuda/job.h"
#include "solver/momentum.h"
#include "solver/pipes.h"
#include "solver/rows.h"

/* A plain world has no passages. */
rn_result rn_flood_find(rn_flood *flood, rn_state *s) {
    (void)flood, (void)s;
    return RN_OK;
}

/* As that of solver/momentum.c for plain worlds; lanes store the parameters as the last ones. */
void rn_momentum_step(rn_state *s, const rn_step_params *params, rn_flood *flood, rn_pool *pool,
                      rn_extremes *extremes) {
    const substep step = {s, params, NULL};
    const bool retimed = rn_pipes_retimed(params, &s->schedule.last_params);
    (void)flood, (void)pool;
    rn_gpu_step(&step, retimed, extremes);
}

/* As that of cuda/device.c, for the clock of block 0 while sources act. */
void rn_gpu_for(int count, rn_task task, const void *context, size_t size) {
    rn_gpu_crew *crew = &(*(rn_gpu_job **)machine_shared(0))->crew;
    if (count <= 0) return;
    if (count > 1 && rn_crew_take(crew, count, task, context, size)) rn_plain_share();
    else task((void *)context, 0, count, 0);
}

void rn_gpu_short(int count, rn_task task, const void *context, size_t size) { rn_gpu_for(count, task, context, size); }

/* The rest is never called in a plain world: it has momentum, its substeps are explicit, and the host
   has measured it. */

void rn_pipes_step(rn_state *state, const rn_step_params *params, rn_flood *flood, rn_pool *pool,
                   rn_extremes *extremes) {
    (void)state, (void)params, (void)flood, (void)pool, (void)extremes;
    __builtin_unreachable();
}

#if !defined(RN_SILENT) /* by lanes, which plain_program.c shares out otherwise */
void rn_lanes_order(void (*work)(const void *context), const void *context, size_t size) {
    (void)work, (void)context, (void)size;
    __builtin_unreachable();
}

int rn_lanes_own(void) { __builtin_unreachable(); }
int rn_lanes_all(void) { __builtin_unreachable(); }

bool rn_lanes_any(bool value) {
    (void)value;
    __builtin_unreachable();
}

int64_t rn_lanes_before(int64_t value, int64_t *all) {
    (void)value, (void)all;
    __builtin_unreachable();
}
#endif

#if defined(RN_SILENT) /* without sources */
void rn_pipes_measure(rn_state *state, const rn_step_params *params, rn_extremes *extremes) {
    (void)state, (void)params, (void)extremes;
    __builtin_unreachable();
}

void rn_momentum_dilute(rn_state *s, rn_pool *pool) {
    (void)s, (void)pool;
    __builtin_unreachable();
}
#endif

void rn_momentum_measure(rn_state *s, const rn_step_params *params, rn_extremes *extremes) {
    (void)s, (void)params, (void)extremes;
    __builtin_unreachable();
}

rn_result rn_multigrid_fit(rn_multigrid *grid, const rn_state *s) {
    (void)grid, (void)s;
    __builtin_unreachable();
}

rn_result rn_implicit_fit(rn_implicit *solve, const rn_state *s) {
    (void)solve, (void)s;
    __builtin_unreachable();
}

rn_result rn_implicit_step(rn_implicit *solve, rn_flood *flood, rn_state *s, const rn_step_params *params,
                           rn_pool *pool, rn_extremes *extremes, bool *converged) {
    (void)solve, (void)flood, (void)s, (void)params, (void)pool, (void)extremes, (void)converged;
    __builtin_unreachable();
}
