/* Scene files, heightmaps and pictures: what is read right, and what is refused with which sentence. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/words.h"
#include "io/scene/document.h"
#include "io/scene/scene_values.h"
#include "io/scene/shapes.h"
#include "scratch.h"

#include <runnel/runnel.h>
#include <spng.h>

static void write_file(const char *name, const void *bytes, size_t length) {
    FILE *file = fopen(in_folder(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static int set_up(void **state) {
    (void)state;
    return make_folder("io");
}

static int tear_down(void **state) {
    (void)state;
    return take_folder_away();
}

/* ---- Scenes ---- */

static const char good[] = "{\n"
                           "  \"grid\": {\"cells\": [8, 6], \"cell\": 0.01},\n"
                           "  \"solid\": {\"type\": \"plane\"},\n"
                           "  \"liquid\": \"blood\",\n"
                           "  \"frames\": 7\n"
                           "}\n";

static rn_result open_text(const char *text, const char *const *set, int set_count, rn_scene **scene) {
    write_file("scene.json", text, strlen(text));
    rn_scene_def def = {.path = in_folder("scene.json"), .set = set, .set_count = set_count, .threads = 1};
    return rn_scene_open(&def, scene);
}

/* The sentence, without the folder in front of the file's name. */
static const char *sentence(void) {
    const char *text = rn_last_error();
    size_t length = strlen(folder);
    return strncmp(text, folder, length) == 0 ? text + length + 1 : text;
}

static void refuse(const char *text, const char *expected) {
    rn_scene *scene = NULL;
    assert_int_not_equal(open_text(text, NULL, 0, &scene), RN_OK);
    assert_null(scene);
    assert_null(strchr(sentence(), '\n'));
    if (!strstr(sentence(), expected)) fail_msg("expected \"%s\" in \"%s\"", expected, sentence());
}

/* A good scene but for one value that --set changes. */
static void refuse_set(const char *set, const char *expected) {
    rn_scene *scene = NULL;
    assert_int_not_equal(open_text(good, &set, 1, &scene), RN_OK);
    if (!strstr(sentence(), expected)) fail_msg("%s: expected \"%s\" in \"%s\"", set, expected, sentence());
    if (strncmp(sentence(), "--set ", 6) != 0 && strncmp(sentence(), "scene.json", 10) != 0)
        fail_msg("%s: neither the argument nor the file is named in \"%s\"", set, sentence());
}

static void accept_set(const char *const *set, int count) {
    rn_scene *scene = NULL;
    if (open_text(good, set, count, &scene) != RN_OK) fail_msg("%s: %s", set[0], rn_last_error());
    rn_scene_close(scene);
}

static void test_good_scene(void **state) {
    (void)state;
    rn_scene *scene = NULL;
    assert_int_equal(open_text(good, NULL, 0, &scene), RN_OK);
    rn_scene_info info = rn_scene_describe(scene);
    assert_string_equal(info.name, "scene");
    assert_int_equal(info.frames, 7);
    assert_true(fabs(info.frame_time - 1.0 / 60.0) < 1e-15);
    assert_int_equal(info.view.width, 800);
    assert_string_equal(rn_world_liquid(rn_scene_world(scene)).name, "blood");
    rn_world_info world = rn_world_describe(rn_scene_world(scene));
    assert_int_equal(world.cells_x, 8);
    assert_int_equal(world.cells_y, 6);
    rn_scene_close(scene);
}

static const rn_scene_view *view_of(const rn_scene_info *info, const char *name) {
    for (int i = 0; i < info->view_count; i++)
        if (strcmp(info->views[i].name, name) == 0) return &info->views[i];
    fail_msg("no view \"%s\"", name);
    return NULL;
}

/* A scene's own views come first, and take the place of built-in ones of the same name. */
static void test_views(void **state) {
    (void)state;
    rn_scene *scene = NULL;
    assert_int_equal(open_text(good, NULL, 0, &scene), RN_OK);
    rn_scene_info info = rn_scene_describe(scene);
    assert_int_equal(info.view_count, 3);
    assert_string_equal(info.views[0].name, "orbit");
    assert_true(view_of(&info, "top")->orbit.elevation == 90 && view_of(&info, "top")->orbit.angle < 0);
    assert_true(view_of(&info, "turntable")->orbit.turn > 0);
    assert_true(info.low.x < info.high.x && info.low.y < info.high.y && info.low.z < info.high.z);
    rn_scene_close(scene);

    const char *set[] = {"views=[{\"name\": \"side\", \"azimuth\": 90, \"elevation\": 5, \"zoom\": 2, \"angle\": 0, "
                         "\"target\": [1, 2, 3], \"turn\": -4}, {\"name\": \"orbit\", \"azimuth\": -30}, {}]",
                         "view={\"ground\": [0.1, 0.2, 0.3], \"gloss\": 0.4, \"exposure\": -1, \"outdoors\": true, "
                         "\"full_depth\": 0.5}"};
    assert_int_equal(open_text(good, set, 2, &scene), RN_OK);
    info = rn_scene_describe(scene);
    assert_int_equal(info.view_count, 5);
    assert_string_equal(info.views[0].name, "side");
    assert_string_equal(info.views[2].name, "v3");
    const rn_orbit side = info.views[0].orbit, orbit = view_of(&info, "orbit")->orbit;
    assert_true(side.azimuth == 90 && side.elevation == 5 && side.zoom == 2 && side.angle < 0 && side.turn == -4);
    assert_true(side.aimed && !orbit.aimed && side.target.x == 1 && side.target.y == 2 && side.target.z == 3);
    assert_true(orbit.azimuth == -30 && orbit.elevation == 35 && orbit.angle == 32 && orbit.zoom == 1);
    assert_true(info.look.ground.y == 0.2 && info.look.gloss == 0.4 && info.look.exposure == -1 && info.look.outdoors);
    assert_true(info.look.full_depth == 0.5 && info.view.full_depth == 0.5 && info.view.ground.z == 0.3);
    rn_scene_close(scene);
}

