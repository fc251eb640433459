/* Bodies as a host handles them: what is refused, what is too far or too large, going back, bits, memory. */
#include "body_lakes.h"
#include "purse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- What is refused --------------------------------------------------------------------------------------------- */

static void refuse(rn_world *world, const rn_body_def *def, const char *says) {
    assert_int_equal(rn_bodies_add(world, def), -1);
    if (!strstr(rn_last_error(), says)) fail_msg("\"%s\" does not say \"%s\"", rn_last_error(), says);
}

static void rubbish_is_refused(void **state) {
    (void)state;
    rn_world *world = lake(8, 1.0, 1.0);
    rn_shape *shape = box(1, 1, 1);
    const rn_body_def good = {.shape = shape, .density = 500, .name = "crate"};
    rn_body_def bad = good;
    bad.shape = NULL;
    refuse(world, &bad, "body 0 (crate) has no shape");
    const double numbers[] = {0.0, -1.0, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        bad = good;
        bad.density = numbers[i];
        refuse(world, &bad, "must be above 0 (kg/m³)");
        bad = good;
        bad.mass = i == 0 ? -1.0 : numbers[i];
        refuse(world, &bad, "must be above 0 (kg)");
    }
    bad = good;
    bad.drag = -1.0;
    refuse(world, &bad, "drag of -1; it must be 0 or more");
    bad = good;
    bad.damping = NAN;
    refuse(world, &bad, "damping of");
    bad = good;
    bad.colour.y = 2.0;
    refuse(world, &bad, "from 0 to 1");
    bad = good;
    bad.mode = (rn_body_mode)9;
    refuse(world, &bad, "mode 9");
    bad = good;
    bad.blocking = (rn_blocking)9;
    refuse(world, &bad, "blocking 9");
    bad = good;
    bad.pose.at.z = 1e20;
    refuse(world, &bad, "from -1e+09 to 1e+09");
    bad = good;
    bad.drawn = rn_shape_transform(shape, (rn_vec3){1e9, 0, 0}, (rn_quat){0, 0, 0, 1}); /* flat: floats are coarse */
    assert_non_null(bad.drawn);
    refuse(world, &bad, "body 0 (crate) has a drawn shape of 0 m³; it must be above 0");
    rn_shape_destroy((rn_shape *)bad.drawn);
    assert_int_equal(rn_bodies_count(world), 0);
    rn_shape_destroy(shape);
    rn_world_destroy(world);
}

static void poses_must_be_finite(void **state) {
    (void)state;
    rn_world *world = lake(8, 1.0, 1.0);
    const int body = add(world, body_at(4, 4, 1), box(1, 1, 1));
    const rn_pose good = rn_bodies_describe(world, body).pose;
    const size_t doubles = sizeof good / sizeof(double);
    for (size_t i = 0; i < doubles; i++) {
        rn_pose bad = good;
        ((double *)&bad)[i] = i % 2 ? NAN : INFINITY;
        assert_int_equal(rn_bodies_move(world, body, &bad), RN_INVALID);
        assert_int_equal(rn_bodies_teleport(world, body, &bad), RN_INVALID);
        assert_non_null(strstr(rn_last_error(), "body 0 has the "));
        const rn_pose now = rn_bodies_describe(world, body).pose;
        assert_memory_equal(&now, &good, sizeof good);
    }
    assert_int_equal(rn_bodies_move(world, 1, &good), RN_INVALID);
    assert_int_equal(rn_bodies_teleport(world, -1, &good), RN_INVALID);
    assert_int_equal(rn_bodies_set_mode(world, 7, RN_BODY_FLOATS), RN_INVALID);
    assert_int_equal(rn_bodies_remove(world, 7), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "there is no body 7; 1 have been added"));
    assert_false(rn_bodies_describe(world, 7).there);
    rn_world_destroy(world);
}

