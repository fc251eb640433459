/* Faces of the momentum-carrying step that the rows of one layer do not explain: loose pipes, and ordinary pipes at
   columns with loose pipes. Such a column may have several faces, or none, on a side. A side counts as one face: its
   transfer is the sum of theirs, its speed their mean, each weighted by its share of what moves.

   The order in a substep: list; look, while the tiles are kicked; kick; sum, while the tiles find their transfers;
   cross. Private to the solver's own files. */
#ifndef RN_SOLVER_JOINTS_H
#define RN_SOLVER_JOINTS_H

#include "solver/rows.h"

/* Makes the list of joints, after the loose pipes have been stored. There is room for it. */
void rn_joints_build(rn_state *s);
/* The most joints that so many loose pipes can make: each has two ends, with up to four ordinary pipes. */
static inline size_t rn_joints_most(size_t loose) { return 9 * loose; }

/* Lists the joints with liquid at an end, and groups of columns that have such joints; returns how many groups. */
int rn_joints_list(rn_state *s);
/* Of the columns of groups `begin` to `end` - 1: what has moved through their sides, and how fast. */
void rn_joints_look(const substep *step, int begin, int end);
void rn_joints_kick(substep *step, rn_pool *pool);
/* The next speeds of their sides. */
void rn_joints_sum(const substep *step, int begin, int end);
void rn_joints_cross(substep *step, rn_pool *pool);

#endif