/* Zeros are values like others, and names that were not given give way. */
static void test_views_of_zero(void **state) {
    (void)state;
    rn_scene *scene = NULL;
    const char *set[] = {"views=[{\"name\": \"v2\", \"elevation\": 0, \"target\": [0, 0, 0]}, {}, {}]"};
    assert_int_equal(open_text(good, set, 1, &scene), RN_OK);
    const rn_scene_info info = rn_scene_describe(scene);
    assert_string_equal(info.views[1].name, "v3");
    assert_string_equal(info.views[2].name, "v4");
    const rn_orbit along = info.views[0].orbit;
    assert_true(along.elevation == 0 && along.aimed);
    const rn_camera camera = rn_camera_orbit(&along, info.low, info.high, 1, 0);
    assert_true(camera.target.x == 0 && camera.target.y == 0 && camera.target.z == 0 && fabs(camera.eye.z) < 1e-9);
    rn_scene_close(scene);

    const rn_orbit usual = rn_orbit_default();
    assert_int_equal(open_text(good, (const char *[]){"views=[{}]"}, 1, &scene), RN_OK);
    const rn_orbit bare = rn_scene_describe(scene).views[0].orbit;
    assert_true(bare.azimuth == usual.azimuth && bare.elevation == usual.elevation && bare.angle == usual.angle &&
                bare.zoom == usual.zoom && bare.aimed == usual.aimed && bare.turn == usual.turn);
    rn_scene_close(scene);
}

/* What the tables say an absent key means is what the library's own defaults are. */
static void test_defaults_agree(void **state) {
    (void)state;
    rn_document document;
    write_file("scene.json", good, strlen(good));
    assert_int_equal(rn_document_open(in_folder("scene.json"), &document), RN_OK);
    assert_int_equal(rn_table_spell_out(&rn_scene_table, document.root), RN_OK);
    rn_place root = {.document = &document};
    rn_scene_values values = {0};
    assert_int_equal(rn_table_read(&rn_scene_table, document.root, &root, &values), RN_OK);
    rn_world_def def = rn_world_default();
    assert_true(values.gravity[0] == def.gravity.x && values.gravity[1] == def.gravity.y);
    assert_true(values.gravity[2] == def.gravity.z);
    assert_true(values.friction == def.friction);
    assert_true(values.advection == def.advection);
    for (int side = 0; side < 4; side++) assert_int_equal(values.edges[side], def.edges[side]);
    assert_int_equal(values.max_substeps, def.max_substeps);
    rn_document_close(&document);
}

/* Every row of every table is complete and its default passes its own range. */
static void check_table(const rn_table *table) {
    assert_true(strlen(table->name) > 0 && strlen(table->meaning) > 0);
    for (int i = 0; i < table->count; i++) {
        const rn_key *key = &table->keys[i];
        assert_true(strlen(key->name) > 0 && strlen(key->meaning) > 0);
        assert_true(key->range.low <= key->range.high);
        assert_false(key->required && key->otherwise);
        if (key->kind == RN_KEY_CHOICE) assert_non_null(key->choices);
        if (key->kind == RN_KEY_OBJECT || key->kind == RN_KEY_LIST) check_table(key->table);
    }
    for (int k = 0; table->one_of && table->one_of[k]; k++) {
        bool found = false;
        for (int i = 0; i < table->count; i++) found |= strcmp(table->keys[i].name, table->one_of[k]) == 0;
        assert_true(found);
    }
    if (table->shared) check_table(table->shared);
}

static void test_tables(void **state) {
    (void)state;
    check_table(&rn_scene_table);
    int shapes = 0;
    for (const rn_table *table; (table = rn_shape_family.table(shapes)); shapes++) check_table(table);
    assert_int_equal(shapes, 19);
}

static void test_positions(void **state) {
    (void)state;
    refuse("{\n  \"grid\": {\n    \"cells\": [8, 6],\n    \"cell\": -3\n  },\n  \"solid\": {\"type\": \"plane\"}\n}",
           "scene.json:4:5: \"grid.cell\" is -3; it must be from 1e-06 to 100000 (m)");
    refuse("{\"grid\": {\"cells\": [8, 0], \"cell\": 1}, \"solid\": {\"type\": \"plane\"}}",
           "scene.json:1:24: \"grid.cells.1\" is 0; it must be from 1 to 65536");
    refuse("{\"grid\": {\"cells\": [8, 6], \"c\\u0065ll\": 0}, \"solid\": {}}", "scene.json:1:28: \"grid.cell\" is 0");
    refuse("{\"about\": \"a \\\" } ] quote\", \"grid\": [1, {\"x\": [2]}], \"solid\": 3}",
           "scene.json:1:29: \"grid\" is a list of 2; it must be an object");
    refuse("{\n\"grid\": {\"cells\": [8, 6],\n\"cell\": 1,}}", "scene.json:3:");
}

static void test_bad_json(void **state) {
    (void)state;
    refuse("", "not valid JSON");
    refuse("[]", "a scene is an object");
    refuse("{\"grid\": NaN}", "not valid JSON");
    refuse("{\"friction\": 1e999}", "not valid JSON");
    refuse("{\"title\": \"a\", \"title\": \"b\"}", "duplicate");
    refuse("{\"title\": \"\xff\"}", "not valid JSON");
    refuse("{\"solid\": {\"type\": \"plane\"}}", "scene.json:1:1: has no \"grid\"");
    refuse("{\"grid\": {\"cells\": [8, 6]}, \"solid\": {\"type\": \"plane\"}}", "\"grid\" has no \"cell\"");
    refuse("{\"a\\\n\": 1}", "not valid JSON"); /* a sentence is one line, whatever it quotes */
    refuse("{\"gr\\n\\u001bid\": 1}", "\"gr  id\" is not a known key");
    char *deep = calloc(1, 100001);
    assert_non_null(deep);
    memset(deep, '[', 100000);
    refuse(deep, "not valid JSON");
    free(deep);
}

