/* Files of heights: what each kind gives, what is made of gaps, and that damaged ones cost a sentence. */
#include "scratch.h"
#include "timed.h"

#include <math.h>
#include <runnel/runnel.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>
#ifndef _WIN32
#include <sys/resource.h>
#endif

static char told[2048]; /* what the last reading logged */

static void listen(void *user, rn_log_level level, const char *text) {
    (void)user;
    size_t used = strlen(told);
    snprintf(told + used, sizeof told - used, "%s %s\n", level == RN_LOG_WARNING ? "warning:" : "info:", text);
}

static rn_heightmap_def reading(const char *path) {
    rn_heightmap_def def = rn_heightmap_default();
    told[0] = 0;
    def.path = path;
    def.hooks.log = listen;
    return def;
}

/* The file of that name in the test's folder. */
static rn_heightmap must_read(const char *name) {
    rn_heightmap map;
    rn_heightmap_def def = reading(in_folder(name));
    if (rn_heightmap_read(&def, &map) != RN_OK) fail_msg("%s", rn_last_error());
    return map;
}

static void must_refuse(const rn_heightmap_def *def, rn_result result, const char *phrase) {
    rn_heightmap map;
    assert_int_equal(rn_heightmap_read(def, &map), result);
    assert_null(map.heights);
    if (!strstr(rn_last_error(), phrase)) fail_msg("\"%s\" has no \"%s\"", rn_last_error(), phrase);
}

