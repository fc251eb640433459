/* Exports from a program: what files are called, what is refused, what is left when memory runs out. What is in the
   files is for tests/test_exports.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/file/wkt.h"
#include "io/write/compact.h"
#include "io/write/writer.h"
#include "purse.h"
#include "scratch.h"

#include <math.h>
#include <runnel/io.h>

static uint32_t all_kinds(void) {
    uint32_t kinds = 0;
    for (int i = 0; rn_export_kind_at(i); i++)
        if (!rn_export_kind_at(i)->without) kinds |= (uint32_t)1 << i;
    return kinds;
}

static rn_export_def def_for(uint32_t kinds) {
    return (rn_export_def){.folder = folder, .kinds = kinds, .title = "a \"test\"", .liquid = rn_liquid_blood()};
}

/* ---- A frame --------------------------------------------------------------------------------------------------- */

static float positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0.5f}, normals[9] = {0, 0, 1, 0, 0, 1, 0, 0, 1};
static float opacity[3] = {0, 0.5f, 1}, velocities[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
static uint32_t ids[3] = {0, 1, 2}, indices[3] = {0, 1, 2};

static rn_mesh triangle(void) {
    return (rn_mesh){.positions = positions,
                     .normals = normals,
                     .opacity = opacity,
                     .velocities = velocities,
                     .ids = ids,
                     .indices = indices,
                     .vertex_count = 3,
                     .triangle_count = 1};
}

enum { WIDE = 3, HIGH = 2, LAYERS = 2, SLOTS = WIDE * HIGH * LAYERS };

static float base[SLOTS] = {0, 0.1f, 0, 0, 0, 0, 1, RN_NO_COLUMN, 1, 1, 1, -1}, ceiling[SLOTS];
static float depth[SLOTS] = {0.5f, 0, 0.25f, 0.001f, 0, 0, 0.125f, 0, 0, 0, 0, 0}, none[SLOTS];

static rn_surface_columns columns(void) {
    const rn_surface_field fields[] = {
        {base, WIDE, WIDE * HIGH}, {depth, WIDE, WIDE * HIGH}, {none, WIDE, WIDE * HIGH}};
    return (rn_surface_columns){.cells_x = WIDE,
                                .cells_y = HIGH,
                                .layers = LAYERS,
                                .cell_size = 0.1f,
                                .datum = -2,
                                .base = fields[0],
                                .ceil = {ceiling, WIDE, WIDE * HIGH},
                                .depth = fields[1],
                                .flux_x = fields[2],
                                .flux_y = fields[2]};
}

static rn_result add(rn_export *e, int number, const rn_mesh *surface) {
    static float colours[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const rn_mesh ground = triangle();
    rn_mesh bodies = triangle();
    bodies.opacity = bodies.velocities = NULL;
    bodies.colours = colours;
    const rn_surface_columns c = columns();
    const rn_export_frame frame = {.number = number,
                                   .time = 0.1 * number,
                                   .surface = surface,
                                   .ground = number == 0 || number == 3 ? &ground : NULL,
                                   .bodies = number > 0 ? &bodies : NULL,
                                   .columns = &c};
    const rn_result result = rn_export_add_columns(e, frame.time, &c);
    return result == RN_OK ? rn_export_add(e, &frame) : result;
}

static rn_result write_run(const rn_export_def *def, int frames) {
    rn_export *e = NULL;
    const rn_mesh surface = triangle();
    rn_result result = rn_export_open(def, &e);
    if (result != RN_OK) assert_null(e);
    for (int i = 0; i < frames && result == RN_OK; i++) result = add(e, i, &surface);
    const rn_result closed = rn_export_close(e);
    return result == RN_OK ? closed : result;
}

/* ---- Names ----------------------------------------------------------------------------------------------------- */

static void files_are_known_by_their_names(void **state) {
    (void)state;
    const struct {
        const char *name;
        int frame;
    } names[] = {{"surface-0012.ply", 12},
                 {"terrain-0000.obj", 0},
                 {"materials.mtl", 0},
                 {"run-0120.usda", 120},
                 {"run-0003.nc", 3},
                 {"columns-12345.vti", 12345},
                 {"velocity-0001.npy", 1},
                 {"surface-0007.pvd", 7},
                 {"arrival-0000.tif", 0},
                 {"bodies-0004.vtp", 4},
                 {"surface-012.ply", -1},
                 {"surface-0012.png", -1},
                 {"surface-0012.plyx", -1},
                 {"surface-.ply", -1},
                 {"materials.mtlx", -1},
                 {"run-0000.ply", -1},
                 {"", -1}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (rn_export_file_frame(names[i].name) != names[i].frame) print_error("%s\n", names[i].name);
        assert_int_equal(rn_export_file_frame(names[i].name), names[i].frame);
    }
}

static void kinds_are_chosen_by_name(void **state) {
    (void)state;
    uint32_t kinds = 0;
    assert_int_equal(rn_export_choose("ply", &kinds), RN_OK);
    assert_int_equal(rn_export_needed(kinds), RN_EXPORT_MESHES);
    assert_int_equal(rn_export_choose("npy,ply", &kinds), RN_OK);
    assert_int_equal(rn_export_needed(kinds), RN_EXPORT_MESHES | RN_EXPORT_COLUMNS);
    const char *const bad[] = {"", "stl", "ply,", ",ply", "ply, obj", "PLY", "pl"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(rn_export_choose(bad[i], &kinds), RN_INVALID);
        assert_non_null(strstr(rn_last_error(), "the kinds are ply, obj,"));
    }
    rn_export_def def = def_for(kinds);
    rn_export *e = NULL;
    def.unit = -1;
    assert_int_equal(rn_export_open(&def, &e), RN_INVALID);
    assert_null(e);
}

static void places_that_make_no_sense_are_refused(void **state) {
    (void)state;
    uint32_t kinds = 0;
    assert_int_equal(rn_export_choose("ply", &kinds), RN_OK);
    static const rn_georeference bad[] = {{.scale = {1, 0}},
                                          {.scale = {0, 1}},
                                          {.scale = {-1, -1}},
                                          {.scale = {NAN, NAN}},
                                          {.scale = {INFINITY, 1}},
                                          {.scale = {1, 1}, .origin = {0, NAN, 0}},
                                          {.scale = {1, 1}, .origin = {0, 0, INFINITY}}};
    rn_export *e = NULL;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        rn_export_def def = def_for(kinds);
        def.georeference = bad[i];
        assert_int_equal(rn_export_open(&def, &e), RN_INVALID);
        assert_non_null(strstr(rn_last_error(), "georeference"));
    }
    rn_export_def def = def_for(kinds);
    def.up = RN_UP_MINUS_Y;
    assert_int_equal(rn_export_open(&def, &e), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "RN_UP_Z"));
    assert_null(e);
    def.up = RN_UP_Z;
    def.georeference = (rn_georeference){.crs = "EPSG:1", .origin = {NAN, NAN, NAN}}; /* lies nowhere */
    assert_int_equal(rn_export_open(&def, &e), RN_OK);
    assert_int_equal(rn_export_close(e), RN_OK);
}

