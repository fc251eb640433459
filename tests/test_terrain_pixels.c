/* Heights from pixels: what is made of gaps, crops and other resolutions. */
#include "height_files.h"

/* ---- Gaps ---- */

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
        {"", "inf", "(1 not finite)", 1},
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_are_found_and_filled),        cmocka_unit_test(trenches_are_no_gaps),
        cmocka_unit_test(large_gaps_are_filled_smoothly),   cmocka_unit_test(gaps_may_be_pits_or_walls),
        cmocka_unit_test(crops_keep_whole_pixels),          cmocka_unit_test(coarser_maps_are_averages),
        cmocka_unit_test(steps_may_be_longer_than_the_map), cmocka_unit_test(finer_maps_are_straight_in_between),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
