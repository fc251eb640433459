/* Rain and losses, and room for them. */
#ifndef RN_WORLD_AREA_H
#define RN_WORLD_AREA_H

#include "world/deposit.h"

/* Room for so many layers, before columns change. */
rn_result rn_sources_make_room(rn_world *world, int layers);

/* Shares of each column, and the pass over the world that gives or takes so many seconds' worth. */
rn_result rn_area_create(rn_world *world, const rn_source_def *def, rn_source *source);
/* `kind` says what the shower takes and where. */
void rn_area_step(rn_world *world, rn_source *source, const rn_area_flux *kind, double from, double to, float *added);

#endif