static void test_bad_values(void **state) {
    (void)state;
    refuse_set("liquid.viscosity=-3",
               "--set liquid.viscosity=-3: \"liquid.viscosity\" is -3; it must be 0 or more (m²/s)");
    refuse_set("liquid.viscosity=nan", "is \"nan\"; it must be a number, 0 or more (m²/s)");
    refuse_set("liquid.viscosty=1", "did you mean \"viscosity\"?");
    refuse_set("liquid=bloood", "there is no liquid \"bloood\"");
    refuse_set("friction=0", "\"friction\" is 0; it must be more than 0 and at most 1");
    refuse_set("friction=1.5", "it must be more than 0 and at most 1");
    refuse_set("grid.cells=[0, 10]", "must be from 1 to 65536");
    refuse_set("grid.cells=[2147483648, 1]", "must be from 1 to 65536");
    refuse_set("grid.cells=[65536, 65536]", "67108864 is the most");
    refuse_set("grid.cells=[1.5, 1]", "a whole number");
    refuse_set("grid.cells=5", "a list of 2 whole numbers");
    refuse_set("grid.layers=1000000000", "\"grid.layers\" is not a known key");
    refuse_set("frames=0", "it must be 1 or more");
    refuse_set("frames=1000001", "it must be from 1 to 1000000");
    refuse_set("model=cheap", "is \"cheap\"; it must be \"physical\" or \"paper\"");
    refuse_set("edges=opne", "\"wall\", \"open\" or \"periodic\"");
    refuse_set("edges.west=periodic", "\"edges\": only one of the two edges along x is periodic");
    refuse_set("gravity=[0, 0, 9.81]", "\"gravity\": gravity.z is 9.81; it must be negative");
    refuse_set("drop=[1, 0]", "\"drop\": drop_x is 1 but the edges along x are not periodic");
    refuse_set("view.plain=1", "true or false");
    refuse_set("title=3", "it must be text");
    refuse_set("sources=[{\"at\": [0.5, 0.5, 1], \"rate\": 1e-6}]", "sources.0");
    refuse_set("sources=[{\"at\": [0.01, 0.01, 1], \"rate\": -1}]", "it must be 0 or more (m³/s)");
    refuse_set("sources=[{\"at\": [0.01, 0.01, 1]}]", "needs exactly one of \"rate\", \"level\" and \"head\"");
    refuse_set("sources=[{\"rate\": 1}]", "needs exactly one of \"at\", \"path\", \"shape\" and \"edge\"");
    refuse_set("sources=[{\"at\": [0.01, 0.01, 1], \"rate\": 1, \"start\": 2, \"stop\": 1}]", "more than \"start\"");
    refuse_set("sources=[3]", "\"sources.0\" is 3; it must be an object");
    refuse_set("sources={}", "a list of objects");
    refuse_set("roughness=[{\"friction\": 0.1}]", "in");
    refuse_set("roughness=[{\"in\": {\"type\": \"plane\"}, \"friction\": 0}]", "it must be more than 0 and at most 1");
    refuse_set("roughness=[{\"in\": {\"type\": \"sphere\", \"radius\": 0.001, \"at\": [9, 9, 9]}, \"friction\": 0.1}]",
               "\"roughness.0\": the region meets no ground");
    refuse_set("fills=[{}]", "exactly one of");
    refuse_set("fills=[{\"level\": 1, \"depth\": 1}]", "exactly one of");
    refuse_set("fills.3.level=1", "--set fills.3.level=1: \"3\" cannot be set inside a list of 0");
    refuse_set("fills.level=1", "--set fills.level=1: \"fills\" is an object; it must be a list of objects");
    refuse_set("grid.cell.x=1", "cannot be set inside 0.01");
    refuse_set("=1", "write key=value");
    refuse_set("frames", "write key=value");
}

/* Values over time, places and probes: what is wrong is named to the element. */
static void test_bad_flows(void **state) {
    (void)state;
#define SOURCE(text) "sources=[{\"at\": [0.01, 0.01, 1], " text "}]"
    refuse_set(SOURCE("\"rate\": []"), "\"sources.0.rate\" is a list of 0; it needs 1 or more");
    refuse_set(SOURCE("\"rate\": [3]"), "\"sources.0.rate.0\" is 3; it must be a pair, [time, value]");
    refuse_set(SOURCE("\"rate\": [[0, 1, 2]]"), "\"sources.0.rate.0\" is a list of 3; it must be a pair");
    refuse_set(SOURCE("\"rate\": [[0, 1], [1, -1]]"), "\"sources.0.rate.1.1\" is -1; it must be 0 or more (m³/s)");
    refuse_set(SOURCE("\"rate\": [[0, 1], [null, 1]]"), "\"sources.0.rate.1.0\" is null; it must be a number (s)");
    refuse_set(SOURCE("\"rate\": [[0, 1], [2, 1], [1, 1]]"),
               "\"sources.0.rate.2\" comes at 1 s, not after the 2 s of the one before; put them in order of time");
    refuse_set(SOURCE("\"rate\": \"much\""),
               "is \"much\"; it must be a number, 0 or more (m³/s), or a list of [time, value] pairs");
    refuse_set(SOURCE("\"rate\": 1, \"level\": 1"), "exactly one of \"rate\", \"level\" and \"head\"");
    refuse_set(SOURCE("\"head\": 1"), "\"sources.0\" has \"head\" but no \"resistance\"; they go together");
    refuse_set(SOURCE("\"rate\": 1, \"resistance\": 1"), "has \"resistance\" but no \"head\"");
    refuse_set("sources=[{\"rate\": 1, \"edge\": \"up\"}]", "\"west\", \"east\", \"south\" or \"north\"");
    refuse_set(
        "drains=[{\"path\": [[0, 0, 0, 0], [1, 0, 9, 0]]}]",
        "\"drains.0.path.1\" lies at x 0, y 9, outside the domain; x must be from 0 to 0.08 and y from 0 to 0.06");
    refuse_set("drains=[{\"path\": [[1, 0, 0]]}]", "it must be a waypoint, [time, x, y, z]");
    refuse_set("drains=[{\"path\": []}]", "\"drains.0.path\" is a list of 0; it needs 1 or more");
    refuse_set("drains=[{\"path\": 3}]", "it must be a list of [time, x, y, z] waypoints");
    refuse_set("sources=[{\"at\": [9, 0, 0], \"rate\": 1}]", "\"sources.0.at\" lies at x 9, y 0, outside the domain");
    refuse_set("rain=[{}]", "\"rain.0\" has no \"rate\"");
    refuse_set("rain=[{\"rate\": 1, \"map\": [[0, 1.5]]}]", "\"rain.0.map.0.1\" is 1.5; it must be from 0 to 1");
    refuse_set("rain=[{\"rate\": 1, \"map\": [[0, 1], [1]]}]", "holds 1 numbers; the first row holds 2");
    refuse_set("rain=[{\"rate\": 1, \"map\": \"none.png\"}]", "none.png: cannot be read");
    refuse_set("rain=[{\"rate\": 1, \"map\": 3}]", "it must be the name of a PNG, or a list of rows of numbers");
    refuse_set("rain=[{\"rate\": 1, \"start\": 2, \"stop\": 1}]", "\"rain.0.stop\" is 1; it must be more than");
    refuse_set("losses=[{\"kind\": \"theft\", \"rate\": 1}]", "\"evaporation\" or \"infiltration\"");
    refuse_set("losses=[{\"rate\": 1}]", "has no \"kind\"");
    refuse_set("probes=[{}]", "needs either \"at\" or \"from\"");
    refuse_set("probes=[{\"at\": [1, 1, 1]}]", "\"probes.0.at\" lies at x 1, y 1, outside the domain");
    refuse_set("probes=[{\"from\": [0, 0]}]", "has \"from\" but no \"to\"");
    refuse_set("probes=[{\"from\": [0, 0], \"to\": [0, 1]}]", "outside the domain");
    refuse_set("probes=[{\"from\": [0, 0], \"to\": [0, 0]}]", "shorter than a cell");
    refuse_set("probes=[{\"at\": [0, 0, 0], \"name\": \"a\"}, {\"at\": [0, 0, 0], \"name\": \"a\"}]",
               "\"probes.1.name\" names \"probes.0\" too");
#undef SOURCE
    const size_t pairs = 1000001;
    char *many = malloc(64 + pairs * 12), *at = many + sprintf(many, "sources=[{\"edge\": \"west\", \"rate\": [");
    assert_non_null(many);
    for (size_t i = 0; i < pairs; i++) at += sprintf(at, "%s[%zu,1]", i ? "," : "", i);
    sprintf(at, "]}]");
    refuse_set(many, "is a list of 1000001; it must be one of at most 1000000");
    free(many);
}

