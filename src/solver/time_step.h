/* How long a substep of the pipe solvers may be. */
#ifndef RN_SOLVER_TIME_STEP_H
#define RN_SOLVER_TIME_STEP_H

#include "solver/pipe_self.h"

/* The largest stable substep (s). Waves may run `courant` times as far in it as in an explicit one. */
double rn_time_step_limit(rn_pipe_solver *solver, double courant, const rn_forcing *forcing);
/* What bounds the largest stable substep, given that (s): the largest part of the fastest signal. RN_BOUND_CALL:
   nothing does. */
rn_bound rn_time_step_bound(const rn_pipe_solver *solver, double limit, const rn_forcing *forcing);
/* No liquid of this world can flow faster (m/s). */
double rn_time_step_fastest(const rn_pipe_solver *solver);

#endif
