/* Worlds and scenes of the 3D liquid: the same bits, states that go on, and what is refused. */
#include "scene_texts.h"

#include "mac/mac.h"
#include "world/mac.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const plain =
    "{\"grid\": {\"cells\": [24, 12], \"cell\": 0.05, \"bottom\": -0.1, \"lid\": 0.6}, \"solver\": \"mac\","
    "\"solid\": {\"type\": \"plane\"}, \"fills\": [{\"shape\": {\"type\": \"box\", \"size\": [0.4, 0.6, 0.4], "
    "\"at\": [0.2, 0.3, 0.2]}}], \"frame_time\": 0.02}";

static rn_result open_with(const char *text, int threads, const char *change, rn_scene **scene) {
    write_file("scene.json", text, strlen(text));
    const char *const set[1] = {change};
    const rn_scene_def def = {
        .path = in_folder("scene.json"), .set = set, .set_count = change != NULL, .threads = threads};
    return rn_scene_open(&def, scene);
}

static rn_scene *open_scene(const char *text, int threads, const char *change) {
    rn_scene *scene = NULL;
    if (open_with(text, threads, change, &scene) != RN_OK) fail_msg("%s", rn_last_error());
    return scene;
}

static void step(rn_scene *scene, int frames) {
    for (int i = 0; i < frames; i++)
        if (rn_scene_step(scene) != RN_OK) fail_msg("%s", rn_last_error());
}

static void threads_give_the_same_bits(void **state) {
    (void)state;
    uint64_t hashes[2];
    for (int i = 0; i < 2; i++) {
        rn_scene *scene = open_scene(plain, 1 + i, NULL);
        step(scene, 10);
        hashes[i] = rn_world_hash(rn_scene_world(scene));
        rn_scene_close(scene);
    }
    assert_true(hashes[0] == hashes[1]);
}

/* Looking at the liquid from outside after each step changes nothing. */
static void a_world_steps_as_the_liquid_alone(void **state) {
    (void)state;
    rn_scene *scene = open_scene(plain, 1, NULL);
    rn_world_mac *m = rn_scene_world(scene)->mac;
    rn_mac *alone = NULL;
    assert_int_equal(rn_mac_create(&m->def, &alone), RN_OK);
    const rn_vec3 low = {0, 0, 0}, high = {0.4, 0.6, 0.4};
    assert_int_equal(rn_mac_add_liquid(alone, low, high, NULL, NULL, low), RN_OK);
    assert_int_equal(rn_mac_particle_count(alone), rn_mac_particle_count(m->mac));
    step(scene, 8);
    for (int i = 0; i < 8; i++) assert_int_equal(rn_mac_step(alone, 0.02, NULL), RN_OK);
    assert_true(rn_mac_hash(alone) == rn_mac_hash(m->mac));
    rn_mac_destroy(alone);
    rn_scene_close(scene);
}

static void a_state_goes_on(void **state) {
    (void)state;
    rn_scene *scene = open_scene(plain, 1, NULL);
    rn_world *world = rn_scene_world(scene);
    rn_snapshot *saved = NULL;
    step(scene, 4);
    assert_int_equal(rn_world_save(world, &saved), RN_OK);
    step(scene, 6);
    const uint64_t hash = rn_world_hash(world);
    assert_int_equal(rn_world_restore(world, saved), RN_OK);
    assert_true(rn_world_hash(world) != hash);
    step(scene, 6);
    assert_true(rn_world_hash(world) == hash);
    rn_snapshot_destroy(saved);
    rn_scene_close(scene);
}

