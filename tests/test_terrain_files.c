/* Files of heights: what each kind gives, in scenes too, and that damaged ones cost a sentence. */
#include "height_files.h"
#include "timed.h"

#include <time.h>
#ifndef _WIN32
#include <sys/resource.h>
#endif

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

/* Text grids: nan and words, decimal commas, GRASS, no extension, a mark at the start; and cut ones. */
static void text_grids_are_read_carefully(void **state) {
    (void)state;
    write_text("nan.asc",
               "ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 2\nNODATA_value nan\nnan -1 0\n1 2 3\n");
    rn_heightmap map = must_read("nan.asc");
    assert_true(map.width == 3 && map.height == 2 && map.spacing_x == 2 && map.missing == 1);
    assert_true(map.heights[0] == 1 && map.heights[2] == 3 && map.heights[4] == -1 && map.heights[5] == 0);
    assert_non_null(strstr(told, "without data"));
    rn_heightmap_free(&map);
    write_text("comma",
               "\xef\xbb\xbfNCOLS 2\r\nNROWS 2\r\nXLLCENTER 10\r\nYLLCENTER 20\r\nCELLSIZE 4\r\n1,5 2\r\n3 4,25\r\n");
    map = must_read("comma");
    assert_true(map.heights[0] == 3 && map.heights[1] == 4.25f && map.heights[2] == 1.5f);
    assert_true(map.west == 8 && map.south == 18);
    rn_heightmap_free(&map);
    write_text("grass.txt", "north: 40\nsouth: 20\neast: 130\nwest: 100\nrows: 2\ncols: 3\nnull: *\n1 2 3\n4 * 6\n");
    map = must_read("grass.txt");
    assert_true(map.width == 3 && map.spacing_x == 10 && map.spacing_y == 10 && map.west == 100 && map.south == 20);
    assert_true(map.heights[0] == 4 && map.missing == 1);
    rn_heightmap_free(&map);
    write_text("feet.asc", "ncols 2\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 10\n1 -nan(ind)\n");
    write_text("feet.prj",
               "COMPD_CS[\"both\",PROJCS[\"plane\",GEOGCS[\"a\",UNIT[\"Degree\",0.0174532925]],UNIT[\"Meter\",1.0]],"
               "VERTCS[\"heights\",UNIT[\"Foot_US\",0.3048006096]]]");
    map = must_read("feet.asc");
    assert_true(map.spacing_x == 10 && map.missing == 1);
    assert_string_equal(map.reference, "both");
    rn_heightmap_free(&map);
    write_text("word.asc", "ncols 2\nnrows 2\ncellsize 1\n1 2\n3 four\n");
    rn_heightmap_def def = reading(in_folder("word.asc"));
    must_refuse(&def, RN_FORMAT, "word.asc:5: \"four\" is not a height");
    write_text("cut.asc", "ncols 2\nnrows 3\ncellsize 1\n1 2\n3 4\n");
    def = reading(in_folder("cut.asc"));
    must_refuse(&def, RN_FORMAT, "is cut short: it has 4 of the 6 heights that its header promises (2 x 3)");
    write_text("long.asc", "ncols 2\nnrows 1\ncellsize 1\n1 2\n3 4\n");
    def = reading(in_folder("long.asc"));
    must_refuse(&def, RN_FORMAT, "goes on after the 2 heights that its header promises (2 x 1)");
    write_text("page.tif", "<html>404 Not Found</html>\n");
    def = reading(in_folder("page.tif"));
    must_refuse(&def, RN_FORMAT, "is a web page, perhaps in place of a file");
    write_text("rowless.asc", "ncols 2\ncellsize 1\n1 2\n3 4\n");
    def = reading(in_folder("rowless.asc"));
    must_refuse(&def, RN_FORMAT, "its header needs \"nrows\", a whole number");
}

/* Coordinate systems beside text grids, in both forms and with either ending. */
static void systems_are_read_from_prj_files(void **state) {
    (void)state;
#define GLOBE                                                                                                          \
    "GEOGCS[\"here\",DATUM[\"d\",SPHEROID[\"s\",6378137,298.25]],PRIMEM[\"p\",0],UNIT[\"Degree\",0.0174532925]]"
    static const struct {
        const char *ending, *text, *reference;
        double unit; /* m; 0: degrees */
        bool wkt;
    } cases[] = {
        {"prj", "PROJCS[\"plane\"," GLOBE ",PROJECTION[\"m\"],UNIT[\"Meter\",1]]", "plane", 1, true},
        {"PRJ", "PROJCS[\"feet\"," GLOBE ",UNIT[\"Foot_US\",0.3048006096012192]]", "feet", 1200.0 / 3937, true},
        {"prj", "PROJCS[\"odd]name[\"," GLOBE ",UNIT[\"Foot\",0.3048]]\n", "odd]name[", 0.3048, true},
        {"prj", "PROJCRS[\"new\",BASEGEOGCRS[\"g\"],CS[Cartesian,2],LENGTHUNIT[\"metre\",1]]", "new", 1, true},
        {"prj", GLOBE, "here", 0, true},
        {"prj", "Projection    GEOGRAPHIC\r\nUnits         DD\r\n", "GEOGRAPHIC", 0, false},
        {"prj", "PROJECTION UTM\nZONE 13\nUNITS METERS\n", "UTM", 1, false},
        {"prj", "Projection STATEPLANE\nUnits FEET\n", "STATEPLANE", 1200.0 / 3937, false},
        {"prj", "PROJCS[\"no unit\"", "no unit", 1, true},
        {"prj", "PROJCS[\"bad unit\",UNIT[\"x\",-3]]", "bad unit", 1, true},
        {"prj", "neither of both", "", 1, false},
        {"prj", "", "", 1, false},
        {"prj", "[[[[", "", 1, false},
    };
#undef GLOBE
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char grid[64], system[64];
        snprintf(grid, sizeof grid, "system-%zu.asc", i);
        snprintf(system, sizeof system, "system-%zu.%s", i, cases[i].ending);
        write_grid(grid, 3, 2, 0.5, "", "1 2 3\n4 5 6");
        write_text(system, cases[i].text);
        rn_heightmap map = must_read(grid);
        assert_string_equal(map.reference, cases[i].reference);
        if (cases[i].unit > 0) assert_true(fabs(map.spacing_x - 0.5 * cases[i].unit) < 1e-12);
        else assert_true(map.spacing_y > 5000);
        assert_true(fabs(map.units_x * map.spacing_x - 0.5) < 1e-12); /* the file's own pixels */
        if (cases[i].wkt) assert_string_equal(map.crs, cases[i].text);
        else assert_null(map.crs);
        rn_heightmap_free(&map);
    }
}

static void turned_maps_are_refused(void **state) {
    (void)state;
    NEEDS_GDAL();
    const double turned[] = {0, 8, 6, 0, 6, -8};
    write_tiff("turned.tif", 3, 2, ramp, turned, 32611, false);
    rn_heightmap_def def = reading(in_folder("turned.tif"));
    must_refuse(&def, RN_FORMAT, "rotated by 36.9 degrees");
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
    } files[] = {{"bad_terrain/aaigrid_nodata_nan.asc", RN_OK, "16.7 % of its pixels are without data (1 not finite)"},
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
    must_refuse(&def, RN_FILE, "is not a file");
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_are_read_as_they_are),
        cmocka_unit_test(tiffs_are_read_whichever_way_they_lie),
        cmocka_unit_test(infinities_are_gaps),
        cmocka_unit_test(text_grids_are_read_carefully),
        cmocka_unit_test(systems_are_read_from_prj_files),
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
