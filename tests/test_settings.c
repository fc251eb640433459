/* Settings that change while a world runs: the bits are those of a world that was made with them; scenes keep them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scratch.h"

#include <runnel/runnel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static rn_world_def start(const char *solver, int threads) {
    rn_world_def def = rn_world_default();
    def.solver = solver;
    def.threads = threads;
    return def;
}

/* Ground that rises to the east, with a block of liquid on it. */
static rn_world *make_world(const rn_world_def *given) {
    rn_terrain_def ground = rn_terrain_default();
    ground.cells_x = 24, ground.cells_y = 16;
    ground.cell_size = 0.01;
    ground.bottom = -0.01, ground.lid = 0.16;
    ground.solid = rn_sdf_plane((rn_vec3){0, 0, 0}, (rn_vec3){-0.1, 0, 1});
    rn_terrain *terrain;
    if (rn_terrain_create(&ground, &terrain) != RN_OK) fail_msg("%s", rn_last_error());
    rn_world_def def = *given;
    def.terrain = terrain;
    rn_world *world;
    if (rn_world_create(&def, &world) != RN_OK) fail_msg("%s", rn_last_error());
    rn_terrain_destroy(terrain);
    rn_sdf *box = rn_sdf_move(rn_sdf_box((rn_vec3){0.1, 0.1, 0.1}), (rn_vec3){0.1, 0.08, 0.05});
    const rn_fill_def fill = {.kind = RN_FILL_SHAPE, .shape = box};
    assert_int_equal(rn_world_fill(world, &fill), RN_OK);
    rn_sdf_destroy(box);
    return world;
}

static uint64_t run(rn_world *world, int steps) {
    for (int i = 0; i < steps; i++)
        if (rn_world_step(world, 1.0 / 60.0) != RN_OK) fail_msg("%s", rn_last_error());
    return rn_world_hash(world);
}

static uint64_t run_and_free(rn_world *world, int steps) {
    const uint64_t hash = run(world, steps);
    rn_world_destroy(world);
    return hash;
}

static const char *const solvers[] = {"explicit", "implicit", "packets", "mac"};
enum { SOLVERS = 4 };
#define STEPS (getenv("RUNNEL_LONG") ? 20 : 8)
static const rn_vec3 tilted = {1.5, -0.7, -8.0};

static rn_liquid syrup(void) {
    rn_liquid liquid = rn_liquid_water();
    liquid.viscosity = 2e-2;
    return liquid;
}

/* ---- Tests ------------------------------------------------------------------------------------------------------- */

static void set_before_the_first_step_is_made_with(void **state) {
    (void)state;
    for (int i = 0; i < SOLVERS; i++) {
        rn_world_def def = start(solvers[i], 1);
        const uint64_t plain = run_and_free(make_world(&def), STEPS);
        rn_world *world = make_world(&def);
        const rn_liquid thick = syrup();
        assert_int_equal(rn_world_set_gravity(world, tilted), RN_OK);
        assert_int_equal(rn_world_set_liquid(world, &thick), RN_OK);
        assert_true(rn_world_gravity(world).x == tilted.x && rn_world_liquid(world).viscosity == thick.viscosity);
        if (i < 3) assert_int_equal(rn_world_set_default_friction(world, 0.9), RN_OK);
        if (i == 1) assert_int_equal(rn_world_set_courant(world, 5.0), RN_OK);
        if (i == 2) assert_int_equal(rn_world_set_courant(world, 0.8), RN_OK);
        def.gravity = tilted;
        def.liquid = thick;
        if (i < 3) def.friction = 0.9;
        def.courant = 5.0;
        def.packets.courant = 0.8;
        const uint64_t set = run_and_free(world, STEPS), made = run_and_free(make_world(&def), STEPS);
        if (set != made) fail_msg("%s: set is not made with", solvers[i]);
        assert_true(set != plain);
    }
}

