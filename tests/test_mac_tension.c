/* Surface tension of the 3D liquid: drops have Laplace's pressure, stay round, and swing as Rayleigh found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mac_worlds.h"

#include "mac/state.h"
#include "mac/surface.h"

/* A ball stretched along z by 1 + stretch, with its volume kept. */
typedef struct egg {
    double radius, stretch;
} egg;

static double egg_distance(void *user, rn_vec3 at) {
    const egg *e = user;
    const double along = 1.0 + e->stretch, across = 1.0 / sqrt(along);
    const double x = (at.x - 0.5) / across, y = (at.y - 0.5) / across, z = (at.z - 0.5) / along;
    return sqrt(x * x + y * y + z * z) - e->radius;
}

/* A drop without weight in the middle of a box of n cells and 1 m; tension 1 m^3/s^2. */
static rn_mac *fill_egg(int n, egg e, double density_time) {
    rn_mac_def def = cube(n);
    def.density_time = density_time;
    def.gravity = at_rest;
    def.surface_tension = 1.0;
    rn_mac *mac = make_mac(&def);
    fill(mac, (rn_vec3){0, 0, 0}, (rn_vec3){1, 1, 1}, egg_distance, &e);
    return mac;
}

/* The mean pressure deep in the liquid, in m^2/s^2: over the density. */
static double mean_pressure(const rn_mac *mac) {
    double sum = 0.0, count = 0.0;
    for (int32_t c = 0; c < mac->grid.cells; c++)
        if (rn_mac_is_deep(mac, c)) sum += (double)mac->pressure[c], count += 1.0;
    return sum / count * mac->def.cell_size / mac->last_dt;
}

/* The pressure in a ball is 2 tension / radius, and the ball stays at rest but for small currents. */
static void a_ball_has_laplaces_pressure(void **state) {
    (void)state;
    const double radius = 0.3;
    rn_mac *mac = fill_egg(32, (egg){radius, 0.0}, -1.0);
    double pressure = 0.0;
    for (int i = 0; i < 40; i++) {
        advance(mac, 0.01);
        if (i >= 20) pressure += 0.05 * mean_pressure(mac);
    }
    const double want = 2.0 / radius, currents = rn_mac_fastest(mac), unit = sqrt(1.0 / radius);
    print_message("pressure of a ball: %.3f of Laplace's; currents %.3f of sqrt(tension / radius)\n", pressure / want,
                  currents / unit);
    if (fabs(pressure / want - 1.0) > 0.05) fail_msg("%g, not %g", pressure, want);
    if (currents > 0.1 * unit) fail_msg("currents of %g m/s", currents);
    rn_mac_destroy(mac);
}

/* Half a ball at a wall. */
typedef struct half {
    rn_vec3 middle;
    double radius;
} half;

static double half_distance(void *user, rn_vec3 at) {
    const half *h = user;
    const double x = at.x - h->middle.x, y = at.y - h->middle.y, z = at.z - h->middle.z;
    return sqrt(x * x + y * y + z * z) - h->radius;
}

/* The mean curvature of the surface in the cells beside the lower wall of an axis, over that of the ball. */
static double curvature_at_wall(int axis) {
    enum { N = 32 };
    half h = {{0.5, 0.5, 0.5}, 0.3};
    *(axis == 0 ? &h.middle.x : axis == 1 ? &h.middle.y : &h.middle.z) = 0.0;
    rn_mac_def def = cube(N);
    def.gravity = at_rest;
    def.surface_tension = 1.0;
    rn_mac *mac = make_mac(&def);
    fill(mac, (rn_vec3){0, 0, 0}, (rn_vec3){1, 1, 1}, half_distance, &h);
    advance(mac, 1e-4);
    double sum = 0.0, count = 0.0;
    for (int a = 0; a < N * N; a++) {
        const int at[3] = {axis == 0 ? 0 : a % N, axis == 1 ? 0 : axis == 0 ? a % N : a / N, axis == 2 ? 0 : a / N};
        const int32_t c = 1 + at[0] + (at[1] + 1) * mac->grid.step[1] + (at[2] + 1) * mac->grid.step[2];
        if (fabsf(mac->distance[c]) < 0.7f) sum += (double)mac->curvature[c], count += 1.0;
    }
    rn_mac_destroy(mac);
    assert_true(count > 20.0);
    return sum / count * N * h.radius / 2.0;
}

/* Walls make no difference: the surface meets them at a right angle, on all axes alike. */
static void walls_do_not_bend_the_surface(void **state) {
    (void)state;
    for (int axis = 0; axis < 3; axis++) {
        const double found = curvature_at_wall(axis);
        print_message("curvature at a wall across axis %d: %.3f\n", axis, found);
        if (fabs(found - 1.0) > 0.1) fail_msg("axis %d: %g", axis, found);
    }
}

/* The stretch of a drop: the difference of its second moments along and across z, over their sum. */
static double stretch_of(const rn_mac *mac) {
    double along = 0.0, across = 0.0;
    for (int64_t n = 0; n < rn_mac_particle_count(mac); n++) {
        const rn_vec3 p = rn_mac_particle_at(mac, n).position;
        along += (p.z - 0.5) * (p.z - 0.5);
        across += 0.5 * ((p.x - 0.5) * (p.x - 0.5) + (p.y - 0.5) * (p.y - 0.5));
    }
    return (along - across) / (along + across);
}

/* A stretched drop swings with the period of Rayleigh 1879: omega^2 = 8 tension / radius^3. */
static void a_drop_swings(void **state) {
    (void)state;
    const egg e = {.radius = 0.3, .stretch = 0.12};
    rn_mac *mac = fill_egg(40, e, 0.0);
    const double want = 2.0 * 3.14159265358979 / sqrt(8.0 / (e.radius * e.radius * e.radius)), dt = want / 60;
    double last = stretch_of(mac), crossings[4] = {0};
    const double first = last;
    int found = 0;
    for (int i = 1; i < 120 && found < 3; i++) {
        advance(mac, dt);
        const double now = stretch_of(mac);
        if ((now < 0.0) != (last < 0.0)) crossings[found++] = dt * (i - 1 + last / (last - now));
        last = now;
    }
    assert_int_equal(found, 3);
    const double period = crossings[2] - crossings[0];
    print_message("period of a drop: %.3f of Rayleigh's\n", period / want);
    if (!(first > 0.05)) fail_msg("a stretch of %g", first);
    if (fabs(period / want - 1.0) > 0.08) fail_msg("%g s, not %g s", period, want);
    rn_mac_destroy(mac);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_has_laplaces_pressure),
        cmocka_unit_test(a_drop_swings),
        cmocka_unit_test(walls_do_not_bend_the_surface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
