/* Columns of the pipe solver that change while there is liquid in them, and pipes that solid shuts. */
#ifndef RN_SOLVER_RESHAPE_H
#define RN_SOLVER_RESHAPE_H

#include "solver/pipes.h"
#include "solver/reconnect.h"

/* Carries a batch out. On failure nothing has changed. */
rn_result rn_reshape_apply(rn_reshaping *r, rn_reconnection *seams, rn_state *s, rn_pool *pool);
/* Shuts irregular pipes as far as the list says, which is in order of owners, and opens all others. What flows through
   a pipe that is shut further grows less by as much, and what opens flows as fast as the solid did. Gaps below solid
   that are no higher than `chink` (m) are shut too. */
void rn_reshape_shut(rn_state *s, rn_pool *pool, const rn_face_blockage *list, size_t count, float chink);

#endif
