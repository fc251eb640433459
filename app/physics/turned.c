/* Cases turned_blood and turned_honey of `runnel validate`: drops on an incline that is turned relative to the grid.
   They must look the same in any direction. drop_after() runs one, compare_turned() compares three directions. */
#include "physics/physics.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

enum { CELLS = 160, SAMPLES = 81 };
static const double cell = 1e-3, degrees = 30.0, half_width = 12e-3, height = 4e-3, uphill = 0.03; /* m; degrees */

/* Returns the initial depth (m) at (x, y) from the middle of the world (m); the drop is 3 cm uphill of it, against
   `azimuth` (rad). */
static double first_depth(double x, double y, double azimuth) {
    const double dx = x + uphill * cos(azimuth), dy = y + uphill * sin(azimuth);
    return fmax(height * (1.0 - (dx * dx + dy * dy) / (half_width * half_width)), 0.0);
}

/* Creates the incline of 30 degrees, falling towards `azimuth` (rad), with the drop of this viscosity (m²/s). Aborts if
   memory is lacking; the caller destroys the world. */
static rn_world *drop_world(double viscosity, double azimuth) {
    enum { FINER = 4 };
    const double slope = tan(degrees * PI / 180.0), sx = slope * cos(azimuth), sy = slope * sin(azimuth);
    const double relief = (sx + sy) * CELLS * cell;
    double *heights = calloc(2 * CELLS * CELLS, sizeof *heights), *depths = heights ? heights + CELLS * CELLS : NULL;
    if (!heights) abort();
    for (int i = 0; i < CELLS * CELLS; i++) {
        const double x = (i % CELLS - 0.5 * CELLS) * cell, y = (i / CELLS - 0.5 * CELLS) * cell; /* its corner */
        heights[i] = 0.5 * relief - sx * (x + 0.5 * cell) - sy * (y + 0.5 * cell);
        for (int k = 0; k < FINER * FINER; k++)
            depths[i] +=
                first_depth(x + (k % FINER + 0.5) / FINER * cell, y + (k / FINER + 0.5) / FINER * cell, azimuth) /
                (FINER * FINER);
    }
    rn_world *world = make_world(&(setup){.nx = CELLS,
                                          .ny = CELLS,
                                          .cell = cell,
                                          .heights = heights,
                                          .lid = relief + 0.02,
                                          .viscosity = viscosity,
                                          .friction = 0.5});
    set_depths(world, depths);
    free(heights);
    return world;
}

/* Runs the drop for this time (s) and returns its depths (m) on a grid of SAMPLES x SAMPLES points along and across the
   slope, interpolated bilinearly; 0 outside the world. The caller frees them. Aborts if memory is lacking. `azimuth`
   (rad): where the incline falls. */
static double *drop_after(double viscosity, double azimuth, double seconds) {
    rn_world *world = drop_world(viscosity, azimuth);
    for (int i = 0; i < 20; i++) rn_world_step(world, seconds / 20.0);
    double *profile = calloc(SAMPLES * SAMPLES, sizeof *profile);
    if (!profile) abort();
    for (int i = 0; i < SAMPLES * SAMPLES; i++) {
        const double along = -0.07 + 0.149 * (i / SAMPLES) / (SAMPLES - 1),
                     across = -0.04 + 0.08 * (i % SAMPLES) / (SAMPLES - 1);
        const double x = 0.5 * CELLS - 0.5 + (along * cos(azimuth) - across * sin(azimuth)) / cell,
                     y = 0.5 * CELLS - 0.5 + (along * sin(azimuth) + across * cos(azimuth)) / cell;
        const int left = (int)floor(x), low = (int)floor(y);
        const double p = x - left, q = y - low;
        if (left < 0 || low < 0 || left >= CELLS - 1 || low >= CELLS - 1) continue;
        profile[i] = (1.0 - p) * (1.0 - q) * depth_at(world, left, low) +
                     p * (1.0 - q) * depth_at(world, left + 1, low) + (1.0 - p) * q * depth_at(world, left, low + 1) +
                     p * q * depth_at(world, left + 1, low + 1);
    }
    rn_world_destroy(world);
    return profile;
}

/* Compares inclines turned by 30 and by 45 degrees with one along x after this time (s). measured[0], [1]: L1
   difference of the depths, in % of the volume. */
static void compare_turned(double viscosity, double seconds, double measured[MOST_MEASURES]) {
    double *straight = drop_after(viscosity, 0.0, seconds), volume = 0.0;
    for (int i = 0; i < SAMPLES * SAMPLES; i++) volume += straight[i];
    for (int k = 0; k < 2; k++) {
        double *turned = drop_after(viscosity, (k ? 45.0 : 30.0) * PI / 180.0, seconds), error = 0.0;
        for (int i = 0; i < SAMPLES * SAMPLES; i++) error += fabs(turned[i] - straight[i]);
        measured[k] = 100.0 * error / volume;
        free(turned);
    }
    free(straight);
}

/* A drop of blood runs down an incline for 0.12 s; it must not matter how the incline is turned. measured[0], [1]: L1
   difference of the depths when it is turned by 30 and by 45 degrees (%). */
void case_turned_blood(double measured[MOST_MEASURES]) { compare_turned(4e-6, 0.12, measured); }
/* A drop of honey runs down an incline for 1.5 s; it must not matter how the incline is turned. measured[0], [1]: L1
   difference of the depths when it is turned by 30 and by 45 degrees (%). */
void case_turned_honey(double measured[MOST_MEASURES]) { compare_turned(7e-3, 1.5, measured); }