static void rotations_have_unit_length(void **state) {
    (void)state;
    rn_world *world = lake(8, 1.0, 1.0);
    const int body = add(world, body_at(4, 4, 1), box(1, 1, 1));
    const rn_quat turns[] = {{0, 0, 0, 0}, {0, 0, 3, 4}, {1e200, 0, 0, 1e200}, {0, 1e-200, 0, 0}};
    for (int i = 0; i < 4; i++) {
        rn_pose pose = {.at = {4, 4, 1}, .turn = turns[i]};
        assert_int_equal(rn_bodies_teleport(world, body, &pose), RN_OK);
        const rn_quat q = rn_bodies_describe(world, body).pose.turn;
        assert_true(fabs(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w - 1.0) < 1e-15);
        if (i == 0) assert_true(q.w == 1.0);
        if (i == 1) assert_true(q.z == 0.6 && q.w == 0.8);
    }
    rn_world_destroy(world);
}

static void level_is_known_without_bodies(void **state) {
    (void)state;
    rn_world *wet = lake(8, 1.0, 1.0), *dry = lake(8, 1.0, 0.0);
    assert_true(fabs(rn_bodies_effective_level(wet, 4, 4) - 1.0) < 1e-3);
    assert_true(isnan(rn_bodies_effective_level(wet, 9, 4)));
    assert_true(isnan(rn_bodies_effective_level(wet, NAN, 4)));
    assert_true(isnan(rn_bodies_effective_level(dry, 4, 4)));
    rn_world_destroy(wet);
    rn_world_destroy(dry);
}

static void numbers_are_not_used_again(void **state) {
    (void)state;
    rn_world *world = lake(8, 1.0, 1.0);
    rn_body_def def = body_at(4, 4, 1);
    def.name = "first";
    def.mass = 7.0;
    const int first = add(world, def, box(1, 2, 3));
    const rn_body_info info = rn_bodies_describe(world, first);
    assert_string_equal(info.name, "first");
    assert_true(info.there && info.mass == 7.0 && fabs(info.volume - 6.0) < 1e-6);
    assert_true(fabs(info.inertia[0][0] - 7.0 * (4 + 9) / 12.0) < 1e-5);
    assert_int_equal(rn_bodies_remove(world, first), RN_OK);
    assert_false(rn_bodies_describe(world, first).there);
    assert_int_equal(rn_bodies_remove(world, first), RN_INVALID);
    assert_int_equal(add(world, def, box(1, 1, 1)), 1);
    assert_int_equal(rn_bodies_count(world), 2);
    step(world, STEP);
    rn_world_destroy(world);
}

/* ---- Too far, too fast, too large ------------------------------------------------------------------------------- */

static void count_line(void *user, rn_log_level level, const char *text) {
    if (level == RN_LOG_WARNING && strstr(text, "body 0")) ++*(int *)user;
}

static void leaps_and_bolts_are_told_once(void **state) {
    (void)state;
    int told = 0;
    rn_world *world = lake_with(40, 1.0, 1.0, (rn_hooks){.user = &told, .log = count_line});
    const int body = add(world, body_at(4, 4, 1), box(1, 1, 1));
    rn_pose pose = {.at = {13.9, 4, 1}};
    assert_int_equal(rn_bodies_move(world, body, &pose), RN_OK);
    assert_int_equal(told, 0);
    for (int i = 0; i < 4; i++) {
        pose.at.x = i % 2 ? 4.0 : 30.0;
        assert_int_equal(rn_bodies_move(world, body, &pose), RN_OK);
        step(world, STEP);
    }
    assert_int_equal(told, 1);
    pose.velocity.x = 1e9;
    pose.spin.z = -1e9;
    for (int i = 0; i < 3; i++) assert_int_equal(rn_bodies_move(world, body, &pose), RN_OK);
    assert_int_equal(told, 2);
    const rn_pose kept = rn_bodies_describe(world, body).pose;
    assert_true(kept.velocity.x == 1e4 && kept.spin.z == -1e4);
    step(world, STEP);
    assert_true(isfinite(rn_bodies_load(world, body).force.x));
    rn_world_destroy(world);
}

