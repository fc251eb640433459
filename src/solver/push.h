/* The impulse of bodies on the liquid of a column. */
#ifndef RN_SOLVER_PUSH_H
#define RN_SOLVER_PUSH_H

#include "solver/solver.h"

/* A member of rn_solver_class: gives the liquid of a column an impulse (m^4/s, divided by its density). All its open
   faces along an axis gain the same speed; without open faces no speed changes. Raises the extremes and wakes tiles. */
void rn_pipes_push(void *self, int32_t slot, const double impulse[2]);

#endif
