/* The length of a substep of the pipe solvers. */
#ifndef RN_SOLVER_TIME_STEP_H
#define RN_SOLVER_TIME_STEP_H

#include "solver/pipe_self.h"

/* The largest stable substep (s), with what sources will add in that time, and at most as long as sources allow; a
   billion or more if nothing is wet and no source will pour. Waves may run `courant` times as far as in an explicit
   substep. Measures extremes first if they are out of date. */
double rn_time_step_limit(rn_pipe_solver *solver, double courant, const rn_forcing *forcing);
/* What limits the largest stable substep `limit` (s): the largest part of the fastest signal, or sources; in the
   paper's model always waves or sources. Returns RN_BOUND_CALL if nothing limits it (1e8 s or more). */
rn_bound rn_time_step_bound(const rn_pipe_solver *solver, double limit, const rn_forcing *forcing);
/* The speed (m/s) that no liquid of this world can exceed, from its highest level so far; INFINITY on slopes without an
   end, across periodic edges. */
double rn_time_step_fastest(const rn_pipe_solver *solver);

#endif