/* A lake between two dry shores. A body that is placed from shore to shore has not been in it, one that moves has. */
static void placed_bodies_pass_nothing(void **state) {
    (void)state;
    enum { NX = 24, NY = 8 };
    double heights[NX * NY], depths[NX * NY];
    for (int i = 0; i < NX * NY; i++) {
        heights[i] = i % NX >= 8 && i % NX < 16 ? 0.0 : 2.0;
        depths[i] = 1.0 - 0.5 * heights[i];
    }
    for (int moves = 0; moves < 2; moves++) {
        rn_world *world =
            make_world(&(setup){.nx = NX, .ny = NY, .cell = 0.5, .heights = heights, .lid = 8.0, .friction = 0.5});
        set_depths(world, depths);
        rn_body_def def = body_at(2.0, 2.0, 1.5);
        def.mode = RN_BODY_BLOCKS;
        const int body = add(world, def, box(1, 1, 3));
        for (int i = 0; i < 3; i++) step(world, STEP);
        for (int i = 1; i <= 4; i++) {
            const rn_pose pose = {.at = {moves ? 2.0 + 2.0 * i : 10.0, 2.0, 1.5}};
            const rn_result result =
                moves ? rn_bodies_move(world, body, &pose) : rn_bodies_teleport(world, body, &pose);
            assert_int_equal(result, RN_OK);
            step(world, STEP);
        }
        int changed = 0;
        for (int i = 0; i < NX * NY; i++) changed += depth_at(world, i % NX, i / NX) != depths[i];
        assert_true(moves ? changed > 10 : changed == 0);
        rn_world_destroy(world);
    }
}

/* A pillar in a part of a cell leaves, liquid stands in between two quanta there, and a slab comes that parts it. */
static void parted_liquid_stays_whole(void **state) {
    (void)state;
    rn_world *world = lake(9, 1.0, 1.0);
    rn_body_def pillar_def = body_at(4.5, 4.5, 1.5), slab_def = body_at(4.5, 4.5, 30.0);
    pillar_def.mode = slab_def.mode = RN_BODY_BLOCKS;
    const int pillar = add(world, pillar_def, box(0.3, 1.0, 3.0)), slab = add(world, slab_def, box(1.0, 1.0, 0.5));
    step(world, 1e-4);
    assert_int_equal(rn_bodies_teleport(world, pillar, &(rn_pose){.at = {4.5, 4.5, 40.0}, .turn = {0, 0, 0, 1}}),
                     RN_OK);
    assert_int_equal(rn_bodies_teleport(world, slab, &(rn_pose){.at = {4.5, 4.5, 0.75}, .turn = {0, 0, 0, 1}}), RN_OK);
    step(world, 1e-4);
    for (int i = 0; i < 20; i++) step(world, STEP);
    rn_world_destroy(world);
}

static bool load_is_finite(const rn_body_load *load) {
    const rn_vec3 all[] = {load->force, load->torque, load->buoyancy, load->drag, load->flow};
    for (int i = 0; i < 5; i++)
        if (!isfinite(all[i].x) || !isfinite(all[i].y) || !isfinite(all[i].z)) return false;
    return isfinite(load->submerged) && load->share >= 0.0 && load->share <= 1.0;
}

static void bodies_may_be_larger_than_the_world(void **state) {
    (void)state;
    const rn_body_mode ways[] = {RN_BODY_FLOATS, RN_BODY_BLOCKS};
    for (int i = 0; i < 2; i++) {
        rn_world *world = lake(8, 1.0, 2.0);
        rn_body_def def = body_at(4, 4, 101.5);
        def.mode = ways[i];
        const int body = add(world, def, rn_shape_sphere(100.0));
        for (int k = 0; k < 5; k++) step(world, STEP);
        const rn_body_load load = rn_bodies_load(world, body);
        assert_true(load_is_finite(&load) && load.force.z > 0.0);
        rn_world_destroy(world);
    }
}

