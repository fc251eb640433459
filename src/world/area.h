/* Rain and losses, and room for them. */
#ifndef RN_WORLD_AREA_H
#define RN_WORLD_AREA_H

#include "world/deposit.h"

/* Makes room for `layers` layers, before columns change. */
rn_result rn_sources_make_room(rn_world *world, int layers);

/* Gives an area source its shares of each column; RN_INVALID if its region covers none. */
rn_result rn_area_create(rn_world *world, const rn_source_def *def, rn_source *source);
/* Gives or takes what is due from time `from` to `to` (s); `kind` says which and where. *added grows by the most (m)
   that one column has got. */
void rn_area_step(rn_world *world, rn_source *source, const rn_area_flux *kind, double from, double to, float *added);

#endif
