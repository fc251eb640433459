/* The pressure and density solves of the 3D liquid: closed pools, several of them, and Gates' surface. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mac/pressure.h"
#include "mac/state.h"
#include "mac_worlds.h"

/* A wall across x, from 0.45 to 0.55 m; with `lid` also everything above 0.65 m on its high side. */
static double wall_distance(void *user, rn_vec3 at) {
    const bool *lid = user;
    const double wall = fabs(at.x - 0.51) - 0.06, ceiling = fmax(0.51 - at.x, 0.66 - at.z);
    return *lid ? fmin(wall, ceiling) : wall;
}

static rn_vec3 ceiling_velocity(void *user, rn_vec3 at) {
    (void)user;
    return (rn_vec3){0.0, 0.0, at.z > 0.6 && at.x > 0.6 ? -0.05 : 0.0};
}

/* The whole wall belongs to body 0, the ceiling to none. */
static int wall_owner(void *user, rn_vec3 at) {
    (void)user;
    return fabs(at.x - 0.51) < 0.09 ? 0 : -1;
}

/* Two pools beside a wall. The one on the high side is closed and full, and its ceiling comes down a little, so that no
   flow without divergence exists there. The other pool is closed and full too, or has a surface. The pressure of each
   pool is found all the same: what is left is the mean of the closed pool. If mass is above 0, the wall is a body of
   that mass, in m^3 of liquid. */
static void check_pools(bool open, double mass) {
    rn_mac_def def = cube(16);
    rn_mac *mac = make_mac(&def);
    bool lid = true;
    assert_int_equal(rn_mac_set_solid(mac, wall_distance, &lid), RN_OK);
    fill(mac, at_rest, (rn_vec3){1.0, 1.0, open ? 0.5 : 1.0}, NULL, NULL);
    fill(mac, (rn_vec3){0.5, 0.0, 0.5}, (rn_vec3){1.0, 1.0, open ? 1.0 : 0.5}, NULL, NULL);
    assert_int_equal(rn_mac_move_solid(mac, wall_distance, ceiling_velocity, &lid), RN_OK);
    const rn_mac_body body = {
        .low = {0.4, 0.0, 0.0}, .high = {0.62, 1.0, 1.0}, .centre = {0.51, 0.5, 0.5}, .mass = mass};
    if (mass > 0.0) assert_int_equal(rn_mac_set_bodies(mac, &body, 1, wall_owner, NULL), RN_OK);
    const rn_mac_report report = advance(mac, 0.005);
    print_message("%s, mass %g: %d and %d iterations, %.1e left\n", open ? "closed and open pool" : "two closed pools",
                  mass, report.most_iterations, report.most_density_iterations, report.divergence);
    if (report.most_iterations > 30 || report.most_density_iterations > 30) fail_msg("a solve does not converge");
    if (report.divergence > 1e-5) fail_msg("%g of the divergence is left", report.divergence);
    rn_mac_destroy(mac);
}

static void closed_pools_are_solved_one_by_one(void **unused) {
    (void)unused;
    check_pools(true, 0.0);
    check_pools(false, 0.0);
}

/* A wall that is held keeps pools apart like any other. One that is free to move joins them: what the ceiling displaces
   in one pool then pushes the wall into the other one. */
static void closed_pools_beside_bodies_are_solved(void **unused) {
    (void)unused;
    check_pools(false, INFINITY);
    check_pools(true, INFINITY);
    check_pools(false, 0.1);
    check_pools(true, 0.1);
}

static const double box_x[2] = {0.22, 0.8}; /* m, centres of two boxes, one in each pool */

/* Distance (m) to the faces of such a box, inside it negative. */
static double box_distance(int box, rn_vec3 at) {
    return fmax(fmax(fabs(at.x - box_x[box]), fabs(at.y - 0.5)), fabs(at.z - 0.3)) - 0.09;
}

static double boxes_distance(void *user, rn_vec3 at) {
    return fmin(wall_distance(user, at), fmin(box_distance(0, at), box_distance(1, at)));
}

static int box_owner(void *user, rn_vec3 at) {
    (void)user;
    return box_distance(0, at) < 0.05 ? 0 : box_distance(1, at) < 0.05 ? 1 : -1;
}

/* A free box floats in each pool, and no body touches both: each closed pool is balanced by itself. */
static void bodies_join_only_their_own_pools(void **unused) {
    (void)unused;
    for (int open = 0; open < 2; open++) {
        rn_mac_def def = cube(16);
        rn_mac *mac = make_mac(&def);
        bool lid = true;
        rn_mac_body bodies[2];
        assert_int_equal(rn_mac_set_solid(mac, boxes_distance, &lid), RN_OK);
        fill(mac, at_rest, (rn_vec3){0.5, 1.0, open ? 0.8 : 1.0}, NULL, NULL);
        fill(mac, (rn_vec3){0.5, 0.0, 0.0}, (rn_vec3){1.0, 1.0, 1.0}, NULL, NULL);
        assert_int_equal(rn_mac_move_solid(mac, boxes_distance, ceiling_velocity, &lid), RN_OK);
        for (int i = 0; i < 2; i++)
            bodies[i] = (rn_mac_body){.low = {box_x[i] - 0.14, 0.36, 0.16},
                                      .high = {box_x[i] + 0.14, 0.64, 0.44},
                                      .centre = {box_x[i], 0.5, 0.3},
                                      .mass = 0.006};
        assert_int_equal(rn_mac_set_bodies(mac, bodies, 2, box_owner, NULL), RN_OK);
        const rn_mac_report report = advance(mac, 0.005);
        print_message("a box in each pool, %s: %d iterations, %.1e left\n", open ? "one open" : "both closed",
                      report.most_iterations, report.divergence);
        if (report.most_iterations > 30) fail_msg("a solve does not converge");
        if (report.divergence > 1e-5) fail_msg("%g of the divergence is left", report.divergence);
        rn_mac_destroy(mac);
    }
}

/* A level pool whose upper cells are free (p = 0): the density solve of the cells below does not see what is left in
   its arrays. */
static void density_converges_below_gates_surface(void **unused) {
    (void)unused;
    rn_mac_def def = cube(16);
    def.surface = RN_MAC_GATES;
    rn_mac *mac = make_mac(&def);
    fill(mac, at_rest, (rn_vec3){1.0, 1.0, 0.5}, NULL, NULL);
    fill(mac, (rn_vec3){0.3, 0.3, 0.1}, (rn_vec3){0.4, 0.4, 0.2}, NULL, NULL); /* crowded */
    const rn_mac_report report = advance(mac, 0.01);
    print_message("Gates' surface: %d iterations\n", report.most_density_iterations);
    if (!(report.most_density_iterations >= 1 && report.most_density_iterations <= 12)) fail_msg("no convergence");
    rn_mac_destroy(mac);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_pools_are_solved_one_by_one),
        cmocka_unit_test(closed_pools_beside_bodies_are_solved),
        cmocka_unit_test(bodies_join_only_their_own_pools),
        cmocka_unit_test(density_converges_below_gates_surface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
