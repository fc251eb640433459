/* Hosts that ask for the impossible, and memory that runs out in between: the world stays whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "physics/physics.h"
#include "purse.h"

#include <math.h>

#define STEP 0.02 /* s */

static const flow_method both[] = {FLOW_UNIFIED_LONG, FLOW_IMPLICIT};

static rn_world *pond(int cells, flow_method passages, rn_hooks hooks) {
    rn_world *world = make_world(&(setup){
        .nx = cells, .ny = cells, .cell = 0.5, .lid = 6.0, .friction = 0.5, .passages = passages, .hooks = hooks});
    assert_int_equal(rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 1.5}), RN_OK);
    return world;
}

static void check_whole(const rn_world *world) {
    assert_true(rn_world_audit(world).drift == 0.0);
    assert_true(broken_columns(world) == 0.0);
    for (int i = 0; i < rn_bodies_count(world); i++) {
        const rn_body_load load = rn_bodies_load(world, i);
        const rn_vec3 all[] = {load.force, load.torque, load.flow};
        for (int k = 0; k < 3; k++) assert_true(isfinite(all[k].x) && isfinite(all[k].y) && isfinite(all[k].z));
        assert_true(load.share >= 0.0 && load.share <= 1.0);
    }
}

static void step(rn_world *world) {
    assert_int_equal(rn_world_step(world, STEP), RN_OK);
    check_whole(world);
}

static rn_body_def body_of(int i, double x, double y, double z) {
    rn_body_def def = rn_body_default();
    def.mode = i % 3 == 0 ? RN_BODY_FLOATS : i % 3 == 1 ? RN_BODY_BLOCKS : RN_BODY_AUTO;
    def.density = i % 2 ? 400.0 : 2500.0;
    def.pose.at = (rn_vec3){x, y, z};
    return def;
}

/* ---- Hosts
 * -------------------------------------------------------------------------------------------------------------- */

static void leaps_everywhere(void **state) {
    (void)state;
    for (int m = 0; m < 2; m++) {
        rn_world *world = pond(16, both[m], (rn_hooks){0});
        uint32_t random = 3;
        for (int i = 0; i < 6; i++) make_body(world, body_of(i, 4.0, 4.0, 1.0), rn_shape_box((rn_vec3){1.3, 0.9, 1.1}));
        for (int k = 0; k < 60; k++) {
            for (int i = 0; i < 6; i++) {
                rn_pose pose = {.at = {20.0 * random_unit(&random) - 6.0, 20.0 * random_unit(&random) - 6.0,
                                       8.0 * random_unit(&random) - 2.0}};
                pose.turn = (rn_quat){random_unit(&random), random_unit(&random) - 0.5, 1e-3, 0.0};
                pose.velocity = (rn_vec3){1e30 * (random_unit(&random) - 0.5), -1e300, 1e-300};
                pose.spin = (rn_vec3){1e9, -1e30 * random_unit(&random), 0.0};
                const rn_result result = k % 2 ? rn_bodies_move(world, i, &pose) : rn_bodies_teleport(world, i, &pose);
                assert_int_equal(result, RN_OK);
                pose.at.x = NAN;
                assert_int_equal(rn_bodies_move(world, i, &pose), RN_INVALID);
            }
            step(world);
        }
        rn_world_destroy(world);
    }
}

static void crowds_in_one_place(void **state) {
    (void)state;
    enum { CROWD = 2000 };
    for (int m = 0; m < 2; m++) {
        rn_world *world = pond(16, both[m], (rn_hooks){0});
        for (int i = 0; i < CROWD; i++)
            make_body(world, body_of(i, 4.0 + 1e-4 * i, 4.0, 1.2), rn_shape_box((rn_vec3){0.8, 0.7, 0.6}));
        for (int k = 0; k < 3; k++) step(world);
        for (int i = 0; i < CROWD; i += 2) assert_int_equal(rn_bodies_remove(world, i), RN_OK);
        for (int k = 0; k < 3; k++) step(world);
        for (int i = 1; i < CROWD; i += 2) assert_int_equal(rn_bodies_remove(world, i), RN_OK);
        for (int k = 0; k < 2000 && rn_world_audit(world).body_offset != 0.0; k++) step(world);
        assert_true(rn_world_audit(world).body_offset == 0.0); /* as soon as what has flown off is back */
        rn_world_destroy(world);
    }
}

