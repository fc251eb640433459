/* Cases of `runnel validate` about drops, puddles, rivulets and films with surface tension and dynamic contact angles
   (docs/contact.md). Drops on level ground are compared with the equation of Young and Laplace: settle_drop() runs one.
   Many drops run in parallel with side_by_side(). */
#include "physics/physics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI       3.14159265358979323846
#define DEGREE   (PI / 180.0)
#define TENSION  0.072  /* N/m */
#define DENSITY  1000.0 /* kg/m^3 */
#define CAP_TENS 7.2e-5 /* m^3/s^2, TENSION / DENSITY */
#define FRAME    (1.0 / 60.0)

/* Returns a liquid like water with these contact angles (degrees) and viscosity (m²/s), that hardly dries. */
static rn_liquid liquid_of(double advancing, double receding, double viscosity) {
    rn_liquid liquid = rn_liquid_water();
    liquid.density = DENSITY;
    liquid.surface_tension = TENSION;
    liquid.contact_angle = advancing;
    liquid.receding_angle = receding;
    liquid.viscosity = viscosity;
    liquid.drying_time = 1000.0;
    return liquid;
}

/* ---- Young and Laplace ------------------------------------------------------------------------------------------- */

/* The shape of a drop at rest. */
typedef struct profile {
    double radius, height, volume; /* m, m, m^3 */
} profile;

/* Integrates the surface of a drop, from its top, where it has this curvature (1/m), until it is inclined by `angle`
   (rad) or its radius is 0.2 m, and returns its shape. `length`: capillary length (m). */
static profile follow_surface(double curvature, double length, double angle) {
    profile p = {0};
    const double step = length / 2000.0;
    for (double slope = 0.0; slope < angle && p.radius < 0.2;) {
        const double bend =
            p.radius == 0.0 ? curvature : 2.0 * curvature + p.height / (length * length) - sin(slope) / p.radius;
        p.radius += step * cos(slope);
        p.height += step * sin(slope);
        p.volume += PI * p.radius * p.radius * sin(slope) * step;
        slope += step * bend;
    }
    return p;
}

/* Returns the shape of a drop of this volume (m³) and contact angle (degrees) on level ground, by bisection of its
   curvature. */
static profile young_laplace(double volume, double degrees) {
    const double length = sqrt(CAP_TENS / GRAVITY);
    double low = log(1e-9 / length), high = log(50.0 / length);
    profile p = {0};
    for (int i = 0; i < 40; i++) {
        const double middle = 0.5 * (low + high);
        p = follow_surface(exp(middle), length, degrees * DEGREE);
        if (p.volume > volume) low = middle;
        else high = middle;
    }
    return p;
}

/* ---- Drops on a plate -------------------------------------------------------------------------------------------- */

/* A drop that settles on a plate. */
typedef struct drop {
    double cell, volume;        /* m, m^3 */
    double advancing, receding; /* degrees */
    double viscosity;           /* m^2/s */
    double seconds;             /* longest run, if it does not come to rest before */
} drop;

/* What became of a drop. */
typedef struct drop_result {
    double height;         /* m, at its middle */
    double uneven, ragged; /* radius along the axes over that along diagonals; least radius over largest */
    double rests;          /* s, when it comes to rest; INFINITY: it still moves */
} drop_result;

/* Makes a dry plate of cells x cells cells of size `cell` (m), with dynamic contact angles. `tilt`: its slope (rad);
   `azimuth`: the direction downhill (rad). The caller destroys the world; `liquid` is copied. */
static rn_world *make_plate(int cells, double cell, const rn_liquid *liquid, double tilt, double azimuth) {
    return make_world(&(setup){.nx = cells,
                               .ny = cells,
                               .cell = cell,
                               .lid = 0.05,
                               .friction = 0.5,
                               .liquid = liquid,
                               .contact = RN_CONTACT_DYNAMIC,
                               .tilt_x = GRAVITY * sin(tilt) * cos(azimuth),
                               .tilt_y = GRAVITY * sin(tilt) * sin(azimuth)});
}

