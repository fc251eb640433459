/* What bodies do to the liquid of a column. */
#ifndef RN_SOLVER_PUSH_H
#define RN_SOLVER_PUSH_H

#include "solver/solver.h"

/* As of rn_solver_class. */
void rn_pipes_push(void *self, int32_t slot, const double impulse[2]);

#endif
