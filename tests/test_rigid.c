/* Bodies moved by ODE: they fall, stand, float, hang and slide as they should, the same way every time. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "purse.h"
#include <cmocka.h>

#include <runnel/runnel.h>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        if ((call) != RN_OK) fail_msg("%s", rn_last_error());                                                          \
    } while (0)

static const double frame = 1.0 / 60;

static char warning[512];
static int warnings;

static void hear(void *user, rn_log_level level, const char *text) {
    (void)user;
    if (level != RN_LOG_WARNING) return;
    warnings++;
    strncpy(warning, text, sizeof warning - 1);
}

/* A floor of 6 by 6 m under water as deep as wished, with an engine. */
typedef struct setting {
    rn_terrain *terrain;
    rn_world *world;
    rn_rigid *rigid;
} setting;

static setting open_floor(rn_sdf *solid, double level) {
    setting s = {NULL, NULL, NULL};
    rn_terrain_def ground = rn_terrain_default();
    ground.cells_x = ground.cells_y = 40;
    ground.cell_size = 0.15;
    ground.bottom = -1;
    ground.lid = 6;
    ground.solid = solid;
    CHECK(rn_terrain_create(&ground, &s.terrain));
    rn_world_def def = rn_world_default();
    def.terrain = s.terrain;
    CHECK(rn_world_create(&def, &s.world));
    if (level > 0) CHECK(rn_world_fill(s.world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = level}));
    rn_rigid_def rigid = rn_rigid_default();
    rigid.hooks.log = hear;
    const rn_result result = rn_rigid_create(s.world, &rigid, &s.rigid);
    if (result == RN_UNSUPPORTED) {
        assert_non_null(strstr(rn_last_error(), "ODE"));
        rn_world_destroy(s.world);
        rn_terrain_destroy(s.terrain);
        skip();
    }
    CHECK(result);
    return s;
}

static setting open_plane(double level) {
    return open_floor(rn_sdf_plane((rn_vec3){0, 0, 0}, (rn_vec3){0, 0, 1}), level);
}

static void close_floor(setting *s) {
    rn_rigid_destroy(s->rigid);
    rn_world_destroy(s->world);
    rn_terrain_destroy(s->terrain);
}

/* The shape is freed. */
static int drop(const setting *s, rn_shape *shape, double density, rn_vec3 at) {
    rn_body_def def = rn_body_default();
    const rn_rigid_body how = rn_rigid_body_default();
    assert_non_null(shape);
    def.shape = shape;
    def.density = density;
    def.pose.at = at;
    const int body = rn_bodies_add(s->world, &def);
    if (body < 0) fail_msg("%s", rn_last_error());
    CHECK(rn_rigid_add_body(s->rigid, body, &how));
    rn_shape_destroy(shape);
    return body;
}

static void run(const setting *s, double seconds) {
    for (int i = 0; i < (int)lrint(seconds / frame); i++) {
        CHECK(rn_rigid_step(s->rigid, frame));
        CHECK(rn_world_step(s->world, frame));
    }
}

static rn_pose pose_of(const setting *s, int body) { return rn_bodies_describe(s->world, body).pose; }

static void assert_near(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance)) fail_msg("%.9g is not %.9g within %g", value, expected, tolerance);
}

static rn_shape *cube(double side) { return rn_shape_box((rn_vec3){side, side, side}); }

/* Whatever it is made of, a body comes to rest on the ground at the height of its middle, and falls asleep. */
static void test_comes_to_rest(void **state) {
    (void)state;
    const float points[] = {-0.3f, -0.3f, -0.3f, 0.3f, -0.3f, -0.3f, 0.3f, 0.3f, -0.3f, -0.3f, 0.3f, -0.3f,
                            -0.3f, -0.3f, 0.3f,  0.3f, -0.3f, 0.3f,  0.3f, 0.3f, 0.3f,  -0.3f, 0.3f, 0.3f};
    rn_shape *hull = rn_shape_hull(points, 8);
    const rn_shape_info info = rn_shape_describe(hull);
    rn_shape *shapes[] = {cube(0.6),
                          rn_shape_sphere(0.3),
                          rn_shape_cylinder(0.3, 0.6),
                          hull,
                          rn_shape_mesh(info.positions, info.vertex_count, info.indices, info.triangle_count, NULL),
                          rn_shape_capsule(0.3, 0.4)};
    const double heights[] = {0.3, 0.3, 0.3, 0.3, 0.3, 0.5};
    setting s = open_plane(0);
    int bodies[6];
    for (int i = 0; i < 6; i++)
        bodies[i] = drop(&s, shapes[i], 700, (rn_vec3){1 + 1.5 * (i % 3), 1.5 + 2 * (i / 3), heights[i] + 0.7});
    run(&s, 4);
    for (int i = 0; i < 6; i++) {
        const rn_pose pose = pose_of(&s, bodies[i]);
        if (i < 5) assert_near(pose.at.z, heights[i], 0.006);
        else assert_true(pose.at.z > 0.29 && pose.at.z < 0.506); /* it may stand or have fallen over */
        assert_true(rn_rigid_is_asleep(s.rigid, bodies[i]) || i == 1 || i == 5);
    }
    close_floor(&s);
}

