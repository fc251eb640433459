/* Scene files, heightmaps and pictures: what is read and written right, and what becomes of damaged pictures. */
#include "scene_texts.h"

#include "base/words.h"
#include "io/scene/document.h"
#include "io/scene/scene_values.h"
#include "io/scene/shapes.h"

#include <math.h>
#include <spng.h>

/* ---- Scenes ---- */

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

/* How a scene is drawn, which its flow and its maps do not depend on. */
static void test_skin(void **state) {
    (void)state;
    const char *const set[] = {"view={\"full_depth\": 0.5, \"choppiness\": 2}"};
    uint64_t hashes[2];
    for (int i = 0; i < 2; i++) {
        rn_scene *scene = NULL;
        assert_int_equal(open_text(good, set, i, &scene), RN_OK);
        const rn_skin_def def = rn_scene_skin(scene);
        assert_true(def.surface.choppiness == (i ? 2.0f : 0.0f) && def.world == rn_scene_world(scene));
        assert_true(i == 0 || def.surface.full_depth == 0.5f);
        for (int k = 0; k < 3; k++) assert_int_equal(rn_scene_step(scene), RN_OK);
        hashes[i] = rn_world_hash(rn_scene_world(scene));
        rn_scene_close(scene);
    }
    assert_true(hashes[0] == hashes[1]);
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
    rn_json_path root = {.document = &document};
    rn_scene_values values = {0};
    assert_int_equal(rn_table_read(&rn_scene_table, document.root, &root, &values), RN_OK);
    rn_world_def def = rn_world_default();
    assert_true(values.gravity[0] == def.gravity.x && values.gravity[1] == def.gravity.y);
    assert_true(values.gravity[2] == def.gravity.z);
    assert_true(values.friction == def.friction);
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
    assert_true(rn_world_read_section(world, info.probes[1].section).volume > 1e-6); /* eastwards */
    rn_scene_close(scene);
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
    accept_set((const char *const[]){"manning=0.03", "chezy=50", "friction=0.5"}, 3);
    accept_set((const char *const[]){"roughness=[{\"manning\": 0.03}, {\"in\": {\"type\": \"plane\"}, \"chezy\": 50}]"},
               1);
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
    assert_int_equal(rn_scene_preview_parameters(in_folder("scene.json"), peeked, &count), RN_OK);
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
    assert_non_null(strstr(sentence(), "continues with the parameters it was made with"));
}

static void test_peek(void **state) {
    (void)state;
    static const char text[] = "{\"title\": \"One line\", \"about\": \"More of it\"}";
    char title[32], about[5];
    write_file("peek.json", text, strlen(text));
    assert_int_equal(rn_scene_preview(in_folder("peek.json"), title, sizeof title, about, sizeof about), RN_OK);
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
    assert_true(fabs(rn_world_sample(world, (rn_vec3){0.005, 0.03, 3}).base - 1) < 1e-3);
    assert_true(fabs(rn_world_sample(world, (rn_vec3){0.075, 0.03, 3}).base - 2) < 1e-3);
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

/* A plain colour makes a liquid that absorbs least of the light that the colour has most of, and hides the ground at
   the given depth. */
static void test_liquid_colour(void **state) {
    (void)state;
    const char *const set[] = {"liquid={\"name\": \"water\", \"colour\": [0.8, 0.3, 0.05], \"full_depth\": 0.01}"};
    rn_scene *scene;
    assert_int_equal(open_text(good, set, 1, &scene), RN_OK);
    const rn_liquid liquid = rn_world_liquid(rn_scene_world(scene));
    rn_scene_close(scene);
    assert_true(liquid.absorption[0] < liquid.absorption[1] && liquid.absorption[1] < liquid.absorption[2]);
    assert_true(liquid.scattering[0] > 0 && liquid.viscosity == rn_liquid_water().viscosity);
    assert_true(fabs(rn_liquid_full_depth(&liquid) - 0.01) < 1e-9);
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
        cmocka_unit_test(test_skin),
        cmocka_unit_test(test_defaults_agree),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_flows),
        cmocka_unit_test(test_every_shape),
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_parameters_saved),
        cmocka_unit_test(test_peek),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_heightmap_bits),
        cmocka_unit_test(test_heightmap_interlaced),
        cmocka_unit_test(test_heightmap_scene),
        cmocka_unit_test(test_heightmap_broken),
        cmocka_unit_test(test_heightmap_huge),
        cmocka_unit_test(test_liquid_colour),
        cmocka_unit_test(test_png_round_trip),
        cmocka_unit_test(test_png_unwritable),
        cmocka_unit_test(test_top_view),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