/* Fills a cylinder of this volume (m³) and radius (m) in the middle of a square world, and empties all other cells. */
static void place_drop(rn_world *world, int cells, double cell, double volume, double radius) {
    double *depth = calloc((size_t)cells * (size_t)cells, sizeof *depth);
    if (!depth) abort();
    int count = 0;
    for (int i = 0; i < cells * cells; i++)
        count += hypot(i % cells + 0.5 - 0.5 * cells, i / cells + 0.5 - 0.5 * cells) * cell < radius;
    for (int i = 0; i < cells * cells; i++)
        if (hypot(i % cells + 0.5 - 0.5 * cells, i / cells + 0.5 - 0.5 * cells) * cell < radius)
            depth[i] = volume / (count * cell * cell);
    set_depths(world, depth);
    free(depth);
}

/* Returns the depth (m) at (x, y), in cells, interpolated between the middles of four columns; 0 outside. */
static double depth_between(const rn_view *d, double x, double y) {
    const int i = (int)floor(x - 0.5), j = (int)floor(y - 0.5);
    const double u = x - 0.5 - i, v = y - 0.5 - j;
    if (i < 0 || j < 0 || i + 1 >= d->cells_x || j + 1 >= d->cells_y) return 0.0;
    const float *at = d->data + j * d->row_stride + i;
    return (1.0 - v) * ((1.0 - u) * at[0] + u * at[1]) +
           v * ((1.0 - u) * at[d->row_stride] + u * at[d->row_stride + 1]);
}

/* Returns how far (cells) the drop reaches from the middle in this direction (rad). Columns lower than 0.3 of its
   `height` (m) count in part. */
static double radius_along(const rn_view *d, double angle, double height) {
    const double middle = 0.5 * d->cells_x, step = 0.1;
    double sum = 0.0;
    for (double r = 0.0; r < middle - 1.0; r += step)
        sum += step * fmin(depth_between(d, middle + r * cos(angle), middle + r * sin(angle)) / (0.3 * height), 1.0);
    return sum;
}

/* Returns true if liquid flows through any face. */
static bool is_moving(const rn_world *world) {
    for (int axis = 0; axis < 2; axis++) {
        const rn_view f = rn_world_view(world, axis ? RN_FIELD_FLUX_Y : RN_FIELD_FLUX_X);
        for (int y = 0; y < f.cells_y; y++)
            for (int x = 0; x < f.cells_x; x++)
                if (f.data[y * f.row_stride + x] != 0.0f) return true;
    }
    return false;
}

/* Measures the height of the drop at its middle and its radii in 32 directions: sets all of `out` but `rests`. */
static void measure_drop(const rn_world *world, drop_result *out) {
    enum { RAYS = 32 };
    const rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
    double radius[RAYS], least = INFINITY, most = 0.0, axes = 0.0, diagonals = 0.0;
    out->height = depth_between(&d, 0.5 * d.cells_x, 0.5 * d.cells_y);
    for (int i = 0; i < RAYS; i++) {
        radius[i] = radius_along(&d, i * 2.0 * PI / RAYS, out->height);
        least = fmin(least, radius[i]), most = fmax(most, radius[i]);
    }
    for (int i = 0; i < RAYS; i += RAYS / 4) axes += radius[i], diagonals += radius[i + RAYS / 8];
    out->uneven = axes / diagonals;
    out->ragged = least / most;
}

/* Places a drop on a level plate, runs it until it rests or its time is over, and returns its measures. */
static drop_result settle_drop(const drop *d) {
    const rn_liquid liquid = liquid_of(d->advancing, d->receding, d->viscosity);
    const profile low = young_laplace(d->volume, d->receding), high = young_laplace(d->volume, d->advancing);
    const int cells = 2 * (int)ceil(1.3 * low.radius / d->cell) + 10;
    rn_world *world = make_plate(cells, d->cell, &liquid, 0.0, 0.0);
    place_drop(world, cells, d->cell, d->volume, 0.75 * high.radius);
    drop_result result = {.rests = INFINITY};
    for (double time = 0.0; time < d->seconds && result.rests == INFINITY; time += FRAME) {
        rn_world_step(world, FRAME);
        if (!is_moving(world)) result.rests = time + FRAME;
    }
    measure_drop(world, &result);
    rn_world_destroy(world);
    return result;
}

