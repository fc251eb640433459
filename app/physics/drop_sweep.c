/* Cases of `runnel validate` that place drops in many ways (docs/contact.md): on cells of three sizes, with middles
   anywhere in a cell, round and elongated, with and without hysteresis; and on inclines in several directions. Short
   forms take a sample; with RUNNEL_LONG set all of them run. */
#include "physics/plates.h"

#include <math.h>
#include <stdlib.h>

enum { SIZES = 8, ANGLES = 4, STARTS = 6, HYSTERESES = 3, ALL = SIZES * ANGLES * STARTS * HYSTERESES };
enum { SAMPLE = 11 }; /* the short form takes every so many; it has no divisor in common with the counts above */

/* Volumes (m³) on cells (m) that resolve them and do not take too long. */
static const struct {
    double volume, cell;
} sizes[SIZES] = {{0.05e-6, 0.25e-3}, {0.05e-6, 0.5e-3}, {0.2e-6, 0.25e-3}, {0.2e-6, 0.5e-3},
                  {0.2e-6, 1e-3},     {1e-6, 0.5e-3},    {1e-6, 1e-3},      {5e-6, 1e-3}};
static const double angles[ANGLES] = {30, 60, 90, 110};
static const double recedes[HYSTERESES] = {1.0, 0.85, 0.55}; /* receding angle over the advancing one */
/* Where the middle of a cylinder is within a cell, how long it is over its width, and its direction (degrees). */
static const struct {
    double x, y, stretch, direction;
} starts[STARTS] = {{0.0, 0.0, 1.0, 0.0}, {0.5, 0.5, 1.0, 0.0}, {0.5, 0.0, 1.0, 0.0},
                    {0.3, 0.7, 1.0, 0.0}, {0.0, 0.0, 2.0, 0.0}, {0.3, 0.7, 2.0, 30.0}};

/* Returns drop `i` of all. */
static drop drop_of(int i) {
    const int h = i % HYSTERESES, s = i / HYSTERESES % STARTS;
    const int a = i / HYSTERESES / STARTS % ANGLES, size = i / HYSTERESES / STARTS / ANGLES;
    return (drop){.cell = sizes[size].cell,
                  .volume = sizes[size].volume,
                  .advancing = angles[a],
                  .receding = angles[a] * recedes[h],
                  .viscosity = 1e-6,
                  .seconds = 12.0,
                  .off_x = starts[s].x,
                  .off_y = starts[s].y,
                  .stretch = starts[s].stretch,
                  .direction = starts[s].direction * DEGREE};
}

/* The drops that run: every `stride`-th of all. */
typedef struct sweep {
    int stride;
    drop_result found[ALL];
} sweep;

/* Settles drop `i` of the sweep `context` and stores its result. Called in parallel. */
static void settle_placed(void *context, int i) {
    sweep *s = context;
    const drop d = drop_of(i * s->stride);
    s->found[i] = settle_drop(&d);
}

/* Returns whether a drop must become round: elongated drops with hysteresis need not, because their edges may stay
   where they are. */
static bool becomes_round(const drop *d) { return d->stretch <= 1.0 || d->receding == d->advancing; }

/* Drops of water of 0.05 to 5 ml start at various positions within a cell, round or twice as long as wide, with and
   without hysteresis. Counts of drops: measured[0]: heights more than 8 % outside the range that Young and Laplace give
   between the receding and the advancing angle; [1]: contact angle up to 90 degrees, and not round (radii differ by
   more than 4 % between the axes and diagonals of the grid, or by more than 6 % between the smallest and the largest)
   or moved by more than a cell; [2]: still moving after 12 s; [3]: as [1], with a contact angle of 110 degrees. Runs 53
   drops, or 576 if RUNNEL_LONG is set. */
void case_drop_sweep(double measured[MOST_MEASURES]) {
    static sweep s;
    s.stride = getenv("RUNNEL_LONG") ? 1 : SAMPLE;
    const int count = (ALL + s.stride - 1) / s.stride;
    side_by_side(count, settle_placed, &s);
    measured[0] = measured[1] = measured[2] = measured[3] = 0.0;
    for (int i = 0; i < count; i++) {
        const drop d = drop_of(i * s.stride);
        const drop_result *found = &s.found[i];
        measured[0] += !(height_error(&d, found->height) <= 8.0);
        const bool round = fabs(found->uneven - 1.0) <= 0.04 && found->ragged >= 0.94 && found->moved <= 1.0;
        measured[d.advancing > 90.0 ? 3 : 1] += becomes_round(&d) && !round;
        measured[2] += found->rests == INFINITY;
    }
}
