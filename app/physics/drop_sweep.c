/* Cases of `runnel validate` that place drops in many ways (docs/contact.md): on cells of three sizes, with middles
   anywhere in a cell, round and elongated, with and without hysteresis; and on inclines in several directions. Short
   forms take a sample; with RUNNEL_LONG set all of them run. */
#include "physics/plates.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { VOLUMES = 4, ANGLES = 4, CELLS = 3, STARTS = 6, HYSTERESES = 3 };
enum { ALL = VOLUMES * ANGLES * CELLS * STARTS * HYSTERESES };

static const double volumes[VOLUMES] = {0.05e-6, 0.2e-6, 1e-6, 5e-6}, angles[ANGLES] = {30, 60, 90, 110};
static const double cells[CELLS] = {0.25e-3, 0.5e-3, 1e-3};
static const double recedes[HYSTERESES] = {1.0, 0.85, 0.55}; /* receding angle over the advancing one */
/* Where the middle of a cylinder is within a cell, how long it is over its width, and its direction (degrees). */
static const struct {
    double x, y, stretch, direction;
} starts[STARTS] = {{0.0, 0.0, 1.0, 0.0}, {0.5, 0.5, 1.0, 0.0}, {0.5, 0.0, 1.0, 0.0},
                    {0.3, 0.7, 1.0, 0.0}, {0.0, 0.0, 2.0, 0.0}, {0.3, 0.7, 2.0, 30.0}};

/* Returns drop `i` of all. */
static drop drop_of(int i) {
    const int h = i % HYSTERESES, s = i / HYSTERESES % STARTS, c = i / HYSTERESES / STARTS % CELLS;
    const int a = i / HYSTERESES / STARTS / CELLS % ANGLES, v = i / HYSTERESES / STARTS / CELLS / ANGLES;
    return (drop){.cell = cells[c],
                  .volume = volumes[v],
                  .advancing = angles[a],
                  .receding = angles[a] * recedes[h],
                  .viscosity = 1e-6,
                  .seconds = 10.0,
                  .off_x = starts[s].x,
                  .off_y = starts[s].y,
                  .stretch = starts[s].stretch,
                  .direction = starts[s].direction * DEGREE};
}

/* Settles drop `i` of the sample and stores its result in entry `i` of the array `context`. Called in parallel. */
typedef struct sweep {
    int stride; /* every so many of all drops */
    drop_result found[ALL];
} sweep;
static void settle_placed(void *context, int i) {
    sweep *s = context;
    const drop d = drop_of(i * s->stride);
    s->found[i] = settle_drop(&d);
}

void case_drop_placed(double measured[MOST_MEASURES]) {
    static sweep s;
    s.stride = 7;
    side_by_side(ALL / s.stride, settle_placed, &s);
    measured[0] = measured[1] = measured[2] = measured[3] = 0.0;
    for (int i = 0; i < ALL / s.stride; i++) {
        const drop d = drop_of(i * s.stride);
        measured[0] = worse(measured[0], height_error(&d, s.found[i].height));
    }
}
