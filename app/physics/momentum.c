/* Cases of `runnel validate` about what moving water must keep: its rotation (case_rotation), its speed when some of it
   is removed (case_drain_speed), and no more than its energy (case_energy). */
#include "physics/physics.h"

#include <math.h>
#include <stdlib.h>

/* ---- Rotation: water in a round basin, 5 m deep, that turns like a wheel ----------------------------------------- */

enum { WHEEL = 64 };
static const double wheel_cell = 1.0, wheel_radius = 30.0, wheel_turn = 0.05; /* m, m, rad/s */

/* Returns the distance (m) from the axis along x or y, for a position in cells. */
static double from_axis(double cells) { return (cells - 0.5 * WHEEL) * wheel_cell; }

/* Sets the fluxes of solid-body rotation for the present depths, except in the last metre, where the wall is a
   staircase of cells, and commits. */
static void turn_wheel(rn_world *world) {
    rn_view d = rn_world_view(world, RN_FIELD_DEPTH), fx = rn_world_view(world, RN_FIELD_FLUX_X),
            fy = rn_world_view(world, RN_FIELD_FLUX_Y);
    for (int y = 0; y < WHEEL; y++)
        for (int x = 0; x < WHEEL; x++) {
            const ptrdiff_t i = y * d.row_stride + x;
            const double right = from_axis(x + 1.0), middle_x = from_axis(x + 0.5), top = from_axis(y + 1.0),
                         middle_y = from_axis(y + 0.5);
            if (x + 1 < WHEEL && hypot(right, middle_y) < wheel_radius - 1.0)
                fx.data[i] = (float)(-wheel_turn * middle_y * 0.5 * (d.data[i] + d.data[i + 1]) * wheel_cell);
            if (y + 1 < WHEEL && hypot(middle_x, top) < wheel_radius - 1.0)
                fy.data[i] = (float)(wheel_turn * middle_x * 0.5 * (d.data[i] + d.data[i + d.row_stride]) * wheel_cell);
        }
    rn_world_commit(world);
}

/* Returns the angular momentum about the middle, divided by density and cell size (m^4/s): the sum over cells of their
   position times the mean flux through their faces. */
static double angular_momentum(rn_world *world) {
    rn_view fx = rn_world_view(world, RN_FIELD_FLUX_X), fy = rn_world_view(world, RN_FIELD_FLUX_Y);
    double sum = 0.0;
    for (int y = 1; y < WHEEL; y++)
        for (int x = 1; x < WHEEL; x++) {
            const ptrdiff_t i = y * fx.row_stride + x;
            sum += from_axis(x + 0.5) * 0.5 * ((double)fy.data[i - fy.row_stride] + fy.data[i]) -
                   from_axis(y + 0.5) * 0.5 * ((double)fx.data[i - 1] + fx.data[i]);
        }
    return sum;
}

/* Water turns like a wheel in a round basin, without friction. Theory: it keeps its angular momentum. measured[0]: the
   share that is left after 180 s. */
void case_rotation(double measured[MOST_MEASURES]) {
    double heights[WHEEL * WHEEL], depth[WHEEL * WHEEL];
    for (int i = 0; i < WHEEL * WHEEL; i++) {
        const double r = hypot(from_axis(i % WHEEL + 0.5), from_axis(i / WHEEL + 0.5));
        const bool in = r < wheel_radius;
        heights[i] = in ? 0.0 : 15.0;
        depth[i] = in ? 5.0 + wheel_turn * wheel_turn * r * r / (2.0 * GRAVITY) : 0.0;
    }
    rn_world *world =
        make_world(&(setup){.nx = WHEEL, .ny = WHEEL, .cell = wheel_cell, .heights = heights, .lid = 16.0});
    set_depths(world, depth);
    turn_wheel(world);
    const double before = angular_momentum(world);
    rn_world_step(world, 180.0);
    measured[0] = angular_momentum(world) / before;
    rn_world_destroy(world);
}

/* ---- A stream in a periodic canal that loses half of its depth everywhere ---------------------------------------- */

enum { STREAM = 50 };

/* Returns the mean speed of the stream (m/s), by total flux over total depth; cells are 1 m. */
static double stream_speed(rn_world *world) {
    rn_view d = rn_world_view(world, RN_FIELD_DEPTH), f = rn_world_view(world, RN_FIELD_FLUX_X);
    double flow = 0.0, depth = 0.0;
    for (int i = 0; i < STREAM; i++) {
        flow += f.data[i];
        depth += d.data[i];
    }
    return flow / depth;
}

/* Runs a stream 1 m deep at 1 m/s that loses half of its depth in 10 s by this kind of source. Returns the speed that
   is left (m/s), or NaN if it did not lose half. */
