/* The passes of the momentum-carrying step over connections: faces that the loops over rows do not cover
   (solver/connection_links.h). The order in a substep: list; look, while the tiles are kicked; kick; sum, while the
   tiles find their transfers; cross. Private to the solver's own files. */
#ifndef RN_SOLVER_CONNECTIONS_H
#define RN_SOLVER_CONNECTIONS_H

#include "solver/rows.h"

/* Lists the connections with liquid at an end, stops those that have dried, and lists the junctions that have wet
   connections in groups; returns the number of groups. */
int rn_connections_list(rn_state *s);
/* For the junctions of groups `begin` to `end` - 1: finds transfers and speeds of their split sides, and the steps of
   bed and surface over all sides. Groups are independent: threads may share them. */
void rn_connections_look(const substep *step, int begin, int end);
/* Finds the next speeds (m/s) of all listed connections, after forces and transport; also their half speeds, and in an
   implicit substep their gains. Uses all threads of the pool. */
void rn_connections_kick(substep *step, rn_pool *pool);
/* For the junctions of groups `begin` to `end` - 1: finds the next speeds of their split sides, and how much leaves
   through all sides. Groups are independent: threads may share them. */
void rn_connections_sum(const substep *step, int begin, int end);
/* Finds transfers (m) of all listed connections, and the speeds to keep, and raises the extremes of each worker. In an
   implicit substep only finds the depths that cross (`width`), and lowers the gain of drowned falls. Uses all threads
   of the pool. */
void rn_connections_cross(substep *step, rn_pool *pool);

#endif