static const drop drops[] = {
    {0.25e-3, 0.05e-6, 30, 15, 1e-5, 2}, {0.25e-3, 0.05e-6, 60, 40, 1e-5, 2}, {0.25e-3, 0.05e-6, 110, 80, 1e-5, 2},
    {0.5e-3, 0.05e-6, 30, 15, 1e-5, 2},  {0.5e-3, 0.05e-6, 60, 40, 1e-5, 2},  {0.5e-3, 0.05e-6, 90, 60, 1e-5, 2},
    {0.5e-3, 0.05e-6, 110, 80, 1e-5, 2}, {0.5e-3, 0.2e-6, 30, 15, 1e-5, 2},   {0.5e-3, 0.2e-6, 60, 40, 1e-5, 2},
    {0.5e-3, 0.2e-6, 90, 60, 1e-5, 2},   {0.5e-3, 0.2e-6, 110, 80, 1e-5, 2},  {0.5e-3, 1e-6, 60, 40, 1e-5, 3},
    {1e-3, 1e-6, 30, 15, 1e-5, 3},       {1e-3, 1e-6, 60, 40, 1e-5, 3},       {1e-3, 1e-6, 90, 60, 1e-5, 3},
    {1e-3, 1e-6, 110, 80, 1e-5, 3},      {1e-3, 5e-6, 60, 40, 1e-5, 4},       {1e-3, 5e-6, 110, 80, 1e-5, 4},
};
enum { DROPS = sizeof drops / sizeof drops[0] };

/* Settles drop `i` of `drops` and stores its result in entry `i` of the array `context`. Called in parallel. */
static void settle_listed_drop(void *context, int i) { ((drop_result *)context)[i] = settle_drop(&drops[i]); }

/* Drops and puddles of 0.05 to 5 ml settle. Theory (Young and Laplace): their heights are between those for the
   receding and the advancing angle, and they are round. measured[0]: height outside that range (%); [1]: radius along
   the axes against that along diagonals (%); [2]: least radius below the largest (%). */
void case_drop_height(double measured[MOST_MEASURES]) {
    drop_result found[DROPS];
    measured[0] = measured[1] = measured[2] = 0.0;
    side_by_side(DROPS, settle_listed_drop, found);
    for (int i = 0; i < DROPS; i++) {
        const double low = young_laplace(drops[i].volume, drops[i].receding).height;
        const double high = young_laplace(drops[i].volume, drops[i].advancing).height, height = found[i].height;
        measured[0] = worse(measured[0], 100.0 * fmax(fmax(low - height, 0.0) / low, fmax(height - high, 0.0) / high));
        measured[1] = worse(measured[1], 100.0 * fabs(found[i].uneven - 1.0));
        measured[2] = worse(measured[2], 100.0 * (1.0 - found[i].ragged));
    }
}

/* Drops of water, which has little viscosity, must come to rest exactly. measured[0]: the latest time at which one
   rests (s). */
void case_drop_water(double measured[MOST_MEASURES]) {
    static const drop water[] = {{0.5e-3, 0.05e-6, 60, 40, 1e-6, 20},
                                 {0.5e-3, 0.2e-6, 30, 15, 1e-6, 20},
                                 {0.5e-3, 0.2e-6, 60, 40, 1e-6, 20},
                                 {0.25e-3, 0.05e-6, 60, 40, 1e-6, 10}};
    measured[0] = 0.0;
    for (size_t i = 0; i < sizeof water / sizeof water[0]; i++)
        measured[0] = worse(measured[0], settle_drop(&water[i]).rests);
}

