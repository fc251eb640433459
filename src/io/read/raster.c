/* Turns rasters of values into maps of heights: crops, averages, and finds values that are not heights. */
#include "io/read/raster.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* Values that programs commonly write for "no data", whether the file says so or not. */
static const double customary[] = {-9999, -99999, -32768, -32767};
enum { CUSTOMARY = sizeof customary / sizeof customary[0] };

/* m: no ground is this high or deep, on any planet. */
static const double absurd_height = 1e5;

/* The pixels of the file that are read, counted from the south-west. */
typedef struct window {
    int first_x, first_y, width, height;
} window;

/* What is known of a raster's values before they are used. */
typedef struct survey {
    const rn_raster *raster;
    double nodata; /* that of the caller */
    window area;
    double *row; /* as long as the window is wide */
    int64_t taken[CUSTOMARY], near[CUSTOMARY];
    rn_raster_findings found;
} survey;

/* Whether a value equals a no-data value, also if only after rounding to a float; never if that is NAN. */
static bool equals_nodata(double value, double nodata) { return value == nodata || (float)value == (float)nodata; }

/* Whether a value is no data according to the file or the caller. */
static bool is_declared(const survey *s, double value) {
    return equals_nodata(value, s->raster->nodata) || equals_nodata(value, s->nodata);
}

/* The index of a value among the customary ones, which it must equal exactly, or -1 if there is none. */
static int customary_index(double value) {
    for (int i = 0; i < CUSTOMARY; i++)
        if (value == customary[i]) return i;
    return -1;
}

/* Whether a value is a customary one for no data, and no other value is within 10 % of it: a trench may be as deep as
   -9999 m, but then there is ground nearly as deep. Needs a survey of all values. */
static bool is_customary(const survey *s, double value) {
    int index = customary_index(value);
    return index >= 0 && s->near[index] == 0;
}

/* Whether a value is a height, and not "no data". Needs a survey of all values. */
static bool is_height(const survey *s, double value) {
    if (!isfinite(value) || is_declared(s, value)) return false;
    return !s->raster->guess_nodata || !(fabs(value) > absurd_height || is_customary(s, value));
}

/* Reads a row of the window into s->row, from west to east, whatever the order in the file; row 0 is its
   southernmost. */
static rn_result read_row(survey *s, int row) {
    const rn_raster *raster = s->raster;
    int line = s->area.first_y + row, first = s->area.first_x, count = s->area.width;
    if (!raster->south_first) line = raster->height - 1 - line;
    if (raster->east_first) first = raster->width - first - count;
    rn_result result = raster->read(raster->context, line, first, count, s->row);
    for (int i = 0, j = count - 1; raster->east_first && result == RN_OK && i < j; i++, j--) {
        double kept = s->row[i];
        s->row[i] = s->row[j];
        s->row[j] = kept;
    }
    return result;
}

/* Counts a value in the survey, and extends the range of heights unless it is no data. A customary value does not
   extend it yet if no-data values are guessed: survey_all decides about these. */
static void survey_value(survey *s, double value) {
    rn_raster_findings *found = &s->found;
    found->pixels++;
    if (!isfinite(value) || is_declared(s, value)) {
        bool finite = isfinite(value);
        found->declared += finite;
        found->not_finite += !finite;
        return;
    }
    if (s->raster->guess_nodata && fabs(value) > absurd_height) {
        found->absurd++;
        return;
    }
    int index = customary_index(value);
    if (index >= 0) s->taken[index]++;
    for (int i = 0; i < CUSTOMARY; i++)
        s->near[i] += customary_index(value) < 0 && fabs(value - customary[i]) < 0.1 * fabs(customary[i]);
    if (index >= 0 && s->raster->guess_nodata) return;
    found->low = fmin(found->low, value);
    found->high = fmax(found->high, value);
}

/* Surveys all values of the window, into s->found; its low and high stay INFINITY and -INFINITY if no value is a
   height. On failure returns the result of the raster's `read`. */