/* Half way, with any number of threads; and back again. */
static void changes_half_way_have_one_set_of_bits(void **state) {
    (void)state;
    for (int i = 0; i < SOLVERS; i++) {
        uint64_t hashes[2];
        for (int k = 0; k < 2; k++) {
            const rn_world_def def = start(solvers[i], k ? 3 : 1);
            rn_world *world = make_world(&def);
            const rn_liquid thick = syrup(), water = rn_liquid_water();
            run(world, STEPS);
            assert_int_equal(rn_world_set_gravity(world, tilted), RN_OK);
            assert_int_equal(rn_world_set_liquid(world, &thick), RN_OK);
            run(world, STEPS);
            assert_int_equal(rn_world_set_liquid(world, &water), RN_OK);
            hashes[k] = run(world, STEPS);
            if (i < 3) assert_true(rn_world_audit(world).drift == 0.0);
            rn_world_destroy(world);
        }
        assert_true(hashes[0] == hashes[1]);
    }
}

/* Liquid at rest moves once gravity is tilted. */
static void what_rests_wakes_up(void **state) {
    (void)state;
    const rn_world_def def = start("explicit", 1);
    rn_world *world = make_world(&def);
    run(world, 3000);
    const rn_vec3 north = {0.0, 4.0, -9.0};
    const double before = rn_world_sample(world, (rn_vec3){0.02, 0.155, 0.1}).level;
    assert_int_equal(rn_world_set_gravity(world, north), RN_OK);
    run(world, 60);
    assert_true(rn_world_sample(world, (rn_vec3){0.02, 0.155, 0.1}).level > before + 0.005);
    rn_world_destroy(world);
}

/* A snapshot goes on to the same bits in a world whose settings were set again. */
static void snapshots_go_on(void **state) {
    (void)state;
    for (int i = 0; i < SOLVERS; i++) {
        const rn_world_def def = start(solvers[i], 1);
        rn_world *world = make_world(&def), *other = make_world(&def);
        rn_snapshot *snapshot = NULL;
        assert_int_equal(rn_world_set_gravity(world, tilted), RN_OK);
        run(world, STEPS);
        assert_int_equal(rn_world_save(world, &snapshot), RN_OK);
        const uint64_t hash = run_and_free(world, STEPS);
        assert_int_equal(rn_world_set_gravity(other, tilted), RN_OK);
        if (rn_world_restore(other, snapshot) != RN_OK) fail_msg("%s: %s", solvers[i], rn_last_error());
        assert_true(run_and_free(other, STEPS) == hash);
        rn_snapshot_destroy(snapshot);
    }
}

static uint64_t hash_before; /* of the world that refuses */

static void refuses(rn_world *world, rn_result result, const char *word) {
    if (result == RN_OK) fail_msg("was accepted; expected a sentence with \"%s\"", word);
    if (!strstr(rn_last_error(), word)) fail_msg("says \"%s\", without \"%s\"", rn_last_error(), word);
    assert_true(hash_before == rn_world_hash(world));
}

static void what_makes_no_sense_is_refused(void **state) {
    (void)state;
    rn_world_def def = start("explicit", 1);
    rn_world *world = make_world(&def);
    hash_before = rn_world_hash(world);
    rn_liquid bad = rn_liquid_water();
    bad.viscosity = -1.0;
    refuses(world, rn_world_set_gravity(world, (rn_vec3){0, 0, 9.81}), "gravity.z");
    refuses(world, rn_world_set_gravity(world, (rn_vec3){30, 0, -9.81}), "sideways");
    refuses(world, rn_world_set_liquid(world, &bad), "viscosity");
    refuses(world, rn_world_set_default_friction(world, 0.0), "friction");
    refuses(world, rn_world_set_courant(world, 3.0), "no courant");
    refuses(world, rn_world_set_max_substeps(world, -1), "max_substeps");
    assert_true(rn_world_gravity(world).z == -9.81);
    rn_world_destroy(world);
    def.solver = "mac";
    world = make_world(&def);
    hash_before = rn_world_hash(world);
    refuses(world, rn_world_set_default_friction(world, 0.9), "3D liquid");
    refuses(world, rn_world_set_max_substeps(world, 4), "3D liquid");
    rn_world_destroy(world);
}

/* Dynamic contact stays on or off. */
static void contact_is_not_switched(void **state) {
    (void)state;
    rn_world_def def = start("explicit", 1);
    def.contact = RN_CONTACT_DYNAMIC;
    def.liquid.contact_angle = 60, def.liquid.receding_angle = 40;
    rn_world *world = make_world(&def);
    rn_liquid liquid = def.liquid;
    liquid.contact_angle = 90;
    assert_int_equal(rn_world_set_liquid(world, &liquid), RN_OK);
    liquid.contact_angle = liquid.receding_angle = 0;
    hash_before = rn_world_hash(world);
    refuses(world, rn_world_set_liquid(world, &liquid), "dynamic contact");
    rn_world_destroy(world);
}

