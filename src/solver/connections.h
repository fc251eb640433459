/* The passes of the momentum-carrying step over connections: faces that the rows of one layer do not explain
   (solver/connection_links.h). The order in a substep: list; look, while the tiles are kicked; kick; sum, while the
   tiles find their transfers; cross. Private to the solver's own files. */
#ifndef RN_SOLVER_CONNECTIONS_H
#define RN_SOLVER_CONNECTIONS_H

#include "solver/rows.h"

/* Lists the connections with liquid at an end, and groups of columns that have such connections; returns how many
 * groups. */
int rn_connections_list(rn_state *s);
/* Of the columns of groups `begin` to `end` - 1: what has moved through their sides, and how fast. */
void rn_connections_look(const substep *step, int begin, int end);
/* Forces and transport, to the next speeds. */
void rn_connections_kick(substep *step, rn_pool *pool);
/* The next speeds of the sides of columns. */
void rn_connections_sum(const substep *step, int begin, int end);
/* Transfers, and the speeds that are kept; in an implicit substep only the depths that cross. */
void rn_connections_cross(substep *step, rn_pool *pool);

#endif
