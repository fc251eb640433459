/* Cases of `runnel validate` about roll waves: small disturbances of films, against the linear theory of the
   depth-averaged equations. Below a Froude number of 1/2 they must decay (case_roll_decay), above it they grow
   (case_roll_growth). run_wave() runs one wave. */
#include "physics/physics.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

enum { CELLS = 64 };
static const double cell = 5e-4, amplitude = 5e-3; /* m; as a share of the depth */

/* A film that flows at its steady speed down an endless plane. */
typedef struct stream {
    double slope, depth, viscosity; /* tangent; m, vertical; m^2/s */
    double drag;                    /* 1/s: 3 nu (1 + S^2) / d^2 */
    double speed, wave;             /* m/s, of the film and of small waves on it, horizontal */
} stream;

/* Returns the steady film of this vertical depth (m) and viscosity (m²/s) on a slope in degrees. */
static stream make_stream(double degrees, double viscosity, double depth) {
    stream s = {.slope = tan(degrees * PI / 180.0), .depth = depth, .viscosity = viscosity};
    const double e = 1.0 + s.slope * s.slope;
    s.drag = 3.0 * viscosity * e / (depth * depth);
    s.speed = GRAVITY * s.slope / e / s.drag;
    s.wave = sqrt(GRAVITY * depth) / e;
    return s;
}

/* Returns the faster growing root (1/s) of s^2 + r s + k^2 c^2 + 2 i k u r = 0, in the frame of the film: h' ~ exp(s t
   + i k x), h'_t = -d u'_x, u'_t = -(c^2/d) h'_x - r u' + 2 r (u/d) h'. The wave grows if u > c/2. k: wave number
   (1/m). */
static double complex growth_of(const stream *s, double k) {
    const double complex root =
        csqrt(s->drag * s->drag - 4.0 * (k * k * s->wave * s->wave + 2.0 * I * k * s->speed * s->drag));
    return 0.5 * (-s->drag + (creal(root) > 0.0 ? root : -root));
}

/* Creates a film with a wave of depth and flux, 0.5 % of the depth high, of wave number k (1/m) and this growth rate
   (1/s, complex). It begins an eighth of a wave after the crest, where even waves of two cells show. The caller
   destroys the world. */
static rn_world *wavy_world(const stream *s, double k, double complex growth) {
    const double phase = 0.25 * PI;
    double heights[CELLS], depths[CELLS];
    for (int i = 0; i < CELLS; i++) {
        heights[i] = s->slope * cell * (CELLS - 1 - i);
        depths[i] = s->depth * (1.0 + amplitude * cos(k * cell * (i + 0.5) + phase));
    }
    rn_world *world = make_world(&(setup){.nx = CELLS,
                                          .ny = 1,
                                          .cell = cell,
                                          .heights = heights,
                                          .lid = s->slope * cell * CELLS + 6.0 * s->depth,
                                          .viscosity = s->viscosity,
                                          .periodic_x = true,
                                          .drop_x = s->slope * cell * CELLS});
    rn_view flux = rn_world_view(world, RN_FIELD_FLUX_X);
    for (int i = -1; i < CELLS; i++) { /* the face between columns i and i + 1 */
        const double complex wave = cexp(I * (k * cell * (i + 1) + phase));
        const double u = s->speed + creal(-growth / (I * k) * amplitude * wave),
                     h = s->depth * (1.0 + amplitude * creal(wave));
        flux.data[i] = (float)(u * h * cell);
    }
    set_depths(world, depths);
    return world;
}

/* Returns the height (amplitude) of the wave with wave number k (1/m) (m). For a wave of two cells it has a factor that
   depends on the phase, so it is only compared with itself. */
static double wave_height(rn_world *world, double k) {
    double complex sum = 0.0;
    for (int i = 0; i < CELLS; i++) sum += depth_at(world, i, 0) * cexp(-I * k * cell * (i + 0.5));
    return 2.0 * cabs(sum) / CELLS;
}