/* ---- What is left ---------------------------------------------------------------------------------------------- */

static void every_file_that_is_written_is_known(void **state) {
    (void)state;
    rn_export_def def = def_for(all_kinds());
    def.georeference.scale[0] = def.georeference.scale[1] = 1;
    def.georeference.crs = "LOCAL_CS[\"somewhere\",UNIT[\"metre\",1]]";
    assert_int_equal(write_run(&def, 5), RN_OK);
    assert_int_equal(count_files(".part", false), 0);
    int count = 0;
    DIR *entries = opendir(folder);
    for (struct dirent *entry; (entry = readdir(entries));) {
        if (entry->d_name[0] == '.') continue;
        if (rn_export_file_frame(entry->d_name) < 0) print_error("%s\n", entry->d_name);
        assert_true(rn_export_file_frame(entry->d_name) >= 0);
        count++;
    }
    closedir(entries);
    assert_true(count > 5 * 5);
    count_files("", true);
}

static bool holds(const char *name, const char *text) {
    static char bytes[1 << 16];
    FILE *file = fopen(in_folder(name), "rb");
    if (!file) return false;
    const size_t count = fread(bytes, 1, sizeof bytes, file), length = strlen(text);
    fclose(file);
    for (size_t i = 0; i + length <= count; i++)
        if (memcmp(bytes + i, text, length) == 0) return true;
    return false;
}