static void bodies_may_be_anywhere(void **state) {
    (void)state;
    rn_world *world = lake(8, 1.0, 2.0);
    const rn_vec3 places[] = {{-3, 4, 1}, {1e6, -1e6, 1}, {4, 4, -1e6}, {4, 4, 1e6}, {8, 8, 2}, {0, 0, 0}};
    const int body = add(world, body_at(4, 4, 1), rn_shape_capsule(0.5, 1.0));
    for (int i = 0; i < 6; i++) {
        rn_pose pose = {.at = places[i], .turn = {0.3, -0.2, 0.5, 0.1 * i}, .spin = {1, 2, 3}};
        assert_int_equal(rn_bodies_teleport(world, body, &pose), RN_OK);
        assert_int_equal(rn_bodies_set_mode(world, body, i % 2 ? RN_BODY_BLOCKS : RN_BODY_FLOATS), RN_OK);
        for (int k = 0; k < 3; k++) step(world, STEP);
        const rn_body_load load = rn_bodies_load(world, body);
        assert_true(load_is_finite(&load));
    }
    rn_world_destroy(world);
}

/* ---- Going back -------------------------------------------------------------------------------------------------- */

static void stir_about(rn_world *world, int from, int to) {
    for (int i = from; i < to; i++) {
        for (int b = 0; b < 2; b++) {
            const double x = 4.0 + (b ? -1.0 : 1.0) * 0.03 * i;
            rn_pose pose = {.at = {x, 4.0 + b, 2.0 + 0.1 * ((i + b) % 3)}, .turn = {0.01 * i, 0, 0, 1}};
            assert_int_equal(rn_bodies_move(world, b, &pose), RN_OK);
        }
        step(world, STEP);
    }
}

static rn_world *two_bodies(flow_method passages) {
    rn_world *world =
        make_world(&(setup){.nx = 16, .ny = 16, .cell = 0.5, .lid = 8.0, .friction = 0.5, .passages = passages});
    fill_to(world, 2.0);
    rn_body_def def = body_at(4, 4, 2);
    add(world, def, box(1, 1, 1));
    def.density = 3000;
    def.pose.at.y = 5;
    add(world, def, rn_shape_sphere(0.6));
    return world;
}

/* Into another world, as bytes, with bodies that move on or stand still for a while. */
static void go_on_elsewhere(flow_method passages, bool rest) {
    rn_world *first = two_bodies(passages), *second = two_bodies(passages);
    stir_about(first, 0, 20);
    rn_snapshot *snapshot = NULL;
    assert_int_equal(rn_world_save(first, &snapshot), RN_OK);
    size_t size;
    const void *bytes = rn_snapshot_bytes(snapshot, &size);
    rn_snapshot *sent = NULL;
    assert_int_equal(rn_snapshot_create(NULL, bytes, size, &sent), RN_OK);
    assert_int_equal(rn_world_restore(second, sent), RN_OK);
    assert_true(rn_world_hash(first) == rn_world_hash(second));
    const rn_body_load a = rn_bodies_load(first, 0), b = rn_bodies_load(second, 0);
    assert_memory_equal(&a, &b, sizeof(rn_vec3) * 4 + 2 * sizeof(double));
    for (int i = 0; rest && i < 2; i++) {
        step(first, STEP);
        step(second, STEP);
        assert_true(rn_world_hash(first) == rn_world_hash(second));
    }
    stir_about(first, 20, 40);
    stir_about(second, 20, 40);
    assert_true(rn_world_hash(first) == rn_world_hash(second));
    assert_true(rn_bodies_effective_level(first, 4, 5) == rn_bodies_effective_level(second, 4, 5));
    rn_snapshot_destroy(snapshot);
    rn_snapshot_destroy(sent);
    rn_world_destroy(first);
    rn_world_destroy(second);
}

static void snapshots_hold_bodies(void **state) {
    (void)state;
    for (int rest = 0; rest < 2; rest++) {
        go_on_elsewhere(FLOW_DEFAULT, rest);
        go_on_elsewhere(FLOW_IMPLICIT, rest);
    }
}

static rn_world *implicit_lake(double lid) {
    rn_world *world =
        make_world(&(setup){.nx = 12, .ny = 12, .cell = 1.0, .lid = lid, .friction = 0.5, .passages = FLOW_IMPLICIT});
    fill_to(world, 2.0);
    return world;
}

