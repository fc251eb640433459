/* The flow through the sides of a column, and through the face between two cells. */
#ifndef RN_SOLVER_PIPES_FLOW_H
#define RN_SOLVER_PIPES_FLOW_H

#include "solver/solver.h"

/* A member of rn_solver_class: sets flow[0] along x and flow[1] along y to the mean speed (m/s) through the two sides
   of a column; sides with thin films count 0. */
void rn_pipes_column_flow(const void *self, int32_t slot, double flow[2]);
/* A member of rn_solver_class: the quanta that moved in the last substep from a cell, given by its slot of layer 0, to
   the next along an axis (0: x, 1: y), in all layers, and the total height (m) of the open cross-sections now. */
rn_face_flow rn_pipes_face_flow(const void *self, int32_t cell, int axis);

#endif
