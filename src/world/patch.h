/* A part of the ground that has a value of its own: a region, a map, or a map within a region. */
#ifndef RN_WORLD_PATCH_H
#define RN_WORLD_PATCH_H

#include "world/world.h"

/* The fields of rn_roughness_def and rn_wetting_def that say where. */
typedef struct rn_patch {
    const rn_sdf *region; /* NULL: all ground */
    const float *map;     /* NULL: none */
    int map_x, map_y;
    double spacing_x, spacing_y, origin_x, origin_y; /* m, of the map */
} rn_patch;

/* Returns RN_INVALID, with a message, unless size, spacing and origin of the map, if there is one, are valid. */
rn_result rn_patch_check(const rn_patch *patch);

/* What is done with a column of the patch; value: that of the map, or else the patch's own. */
typedef void rn_patch_column(void *context, int32_t slot, double value);
/* Calls `column` for every column whose base lies in the patch, with the value of the map, or without a map with
   `value`; returns the number of columns. Sinks do not count, nor do cells where the map has no value (NAN). column
   NULL: stops after the first cell that has some. */
int rn_patch_each(const rn_world *world, const rn_patch *patch, double value, rn_patch_column *column, void *context);

/* Returns RN_INVALID, with a message, if the patch covers no column. */
rn_result rn_patch_meets(const rn_world *world, const rn_patch *patch);

#endif
