/* The pressure and density solves of the 3D liquid: closed pools, several of them, and Gates' surface. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mac/pressure.h"
#include "mac/state.h"
#include "mac_worlds.h"

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
        cmocka_unit_test(density_converges_below_gates_surface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
