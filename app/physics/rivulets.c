/* Cases of `runnel validate` about rivulets with dynamic contact angles (docs/contact.md). */
#include "physics/plates.h"

#include <math.h>

/* ---- Rivulets ---------------------------------------------------------------------------------------------------- */

/* Returns the flow of a rivulet with edges at -half and half (m³/s). With a small contact angle its depth is s l
   (cosh(half/l) - cosh(y/l))/sinh(half/l). `length`: l, the capillary length on the slope (m); `slope`: s, of its edge
   (tangent); `down`: gravity along the slope (m/s²); viscosity in m²/s. */
static double rivulet_flow(double half, double length, double slope, double down, double viscosity) {
    enum { PARTS = 400 };
    double sum = 0.0;
    for (int i = 0; i < PARTS; i++) {
        const double y = half * ((i + 0.5) * 2.0 / PARTS - 1.0);
        const double h = slope * length * (cosh(half / length) - cosh(y / length)) / sinh(half / length);
        sum += down * h * h * h / (3.0 * viscosity) * 2.0 * half / PARTS;
    }
    return sum;
}

/* A rivulet in one direction. */
typedef struct rivulet {
    double azimuth;
    double width, depth; /* m, results */
} rivulet;

static const double rivulet_rate = 0.3e-6, rivulet_viscosity = 3e-5, rivulet_tilt = 30.0 * DEGREE, rivulet_angle = 25.0;

/* Pours rivulet `i` of the array `context` for 3 s and measures its cross-section, 5 mm below the middle: greatest
   depth, and area over that depth as the width. Called in parallel. */
static void run_rivulet(void *context, int i) {
    rivulet *r = &((rivulet *)context)[i];
    enum { CELLS = 140 };
    const double cell = 0.5e-3, middle = 0.5 * CELLS * cell, x = cos(r->azimuth), y = sin(r->azimuth);
    const rn_liquid liquid = plate_liquid(rivulet_angle, rivulet_angle, rivulet_viscosity);
    const double side = GRAVITY * sin(rivulet_tilt);
    rn_world *world = make_world(&(setup){.nx = CELLS,
                                          .ny = CELLS,
                                          .cell = cell,
                                          .lid = 0.03,
                                          .open = true,
                                          .liquid = &liquid,
                                          .contact = RN_CONTACT_DYNAMIC,
                                          .tilt_x = side * x,
                                          .tilt_y = side * y});
    rn_world_pour(world, (rn_vec3){middle - 0.022 * x, middle - 0.022 * y, 0.02}, 0.0015, rivulet_rate);
    for (int frame = 0; frame < 180; frame++) rn_world_step(world, FRAME);
    const rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
    double area = 0.0;
    r->depth = 0.0;
    for (double across = -0.02; across < 0.02; across += 1e-4) {
        const double depth =
            depth_between(&d, (middle + 0.005 * x - across * y) / cell, (middle + 0.005 * y + across * x) / cell);
        r->depth = fmax(r->depth, depth);
        area += depth * 1e-4;
    }
    r->width = area / r->depth; /* compared with the same quotient in theory */
    rn_world_destroy(world);
}

/* A rivulet runs down a plate of 30 degrees, in three directions. Theory: the profile for which rivulet_flow() is the
   rate poured. measured[0]: the largest error of the width, area over depth (%); [1]: of the depth (%). */
void case_rivulet(double measured[MOST_MEASURES]) {
    rivulet found[3] = {{.azimuth = 0.0}, {.azimuth = 30.0 * DEGREE}, {.azimuth = 45.0 * DEGREE}};
    const double length = sqrt(CAP_TENS / (GRAVITY * cos(rivulet_tilt))), slope = tan(rivulet_angle * DEGREE);
    double low = 1e-4, high = 0.05;
    for (int i = 0; i < 60; i++) {
        const double half = 0.5 * (low + high);
        if (rivulet_flow(half, length, slope, GRAVITY * sin(rivulet_tilt), rivulet_viscosity) > rivulet_rate)
            high = half;
        else low = half;
    }
    const double depth = slope * length * (cosh(low / length) - 1.0) / sinh(low / length);
    const double area =
        2.0 * slope * length * (low * cosh(low / length) - length * sinh(low / length)) / sinh(low / length);
    side_by_side(3, run_rivulet, found);
    measured[0] = measured[1] = 0.0;
    for (int i = 0; i < 3; i++) {
        measured[0] = worse(measured[0], fabs(percent(found[i].width, area / depth)));
        measured[1] = worse(measured[1], fabs(percent(found[i].depth, depth)));
    }
}