/* A solid that moves, and sources that come after the state was saved, do not show in what follows it. */
static void a_state_with_a_moving_solid_goes_on(void **state) {
    (void)state;
    rn_scene *scene = open_scene(plain, 1, NULL);
    rn_world *world = rn_scene_world(scene);
    const rn_solid_def box = {.shape = rn_sdf_box((rn_vec3){0.2, 0.2, 0.3}), .at = {0.55, 0.3, 0.15}};
    const int solid = rn_world_add_solid(world, &box);
    assert_int_equal(solid, 0);
    rn_snapshot *saved = NULL;
    uint64_t hashes[2] = {0}, there = 0;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 10; i++) {
            if (i == 4 && round == 0) {
                assert_int_equal(rn_world_save(world, &saved), RN_OK);
                there = rn_world_hash(world);
            }
            if (round == 1 && i < 4) continue;
            const rn_vec3 at = {0.55 - 0.01 * i, 0.3, 0.15};
            assert_int_equal(rn_world_move_solid(world, solid, at, (rn_quat){0}), RN_OK);
            assert_int_equal(rn_world_step(world, 0.02), RN_OK);
        }
        hashes[round] = rn_world_hash(world);
        if (round == 1) break;
        rn_source_def jet = rn_source_default();
        jet.kind = RN_SOURCE_RATE, jet.at = (rn_vec3){0.6, 0.3, 0.5}, jet.radius = 0.05, jet.rate = 1e-3;
        assert_true(rn_world_add_source(world, &jet) >= 0);
        assert_int_equal(rn_world_restore(world, saved), RN_OK);
        assert_true(rn_world_hash(world) == there);
    }
    assert_true(hashes[0] == hashes[1]);
    rn_snapshot_destroy(saved);
    rn_scene_close(scene);
}

/* A damaged state is refused before anything has changed. */
/* A paddle that turns about z in a pool takes the liquid along. */
static void a_turning_paddle_stirs(void **state) {
    (void)state;
    rn_scene *scene = open_scene(
        "{\"grid\": {\"cells\": [24, 24], \"cell\": 0.025, \"lid\": 0.3}, \"solver\": \"mac\","
        "\"solid\": {\"type\": \"plane\"}, \"fills\": [{\"depth\": 0.2}], \"frame_time\": 0.02,"
        "\"solids\": [{\"shape\": {\"type\": \"box\", \"size\": [0.3, 0.08, 0.6]}, \"path\": [[0, 0.3, 0.3, 0.1]],"
        "\"turns\": [[0, 0, 0, 0], [1, 0, 0, 180]]}]}",
        2, NULL);
    step(scene, 40);
    const rn_mac *mac = rn_scene_world(scene)->mac->mac;
    double spin = 0.0, fastest = 0.0, inertia = 0.0;
    for (int64_t n = 0; n < rn_mac_particle_count(mac); n++) {
        const rn_mac_particle p = rn_mac_particle_at(mac, n);
        const double x = p.position.x - 0.3, y = p.position.y - 0.3;
        spin += x * p.velocity.y - y * p.velocity.x;
        inertia += x * x + y * y;
        fastest = fmax(fastest, hypot(p.velocity.x, p.velocity.y));
    }
    if (!(spin / inertia > 0.05)) fail_msg("the liquid turns at %g 1/s", spin / inertia);
    if (!(fastest < 3.0)) fail_msg("liquid is thrown at %g m/s by a paddle whose tip has 0.47 m/s", fastest);
    rn_scene_close(scene);
}

static void a_damaged_state_changes_nothing(void **state) {
    (void)state;
    rn_scene *scene = open_scene(plain, 1, NULL);
    rn_world *world = rn_scene_world(scene);
    rn_snapshot *saved = NULL, *broken = NULL;
    step(scene, 2);
    assert_int_equal(rn_world_save(world, &saved), RN_OK);
    step(scene, 2);
    const uint64_t hash = rn_world_hash(world);
    size_t size;
    const uint8_t *bytes = rn_snapshot_bytes(saved, &size);
    const size_t liquid = rn_mac_saved_size(world->mac->mac); /* at the end */
    uint8_t *copy = malloc(size);
    assert_non_null(copy);
    for (size_t at = 0; at < 64; at += 4) { /* its head */
        memcpy(copy, bytes, size);
        copy[size - liquid + at] ^= 0x55;
        assert_int_equal(rn_snapshot_create(NULL, copy, size, &broken), RN_OK);
        if (rn_world_restore(world, broken) != RN_OK) assert_true(rn_world_hash(world) == hash);
        else assert_int_equal(rn_world_restore(world, saved), RN_OK), step(scene, 2);
        rn_snapshot_destroy(broken);
    }
    free(copy);
    rn_snapshot_destroy(saved);
    rn_scene_close(scene);
}

