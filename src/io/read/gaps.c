/* Fills in heights that a map lacks, from those that it has. */
#include "io/read/raster.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

/* A map at half the resolution of another, and so on down to a single height. */
typedef struct level {
    float *heights;
    int width, height;
} level;

enum { MOST_LEVELS = 32, SMOOTHINGS = 16 };

/* The height at (x, y), NAN if missing; beyond the edges that of the nearest point. */
static float height_at(const level *l, int x, int y) {
    x = x < 0 ? 0 : x >= l->width ? l->width - 1 : x;
    y = y < 0 ? 0 : y >= l->height ? l->height - 1 : y;
    return l->heights[(size_t)y * (size_t)l->width + (size_t)x];
}

/* Creates a map of half as many heights along each axis, rounded up: means of the known ones among two by two, NAN if
   none is known. The caller frees coarse->heights. Returns false if memory runs out. */
static bool halve(const level *fine, level *coarse) {
    coarse->width = (fine->width + 1) / 2;
    coarse->height = (fine->height + 1) / 2;
    coarse->heights = rn_alloc(NULL, (size_t)coarse->width * (size_t)coarse->height, sizeof *coarse->heights);
    if (!coarse->heights) return false;
    for (int y = 0; y < coarse->height; y++)
        for (int x = 0; x < coarse->width; x++) {
            double sum = 0;
            int known = 0;
            for (int corner = 0; corner < 4; corner++) {
                float height = height_at(fine, 2 * x + (corner & 1), 2 * y + (corner >> 1));
                if (isnan(height)) continue;
                sum += (double)height;
                known++;
            }
            coarse->heights[(size_t)y * (size_t)coarse->width + (size_t)x] = known ? (float)(sum / known) : NAN;
        }
    return true;
}

/* Fills the missing heights of `fine` by linear interpolation of the coarse ones, of which none may be missing. */
static void fill_from(const level *coarse, level *fine) {
    for (int y = 0; y < fine->height; y++)
        for (int x = 0; x < fine->width; x++) {
            float *height = &fine->heights[(size_t)y * (size_t)fine->width + (size_t)x];
            if (!isnan(*height)) continue;
            int near_x = x / 2, near_y = y / 2, far_x = near_x + (x & 1 ? 1 : -1), far_y = near_y + (y & 1 ? 1 : -1);
            *height = (9 * height_at(coarse, near_x, near_y) + 3 * height_at(coarse, far_x, near_y) +
                       3 * height_at(coarse, near_x, far_y) + height_at(coarse, far_x, far_y)) /
                      16;
        }
}

/* Replaces filled-in heights (made_up[i] not 0) by the mean of the four around them, 16 times, which removes the steps
   that halving leaves. */
static void smooth(level *map, const uint8_t *made_up) {
    for (int round = 0; round < SMOOTHINGS; round++)
        for (int y = 0; y < map->height; y++)
            for (int x = 0; x < map->width; x++) {
                size_t i = (size_t)y * (size_t)map->width + (size_t)x;
                if (made_up[i])
                    map->heights[i] = (height_at(map, x - 1, y) + height_at(map, x + 1, y) + height_at(map, x, y - 1) +
                                       height_at(map, x, y + 1)) /
                                      4;
            }
}

/* Fills in missing heights from those around them, over any distance; at least one must be known. Returns RN_MEMORY if
   memory runs out; then the map is unchanged. */
static rn_result fill_around(rn_heightmap *map) {
    level levels[MOST_LEVELS] = {{map->heights, map->width, map->height}};
    int count = 1;
    size_t heights = (size_t)map->width * (size_t)map->height;
    uint8_t *made_up = rn_alloc(NULL, heights, 1);
    bool works = made_up != NULL;
    for (size_t i = 0; i < heights && works; i++) made_up[i] = (uint8_t)(isnan(map->heights[i]) != 0);
    while (works && (levels[count - 1].width > 1 || levels[count - 1].height > 1)) {
        works = halve(&levels[count - 1], &levels[count]);
        count += works;
    }
    for (int i = count - 1; i > 0; i--) {
        if (works) fill_from(&levels[i], &levels[i - 1]);
        rn_free(NULL, levels[i].heights);
    }
    if (works) smooth(&levels[0], made_up);
    rn_free(NULL, made_up);
    return works ? RN_OK : RN_MEMORY;
}

rn_result rn_heightmap_fill(rn_heightmap *map, rn_missing how) {
    size_t count = (size_t)map->width * (size_t)map->height;
    float low = INFINITY, high = -INFINITY;
    int64_t missing = 0;
    for (size_t i = 0; i < count; i++) {
        missing += isnan(map->heights[i]);
        low = fminf(low, map->heights[i]);
        high = fmaxf(high, map->heights[i]);
    }
    map->missing = missing;
    if (missing == 0) return RN_OK;
    if (missing == (int64_t)count) return rn_fail(RN_FORMAT, "the map has no heights at all");
    if (how == RN_MISSING_NAN) return RN_OK;
    if (how == RN_MISSING_AROUND) return fill_around(map);
    for (size_t i = 0; i < count; i++)
        if (isnan(map->heights[i])) map->heights[i] = how == RN_MISSING_LOWEST ? low : high;
    return RN_OK;
}

/* Compares floats, for qsort. */
static int by_height(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Whether a height differs by 500 m or more from each known neighbour (up to 8), and from their median by more than 500
   m plus ten times their range. Returns false with fewer than three known neighbours. The height itself must be
   known. */
static bool is_spike(const level *map, int x, int y) {
    const float own = height_at(map, x, y);
    float around[8];
    int count = 0;
    for (int i = 0; i < 9; i++) {
        int other_x = x + i % 3 - 1, other_y = y + i / 3 - 1;
        if (i == 4 || other_x < 0 || other_y < 0 || other_x >= map->width || other_y >= map->height) continue;
        float height = height_at(map, other_x, other_y);
        if (isnan(height)) continue;
        if (fabsf(height - own) < 500) return false;
        around[count++] = height;
    }
    if (count < 3) return false;
    qsort(around, (size_t)count, sizeof *around, by_height);
    return fabsf(own - around[count / 2]) > 500 + 10 * (around[count - 1] - around[0]);
}

int64_t rn_heightmap_drop_spikes(rn_heightmap *map) {
    const level whole = {map->heights, map->width, map->height};
    int64_t dropped = 0;
    for (int y = 0; y < map->height; y++)
        for (int x = 0; x < map->width; x++) {
            float *height = &map->heights[(size_t)y * (size_t)map->width + (size_t)x];
            if (isnan(*height) || !is_spike(&whole, x, y)) continue;
            *height = NAN;
            dropped++;
        }
    return dropped;
}
