/* Rigid bodies in the 3D liquid: they float, sink, are held, and exchange momentum with it. */
#include "scene_texts.h"

#include "mac_worlds.h"
#include "world/mac.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

#define GRAVITY 9.81
#define WATER   998.0

/* A tank with walls, of cubic cells, filled to a depth around the bodies that are added before `pour`. */
typedef struct tank {
    rn_world *world;
    double cell;
} tank;

static tank make_tank(int nx, int ny, double cell, double lid, int threads) {
    rn_terrain_def ground = rn_terrain_default();
    ground.cells_x = nx, ground.cells_y = ny;
    ground.cell_size = cell;
    ground.bottom = -0.1;
    ground.lid = lid;
    ground.solid = rn_sdf_plane((rn_vec3){0, 0, 0}, (rn_vec3){0, 0, 1});
    rn_terrain *terrain = NULL;
    if (rn_terrain_create(&ground, &terrain) != RN_OK) fail_msg("%s", rn_last_error());
    rn_world_def def = rn_world_default();
    def.terrain = terrain;
    def.solver = "mac";
    def.threads = threads;
    def.liquid.density = WATER;
    tank t = {.cell = cell};
    if (rn_world_create(&def, &t.world) != RN_OK) fail_msg("%s", rn_last_error());
    rn_terrain_destroy(terrain);
    return t;
}

static int add_body(const tank *t, rn_shape *shape, double density, rn_vec3 at, rn_vec3 velocity) {
    rn_body_def def = rn_body_default();
    def.shape = shape;
    def.density = density;
    def.pose.at = at;
    def.pose.velocity = velocity;
    const int body = rn_bodies_add(t->world, &def);
    if (body < 0) fail_msg("%s", rn_last_error());
    rn_shape_destroy(shape);
    return body;
}

static void pour(const tank *t, double level) {
    const rn_fill_def fill = {.kind = RN_FILL_LEVEL, .value = level};
    if (rn_world_fill(t->world, &fill) != RN_OK) fail_msg("%s", rn_last_error());
}

static void step(const tank *t, double seconds) {
    if (rn_world_step(t->world, seconds) != RN_OK) fail_msg("%s", rn_last_error());
}

/* Moves a body by its load and weight, as a host would; it does not turn. */
static rn_pose fly(const tank *t, int body, double seconds) {
    const rn_body_info info = rn_bodies_describe(t->world, body);
    const rn_vec3 f = rn_bodies_load(t->world, body).force;
    rn_pose pose = info.pose;
    pose.velocity.x += seconds * f.x / info.mass;
    pose.velocity.y += seconds * f.y / info.mass;
    pose.velocity.z += seconds * (f.z / info.mass - GRAVITY);
    pose.at.x += seconds * pose.velocity.x;
    pose.at.y += seconds * pose.velocity.y;
    pose.at.z += seconds * pose.velocity.z;
    if (rn_bodies_move(t->world, body, &pose) != RN_OK) fail_msg("%s", rn_last_error());
    return pose;
}

/* The liquid carries a ball that is held below its surface with the weight of the liquid that the ball displaces. */
static void a_held_ball_has_its_buoyancy(void **state) {
    (void)state;
    const double radius = 0.11;
    tank t = make_tank(24, 24, 0.025, 0.6, 2);
    const int body = add_body(&t, rn_shape_sphere(radius), 500.0, (rn_vec3){0.29, 0.31, 0.23}, (rn_vec3){0, 0, 0});
    pour(&t, 0.5);
    double mean = 0.0, side = 0.0;
    for (int i = 0; i < 30; i++) {
        step(&t, 0.02);
        const rn_body_load load = rn_bodies_load(t.world, body);
        if (i >= 20) mean += 0.1 * load.force.z, side += 0.1 * hypot(load.force.x, load.force.y);
    }
    const double want = WATER * GRAVITY * 4.0 / 3.0 * 3.14159265 * radius * radius * radius;
    print_message("buoyancy of a held ball: %.3f of the weight of the displaced liquid\n", mean / want);
    if (fabs(mean / want - 1.0) > 0.02 || side > 0.02 * want)
        fail_msg("%g N and %g N aside, not %g N", mean, side, want);
    rn_world_destroy(t.world);
}

