/* Grids of heights as files have them, made into maps: which part, how fine, and which values are no heights. */
#ifndef RN_IO_RASTER_H
#define RN_IO_RASTER_H

#include <runnel/io.h>

typedef struct rn_raster {
    int width, height;
    double spacing_x, spacing_y;  /* m, 0: unknown */
    bool south_first, east_first; /* row 0 is the southernmost; column 0 is the easternmost */
    bool guess_nodata;            /* values may stand for no data without the file saying so */
    double nodata;                /* as the file has it; NAN: none */
    /* Columns first to first + count - 1 of a row. */
    rn_result (*read)(void *context, int row, int first, int count, double *values);
    void *context;
} rn_raster;

/* What was found among the values of a raster, as counts of its pixels within the crop. */
typedef struct rn_raster_findings {
    int64_t pixels;
    int64_t declared;   /* are what the file or the caller calls no data */
    int64_t not_finite; /* are NaN or infinite */
    int64_t customary;  /* are -9999 or the like, far from all others */
    int64_t absurd;     /* are higher or deeper than any ground */
    double low, high;   /* m, of the rest */
} rn_raster_findings;

/* Fills `map` from the pixels that def->crop leaves, averaged where def->resample or def->most asks for coarser ones;
   where nothing is known heights are NAN. Free the map with rn_heightmap_free, also after a failure. */
rn_result rn_raster_sample(const rn_raster *raster, const rn_heightmap_def *def, rn_raster_findings *found,
                           rn_heightmap *map);

/* rn_heightmap_load, with a height for each grey level instead of `high` where `grey_level` is not 0. */
rn_result rn_picture_load(const char *path, double low, double high, double grey_level, rn_heightmap *map);

/* Another number of heights over the same ground from its south-west corner, `step_x` and `step_y` of the old spacings
   apart, by straight lines. */
rn_result rn_heightmap_resize(rn_heightmap *map, int width, int height, double step_x, double step_y);

/* Makes up the heights that are NAN, unless these are wanted, and counts them. Fails if there is no other height. */
rn_result rn_heightmap_fill(rn_heightmap *map, rn_missing how);

/* Makes heights NAN that stand out from all around them as no ground does. Returns how many there were. */
int64_t rn_heightmap_drop_spikes(rn_heightmap *map);

#endif
