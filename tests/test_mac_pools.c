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

/* Two pools beside a wall. The one on the high side is closed and full, and its ceiling comes down a little, so that no
   flow without divergence exists there. The other pool is closed and full too, or has a surface. The pressure of each
   pool is found all the same: what is left is the mean of the closed pool. */
static void check_pools(bool open) {
    rn_mac_def def = cube(16);
    rn_mac *mac = make_mac(&def);
    bool lid = true;
    assert_int_equal(rn_mac_set_solid(mac, wall_distance, &lid), RN_OK);
    fill(mac, at_rest, (rn_vec3){1.0, 1.0, open ? 0.5 : 1.0}, NULL, NULL);
    fill(mac, (rn_vec3){0.5, 0.0, 0.5}, (rn_vec3){1.0, 1.0, open ? 1.0 : 0.5}, NULL, NULL);
    assert_int_equal(rn_mac_move_solid(mac, wall_distance, ceiling_velocity, &lid), RN_OK);
    const rn_mac_report report = advance(mac, 0.005);
    print_message("%s: %d and %d iterations\n", open ? "closed and open pool" : "two closed pools",
                  report.most_iterations, report.most_density_iterations);
    if (report.most_iterations > 30 || report.most_density_iterations > 30) fail_msg("a solve does not converge");
    rn_mac_destroy(mac);
}

static void closed_pools_are_solved_one_by_one(void **unused) {
    (void)unused;
    check_pools(true);
    check_pools(false);
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
        cmocka_unit_test(density_converges_below_gates_surface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