/* A very light ball that is held gets its load at once, and the load does not depend on how a step is split. */
static void a_light_ball_is_held(void **state) {
    (void)state;
    const double radius = 0.11, want = WATER * GRAVITY * 4.0 / 3.0 * 3.14159265 * radius * radius * radius;
    tank t = make_tank(24, 24, 0.025, 0.6, 2);
    const int body = add_body(&t, rn_shape_sphere(radius), 20.0, (rn_vec3){0.29, 0.31, 0.23}, (rn_vec3){0, 0, 0});
    pour(&t, 0.5);
    double least = 1.0, most = 1.0;
    for (int i = 0; i < 30; i++) {
        step(&t, i < 10 ? 0.008 : i < 20 ? 0.016 : 0.004); /* 1, 2 and 1 substeps, of 8, 8 and 4 ms */
        const double share = rn_bodies_load(t.world, body).force.z / want;
        if (i < 4) continue;
        least = fmin(least, share), most = fmax(most, share);
    }
    print_message("load of a light ball that is held: %.3f to %.3f of the weight of the displaced liquid\n", least,
                  most);
    if (!(least > 0.93 && most < 1.07)) fail_msg("%g to %g", least, most);
    rn_world_destroy(t.world);
}

/* A box half as dense as the liquid floats with half of it below the surface. */
static void a_light_box_floats(void **state) {
    (void)state;
    tank t = make_tank(24, 24, 0.025, 0.6, 2);
    const int body = add_body(&t, rn_shape_box((rn_vec3){0.22, 0.22, 0.2}), 0.5 * WATER, (rn_vec3){0.3, 0.3, 0.33},
                              (rn_vec3){0, 0, 0});
    pour(&t, 0.3);
    double draught = 0.0, force = 0.0; /* means of the second half */
    const int frames = 200;
    for (int i = 0; i < frames; i++) {
        const rn_pose pose = fly(&t, body, 0.02);
        step(&t, 0.02);
        const double liquid = rn_mac_volume(t.world->mac->mac), area = 0.6 * 0.6, part = 0.22 * 0.22;
        const double bottom = pose.at.z - 0.1, level = (liquid - part * bottom) / (area - part);
        if (i < frames / 2) continue;
        draught += (level - bottom) / (frames / 2);
        force += rn_bodies_load(t.world, body).force.z / (frames / 2);
    }
    print_message("draught of a box of half the density: %.4f of its height\n", draught / 0.2);
    if (fabs(draught / 0.2 - 0.5) > 0.025) fail_msg("its draught is %g m", draught);
    const double weight = GRAVITY * rn_bodies_describe(t.world, body).mass;
    if (fabs(force / weight - 1.0) > 0.02) fail_msg("the liquid carries it with %g N, not %g N", force, weight);
    rn_world_destroy(t.world);
}

/* A ball twice as dense falls with the added mass of half the liquid that it displaces: at 0.4 g, and somewhat slower
   between walls. */
static void a_heavy_ball_sinks(void **state) {
    (void)state;
    tank t = make_tank(32, 32, 0.025, 0.9, 2);
    const int body = add_body(&t, rn_shape_sphere(0.1), 2.0 * WATER, (rn_vec3){0.4, 0.4, 0.5}, (rn_vec3){0, 0, 0});
    pour(&t, 0.8);
    double first = 0.0, last = 0.0;
    for (int i = 0; i < 30; i++) {
        last = fly(&t, body, 0.005).velocity.z;
        if (i == 9) first = last; /* the host learns of the liquid in the second step only */
        step(&t, 0.005);
    }
    const double pull = (first - last) / (20 * 0.005) / GRAVITY;
    print_message("a ball of twice the density falls at %.3f g\n", pull);
    if (!(pull > 0.37 && pull < 0.42)) fail_msg("%g g", pull);
    rn_world_destroy(t.world);
}

/* The momentum (m/s m^3) along x of the liquid and a body, over the density of the liquid. */
static double momentum(const tank *t, int body) {
    const rn_mac *mac = t->world->mac->mac;
    const rn_body_info info = rn_bodies_describe(t->world, body);
    const double each = t->cell * t->cell * t->cell / 8.0;
    double sum = info.mass / WATER * info.pose.velocity.x;
    for (int64_t n = 0; n < rn_mac_particle_count(mac); n++) sum += each * rn_mac_particle_at(mac, n).velocity.x;
    return sum;
}

