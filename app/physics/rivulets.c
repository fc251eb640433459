/* Cases of `runnel validate` about rivulets with dynamic contact angles (docs/contact.md). They are compared with two
   profiles: one with true slopes of the surface and one for small slopes. In both, gravity across the slope and surface
   tension balance, and liquid of depth h flows down at g sin(tilt) h^2 / (3 nu). */
#include "physics/plates.h"

#include <math.h>

/* A rivulet in one direction. */
typedef struct rivulet {
    double tilt, azimuth, angle; /* rad: of the plate; its direction; the contact angle */
    double rate;                 /* m^3/s, poured */
    double width, depth;         /* m, results: area of the section over its depth; depth in the middle */
} rivulet;

/* A section through a rivulet. */
typedef struct section {
    double depth, area, flow; /* m, m^2, m^3/s */
} section;

static const double viscosity = 3e-5; /* m^2/s */

/* Returns the section of a rivulet whose surface has this curvature (1/m) in the middle, with true slopes: the surface
   bends by that curvature, plus how far it has fallen over the square of the capillary length. */
static section true_section(const rivulet *r, double curvature) {
    const double length2 = CAP_TENS / (GRAVITY * cos(r->tilt)), step = sqrt(length2) / 2000.0;
    section s = {0};
    for (int pass = 0; pass < 2; pass++) { /* the first only finds the depth */
        double fallen = 0.0, x = 0.0;
        for (double slope = 0.0; slope < r->angle && x < 0.05;) {
            const double h = s.depth - fallen, dx = step * cos(slope);
            s.area += pass * 2.0 * h * dx;
            s.flow += pass * 2.0 * GRAVITY * sin(r->tilt) * h * h * h / (3.0 * viscosity) * dx;
            x += dx, fallen += step * sin(slope);
            slope += step * (curvature + fallen / length2);
        }
        if (pass == 0) s.depth = fallen;
    }
    return s;
}

/* Returns the section of a rivulet of this half width (m) for small slopes: its depth is t l (cosh(half/l) - cosh(y/l))
   / sinh(half/l), with the capillary length l on the slope and the tangent t of the contact angle. */
static section small_section(const rivulet *r, double half) {
    enum { PARTS = 400 };
    const double length = sqrt(CAP_TENS / (GRAVITY * cos(r->tilt))),
                 edge = tan(r->angle) * length / sinh(half / length);
    section s = {.depth = edge * (cosh(half / length) - 1.0)};
    for (int i = 0; i < PARTS; i++) {
        const double y = half * ((i + 0.5) * 2.0 / PARTS - 1.0), dx = 2.0 * half / PARTS;
        const double h = edge * (cosh(half / length) - cosh(y / length));
        s.area += h * dx;
        s.flow += GRAVITY * sin(r->tilt) * h * h * h / (3.0 * viscosity) * dx;
    }
    return s;
}

/* Returns the section that carries the rate poured, by bisection: of the width for small slopes, of the curvature for
   true ones. */
static section theory(const rivulet *r, bool small) {
    double narrow = small ? log(1e-4) : log(1e5), wide = small ? log(0.05) : log(1e-3);
    section s = {0};
    for (int i = 0; i < 50; i++) {
        const double middle = 0.5 * (narrow + wide);
        s = small ? small_section(r, exp(middle)) : true_section(r, exp(middle));
        if (s.flow > r->rate) wide = middle;
        else narrow = middle;
    }
    return s;
}

enum { CELLS = 140, LOOK = 20, FRAMES = 180 }; /* of the plate, along x and y; frames between two looks, and at most */
static const double cell = 0.5e-3, middle = 0.5 * CELLS * 0.5e-3; /* m */

/* Sets width and depth of a rivulet, measured across the slope 5 mm downhill of the middle of the plate; 0 if it has
   not come so far. */