/* Columns that a body closes in on, and that are full without it when the state is restored. */
static void restored_columns_have_their_pipes(void **state) {
    (void)state;
    rn_world *world = implicit_lake(2.2);
    rn_body_def def = body_at(3.2, 5.6, 1.1);
    def.mode = RN_BODY_BLOCKS;
    const int body = add(world, def, box(2.5, 3.4, 1.7));
    rn_snapshot *snapshot = NULL;
    for (int i = 0; i < 30; i++) {
        rn_pose pose = rn_bodies_describe(world, body).pose;
        pose.at.x += 0.15;
        pose.velocity.x = 0.15 / STEP;
        assert_int_equal(rn_bodies_move(world, body, &pose), RN_OK);
        step(world, STEP);
        assert_int_equal(rn_world_save(world, &snapshot), RN_OK);
        const uint64_t saved = rn_world_hash(world);
        pose.at.z += 4.0;
        assert_int_equal(rn_bodies_teleport(world, body, &pose), RN_OK);
        step(world, STEP);
        fill_to(world, 2.2);
        assert_int_equal(rn_world_restore(world, snapshot), RN_OK);
        assert_true(rn_world_hash(world) == saved);
    }
    rn_snapshot_destroy(snapshot);
    rn_world_destroy(world);
}

/* A world that a body has been in goes on as one in which it never was. */
static void what_bodies_leave_is_open_again(void **state) {
    (void)state;
    rn_world *been[2];
    rn_snapshot *snapshot = NULL;
    for (int i = 0; i < 2; i++) {
        been[i] = implicit_lake(8.0);
        rn_body_def def = body_at(5.7, 5.6, 1.6);
        def.mode = RN_BODY_BLOCKS;
        const int body = add(been[i], def, box(2.5, 3.4, 3.0));
        for (int k = 0; i == 0 && k < 3; k++) step(been[i], STEP);
        assert_int_equal(rn_bodies_remove(been[i], body), RN_OK);
        if (i == 0) step(been[i], STEP);
    }
    assert_int_equal(rn_world_save(been[0], &snapshot), RN_OK);
    assert_int_equal(rn_world_restore(been[1], snapshot), RN_OK);
    for (int k = 0; k < 5; k++)
        for (int i = 0; i < 2; i++) step(been[i], STEP);
    assert_true(rn_world_hash(been[0]) == rn_world_hash(been[1]));
    rn_snapshot_destroy(snapshot);
    for (int i = 0; i < 2; i++) rn_world_destroy(been[i]);
}

/* Of unit length but for rounding, one number above 1: it is left as it is, and must come back. */
static void snapshots_hold_rotations_as_they_are(void **state) {
    (void)state;
    rn_world *world = lake(8, 1.0, 1.0);
    rn_body_def def = body_at(4, 4, 1);
    def.pose.turn.w = 1.0 + 4e-16;
    const int body = add(world, def, box(1, 1, 1));
    step(world, STEP);
    rn_snapshot *snapshot = NULL;
    assert_int_equal(rn_world_save(world, &snapshot), RN_OK);
    assert_int_equal(rn_world_restore(world, snapshot), RN_OK);
    assert_true(rn_bodies_describe(world, body).pose.turn.w == def.pose.turn.w);
    rn_snapshot_destroy(snapshot);
    rn_world_destroy(world);
}

static void snapshots_know_how_many_bodies(void **state) {
    (void)state;
    rn_world *with = two_bodies(FLOW_DEFAULT), *without = lake(16, 0.5, 2.0);
    rn_snapshot *two = NULL, *none = NULL;
    assert_int_equal(rn_world_save(with, &two), RN_OK);
    assert_int_equal(rn_world_save(without, &none), RN_OK);
    assert_int_equal(rn_world_restore(without, two), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "the state has 2 bodies and this world 0"));
    assert_int_equal(rn_world_restore(with, none), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "the state has 0 bodies and this world 2"));
    assert_int_equal(rn_bodies_remove(with, 0), RN_OK);
    assert_int_equal(rn_world_restore(with, two), RN_INVALID); /* its shape is gone */
    rn_snapshot_destroy(two);
    rn_snapshot_destroy(none);
    rn_world_destroy(with);
    rn_world_destroy(without);
}