static const drop puddles[] = {{0.5e-3, 0.2e-6, 90, 60, 1e-6, 10},   {0.5e-3, 0.2e-6, 110, 80, 1e-6, 10},
                               {0.5e-3, 0.05e-6, 110, 80, 1e-6, 10}, {1e-3, 0.2e-6, 60, 40, 1e-6, 10},
                               {1e-3, 1e-6, 60, 40, 1e-6, 10},       {1e-3, 5e-6, 60, 40, 1e-6, 10}};
enum { PUDDLES = sizeof puddles / sizeof puddles[0] };

/* Settles drop `i` of `puddles` and stores its result in entry `i` of the array `context`. Called in parallel. */
static void settle_puddle(void *context, int i) { ((drop_result *)context)[i] = settle_drop(&puddles[i]); }

/* Larger and steeper drops of water. measured[0]: how many of six still move after 10 s. */
void case_drop_puddles(double measured[MOST_MEASURES]) {
    drop_result found[PUDDLES];
    side_by_side(PUDDLES, settle_puddle, found);
    measured[0] = 0.0;
    for (int i = 0; i < PUDDLES; i++) measured[0] += found[i].rests == INFINITY;
}

/* ---- Drops on an inclined plate ---------------------------------------------------------------------------------- */

/* Position of a drop on an incline: its centre of mass along the slope, and its width across it. */
typedef struct hanging {
    double middle, width; /* m */
} hanging;

/* Measures where the centre of mass of the drop is along the slope (m from the corner of the world), and how wide (m)
   the part deeper than 0.15 of its greatest depth is across it. `azimuth`: the direction downhill (rad). The middle is
   NaN if the plate is dry. */
static hanging measure_on_slope(const rn_world *world, double cell, double azimuth) {
    const rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
    double sum = 0.0, moment = 0.0, least = INFINITY, most = -INFINITY, deepest = 0.0;
    for (int y = 0; y < d.cells_y; y++)
        for (int x = 0; x < d.cells_x; x++) deepest = fmax(deepest, d.data[y * d.row_stride + x]);
    for (int y = 0; y < d.cells_y; y++)
        for (int x = 0; x < d.cells_x; x++) {
            const double depth = d.data[y * d.row_stride + x], px = (x + 0.5) * cell, py = (y + 0.5) * cell;
            const double across = py * cos(azimuth) - px * sin(azimuth);
            sum += depth, moment += depth * (px * cos(azimuth) + py * sin(azimuth));
            if (depth > 0.15 * deepest) least = fmin(least, across), most = fmax(most, across);
        }
    return (hanging){moment / sum, most - least + 0.7 * cell};
}

/* A drop for which the steepest slope that holds it is sought. */
typedef struct incline {
    drop drop;
    double azimuth;    /* rad */
    double degrees, k; /* results: the steepest slope on which it stays; rho g V sin / (w gamma (cos - cos)) there */
} incline;

/* Returns true if a drop, copied from the world `level` where it has come to rest, slides down a slope of `tilt` (rad):
   within 100 frames it goes on moving, or has moved by 0.35 of its width. `cells`: along each side of both worlds;
   `width`: receives its final width (m). */
static bool slides(const incline *c, const rn_world *level, int cells, double tilt, double *width) {
    const rn_liquid liquid = liquid_of(c->drop.advancing, c->drop.receding, c->drop.viscosity);
    rn_world *world = make_plate(cells, c->drop.cell, &liquid, tilt, c->azimuth);
    const rn_view from = rn_world_view(level, RN_FIELD_DEPTH), to = rn_world_view(world, RN_FIELD_DEPTH);
    for (int y = 0; y < cells; y++)
        memcpy(to.data + y * to.row_stride, from.data + y * from.row_stride, (size_t)cells * sizeof(float));
    rn_world_commit(world);
    const hanging first = measure_on_slope(world, c->drop.cell, c->azimuth);
    for (int i = 0; i < 60; i++) rn_world_step(world, FRAME);
    const hanging then = measure_on_slope(world, c->drop.cell, c->azimuth);
    for (int i = 0; i < 40; i++) rn_world_step(world, FRAME);
    const hanging last = measure_on_slope(world, c->drop.cell, c->azimuth);
    rn_world_destroy(world);
    *width = last.width;
    return last.middle - then.middle > 0.25 * c->drop.cell || last.middle - first.middle > 0.35 * last.width;
}