/* The momentum along x of two drops of the same sizes that collide, 0.2 s later, as a share of that before. The surface
   loses some: faces beside the liquid take the velocity of the liquid, whatever their particles have. */
static double momentum_of_drops(void) {
    rn_mac_def def = rn_mac_default();
    def.cells_x = 40, def.cells_y = 24, def.cells_z = 48;
    def.cell_size = 0.025;
    rn_mac *mac = make_mac(&def);
    mac_ball fast = {{0.28, 0.3, 0.9}, 0.08}, still = {{0.5, 0.3, 0.9}, 0.12};
    const rn_vec3 rest = {0, 0, 0}, high = {1, 0.6, 1.2};
    assert_int_equal(rn_mac_add_liquid(mac, rest, high, ball_distance, &fast, (rn_vec3){1, 0, 0}), RN_OK);
    assert_int_equal(rn_mac_add_liquid(mac, rest, high, ball_distance, &still, rest), RN_OK);
    const double before = mean_of(mac).velocity.x;
    for (int i = 0; i < 40; i++) assert_int_equal(rn_mac_step(mac, 0.005, NULL), RN_OK);
    const double after = mean_of(mac).velocity.x;
    rn_mac_destroy(mac);
    return after / before;
}

/* A ball flies into a drop while both fall: together they keep their momentum, and the ball gives up some of its own.
 */
static void momentum_is_passed_on(void **state) {
    (void)state;
    tank t = make_tank(40, 24, 0.025, 1.2, 2);
    const int body = add_body(&t, rn_shape_sphere(0.08), 0.8 * WATER, (rn_vec3){0.28, 0.3, 0.9}, (rn_vec3){1, 0, 0});
    rn_sdf *ball = rn_sdf_move(rn_sdf_sphere(0.12), (rn_vec3){0.5, 0.3, 0.9});
    const rn_fill_def filled = {.kind = RN_FILL_SHAPE, .shape = ball};
    assert_int_equal(rn_world_fill(t.world, &filled), RN_OK);
    rn_sdf_destroy(ball);
    const double before = momentum(&t, body);
    rn_pose pose = {.at = {0}};
    for (int i = 0; i < 40; i++) {
        pose = fly(&t, body, 0.005);
        step(&t, 0.005);
    }
    pose = fly(&t, body, 0.005); /* by the load of the last step */
    const double after = momentum(&t, body);
    const double liquid = momentum_of_drops();
    print_message("momentum after two drops have met: %.4f of that before\n", liquid);
    if (!(after / before > liquid - 0.03)) fail_msg("a ball and a drop keep less: %g", after / before);
    print_message("momentum after a ball has hit a drop: %.4f of that before; the ball has %.3f of its own\n",
                  after / before, pose.velocity.x);
    if (fabs(after / before - 1.0) > 0.05) fail_msg("%g, not %g", after, before);
    if (!(pose.velocity.x > 0.1 && pose.velocity.x < 0.8)) fail_msg("the ball moves at %g m/s", pose.velocity.x);
    rn_world_destroy(t.world);
}

static const char *const scene_text =
    "{\"grid\": {\"cells\": [20, 16], \"cell\": 0.025, \"bottom\": -0.1, \"lid\": 0.5}, \"solver\": \"mac\","
    "\"solid\": {\"type\": \"plane\"}, \"fills\": [{\"level\": 0.2}], \"frame_time\": 0.02,"
    "\"bodies\": [{\"shape\": {\"type\": \"box\", \"size\": [0.1, 0.12, 0.08]}, \"at\": [0.2, 0.2, 0.3], "
    "\"turn\": [20, 10, 0], \"density\": 500},"
    "{\"shape\": {\"type\": \"sphere\", \"radius\": 0.05}, \"at\": [0.35, 0.22, 0.32], \"density\": 2000}]}";

static rn_scene *open_scene(int threads) {
    rn_scene *scene = NULL;
    write_file("scene.json", scene_text, strlen(scene_text));
    const rn_scene_def def = {.path = in_folder("scene.json"), .threads = threads};
    const rn_result result = rn_scene_open(&def, &scene);
    if (result == RN_UNSUPPORTED) skip(); /* without ODE */
    if (result != RN_OK) fail_msg("%s", rn_last_error());
    return scene;
}

