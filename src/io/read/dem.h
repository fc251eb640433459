/* Digital elevation models in the formats of GDAL. */
#ifndef RN_IO_DEM_H
#define RN_IO_DEM_H

#include "io/read/raster.h"

/* The content of a file, and how it was interpreted. */
typedef struct rn_dem {
    rn_heightmap map; /* heights may be NAN */
    rn_raster_findings found;
    int file_width, file_height; /* pixels */
    int bands;
    int degrees, guessed;        /* 1: pixel sizes were degrees; this was only guessed */
    double latitude;             /* degrees, where they were converted to metres */
    double unit, rise;           /* m: factors for lengths and heights of the file */
    int south_first, east_first; /* as in rn_raster */
} rn_dem;

/* Reads the part of a file that `def` asks for, in a separate process. Missing heights stay NAN: gaps are not filled,
   spikes not dropped, and heights not made finer than the file's. RN_UNSUPPORTED without GDAL. Free dem->map with
   rn_heightmap_free, also after a failure. */
rn_result rn_dem_read(const rn_heightmap_def *def, rn_dem *dem);

#endif
