/* Digital elevation models in the formats of GDAL. */
#ifndef RN_IO_DEM_H
#define RN_IO_DEM_H

#include "io/read/raster.h"

/* What a file held, and how it was understood. */
typedef struct rn_dem {
    rn_heightmap map; /* heights may be NAN */
    rn_raster_findings found;
    int file_width, file_height; /* pixels */
    int bands;
    int degrees, guessed;        /* 1: pixel sizes were degrees; and only their looks told so */
    double latitude;             /* degrees, where they were made metres */
    double unit, rise;           /* m: what lengths and heights of the file are multiplied by */
    int south_first, east_first; /* as of rn_raster */
} rn_dem;

/* RN_UNSUPPORTED where there is no GDAL. Free dem->map with rn_heightmap_free, also after a failure. */
rn_result rn_dem_read(const rn_heightmap_def *def, rn_dem *dem);

#endif