/* One that covers everything, and shuts in or drives out all there is. */
static void giants_come_and_go(void **state) {
    (void)state;
    for (int m = 0; m < 2; m++) {
        rn_world *world = pond(12, both[m], (rn_hooks){0});
        for (int k = 0; k < 4; k++) {
            rn_body_def def = body_of(1, 3.0, 3.0, k % 2 ? 1.0 : 5.5);
            const int giant = make_body(world, def, rn_shape_box((rn_vec3){50.0, 50.0, k < 2 ? 9.0 : 1.0}));
            for (int i = 0; i < 5; i++) step(world);
            def.pose.at.z -= 1.0;
            assert_int_equal(rn_bodies_move(world, giant, &def.pose), RN_OK);
            for (int i = 0; i < 5; i++) step(world);
            assert_int_equal(rn_bodies_remove(world, giant), RN_OK);
            for (int i = 0; i < 5; i++) step(world);
        }
        rn_world_destroy(world);
    }
}

static void removing_in_between(void **state) {
    (void)state;
    for (int m = 0; m < 2; m++) {
        rn_world *world = pond(16, both[m], (rn_hooks){0});
        for (int k = 0; k < 40; k++) {
            const double x = 2.0 + 0.1 * k;
            rn_body_def def = body_of(k, x, 4.0, 1.0);
            const int body = make_body(world, def, rn_shape_cylinder(0.6, 1.5));
            assert_int_equal(body, k);
            if (k % 4 == 0) assert_int_equal(rn_bodies_remove(world, body), RN_OK); /* before it was ever seen */
            def.pose.at.x += 0.2;
            if (k % 4 == 1) assert_int_equal(rn_bodies_move(world, body, &def.pose), RN_OK);
            if (k % 4 == 1) assert_int_equal(rn_bodies_remove(world, body), RN_OK);
            if (k > 4 && k % 4 == 2) assert_int_equal(rn_bodies_remove(world, k - 4), RN_OK);
            step(world);
        }
        rn_world_destroy(world);
    }
}

/* ---- Memory
 * ------------------------------------------------------------------------------------------------------------- */

static void stir_about(rn_world *world, int frame, int *failed) {
    for (int i = 0; i < rn_bodies_count(world); i++) {
        rn_pose pose = rn_bodies_describe(world, i).pose;
        pose.at.x += 0.3 * sin(frame + i);
        pose.at.z += 0.2 * cos(2.0 * frame + i);
        assert_int_equal(rn_bodies_move(world, i, &pose), RN_OK);
    }
    *failed += rn_world_step(world, STEP) != RN_OK;
    check_whole(world);
}

/* Gone for a while and back again: nothing is lost, and bodies go on. */
static void memory_runs_out_on_the_way(void **state) {
    (void)state;
    for (int m = 0; m < 2; m++) {
        int failures = 0;
        for (int blocks = 0; blocks < 60; blocks++) {
            purse p = {.left = 1000000};
            rn_world *world = pond(10, both[m], (rn_hooks){.user = &p, .alloc = purse_spend, .free = purse_give_back});
            for (int i = 0; i < 4; i++) make_body(world, body_of(i, 1.5 + 0.6 * i, 2.5, 1.0), rn_shape_sphere(0.5));
            p.left = blocks;
            for (int frame = 0; frame < 4; frame++) stir_about(world, frame, &failures);
            p.left = 1000000;
            int failed = 0;
            for (int frame = 4; frame < 8; frame++) stir_about(world, frame, &failed);
            assert_int_equal(failed, 0);
            rn_world_destroy(world);
            assert_int_equal(p.held, 0);
        }
        assert_true(failures > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaps_everywhere),           cmocka_unit_test(crowds_in_one_place),
        cmocka_unit_test(giants_come_and_go),         cmocka_unit_test(removing_in_between),
        cmocka_unit_test(memory_runs_out_on_the_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