static void books_and_columns_tell_the_volume(void **state) {
    (void)state;
    rn_scene *scene = open_scene(plain, 1, NULL);
    rn_world *world = rn_scene_world(scene);
    step(scene, 5);
    const rn_audit audit = rn_world_audit(world);
    assert_true(fabs(audit.poured - 0.096) < 1e-9);
    assert_true(fabs(audit.drift) < 0.02 * audit.poured);
    const rn_view depth = rn_world_view(world, RN_FIELD_DEPTH);
    double sum = 0.0;
    for (int y = 0; y < 12; y++)
        for (int x = 0; x < 24; x++) sum += (double)depth.data[y * depth.row_stride + x] * 0.05 * 0.05;
    assert_true(fabs(sum - audit.present) < 0.01 * audit.poured);
    assert_true(rn_world_sample(world, (rn_vec3){0.1, 0.3, 0.5}).depth > 0.2);
    rn_scene_close(scene);
}

static void a_source_pours_and_a_drain_takes(void **state) {
    (void)state;
    static const char *const text =
        "{\"grid\": {\"cells\": [16, 16], \"cell\": 0.05, \"bottom\": -0.1, \"lid\": 0.8}, \"solver\": \"mac\","
        "\"solid\": {\"type\": \"plane\"}, \"fills\": [{\"depth\": 0.2}], \"frame_time\": 0.05,"
        "\"sources\": [{\"at\": [0.2, 0.4, 0.6], \"radius\": 0.1, \"rate\": 0.02, \"stop\": 0.5}],"
        "\"drains\": [{\"at\": [0.7, 0.4, 0.05], \"radius\": 0.1, \"rate\": 0.01}]}";
    rn_scene *scene = open_scene(text, 1, NULL);
    step(scene, 16);
    const rn_audit audit = rn_world_audit(rn_scene_world(scene));
    assert_true(fabs(audit.poured - 0.8 * 0.8 * 0.2 - 0.01) < 2e-4);
    assert_true(fabs(audit.drained - 0.008) < 5e-4);
    rn_scene_close(scene);
}

static void refuses(const char *text, const char *change, const char *part) {
    rn_scene *scene = NULL;
    if (open_with(text, 1, change, &scene) == RN_OK) fail_msg("%s was not refused", change);
    if (!strstr(rn_last_error(), part)) fail_msg("\"%s\" does not say \"%s\"", rn_last_error(), part);
}

/* "contact": "dynamic" turns surface tension on: a cube of water of 6 mm pulls itself together. */
static void dynamic_contact_is_surface_tension(void **state) {
    (void)state;
    const char *const cube =
        "{\"grid\": {\"cells\": [24, 24], \"cell\": 0.0005, \"bottom\": -0.001, \"lid\": 0.014}, \"solver\": \"mac\","
        "\"solid\": {\"type\": \"plane\"}, \"liquid\": \"water\", \"gravity\": [0, 0, -0.01], \"frame_time\": 0.002,"
        "\"fills\": [{\"shape\": {\"type\": \"box\", \"size\": [0.006, 0.006, 0.006], \"at\": [0.006, 0.006, "
        "0.007]}}]}";
    double corners[2] = {0}; /* share of the liquid farther than 4.2 mm from the middle */
    for (int i = 0; i < 2; i++) {
        rn_scene *scene = open_scene(cube, 2, i ? "contact=dynamic" : NULL);
        step(scene, 3); /* six milliseconds: about a quarter of the period of this wave */
        const rn_mac *mac = rn_scene_world(scene)->mac->mac;
        const int64_t count = rn_mac_particle_count(mac);
        for (int64_t n = 0; n < count; n++) {
            const rn_vec3 p = rn_mac_particle_at(mac, n).position;
            corners[i] += (hypot(hypot(p.x - 0.006, p.y - 0.006), p.z - 0.008) > 0.0042) / (double)count;
        }
        rn_scene_close(scene);
    }
    if (!(corners[0] > 0.03 && corners[1] < 0.7 * corners[0]))
        fail_msg("corners hold %g of the liquid with surface tension, %g without", corners[1], corners[0]);
}

/* The number of particles with x below a line (m). */
static int64_t count_west_of(const rn_mac *mac, double x) {
    int64_t count = 0;
    for (int64_t n = 0; n < rn_mac_particle_count(mac); n++) count += rn_mac_particle_at(mac, n).position.x < x;
    return count;
}