static double cf_number(const rn_cf_value *values, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (strcmp(values[i].name, name) == 0) return values[i].numbers[0];
    fail_msg("no %s", name);
    return 0;
}

/* Coordinate systems have the names and numbers of CF, where it has any. */
static void systems_are_named_as_in_cf(void **state) {
    (void)state;
    static const char utm[] =
        "PROJCS[\"WGS 84 / UTM zone 13N\",GEOGCS[\"WGS 84\",DATUM[\"WGS_1984\",SPHEROID[\"WGS "
        "84\",6378137,298.257223563,"
        "AUTHORITY[\"EPSG\",\"7030\"]]]],PROJECTION[\"Transverse_Mercator\"],PARAMETER[\"latitude_of_origin\",0],"
        "PARAMETER[\"central_meridian\",-105],PARAMETER[\"scale_factor\",0.9996],PARAMETER[\"false_easting\",500000],"
        "PARAMETER[\"false_northing\",0],UNIT[\"metre\",1]]";
    static const char conic[] = "PROJCS[\"c\",GEOGCS[\"g\",DATUM[\"d\",SPHEROID[\"ball\",6370000,0]]],PROJECTION["
                                "\"Lambert_Conformal_Conic_2SP\"],"
                                "PARAMETER[\"standard_parallel_1\",44],PARAMETER[\"standard_parallel_2\",49],PARAMETER["
                                "\"central_meridian\",3],PARAMETER[\"latitude_of_origin\",46],PARAMETER["
                                "\"false_easting\",0],PARAMETER[\"false_northing\",0]]";
    rn_cf_value values[RN_CF_VALUES];
    int count = rn_export_cf(utm, values);
    assert_int_equal(count, 8);
    assert_string_equal(values[0].name, "grid_mapping_name");
    assert_string_equal(values[0].text, "transverse_mercator");
    assert_true(cf_number(values, count, "longitude_of_central_meridian") == -105);
    assert_true(cf_number(values, count, "scale_factor_at_central_meridian") == 0.9996);
    assert_true(cf_number(values, count, "inverse_flattening") == 298.257223563);
    count = rn_export_cf(conic, values);
    assert_string_equal(values[0].text, "lambert_conformal_conic");
    assert_int_equal(values[2].count, 2);
    assert_true(values[2].numbers[0] == 44 && values[2].numbers[1] == 49);
    assert_int_equal(rn_export_cf("GEOGCS[\"g\"]", values), 1);
    assert_string_equal(values[0].text, "latitude_longitude");
    assert_int_equal(rn_export_cf("EPSG:32613", values), 0);
    assert_int_equal(rn_export_cf("PROJCS[\"x\",PROJECTION[\"Krovak\"]]", values), 0);
}