static void test_flows(void **state) {
    (void)state;
    assert_int_equal(rn_png_write(in_folder("cloud.png"), (const uint8_t[]){0, 0, 0, 255, 255, 255}, 2, 1), RN_OK);
    const char *const set[] = {
        "sources=[{\"edge\": \"west\", \"rate\": [[0, 0], [1, 1e-5], [2, 0]]}, "
        "{\"at\": [0.04, 0.03, 1], \"head\": -1, \"resistance\": 1e6}]",
        "rain=[{\"rate\": 1e-4, \"map\": \"cloud.png\", \"stop\": 1}, {\"rate\": 1e-4, \"map\": [[1]], \"stop\": 1}]",
        "probes=[{\"at\": [0.01, 0.01, 1]}, {\"name\": \"east, gate\", \"from\": [0.04, 0.06], \"to\": [0.04, 0]}]",
    };
    rn_scene *scene = NULL;
    if (open_text(good, set, 3, &scene) != RN_OK) fail_msg("%s", rn_last_error());
    rn_world *world = rn_scene_world(scene);
    rn_scene_info info = rn_scene_describe(scene);
    assert_int_equal(info.probe_count, 2);
    assert_string_equal(info.probes[0].name, "p1");
    assert_true(info.probes[1].is_section && !info.probes[0].is_section);
    for (int i = 0; i < 60; i++) assert_int_equal(rn_world_step(world, 0.05), RN_OK);
    double rain = 1.5 * 1e-4 * 0.08 * 0.06, unit = rn_world_describe(world).quantum * 1e-4;
    assert_true(fabs(rn_world_audit(world).poured - 1e-5 - rain) < 200.0 * unit);
    assert_true(rn_world_section_read(world, info.probes[1].section).volume > 1e-6); /* eastwards */
    rn_scene_close(scene);
}

static void test_bad_shapes(void **state) {
    (void)state;
    refuse_set("solid={}", "has no \"type\"");
    refuse_set("solid={\"typ\": \"plane\"}", "\"solid.typ\" is not a known key; did you mean \"type\"?");
    refuse_set("solid.type=spere", "did you mean \"sphere\"?");
    refuse_set("solid.type=3", "the types are plane, box");
    refuse_set("solid={\"type\": \"sphere\"}", "has no \"radius\"");
    refuse_set("solid={\"type\": \"sphere\", \"radius\": 0}", "more than 0");
    refuse_set("solid={\"type\": \"sphere\", \"radius\": 0.001, \"at\": [5, 5, 5]}", "\"solid\"");
    refuse_set("solid={\"type\": \"plane\", \"normal\": [0, 0, 0]}", "\"solid\"");
    refuse_set("solid={\"type\": \"bowl\", \"radius\": 1, \"depth\": 2}", "\"solid\"");
    refuse_set("solid={\"type\": \"union\", \"of\": []}", "it needs 1 or more");
    refuse_set("solid={\"type\": \"subtract\", \"of\": [{\"type\": \"plane\"}]}", "it needs 2 or more");
    refuse_set("solid={\"type\": \"union\", \"of\": [{\"type\": \"plane\"}, {\"type\": \"box\"}]}",
               "\"solid.of.1\" has no \"size\"");
    refuse_set("solid={\"type\": \"union\", \"of\": [{\"type\": \"plane\"}, 7]}", "\"solid.of.1\" is 7");
    refuse_set("solid={\"type\": \"heightmap\"}", "either \"file\" or \"heights\"");
    refuse_set("solid={\"type\": \"heightmap\", \"file\": \"none.png\"}", "none.png: cannot be read: No such file");
    refuse_set("solid={\"type\": \"heightmap\", \"heights\": [[1, 2], [3]]}", "holds 1 numbers; the first row holds 2");
    refuse_set("solid={\"type\": \"heightmap\", \"heights\": [[1, \"x\"]]}", "\"solid.heights.0.1\" is \"x\"");
    refuse_set("solid={\"type\": \"grid\", \"cells\": [2, 2, 2], \"values\": [1, 2], \"spacing\": 1}",
               "holds 2 numbers; \"cells\" asks for 8");
    refuse_set("solid={\"type\": \"grid\", \"cells\": [1024, 1024, 1024], \"values\": [[1, 2], 3], \"spacing\": 1}",
               "holds 3 numbers; \"cells\" asks for 1073741824");
    char nest[2000] = "solid=";
    for (int i = 0; i < 40; i++) strcat(nest, "{\"type\":\"union\",\"of\":[");
    strcat(nest, "{\"type\":\"plane\"}");
    for (int i = 0; i < 40; i++) strcat(nest, "]}");
    refuse_set(nest, "nested more than 32");
}

