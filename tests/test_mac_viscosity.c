/* Viscosity of the 3D liquid against theory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mac_worlds.h"

/* A slice of a channel that goes on along x: `cells` high, of 1 mm, filled up to `depth` (m). */
static rn_mac *make_channel(rn_mac_def *def, int cells, double depth, rn_vec3 gravity) {
    *def = rn_mac_default();
    def->cells_x = 8;
    def->cells_y = 4;
    def->cells_z = cells;
    def->cell_size = 1e-3;
    def->viscosity = 1e-4;
    def->gravity = gravity;
    def->periodic_x = true;
    def->threads = 2;
    def->no_slip = RN_MAC_Z_LOW | RN_MAC_Z_HIGH;
    rn_mac *mac = make_mac(def);
    fill(mac, (rn_vec3){0.0, 0.0, 0.0}, (rn_vec3){1.0, 1.0, depth}, NULL, NULL);
    return mac;
}

/* Between two plates, g along them: the mean speed is g H^2 / (12 nu). */
static void flow_between_plates_is_that_of_poiseuille(void **unused) {
    (void)unused;
    const double g = 0.1, H = 0.016;
    rn_mac_def def;
    rn_mac *mac = make_channel(&def, 16, H, (rn_vec3){g, 0.0, 0.0});
    for (int frame = 0; frame < 20; frame++) advance(mac, 0.1);
    const double theory = g * H * H / (12.0 * def.viscosity), speed = mean_of(mac).velocity.x;
    if (!(fabs(speed / theory - 1.0) < 0.01)) fail_msg("%g m/s, Poiseuille has %g m/s", speed, theory);
    rn_mac_destroy(mac);
}

/* Down a plane of 30 degrees, eight cells deep: the mean speed is g sin h^2 / (3 nu). */
static void film_runs_as_fast_as_nusselts(void **unused) {
    (void)unused;
    const double g = 0.2, depth = 0.008;
    rn_mac_def def;
    rn_mac *mac = make_channel(&def, 16, depth, (rn_vec3){0.5 * g, 0.0, -sqrt(0.75) * g});
    for (int frame = 0; frame < 50; frame++) advance(mac, 0.1);
    const double theory = 0.5 * g * depth * depth / (3.0 * def.viscosity), speed = mean_of(mac).velocity.x;
    if (!(fabs(speed / theory - 1.0) < 0.005)) fail_msg("%g m/s, Nusselt has %g m/s", speed, theory);
    rn_mac_destroy(mac);
}

/* About z through the middle of a box of 1 m. */
static double angular_momentum(const rn_mac *mac, double cell) {
    double sum = 0.0;
    for (int64_t n = 0; n < rn_mac_particle_count(mac); n++) {
        const rn_mac_particle p = rn_mac_particle_at(mac, n);
        sum += (p.position.x - 0.5) * p.velocity.y - (p.position.y - 0.5) * p.velocity.x;
        sum += (p.gradient[1].x - p.gradient[0].y) * cell * cell / 6.0; /* of the particle's own volume */
    }
    return sum;
}

static void a_viscous_ball_keeps_spinning(void **unused) {
    (void)unused;
    rn_mac_def def = cube(32);
    def.gravity = (rn_vec3){0.0, 0.0, 0.0};
    def.viscosity = 0.1;
    rn_mac *mac = make_mac(&def);
    const rn_vec3 middle = {0.5, 0.5, 0.5};
    fill_ball(mac, (ball){.centre = middle, .radius = 0.25});
    rn_mac_spin(mac, middle, (rn_vec3){0.0, 0.0, 2.0});
    const double before = angular_momentum(mac, def.cell_size);
    for (int frame = 0; frame < 30; frame++) advance(mac, 1.0 / 60.0);
    const double kept = angular_momentum(mac, def.cell_size) / before;
    if (!(kept >= 0.9 && kept < 1.01)) fail_msg("kept %g of its angular momentum", kept);
    rn_mac_destroy(mac);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flow_between_plates_is_that_of_poiseuille),
        cmocka_unit_test(film_runs_as_fast_as_nusselts),
        cmocka_unit_test(a_viscous_ball_keeps_spinning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
