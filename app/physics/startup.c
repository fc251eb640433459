/* Case film_start of `runnel validate`: how liquid on an incline gains speed. start_film() runs films that start from
   rest, release_ridge() runs ridges. */
#include "physics/physics.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

/* An even film at rest on an endless plane. */
typedef struct film {
    double degrees;   /* of the slope */
    double viscosity; /* m^2/s */
    double depth;     /* m, measured vertically */
} film;

static const film films[] = {{5, 1e-6, 2e-3},  {5, 4e-6, 1e-3},  {10, 1e-6, 1e-3}, {30, 1e-6, 1e-3}, {30, 4e-6, 1e-3},
                             {30, 4e-5, 1e-3}, {30, 4e-6, 2e-4}, {60, 4e-6, 1e-3}, {60, 4e-6, 2e-4}, {60, 1e-4, 2e-3},
                             {80, 4e-6, 1e-3}, {80, 1e-6, 2e-4}, {84, 4e-6, 2e-3}};
enum { FILMS = sizeof films / sizeof films[0] };

/* Returns the mean horizontal speed (m/s) along x or y, as `field` says, by total flux over total depth. `cell`: cell
   size (m). */
static double mean_speed(const rn_world *world, rn_field field, double cell) {
    rn_view f = rn_world_view(world, field), d = rn_world_view(world, RN_FIELD_DEPTH);
    double flux = 0.0, depth = 0.0;
    for (int y = 0; y < f.cells_y; y++)
        for (int x = 0; x < f.cells_x; x++) {
            flux += f.data[y * f.row_stride + x];
            depth += d.data[y * d.row_stride + x];
        }
    return flux / (depth * cell);
}

/* Creates the film, at rest, on a plane that falls towards an azimuth (0 to 90 degrees from the x axis), periodic along
   both axes; for azimuth 0 it is one cell wide and periodic along x only. `cell`: cell size (m). The caller destroys
   the world. */
static rn_world *film_world(const film *f, double azimuth, double cell) {
    const int nx = azimuth == 0.0 ? 32 : 8, ny = azimuth == 0.0 ? 1 : nx;
    const double slope = tan(f->degrees * PI / 180.0), sx = slope * cos(azimuth * PI / 180.0) * cell,
                 sy = ny > 1 ? slope * sin(azimuth * PI / 180.0) * cell : 0.0;
    double heights[64], depths[64];
    for (int i = 0; i < nx * ny; i++) {
        heights[i] = sx * (nx - 1 - i % nx) + sy * (ny - 1 - i / nx);
        depths[i] = f->depth;
    }
    rn_world *world = make_world(&(setup){.nx = nx,
                                          .ny = ny,
                                          .cell = cell,
                                          .heights = heights,
                                          .lid = nx * sx + ny * sy + 6.0 * f->depth,
                                          .viscosity = f->viscosity,
                                          .periodic_x = true,
                                          .periodic_y = ny > 1,
                                          .drop_x = nx * sx,
                                          .drop_y = ny * sy});
    set_depths(world, depths);
    return world;
}

/* Returns the exponent by which short waves on a film have grown, in theory, after `spans` time constants. In each they
   gain u/c - 1/2, once that is above 0: c is the speed of waves, and u = most (1 - exp(-t)) that of the film (m/s). */
static double wave_growth(double most, double c, double spans) {
    const double start = most > 0.5 * c ? -log(1.0 - 0.5 * c / most) : spans;
    return spans <= start ? 0.0 : (most / c - 0.5) * (spans - start) + most / c * (exp(-spans) - exp(-start));
}

/* Runs a film from rest. Along the slope, du/dt = g sin - 3 nu u / d^2, with d the depth normal to the bed. Raises
   *speed_error to the error of the speed (%) and *acceleration to the largest gain of speed over ten calls, relative to
   gravity. Calls are so short that a speed half a substep late is wrong by 1 % at most. A fast film is followed only
   until roll waves have grown by exp(20) from rounding, because it is not even after that. */
