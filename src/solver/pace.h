/* How long a substep of the pipe solvers may be. */
#ifndef RN_SOLVER_PACE_H
#define RN_SOLVER_PACE_H

#include "solver/pipe_self.h"

/* The largest stable substep (s), or so many times that of waves and flow. */
double rn_pace_limit(rn_pipe_solver *solver, double courant, const rn_forcing *forcing);
/* No liquid of this world can flow faster (m/s). */
double rn_pace_fastest(const rn_pipe_solver *solver);

#endif