static double drained_speed(rn_source_kind kind) {
    double depth[STREAM];
    for (int i = 0; i < STREAM; i++) depth[i] = 1.0;
    rn_world *world = make_world(&(setup){.nx = STREAM, .ny = 1, .cell = 1.0, .lid = 2.0, .periodic_x = true});
    set_depths(world, depth);
    rn_view f = rn_world_view(world, RN_FIELD_FLUX_X);
    for (int i = 0; i < STREAM; i++) f.data[i] = 1.0f;
    rn_world_commit(world);
    const rn_series_point falling[] = {{0.0, 1.0}, {10.0, 0.5}};
    const bool disk = kind == RN_SOURCE_DRAIN || kind == RN_SOURCE_LEVEL; /* a disk that contains all cells */
    rn_source_def loss = rn_source_default();
    loss.kind = kind;
    loss.rate = kind == RN_SOURCE_LEVEL ? 0.0 : kind == RN_SOURCE_DRAIN ? 0.05 * STREAM : 0.05;
    if (kind == RN_SOURCE_LEVEL) loss.series = falling, loss.series_count = 2;
    if (disk) {
        loss.at = (rn_vec3){0.5 * STREAM, 0.5, 1.0};
        loss.radius = STREAM;
    }
    const bool added = rn_world_add_source(world, &loss) >= 0;
    for (int i = 0; i < 100; i++) rn_world_step(world, 0.1);
    const double left = rn_world_volume(world) / STREAM, speed = stream_speed(world);
    rn_world_destroy(world);
    return added && fabs(left - 0.5) < 1e-3 ? speed : NAN;
}

/* A stream that loses water must keep its speed. measured[0]: the largest error of the speed (%), for a drain, a
   falling held level, evaporation and infiltration. */
void case_drain_speed(double measured[MOST_MEASURES]) {
    const rn_source_kind kinds[] = {RN_SOURCE_DRAIN, RN_SOURCE_LEVEL, RN_SOURCE_EVAPORATION, RN_SOURCE_INFILTRATION};
    measured[0] = 0.0;
    for (int k = 0; k < 4; k++) measured[0] = worse(measured[0], percent(drained_speed(kinds[k]), 1.0));
}

/* ---- Energy: water splashes over an uneven bed with obstacles, without friction ---------------------------------- */

enum { BASIN = 32, WINDOW = 1000 /* substeps */ };
static const double basin_cell = 0.05; /* m */

/* Returns the height of the bed (m) in a cell: gentle hills, a wall and a pillar. */
static double basin_bed(int x, int y) {
    const bool wall = x > 14 && x < 17 && y > 10 && y < 20, pillar = x == 24 && y == 8;
    return 0.05 * sin(0.4 * x) * cos(0.3 * y) + 0.05 + (wall || pillar ? 0.5 : 0.0);
}

/* Returns the potential and kinetic energy of the basin, divided by the density and the area of a cell (m^3/s^2).
   Heights count from the datum; a face moves the mean of its two depths. */
static double energy_of(rn_world *world) {
    rn_view d = rn_world_view(world, RN_FIELD_DEPTH), b = rn_world_view(world, RN_FIELD_BASE),
            fx = rn_world_view(world, RN_FIELD_FLUX_X), fy = rn_world_view(world, RN_FIELD_FLUX_Y);
    const double per = 1.0 / (basin_cell * basin_cell);
    double sum = 0.0;
    for (int y = 0; y < BASIN; y++)
        for (int x = 0; x < BASIN; x++) {
            const ptrdiff_t i = y * d.row_stride + x;
            const double h = d.data[i], east = fx.data[i], north = fy.data[i];
            sum += GRAVITY * h * (b.data[i] + 0.5 * h);
            if (x + 1 < BASIN && east != 0.0) sum += per * east * east / (h + d.data[i + 1]);
            if (y + 1 < BASIN && north != 0.0) sum += per * north * north / (h + d.data[i + d.row_stride]);
        }
    return sum;
}

/* Energy must never grow. Depths and fluxes belong to times half a substep apart, which makes their sum fluctuate, so
   means over 1000 substeps are compared, 20,000 in all or, with RUNNEL_LONG set, 1e6. measured[0]: the largest rise of
   the energy above its minimum so far, in % of the energy lost by the end. */
void case_energy(double measured[MOST_MEASURES]) {
    const uint64_t substeps = getenv("RUNNEL_LONG") ? 1000000 : 20000;
    double heights[BASIN * BASIN], depth[BASIN * BASIN];
    for (int i = 0; i < BASIN * BASIN; i++) {
        const int x = i % BASIN, y = i / BASIN;
        heights[i] = basin_bed(x, y);
        depth[i] = heights[i] < 0.3 ? fmax(0.25 - heights[i], 0.0) + (x < 8 && y < 20 ? 0.05 : 0.0) : 0.0;
    }
    rn_world *world =
        make_world(&(setup){.nx = BASIN, .ny = BASIN, .cell = basin_cell, .heights = heights, .lid = 1.0});
    set_depths(world, depth);
    const double first = energy_of(world);
    double least = first, growth = 0.0, sum = 0.0;
    int looks = 0;
    for (uint64_t next = WINDOW; rn_world_get_stats(world).steps < substeps;) {
        rn_world_step(world, 0.1);
        sum += energy_of(world);
        looks++;
        if (rn_world_get_stats(world).steps < next) continue;
        growth = worse(growth, sum / looks - least);
        least = fmin(least, sum / looks);
        sum = 0.0;
        looks = 0;
        next += WINDOW;
    }
    measured[0] = 100.0 * growth / (first - least);
    rn_world_destroy(world);
}
