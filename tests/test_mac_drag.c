/* Rigid bodies in a viscous 3D liquid: it drags them as Stokes found, and stiff drag does not shake them. */
#include "scene_texts.h"

#include "mac_worlds.h"
#include "world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/* A ball in the middle of a spherical cavity, which is full of liquid. */
typedef struct cavity {
    rn_vec3 centre;
    double ball, wall;    /* m, radii */
    rn_vec3 speed, omega; /* m/s and 1/s, of the ball */
} cavity;

static double from_centre(const cavity *c, rn_vec3 at) {
    const double x = at.x - c->centre.x, y = at.y - c->centre.y, z = at.z - c->centre.z;
    return sqrt(x * x + y * y + z * z);
}

static double solid_distance(void *user, rn_vec3 at) {
    const cavity *c = user;
    const double r = from_centre(c, at);
    return fmin(c->wall - r, r - c->ball);
}

static int solid_owner(void *user, rn_vec3 at) {
    const cavity *c = user;
    return from_centre(c, at) < 0.5 * (c->ball + c->wall) ? 0 : -1;
}

static rn_vec3 solid_velocity(void *user, rn_vec3 at) {
    const cavity *c = user;
    const rn_vec3 r = {at.x - c->centre.x, at.y - c->centre.y, at.z - c->centre.z}, w = c->omega;
    if (solid_owner(user, at) < 0) return (rn_vec3){0, 0, 0};
    return (rn_vec3){c->speed.x + w.y * r.z - w.z * r.y, c->speed.y + w.z * r.x - w.x * r.z,
                     c->speed.z + w.x * r.y - w.y * r.x};
}

/* The body after `steps` steps of 2.5 ms in which the solid has the velocity of the ball, but stays in place; it is
   held, so it has the sums of the last step alone. */
static rn_mac_body stir(cavity *c, int cells, double cell, double viscosity, int steps) {
    rn_mac_def def = cube(cells);
    def.cell_size = cell;
    def.gravity = (rn_vec3){0, 0, 0};
    def.viscosity = viscosity;
    def.no_slip = RN_MAC_SOLIDS;
    rn_mac *mac = make_mac(&def);
    assert_int_equal(rn_mac_set_solid(mac, solid_distance, c), RN_OK);
    const double side = cells * cell, reach = c->ball + cell;
    const rn_vec3 rest = {0, 0, 0}, o = c->centre;
    assert_int_equal(rn_mac_add_liquid(mac, rest, (rn_vec3){side, side, side}, NULL, NULL, rest), RN_OK);
    const rn_mac_body body = {.low = {o.x - reach, o.y - reach, o.z - reach},
                              .high = {o.x + reach, o.y + reach, o.z + reach},
                              .centre = o,
                              .mass = INFINITY};
    for (int i = 0; i < steps; i++) {
        assert_int_equal(rn_mac_move_solid(mac, solid_distance, solid_velocity, c), RN_OK);
        assert_int_equal(rn_mac_set_bodies(mac, &body, 1, solid_owner, c), RN_OK);
        advance(mac, 0.0025);
    }
    const rn_mac_body found = rn_mac_body_at(mac, 0);
    rn_mac_destroy(mac);
    return found;
}

/* A ball that moves slowly through the middle of a spherical cavity has the drag of Stokes, 6 pi nu R U over the
   density, times an exact factor (Happel & Brenner 1965, Eq. 4-22.11). */
static void a_ball_has_the_drag_of_stokes(void **state) {
    (void)state;
    const double cell = 0.01, nu = 0.02, speed = 0.001;
    for (int size = 4; size <= (getenv("RUNNEL_LONG") ? 5 : 4); size++) {
        cavity c = {.ball = cell * size, .wall = 3.0 * cell * size, .speed = {speed, 0, 0}};
        const int cells = 6 * size + 4;
        c.centre = (rn_vec3){0.5 * cells * cell + 0.003, 0.5 * cells * cell - 0.002, 0.5 * cells * cell + 0.001};
        const double l = c.ball / c.wall, l3 = l * l * l, l5 = l3 * l * l;
        const double factor = (1.0 - l5) / (1.0 - 2.25 * l + 2.5 * l3 - 2.25 * l5 + l5 * l);
        const double exact = factor * 6.0 * PI * nu * c.ball * speed;
        const rn_mac_body body = stir(&c, cells, cell, nu, 100);
        const double drag = -body.drag_impulse.x / body.dragged, pressure = -body.impulse.x / body.pushed;
        print_message("a ball of %d cells: %.3f of the exact drag, of which %.3f by viscosity\n", size,
                      (drag + pressure) / exact, drag / exact);
        if (!(fabs((drag + pressure) / exact - 1.0) < 0.2)) fail_msg("%g, not %g", drag + pressure, exact);
        if (!(drag > 0.5 * exact && pressure > 0.1 * exact)) fail_msg("%g and %g", drag, pressure);
    }
}

/* A ball that turns in the middle of a cavity: 8 pi nu R^3 W / (1 - (R / wall)^3) over the density (Lamb 1932). */
static void a_turning_ball_is_braked(void **state) {
    (void)state;
    const double cell = 0.01, nu = 0.02, omega = 0.1;
    cavity c = {.ball = 4.0 * cell, .wall = 10.0 * cell, .omega = {0, 0, omega}, .centre = {0.123, 0.118, 0.121}};
    const double l = c.ball / c.wall, cube = c.ball * c.ball * c.ball;
    const double exact = 8.0 * PI * nu * cube * omega / (1.0 - l * l * l);
    const rn_mac_body body = stir(&c, 24, cell, nu, 100);
    const double torque = -body.drag_twist.z / body.dragged;
    print_message("a turning ball of 4 cells: %.3f of the exact torque\n", torque / exact);
    if (!(fabs(torque / exact - 1.0) < 0.25)) fail_msg("%g, not %g", torque, exact);
}

