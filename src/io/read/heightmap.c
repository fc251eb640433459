/* Heights from PNG pictures. */
#include "base/error.h"
#include "base/memory.h"

#include "io/read/png_input.h"
#include "io/read/raster.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LARGEST_SIDE = 32768, LARGEST_AREA = 1 << 28 };

enum { MOST_HEIGHTS = 1 << 24 };

rn_heightmap_def rn_heightmap_default(void) {
    return (rn_heightmap_def){.high = 1, .nodata = NAN, .most = MOST_HEIGHTS};
}

/* Interlaced pictures come in seven passes; each has the pixels first, first + step, … of some rows. */
static const uint8_t pass_first[] = {0, 4, 0, 2, 0, 1, 0}, pass_step[] = {8, 8, 4, 4, 2, 2, 1};
enum { LAST_PASS = 6 };

/* The brightness of a pixel, 0 to 1: a weighted mean of red, green and blue as stored, not made linear; alpha is
   ignored. */
static double brightness(const uint16_t *rgba) {
    if (rgba[0] == rgba[1] && rgba[1] == rgba[2]) return rgba[0] / 65535.0;
    return (0.2126 * rgba[0] + 0.7152 * rgba[1] + 0.0722 * rgba[2]) / 65535.0;
}

/* The meaning of grey values (m). */
typedef struct scale {
    double low, high;
    double step;   /* of one grey level, or 0 */
    double white;  /* number of grey levels from black to white */
    bool coloured; /* found while decoding: a pixel is not grey */
} scale;

/* The height (m) of a pixel: by the number of its grey level (of red, if coloured) if a step is given, otherwise by its
   brightness between low and high. */
static double height_of(const scale *s, const uint16_t *rgba) {
    if (s->step != 0) return s->low + s->step * (rgba[0] * s->white / 65535.0);
    return s->low + (s->high - s->low) * brightness(rgba);
}

/* Decodes all rows into map->heights, which exists, so that the last row of the picture becomes the first, and sets
   grey->coloured if a pixel is not grey. `row` has room for one row of RGBA. */
static rn_result decode_rows(const rn_png_input *input, scale *grey, uint16_t *row, rn_heightmap *map) {
    size_t row_bytes = 4 * sizeof *row * (size_t)map->width;
    for (;;) {
        struct spng_row_info info;
        int error = spng_get_row_info(input->context, &info);
        if (!error) error = spng_decode_row(input->context, row, row_bytes);
        if (error && error != SPNG_EOI) return rn_png_input_refuse(input, error);
        int pass = input->header.interlace_method ? info.pass : LAST_PASS;
        float *heights = map->heights + (size_t)map->width * (size_t)(map->height - 1 - (int)info.row_num);
        for (int x = pass_first[pass]; x < map->width; x += pass_step[pass]) {
            const uint16_t *rgba = &row[4 * x];
            heights[x] = (float)height_of(grey, rgba);
            grey->coloured = grey->coloured || rgba[0] != rgba[1] || rgba[1] != rgba[2];
        }
        if (error == SPNG_EOI) return RN_OK;
    }
}

/* Decodes a picture into the map, from south to north, and sets grey->white. The caller frees the map after a failure.
 */
static rn_result decode(const rn_png_input *input, scale *grey, rn_heightmap *map) {
    const int error = spng_decode_image(input->context, NULL, 0, SPNG_FMT_RGBA16, SPNG_DECODE_PROGRESSIVE);
    if (error) return rn_png_input_refuse(input, error);
    grey->white = (double)((1 << input->header.bit_depth) - 1);
    map->width = (int)input->header.width;
    map->height = (int)input->header.height;
    uint16_t *row = rn_alloc(NULL, (size_t)map->width, 4 * sizeof *row);
    map->heights = rn_alloc(NULL, (size_t)map->width * (size_t)map->height, sizeof *map->heights);
    rn_result result = row && map->heights ? decode_rows(input, grey, row, map) : rn_png_input_refuse(input, SPNG_EMEM);
    rn_free(NULL, row);
    return result;
}

rn_result rn_picture_load(const char *path, double low, double high, double grey_level, rn_heightmap *map,
                          bool *coloured) {
    *map = (rn_heightmap){0};
    *coloured = false;
    if (!isfinite(low) || !isfinite(high) || !isfinite(grey_level))
        return rn_fail(RN_INVALID, "%s: the heights of black and white must be finite", path);
    rn_png_input input;
    scale grey = {low, high, .step = grey_level};
    rn_result result = rn_png_input_open(path, LARGEST_SIDE, LARGEST_AREA, &input);
    if (result == RN_OK) result = decode(&input, &grey, map);
    rn_png_input_close(&input);
    *coloured = grey.coloured;
    if (result != RN_OK) rn_heightmap_free(map);
    return result;
}

rn_result rn_heightmap_load(const char *path, double low, double high, rn_heightmap *map) {
    bool coloured;
    return rn_picture_load(path, low, high, 0, map, &coloured);
}

void rn_heightmap_free(rn_heightmap *map) {
    rn_free(NULL, map->heights);
    rn_free(NULL, map->crs);
    *map = (rn_heightmap){0};
}