static void run(rn_scene *scene, int frames) {
    for (int i = 0; i < frames; i++)
        if (rn_scene_step(scene) != RN_OK) fail_msg("%s", rn_last_error());
}

/* A scene with dynamic bodies: the same bits with one thread and two; the box floats, the ball lies on the floor and
   falls asleep. */
static void scenes_have_bodies(void **state) {
    (void)state;
    rn_scene *one = open_scene(1), *two = open_scene(2);
    run(one, 10);
    run(two, 10);
    assert_true(rn_world_hash(rn_scene_world(one)) == rn_world_hash(rn_scene_world(two)));
    rn_scene_close(two);
    run(one, 60);
    const rn_pose box = rn_bodies_describe(rn_scene_world(one), 0).pose,
                  ball = rn_bodies_describe(rn_scene_world(one), 1).pose;
    if (!(box.at.z > 0.18 && box.at.z < 0.23)) fail_msg("the box is at %g m", box.at.z);
    if (!(ball.at.z > 0.045 && ball.at.z < 0.06)) fail_msg("the ball is at %g m", ball.at.z);
    assert_true(rn_bodies_load(rn_scene_world(one), 1).aground && !rn_bodies_load(rn_scene_world(one), 0).aground);
    int asleep = 0;
    for (int i = 0; i < 40; i++) {
        const rn_pose before = rn_bodies_describe(rn_scene_world(one), 1).pose;
        run(one, 1);
        const rn_pose after = rn_bodies_describe(rn_scene_world(one), 1).pose;
        asleep += memcmp(&before, &after, sizeof after) == 0;
    }
    if (!asleep) fail_msg("the ball on the floor does not fall asleep"); /* until the next wave */
    rn_scene_close(one);
}

/* A state that was saved while bodies move goes on to the bit. */
static void states_with_bodies_go_on(void **state) {
    (void)state;
    rn_scene *scene = open_scene(2), *other = NULL;
    run(scene, 7);
    if (rn_scene_save(scene, in_folder("state.rnl")) != RN_OK) fail_msg("%s", rn_last_error());
    run(scene, 6);
    const rn_scene_def def = {.checkpoint = in_folder("state.rnl"), .threads = 2};
    if (rn_scene_open(&def, &other) != RN_OK) fail_msg("%s", rn_last_error());
    assert_true(rn_bodies_load(rn_scene_world(scene), 0).blocks && rn_bodies_load(rn_scene_world(other), 0).blocks);
    run(other, 6);
    assert_true(rn_world_hash(rn_scene_world(scene)) == rn_world_hash(rn_scene_world(other)));
    const rn_pose a = rn_bodies_describe(rn_scene_world(scene), 0).pose,
                  b = rn_bodies_describe(rn_scene_world(other), 0).pose;
    assert_memory_equal(&a, &b, sizeof a);
    rn_scene_close(scene);
    rn_scene_close(other);
}

/* A state that is saved between adding a body and the next step goes on to the bit, too. */
static void states_with_new_bodies_go_on(void **state) {
    (void)state;
    rn_scene *scene = open_scene(2), *other = NULL;
    rn_world *world = rn_scene_world(scene);
    run(scene, 3);
    const char *body =
        "{\"name\": \"new\", \"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, 0.1]}, \"density\": 400, "
        "\"at\": [0.3, 0.3, 0.5]}";
    if (rn_scene_add_body(scene, body) != RN_OK) fail_msg("%s", rn_last_error());
    if (rn_scene_save(scene, in_folder("new.rnl")) != RN_OK) fail_msg("%s", rn_last_error());
    run(scene, 3);
    const rn_scene_def def = {.checkpoint = in_folder("new.rnl"), .threads = 2};
    if (rn_scene_open(&def, &other) != RN_OK) fail_msg("%s", rn_last_error());
    run(other, 3);
    assert_true(rn_world_hash(world) == rn_world_hash(rn_scene_world(other)));
    rn_scene_close(scene);
    rn_scene_close(other);
}