static void test_every_shape(void **state) {
    (void)state;
    static const char *const shapes[] = {
        "solid={\"type\": \"plane\", \"normal\": [0, 0.1, 1]}",
        "solid={\"type\": \"box\", \"size\": [1, 1, 0.1], \"rounding\": 0.01, \"turn\": [0, 0, 30]}",
        "solid={\"type\": \"sphere\", \"radius\": 0.5, \"scale\": 0.5}",
        "solid={\"type\": \"cylinder\", \"radius\": 1, \"height\": 0.1}",
        "solid={\"type\": \"capsule\", \"from\": [0, 0, 0], \"to\": [1, 1, 0], \"radius\": 0.03}",
        "solid={\"type\": \"cone\", \"radius_low\": 1, \"radius_high\": 0.1, \"height\": 0.3}",
        "solid={\"type\": \"torus\", \"radius\": 0.03, \"tube\": 0.02, \"at\": [0.04, 0.03, 0]}",
        "solid={\"type\": \"bowl\", \"radius\": 0.03, \"depth\": 0.01, \"at\": [0.04, 0.03, 0]}",
        "solid={\"type\": \"noise\", \"amplitude\": 0.01, \"wavelength\": 0.03}",
        "solid={\"type\": \"grid\", \"cells\": [2, 2, 2], \"spacing\": 1, \"values\": [-1, -1, -1, -1, 1, 1, 1, 1]}",
        "solid={\"type\": \"heightmap\", \"heights\": [[0, 0.01], [0.02, 0.03]]}",
        "solid={\"type\": \"heightmap\", \"heights\": [[0, 0.01], [0.02, 0.03]], \"spacing\": 0.05, \"origin\": [0, "
        "0]}",
        "solid={\"type\": \"intersect\", \"of\": [{\"type\": \"plane\"}, {\"type\": \"sphere\", \"radius\": 1}]}",
        "solid={\"type\": \"subtract\", \"blend\": 0.01, \"of\": [{\"type\": \"plane\"}, {\"type\": \"sphere\", "
        "\"radius\": 0.02}]}",
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) accept_set(&shapes[i], 1);
}

static void test_set(void **state) {
    (void)state;
    accept_set((const char *const[]){"liquid=milk", "liquid.viscosity=1e-5", "edges=open", "edges.west=wall"}, 4);
    accept_set((const char *const[]){"advection=true"}, 1);
    accept_set((const char *const[]){"roughness=[{\"in\": {\"type\": \"plane\"}, \"friction\": 0.1}]"}, 1);
    accept_set((const char *const[]){"fills.0.depth=0.001", "fills.1={\"level\": 0.002}"}, 2);
    accept_set((const char *const[]){"drains=[{\"at\": [0.03, 0.03, 1], \"radius\": 0.01}]"}, 1);
    const char *const set[] = {"fills=[{\"depth\": 0.002, \"in\": {\"type\": \"box\", \"size\": [0.08, 1, 1]}}]"};
    rn_scene *scene = NULL;
    assert_int_equal(open_text(good, set, 1, &scene), RN_OK);
    double volume = rn_world_volume(rn_scene_world(scene));
    assert_true(fabs(volume - 0.04 * 0.06 * 0.002) < 1e-9); /* half of the domain */
    rn_scene_close(scene);
}

/* ---- Parameters and expressions ---- */

static const char with_parameters[] =
    "{\n"
    "  \"title\": \"=this is text\",\n"
    "  \"parameters\": {\"length\": 0.07, \"wide_1\": 3},\n"
    "  \"grid\": {\"cells\": [\"=length / 0.001\", \"=(wide_1 + 1) * 2\"], \"cell\": 0.001},\n"
    "  \"solid\": {\"type\": \"heightmap\", \"heights\": [[0, \"=-length / 7\"]]},\n"
    "  \"fills\": [{\"level\": \"=--length - 0.075\"}],\n"
    "  \"sources\": [{\"at\": [\"=length / 2\", 0.004, 1], \"rate\": \"=2e-6 * wide_1\"},\n"
    "              {\"path\": [[0, \"=length / 2\", 0.004, 1]], \"rate\": [[0, 0], [\"=wide_1\", 1e-6]]}],\n"
    "  \"frames\": \"=wide_1\"\n"
    "}\n";

static void open_with(const char *const *set, int count, rn_scene **scene) {
    if (open_text(with_parameters, set, count, scene) != RN_OK) fail_msg("%s", rn_last_error());
}

