/* Case adaptive_1d of `runnel validate`: how much of a wave is reflected where cells change from 1 m to 2 m (canal.h).
   Also train_create() and train_run(), which figures/packets.c uses too. */
#include "physics/adaptive.h"
#include "physics/physics.h"

#include <math.h>

#define PI 3.14159265358979323846

enum { FINE = 700, COARSE = 500 };

static const double train_length = 96.0, train_depth = 1.0; /* m */

/* Returns the height (m) of the train of waves at distance x (m) from its middle: a cosine of this length (m) under a
   Gaussian. */
static double train_height(double x, double wavelength) {
    return TRAIN_HEIGHT * exp(-x * x / (train_length * train_length)) * cos(2.0 * PI * x / wavelength);
}

canal train_create(canal_gradient by, double wavelength) {
    double sizes[FINE + COARSE];
    for (int i = 0; i < FINE + COARSE; i++) sizes[i] = i < FINE ? 1.0 : 2.0;
    canal c = canal_create(&(canal_def){
        .cells = FINE + COARSE, .sizes = sizes, .gravity = GRAVITY, .smoothing = 1.05, .packets = 2, .by = by});
    const double speed = sqrt(GRAVITY * train_depth), from = TRAIN_JUMP - 3.2 * train_length;
    for (int i = 0; i < c.def.cells; i++) {
        c.h[i] = train_depth + train_height(c.middle[i] - from, wavelength);
        c.u[i] =
            train_height(c.middle[i] - from - 0.125, wavelength) * speed / train_depth; /* half a step ahead of h */
    }
    return c;
}

void train_run(canal *c, double distance) {
    const double speed = sqrt(GRAVITY * train_depth), dt = 0.25 / speed;
    for (int k = 0; 0.25 * k < distance; k++) canal_step(c, dt);
}

/* Returns how much of a train of this wavelength (m) is reflected, in % of its height: when the train is in the coarse
   cells, what is left in the fine cells, more than 4 m from the jump, has come back. */
static double reflected_share(canal_gradient by, double wavelength) {
    canal c = train_create(by, wavelength);
    double back = 0.0;
    train_run(&c, TRAIN_CROSSED);
    for (int i = 0; c.middle[i] < TRAIN_JUMP - 4.0; i++) back = fmax(back, fabs(c.h[i] - train_depth));
    canal_free(&c);
    return 100.0 * back / TRAIN_HEIGHT;
}

/* Waves of 8, 16 and 32 coarse cells cross the jump; theory: nothing is reflected. measured[0]: the largest reflection
   with gradients from the sides (%); [1]: that of 16 coarse cells (%); [2], [3]: how many times as much the gradients
   of Losasso et al. 2004 and the paper's parabola reflect. */
void case_adaptive_1d(double measured[MOST_MEASURES]) {
    double parabola = 0.0, losasso = 0.0;
    measured[0] = 0.0;
    for (int k = 8; k <= 32; k *= 2) {
        measured[0] = worse(measured[0], reflected_share(CANAL_SIDES, 2.0 * k));
        parabola = worse(parabola, reflected_share(CANAL_PARABOLA, 2.0 * k));
        losasso = worse(losasso, reflected_share(CANAL_LOSASSO, 2.0 * k));
    }
    measured[1] = reflected_share(CANAL_SIDES, 2.0 * 16);
    measured[2] = losasso / measured[0];
    measured[3] = parabola / measured[0];
}