/* A tank with a body, and a solid that the host moves. */
static tank make_mixed(void) {
    tank t = make_tank(20, 20, 0.025, 0.5, 2);
    const rn_solid_def post = {
        .shape = rn_sdf_box((rn_vec3){0.08, 0.08, 0.3}), .at = {0.13, 0.13, 0.2}, .turn = {0, 0, 0, 1}};
    assert_int_equal(rn_world_add_solid(t.world, &post), 0);
    add_body(&t, rn_shape_sphere(0.07), 500.0, (rn_vec3){0.33, 0.33, 0.2}, (rn_vec3){0, 0, 0});
    pour(&t, 0.25);
    return t;
}

/* Changes by the host between two steps. */
static void teleport_body(const tank *t) {
    rn_pose pose = rn_bodies_describe(t->world, 0).pose;
    pose.at.x -= 0.05;
    assert_int_equal(rn_bodies_teleport(t->world, 0, &pose), RN_OK);
}
static void move_body(const tank *t) {
    rn_pose pose = rn_bodies_describe(t->world, 0).pose;
    pose.at.z -= 0.02;
    assert_int_equal(rn_bodies_move(t->world, 0, &pose), RN_OK);
}
static void remove_body(const tank *t) { assert_int_equal(rn_bodies_remove(t->world, 0), RN_OK); }
static void move_solid(const tank *t) {
    const rn_quat turn = {0, 0, 0, 1};
    assert_int_equal(rn_world_move_solid(t->world, 0, (rn_vec3){0.15, 0.14, 0.2}, turn), RN_OK);
}
static void hide_solid(const tank *t) { assert_int_equal(rn_world_show_solid(t->world, 0, false), RN_OK); }

/* A state that is saved between a change by the host and the next step goes on to the bit. */
static void states_between_steps_go_on(void **state) {
    (void)state;
    void (*const changes[])(const tank *) = {teleport_body, move_body, remove_body, move_solid, hide_solid};
    const char *const names[] = {"teleport a body", "move a body", "remove a body", "move a solid", "hide a solid"};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        tank t = make_mixed(), other = make_mixed();
        rn_snapshot *snapshot = NULL;
        for (int n = 0; n < 3; n++) step(&t, 0.02);
        changes[i](&t);
        assert_int_equal(rn_world_save(t.world, &snapshot), RN_OK);
        for (int n = 0; n < 2; n++) step(&t, 0.02);
        if (rn_world_restore(other.world, snapshot) != RN_OK) fail_msg("%s: %s", names[i], rn_last_error());
        for (int n = 0; n < 2; n++) step(&other, 0.02);
        if (rn_world_hash(t.world) != rn_world_hash(other.world)) fail_msg("%s: other bits", names[i]);
        rn_snapshot_destroy(snapshot);
        rn_world_destroy(t.world);
        rn_world_destroy(other.world);
    }
}

/* A world with one more solid than a state that was saved after its solid had moved takes the state, to the bit. */
static void a_state_fits_a_world_with_more_solids(void **state) {
    (void)state;
    tank t = make_mixed(), other = make_mixed();
    rn_snapshot *snapshot = NULL;
    const rn_solid_def more = {
        .shape = rn_sdf_box((rn_vec3){0.05, 0.05, 0.3}), .at = {0.4, 0.1, 0.2}, .turn = {0, 0, 0, 1}};
    assert_int_equal(rn_world_add_solid(other.world, &more), 1);
    for (int n = 0; n < 3; n++) step(&t, 0.02);
    move_solid(&t);
    assert_int_equal(rn_world_save(t.world, &snapshot), RN_OK);
    if (rn_world_restore(other.world, snapshot) != RN_OK) fail_msg("%s", rn_last_error());
    for (int n = 0; n < 2; n++) step(&t, 0.02), step(&other, 0.02);
    assert_true(rn_world_hash(t.world) == rn_world_hash(other.world));
    rn_snapshot_destroy(snapshot);
    rn_world_destroy(t.world);
    rn_world_destroy(other.world);
}

/* A box that floats beside a post does not rest on it; one that lies on the ground does. When all liquid is gone,
   nothing carries the ball any more. */