#define GRAVITY 9.81
#define DENSITY 1400.0

/* A tank of honey 0.4 m wide, with a ball that is twice as dense. */
static rn_world *make_tank(double viscosity) {
    rn_terrain_def ground = rn_terrain_default();
    ground.cells_x = ground.cells_y = 16;
    ground.cell_size = 0.025;
    ground.bottom = -0.1;
    ground.lid = 0.6;
    ground.solid = rn_sdf_plane((rn_vec3){0, 0, 0}, (rn_vec3){0, 0, 1});
    rn_terrain *terrain = NULL;
    if (rn_terrain_create(&ground, &terrain) != RN_OK) fail_msg("%s", rn_last_error());
    rn_world_def def = rn_world_default();
    def.terrain = terrain;
    def.solver = "mac";
    def.threads = 2;
    def.liquid.density = DENSITY;
    def.liquid.viscosity = viscosity;
    rn_world *world = NULL;
    if (rn_world_create(&def, &world) != RN_OK) fail_msg("%s", rn_last_error());
    rn_terrain_destroy(terrain);
    rn_body_def body = rn_body_default();
    rn_shape *ball = rn_shape_sphere(0.075);
    body.shape = ball;
    body.density = 2.0 * DENSITY;
    body.pose.at = (rn_vec3){0.21, 0.2, 0.3};
    assert_int_equal(rn_bodies_add(world, &body), 0);
    rn_shape_destroy(ball);
    const rn_fill_def fill = {.kind = RN_FILL_LEVEL, .value = 0.5};
    if (rn_world_fill(world, &fill) != RN_OK) fail_msg("%s", rn_last_error());
    return world;
}

/* Moves the ball for 0.02 s by its load and weight, as a host would, and then the liquid. Returns its velocity. */
static double sink(rn_world *world) {
    const rn_body_info info = rn_bodies_describe(world, 0);
    const rn_body_load load = rn_bodies_load(world, 0);
    rn_pose pose = info.pose;
    pose.velocity.x += 0.02 * load.force.x / info.mass;
    pose.velocity.y += 0.02 * load.force.y / info.mass;
    pose.velocity.z += 0.02 * (load.force.z / info.mass - GRAVITY);
    pose.at.x += 0.02 * pose.velocity.x;
    pose.at.y += 0.02 * pose.velocity.y;
    pose.at.z += 0.02 * pose.velocity.z;
    assert_int_equal(rn_bodies_move(world, 0, &pose), RN_OK);
    if (rn_world_step(world, 0.02) != RN_OK) fail_msg("%s", rn_last_error());
    return pose.velocity.z;
}

/* In honey, whose drag stops the ball within a fraction of a step, the ball soon sinks at a steady speed. Between walls
   that slip it should be about 0.49 of that of Stokes (Hasimoto 1959); with the drag of a ball of so few cells, which
   is 0.83 of the exact one, 0.59. */
static void a_ball_sinks_steadily_in_honey(void **state) {
    (void)state;
    const double viscosity = 0.4, stokes = 2.0 / 9.0 * GRAVITY * 0.075 * 0.075 / viscosity;
    rn_world *world = make_tank(viscosity);
    double least = INFINITY, most = 0.0;
    for (int i = 0; i < 80; i++) {
        const double speed = -sink(world);
        if (i < 60) continue;
        least = fmin(least, speed);
        most = fmax(most, speed);
    }
    print_message("a ball in honey sinks at %.3f to %.3f of Stokes' speed in a wide tank\n", least / stokes,
                  most / stokes);
    if (!(least > 0.45 * stokes && most < 0.75 * stokes && most < 1.3 * least)) fail_msg("%g to %g m/s", least, most);
    rn_world_destroy(world);
}

/* A state with a ball in honey goes on to the bit. */
static void states_with_drag_go_on(void **state) {
    (void)state;
    rn_world *one = make_tank(0.05), *other = make_tank(0.05);
    rn_snapshot *snapshot = NULL;
    for (int i = 0; i < 4; i++) sink(one);
    assert_int_equal(rn_world_save(one, &snapshot), RN_OK);
    if (rn_world_restore(other, snapshot) != RN_OK) fail_msg("%s", rn_last_error());
    for (int i = 0; i < 3; i++) {
        sink(one);
        sink(other);
    }
    const rn_body_load a = rn_bodies_load(one, 0), b = rn_bodies_load(other, 0);
    assert_true(rn_world_hash(one) == rn_world_hash(other));
    assert_true(a.force.x == b.force.x && a.force.z == b.force.z && a.torque.y == b.torque.y && a.drag.z == b.drag.z);
    assert_true(a.drag.z > 0.0);
    rn_snapshot_destroy(snapshot);
    rn_world_destroy(one);
    rn_world_destroy(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_has_the_drag_of_stokes),
        cmocka_unit_test(a_turning_ball_is_braked),
        cmocka_unit_test(a_ball_sinks_steadily_in_honey),
        cmocka_unit_test(states_with_drag_go_on),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
