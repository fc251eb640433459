/* Rain and losses, and room for them. */
#ifndef RN_WORLD_AREA_H
#define RN_WORLD_AREA_H

#include "world/deposit.h"

/* Makes room for `layers` layers; call it before columns change. */
rn_result rn_sources_make_room(rn_world *world, int layers);

/* Sets an area source's share of each column; RN_INVALID if its region covers none. */
rn_result rn_area_create(rn_world *world, const rn_source_def *def, rn_source *source);
/* Adds or removes the depth due from time `from` to `to` (s); `kind` says which, and on what columns. *added is
   raised to the largest depth (m) that a column has got. */
void rn_area_step(rn_world *world, rn_source *source, const rn_area_flux *kind, double from, double to, float *added);

#endif
