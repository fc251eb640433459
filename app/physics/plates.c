/* Drops on level and inclined plates: how they are made, run and measured. Entry points: settle_drop() for level
   plates, find_steepest() for inclined ones. */
#include "physics/plates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

rn_liquid plate_liquid(double advancing, double receding, double viscosity) {
    rn_liquid liquid = rn_liquid_water();
    liquid.density = 1000.0;
    liquid.surface_tension = CAP_TENS * 1000.0;
    liquid.contact_angle = advancing;
    liquid.receding_angle = receding;
    liquid.viscosity = viscosity;
    liquid.drying_time = 1000.0;
    return liquid;
}

/* ---- Young and Laplace ------------------------------------------------------------------------------------------- */

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

profile young_laplace(double volume, double degrees) {
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

/* ---- Drops on a level plate -------------------------------------------------------------------------------------- */

rn_world *make_plate(int cells, double cell, const rn_liquid *liquid, double tilt, double azimuth) {
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

/* Returns whether the middle of cell `i` is within the cylinder that a drop starts as, if it has this radius (m). */
static bool in_cylinder(const drop *d, int cells, int i, double radius) {
    const double x = i % cells + 0.5 - 0.5 * cells - d->off_x, y = i / cells + 0.5 - 0.5 * cells - d->off_y;
    const double along = x * cos(d->direction) + y * sin(d->direction);
    const double across = y * cos(d->direction) - x * sin(d->direction),
                 root = sqrt(d->stretch > 0.0 ? d->stretch : 1.0);
    return hypot(along / root, across * root) * d->cell < radius;
}

void place_drop(rn_world *world, int cells, const drop *d, double radius) {
    double *depth = calloc((size_t)cells * (size_t)cells, sizeof *depth);
    if (!depth) abort();
    int count = 0;
    for (int i = 0; i < cells * cells; i++) count += in_cylinder(d, cells, i, radius);
    for (int i = 0; i < cells * cells; i++)
        if (in_cylinder(d, cells, i, radius)) depth[i] = d->volume / (count * d->cell * d->cell);
    set_depths(world, depth);
    free(depth);
}

double depth_between(const rn_view *d, double x, double y) {
    const int i = (int)floor(x - 0.5), j = (int)floor(y - 0.5);
    const double u = x - 0.5 - i, v = y - 0.5 - j;
    if (i < 0 || j < 0 || i + 1 >= d->cells_x || j + 1 >= d->cells_y) return 0.0;
    const float *at = d->data + j * d->row_stride + i;
    return (1.0 - v) * ((1.0 - u) * at[0] + u * at[1]) +
           v * ((1.0 - u) * at[d->row_stride] + u * at[d->row_stride + 1]);
}

double drop_reach(const rn_view *d, double x, double y, double angle, double height) {
    const double middle = 0.5 * d->cells_x, step = 0.1;
    double sum = 0.0;
    for (double r = 0.0; r < middle - 1.0; r += step)
        sum += step * fmin(depth_between(d, x + r * cos(angle), y + r * sin(angle)) / (0.3 * height), 1.0);
    return sum;
}

/* Returns true if the flux through any face is not exactly 0. */
static bool moves(const rn_world *world) {
    for (int axis = 0; axis < 2; axis++) {
        const rn_view f = rn_world_view(world, axis ? RN_FIELD_FLUX_Y : RN_FIELD_FLUX_X);
        for (int y = 0; y < f.cells_y; y++)
            for (int x = 0; x < f.cells_x; x++)
                if (f.data[y * f.row_stride + x] != 0.0f) return true;
    }
    return false;
}

/* Sets (x, y), in cells, to the centre of mass of the liquid. */
static void find_centre(const rn_view *d, double *x, double *y) {
    double sum = 0.0;
    *x = *y = 0.0;
    for (int j = 0; j < d->cells_y; j++)
        for (int i = 0; i < d->cells_x; i++) {
            const double depth = d->data[j * d->row_stride + i];
            sum += depth, *x += depth * (i + 0.5), *y += depth * (j + 0.5);
        }
    *x /= sum, *y /= sum;
}

/* Measures the height of the drop at its centre of mass and its radii in 32 directions: sets all of `out` but
   `moved` and `rests`. */
static void measure_drop(const rn_world *world, drop_result *out) {
    enum { RAYS = 32 };
    const rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
    double radius[RAYS], least = INFINITY, most = 0.0, axes = 0.0, diagonals = 0.0, x, y;
    find_centre(&d, &x, &y);
    out->height = depth_between(&d, x, y);
    for (int i = 0; i < RAYS; i++) {
        radius[i] = drop_reach(&d, x, y, i * 2.0 * PI / RAYS, out->height);
        least = fmin(least, radius[i]), most = fmax(most, radius[i]);
    }
    for (int i = 0; i < RAYS; i += RAYS / 4) axes += radius[i], diagonals += radius[i + RAYS / 8];
    out->uneven = axes / diagonals;
    out->ragged = least / most;
}

drop_result settle_drop(const drop *d) {
    const rn_liquid liquid = plate_liquid(d->advancing, d->receding, d->viscosity);
    const profile low = young_laplace(d->volume, d->receding), high = young_laplace(d->volume, d->advancing);
    const int cells = 2 * (int)ceil(1.3 * low.radius / d->cell) + 10;
    rn_world *world = make_plate(cells, d->cell, &liquid, 0.0, 0.0);
    place_drop(world, cells, d, 0.75 * high.radius);
    drop_result result = {.rests = INFINITY};
    double x, y, x_before, y_before;
    rn_view depths = rn_world_view(world, RN_FIELD_DEPTH);
    find_centre(&depths, &x_before, &y_before);
    for (double time = 0.0; time < d->seconds && result.rests == INFINITY; time += FRAME) {
        rn_world_step(world, FRAME);
        if (!moves(world)) result.rests = time + FRAME;
    }
    measure_drop(world, &result);
    depths = rn_world_view(world, RN_FIELD_DEPTH);
    find_centre(&depths, &x, &y);
    result.moved = hypot(x - x_before, y - y_before);
    rn_world_destroy(world);
    return result;
}

double height_error(const drop *d, double height) {
    const double low = young_laplace(d->volume, d->receding).height,
                 high = young_laplace(d->volume, d->advancing).height;
    return 100.0 * fmax(fmax(low - height, 0.0) / low, fmax(height - high, 0.0) / high);
}

/* ---- Drops on an inclined plate ---------------------------------------------------------------------------------- */

hanging look_across(const rn_world *world, double cell, double azimuth) {
    const rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
    double sum = 0.0, moment = 0.0, least = INFINITY, most = -INFINITY, deepest = 0.0;
    for (int y = 0; y < d.cells_y; y++)
        for (int x = 0; x < d.cells_x; x++) {
            const double depth = d.data[y * d.row_stride + x];
            if (depth > deepest) deepest = depth; /* gcc 12 for ARM fails on fmax in this loop. */
        }
    for (int y = 0; y < d.cells_y; y++)
        for (int x = 0; x < d.cells_x; x++) {
            const double depth = d.data[y * d.row_stride + x], px = (x + 0.5) * cell, py = (y + 0.5) * cell;
            const double across = py * cos(azimuth) - px * sin(azimuth);
            sum += depth, moment += depth * (px * cos(azimuth) + py * sin(azimuth));
            if (depth > 0.15 * deepest) least = fmin(least, across), most = fmax(most, across);
        }
    return (hanging){moment / sum, most - least + 0.7 * cell};
}

/* Returns true if a drop, copied from the world `level` where it has come to rest, slides down a slope of `tilt` (rad):
   its centre of mass moves by more than 0.35 of its width in 100 frames, or by more than a quarter of a cell in the
   last 40 of them. Ends early once it has moved by half of its width. `cells`: along each side of both worlds; `width`:
   receives its final width (m) if it does not slide. */
static bool slides(const incline *c, const rn_world *level, int cells, double tilt, double *width) {
    const rn_liquid liquid = plate_liquid(c->drop.advancing, c->drop.receding, c->drop.viscosity);
    rn_world *world = make_plate(cells, c->drop.cell, &liquid, tilt, c->azimuth);
    const rn_view from = rn_world_view(level, RN_FIELD_DEPTH), to = rn_world_view(world, RN_FIELD_DEPTH);
    for (int y = 0; y < cells; y++)
        memcpy(to.data + y * to.row_stride, from.data + y * from.row_stride, (size_t)cells * sizeof(float));
    rn_world_commit(world);
    const hanging first = look_across(world, c->drop.cell, c->azimuth);
    hanging then = first, last = first;
    for (int i = 0; i < 100 && last.middle - first.middle < 0.5 * last.width; i++) {
        if (i == 60) then = last;
        rn_world_step(world, FRAME);
        last = look_across(world, c->drop.cell, c->azimuth);
    }
    rn_world_destroy(world);
    *width = last.width;
    return last.middle - then.middle > 0.25 * c->drop.cell || last.middle - first.middle > 0.35 * last.width;
}

void find_steepest(void *context, int i) {
    incline *c = &((incline *)context)[i];
    const rn_liquid liquid = plate_liquid(c->drop.advancing, c->drop.receding, c->drop.viscosity);
    const double radius = 1.2 * cbrt(c->drop.volume);
    const int cells = (int)(5.0 * radius / c->drop.cell) + 10;
    rn_world *level = make_plate(cells, c->drop.cell, &liquid, 0.0, 0.0);
    place_drop(level, cells, &c->drop, radius);
    for (int frame = 0; frame < 60; frame++) rn_world_step(level, FRAME);
    const double gain = CAP_TENS * (cos(c->drop.receding * DEGREE) - cos(c->drop.advancing * DEGREE));
    const double first = look_across(level, c->drop.cell, 0.0).width;
    const double theory = asin(fmin(first * gain / (GRAVITY * c->drop.volume), 1.0)) / DEGREE;
    double low = 0.4 * theory, high = 1.6 * theory, width = 0.0, stays = 1.0;
    for (int step = 0; step < 6; step++) {
        const double middle = 0.5 * (low + high);
        if (slides(c, level, cells, middle * DEGREE, &width)) high = middle;
        else low = middle, stays = width;
    }
    rn_world_destroy(level);
    c->degrees = low;
    c->k = GRAVITY * c->drop.volume * sin(low * DEGREE) / (stays * gain);
}
