/* Changes of columns of the pipe solver while there is liquid in them, and pipes that solid shuts. */
#ifndef RN_SOLVER_RESHAPE_H
#define RN_SOLVER_RESHAPE_H

#include "solver/pipes.h"
#include "solver/reconnect.h"

/* Applies a batch of changes: columns, the liquid in their way, and pipes. Does nothing without changes or held liquid
   to give back. On failure returns RN_MEMORY or RN_LIMIT, with a message; then nothing has changed, except that there
   may be more layers, which are empty. */
rn_result rn_reshape_apply(rn_reshaping *r, rn_reconnection *seams, rn_state *s, rn_pool *pool);
/* Shuts irregular pipes as far as the list says, which is in order of owners, and opens all others. The flux of a pipe
   that is shut further shrinks in proportion (with momentum its speed stays); a part that opens flows with the speed of
   the solid. Gaps below solid no higher than `chink` (m) are shut too. First gives partly solid columns whose former
   level is not known the mean level of the wet columns beside them. */
void rn_reshape_shut(rn_state *s, rn_pool *pool, const rn_face_blockage *list, size_t count, float chink);

#endif
