/* Digital elevation models in the formats of GDAL. */
#ifndef RN_IO_DEM_H
#define RN_IO_DEM_H

#include "io/read/raster.h"

enum { RN_DEM_WKT = 1 << 14 };

/* The content of a file, and how it was interpreted. */
typedef struct rn_dem {
    rn_heightmap map; /* heights may be NAN */
    rn_raster_findings found;
    int file_width, file_height; /* pixels */
    int bands;
    int degrees, guessed;        /* 1: pixel sizes were degrees; this was only guessed */
    int mercator;                /* 1: pixel sizes were those of Mercator's projection, which are too long */
    double latitude;             /* degrees, where either were converted to metres */
    double unit, rise;           /* m: factors for lengths and heights of the file */
    int south_first, east_first; /* as in rn_raster */
    char wkt[RN_DEM_WKT];        /* the coordinate system; "": the file does not say */
} rn_dem;

/* Reads the part of a file that `def` asks for, in a separate process. Missing heights stay NAN: gaps are not filled,
   spikes not dropped, and heights not made finer than the file's. Returns RN_UNSUPPORTED without GDAL. Free dem->map
   with rn_heightmap_free, also after a failure. */
rn_result rn_dem_read(const rn_heightmap_def *def, rn_dem *dem);

/* A grid of values while it becomes a map, by any reader. */
typedef struct rn_dem_source {
    const rn_heightmap_def *def;
    double corner[2], step[2]; /* of pixel 0, 0, and step to the next, in the file's own coordinates; step 0: unknown */
    rn_raster raster;
    rn_dem
        dem; /* the result; a reader sets file_width, file_height, bands, unit, rise, degrees, wkt and map.reference */
} rn_dem_source;

/* Sets position, order and spacing (m) of the pixels, from the outer corner of pixel 0, 0 and the step to the next
   along x and y, which must be finite and not 0. The spacing of degrees and of Mercator's projection is that at the
   middle of the file, whose latitude goes to dem.latitude. dem.file_height, dem.unit, dem.degrees and dem.map.reference
   must be set; sets dem.mercator. Returns RN_FORMAT if the middle of a Mercator map is within 2 degrees of a pole. */
rn_result rn_dem_set_steps(rn_dem_source *source, const double corner[2], const double step[2]);
/* Reads the map that source->def asks for into source->dem, whose heights the caller frees, also after a failure. A
   spacing in source->def overrides that of the file, which then no longer counts as degrees or Mercator's projection.
   Without one, tiny pixels of a file without a coordinate system may be taken as degrees: dem.guessed. On failure
   returns the result of rn_raster_sample. */
rn_result rn_dem_sample(rn_dem_source *source);

#endif
