/* The flow through the sides of a column, and through the face between two cells. */
#ifndef RN_SOLVER_PIPES_FLOW_H
#define RN_SOLVER_PIPES_FLOW_H

#include "solver/solver.h"

/* Members of rn_solver_class; see solver/solver.h. */
void rn_pipes_column_flow(const void *self, int32_t slot, double flow[2]);
rn_face_flow rn_pipes_face_flow(const void *self, int32_t cell, int axis);

#endif