/* A system that CF would describe wrongly is not described. */
static void other_systems_have_no_name_in_cf(void **state) {
    (void)state;
#define BALL     "DATUM[\"d\",SPHEROID[\"s\",6378137,298.25]]"
#define GLOBE    "GEOGCS[\"g\"," BALL ",PRIMEM[\"Greenwich\",0],UNIT[\"degree\",0.0174532925199433]]"
#define FALSE_AT "PARAMETER[\"false_easting\",0],PARAMETER[\"false_northing\",0]"
#define ORIGIN   "PARAMETER[\"latitude_of_origin\",46],PARAMETER[\"central_meridian\",3]," FALSE_AT
#define SCALE    "PARAMETER[\"scale_factor\",1]"
#define FLAT(globe, projection, rest)                                                                                  \
    "PROJCS[\"p\"," globe ",PROJECTION[\"" projection "\"]," rest ",UNIT[\"metre\",1]]"
    static const char *const others[] = {
        FLAT(GLOBE, "Lambert_Conformal_Conic_1SP", ORIGIN "," SCALE),
        FLAT(GLOBE, "Lambert_Conformal_Conic", ORIGIN "," SCALE), /* of one parallel, as ESRI writes it */
        FLAT(GLOBE, "Transverse_Mercator_South_Orientated", ORIGIN "," SCALE),
        FLAT(GLOBE, "Mercator_Auxiliary_Sphere", ORIGIN),
        FLAT(GLOBE, "Mercator_1SP", ORIGIN "," SCALE ",EXTENSION[\"PROJ4\",\"+proj=merc +nadgrids=@null\"]"),
        FLAT(GLOBE, "Transverse_Mercator", ORIGIN),
        FLAT(GLOBE, "Transverse_Mercator", "PARAMETER[\"Central_Meridian\",3]," SCALE),
        FLAT("GEOGCS[\"g\"," BALL ",PRIMEM[\"Paris\",2.33722917]]", "Transverse_Mercator", ORIGIN "," SCALE),
        FLAT("GEOGCS[\"g\"," BALL ",UNIT[\"grad\",0.01570796326794897]]", "Transverse_Mercator", ORIGIN "," SCALE),
    };
    rn_cf_value values[RN_CF_VALUES];
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (rn_export_cf(others[i], values) != 0) fail_msg("%s", others[i]);
    assert_int_equal(rn_export_cf(FLAT(GLOBE, "Transverse_Mercator", ORIGIN "," SCALE), values), 8);
    assert_int_equal(rn_export_cf(FLAT(GLOBE, "Mercator_1SP", ORIGIN "," SCALE), values), 7);
}

/* The unit is that of the projected system, not that of its angles or of heights. Degrees follow from the system. */
static void systems_say_what_their_numbers_are(void **state) {
    (void)state;
    static const char both[] =
        "COMPD_CS[\"c\"," FLAT(GLOBE, "Transverse_Mercator", ORIGIN) ",VERT_CS[\"v\",UNIT[\"US "
                                                                     "survey foot\",0.3048006096012192]]]";
    assert_true(rn_wkt_unit(rn_wkt_projected(both)) == 1);
    assert_true(rn_wkt_unit(NULL) == 0 && rn_wkt_unit("PROJCS[\"p\"]") == 0);
    assert_false(rn_wkt_is_globe(both));
    assert_true(rn_wkt_is_globe(GLOBE) && rn_wkt_is_globe("EPSG:4326"));
    assert_true(rn_export_is_globe(&(rn_georeference){GLOBE, {0}, {0.1, 0.1}}));
    assert_false(rn_export_is_globe(&(rn_georeference){both, {0}, {1e-4, 1e-4}}));
    assert_true(rn_export_is_globe(&(rn_georeference){NULL, {0}, {1e-5, 1e-5}}));
    assert_false(rn_export_is_globe(&(rn_georeference){GLOBE, {0}, {0, 0}}));
}

/* Vertices that no triangle uses are in no file; the others keep their order. */
static void unused_vertices_are_left_out(void **state) {
    (void)state;
    float at[15], clear[5] = {0.1f, 0.2f, 0.3f, 0.4f, 0.5f};
    uint32_t corners[] = {4, 1, 2}, names[] = {10, 11, 12, 13, 14};
    for (int i = 0; i < 15; i++) at[i] = (float)i;
    rn_mesh mesh = {
        .positions = at, .opacity = clear, .ids = names, .indices = corners, .vertex_count = 5, .triangle_count = 1};
    rn_mesh_copy copy = {.room = 0};
    const rn_mesh *compact;
    assert_int_equal(rn_mesh_compact(&mesh, NULL, &copy, &compact), RN_OK);
    assert_int_equal(compact->vertex_count, 3);
    assert_memory_equal(compact->indices, ((uint32_t[]){2, 0, 1}), 3 * sizeof(uint32_t));
    assert_memory_equal(compact->ids, ((uint32_t[]){11, 12, 14}), 3 * sizeof(uint32_t));
    assert_true(compact->positions[0] == 3 && compact->positions[8] == 14 && compact->opacity[2] == 0.5f);
    assert_int_equal(mesh.vertex_count, 5);
    mesh.triangle_count = 0;
    assert_int_equal(rn_mesh_compact(&mesh, NULL, &copy, &compact), RN_OK);
    assert_int_equal(compact->vertex_count, 0);
    mesh.triangle_count = 1;
    corners[0] = 7; /* the writers refuse it */
    assert_int_equal(rn_mesh_compact(&mesh, NULL, &copy, &compact), RN_OK);
    assert_ptr_equal(compact, &mesh);
    rn_mesh_copy_free(&copy, NULL);
}