static void test_parameters(void **state) {
    (void)state;
    rn_scene *scene = NULL;
    open_with(NULL, 0, &scene);
    rn_scene_info info = rn_scene_describe(scene);
    assert_string_equal(info.title, "=this is text");
    assert_int_equal(info.frames, 3);
    assert_int_equal(info.parameter_count, 2);
    assert_string_equal(info.parameters[1].name, "wide_1");
    assert_true(info.parameters[0].value == 0.07 && info.parameters[1].value == 3);
    rn_world_info world = rn_world_describe(rn_scene_world(scene));
    assert_int_equal(world.cells_x, 70); /* 0.07 / 0.001 is not 70 to the last bit */
    assert_int_equal(world.cells_y, 8);
    double before = rn_world_volume(rn_scene_world(scene));
    assert_int_equal(rn_world_step(rn_scene_world(scene), 0.5), RN_OK);
    double poured = rn_world_volume(rn_scene_world(scene)) - before;
    if (!(fabs(poured - 0.5 * 6e-6 - 0.5 * 0.5 * 0.5 * 1e-6 / 3) < 1e-10)) fail_msg("poured %g", poured);
    rn_scene_close(scene);

    const char *const set[] = {"length=0.05", "parameters.wide_1=4", "sources.0.rate==length * 1e-6"};
    open_with(set, 3, &scene);
    world = rn_world_describe(rn_scene_world(scene));
    assert_int_equal(world.cells_x, 50);
    assert_int_equal(world.cells_y, 10);
    rn_scene_close(scene);

    rn_parameter given[] = {{"length", 0.06}};
    rn_scene_def def = {.path = in_folder("scene.json"), .parameters = given, .parameter_count = 1, .threads = 1};
    assert_int_equal(rn_scene_open(&def, &scene), RN_OK);
    assert_int_equal(rn_world_describe(rn_scene_world(scene)).cells_x, 60);
    rn_scene_close(scene);
    given[0].value = NAN;
    assert_int_equal(rn_scene_open(&def, &scene), RN_INVALID);
    assert_non_null(strstr(sentence(), "\"parameters\" cannot have nan for \"length\""));
    given[0] = (rn_parameter){"lenght", 1};
    assert_int_equal(rn_scene_open(&def, &scene), RN_INVALID);
    assert_non_null(strstr(sentence(), "scene.json:3:3: \"parameters\" has no \"lenght\"; did you mean \"length\"?"));
    memset(given[0].name, 'x', sizeof given[0].name); /* without an end */
    assert_int_equal(rn_scene_open(&def, &scene), RN_INVALID);
    assert_non_null(strstr(sentence(), "; it has length, wide_1"));

    rn_parameter peeked[RN_MOST_PARAMETERS];
    int count;
    assert_int_equal(rn_scene_peek_parameters(in_folder("scene.json"), peeked, &count), RN_OK);
    assert_int_equal(count, 2);
    assert_true(strcmp(peeked[0].name, "length") == 0 && peeked[0].value == 0.07);
}

/* A checkpoint keeps the values, and goes on with none but these. */
static void test_parameters_saved(void **state) {
    (void)state;
    const char *const set[] = {"length=0.05"};
    rn_scene *scene = NULL, *again = NULL;
    open_with(set, 1, &scene);
    assert_int_equal(rn_scene_step(scene), RN_OK);
    char path[512];
    snprintf(path, sizeof path, "%s", in_folder("parameters.rnl"));
    assert_int_equal(rn_scene_save(scene, path), RN_OK);
    assert_int_equal(rn_scene_step(scene), RN_OK);
    rn_parameter given = {"length", 0.05};
    rn_scene_def def = {.checkpoint = path, .threads = 1};
    if (rn_scene_open(&def, &again) != RN_OK) fail_msg("%s", rn_last_error());
    assert_true(rn_scene_describe(again).parameters[0].value == 0.05);
    assert_int_equal(rn_scene_step(again), RN_OK);
    assert_true(rn_world_hash(rn_scene_world(scene)) == rn_world_hash(rn_scene_world(again)));
    rn_scene_close(again);
    rn_scene_close(scene);
    def.parameters = &given;
    def.parameter_count = 1;
    assert_int_equal(rn_scene_open(&def, &again), RN_INVALID);
    assert_non_null(strstr(sentence(), "goes on with the parameters it was made with"));
}

static void refuse_expression(const char *text, const char *expected) {
    char set[600];
    rn_scene *scene = NULL;
    snprintf(set, sizeof set, "friction==%s", text);
    const char *const change = set;
    assert_int_not_equal(open_text(with_parameters, &change, 1, &scene), RN_OK);
    if (!strstr(sentence(), expected)) fail_msg("%s: expected \"%s\" in \"%s\"", text, expected, sentence());
}

static void test_bad_expressions(void **state) {
    (void)state;
    refuse_expression("lenght / 2",
                      "\"friction\" is \"=lenght / 2\", but there is no parameter \"lenght\"; did you mean "
                      "\"length\"?");
    refuse_expression("other", "no parameter \"other\"; there are length, wide_1");
    refuse_expression("1 / (wide_1 - 3)", "which divides by 0");
    refuse_expression("1e300 * 1e300 * 0", "which grows beyond all numbers");
    refuse_expression("1e999", "where 1e999 is not a number");
    refuse_expression("1.2.3", "where 1.2.3 is not a number");
    refuse_expression("1e", "where 1e is not a number");
    refuse_expression("nan", "no parameter \"nan\"");
    refuse_expression("", "\"friction\" is \"=\", which ends where a number, a parameter or ( should stand");
    refuse_expression("2 *", "which ends where");
    refuse_expression("2 * / 3", "a number, a parameter or ( should stand instead of \"/ 3\"");
    refuse_expression("(2", "which has a ( without its )");
    refuse_expression("2)", "+ - * / or the end should stand instead of \")\"");
    refuse_expression("2 length", "or the end should stand instead of \"length\"");
    refuse_expression("2 é", "instead of \"\\u00E9\"");
    refuse_expression("length - 1", "\"=length - 1\", which is -0.93; it must be more than 0 and at most 1");
    char deep[300] = "";
    memset(deep, '(', 100);
    refuse_expression(deep, "which is nested more than 32 deep");
    memset(deep, '-', 100);
    refuse_expression(deep, "which is nested more than 32 deep");
    memset(deep, '1', 250);
    refuse_expression(deep, "is an expression of 251 bytes; 200 are the most there can be");
    static const char *const sets[][2] = {
        {"frames==length", "\"=length\", which is 0.07; it must be 1 or more"},
        {"frames==wide_1 / 2", "\"=wide_1 / 2\", which is 1.5; it must be a whole number"},
        {"length==1 + 1", "\"parameters.length\" is \"=1 + 1\"; it must be a plain number"},
        {"length=1e10", "--set length=1e10: \"parameters.length\" is 1e+10; it must be at most 1000000000"},
        {"lengt=1", "\"lengt\" is not a known key; did you mean \"length\"?"},
        {"zzz=1", "\"zzz\" is neither a key nor one of the scene's parameters, length, wide_1"},
        {"parameters=3", "an object of names and numbers"},
        {"parameters={\"a-b\": 3, \"length\": 0.05, \"wide_1\": 4}",
         "\"parameters.a-b\" is no name for a parameter; begin with a letter"},
        {"parameters={\"1a\": 3, \"length\": 0.05, \"wide_1\": 4}", "is no name for a parameter"},
        {"parameters={\"Big\": 3, \"length\": 0.05, \"wide_1\": 4}", "is no name for a parameter"},
        {"parameters={\"frames\": 3, \"length\": 0.05, \"wide_1\": 4}",
         "\"parameters.frames\" has the name of a key of the scene; give it another"},
        {"parameters={\"a_name_that_is_much_too_long_by_far\": 3, \"length\": 0.05, \"wide_1\": 4}",
         "is longer than the 31 bytes"},
        {"parameters={}", "no parameter \"length\"; \"parameters\" would name it"},
        {"sources.1.rate.1.0==-1", "comes at -1 s, not after"},
        {"solid.heights.0.1==1/0", "which divides by 0"},
    };
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        rn_scene *scene = NULL;
        const char *expected = sets[i][1];
        assert_int_not_equal(open_text(with_parameters, &sets[i][0], 1, &scene), RN_OK);
        if (!strstr(sentence(), expected)) fail_msg("%s: expected \"%s\" in \"%s\"", sets[i][0], expected, sentence());
    }
}