static void test_stack_stands_and_sleeps(void **state) {
    (void)state;
    setting s = open_plane(0);
    int crates[5];
    for (int i = 0; i < 5; i++) crates[i] = drop(&s, cube(0.5), 400, (rn_vec3){3, 3, 0.25 + 0.505 * i});
    run(&s, 4);
    for (int i = 0; i < 5; i++) {
        const rn_pose pose = pose_of(&s, crates[i]);
        assert_near(pose.at.x, 3, 0.02);
        assert_near(pose.at.y, 3, 0.02);
        assert_near(pose.at.z, 0.25 + 0.5 * i, 0.02);
        assert_true(rn_rigid_is_asleep(s.rigid, crates[i]));
    }
    CHECK(rn_rigid_apply_force(s.rigid, crates[4], (rn_vec3){900, 0, 0}, (rn_vec3){0, 0, 0}));
    run(&s, frame);
    assert_false(rn_rigid_is_asleep(s.rigid, crates[4]));
    assert_true(pose_of(&s, crates[4]).velocity.x > 0.05);
    close_floor(&s);
}

/* Its own weight of water, wherever it was let go from. */
static void test_floats_at_its_draught(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) {
        const double densities[] = {200, 500, 800}, density = densities[i], height = 0.4;
        setting s = open_plane(1.2);
        const int raft = drop(&s, rn_shape_box((rn_vec3){1, 1, height}), density, (rn_vec3){3, 3, 1.5});
        double mean = 0, level = 0, least = INFINITY, most = -INFINITY;
        run(&s, 12);
        for (int k = 0; k < 120; k++) {
            run(&s, frame);
            const double z = pose_of(&s, raft).at.z;
            mean += z / 120;
            level += rn_bodies_effective_level(s.world, 3, 3) / 120;
            least = fmin(least, z);
            most = fmax(most, z);
        }
        const double draught = level - (mean - height / 2), expected = height * density / 1000;
        print_message("density %g: draught %.4f m, by weight %.4f m, bobs by %.4f m\n", density, draught, expected,
                      most - least);
        assert_near(draught, expected, 0.02);
        assert_true(most - least < 0.03);
        close_floor(&s);
    }
}

static void test_joints_hold(void **state) {
    (void)state;
    setting s = open_plane(0);
    const int hung = drop(&s, cube(0.3), 500, (rn_vec3){2, 1, 3});
    const int door = drop(&s, rn_shape_box((rn_vec3){1, 0.1, 1}), 500, (rn_vec3){2, 3, 2});
    const int lift = drop(&s, cube(0.3), 500, (rn_vec3){4, 1, 3});
    const int one = drop(&s, cube(0.3), 500, (rn_vec3){4, 4, 3}), two = drop(&s, cube(0.3), 500, (rn_vec3){4.6, 4, 3});
    rn_joint_def def = {.kind = RN_JOINT_BALL, .body = hung, .to = -1, .at = {1, 1, 3}};
    CHECK(rn_rigid_add_joint(s.rigid, &def));
    def = (rn_joint_def){.kind = RN_JOINT_HINGE,
                         .body = door,
                         .to = -1,
                         .at = {1.5, 3, 2},
                         .axis = {0, 0, 1},
                         .limited = true,
                         .low = -0.5,
                         .high = 0.5};
    CHECK(rn_rigid_add_joint(s.rigid, &def));
    def = (rn_joint_def){
        .kind = RN_JOINT_SLIDER, .body = lift, .to = -1, .axis = {0, 0, 1}, .limited = true, .low = -1, .high = 1};
    CHECK(rn_rigid_add_joint(s.rigid, &def));
    def = (rn_joint_def){.kind = RN_JOINT_FIXED, .body = one, .to = two};
    CHECK(rn_rigid_add_joint(s.rigid, &def));
    for (int i = 0; i < 240; i++) {
        CHECK(rn_rigid_apply_force(s.rigid, door, (rn_vec3){0, 100, 0}, (rn_vec3){0, 0, 0}));
        run(&s, frame);
        const rn_vec3 at = pose_of(&s, hung).at;
        assert_near(hypot(hypot(at.x - 1, at.y - 1), at.z - 3), 1, 0.02);
        const rn_vec3 a = pose_of(&s, one).at, b = pose_of(&s, two).at;
        assert_near(hypot(hypot(a.x - b.x, a.y - b.y), a.z - b.z), 0.6, 0.02);
    }
    const rn_vec3 swung = pose_of(&s, door).at, slid = pose_of(&s, lift).at;
    assert_near(atan2(swung.y - 3, swung.x - 1.5), 0.5, 0.03);
    assert_near(swung.z, 2, 0.02);
    assert_near(slid.x, 4, 0.01);
    assert_near(fabs(slid.z - 3), 1, 0.02);
    close_floor(&s);
}

