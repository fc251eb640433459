/* The flow through the sides of a column, and through the face between two cells. */
#ifndef RN_SOLVER_PIPES_FLOW_H
#define RN_SOLVER_PIPES_FLOW_H

#include "solver/solver.h"

/* A member of rn_solver_class: the mean speed (m/s) through the two sides of a column, along x and y; sides with thin
   films count 0. */
void rn_pipes_column_flow(const void *self, int32_t slot, double flow[2]);
/* A member of rn_solver_class: what moved between a cell and the next along an axis, in all layers, and the height of
   the open cross-sections together. */
rn_face_flow rn_pipes_face_flow(const void *self, int32_t cell, int axis);

#endif
