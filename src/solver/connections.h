/* The passes of the momentum-carrying step over connections: faces that the loops over rows do not cover
   (solver/connection_links.h). The order in a substep: list; look, while the tiles are kicked; kick; sum, while the
   tiles find their transfers; cross. Private to the solver's own files. */
#ifndef RN_SOLVER_CONNECTIONS_H
#define RN_SOLVER_CONNECTIONS_H

#include "solver/rows.h"

/* Lists the connections with liquid at an end, and groups of junctions that have such connections; returns the
   number of groups. */
int rn_connections_list(rn_state *s);
/* For the junctions of groups `begin` to `end` - 1: transfers and speeds of their sides. */
void rn_connections_look(const substep *step, int begin, int end);
/* Forces and transport; gives the next speeds. */
void rn_connections_kick(substep *step, rn_pool *pool);
/* For the junctions of groups `begin` to `end` - 1: the next speeds of their sides. */
void rn_connections_sum(const substep *step, int begin, int end);
/* Transfers, and the speeds to keep; in an implicit substep only the depths that cross. */
void rn_connections_cross(substep *step, rn_pool *pool);

#endif