static rn_result survey_all(survey *s) {
    s->found.low = INFINITY;
    s->found.high = -INFINITY;
    for (int row = 0; row < s->area.height; row++) {
        rn_result result = read_row(s, row);
        if (result != RN_OK) return result;
        for (int i = 0; i < s->area.width; i++) survey_value(s, s->row[i]);
    }
    for (int i = 0; i < CUSTOMARY && s->raster->guess_nodata; i++) {
        if (s->taken[i] == 0) continue;
        if (is_customary(s, customary[i])) s->found.customary += s->taken[i];
        else s->found.low = fmin(s->found.low, customary[i]);
    }
    return RN_OK;
}

/* The pixels along one axis that lie between two ends (m from the first pixel's border), even partly: *kept of them
   from *first on. Returns false if there are none of the `count` pixels between. */
static bool crop_axis(double from, double to, double spacing, int count, int *first, int *kept) {
    static const double sliver = 1e-6; /* of a pixel: allowance for rounding at a border */
    double begin = fmax(floor(from / spacing + sliver), 0), end = fmin(ceil(to / spacing - sliver), count);
    if (!(end - begin >= 1)) return false;
    *first = (int)begin;
    *kept = (int)(end - begin);
    return true;
}

/* Finds the pixels that lie in the crop of the definition, even partly; all pixels if there is no crop (all 0). Returns
   RN_INVALID if the crop is empty or misses the map, or a crop or resampling is asked for and the size of pixels is
   unknown. */
static rn_result choose_window(const rn_raster *raster, const rn_heightmap_def *def, window *area) {
    static const double nothing[4];
    const double *crop = def->crop, x = raster->spacing_x, y = raster->spacing_y;
    bool crops = memcmp(crop, nothing, sizeof nothing) != 0;
    *area = (window){0, 0, raster->width, raster->height};
    if ((crops || def->resample > 0) && !(x > 0 && y > 0))
        return rn_fail(RN_INVALID, "%s: does not say how large its pixels are, and %s is in metres; give the spacing",
                       def->path, crops ? "the crop" : "resampling");
    if (!crops) return RN_OK;
    if (!(crop[0] < crop[2] && crop[1] < crop[3]))
        return rn_fail(RN_INVALID,
                       "%s: the crop goes from %g, %g to %g, %g; it must go from south-west to north-east (m)",
                       def->path, crop[0], crop[1], crop[2], crop[3]);
    if (crop_axis(crop[0], crop[2], x, raster->width, &area->first_x, &area->width) &&
        crop_axis(crop[1], crop[3], y, raster->height, &area->first_y, &area->height))
        return RN_OK;
    return rn_fail(RN_INVALID, "%s: the crop from %g, %g to %g, %g m misses the map, which is %g by %g m", def->path,
                   crop[0], crop[1], crop[2], crop[3], x * raster->width, y * raster->height);
}

/* The number of pixels per height along each axis, 1 or more: for def->resample (m) if given, and then doubled until
   there are at most def->most heights. */
static void choose_steps(const rn_raster *raster, const rn_heightmap_def *def, const window *area, double step[2]) {
    step[0] = step[1] = 1;
    if (def->resample > 0) {
        step[0] = fmax(def->resample / raster->spacing_x, 1);
        step[1] = fmax(def->resample / raster->spacing_y, 1);
    }
    while (ceil(area->width / step[0]) * ceil(area->height / step[1]) > (double)def->most) {
        step[0] *= 2;
        step[1] *= 2;
    }
}

/* The number of heights that these pixels make along an axis, with `step` pixels each, at least 1. */
static int count_steps(int pixels, double step) { return (int)fmax(ceil(pixels / step - 1e-6), 1); }

/* The interval of `step` pixels that a pixel begins in, at most the last of `count`. Sets *share to the part of the
   pixel within that interval, less than 1 if the pixel lies across the border to the next one. */
static int interval_of(int pixel, double step, int count, double *share) {
    int index = (int)(pixel / step);
    if (index > count - 1) index = count - 1;
    double end = (index + 1) * step;
    *share = index == count - 1 || end >= pixel + 1 ? 1 : end - pixel;
    return index;
}

typedef struct sums {
    double *height, *weight; /* for each height of the map */
} sums;

/* Adds row `row` of the window, which is in s->row, to the sums of the heights that it contributes to, by shares of its
   pixels. Values that are no heights are left out. */
