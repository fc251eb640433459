/* The impulse of bodies on the liquid of a column. */
#ifndef RN_SOLVER_PUSH_H
#define RN_SOLVER_PUSH_H

#include "solver/solver.h"

/* A member of rn_solver_class; see solver/solver.h. */
void rn_pipes_push(void *self, int32_t slot, const double impulse[2]);

#endif
