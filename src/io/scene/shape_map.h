/* The shape "heightmap" of a scene: ground from a file of heights, or from a list. */
#ifndef RN_IO_SHAPE_MAP_H
#define RN_IO_SHAPE_MAP_H

#include "io/scene/shape_context.h"

#include <runnel/io.h>

/* As in rn_heightmap_def, where the names are the same. */
typedef struct rn_map_values {
    const char *file;
    const json_t *heights;
    double low, high, grey_level;
    double spacing, origin[2];
    double crop[4], resample, nodata;
    int missing; /* rn_missing */
    int datum;   /* rn_map_datum */
    double exaggerate;
    bool fit;
} rn_map_values;

typedef enum rn_map_datum { RN_DATUM_FILE, RN_DATUM_LOWEST } rn_map_datum;

/* Returns the solid below a map of heights, before its pose is applied; the caller destroys it. `place`: that of the
   shape. Returns NULL, with an error text that names the place, if it fails; context->failure is then the result of
   reading the heights, or unchanged if the solid could not be made. */
rn_sdf *rn_shape_map(rn_shape_context *context, const rn_map_values *values, const rn_json_path *place);

#endif