/* Finds the steepest slope from 2 to 62 degrees that holds drop `i` of the array `context` of inclines, by bisection in
   6 steps, and sets its results. Called in parallel. */
static void find_steepest(void *context, int i) {
    incline *c = &((incline *)context)[i];
    const rn_liquid liquid = liquid_of(c->drop.advancing, c->drop.receding, c->drop.viscosity);
    const double radius = 1.2 * cbrt(c->drop.volume);
    const int cells = (int)(5.0 * radius / c->drop.cell) + 10;
    rn_world *level = make_plate(cells, c->drop.cell, &liquid, 0.0, 0.0);
    place_drop(level, cells, c->drop.cell, c->drop.volume, radius);
    for (int frame = 0; frame < 60; frame++) rn_world_step(level, FRAME);
    double low = 2.0, high = 62.0, width = 0.0, stays = 1.0;
    for (int step = 0; step < 6; step++) {
        const double middle = 0.5 * (low + high);
        if (slides(c, level, cells, middle * DEGREE, &width)) high = middle;
        else low = middle, stays = width;
    }
    rn_world_destroy(level);
    c->degrees = low;
    c->k = GRAVITY * c->drop.volume * sin(low * DEGREE) /
           (stays * CAP_TENS * (cos(c->drop.receding * DEGREE) - cos(c->drop.advancing * DEGREE)));
}

/* A drop stays on a slope while rho g V sin <= k w gamma (cos receding - cos advancing), with k = 1 in theory.
   measured[0]: the largest |k - 1|; [1]: how far the steepest slope depends on its direction (%). */
void case_drop_retention(double measured[MOST_MEASURES]) {
    static const drop kinds[] = {
        {0.5e-3, 0.05e-6, 70, 40, 1e-5, 0}, {0.5e-3, 0.05e-6, 90, 60, 1e-5, 0}, {0.5e-3, 0.1e-6, 60, 30, 1e-5, 0}};
    incline cases[9];
    for (int i = 0; i < 9; i++)
        cases[i] = (incline){.drop = kinds[i / 3], .azimuth = (i % 3 == 2 ? 45.0 : 30.0 * (i % 3)) * DEGREE};
    side_by_side(9, find_steepest, cases);
    measured[0] = measured[1] = 0.0;
    for (int i = 0; i < 9; i++) {
        measured[0] = worse(measured[0], fabs(cases[i].k - 1.0));
        measured[1] = worse(measured[1], fabs(percent(cases[i].degrees, cases[i / 3 * 3].degrees)));
    }
}

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
    const rn_liquid liquid = liquid_of(rivulet_angle, rivulet_angle, rivulet_viscosity);
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

/* ---- Wet ground, films, and where contact must change nothing ---------------------------------------------------- */

/* Empties the plate, places a drop near its upper edge and returns how long (s) its centre of mass takes for 10 mm
   downhill, along +x; at most 5 s. The ground keeps its wetness. */
static double time_downhill(rn_world *world, int cells, double cell) {
    const rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
    for (int y = 0; y < cells; y++)
        for (int x = 0; x < cells; x++)
            d.data[y * d.row_stride + x] =
                hypot((x + 0.5) * cell - 0.008, (y + 0.5 - 0.5 * cells) * cell) < 0.004 ? 1.5e-3f : 0.0f;
    rn_world_commit(world);
    double time = 0.0;
    while (time < 5.0 && measure_on_slope(world, cell, 0.0).middle < 0.018)
        rn_world_step(world, FRAME / 4.0), time += FRAME / 4.0;
    return time;
}

/* A drop runs down a plate of 30 degrees, and then another over the wet trail of the first. measured[0]: time on the
   wet trail over time on dry ground; it should be less than 1. */