static void add_row(const survey *s, const double step[2], int row, const rn_heightmap *map, const sums *to) {
    double below;
    int y = interval_of(row, step[1], map->height, &below);
    for (int i = 0; i < s->area.width; i++) {
        if (!is_height(s, s->row[i])) continue;
        double left;
        int x = interval_of(i, step[0], map->width, &left);
        for (int corner = 0; corner < 4; corner++) {
            double weight = (corner & 1 ? 1 - left : left) * (corner & 2 ? 1 - below : below);
            if (weight <= 0) continue;
            size_t at = (size_t)(y + (corner >> 1)) * (size_t)map->width + (size_t)(x + (corner & 1));
            to->height[at] += weight * s->row[i];
            to->weight[at] += weight;
        }
    }
}

/* Allocates map->heights and fills them with means over `step` pixels along x and y; NAN, counted in map->missing,
   where none of these has a height. Needs the survey of all values, and the size of the map; map->missing must be 0.
   The caller frees the map, also after a failure. */
static rn_result average(survey *s, const double step[2], rn_heightmap *map) {
    size_t count = (size_t)map->width * (size_t)map->height;
    sums to = {rn_alloc(NULL, count, sizeof *to.height), rn_alloc(NULL, count, sizeof *to.weight)};
    map->heights = rn_alloc(NULL, count, sizeof *map->heights);
    rn_result result = to.height && to.weight && map->heights ? RN_OK : RN_MEMORY;
    for (int row = 0; row < s->area.height && result == RN_OK; row++) {
        result = read_row(s, row);
        if (result == RN_OK) add_row(s, step, row, map, &to);
    }
    for (size_t i = 0; i < count && result == RN_OK; i++) {
        bool known = to.weight[i] > 0;
        map->heights[i] = known ? (float)(to.height[i] / to.weight[i]) : NAN;
        map->missing += !known;
    }
    rn_free(NULL, to.height);
    rn_free(NULL, to.weight);
    return result;
}

rn_result rn_raster_sample(const rn_raster *raster, const rn_heightmap_def *def, rn_raster_findings *found,
                           rn_heightmap *map) {
    survey s = {.raster = raster, .nodata = def->nodata};
    rn_result result = choose_window(raster, def, &s.area);
    if (result != RN_OK) return result;
    double step[2];
    choose_steps(raster, def, &s.area, step);
    s.row = rn_alloc(NULL, (size_t)s.area.width, sizeof *s.row);
    if (!s.row) return RN_MEMORY;
    result = survey_all(&s);
    map->width = count_steps(s.area.width, step[0]);
    map->height = count_steps(s.area.height, step[1]);
    map->spacing_x = raster->spacing_x * step[0];
    map->spacing_y = raster->spacing_y * step[1];
    map->west = raster->spacing_x * s.area.first_x;
    map->south = raster->spacing_y * s.area.first_y;
    if (result == RN_OK) result = average(&s, step, map);
    *found = s.found;
    rn_free(NULL, s.row);
    return result;
}

/* The index of the sample at or before a position (in samples, clamped to the `count` there are) along one axis; *part:
   how far the position is towards the next, 0 to 1. */
static int sample_before(double at, int count, float *part) {
    at = fmin(fmax(at, 0), count - 1);
    int index = (int)at;
    *part = (float)(at - index);
    return index;
}

rn_result rn_heightmap_resize(rn_heightmap *map, int width, int height, double step_x, double step_y) {
    float *heights = rn_alloc(NULL, (size_t)width * (size_t)height, sizeof *heights);
    if (!heights) return RN_MEMORY;
    for (int y = 0; y < height; y++) {
        float v, u;
        int row = sample_before((y + 0.5) * step_y - 0.5, map->height, &v);
        const float *low = map->heights + (size_t)row * (size_t)map->width;
        const float *high = low + (row + 1 < map->height ? map->width : 0);
        for (int x = 0; x < width; x++) {
            int left = sample_before((x + 0.5) * step_x - 0.5, map->width, &u), right = left + (left + 1 < map->width);
            heights[(size_t)y * (size_t)width + (size_t)x] =
                (1 - v) * ((1 - u) * low[left] + u * low[right]) + v * ((1 - u) * high[left] + u * high[right]);
        }
    }
    rn_free(NULL, map->heights);
    map->heights = heights;
    map->width = width;
    map->height = height;
    map->spacing_x *= step_x;
    map->spacing_y *= step_y;
    return RN_OK;
}
