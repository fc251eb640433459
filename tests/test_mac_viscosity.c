/* Viscosity of the 3D liquid against theory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mac_worlds.h"

/* A slice of a channel that goes on along x: `cells` high, of 1 mm, filled up to `depth` (m). */
static rn_mac *make_channel(rn_mac_def *def, int cells, double depth, double viscosity, rn_vec3 gravity) {
    *def = rn_mac_default();
    def->cells_x = 8;
    def->cells_y = 4;
    def->cells_z = cells;
    def->cell_size = 1e-3;
    def->viscosity = viscosity;
    def->gravity = gravity;
    def->periodic_x = true;
    def->threads = 2;
    def->no_slip = RN_MAC_Z_LOW | RN_MAC_Z_HIGH;
    rn_mac *mac = make_mac(def);
    fill(mac, (rn_vec3){0.0, 0.0, 0.0}, (rn_vec3){1.0, 1.0, depth}, NULL, NULL);
    return mac;
}

/* Between two plates, g along them: the mean speed is g H^2 / (12 nu). */
static void check_poiseuille(double viscosity, double g, double seconds) {
    const double H = 0.016;
    rn_mac_def def;
    rn_mac *mac = make_channel(&def, 16, H, viscosity, (rn_vec3){g, 0.0, 0.0});
    for (int frame = 0; frame < 20; frame++) advance(mac, seconds / 20.0);
    const double theory = g * H * H / (12.0 * def.viscosity), speed = mean_of(mac).velocity.x;
    if (!(fabs(speed / theory - 1.0) < 0.01))
        fail_msg("%g m/s, Poiseuille has %g m/s at %g m^2/s", speed, theory, viscosity);
    rn_mac_destroy(mac);
}

static void flow_between_plates_is_that_of_poiseuille(void **unused) {
    (void)unused;
    check_poiseuille(1e-4, 0.1, 2.0);
    check_poiseuille(0.4, 100.0, 0.01);
}

/* Down a plane of 30 degrees, so many cells deep: the mean speed is g sin h^2 / (3 nu). A deep film runs for many
   seconds, in which particles must not drift together. */
static void check_film(int cells, double g, double seconds) {
    const double depth = 1e-3 * cells;
    rn_mac_def def;
    rn_mac *mac = make_channel(&def, cells + 8, depth, 1e-4, (rn_vec3){0.5 * g, 0.0, -sqrt(0.75) * g});
    for (int frame = 0; frame < 50; frame++) advance(mac, seconds / 50.0);
    const double theory = 0.5 * g * depth * depth / (3.0 * def.viscosity), speed = mean_of(mac).velocity.x;
    if (!(fabs(speed / theory - 1.0) < 0.005))
        fail_msg("%g m/s, Nusselt has %g m/s, %d cells deep", speed, theory, cells);
    rn_mac_destroy(mac);
}

static void film_runs_as_fast_as_nusselts(void **unused) {
    (void)unused;
    check_film(8, 0.2, 5.0);
    check_film(16, 0.1, 13.0);
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

static void check_spin(double viscosity) {
    rn_mac_def def = cube(32);
    def.gravity = (rn_vec3){0.0, 0.0, 0.0};
    def.viscosity = viscosity;
    rn_mac *mac = make_mac(&def);
    const rn_vec3 middle = {0.5, 0.5, 0.5};
    fill_ball(mac, (mac_ball){.centre = middle, .radius = 0.25});
    rn_mac_spin(mac, middle, (rn_vec3){0.0, 0.0, 2.0});
    const double before = angular_momentum(mac, def.cell_size);
    for (int frame = 0; frame < 30; frame++) advance(mac, 1.0 / 60.0);
    const double kept = angular_momentum(mac, def.cell_size) / before;
    if (!(kept >= 0.9 && kept < 1.01)) fail_msg("kept %g of its angular momentum at %g m^2/s", kept, viscosity);
    rn_mac_destroy(mac);
}

static void a_viscous_ball_keeps_spinning(void **unused) {
    (void)unused;
    check_spin(0.1);
    check_spin(0.4);
}

/* A particle by itself on a floor that the liquid sticks to does not run down the slope. */
static void a_lone_particle_sticks_to_the_floor(void **unused) {
    (void)unused;
    rn_mac_def def = rn_mac_default();
    def.cells_x = 32, def.cells_y = def.cells_z = 8;
    def.cell_size = 1e-3;
    def.viscosity = 0.01;
    def.gravity = (rn_vec3){3.0, 0.0, -9.3};
    def.no_slip = RN_MAC_Z_LOW;
    rn_mac *mac = make_mac(&def);
    fill(mac, (rn_vec3){4e-3, 4e-3, 0.0}, (rn_vec3){4.5e-3, 4.5e-3, 0.5e-3}, NULL, NULL);
    assert_int_equal(rn_mac_particle_count(mac), 1);
    for (int frame = 0; frame < 20; frame++) advance(mac, 0.05);
    const double ran = rn_mac_particle_at(mac, 0).position.x - 4.25e-3;
    if (!(ran < 2e-3)) fail_msg("ran %g m in a second", ran);
    rn_mac_destroy(mac);
}

/* 1 cm^3 on an inclined plane. Stress reached faces without any mass here, and their speed grew without limit. */
static void a_thin_film_stays_calm(void **unused) {
    (void)unused;
    rn_mac_def def = rn_mac_default();
    def.cells_x = 40, def.cells_y = 16, def.cells_z = 8;
    def.cell_size = 1e-3;
    def.viscosity = 0.01;
    def.gravity = (rn_vec3){3.0315, 0.0, -9.3299};
    def.no_slip = RN_MAC_Z_LOW;
    rn_mac *mac = make_mac(&def);
    fill(mac, (rn_vec3){3e-3, 4e-3, 0.0}, (rn_vec3){9e-3, 12e-3, 5e-3}, NULL, NULL);
    double fastest = 0.0;
    for (int frame = 0; frame < 80; frame++) {
        advance(mac, 0.05);
        if (frame > 10) fastest = fmax(fastest, rn_mac_fastest(mac));
    }
    if (!(fastest < 0.05)) fail_msg("moves at %g m/s", fastest);
    rn_mac_destroy(mac);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flow_between_plates_is_that_of_poiseuille),
        cmocka_unit_test(film_runs_as_fast_as_nusselts),
        cmocka_unit_test(a_viscous_ball_keeps_spinning),
        cmocka_unit_test(a_lone_particle_sticks_to_the_floor),
        cmocka_unit_test(a_thin_film_stays_calm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