static void damaged_snapshots_are_refused(void **state) {
    (void)state;
    rn_world *world = two_bodies(FLOW_DEFAULT);
    stir_about(world, 0, 5);
    rn_snapshot *snapshot = NULL;
    assert_int_equal(rn_world_save(world, &snapshot), RN_OK);
    size_t size;
    const uint8_t *bytes = rn_snapshot_bytes(snapshot, &size);
    uint8_t *copy = malloc(size);
    assert_non_null(copy);
    for (size_t at = 0; at < size; at += at < 2000 ? 1 : 97) {
        memcpy(copy, bytes, size);
        copy[at] ^= 0x5a;
        rn_snapshot *damaged = NULL;
        assert_int_equal(rn_snapshot_create(NULL, copy, size, &damaged), RN_OK);
        if (rn_world_restore(world, damaged) == RN_OK) step(world, STEP); /* some numbers may be anything */
        rn_snapshot_destroy(damaged);
        if (at % 16 == 0) assert_int_equal(rn_world_restore(world, snapshot), RN_OK);
    }
    free(copy);
    rn_snapshot_destroy(snapshot);
    rn_world_destroy(world);
}

/* ---- The rest ------------------------------------------------------------------------------------------------------
 */

/* Bodies that do not touch the liquid change nothing: not one bit. */
static void bodies_in_the_air_change_nothing(void **state) {
    (void)state;
    rn_world *plain = lake(16, 0.5, 1.0), *world = lake(16, 0.5, 1.0);
    rn_body_def def = body_at(4, 4, 5);
    def.mode = RN_BODY_FLOATS;
    const int body = add(world, def, box(1, 1, 1));
    rn_world_pour(plain, (rn_vec3){2, 2, 1}, 1.0, 0.5);
    rn_world_pour(world, (rn_vec3){2, 2, 1}, 1.0, 0.5);
    for (int i = 0; i < 50; i++) {
        step(plain, STEP);
        step(world, STEP);
    }
    assert_true(rn_world_hash(plain) == rn_world_hash(world));
    const rn_body_load load = rn_bodies_load(world, body);
    assert_true(load.force.z == 0.0 && load.share == 0.0);
    rn_world_destroy(plain);
    rn_world_destroy(world);
}

/* The liquid and the forces on a body do not depend on what it is drawn as: not by one bit. */
static void drawn_shapes_change_nothing(void **state) {
    (void)state;
    for (int blocks = 0; blocks < 2; blocks++) {
        rn_world *worlds[2];
        rn_shape *ball = rn_shape_sphere(2.0);
        for (int i = 0; i < 2; i++) {
            worlds[i] = lake(16, 0.5, 1.0);
            rn_body_def def = body_at(4, 4, 0.8);
            def.mode = blocks ? RN_BODY_BLOCKS : RN_BODY_FLOATS;
            def.drawn = i ? ball : NULL;
            const int body = add(worlds[i], def, box(1, 1, 1));
            for (int k = 0; k < 20; k++) {
                def.pose.at.x += 0.05;
                assert_int_equal(rn_bodies_move(worlds[i], body, &def.pose), RN_OK);
                step(worlds[i], STEP);
            }
        }
        assert_true(rn_world_hash(worlds[0]) == rn_world_hash(worlds[1]));
        const rn_body_load a = rn_bodies_load(worlds[0], 0), b = rn_bodies_load(worlds[1], 0);
        assert_memory_equal(&a.force, &b.force, sizeof a.force);
        assert_true(a.submerged == b.submerged && a.submerged > 0.0);
        rn_shape_destroy(ball);
        for (int i = 0; i < 2; i++) rn_world_destroy(worlds[i]);
    }
}

static rn_body_load loads_with(int threads, uint64_t *hash) {
    rn_world *world =
        make_world(&(setup){.nx = 24, .ny = 24, .cell = 0.25, .lid = 4.0, .friction = 0.5, .threads = threads});
    fill_to(world, 1.0);
    for (int i = 0; i < 6; i++) {
        rn_body_def def = body_at(1.0 + 0.7 * i, 3.0 + 0.3 * (i % 3), 1.0);
        def.density = i % 2 ? 400 : 4000;
        def.pose.spin.z = i;
        add(world, def, rn_shape_cylinder(0.4, 1.0));
    }
    for (int k = 0; k < 20; k++) step(world, STEP);
    const rn_body_load load = rn_bodies_load(world, 3);
    *hash = rn_world_hash(world);
    rn_world_destroy(world);
    return load;
}

