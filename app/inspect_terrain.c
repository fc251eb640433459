/* A terrain file: what is in it, and how large it is likely to be. */
#include "inspect.h"

#include "options.h"

#include <math.h>

bool inspect_is_terrain(const char *path) {
    static const char *const endings[] = {"png", "tif", "tiff", "asc", "hgt", "dem", "bil", "flt", "img", "grd"};
    for (size_t k = 0; k < sizeof endings / sizeof endings[0]; k++)
        if (inspect_has_ending(path, endings[k])) return true;
    return false;
}

static void log_warning(void *user, rn_log_level level, const char *text) {
    (void)level;
    inspect_warn(user, "%s", text);
}

static void measure_heights(inspection *i) {
    const rn_heightmap *map = &i->map;
    int64_t peak = 0;
    i->lowest = INFINITY;
    i->highest = -INFINITY;
    for (int64_t k = 0; k < (int64_t)map->width * map->height; k++) {
        const double height = (double)map->heights[k];
        if (height > i->highest) peak = k;
        i->lowest = fmin(i->lowest, height);
        i->highest = fmax(i->highest, height);
    }
    i->peak = (rn_vec3){(double)(peak % map->width) + 0.5, (double)(peak / map->width) + 0.5, i->highest - i->lowest};
}