/* It pushes what is in its way and is pushed by nothing. */
static void test_driven_bodies_push(void **state) {
    (void)state;
    setting s = open_plane(0);
    const int crate = drop(&s, cube(0.4), 500, (rn_vec3){2, 3, 0.2});
    rn_shape *ram = rn_shape_box((rn_vec3){0.2, 1, 0.4});
    rn_body_def def = rn_body_default();
    rn_rigid_body how = rn_rigid_body_default();
    how.driven = true;
    def.shape = ram;
    def.pose.at = (rn_vec3){1, 3, 0.25};
    const int driven = rn_bodies_add(s.world, &def);
    CHECK(rn_rigid_add_body(s.rigid, driven, &how));
    rn_shape_destroy(ram);
    for (int i = 1; i <= 120; i++) {
        const rn_pose pose = {.at = {1 + i * frame, 3, 0.25}, .turn = {0, 0, 0, 1}, .velocity = {1, 0, 0}};
        CHECK(rn_rigid_move_body(s.rigid, driven, &pose));
        run(&s, frame);
    }
    assert_near(pose_of(&s, driven).at.x, 3, 1e-9);
    assert_near(pose_of(&s, crate).at.x, 3.3, 0.05);
    assert_int_equal(rn_rigid_move_body(s.rigid, crate, &(rn_pose){.at = {0, 0, 0}}), RN_INVALID);
    close_floor(&s);
}

/* Down a slope to the wall at its foot, which holds it; without the wall it is gone. */
static void test_walls_hold(void **state) {
    (void)state;
    setting s = open_floor(rn_sdf_plane((rn_vec3){0, 0, 0}, (rn_vec3){-0.3, 0, 1}), 0);
    const int ball = drop(&s, rn_shape_sphere(0.25), 800, (rn_vec3){3, 3, 1.4});
    run(&s, 4);
    assert_near(pose_of(&s, ball).at.x, 0.25, 0.05);
    close_floor(&s);
}

static uint64_t run_pile(void) {
    setting s = open_plane(0.4);
    uint64_t hash = 0;
    for (int i = 0; i < 12; i++)
        drop(&s,
             i % 3 == 0   ? rn_shape_sphere(0.2)
             : i % 3 == 1 ? cube(0.35)
                          : rn_shape_cylinder(0.15, 0.5),
             300 + 200 * (i % 5), (rn_vec3){2.6 + 0.2 * (i % 4), 2.8 + 0.13 * (i % 3), 0.8 + 0.45 * i});
    run(&s, 4);
    for (int i = 0; i < 12; i++) {
        const rn_pose pose = pose_of(&s, i);
        uint64_t bits[13];
        memcpy(bits, &pose, sizeof bits);
        for (int k = 0; k < 13; k++) hash = hash * 1099511628211u + bits[k];
    }
    hash ^= rn_world_hash(s.world);
    assert_true(rn_world_audit(s.world).drift == 0);
    close_floor(&s);
    return hash;
}

static void test_same_bits_every_time(void **state) {
    (void)state;
    const uint64_t first = run_pile();
    free(malloc(12345)); /* another heap */
    assert_true(run_pile() == first);
}