static void write_bytes(const char *name, const void *bytes, size_t size) {
    FILE *file = fopen(in_folder(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void write_text(const char *name, const char *text) { write_bytes(name, text, strlen(text)); }

static void write_grid(const char *name, int columns, int rows, double cell, const char *more, const char *values) {
    char text[4096];
    snprintf(text, sizeof text, "ncols %d\nnrows %d\nxllcorner 1000\nyllcorner 2000\ncellsize %.12g\n%s%s\n", columns,
             rows, cell, more, values);
    write_text(name, text);
}

static void assert_heights(const rn_heightmap *map, int width, int height, const float *expected) {
    assert_int_equal(map->width, width);
    assert_int_equal(map->height, height);
    for (int i = 0; i < width * height; i++)
        if (!(fabsf(map->heights[i] - expected[i]) <= 1e-5f * fabsf(expected[i])))
            fail_msg("height %d is %.9g, not %.9g", i, (double)map->heights[i], (double)expected[i]);
}

static bool reads_more_than_pictures(void) {
    write_grid("probe.asc", 1, 1, 1, "", "1");
    rn_heightmap map;
    rn_heightmap_def def = reading(in_folder("probe.asc"));
    bool reads = rn_heightmap_read(&def, &map) == RN_OK;
    if (!reads && !strstr(rn_last_error(), "GDAL")) fail_msg("%s", rn_last_error());
    rn_heightmap_free(&map);
    return reads;
}

#define NEEDS_GDAL()                                                                                                   \
    do {                                                                                                               \
        if (!reads_more_than_pictures()) skip();                                                                       \
    } while (0)

/* ---- ESRI ASCII ---- */

static void grids_are_read_as_they_are(void **state) {
    (void)state;
    NEEDS_GDAL();
    write_grid("plain.asc", 3, 2, 12.5, "", "1 2.25 -3\n1700.0625 8848 0");
    rn_heightmap map = must_read("plain.asc");
    const float expected[] = {1700.0625f, 8848, 0, 1, 2.25f, -3};
    assert_int_equal(map.width, 3);
    assert_int_equal(map.height, 2);
    assert_memory_equal(map.heights, expected, sizeof expected);
    assert_true(map.spacing_x == 12.5 && map.spacing_y == 12.5);
    assert_true(map.west == 1000 && map.south == 2000);
    assert_string_equal(map.reference, "");
    assert_int_equal(map.missing, 0);
    assert_string_equal(told, "");
    rn_heightmap_free(&map);
}

typedef struct gap_case {
    const char *more, *value, *phrase;
    int missing;
} gap_case;

/* A hill of 100 to 108 m with one odd value in its middle. */
static void gaps_are_found_and_filled(void **state) {
    (void)state;
    NEEDS_GDAL();
    static const gap_case cases[] = {
        {"NODATA_value -9999\n", "-9999", "(1 declared)", 1},
        {"NODATA_value 7\n", "7", "(1 declared)", 1},
        {"", "-9999", "(1 -9999 or the like)", 1},
        {"", "-32768", "(1 -9999 or the like)", 1},
        {"", "-32767", "(1 -9999 or the like)", 1},
        {"NODATA_value 1\n", "-9999", "(1 -9999 or the like)", 1},
        {"", "3.4028235e38", "(1 absurd)", 1},
        {"", "-3.4028235e38", "(1 absurd)", 1},
        {"", "nan", "(1 not finite)", 1},
        {"", "inf", "(1 absurd)", 1}, /* GDAL makes it the largest float */
        {"", "1e9", "(1 absurd)", 1},
        {"", "8000", "(1 lone spikes)", 1},
        {"", "-2500", "(1 lone spikes)", 1},
        {"", "104.5", "", 0},
        {"", "400", "", 0}, /* a tower, perhaps */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char values[256];
        snprintf(values, sizeof values, "100.5 101 102\n103 %s 105\n106 107 108", cases[i].value);
        write_grid("gap.asc", 3, 3, 10, cases[i].more, values);
        rn_heightmap map = must_read("gap.asc");
        if (map.missing != cases[i].missing || !strstr(told, cases[i].phrase))
            fail_msg("case %zu: %d missing, told \"%s\"", i, (int)map.missing, told);
        if (cases[i].missing) {
            assert_non_null(strstr(told, "warning: "));
            assert_non_null(strstr(told, "11.1 % of its pixels are without data"));
            assert_non_null(strstr(told, "got heights from around"));
            assert_true(map.heights[4] > 102 && map.heights[4] < 106);
        }
        assert_true(map.heights[6] == 100.5f && map.heights[2] == 108 && map.heights[3] == 103);
        rn_heightmap_free(&map);
    }
}

static void trenches_are_no_gaps(void **state) {
    (void)state;
    NEEDS_GDAL();
    write_grid("trench.asc", 3, 1, 1000, "", "-9600 -9999 -9800");
    rn_heightmap map = must_read("trench.asc");
    const float expected[] = {-9600, -9999, -9800};
    assert_heights(&map, 3, 1, expected);
    assert_int_equal(map.missing, 0);
    rn_heightmap_free(&map);
}

/* Most of a map, far from what is known, as at the sea; the land ends in a cliff of up to 80 m. */
static void large_gaps_are_filled_smoothly(void **state) {
    (void)state;
    NEEDS_GDAL();
    enum { SIDE = 40 };
    static char text[SIDE * SIDE * 8 + 128];
    snprintf(text, sizeof text, "ncols 40\nnrows 40\nxllcorner 0\nyllcorner 0\ncellsize 10\n");
    for (int i = 0; i < SIDE * SIDE; i++) {
        size_t used = strlen(text);
        int x = i % SIDE, y = i / SIDE;
        snprintf(text + used, sizeof text - used, "%d ", x < 12 && y < 30 ? 50 + x * y / 4 : -32767);
    }
    strcat(text, "\n");
    write_text("sea.asc", text);
    rn_heightmap map = must_read("sea.asc");
    assert_int_equal(map.missing, SIDE * SIDE - 12 * 30);
    assert_non_null(strstr(told, "77.5 % of its pixels"));
    for (int i = 0; i < SIDE * SIDE; i++) {
        assert_true(map.heights[i] >= 50 && map.heights[i] <= 129);
        if (i % SIDE > 0) assert_true(fabsf(map.heights[i] - map.heights[i - 1]) < 16);
    }
    rn_heightmap_free(&map);
}

static void gaps_may_be_pits_or_walls(void **state) {
    (void)state;
    NEEDS_GDAL();
    write_grid("two.asc", 2, 2, 10, "NODATA_value -1\n", "-1 4\n9 5");
    const float low[] = {9, 5, 4, 4}, high[] = {9, 5, 9, 4};
    for (int i = 0; i < 2; i++) {
        rn_heightmap map;
        rn_heightmap_def def = reading(in_folder("two.asc"));
        def.missing = i ? RN_MISSING_HIGHEST : RN_MISSING_LOWEST;
        assert_int_equal(rn_heightmap_read(&def, &map), RN_OK);
        assert_heights(&map, 2, 2, i ? high : low);
        assert_int_equal(map.missing, 1);
        rn_heightmap_free(&map);
    }
    rn_heightmap_def def = reading(in_folder("two.asc"));
    rn_heightmap map;
    def.nodata = 9;
    assert_int_equal(rn_heightmap_read(&def, &map), RN_OK);
    assert_int_equal(map.missing, 2);
    rn_heightmap_free(&map);
    write_grid("none.asc", 2, 1, 10, "NODATA_value -1\n", "-1 -1");
    def = reading(in_folder("none.asc"));
    must_refuse(&def, RN_FORMAT, "all of its pixels are without data");
}

/* ---- Crops and other resolutions ---- */

/* 4 by 4, 10 m apart; in the result 0 1 2 3 is the southern row. */
static rn_heightmap_def ladder(void) {
    write_grid("ladder.asc", 4, 4, 10, "", "12 13 14 15\n8 9 10 11\n4 5 6 7\n0 1 2 3");
    return reading(in_folder("ladder.asc"));
}

static void crops_keep_whole_pixels(void **state) {
    (void)state;
    NEEDS_GDAL();
    rn_heightmap map;
    rn_heightmap_def def = ladder();
    memcpy(def.crop, (double[]){10, 10, 30, 40}, sizeof def.crop);
    assert_int_equal(rn_heightmap_read(&def, &map), RN_OK);
    const float inner[] = {5, 6, 9, 10, 13, 14};
    assert_heights(&map, 2, 3, inner);
    assert_true(map.west == 1010 && map.south == 2010);
    rn_heightmap_free(&map);
    memcpy(def.crop, (double[]){-100, 31, 12, 100}, sizeof def.crop);
    assert_int_equal(rn_heightmap_read(&def, &map), RN_OK);
    const float corner[] = {12, 13};
    assert_heights(&map, 2, 1, corner);
    rn_heightmap_free(&map);
    memcpy(def.crop, (double[]){40, 0, 60, 10}, sizeof def.crop);
    must_refuse(&def, RN_INVALID, "misses the map, which is 40 by 40 m");
    memcpy(def.crop, (double[]){20, 0, 10, 10}, sizeof def.crop);
    must_refuse(&def, RN_INVALID, "from south-west to north-east");
}

static void coarser_maps_are_averages(void **state) {
    (void)state;
    NEEDS_GDAL();
    rn_heightmap map;
    rn_heightmap_def def = ladder();
    def.resample = 20;
    assert_int_equal(rn_heightmap_read(&def, &map), RN_OK);
    const float halves[] = {2.5f, 4.5f, 10.5f, 12.5f};
    assert_heights(&map, 2, 2, halves);
    assert_true(map.spacing_x == 20 && map.spacing_y == 20);
    rn_heightmap_free(&map);
    def.resample = 15; /* 1.5 pixels: 0 and half of 1; the other half of 1, and 2; 3 */
    assert_int_equal(rn_heightmap_read(&def, &map), RN_OK);
    const float x[] = {0.5f / 1.5f, 2.5f / 1.5f, 3};
    float expected[9];
    for (int i = 0; i < 9; i++) expected[i] = x[i % 3] + 4 * x[i / 3];
    assert_heights(&map, 3, 3, expected);
    assert_true(map.spacing_x == 15);
    rn_heightmap_free(&map);
    def.resample = 20;
    def.nodata = 5;
    assert_int_equal(rn_heightmap_read(&def, &map), RN_OK);
    const float without[] = {5.0f / 3, 4.5f, 10.5f, 12.5f};
    assert_heights(&map, 2, 2, without);
    assert_int_equal(map.missing, 0);
    rn_heightmap_free(&map);
    def = ladder();
    def.most = 4;
    assert_int_equal(rn_heightmap_read(&def, &map), RN_OK);
    assert_heights(&map, 2, 2, halves);
    assert_non_null(strstr(told, "averaged to 2 by 2 heights"));
    rn_heightmap_free(&map);
}

/* A step beyond all pixels leaves one height. */
static void steps_may_be_longer_than_the_map(void **state) {
    (void)state;
    NEEDS_GDAL();
    rn_heightmap map;
    rn_heightmap_def def = ladder();
    def.resample = 1e9;
    assert_int_equal(rn_heightmap_read(&def, &map), RN_OK);
    const float mean = 7.5f;
    assert_heights(&map, 1, 1, &mean);
    rn_heightmap_free(&map);
}

static void finer_maps_are_straight_in_between(void **state) {
    (void)state;
    NEEDS_GDAL();
    rn_heightmap map;
    rn_heightmap_def def = ladder();
    def.resample = 5;
    assert_int_equal(rn_heightmap_read(&def, &map), RN_OK);
    const float x[] = {0, 0.25f, 0.75f, 1.25f, 1.75f, 2.25f, 2.75f, 3};
    float expected[64];
    for (int i = 0; i < 64; i++) expected[i] = x[i % 8] + 4 * x[i / 8];
    assert_heights(&map, 8, 8, expected);
    assert_true(map.spacing_x == 5);
    rn_heightmap_free(&map);
    def.resample = 1e-3;
    must_refuse(&def, RN_LIMIT, "at 0.001 m it would have 40000 by 40000 heights");
}

/* ---- GeoTIFF, written here tag by tag ---- */

typedef struct tiff {
    uint8_t bytes[4096];
    uint32_t size;
    uint16_t tags;
    uint32_t data; /* where the next value goes */
} tiff;

static void put(tiff *t, uint32_t at, const void *value, uint32_t size) {
    assert_true(at + size <= sizeof t->bytes);
    memcpy(t->bytes + at, value, size); /* little-endian, as are the machines that run this */
    if (at + size > t->size) t->size = at + size;
}

static void tag(tiff *t, uint16_t number, uint16_t type, uint32_t count, const void *values) {
    static const uint32_t sizes[] = {0, 1, 1, 2, 4, [12] = 8};
    uint32_t at = 10 + 12u * t->tags++, size = count * sizes[type], place = at + 8;
    if (size > 4) {
        place = t->data;
        t->data += (size + 7) & ~7u;
        put(t, at + 8, &place, 4);
    }
    put(t, at, &number, 2);
    put(t, at + 2, &type, 2);
    put(t, at + 4, &count, 4);
    put(t, place, values, size);
}

static void tag_number(tiff *t, uint16_t number, uint32_t value) { tag(t, number, 4, 1, &value); }

/* `matrix` takes column and row to coordinates: x = m0 + m1 column + m2 row, y = m3 + m4 column + m5 row. */
static void write_tiff(const char *name, int width, int height, const float *values, const double matrix[6],
                       uint16_t epsg, bool geographic) {
    tiff t = {.data = 1024};
    const uint16_t key = geographic ? 2048 : 3072, model = geographic ? 2 : 1;
    const uint16_t keys[] = {1, 1, 0, 3, 1024, 0, 1, model, 1025, 0, 1, 1, key, 0, 1, epsg};
    const double full[16] = {matrix[1], matrix[2], 0, matrix[0], matrix[4], matrix[5], 0, matrix[3], [15] = 1};
    const uint32_t start = 8, pixels = 2048, size = (uint32_t)(width * height) * 4;
    put(&t, 0, "II*\0", 4);
    put(&t, 4, &start, 4);
    tag_number(&t, 256, (uint32_t)width);
    tag_number(&t, 257, (uint32_t)height);
    tag_number(&t, 258, 32);
    tag_number(&t, 259, 1);
    tag_number(&t, 262, 1);
    tag_number(&t, 273, pixels);
    tag_number(&t, 277, 1);
    tag_number(&t, 278, (uint32_t)height);
    tag_number(&t, 279, size);
    tag_number(&t, 339, 3);
    tag(&t, 34264, 12, 16, full);
    tag(&t, 34735, 3, 16, keys);
    put(&t, 8, &t.tags, 2);
    put(&t, pixels, values, size);
    write_bytes(name, t.bytes, t.size);
}

static const float ramp[] = {1.5f, 2, 3, 40.25f, 50, 60}; /* 3 by 2 */
static const float ramp_from_south[] = {40.25f, 50, 60, 1.5f, 2, 3};

static void tiffs_are_read_whichever_way_they_lie(void **state) {
    (void)state;
    NEEDS_GDAL();
    const double usual[] = {440720, 60, 0, 3751320, 0, -60}, south_first[] = {440720, 60, 0, 3751200, 0, 60};
    const double east_first[] = {440900, -60, 0, 3751320, 0, -60};
    const float flipped[] = {40.25f, 50, 60, 1.5f, 2, 3}, mirrored[] = {3, 2, 1.5f, 60, 50, 40.25f};
    write_tiff("usual.tif", 3, 2, ramp, usual, 32611, false);
    write_tiff("south.tif", 3, 2, flipped, south_first, 32611, false);
    write_tiff("east.tif", 3, 2, mirrored, east_first, 32611, false);
    static const char *const names[] = {"usual.tif", "south.tif", "east.tif"};
    static const char *const phrases[] = {"", "from south to north", "from east to west"};
    for (int i = 0; i < 3; i++) {
        rn_heightmap map = must_read(names[i]);
        assert_heights(&map, 3, 2, ramp_from_south);
        assert_true(map.spacing_x == 60 && map.spacing_y == 60);
        assert_true(map.west == 440720 && map.south == 3751200);
        assert_string_equal(map.reference, "EPSG:32611");
        assert_non_null(strstr(told, phrases[i]));
        rn_heightmap_free(&map);
    }
}

static void infinities_are_gaps(void **state) {
    (void)state;
    NEEDS_GDAL();
    const double usual[] = {0, 60, 0, 0, 0, -60};
    const float values[] = {1, INFINITY, 3, 4, -INFINITY, 6, 7, NAN, 9};
    write_tiff("infinite.tif", 3, 3, values, usual, 32611, false);
    rn_heightmap map = must_read("infinite.tif");
    assert_int_equal(map.missing, 3);
    assert_non_null(strstr(told, "(3 not finite)"));
    for (int i = 0; i < 9; i++) assert_true(map.heights[i] >= 1 && map.heights[i] <= 9);
    rn_heightmap_free(&map);
}

static void turned_maps_are_refused(void **state) {
    (void)state;
    NEEDS_GDAL();
    const double turned[] = {0, 8, 6, 0, 6, -8};
    write_tiff("turned.tif", 3, 2, ramp, turned, 32611, false);
    rn_heightmap_def def = reading(in_folder("turned.tif"));
    must_refuse(&def, RN_FORMAT, "turned by 36.9 degrees");
}

static void pixels_may_be_oblong(void **state) {
    (void)state;
    NEEDS_GDAL();
    const double oblong[] = {0, 20, 0, 0, 0, -50};
    write_tiff("oblong.tif", 3, 2, ramp, oblong, 32611, false);
    rn_heightmap map = must_read("oblong.tif");
    assert_true(map.spacing_x == 20 && map.spacing_y == 50);
    rn_heightmap_free(&map);
    rn_heightmap_def def = reading(in_folder("oblong.tif"));
    def.resample = 30;
    assert_int_equal(rn_heightmap_read(&def, &map), RN_OK);
    assert_int_equal(map.width, 2);
    assert_int_equal(map.height, 4);
    assert_true(fabs(map.spacing_x - 30) < 1e-9 && fabs(map.spacing_y - 30) < 1e-9);
    rn_heightmap_free(&map);
}

/* m of a degree at a latitude, from the radii of curvature of the ellipsoid. */
static void degree(double latitude, double *east, double *north) {
    const double a = 6378137, e2 = 0.00669437999, rad = acos(-1) / 180, s = sin(latitude * rad);
    const double root = sqrt(1 - e2 * s * s);
    *north = rad * a * (1 - e2) / (root * root * root);
    *east = rad * a / root * cos(latitude * rad);
}

static void assert_degrees(const rn_heightmap *map, double latitude, double pixel) {
    double east, north;
    degree(latitude, &east, &north);
    assert_true(fabs(map->spacing_x - pixel * east) < 1e-4 * pixel * east);
    assert_true(fabs(map->spacing_y - pixel * north) < 1e-4 * pixel * north);
    assert_non_null(strstr(told, "in degrees"));
}

static void degrees_become_metres(void **state) {
    (void)state;
    NEEDS_GDAL();
    const double pixel = 1.0 / 1200, place[] = {10, pixel, 0, 60, 0, -pixel};
    write_tiff("globe.tif", 3, 2, ramp, place, 4326, true);
    rn_heightmap map = must_read("globe.tif");
    assert_degrees(&map, 60 - pixel, pixel);
    assert_string_equal(map.reference, "EPSG:4326");
    rn_heightmap_free(&map);
    write_text("guess.asc", "ncols 2\nnrows 2\nxllcorner -105\nyllcorner 40\ncellsize 0.001\n1700 1800\n1900 2000\n");
    map = must_read("guess.asc");
    assert_degrees(&map, 40.001, 0.001);
    assert_non_null(strstr(told, "warning: "));
    rn_heightmap_free(&map);
    write_text("bench.asc", "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 0.001\n0.01 0.02\n0.01 0.02\n");
    map = must_read("bench.asc"); /* a table in a laboratory */
    assert_true(map.spacing_x == 0.001);
    rn_heightmap_free(&map);
}

static void shuttle_tiles_are_read(void **state) {
    (void)state;
    NEEDS_GDAL();
    enum { SIDE = 1201 };
    uint8_t *bytes = calloc(SIDE * SIDE, 2);
    assert_non_null(bytes);
    for (int i = 0; i < SIDE * SIDE; i++) {
        int height = i < 3 ? -32768 : 300 + i % SIDE; /* voids in the north-west corner */
        bytes[2 * i] = (uint8_t)((unsigned)height >> 8);
        bytes[2 * i + 1] = (uint8_t)height;
    }
    write_bytes("N60E010.hgt", bytes, (size_t)SIDE * SIDE * 2);
    free(bytes);
    rn_heightmap map = must_read("N60E010.hgt");
    assert_int_equal(map.width, SIDE);
    assert_int_equal(map.height, SIDE);
    assert_int_equal(map.missing, 3);
    assert_true(map.heights[0] == 300 && map.heights[1200] == 1500);
    assert_degrees(&map, 60.5, 1.0 / 1200);
    rn_heightmap_free(&map);
}

/* ---- Pictures ---- */

static void pictures_may_hold_metres(void **state) {
    (void)state;
    uint8_t rgb[2 * 2 * 3];
    const uint8_t grey[] = {0, 100, 200, 255};
    for (int i = 0; i < 12; i++) rgb[i] = grey[i / 3];
    assert_int_equal(rn_png_write(in_folder("grey.png"), rgb, 2, 2), RN_OK);
    rn_heightmap map;
    rn_heightmap_def def = reading(in_folder("grey.png"));
    def.low = 7;
    def.grey_level = 0.5;
    def.spacing = 4;
    assert_int_equal(rn_heightmap_read(&def, &map), RN_OK);
    const float metres[] = {107, 134.5f, 7, 57};
    assert_heights(&map, 2, 2, metres);
    assert_true(map.spacing_x == 4);
    rn_heightmap_free(&map);
    def.nodata = 7;
    def.missing = RN_MISSING_HIGHEST;
    assert_int_equal(rn_heightmap_read(&def, &map), RN_OK);
    const float walled[] = {107, 134.5f, 134.5f, 57};
    assert_heights(&map, 2, 2, walled);
    rn_heightmap_free(&map);
    def = reading(in_folder("grey.png"));
    def.resample = 1;
    must_refuse(&def, RN_INVALID, "does not say how large its pixels are");
}

/* ---- In scenes ---- */

/* Height of a scene's ground, from where its solid begins. */
static double ground(const rn_sdf *solid, double x, double y) {
    double low = -1e4, high = 1e4;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (rn_sdf_distance(solid, (rn_vec3){x, y, middle}) > 0) high = middle;
        else low = middle;
    }
    return low;
}

static rn_scene *open_scene(const char *shape) {
    char text[1024];
    snprintf(text, sizeof text,
             "{\"grid\": {\"cells\": [20, 20], \"cell\": 1}, \"solid\": {\"type\": \"heightmap\", %s}}", shape);
    write_text("scene.json", text);
    static char path[512];
    snprintf(path, sizeof path, "%s", in_folder("scene.json"));
    told[0] = 0;
    rn_scene *scene = NULL;
    const rn_scene_def def = {.path = path, .keep_solid = true, .threads = 1, .hooks.log = listen};
    if (rn_scene_open(&def, &scene) != RN_OK) fail_msg("%s", rn_last_error());
    return scene;
}

static void assert_ground(const char *shape, double x, double y, double height) {
    rn_scene *scene = open_scene(shape);
    double found = ground(rn_scene_solid(scene), x, y);
    if (fabs(found - height) > 1e-4)
        fail_msg("%s: the ground at %g, %g is at %.7g, not %.7g", shape, x, y, found, height);
    rn_scene_close(scene);
}

static void scenes_use_terrains(void **state) {
    (void)state;
    NEEDS_GDAL();
    write_grid("ground.asc", 2, 2, 10, "NODATA_value -9999\n", "1702 1703\n1700 1701");
#define FILE_KEY "\"file\": \"ground.asc\""
    assert_ground(FILE_KEY, 0, 0, 1700);
    assert_ground(FILE_KEY, 10, 0, 1701);
    assert_ground(FILE_KEY, 5, 10, 1702.5);
    assert_ground(FILE_KEY ", \"origin\": [5, 5]", 5, 15, 1702);
    assert_ground(FILE_KEY ", \"spacing\": 4", 4, 4, 1703);
    assert_ground(FILE_KEY ", \"datum\": \"lowest\"", 10, 10, 3);
    assert_ground(FILE_KEY ", \"exaggerate\": 2", 10, 10, 1706);
    assert_ground(FILE_KEY ", \"exaggerate\": 2, \"datum\": \"lowest\"", 10, 10, 6);
    assert_ground(FILE_KEY ", \"crop\": [0, 10, 20, 20]", 10, 0, 1703);
    assert_ground(FILE_KEY ", \"resample\": 20", 10, 0, 1701.5);
    assert_ground(FILE_KEY ", \"nodata\": 1700, \"nodata_fill\": \"highest\"", 0, 0, 1703);
    assert_non_null(strstr(told, "25 % of its pixels"));
    /* fitted to 20 m, of which it has 20; and with pixels of 40 m to a quarter, heights above the lowest too */
    assert_ground(FILE_KEY ", \"fit\": true", 15, 15, 1703);
    assert_ground(FILE_KEY ", \"fit\": true, \"spacing\": 40", 15, 15, 1700.75);
    write_tiff("tall.tif", 1, 2, (float[]){10, 20}, (double[]){0, 10, 0, 0, 0, -20}, 32611, false);
    assert_ground("\"file\": \"tall.tif\"", 0, 0, 20); /* 10 by 20 m: rows 10 m apart, at 5, 15, 25, 35 m */
    assert_ground("\"file\": \"tall.tif\"", 0, 10, 17.5);
}

/* ---- What others wrote ---- */

static const char *shared(const char *name) {
    static char path[1024];
    const char *given = getenv("RUNNEL_DATA");
    snprintf(path, sizeof path, "%s/%s", given ? given : "../shared/data", name);
    return path;
}

#define NEEDS_SHARED(folder)                                                                                           \
    do {                                                                                                               \
        DIR *there = opendir(shared(folder));                                                                          \
        if (!there) skip();                                                                                            \
        closedir(there);                                                                                               \
        NEEDS_GDAL();                                                                                                  \
    } while (0)

/* As MANIFEST.tsv has them. */
static void terrains_of_others_are_read(void **state) {
    (void)state;
    NEEDS_SHARED("terrain");
    static const struct {
        const char *name;
        int width, height;
        double low, high, spacing;
    } files[] = {{"terrain/DEM-kootenai_37x50_1x1.asc", 50, 37, 537.36, 543.81, 1},
                 {"terrain/gdal_float32.tif", 20, 20, 74, 255, 60},
                 {"terrain/gdal_withnodata.asc", 2, 2, 0, 0, 60},
                 {"terrain/hugo_site.asc", 76, 55, 1660, 1711, 10},
                 {"terrain/merewether_topography1.tif", 321, 416, 16.473, 51.969, 1},
                 {"terrain/srtm_front_range_canyon_u16.png", 240, 144, 1943, 3286, 0}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        rn_heightmap map;
        rn_heightmap_def def = reading(shared(files[i].name));
        def.grey_level = 1;
        if (rn_heightmap_read(&def, &map) != RN_OK) fail_msg("%s", rn_last_error());
        float low = INFINITY, high = -INFINITY;
        for (int k = 0; k < map.width * map.height; k++) {
            low = fminf(low, map.heights[k]);
            high = fmaxf(high, map.heights[k]);
        }
        if (map.width != files[i].width || map.height != files[i].height || fabs((double)low - files[i].low) > 0.001 ||
            fabs((double)high - files[i].high) > 0.001 || fabs(map.spacing_x - files[i].spacing) > 0.001)
            fail_msg("%s: %d by %d from %g to %g m, %g m apart", files[i].name, map.width, map.height, (double)low,
                     (double)high, map.spacing_x);
        rn_heightmap_free(&map);
    }
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void damaged_files_cost_a_sentence(void **state) {
    (void)state;
    NEEDS_SHARED("bad_terrain");
    static const struct {
        const char *name;
        rn_result result;
        const char *phrase;
    } files[] = {{"bad_terrain/aaigrid_nodata_nan.asc", RN_FORMAT, "row 2 of 2 cannot be read"},
                 {"bad_terrain/byte_truncated.tif", RN_FORMAT, "row 20 of 20 cannot be read"},
                 {"bad_terrain/huge4GB.tif", RN_FORMAT, "row 65535 of 65535 cannot be read"},
                 {"bad_terrain/nan32.tif", RN_OK, "10 % of its pixels are without data (10 not finite)"},
                 {"bad_terrain/png_idat_broken.png", RN_FORMAT, "the picture is cut short"},
                 {"bad_terrain/toomanyblocks.tif", RN_FORMAT, "Too many blocks"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        rn_heightmap map;
        rn_heightmap_def def = reading(shared(files[i].name));
        double start = seconds();
        rn_result result = rn_heightmap_read(&def, &map);
        ASSERT_QUICK(seconds() - start, 10);
        if (result != files[i].result || !strstr(result == RN_OK ? told : rn_last_error(), files[i].phrase))
            fail_msg("%s: %d, %s%s", files[i].name, (int)result, told, rn_last_error());
        rn_heightmap_free(&map);
    }
#ifndef _WIN32
    struct rusage used;
    assert_int_equal(getrusage(RUSAGE_CHILDREN, &used), 0);
    assert_true(used.ru_maxrss < 1 << 20); /* KiB */
#endif
}

static void what_is_no_terrain_is_refused(void **state) {
    (void)state;
    rn_heightmap_def def = reading(in_folder("nowhere.tif"));
    must_refuse(&def, RN_FILE, "cannot be read: No such file");
    def = reading(folder);
    must_refuse(&def, RN_FILE, "cannot be read: "); /* systems have different words for it */
    write_text("empty.tif", "");
    def = reading(in_folder("empty.tif"));
    must_refuse(&def, RN_FORMAT, "is empty");
    NEEDS_GDAL();
    write_text("note.txt", "no heights here\n");
    def = reading(in_folder("note.txt"));
    must_refuse(&def, RN_FORMAT, "is neither a PNG picture nor a terrain that GDAL can read");
    char text[1024];
    write_grid("real.asc", 1, 1, 1, "", "5");
    snprintf(
        text, sizeof text,
        "<VRTDataset rasterXSize=\"1\" rasterYSize=\"1\"><VRTRasterBand dataType=\"Byte\" band=\"1\"><SimpleSource>"
        "<SourceFilename relativeToVRT=\"1\">real.asc</SourceFilename></SimpleSource></VRTRasterBand></VRTDataset>");
    write_text("names-others.vrt", text);
    def = reading(in_folder("names-others.vrt"));
    must_refuse(&def, RN_FORMAT, "is neither");
    def.crop[0] = NAN;
    must_refuse(&def, RN_INVALID, "must be finite");
}

static int begin(void **state) {
    (void)state;
    return make_folder("terrains");
}

static int end(void **state) {
    (void)state;
    return take_folder_away();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_are_read_as_they_are),
        cmocka_unit_test(gaps_are_found_and_filled),
        cmocka_unit_test(trenches_are_no_gaps),
        cmocka_unit_test(large_gaps_are_filled_smoothly),
        cmocka_unit_test(gaps_may_be_pits_or_walls),
        cmocka_unit_test(crops_keep_whole_pixels),
        cmocka_unit_test(coarser_maps_are_averages),
        cmocka_unit_test(steps_may_be_longer_than_the_map),
        cmocka_unit_test(finer_maps_are_straight_in_between),
        cmocka_unit_test(tiffs_are_read_whichever_way_they_lie),
        cmocka_unit_test(infinities_are_gaps),
        cmocka_unit_test(turned_maps_are_refused),
        cmocka_unit_test(pixels_may_be_oblong),
        cmocka_unit_test(degrees_become_metres),
        cmocka_unit_test(shuttle_tiles_are_read),
        cmocka_unit_test(pictures_may_hold_metres),
        cmocka_unit_test(scenes_use_terrains),
        cmocka_unit_test(terrains_of_others_are_read),
        cmocka_unit_test(damaged_files_cost_a_sentence),
        cmocka_unit_test(what_is_no_terrain_is_refused),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