/* What a section counts is exactly the change of the liquid on its sides; a state that is restored goes on counting. */
static void sections_count_every_particle(void **state) {
    (void)state;
    rn_scene *scene = open_scene(plain, 2, NULL);
    rn_world *world = rn_scene_world(scene);
    const rn_mac *mac = world->mac->mac;
    const int straight = rn_world_add_section(world, 0.5, 0.0, 0.5, 0.6),
              slanted = rn_world_add_section(world, 0.7, 0.6, 0.4, 0.0);
    assert_true(straight >= 0 && slanted >= 0);
    const double each = 0.05 * 0.05 * 0.05 / 8;
    const int64_t before = count_west_of(mac, 0.5);
    step(scene, 12);
    const rn_section read = rn_world_read_section(world, straight);
    const double passed = each * (double)(before - count_west_of(mac, 0.5));
    assert_true(passed > 0.01);
    assert_float_equal(read.volume, -passed, 1e-12); /* counted towards the left, which is west */
    assert_true(read.discharge < 0.0 && read.area > 0.01 && read.area < 0.24);
    rn_snapshot *saved = NULL;
    assert_int_equal(rn_world_save(world, &saved), RN_OK);
    step(scene, 4);
    const rn_section then = rn_world_read_section(world, slanted);
    assert_true(then.volume > 0.0);
    assert_int_equal(rn_world_restore(world, saved), RN_OK);
    step(scene, 4);
    assert_true(rn_world_read_section(world, slanted).volume == then.volume);
    assert_int_equal(rn_world_remove_section(world, straight), RN_OK);
    step(scene, 1);
    assert_true(rn_world_read_section(world, straight).volume == 0.0);
    rn_snapshot_destroy(saved);
    rn_scene_close(scene);
}

static void what_it_cannot_have_is_refused(void **state) {
    (void)state;
    refuses(plain, "grid.cells=[3000, 12]", "3000 along x; it must be from 1 to 1024");
    refuses(plain, "rain=[{\"rate\": 1e-3}]", "\"rain\" is not for the solver \"mac\"");
    refuses(plain, "packets={\"count\": 2}", "\"packets\" is not for the solver \"mac\"");
    refuses(plain, "passages=none", "\"passages\" is not for");
    refuses(plain, "edges={\"south\": \"periodic\", \"north\": \"periodic\"}", "periodic along x only");
    refuses(plain, "sources=[{\"edge\": \"west\", \"rate\": 0.1}]", "are round");
    refuses(plain, "sources=[{\"at\": [0.2, 0.2, 0.5], \"level\": 0.3}]", "of a rate only");
    refuses(plain, "sources=[{\"at\": [0.2, 0.2, 5], \"rate\": 0.1}]", "reaches from");
    refuses(plain, "memory=1e-6", "the 3D liquid needs");
    refuses(plain, "grid.lid=200", "cells");
}

/* The mesh of a world is that of its 3D liquid, and is the same each time. */
static void a_skin_has_the_closed_surface(void **state) {
    (void)state;
    rn_scene *scene = open_scene(plain, 1, NULL);
    rn_skin_def def = rn_scene_skin(scene);
    rn_skin *skin = NULL;
    bool changed = false;
    step(scene, 3);
    assert_int_equal(rn_skin_create(&def, &skin), RN_OK);
    assert_int_equal(rn_skin_update(skin, &changed), RN_OK);
    assert_true(changed);
    const rn_mesh surface = rn_skin_surface(skin);
    assert_true(surface.triangle_count > 500 && surface.ids[0] == RN_CLOSED_ID);
    assert_int_equal(rn_skin_update(skin, &changed), RN_OK);
    assert_false(changed);
    assert_int_equal(rn_skin_surface(skin).triangle_count, surface.triangle_count);
    rn_skin_destroy(skin);
    rn_scene_close(scene);
}

