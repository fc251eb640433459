/* The smallest and largest value of each number in a definition. The functions that take definitions and the tables
   of the scene format (src/io/scene) both use them. Where scenes have narrower bounds on purpose, such as for the
   drag of bodies, the tables state them. */
#ifndef RN_WORLD_LIMITS_H
#define RN_WORLD_LIMITS_H

#include <stdbool.h>

/* Whether a value lies from low to high, both included; false also for NaN. Use as rn_within(x, RN_LIMIT_...). */
static inline bool rn_within(double value, double low, double high) { return value >= low && value <= high; }

#define RN_LIMIT_VISCOSITY  0.0, 1e6    /* m^2/s */
#define RN_LIMIT_GRAVITY    -1e4, 1e4   /* m/s^2, along each axis, */
#define RN_LIMIT_DOWN       -1e4, -1e-4 /* and along z */
#define RN_LIMIT_FRICTION   0.0, 1.0    /* and above 0 */
#define RN_LIMIT_MANNING    0.0, 10.0   /* s/m^(1/3) */
#define RN_LIMIT_CHEZY      0.1, 1e6    /* m^(1/2)/s */
#define RN_LIMIT_ANGLE      0.0, 180.0  /* degrees, contact angles */
#define RN_LIMIT_DROP       -1e6, 1e6   /* m */
#define RN_LIMIT_COURANT    0.1, 100.0  /* multiples of the explicit substep */
#define RN_LIMIT_ITERATIONS 1, 100000   /* of a linear solve */
#define RN_LIMIT_SUBSTEPS   0, 1000000  /* of a frame; 0: as many as needed */
#define RN_LIMIT_GIVE_BACK  0.0, 3600.0 /* s */
#define RN_LIMIT_STIR       0.0, 1.0    /* m/m */
#define RN_LIMIT_DIG        0.0, 1e9    /* m */
#define RN_LIMIT_RATE       0.0, 1e12   /* m^3/s of a source, m/s of rain and losses */
#define RN_LIMIT_LEVEL      -1e9, 1e9   /* m, of a source or a fill */
#define RN_LIMIT_RADIUS     0.0, 1e9    /* m, of a source */
#define RN_LIMIT_FORCE      -1e6, 1e6   /* m/s^2, and m^2/s^2 of stress */
#define RN_LIMIT_RESISTANCE 0.0, 1e15   /* s/m^2 */

#endif
