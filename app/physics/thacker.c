/* Cases of `runnel validate`: Thacker 1981, at the amplitudes of published cases. Water oscillates for five periods
   without friction in a parabolic canal (case_thacker_planar), where the surface stays a plane, and in a round bowl
   (case_thacker_radial), where it stays a paraboloid. */
#include "physics/physics.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

enum { PERIODS = 5, LOOKS = 100 /* in a period */ };

/* What is recorded: when an oscillating value falls through 0, and the error of the level in the middle. */
typedef struct swing {
    double period; /* s, in theory */
    double before; /* the value at the previous look */
    double crossing[PERIODS + 1];
    int crossings;
    double error; /* m, sum over all looks of the first five periods */
    int looks;
} swing;

/* Records look `number`, from 0: the oscillating value, and the error of the level in the middle (m), which counts only
   in the first five periods. */
static void record_look(swing *s, int number, double value, double error) {
    if (number > 0 && s->before > 0.0 && value <= 0.0 && s->crossings <= PERIODS)
        s->crossing[s->crossings++] = (number - value / (value - s->before)) * s->period / LOOKS;
    s->before = value;
    if (number > PERIODS * LOOKS) return;
    s->error += fabs(error);
    s->looks++;
}

/* Returns the error of the period (%), or NaN if there were too few crossings. */
static double period_error(const swing *s) {
    if (s->crossings <= PERIODS) return NAN;
    return percent((s->crossing[PERIODS] - s->crossing[0]) / PERIODS, s->period);
}

/* Steps the world by a hundredth of a period to the next look. Returns false, without a step, when the last crossing,
   which comes in the sixth period, has been seen, or after six periods. */
static bool step_to_next_look(rn_world *world, const swing *s, int number) {
    if (s->crossings > PERIODS && number >= PERIODS * LOOKS) return false;
    if (number >= (PERIODS + 1) * LOOKS) return false;
    rn_world_step(world, s->period / LOOKS);
    return true;
}

/* ---- The canal: bed D x^2/L^2, level D + 2 A D/L^2 cos(wt) (x - A/2 cos(wt)), w = sqrt(2 g D)/L ------------------ */

enum { CANAL = 400 };
static const double canal_width = 32.0, D = 4.0, L = 10.0, A = 2.0; /* m */

/* Returns the exact level at x (m from the middle) and at this phase (rad), above the lowest point of the bed (m). */
static double canal_level(double x, double phase) {
    return D + 2.0 * A * D / (L * L) * cos(phase) * (x - 0.5 * A * cos(phase));
}

/* Returns x of the middle of cell i (m from the middle of the canal). */
static double canal_place(int i) { return (i + 0.5) * canal_width / CANAL - 0.5 * canal_width; }

/* Returns x of the centre of mass of the water (m from the middle of the canal). */
static double centre_of_mass(rn_world *world) {
    double moment = 0.0, mass = 0.0;
    for (int i = 0; i < CANAL; i++) {
        moment += depth_at(world, i, 0) * canal_place(i);
        mass += depth_at(world, i, 0);
    }
    return moment / mass;
}

/* Water oscillates in a parabolic canal. Theory: period 2 pi L / sqrt(2 g D), and canal_level(). measured[0]: error of
   the period of the centre of mass (%); [1]: mean error of the level in the middle, in % of its range. */
