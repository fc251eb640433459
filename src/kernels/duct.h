/* The maths of a duct: a pipe that is full up to its ceiling, so that liquid moves through it as through a slot. Its
   ends have heads: what a gauge pipe through the ceiling would show, and at a free surface simply the level.
   docs/passages.md derives every line. */
#ifndef RN_KERNELS_DUCT_H
#define RN_KERNELS_DUCT_H

#include "kernels/pipe.h"

/* The new flux is kept*f + gain*(difference of heads). */
typedef struct rn_drive {
    float kept; /* share of the old flux */
    float gain; /* m^2/s */
} rn_drive;

/* Friction, and viscosity between floor and ceiling: 12 nu/H^2, four times that under a free surface. `e` is 1 + S^2
   for a duct that leads uphill with slope S: longer and lower than it looks from above. */
static inline rn_drive rn_duct_drive(const rn_law *law, float H, float e, float kappa) {
    const float drag = 1.0f + law->dt * (kappa + 4.0f * law->nu3 * e / (H * H));
    return (rn_drive){1.0f / drag, law->dt * law->gravity * H / (e * drag)};
}

/* Dagenais 2018, Eq. 8: as if all columns of the passage lay one cell apart. */
static inline rn_drive rn_duct_paper(const rn_law *law, float H) {
    const float slowed = H * H / (H * H + law->dt * law->nu3);
    return (rn_drive){law->kept * slowed, law->dt * law->gravity * law->cell * slowed};
}

/* Whole quanta that a flux moves in a substep. */
static inline float rn_duct_quanta(const rn_law *law, float f, bool sleeps) {
    const float v = f * (law->dt / (law->cell * law->cell)), count = fabsf(v) * law->per_quantum;
    const float whole = truncf(fminf(count + (sleeps ? 0.0f : law->dither), RN_MOST));
    return v < 0.0f ? -whole : whole;
}

#endif