static void test_missing_and_huge_files(void **state) {
    (void)state;
    rn_scene *scene = NULL;
    rn_scene_def def = {.path = "/nowhere/at/all.json"};
    assert_int_equal(rn_scene_open(&def, &scene), RN_FILE);
    assert_non_null(strstr(rn_last_error(), "/nowhere/at/all.json: cannot be read: No such file"));
    def.path = folder;
    assert_int_equal(rn_scene_open(&def, &scene), RN_FILE);
#ifndef _WIN32
    def.path = "/dev/zero";
    assert_int_equal(rn_scene_open(&def, &scene), RN_LIMIT);
#endif
}

static void test_peek(void **state) {
    (void)state;
    static const char text[] = "{\"title\": \"One line\", \"about\": \"More of it\"}";
    char title[32], about[5];
    write_file("peek.json", text, strlen(text));
    assert_int_equal(rn_scene_peek(in_folder("peek.json"), title, sizeof title, about, sizeof about), RN_OK);
    assert_string_equal(title, "One line");
    assert_string_equal(about, "More"); /* cut to the buffer */
}

static void test_words(void **state) {
    (void)state;
    const char *best = NULL;
    rn_word_nearer("viscosty", "density", &best);
    rn_word_nearer("viscosty", "viscosity", &best);
    assert_string_equal(best, "viscosity");
    best = NULL;
    rn_word_nearer("xyzzy", "viscosity", &best);
    assert_null(best);
    assert_int_equal(rn_word_distance("sipll", "spill"), 1);
    assert_int_equal(rn_word_distance("", "abc"), 3);
}

/* ---- Pictures ---- */

static void write_grey(const char *name, int bits, int interlaced, int width, int height, const void *pixels,
                       size_t bytes) {
    FILE *file = fopen(in_folder(name), "wb");
    assert_non_null(file);
    spng_ctx *context = spng_ctx_new(SPNG_CTX_ENCODER);
    struct spng_ihdr header = {.width = (uint32_t)width,
                               .height = (uint32_t)height,
                               .bit_depth = (uint8_t)bits,
                               .interlace_method = (uint8_t)interlaced};
    assert_int_equal(spng_set_png_file(context, file), 0);
    assert_int_equal(spng_set_ihdr(context, &header), 0);
    assert_int_equal(spng_encode_image(context, pixels, bytes, SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE), 0);
    spng_ctx_free(context);
    assert_int_equal(fclose(file), 0);
}

static void test_heightmap_bits(void **state) {
    (void)state;
    const uint8_t eight[] = {0, 51, 102, 153, 204, 255};
    const uint16_t sixteen[] = {0, 13107, 26214, 39321, 52428, 65535};
    rn_heightmap map;
    for (int bits = 8; bits <= 16; bits += 8) {
        write_grey("map.png", bits, 0, 3, 2, bits == 8 ? (const void *)eight : sixteen, bits == 8 ? 6 : 12);
        assert_int_equal(rn_heightmap_load(in_folder("map.png"), 10, 15, &map), RN_OK);
        assert_int_equal(map.width, 3);
        assert_int_equal(map.height, 2);
        const float expected[] = {13, 14, 15, 10, 11, 12}; /* south first */
        for (int i = 0; i < 6; i++) assert_true(fabsf(map.heights[i] - expected[i]) < 1e-5f);
        rn_heightmap_free(&map);
    }
}

static void test_heightmap_interlaced(void **state) {
    (void)state;
    uint8_t pixels[19 * 13];
    for (size_t i = 0; i < sizeof pixels; i++) pixels[i] = (uint8_t)(i * 7);
    write_grey("plain.png", 8, 0, 19, 13, pixels, sizeof pixels);
    write_grey("laced.png", 8, 1, 19, 13, pixels, sizeof pixels);
    rn_heightmap plain, laced;
    assert_int_equal(rn_heightmap_load(in_folder("plain.png"), 0, 1, &plain), RN_OK);
    assert_int_equal(rn_heightmap_load(in_folder("laced.png"), 0, 1, &laced), RN_OK);
    assert_memory_equal(plain.heights, laced.heights, sizeof pixels * sizeof(float));
    rn_heightmap_free(&plain);
    rn_heightmap_free(&laced);
}

static void test_heightmap_scene(void **state) {
    (void)state;
    const uint8_t pixels[] = {0, 255};
    write_grey("slope.png", 8, 0, 2, 1, pixels, sizeof pixels);
    const char *const set[] = {"solid={\"type\": \"heightmap\", \"file\": \"slope.png\", \"low\": 1, \"high\": 2}"};
    rn_scene *scene = NULL;
    if (open_text(good, set, 1, &scene) != RN_OK) fail_msg("%s", rn_last_error());
    rn_world *world = rn_scene_world(scene);
    assert_true(fabs(rn_world_at(world, (rn_vec3){0.005, 0.03, 3}).base - 1) < 1e-3);
    assert_true(fabs(rn_world_at(world, (rn_vec3){0.075, 0.03, 3}).base - 2) < 1e-3);
    rn_scene_close(scene);
}