void case_thacker_planar(double measured[MOST_MEASURES]) {
    double heights[CANAL], depth[CANAL];
    for (int i = 0; i < CANAL; i++) {
        heights[i] = D * canal_place(i) * canal_place(i) / (L * L);
        depth[i] = fmax(canal_level(canal_place(i), 0.0) - heights[i], 0.0);
    }
    rn_world *world =
        make_world(&(setup){.nx = CANAL, .ny = 1, .cell = canal_width / CANAL, .heights = heights, .lid = 12.0});
    set_depths(world, depth);
    swing s = {.period = 2.0 * PI * L / sqrt(2.0 * GRAVITY * D)};
    const int middle = CANAL / 2;
    for (int number = 0;; number++) {
        const double phase = 2.0 * PI * number / LOOKS;
        const double level = heights[middle] + 0.5 * (depth_at(world, middle, 0) + depth_at(world, middle - 1, 0));
        record_look(&s, number, centre_of_mass(world), level - canal_level(0.0, phase));
        if (!step_to_next_look(world, &s, number)) break;
    }
    measured[0] = period_error(&s);
    measured[1] = 100.0 * s.error / s.looks / (A * A * D / (L * L));
    rn_world_destroy(world);
}

/* ---- The bowl: bed D r^2/L^2, water initially within radius R, at its highest ------------------------------------ */

enum { BOWL = 170 };
static const double bowl_width = 6800.0, bowl_D = 1000.0, bowl_L = 2500.0, bowl_R = 2000.0; /* m */

/* Returns the exact level above the level at rest (m), at radius r (m) and this phase (rad). */
static double bowl_level(double r, double phase) {
    const double l4 = pow(bowl_L, 4.0), r4 = pow(bowl_R, 4.0), a = (l4 - r4) / (l4 + r4);
    const double swell = 1.0 - a * cos(phase), part = r / bowl_L;
    return bowl_D * (sqrt(1.0 - a * a) / swell - 1.0 - part * part * ((1.0 - a * a) / (swell * swell) - 1.0));
}

/* Creates the bowl with its initial water. Aborts if memory is lacking; the caller destroys the world. */
static rn_world *fill_bowl(void) {
    const double cell = bowl_width / BOWL, rim = 2600.0;
    double *heights = calloc((size_t)(BOWL * BOWL), sizeof *heights),
           *depth = calloc((size_t)(BOWL * BOWL), sizeof *depth);
    if (!heights || !depth) abort();
    for (int i = 0; i < BOWL * BOWL; i++) {
        const double r = hypot((i % BOWL + 0.5) * cell - 0.5 * bowl_width, (i / BOWL + 0.5) * cell - 0.5 * bowl_width);
        heights[i] = fmin(bowl_D * r * r / (bowl_L * bowl_L), rim);
        depth[i] = r < bowl_R ? fmax(bowl_D + bowl_level(r, 0.0) - heights[i], 0.0) : 0.0;
    }
    rn_world *world = make_world(&(setup){.nx = BOWL, .ny = BOWL, .cell = cell, .heights = heights, .lid = 3000.0});
    set_depths(world, depth);
    free(heights);
    free(depth);
    return world;
}

/* Water oscillates in a round bowl. Theory: period 2 pi L / sqrt(8 g D), and bowl_level(). measured[0]: error of the
   period of the level in the middle (%); [1]: mean error of that level, in % of its range. */
void case_thacker_radial(double measured[MOST_MEASURES]) {
    const double r = bowl_width / BOWL * sqrt(0.5),
                 bottom = bowl_D * r * r / (bowl_L * bowl_L); /* of the four middle cells */
    rn_world *world = fill_bowl();
    swing s = {.period = 2.0 * PI * bowl_L / sqrt(8.0 * GRAVITY * bowl_D)};
    const int m = BOWL / 2;
    for (int number = 0;; number++) {
        const double phase = 2.0 * PI * number / LOOKS;
        const double depth = 0.25 * (depth_at(world, m, m) + depth_at(world, m - 1, m) + depth_at(world, m, m - 1) +
                                     depth_at(world, m - 1, m - 1));
        const double level = depth + bottom - bowl_D;
        record_look(&s, number, level, level - bowl_level(r, phase));
        if (!step_to_next_look(world, &s, number)) break;
    }
    measured[0] = period_error(&s);
    measured[1] = 100.0 * s.error / s.looks / (bowl_level(0.0, 0.0) - bowl_level(0.0, PI));
    rn_world_destroy(world);
}