/* What became of a wave. */
typedef struct outcome {
    double left; /* share of the wave that is left, less what rounding alone may cause */
    double rate; /* 1/s, growth in the second half; 0 if nothing is left */
} outcome;

/* Returns the fastest growth (1/s) in theory of all waves of 8 to 64 cells, which are long enough for the grid; at
   least 1e-30. */
static double fastest_growth(const stream *s) {
    double fastest = 1e-30;
    for (int cells = 8; cells <= CELLS; cells *= 2)
        fastest = fmax(fastest, creal(growth_of(s, 2.0 * PI / (cells * cell))));
    return fastest;
}

/* Runs a wave of `cells` cells until it has changed by exp(spans) in theory, but at most until 400 crests have passed
   or waves that start from rounding have grown by exp(5): shorter waves grow faster and would soon dominate. At least
   three crests pass in any case. *theory: the theoretical growth rate (1/s). */
static outcome run_wave(const stream *s, int cells, double spans, double *theory) {
    enum { CALLS = 50 };
    const double k = 2.0 * PI / (cells * cell);
    const double complex growth = growth_of(s, k);
    *theory = creal(growth);
    rn_world *world = wavy_world(s, k, growth);
    const double crest = cells * cell / (3.0 * s->speed), longest = fmin(400.0 * crest, 5.0 / fastest_growth(s)),
                 seconds = fmax(fmin(spans / fabs(*theory), longest), 3.0 * crest);
    const double start = wave_height(world, k);
    for (int i = 0; i < CALLS; i++) rn_world_step(world, 0.5 * seconds / CALLS);
    const double then = wave_height(world, k);
    for (int i = 0; i < CALLS; i++) rn_world_step(world, 0.5 * seconds / CALLS);
    const double now = wave_height(world, k), rounding = 8.0 * rn_world_describe(world).quantum;
    rn_world_destroy(world);
    const double left = fmax(now - rounding, 0.0) / start;
    return (outcome){left, left > 0.0 ? log(now / then) / (0.5 * seconds) : 0.0};
}

/* Films of Froude numbers 0.36 to 0.42, on which waves decay to exp(-3) in theory. measured[0]: the largest share of a
   wave of 2 to 64 cells that is left. */
void case_roll_decay(double measured[MOST_MEASURES]) {
    const stream streams[] = {make_stream(30.0, 4e-5, 1e-3), make_stream(5.0, 4e-6, 0.7e-3),
                              make_stream(10.0, 4e-6, 0.4e-3), make_stream(60.0, 4e-5, 1.1e-3)};
    measured[0] = 0.0;
    for (int i = 0; i < 4; i++)
        for (int cells = 2; cells <= CELLS; cells *= 2) {
            double theory;
            measured[0] = worse(measured[0], run_wave(&streams[i], cells, 3.0, &theory).left);
        }
}

/* Films of Froude numbers 0.6 to 4, on which waves grow by exp(2), to 4 % of the depth, in theory. measured[0]: the
   largest growth rate of waves of 8 to 64 cells, relative to theory; [1]: the largest share left of waves of 2 and 4
   cells, which are too short for the grid and must decay. */
void case_roll_growth(double measured[MOST_MEASURES]) {
    const stream streams[] = {make_stream(5.0, 4e-6, 1e-3),    make_stream(10.0, 4e-6, 1e-3),
                              make_stream(30.0, 4e-6, 0.3e-3), make_stream(30.0, 4e-6, 0.5e-3),
                              make_stream(30.0, 4e-6, 1e-3),   make_stream(60.0, 4e-6, 1e-3),
                              make_stream(80.0, 4e-6, 2e-3)};
    measured[0] = measured[1] = 0.0;
    for (int i = 0; i < 7; i++)
        for (int cells = 2; cells <= CELLS; cells *= 2) {
            double theory;
            const outcome found = run_wave(&streams[i], cells, 2.0, &theory);
            if (cells <= 4) measured[1] = worse(measured[1], found.left);
            else measured[0] = worse(measured[0], found.rate / theory);
        }
}