static void what_carries_bodies(void **state) {
    (void)state;
    tank t = make_mixed();
    const rn_vec3 rest = {0, 0, 0};
    const int afloat = add_body(&t, rn_shape_box((rn_vec3){0.1, 0.08, 0.1}), 500.0, (rn_vec3){0.221, 0.13, 0.25}, rest);
    const int below = add_body(&t, rn_shape_box((rn_vec3){0.08, 0.08, 0.08}), 2000.0, (rn_vec3){0.4, 0.1, 0.04}, rest);
    for (int n = 0; n < 3; n++) step(&t, 0.02);
    assert_false(rn_bodies_load(t.world, afloat).aground);
    assert_true(rn_bodies_load(t.world, below).aground);
    assert_true(rn_bodies_load(t.world, 0).force.z > 1.0);
    rn_source_def drain = rn_source_default();
    drain.kind = RN_SOURCE_DRAIN;
    drain.at = (rn_vec3){0.25, 0.25, 0.05};
    drain.radius = 0.5;
    drain.rate = 10.0;
    assert_true(rn_world_add_source(t.world, &drain) >= 0);
    for (int n = 0; n < 200 && rn_mac_particle_count(t.world->mac->mac) > 0; n++) step(&t, 0.02);
    assert_true(rn_mac_particle_count(t.world->mac->mac) == 0);
    step(&t, 0.02);
    assert_true(rn_bodies_load(t.world, 0).force.z == 0.0 && rn_bodies_load(t.world, 0).share == 0.0);
    rn_world_destroy(t.world);
}

static int warnings;

static void count_warnings(void *user, rn_log_level level, const char *text) {
    (void)user;
    if (level == RN_LOG_WARNING && strstr(text, "cells thick")) warnings++;
}

/* A bead between the corners of cells is accepted with a warning, and has no effect; a body that appears in the liquid
   pushes it aside, and one that is removed leaves it alone. */
static void odd_bodies_do_no_harm(void **state) {
    (void)state;
    tank t = make_tank(20, 20, 0.025, 0.5, 2);
    t.world->hooks.log = count_warnings;
    pour(&t, 0.25);
    const rn_vec3 rest = {0, 0, 0};
    warnings = 0;
    const int bead = add_body(&t, rn_shape_sphere(0.005), 500.0, (rn_vec3){0.1125, 0.1125, 0.1125}, rest);
    assert_int_equal(warnings, 1);
    const int ball = add_body(&t, rn_shape_sphere(0.08), 500.0, (rn_vec3){0.25, 0.25, 0.12}, rest);
    const int huge = add_body(&t, rn_shape_sphere(0.2), 500.0, (rn_vec3){3, 3, 3}, rest);
    assert_int_equal(warnings, 1);
    for (int i = 0; i < 20; i++) step(&t, 0.02);
    assert_true(rn_bodies_load(t.world, bead).force.z == 0.0 && rn_bodies_load(t.world, huge).force.z == 0.0);
    const double weight = WATER * GRAVITY * 4.0 / 3.0 * 3.14159265 * 0.08 * 0.08 * 0.08;
    if (fabs(rn_bodies_load(t.world, ball).force.z / weight - 1.0) > 0.1)
        fail_msg("%g N, not %g N", rn_bodies_load(t.world, ball).force.z, weight);
    assert_int_equal(rn_bodies_remove(t.world, ball), RN_OK);
    for (int i = 0; i < 60; i++) step(&t, 0.02);
    assert_true(rn_bodies_load(t.world, ball).force.z == 0.0);
    const rn_audit audit = rn_world_audit(t.world);
    if (fabs(audit.drift) > 0.02 * audit.poured) fail_msg("%g m^3 of %g", audit.drift, audit.poured);
    rn_world_destroy(t.world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_held_ball_has_its_buoyancy),
        cmocka_unit_test(a_light_ball_is_held),
        cmocka_unit_test(a_light_box_floats),
        cmocka_unit_test(a_heavy_ball_sinks),
        cmocka_unit_test(momentum_is_passed_on),
        cmocka_unit_test(scenes_have_bodies),
        cmocka_unit_test(states_with_bodies_go_on),
        cmocka_unit_test(odd_bodies_do_no_harm),
        cmocka_unit_test(states_with_new_bodies_go_on),
        cmocka_unit_test(states_between_steps_go_on),
        cmocka_unit_test(a_state_fits_a_world_with_more_solids),
        cmocka_unit_test(what_carries_bodies),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