/* A state after sources were removed fits a world that never had them. */
static void removed_sources_leave_no_trace(void **state) {
    (void)state;
    const rn_world_def def = start("explicit", 1);
    rn_world *world = make_world(&def), *other = make_world(&def);
    const int stream = rn_world_pour(world, (rn_vec3){0.1, 0.1, 0.1}, 0.02, 1e-4);
    run(world, STEPS);
    assert_int_equal(rn_world_remove_source(world, stream), RN_OK);
    run(world, STEPS);
    rn_snapshot *snapshot = NULL;
    assert_int_equal(rn_world_save(world, &snapshot), RN_OK);
    if (rn_world_restore(other, snapshot) != RN_OK) fail_msg("%s", rn_last_error());
    assert_true(rn_world_hash(world) == rn_world_hash(other));
    assert_true(run_and_free(world, STEPS) == run_and_free(other, STEPS));
    rn_snapshot_destroy(snapshot);
}

/* ---- Scenes ------------------------------------------------------------------------------------------------------ */

static rn_scene *open_scene(const char *path, const char *checkpoint) {
    const rn_scene_def def = {.path = path, .checkpoint = checkpoint, .threads = 1, .keep_solid = true};
    rn_scene *scene;
    const rn_result result = rn_scene_open(&def, &scene);
    if (result == RN_UNSUPPORTED) skip(); /* without ODE */
    if (result != RN_OK) fail_msg("%s", rn_last_error());
    return scene;
}

static uint64_t run_scene(rn_scene *scene, int steps) {
    for (int i = 0; i < steps; i++)
        if (rn_scene_step(scene) != RN_OK) fail_msg("%s", rn_last_error());
    return rn_world_hash(rn_scene_world(scene));
}

#define DUCK                                                                                                           \
    "{\"name\": \"box\", \"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, 0.1]}, \"density\": 400, "                \
    "\"at\": [0.9, 0.4, 0.4]}"

/* A checkpoint of a scene that was changed and got a body goes on to the same bits. */
static void checkpoints_hold_what_was_changed(void **state) {
    (void)state;
    static const char *const paths[] = {"scenes/pond.json", "scenes/ducks.json"};
    for (int i = 0; i < 2; i++) {
        rn_scene *scene = open_scene(paths[i], NULL);
        run_scene(scene, 3);
        if (rn_scene_set(scene, "gravity=[0.8, 0, -9]") != RN_OK) fail_msg("%s", rn_last_error());
        if (rn_scene_set(scene, "liquid.viscosity=1e-4") != RN_OK) fail_msg("%s", rn_last_error());
        if (rn_scene_set(scene, "friction=0.7") != RN_OK) fail_msg("%s", rn_last_error());
        if (i == 1 && rn_scene_add_body(scene, DUCK) != RN_OK) fail_msg("%s", rn_last_error());
        run_scene(scene, 4);
        if (rn_scene_save(scene, in_folder("settings.rnl")) != RN_OK) fail_msg("%s", rn_last_error());
        rn_scene *other = open_scene(NULL, in_folder("settings.rnl"));
        assert_true(run_scene(scene, 5) == run_scene(other, 5));
        assert_true(rn_world_gravity(rn_scene_world(other)).x == 0.8);
        char *text;
        assert_int_equal(rn_scene_text(other, &text), RN_OK);
        assert_non_null(strstr(text, "\"viscosity\": 0.0001"));
        rn_scene_text_free(text);
        rn_scene_close(other);
        rn_scene_close(scene);
    }
}

