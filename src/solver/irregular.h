/* Irregular pipes: between layers, into holes, and out over open edges; and the junctions where they end. Private to
   the solver's own files. */
#ifndef RN_SOLVER_IRREGULAR_H
#define RN_SOLVER_IRREGULAR_H

#include "solver/rows.h"

/* Lists the irregular pipes and junctions with liquid; the others are skipped in this substep, and fluxes and transfers
   of pipes that have dried become 0. */
void rn_irregular_look(substep *step);
/* Finds fluxes (m^3/s) and transfers (m) of the listed pipes, by the paper's equations, as if no column could run dry
   or over. Raises the workers' highest speed. */
void rn_irregular_fluxes(substep *step, rn_pool *pool);
/* Marks the junctions that would give more than they have, and those that would get more than they have room for or are
   full, and their rows in tiles. */
void rn_irregular_check(substep *step, rn_pool *pool);
/* Writes to `share` the share of their inflows (`in`) or outflows that listed junctions can take or give: of those that
   rn_irregular_check has marked, or of all (`all`). Sets schedule.limited[in] if one is below 1. */
void rn_irregular_shares(substep *step, bool in, bool all);
/* Multiplies the inflows (`in`) or outflows of listed junctions through irregular pipes by their shares, and fluxes
   too; with momentum and without heads also the speeds of inflows. Transfers stay whole quanta. */
void rn_irregular_limits(substep *step, bool in);
/* Sets the shares of all listed junctions to 1. */
void rn_irregular_free_shares(rn_state *s);
/* Adds the transfers of irregular pipes to the depths of listed junctions, and wakes their tiles. */
void rn_irregular_depths(substep *step, rn_pool *pool);

/* The same for one junction, for GPUs: the marks of rn_irregular_check, but not those of tiles; its share, of which
   true is returned if it is below 1; its limits; and what its irregular pipes bring it (m). */
void rn_irregular_check_one(const substep *step, rn_junction *junction);
bool rn_irregular_share_one(const substep *step, const rn_junction *junction, bool in, bool all);
void rn_irregular_limit_one(const substep *step, const rn_junction *junction, bool in);
float rn_irregular_change(const rn_state *s, const rn_junction *junction);

#endif