/* The first frame has none. */
static void bodies_are_written_with_their_colours(void **state) {
    (void)state;
    uint32_t kinds = 0;
    assert_int_equal(rn_export_choose("ply,obj,glb,vtp,gltf,usda", &kinds), RN_OK);
    const rn_export_def def = def_for(kinds);
    assert_int_equal(write_run(&def, 3), RN_OK);
    assert_int_equal(count_files("bodies-", false), 4 * 2);
    assert_true(holds("bodies-0001.ply", "property uchar red"));
    assert_true(holds("bodies-0001.glb", "\"COLOR_0\""));
    assert_true(holds("bodies-0002.vtp", "colour"));
    assert_true(holds("bodies-0002.obj", "usemtl bodies"));
    assert_true(holds("materials.mtl", "newmtl bodies"));
    assert_false(holds("run-0000.glb", "bodies-0000"));
    assert_true(holds("run-0000.glb", "bodies-0002"));
    assert_true(holds("run-0000.usda", "def Mesh \"bodies\""));
    assert_true(holds("run-0000.usda", "(1,0,0),(0,1,0),(0,0,1)"));
    assert_true(holds("run-0000.usda", "UsdPrimvarReader_float3"));
    count_files("", true);
}

/* Frames without liquid, and runs without frames. */
static void nothing_is_something(void **state) {
    (void)state;
    const rn_export_def def = def_for(all_kinds());
    assert_int_equal(write_run(&def, 0), RN_OK);
    count_files("", true);
    rn_export *e = NULL;
    const rn_mesh empty = {.vertex_count = 0};
    assert_int_equal(rn_export_open(&def, &e), RN_OK);
    for (int i = 0; i < 3; i++) assert_int_equal(add(e, i, &empty), RN_OK);
    assert_int_equal(rn_export_close(e), RN_OK);
    count_files("", true);
}

static void bad_frames_leave_good_ones(void **state) {
    (void)state;
    const char *const kinds[] = {"ply", "gltf", "usda"};
    for (int k = 0; k < 3; k++) {
        uint32_t chosen = 0;
        assert_int_equal(rn_export_choose(kinds[k], &chosen), RN_OK);
        const rn_export_def def = def_for(chosen);
        rn_export *e = NULL;
        rn_mesh surface = triangle(), bad = surface;
        uint32_t far[3] = {0, 1, 3};
        bad.indices = far;
        assert_int_equal(rn_export_open(&def, &e), RN_OK);
        for (int i = 0; i < 3; i++) assert_int_equal(add(e, i, &surface), RN_OK);
        assert_int_equal(add(e, 3, &bad), RN_INVALID);
        assert_non_null(strstr(rn_last_error(), "triangle 0 has a corner 3"));
        assert_int_equal(rn_export_close(e), RN_OK);
        assert_int_equal(count_files(k == 0 ? "surface" : "run", true), k == 0 ? 3 : 1);
        count_files("", true);
    }
}

static void memory_may_run_out(void **state) {
    (void)state;
    rn_export_def def = def_for(all_kinds());
    purse p;
    def.hooks = (rn_hooks){.user = &p, .alloc = purse_spend, .free = purse_give_back};
    rn_result result = RN_MEMORY;
    int blocks = 0;
    for (; result != RN_OK; blocks++) {
        p = (purse){.left = blocks};
        result = write_run(&def, 4);
        assert_true(result == RN_OK || result == RN_MEMORY);
        assert_int_equal(p.held, 0);
        assert_int_equal(count_files(".part", false), 0);
    }
    assert_true(blocks > 15);
    count_files("", true);
}

