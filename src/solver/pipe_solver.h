/* The classes (solver/solver.h) of the pipe solvers, "explicit" and "implicit". */
#ifndef RN_SOLVER_PIPE_SOLVER_H
#define RN_SOLVER_PIPE_SOLVER_H

#include "solver/solver.h"

extern const rn_solver_class rn_solver_explicit, rn_solver_implicit;

#endif