static void measure_rivulet(const rn_world *world, rivulet *r) {
    const double x = cos(r->azimuth), y = sin(r->azimuth);
    const rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
    double area = 0.0;
    r->depth = 0.0;
    for (double across = -0.02; across < 0.02; across += 1e-4) {
        const double depth =
            depth_between(&d, (middle + 0.005 * x - across * y) / cell, (middle + 0.005 * y + across * x) / cell);
        r->depth = fmax(r->depth, depth);
        area += depth * 1e-4;
    }
    r->width = r->depth > 0.0 ? area / r->depth : 0.0;
}

/* Pours rivulet `i` of the array `context` and measures it after 3 s, or once it has changed by less than 0.3 % in a
   third of a second. Called in parallel. */
static void run_rivulet(void *context, int i) {
    rivulet *r = &((rivulet *)context)[i], was = {0};
    const double x = cos(r->azimuth), y = sin(r->azimuth), side = GRAVITY * sin(r->tilt);
    const rn_liquid liquid = plate_liquid(r->angle / DEGREE, r->angle / DEGREE, viscosity);
    rn_world *world = make_world(&(setup){.nx = CELLS,
                                          .ny = CELLS,
                                          .cell = cell,
                                          .lid = 0.03,
                                          .open = true,
                                          .liquid = &liquid,
                                          .contact = RN_CONTACT_DYNAMIC,
                                          .tilt_x = side * x,
                                          .tilt_y = side * y});
    rn_world_pour(world, (rn_vec3){middle - 0.022 * x, middle - 0.022 * y, 0.02}, 0.0015, r->rate);
    for (int frame = 1; frame <= FRAMES; frame++) {
        rn_world_step(world, FRAME);
        if (frame % LOOK) continue;
        measure_rivulet(world, r);
        if (was.depth > 0.0 && fmax(fabs(percent(r->width, was.width)), fabs(percent(r->depth, was.depth))) < 0.3)
            break;
        was = *r;
    }
    rn_world_destroy(world);
}

/* Rivulets run down plates in three directions: of 15, 25 and 40 degrees with a contact angle of 25 degrees, of 30
   degrees with one of 40, and, with less liquid, of 25 and 40 degrees with one of 15. measured[0] and [1]: the largest
   errors of the width, area over depth, and of the depth (%) against the profile with true slopes; [2] and [3]: against
   that for small slopes, with the contact angle of 15 degrees. With larger ones that profile is itself too far off. */
void case_rivulet(double measured[MOST_MEASURES]) {
    enum {
        KINDS = 6,
        STEEP = 4,
        DIRECTIONS = 3,
        ALL = KINDS * DIRECTIONS
    }; /* all after the first STEEP: also [2], [3] */
    static const double tilts[KINDS] = {15, 25, 40, 30, 25, 40}, angles[KINDS] = {25, 25, 25, 40, 15, 15};
    static const double directions[DIRECTIONS] = {0, 30, 45};
    rivulet found[ALL];
    for (int i = 0; i < ALL; i++)
        found[i] = (rivulet){.tilt = tilts[i / DIRECTIONS] * DEGREE,
                             .azimuth = directions[i % DIRECTIONS] * DEGREE,
                             .angle = angles[i / DIRECTIONS] * DEGREE,
                             .rate = i < STEEP * DIRECTIONS ? 0.3e-6 : 0.1e-6};
    side_by_side(ALL, run_rivulet, found);
    for (int i = 0; i < MOST_MEASURES; i++) measured[i] = 0.0;
    for (int i = 0; i < 2 * ALL; i++) {
        const rivulet *r = &found[i / 2];
        const int small = i % 2;
        if (small && i / 2 < STEEP * DIRECTIONS) continue;
        const section s = theory(r, small);
        measured[2 * small] = worse(measured[2 * small], fabs(percent(r->width, s.area / s.depth)));
        measured[2 * small + 1] = worse(measured[2 * small + 1], fabs(percent(r->depth, s.depth)));
    }
}