static void test_lost_bodies_are_stopped(void **state) {
    (void)state;
    setting s = open_plane(0);
    const int crate = drop(&s, cube(0.4), 500, (rn_vec3){3, 3, 1});
    warnings = 0;
    for (int i = 0; i < 30; i++) {
        CHECK(rn_rigid_apply_force(s.rigid, crate, (rn_vec3){0, 0, 1e9}, (rn_vec3){0, 0, 0}));
        run(&s, frame);
    }
    const rn_vec3 at = pose_of(&s, crate).at;
    assert_true(isfinite(at.z) && fabs(at.z) < 200);
    assert_int_equal(warnings, 1);
    assert_non_null(strstr(warning, "flew out"));
    CHECK(rn_rigid_set_gravity(s.rigid, (rn_vec3){0, 0, -9})); /* wakes others */
    for (int i = 0; i < 5; i++) run(&s, frame);
    assert_true(pose_of(&s, crate).at.z == at.z);
    close_floor(&s);
}

static void test_refuses_nonsense(void **state) {
    (void)state;
    setting s = open_plane(0);
    const rn_rigid_body how = rn_rigid_body_default();
    const int crate = drop(&s, cube(0.4), 500, (rn_vec3){3, 3, 1});
    assert_int_equal(rn_rigid_add_body(s.rigid, 7, &how), RN_INVALID);
    assert_int_equal(rn_rigid_add_body(s.rigid, crate, &how), RN_INVALID);
    assert_int_equal(rn_rigid_apply_force(s.rigid, crate, (rn_vec3){NAN, 0, 0}, (rn_vec3){0, 0, 0}), RN_INVALID);
    rn_joint_def def = {.kind = RN_JOINT_HINGE, .body = crate, .to = -1};
    assert_int_equal(rn_rigid_add_joint(s.rigid, &def), RN_INVALID);
    def.axis.z = 1;
    def.to = 9;
    assert_int_equal(rn_rigid_add_joint(s.rigid, &def), RN_INVALID);
    def.to = -1;
    def.limited = true;
    def.low = 1;
    def.high = 2;
    assert_int_equal(rn_rigid_add_joint(s.rigid, &def), RN_INVALID);
    CHECK(rn_rigid_remove_body(s.rigid, crate));
    assert_int_equal(rn_rigid_remove_body(s.rigid, crate), RN_INVALID);
    CHECK(rn_bodies_remove(s.world, crate));
    run(&s, frame);
    close_floor(&s);
}

/* However soon memory ends, nothing is left behind, and an engine that was made can be stepped or says why not. */
static void test_memory_runs_out(void **state) {
    (void)state;
    setting s = open_plane(0.3);
    rn_shape *box = cube(0.4);
    rn_body_def def = rn_body_default();
    const rn_rigid_body how = rn_rigid_body_default();
    def.shape = box;
    def.pose.at = (rn_vec3){3, 3, 0.5};
    const int body = rn_bodies_add(s.world, &def);
    bool whole = false;
    for (int blocks = 0; blocks < 2000 && !whole; blocks++) {
        purse p = {.left = blocks};
        rn_rigid_def wish = rn_rigid_default();
        rn_rigid *rigid = NULL;
        wish.hooks = (rn_hooks){.user = &p, .alloc = purse_spend, .free = purse_give_back};
        rn_result result = rn_rigid_create(s.world, &wish, &rigid);
        assert_true((result == RN_OK) == (rigid != NULL));
        if (result == RN_OK) result = rn_rigid_add_body(rigid, body, &how);
        if (result == RN_OK) result = rn_rigid_step(rigid, frame);
        whole = result == RN_OK;
        if (!whole) assert_int_equal(result, RN_MEMORY);
        rn_rigid_destroy(rigid);
        assert_int_equal(p.held, 0);
    }
    assert_true(whole);
    rn_shape_destroy(box);
    close_floor(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_comes_to_rest),         cmocka_unit_test(test_stack_stands_and_sleeps),
        cmocka_unit_test(test_floats_at_its_draught), cmocka_unit_test(test_joints_hold),
        cmocka_unit_test(test_driven_bodies_push),    cmocka_unit_test(test_walls_hold),
        cmocka_unit_test(test_same_bits_every_time),  cmocka_unit_test(test_lost_bodies_are_stopped),
        cmocka_unit_test(test_refuses_nonsense),      cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