static void missing_folders_are_named(void **state) {
    (void)state;
    for (int i = 0; rn_export_kind_at(i); i++) {
        if (rn_export_kind_at(i)->without) continue;
        rn_export_def def = def_for((uint32_t)1 << i);
        def.folder = "no/such/folder";
        assert_int_equal(write_run(&def, 1), RN_FILE);
        if (!strstr(rn_last_error(), "no/such/folder/")) print_error("%s\n", rn_last_error());
        assert_non_null(strstr(rn_last_error(), "no/such/folder/"));
    }
}

/* ---- Numbers --------------------------------------------------------------------------------------------------- */

/* Nothing of it is read: it is only counted. */
static void meshes_beyond_4_gib_are_refused_as_glb(void **state) {
    (void)state;
    float few[3] = {0};
    uint32_t triangle[3] = {0, 1, 2};
    const rn_mesh mesh = {.positions = few, .indices = triangle, .vertex_count = 400u << 20, .triangle_count = 1};
    assert_int_equal(rn_mesh_write("large.glb", &mesh), RN_LIMIT);
    assert_non_null(strstr(rn_last_error(), "large.glb: a file of this kind can hold 4 GiB"));
}

static void maxima_are_the_deepest_and_the_first(void **state) {
    (void)state;
    const rn_surface_columns c = columns();
    rn_export_def def = {.wet_depth = 0.002};
    rn_export_maxima m = {.deepest = NULL};
    assert_int_equal(rn_export_maxima_add(&m, &def, 1, &c), RN_OK);
    depth[0] = 0.25f;
    depth[3] = 0.75f;
    assert_int_equal(rn_export_maxima_add(&m, &def, 2, &c), RN_OK);
    assert_true(m.deepest[0] == 0.5f && m.arrival[0] == 1);
    assert_true(m.deepest[1] == 0 && isnan(m.arrival[1]));
    assert_true(m.deepest[3] == 0.75f && m.arrival[3] == 2); /* a millimetre was too little before */
    assert_true(isnan(m.deepest[7]) && isnan(m.arrival[7])); /* no column */
    assert_true(isnan(m.deepest[11]));                       /* a hole */
    rn_export_maxima_free(&m, NULL);
    depth[0] = 0.5f;
    depth[3] = 0.001f;
}

static void grids_are_absolute(void **state) {
    (void)state;
    const rn_surface_columns c = columns();
    const rn_export_def def = {.cell_size = 0.1, .origin_x = 500000.1, .origin_y = 4e6};
    rn_export_grid g = {.room = 0};
    assert_int_equal(rn_export_grid_fill(&g, &def, &c), RN_OK);
    assert_true(g.place.step_x == 0.1 && g.place.origin_x == 500000.1); /* finer than a float */
    assert_true(g.base[0] == -2 && g.level[0] == -1.5f && g.depth[0] == 0.5f);
    assert_true(g.base[1] == (float)(0.1f - 2.0) && g.level[1] == g.base[1]);
    assert_true(isnan(g.base[7]) && isnan(g.velocity[7]) && isnan(g.velocity[SLOTS + 7]) && isnan(g.depth[11]));
    rn_export_grid_free(&g, NULL);
}

static int begin(void **state) {
    (void)state;
    return make_folder("exporter");
}

static int end(void **state) {
    (void)state;
    return take_folder_away();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_known_by_their_names),
        cmocka_unit_test(kinds_are_chosen_by_name),
        cmocka_unit_test(every_file_that_is_written_is_known),
        cmocka_unit_test(unused_vertices_are_left_out),
        cmocka_unit_test(systems_are_named_as_in_cf),
        cmocka_unit_test(other_systems_have_no_name_in_cf),
        cmocka_unit_test(systems_say_what_their_numbers_are),
        cmocka_unit_test(places_that_make_no_sense_are_refused),
        cmocka_unit_test(bodies_are_written_with_their_colours),
        cmocka_unit_test(nothing_is_something),
        cmocka_unit_test(bad_frames_leave_good_ones),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(missing_folders_are_named),
        cmocka_unit_test(meshes_beyond_4_gib_are_refused_as_glb),
        cmocka_unit_test(maxima_are_the_deepest_and_the_first),
        cmocka_unit_test(grids_are_absolute),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
