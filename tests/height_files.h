/* Files of heights that a test writes, what they are read as, and what is logged. */
#ifndef HEIGHT_FILES_H
#define HEIGHT_FILES_H

#include "scratch.h"

#include <math.h>
#include <runnel/runnel.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static char told[2048]; /* what the last reading logged */

static inline void listen(void *user, rn_log_level level, const char *text) {
    (void)user;
    size_t used = strlen(told);
    snprintf(told + used, sizeof told - used, "%s %s\n", level == RN_LOG_WARNING ? "warning:" : "info:", text);
}

static inline rn_heightmap_def reading(const char *path) {
    rn_heightmap_def def = rn_heightmap_default();
    told[0] = 0;
    def.path = path;
    def.hooks.log = listen;
    return def;
}

/* The file of that name in the test's folder. */
static inline rn_heightmap must_read(const char *name) {
    rn_heightmap map;
    rn_heightmap_def def = reading(in_folder(name));
    if (rn_heightmap_read(&def, &map) != RN_OK) fail_msg("%s", rn_last_error());
    return map;
}

static inline void must_refuse(const rn_heightmap_def *def, rn_result result, const char *phrase) {
    rn_heightmap map;
    assert_int_equal(rn_heightmap_read(def, &map), result);
    assert_null(map.heights);
    if (!strstr(rn_last_error(), phrase)) fail_msg("\"%s\" has no \"%s\"", rn_last_error(), phrase);
}

static inline void write_bytes(const char *name, const void *bytes, size_t size) {
    FILE *file = fopen(in_folder(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static inline void write_text(const char *name, const char *text) { write_bytes(name, text, strlen(text)); }

static inline void write_grid(const char *name, int columns, int rows, double cell, const char *more,
                              const char *values) {
    char text[4096];
    snprintf(text, sizeof text, "ncols %d\nnrows %d\nxllcorner 1000\nyllcorner 2000\ncellsize %.12g\n%s%s\n", columns,
             rows, cell, more, values);
    write_text(name, text);
}

static inline void assert_heights(const rn_heightmap *map, int width, int height, const float *expected) {
    assert_int_equal(map->width, width);
    assert_int_equal(map->height, height);
    for (int i = 0; i < width * height; i++)
        if (!(fabsf(map->heights[i] - expected[i]) <= 1e-5f * fabsf(expected[i])))
            fail_msg("height %d is %.9g, not %.9g", i, (double)map->heights[i], (double)expected[i]);
}

static inline bool reads_more_than_pictures(void) {
    write_text("probe.dem", "neither a picture nor a grid");
    rn_heightmap map;
    const rn_heightmap_def def = reading(in_folder("probe.dem"));
    return rn_heightmap_read(&def, &map) != RN_UNSUPPORTED;
}

#define NEEDS_GDAL()                                                                                                   \
    do {                                                                                                               \
        if (!reads_more_than_pictures()) skip();                                                                       \
    } while (0)

static inline int begin(void **state) {
    (void)state;
    return make_folder("terrains");
}

static inline int end(void **state) {
    (void)state;
    return take_folder_away();
}

#endif