void case_drop_trail(double measured[MOST_MEASURES]) {
    enum { CELLS = 80 };
    const rn_liquid liquid = liquid_of(60.0, 30.0, 1e-5);
    rn_world *world = make_plate(CELLS, 0.5e-3, &liquid, 30.0 * DEGREE, 0.0);
    const double dry = time_downhill(world, CELLS, 0.5e-3), wet = time_downhill(world, CELLS, 0.5e-3);
    rn_world_destroy(world);
    measured[0] = wet / dry;
}

/* A film of 0.3 mm on a plate that it does not wet must break up. measured[0]: share of the plate that is still covered
   after 3 s; [1]: volume lost or gained (m³). */
void case_film_breakup(double measured[MOST_MEASURES]) {
    enum { CELLS = 100 };
    const rn_liquid liquid = liquid_of(100.0, 80.0, 1e-6);
    rn_world *world = make_plate(CELLS, 0.5e-3, &liquid, 0.0, 0.0);
    double *depth = calloc(CELLS * CELLS, sizeof *depth);
    if (!depth) abort();
    uint32_t seed = 7;
    for (int i = 0; i < CELLS * CELLS; i++) depth[i] = 0.3e-3 * (0.95 + 0.1 * random_unit(&seed));
    set_depths(world, depth);
    free(depth);
    const double volume = rn_world_volume(world);
    for (int frame = 0; frame < 180; frame++) rn_world_step(world, FRAME);
    const rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
    int covered = 0;
    for (int y = 0; y < CELLS; y++)
        for (int x = 0; x < CELLS; x++) covered += d.data[y * d.row_stride + x] > 0.1e-3f;
    measured[0] = (double)covered / (CELLS * CELLS);
    measured[1] = fabs(rn_world_volume(world) - volume);
    rn_world_destroy(world);
}

/* Returns how far (cells of 4 mm) honey has spread after 1 s, in a case where gravity dominates. */
static double spread_of_honey(rn_contact contact) {
    enum { CELLS = 100 };
    const double cell = 4e-3;
    rn_liquid liquid = liquid_of(40.0, 20.0, 1e-2);
    rn_world *world =
        make_world(&(setup){.nx = CELLS, .ny = CELLS, .cell = cell, .lid = 0.2, .liquid = &liquid, .contact = contact});
    place_drop(world, CELLS, cell, 1.6e-3, 0.08);
    for (int frame = 0; frame < 60; frame++) rn_world_step(world, FRAME);
    const rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
    const double height = depth_between(&d, 0.5 * CELLS, 0.5 * CELLS), radius = radius_along(&d, 0.0, height);
    rn_world_destroy(world);
    return radius;
}

/* Runs water on a shore with cells of 1 m for 1 s and returns the hash of its state. */
static uint64_t shore_hash(rn_contact contact) {
    enum { N = 60 };
    double heights[N * 4], depth[N * 4];
    for (int i = 0; i < N * 4; i++)
        heights[i] = 0.1 * (i % N), depth[i] = fmax(3.0 - heights[i], 0.0) + (i % N < 10 ? 0.5 : 0.0);
    const rn_liquid liquid = liquid_of(60.0, 40.0, 1e-6);
    rn_world *world = make_world(&(setup){.nx = N,
                                          .ny = 4,
                                          .cell = 1.0,
                                          .heights = heights,
                                          .lid = 20.0,
                                          .friction = 0.5,
                                          .liquid = &liquid,
                                          .contact = contact});
    set_depths(world, depth);
    for (int frame = 0; frame < 60; frame++) rn_world_step(world, FRAME);
    const uint64_t hash = rn_world_hash(world);
    rn_world_destroy(world);
    return hash;
}

/* Dynamic contact angles must hardly matter where gravity dominates. measured[0]: change of the spread of honey (%);
   [1]: 1 if a shore with cells of 1 m differs in any bit, else 0. */
void case_contact_off(double measured[MOST_MEASURES]) {
    measured[0] = fabs(percent(spread_of_honey(RN_CONTACT_DYNAMIC), spread_of_honey(RN_CONTACT_STATIC)));
    measured[1] = shore_hash(RN_CONTACT_DYNAMIC) == shore_hash(RN_CONTACT_STATIC) ? 0.0 : 1.0;
}
