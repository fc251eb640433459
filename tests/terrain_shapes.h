/* Random numbers, comparisons and a few solids that the tests of fields and of columns share. */
#ifndef TEST_TERRAIN_SHAPES_H
#define TEST_TERRAIN_SHAPES_H

#include <runnel/terrain.h>

#include "base/error.h"
#include "base/maths.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double pi = 3.14159265358979323846;

static uint64_t random_state;

static inline double random_unit(void) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (double)(random_state >> 11) * 0x1p-53;
}

static inline double random_in(double low, double high) { return low + (high - low) * random_unit(); }

static inline rn_vec3 random_point(double reach) {
    double x = random_in(-reach, reach), y = random_in(-reach, reach), z = random_in(-reach, reach);
    return (rn_vec3){x, y, z};
}

static inline int start_random(void **state) {
    (void)state;
    random_state = 20240607;
    return 0;
}

static inline void assert_near(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.17g differs from %.17g by %g, more than %g", value, expected, fabs(value - expected), tolerance);
}

static inline double distance_at(const rn_sdf *shape, double x, double y, double z) {
    return rn_sdf_distance(shape, (rn_vec3){x, y, z});
}

static inline void forget_errors(void) { rn_fail(RN_OK, "%s", ""); }

static inline rn_sdf *carved(void) {
    rn_sdf *slab = rn_sdf_box((rn_vec3){8, 8, 0.2});
    rn_sdf *lid = rn_sdf_move(rn_sdf_box((rn_vec3){0.6, 0.6, 0.2}), (rn_vec3){0, 0, 0.5});
    return rn_sdf_union(rn_sdf_subtract(slab, rn_sdf_sphere(0.5), 0), lid, 0);
}

static inline rn_sdf *lens(void) {
    return rn_sdf_intersect(rn_sdf_move(rn_sdf_sphere(0.7), (rn_vec3){0, 0, 0.3}),
                            rn_sdf_move(rn_sdf_sphere(0.7), (rn_vec3){0, 0, -0.3}), 0);
}

static inline rn_sdf *capsule(void) {
    return rn_sdf_capsule_between((rn_vec3){-0.4, 0.1, -0.3}, (rn_vec3){0.5, -0.2, 0.4}, 0.2);
}

static inline rn_sdf *ball(int i) {
    return rn_sdf_move(rn_sdf_sphere(0.4), (rn_vec3){(double)(i % 100), (double)(i / 100), 0});
}

#endif
