/* Turns grids of values in files into maps of heights: which part, how fine, and which values are not heights. */
#ifndef RN_IO_RASTER_H
#define RN_IO_RASTER_H

#include <runnel/io.h>

typedef struct rn_raster {
    int width, height;
    double spacing_x, spacing_y;  /* m, 0: unknown */
    bool south_first, east_first; /* row 0 is the southernmost; column 0 is the easternmost */
    bool guess_nodata;            /* values may mean "no data" although the file does not say so */
    double nodata;                /* as in the file; NAN: none */
    /* Reads columns first to first + count - 1 of a row. */
    rn_result (*read)(void *context, int row, int first, int count, double *values);
    void *context;
} rn_raster;

/* What was found among the values of a raster: counts of its pixels within the crop. */
typedef struct rn_raster_findings {
    int64_t pixels;
    int64_t declared;   /* no data according to the file or the caller */
    int64_t not_finite; /* NaN or infinite */
    int64_t customary;  /* -9999 or the like, far from all others */
    int64_t absurd;     /* higher or deeper than any ground */
    double low, high;   /* m, of the rest */
} rn_raster_findings;

/* Fills `map`, whose heights and `missing` must be 0, from the pixels within def->crop (m; all 0: everything), averaged
   if def->resample or def->most requires a coarser map, never finer; unknown heights are NAN, even if all are.
   map->west and map->south are m from the corner of the raster. Returns RN_INVALID if the crop is empty or outside, or
   the spacing that a crop or resampling needs is unknown; RN_MEMORY; or the result of raster->read. Free the map with
   rn_heightmap_free, also after a failure. */
rn_result rn_raster_sample(const rn_raster *raster, const rn_heightmap_def *def, rn_raster_findings *found,
                           rn_heightmap *map);

/* Like rn_heightmap_load; but if `grey_level` is not 0, it is the height (m) of one grey level above `low`, and `high`
   is ignored. Sets *coloured to whether some pixels are not grey. After a failure the map is empty. */
rn_result rn_picture_load(const char *path, double low, double high, double grey_level, rn_heightmap *map,
                          bool *coloured);

/* Resamples a map to width by height points, `step_x` and `step_y` old spacings apart, by linear interpolation. Each
   point is the centre of its cell, and the outer south-west corner of the map stays in place: new point i is at (i +
   1/2) step - 1/2, counted in old points. Beyond the outermost old points their heights are repeated. A point beside a
   NAN becomes NAN. Changes the spacing too. Returns RN_MEMORY if memory runs out; then the map is unchanged. */
rn_result rn_heightmap_resize(rn_heightmap *map, int width, int height, double step_x, double step_y);

/* Sets map->missing to the number of heights that are NAN and, unless `how` is RN_MISSING_NAN, fills them in. Returns
   RN_FORMAT, with a message, if all are NAN, or RN_MEMORY if memory runs out; then no height has changed. */
rn_result rn_heightmap_fill(rn_heightmap *map, rn_missing how);

/* Sets single heights to NAN that differ from all around them by 500 m or more, and by far more than these differ among
   themselves, as no ground does; leaves heights with fewer than three known neighbours. Returns the number of spikes;
   map->missing is not updated. */
int64_t rn_heightmap_drop_spikes(rn_heightmap *map);

#endif