static void test_heightmap_broken(void **state) {
    (void)state;
    uint8_t pixels[64 * 64], bytes[8192];
    for (size_t i = 0; i < sizeof pixels; i++) pixels[i] = (uint8_t)(i * i >> 3);
    write_grey("whole.png", 8, 0, 64, 64, pixels, sizeof pixels);
    FILE *file = fopen(in_folder("whole.png"), "rb");
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true(length > 200);
    rn_heightmap map;
    for (size_t cut = 0; cut < length; cut += 37) {
        write_file("cut.png", bytes, cut);
        assert_int_not_equal(rn_heightmap_load(in_folder("cut.png"), 0, 1, &map), RN_OK);
        assert_null(map.heights);
        assert_non_null(strstr(rn_last_error(), "cut.png: "));
    }
    for (size_t at = 8; at < length; at += 11) { /* damage must end in an error or a picture, never in a crash */
        bytes[at] ^= 0x55;
        write_file("bent.png", bytes, length);
        if (rn_heightmap_load(in_folder("bent.png"), 0, 1, &map) == RN_OK) rn_heightmap_free(&map);
        bytes[at] ^= 0x55;
    }
    static const char prose[] = "This is a text about pictures, and no picture itself.";
    write_file("text.png", prose, sizeof prose);
    assert_int_equal(rn_heightmap_load(in_folder("text.png"), 0, 1, &map), RN_FORMAT);
    assert_non_null(strstr(rn_last_error(), "is not a PNG picture"));
    assert_int_equal(rn_heightmap_load(in_folder("none.png"), 0, 1, &map), RN_FILE);
    assert_int_equal(rn_heightmap_load(in_folder("whole.png"), NAN, 1, &map), RN_INVALID);
}

/* A header that promises a picture of 2³¹ by 2³¹ pixels, with a right checksum. */
static void test_heightmap_huge(void **state) {
    (void)state;
    static const uint8_t header[] = {0x89, 'P',  'N', 'G', '\r', '\n', 0x1a, '\n', 0,    0,    0,
                                     13,   'I',  'H', 'D', 'R',  0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff,
                                     0xff, 0xff, 8,   0,   0,    0,    0,    0xfc, 0x18, 0xed, 0xa3};
    rn_heightmap map;
    write_file("huge.png", header, sizeof header);
    assert_int_not_equal(rn_heightmap_load(in_folder("huge.png"), 0, 1, &map), RN_OK);
    assert_null(map.heights);
}

static void test_png_round_trip(void **state) {
    (void)state;
    uint8_t pixels[5 * 4 * 3], grey[5 * 4];
    for (size_t i = 0; i < sizeof grey; i++) {
        grey[i] = (uint8_t)(i * 12);
        memset(pixels + 3 * i, grey[i], 3);
    }
    rn_result (*const writers[])(const char *, const uint8_t *, int, int) = {rn_png_write, rn_png_write_small};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(writers[i](in_folder("out.png"), pixels, 5, 4), RN_OK);
        rn_heightmap map;
        assert_int_equal(rn_heightmap_load(in_folder("out.png"), 0, 255, &map), RN_OK);
        for (int y = 0; y < 4; y++)
            for (int x = 0; x < 5; x++) assert_true(fabsf(map.heights[5 * (3 - y) + x] - grey[5 * y + x]) < 1e-3f);
        rn_heightmap_free(&map);
    }
    assert_int_equal(access(in_folder("out.png"), F_OK), 0);
    assert_int_equal(count_files("part", false), 0); /* no temporary file is left */
}

static void test_png_unwritable(void **state) {
    (void)state;
    const uint8_t pixel[3] = {0};
    assert_int_equal(rn_png_write("/nowhere/at/all.png", pixel, 1, 1), RN_FILE);
    assert_string_equal(rn_last_error(), "/nowhere/at/all.png: cannot be written: No such file or directory");
    assert_int_equal(rn_png_write("/dev/full/x.png", pixel, 1, 1), RN_FILE);
    assert_int_equal(rn_png_write(in_folder("x.png"), pixel, 0, 1), RN_INVALID);
}

static void test_top_view(void **state) {
    (void)state;
    const char *const set[] = {"fills=[{\"depth\": 0.002, \"in\": {\"type\": \"box\", \"size\": [0.08, 1, 1]}}]"};
    rn_scene *scene = NULL;
    assert_int_equal(open_text(good, set, 1, &scene), RN_OK);
    rn_world *world = rn_scene_world(scene);
    rn_top_view_def view = rn_scene_describe(scene).view;
    view.width = 80;
    view.plain = true;
    assert_int_equal(rn_top_view_height(world, &view), 60);
    static uint8_t pixels[2][80 * 60 * 3];
    for (int threads = 1; threads <= 2; threads++) {
        view.threads = 2 * threads - 1;
        assert_int_equal(rn_top_view(world, &view, pixels[threads - 1]), RN_OK);
    }
    assert_memory_equal(pixels[0], pixels[1], sizeof pixels[0]);
    const uint8_t *wet = pixels[0] + 3 * (30 * 80 + 10), *dry = pixels[0] + 3 * (30 * 80 + 70);
    assert_true(wet[0] > 2 * wet[1]);       /* blood is red, */
    assert_true(abs(dry[0] - dry[1]) < 30); /* the ground is nearly grey */
    view.width = 7;
    assert_int_equal(rn_top_view(world, &view, pixels[0]), RN_INVALID);
    rn_scene_close(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_scene),
        cmocka_unit_test(test_views),
        cmocka_unit_test(test_views_of_zero),
        cmocka_unit_test(test_defaults_agree),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_positions),
        cmocka_unit_test(test_bad_json),
        cmocka_unit_test(test_bad_values),
        cmocka_unit_test(test_bad_flows),
        cmocka_unit_test(test_flows),
        cmocka_unit_test(test_bad_shapes),
        cmocka_unit_test(test_every_shape),
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_parameters_saved),
        cmocka_unit_test(test_bad_expressions),
        cmocka_unit_test(test_missing_and_huge_files),
        cmocka_unit_test(test_peek),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_heightmap_bits),
        cmocka_unit_test(test_heightmap_interlaced),
        cmocka_unit_test(test_heightmap_scene),
        cmocka_unit_test(test_heightmap_broken),
        cmocka_unit_test(test_heightmap_huge),
        cmocka_unit_test(test_png_round_trip),
        cmocka_unit_test(test_png_unwritable),
        cmocka_unit_test(test_top_view),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