static void threads_make_no_difference(void **state) {
    (void)state;
    uint64_t one, three;
    const rn_body_load a = loads_with(1, &one), b = loads_with(3, &three);
    assert_true(one == three);
    assert_memory_equal(&a.force, &b.force, sizeof a.force);
    assert_memory_equal(&a.torque, &b.torque, sizeof a.torque);
    assert_true(a.force.z > 0.0);
}

/* Steps that are done in parts still are one step to whoever asks. */
static void parts_make_one_step(void **state) {
    (void)state;
    rn_world *world = lake(16, 0.5, 1.0);
    rn_body_def def = body_at(2, 4, 0.5);
    def.mode = RN_BODY_BLOCKS;
    const int body = add(world, def, box(1, 1, 2));
    rn_pose pose = def.pose;
    pose.at.x += 1.0; /* two cells: eight parts */
    assert_int_equal(rn_bodies_move(world, body, &pose), RN_OK);
    step(world, 0.1);
    const rn_world_stats stats = rn_world_get_stats(world);
    assert_true(stats.substeps >= 8);
    assert_true(fabs(stats.time - 0.1) < 1e-12 && stats.asked == 0.1);
    assert_true(stats.dt <= 0.1 / 8 + 1e-12);
    assert_true(rn_bodies_describe(world, body).pose.at.x == 3.0);
    rn_world_destroy(world);
}

static void memory_may_run_out(void **state) {
    (void)state;
    bool done = false;
    for (int blocks = 0; blocks < 400 && !done; blocks++) {
        purse p = {.left = 100000};
        rn_world *world = lake_with(8, 1.0, 2.0, (rn_hooks){.user = &p, .alloc = purse_spend, .free = purse_give_back});
        rn_shape *shape = rn_shape_sphere(1.0), *drawn = box(2, 2, 2);
        p.left = blocks;
        rn_body_def def = body_at(4, 4, 2);
        def.shape = shape;
        def.drawn = drawn;
        def.name = "ball";
        int added = 0;
        for (int i = 0; i < 4; i++) {
            def.density = i % 2 ? 3000 : 300;
            added += rn_bodies_add(world, &def) >= 0;
        }
        bool stepped = true;
        for (int i = 0; i < 3; i++) stepped = rn_world_step(world, STEP) == RN_OK && stepped;
        assert_true(rn_world_audit(world).drift == 0.0);
        done = stepped && added == 4 && p.left > 0;
        rn_shape_destroy(shape);
        rn_shape_destroy(drawn);
        rn_world_destroy(world);
        assert_int_equal(p.held, 0);
    }
    assert_true(done);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rubbish_is_refused),
        cmocka_unit_test(poses_must_be_finite),
        cmocka_unit_test(rotations_have_unit_length),
        cmocka_unit_test(level_is_known_without_bodies),
        cmocka_unit_test(numbers_are_not_used_again),
        cmocka_unit_test(leaps_and_bolts_are_told_once),
        cmocka_unit_test(placed_bodies_pass_nothing),
        cmocka_unit_test(bodies_may_be_larger_than_the_world),
        cmocka_unit_test(bodies_may_be_anywhere),
        cmocka_unit_test(snapshots_hold_bodies),
        cmocka_unit_test(restored_columns_have_their_pipes),
        cmocka_unit_test(what_bodies_leave_is_open_again),
        cmocka_unit_test(snapshots_hold_rotations_as_they_are),
        cmocka_unit_test(snapshots_know_how_many_bodies),
        cmocka_unit_test(damaged_snapshots_are_refused),
        cmocka_unit_test(bodies_in_the_air_change_nothing),
        cmocka_unit_test(drawn_shapes_change_nothing),
        cmocka_unit_test(threads_make_no_difference),
        cmocka_unit_test(parts_make_one_step),
        cmocka_unit_test(parted_liquid_stays_whole),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
