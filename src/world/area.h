/* Rain and losses. */
#ifndef RN_WORLD_AREA_H
#define RN_WORLD_AREA_H

#include "world/world.h"

/* Room for so many layers, before columns change. */
rn_result rn_sources_make_room(rn_world *world, int layers);

/* Rain and losses: shares of each column, and the pass over the world that gives or takes so many seconds' worth. */
rn_result rn_area_create(rn_world *world, const rn_source_def *def, rn_source *source);
void rn_area_step(rn_world *world, rn_source *source, double from, double to, float *added);

#endif