/* The place of a scene outlives changes of the document that it was read from, and is in checkpoints. */
static void the_place_stays(void **state) {
    (void)state;
    static const char *const set[] = {"georeference={\"crs\": \"EPSG:32613\", \"origin\": [476000, 4425000, 3]}"};
    const rn_scene_def def = {.path = "scenes/pond.json", .set = set, .set_count = 1, .threads = 1};
    rn_scene *scene;
    if (rn_scene_open(&def, &scene) != RN_OK) fail_msg("%s", rn_last_error());
    const char *crs = rn_scene_describe(scene).georeference.crs;
    if (rn_scene_set(scene, "friction=0.7") != RN_OK) fail_msg("%s", rn_last_error());
    assert_string_equal(crs, "EPSG:32613");
    assert_ptr_equal(rn_scene_describe(scene).georeference.crs, crs);
    if (rn_scene_save(scene, in_folder("place.rnl")) != RN_OK) fail_msg("%s", rn_last_error());
    rn_scene *other = open_scene(NULL, in_folder("place.rnl"));
    const rn_georeference place = rn_scene_describe(other).georeference;
    assert_string_equal(place.crs, "EPSG:32613");
    assert_true(place.origin[0] == 476000 && place.origin[1] == 4425000 && place.origin[2] == 3 && place.scale[0] == 1);
    rn_scene_close(other);
    rn_scene_close(scene);
}

static void scenes_refuse_and_stay(void **state) {
    (void)state;
    rn_scene *scene = open_scene("scenes/pond.json", NULL), *same = open_scene("scenes/pond.json", NULL);
    rn_world *world = rn_scene_world(scene);
    hash_before = rn_world_hash(world);
    refuses(world, rn_scene_set(scene, "solver=implicit"), "cannot change while");
    refuses(world, rn_scene_set(scene, "liquid.viscosity=-3"), "viscosity");
    refuses(world, rn_scene_set(scene, "gravity=[0, 0, 5]"), "gravity");
    refuses(world, rn_scene_set(scene, "liquid=treacle"), "treacle");
    refuses(world, rn_scene_add_body(scene, "{\"shape\": 3}"), "shape");
    refuses(world, rn_scene_add_body(scene, "box"), "JSON");
    assert_true(run_scene(scene, 5) == run_scene(same, 5));
    rn_scene_close(scene);
    rn_scene_close(same);
}

/* A body that a world refuses leaves the scene as it was: it goes on, with the bits of one that was never asked. */
static void a_refused_body_is_forgotten(void **state) {
    (void)state;
    rn_scene *scene = open_scene("scenes/pond.json", NULL), *same = open_scene("scenes/pond.json", NULL);
    rn_world *world = rn_scene_world(scene); /* packets, in which no body blocks */
    hash_before = rn_world_hash(world);
    refuses(world,
            rn_scene_add_body(scene, "{\"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"way\": \"blocks\"}"),
            "bod");
    assert_true(run_scene(scene, 2) == run_scene(same, 2));
    rn_scene_close(scene);
    rn_scene_close(same);
}

/* A box that is dropped into water while the scene runs floats, and can be pushed. */
static void a_body_that_is_added_floats(void **state) {
    (void)state;
    rn_scene *scene = open_scene("scenes/ducks.json", NULL);
    rn_world *world = rn_scene_world(scene);
    const int count = rn_bodies_count(world);
    run_scene(scene, 2);
    if (rn_scene_add_body(scene, DUCK) != RN_OK) fail_msg("%s", rn_last_error());
    assert_int_equal(rn_bodies_count(world), count + 1);
    run_scene(scene, 240);
    const rn_body_load load = rn_bodies_load(world, count);
    assert_true(load.share > 0.2 && load.share < 0.7);
    for (int i = 0; i < 30; i++) {
        assert_int_equal(rn_scene_push_body(scene, count, (rn_vec3){0, 0, 40}, (rn_vec3){0}), RN_OK);
        run_scene(scene, 1);
    }
    assert_true(rn_bodies_load(world, count).share < 0.1);
    rn_scene_close(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(set_before_the_first_step_is_made_with),
        cmocka_unit_test(changes_half_way_have_one_set_of_bits),
        cmocka_unit_test(what_rests_wakes_up),
        cmocka_unit_test(snapshots_go_on),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(contact_is_not_switched),
        cmocka_unit_test(removed_sources_leave_no_trace),
        cmocka_unit_test(checkpoints_hold_what_was_changed),
        cmocka_unit_test(the_place_stays),
        cmocka_unit_test(scenes_refuse_and_stay),
        cmocka_unit_test(a_refused_body_is_forgotten),
        cmocka_unit_test(a_body_that_is_added_floats),
    };
    if (make_folder("settings") != 0) return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    count_files("", true);
    rmdir(folder);
    return failed;
}
