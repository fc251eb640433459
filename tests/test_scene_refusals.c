/* Scene files that are refused, and with which sentence. */
#include "scene_texts.h"

/* ---- Scenes ---- */

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
    refuse_set("liquid=bloood", "there is no liquid \"bloood\"; did you mean \"blood\"?");
    refuse_set("liquid={\"name\": \"blood\", \"colour\": [1, 0, 0], \"absorption\": [1, 1, 1]}",
               "\"liquid.colour\" replaces \"absorption\" and \"scattering\"; leave out either");
    refuse_set("liquid.on=glas", "there is no ground \"glas\"; did you mean \"glass\"?");
    refuse_set("liquid.on=velvet", "there is no ground \"velvet\"; there are glass, clean glass");
    refuse_set("liquid.on=wax", "the contact angles of blood on wax are not known; known are those on bone");
    refuse_set("friction=0", "\"friction\" is 0; it must be more than 0 and at most 1");
    refuse_set("friction=1.5", "it must be more than 0 and at most 1");
    refuse_set("grid.cells=[0, 10]", "must be from 1 to 65536");
    refuse_set("grid.cells=[2147483648, 1]", "must be from 1 to 65536");
    refuse_set("grid.cells=[65536, 65536]", "at most 67108864 are allowed");
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
    refuse_set("manning=-1", "\"manning\" is -1; it must be from 0 to 10 (s/m^(1/3))");
    refuse_set("chezy=0", "\"chezy\" is 0; it must be 0.1 or more (m^(1/2)/s)");
    refuse_set("roughness=[{\"in\": {\"type\": \"plane\"}}]",
               "\"roughness.0\" needs exactly one of \"friction\", \"manning\", \"chezy\" and \"raster\"");
    refuse_set("roughness=[{\"friction\": 0.1, \"chezy\": 50}]", "needs exactly one of");
    refuse_set("roughness=[{\"raster\": \"n.png\"}]", "has \"raster\" but no \"values\"; they go together");
    refuse_set("roughness=[{\"raster\": \"n.png\", \"values\": \"n\"}]",
               "it must be \"friction\", \"manning\" or \"chezy\"");
    refuse_set("roughness=[{\"raster\": \"none.png\", \"values\": \"manning\"}]", "none.png: cannot be read");
    refuse_set("roughness=[{\"in\": {\"type\": \"plane\"}, \"friction\": 0}]", "it must be more than 0 and at most 1");
    refuse_set("roughness=[{\"in\": {\"type\": \"sphere\", \"radius\": 0.001, \"at\": [9, 9, 9]}, \"friction\": 0.1}]",
               "\"roughness.0\": the region touches no ground");
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
    refuse_set(many, "is a list of 1000001; it may have at most 1000000");
    free(many);
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

/* ---- Parameters and expressions ---- */

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
    refuse_expression("1e300 * 1e300 * 0", "which is too large for a number");
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
    refuse_expression(deep, "is an expression of 251 bytes; at most 200 are allowed");
    static const char *const sets[][2] = {
        {"frames==length", "\"=length\", which is 0.07; it must be 1 or more"},
        {"frames==wide_1 / 2", "\"=wide_1 / 2\", which is 1.5; it must be a whole number"},
        {"length==1 + 1", "\"parameters.length\" is \"=1 + 1\"; it must be a plain number"},
        {"length=1e10", "--set length=1e10: \"parameters.length\" is 1e+10; it must be at most 1000000000"},
        {"lengt=1", "\"lengt\" is not a known key; did you mean \"length\"?"},
        {"zzz=1", "\"zzz\" is neither a key nor one of the scene's parameters, length, wide_1"},
        {"parameters=3", "an object of names and numbers"},
        {"parameters={\"a-b\": 3, \"length\": 0.05, \"wide_1\": 4}",
         "\"parameters.a-b\" is not a valid parameter name; begin with a letter"},
        {"parameters={\"1a\": 3, \"length\": 0.05, \"wide_1\": 4}", "is not a valid parameter name"},
        {"parameters={\"Big\": 3, \"length\": 0.05, \"wide_1\": 4}", "is not a valid parameter name"},
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
    def.path = "/dev/zero"; /* it would never end */
    assert_int_equal(rn_scene_open(&def, &scene), RN_FILE);
    assert_non_null(strstr(rn_last_error(), "/dev/zero: is not a file"));
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_positions),
        cmocka_unit_test(test_bad_json),
        cmocka_unit_test(test_bad_values),
        cmocka_unit_test(test_bad_flows),
        cmocka_unit_test(test_bad_shapes),
        cmocka_unit_test(test_bad_expressions),
        cmocka_unit_test(test_missing_and_huge_files),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