static void start_film(const film *f, double azimuth, double *speed_error, double *acceleration) {
    enum { CALLS = 200, SPAN = 6, APART = 10 }; /* calls for each time constant; time constants; calls between speeds */
    const double looks[] = {0.25, 0.5, 1.0, 2.0, 4.0, 6.0}, cell = 5e-4, most_growth = 20.0;
    const double angle = f->degrees * PI / 180.0, normal = f->depth * cos(angle),
                 tau = normal * normal / (3.0 * f->viscosity), pull = GRAVITY * sin(angle) * cos(angle);
    rn_world *world = film_world(f, azimuth, cell);
    const double wave = sqrt(GRAVITY * f->depth) * cos(angle) * cos(angle);
    double before = 0.0;
    for (int i = 1, look = 0; i <= CALLS * SPAN; i++) {
        if (wave_growth(pull * tau, wave, (double)i / CALLS) > most_growth) break;
        rn_world_step(world, tau / CALLS);
        const double x = mean_speed(world, RN_FIELD_FLUX_X, cell),
                     y = azimuth == 0.0 ? 0.0 : mean_speed(world, RN_FIELD_FLUX_Y, cell), speed = hypot(x, y);
        if (i % APART == 0) {
            *acceleration = worse(*acceleration, (speed - before) * CALLS / APART / tau / pull);
            before = speed;
        }
        if (i < looks[look] * CALLS) continue;
        *speed_error = worse(*speed_error, percent(speed, pull * tau * (1.0 - exp(-looks[look++]))));
    }
    rn_world_destroy(world);
}

/* Starts all films in three directions. Raises both values, as start_film() does. */
static void start_films(double *speed_error, double *acceleration) {
    const double azimuths[] = {0.0, 20.0, 45.0};
    for (int i = 0; i < FILMS; i++)
        for (int k = 0; k < 3; k++) start_film(&films[i], azimuths[k], speed_error, acceleration);
}

/* Releases a parabolic ridge of this viscosity (m²/s) on a plane of this slope (degrees), for 0.1 s. Pressure only
   pushes its parts apart, so the mean speed is at most g sin t. No part is faster than 2 sqrt(g cos d) + g sin t, the
   front of a dam break down the plane, where d is the initial depth normal to the bed. Both are speeds along the slope;
   columns see cos of them. Returns the largest speed as a share of its bound. */
static double release_ridge(double degrees, double viscosity) {
    enum { N = 600, CALLS = 200 };
    const double cell = 5e-4, high = 4e-3, half = 12e-3, middle = 0.06, seconds = 0.1;
    const double angle = degrees * PI / 180.0, c = cos(angle), pull = GRAVITY * sin(angle) * c;
    double heights[N], depths[N], most = 0.0;
    for (int i = 0; i < N; i++) {
        const double x = ((i + 0.5) * cell - middle) / half;
        heights[i] = tan(angle) * cell * (N - 1 - i);
        depths[i] = fmax(high * (1.0 - x * x), 0.0);
    }
    rn_world *world = make_world(&(setup){.nx = N,
                                          .ny = 1,
                                          .cell = cell,
                                          .heights = heights,
                                          .lid = tan(angle) * cell * N + 2.0 * high,
                                          .viscosity = viscosity,
                                          .open_east = true});
    set_depths(world, depths);
    for (int i = 0; i < CALLS; i++) {
        rn_world_step(world, seconds / CALLS);
        const double time = rn_world_get_stats(world).time;
        most = worse(most, mean_speed(world, RN_FIELD_FLUX_X, cell) / (pull * time));
        most = worse(most, rn_world_get_stats(world).fastest / (2.0 * c * c * sqrt(GRAVITY * high) + pull * time));
    }
    rn_world_destroy(world);
    return most;
}

/* In theory, films that start from rest have the speed u (1 - exp(-t/tau)), where u is their final speed. measured[0]:
   the largest error of the speed (%); [1]: the largest acceleration of films and speed of ridges, relative to what
   gravity and pressure allow; in theory at most 1. */
void case_film_start(double measured[MOST_MEASURES]) {
    measured[0] = measured[1] = 0.0;
    start_films(&measured[0], &measured[1]);
    for (int i = 0; i < 6; i++)
        measured[1] = worse(measured[1], release_ridge((double[]){10, 30, 60}[i / 2], i % 2 ? 4e-6 : 0.0));
}