/* A source in a stone, which stops before it finds a place: the ledger has all that it supplied. */
static void the_ledger_has_what_found_no_place(void **state) {
    (void)state;
    const char *text =
        "{\"grid\": {\"cells\": [16, 16], \"cell\": 0.05, \"bottom\": -0.1, \"lid\": 0.6}, \"solver\": \"mac\","
        "\"solid\": {\"type\": \"plane\"}, \"solids\": [{\"shape\": {\"type\": \"sphere\", \"radius\": 0.2, "
        "\"at\": [0.4, 0.4, 0.3]}}], \"frame_time\": 0.02, \"sources\": [{\"at\": [0.4, 0.4, 0.3], "
        "\"radius\": 0.05, \"rate\": 0.01, \"stop\": 0.1, \"velocity\": [0, 0, -0.5]}]}";
    rn_scene *scene = open_scene(text, 1, NULL);
    step(scene, 10);
    const rn_audit audit = rn_world_audit(rn_scene_world(scene));
    if (!(audit.poured == 0.0 && fabs(audit.refused - 0.001) < 2.0 * 0.05 * 0.05 * 0.05 / 8.0))
        fail_msg("%g m^3 poured and %g refused, not 0 and 0.001", audit.poured, audit.refused);
    rn_scene_close(scene);
}

/* The depths of a puddle whose thickness is that of a few cells or less add up to its particles. */
static void thin_films_have_their_depth(void **state) {
    (void)state;
    for (int thick = 1; thick <= 5; thick++) { /* half cells */
        char text[512];
        snprintf(text, sizeof text,
                 "{\"grid\": {\"cells\": [24, 24], \"cell\": 0.025, \"bottom\": -0.1, \"lid\": 0.3}, "
                 "\"solver\": \"mac\", \"solid\": {\"type\": \"plane\"}, \"fills\": [{\"shape\": "
                 "{\"type\": \"box\", \"size\": [0.3, 0.4, %g], \"at\": [0.29, 0.31, 0]}}], \"frame_time\": 0.02}",
                 0.025 * thick);
        rn_scene *scene = open_scene(text, 1, NULL);
        const rn_world *world = rn_scene_world(scene);
        const rn_view depth = rn_world_view(rn_scene_world(scene), RN_FIELD_DEPTH);
        double sum = 0.0;
        for (int y = 0; y < 24; y++)
            for (int x = 0; x < 24; x++) sum += 0.025 * 0.025 * (double)depth.data[y * depth.row_stride + x];
        const double particles = rn_mac_volume(world->mac->mac);
        print_message("depths of a puddle of %g cells: %.4f of its particles\n", 0.5 * thick, sum / particles);
        if (fabs(sum / particles - 1.0) > 0.04) fail_msg("%g m^3, and particles %g", sum, particles);
        rn_scene_close(scene);
    }
}

/* Liquid that ends one cell below the lid has a surface there. */
static void air_below_the_lid_is_air(void **state) {
    (void)state;
    const char *text = "{\"grid\": {\"cells\": [20, 8], \"cell\": 0.05, \"bottom\": -0.1, \"lid\": 0.15}, "
                       "\"solver\": \"mac\", \"solid\": {\"type\": \"plane\"}, \"fills\": [{\"level\": 0.1}], "
                       "\"frame_time\": 0.02}";
    rn_scene *scene = open_scene(text, 1, NULL);
    step(scene, 5);
    const rn_audit audit = rn_world_audit(rn_scene_world(scene));
    if (!(fabs(audit.drift) < 0.02 * audit.poured)) fail_msg("%g m^3 of %g", audit.drift, audit.poured);
    rn_scene_close(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_give_the_same_bits),
        cmocka_unit_test(a_world_steps_as_the_liquid_alone),
        cmocka_unit_test(a_state_goes_on),
        cmocka_unit_test(a_state_with_a_moving_solid_goes_on),
        cmocka_unit_test(a_turning_paddle_stirs),
        cmocka_unit_test(a_damaged_state_changes_nothing),
        cmocka_unit_test(books_and_columns_tell_the_volume),
        cmocka_unit_test(a_source_pours_and_a_drain_takes),
        cmocka_unit_test(dynamic_contact_is_surface_tension),
        cmocka_unit_test(sections_count_every_particle),
        cmocka_unit_test(what_it_cannot_have_is_refused),
        cmocka_unit_test(the_ledger_has_what_found_no_place),
        cmocka_unit_test(thin_films_have_their_depth),
        cmocka_unit_test(air_below_the_lid_is_air),
        cmocka_unit_test(a_skin_has_the_closed_surface),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
