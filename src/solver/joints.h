/* The passes of the momentum-carrying step over joints: faces that the rows of one layer do not explain
   (solver/joint_links.h). The order in a substep: list; look, while the tiles are kicked; kick; sum, while the tiles
   find their transfers; cross. Private to the solver's own files. */
#ifndef RN_SOLVER_JOINTS_H
#define RN_SOLVER_JOINTS_H

#include "solver/rows.h"

/* Lists the joints with liquid at an end, and groups of columns that have such joints; returns how many groups. */
int rn_joints_list(rn_state *s);
/* Of the columns of groups `begin` to `end` - 1: what has moved through their sides, and how fast. */
void rn_joints_look(const substep *step, int begin, int end);
/* Forces and transport, to the next speeds. */
void rn_joints_kick(substep *step, rn_pool *pool);
/* The next speeds of the sides of columns. */
void rn_joints_sum(const substep *step, int begin, int end);
/* Transfers, and the speeds that are kept; in an implicit substep only the depths that cross. */
void rn_joints_cross(substep *step, rn_pool *pool);

#endif
