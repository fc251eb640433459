/* How falling drops are drawn longer, as on a photograph: those of jets and those of 3D liquids alike. */
#ifndef RN_KERNELS_STREAK_H
#define RN_KERNELS_STREAK_H

#include "base/inline.h"

/* By what share a drop is longer because it moves while one looks, for 3 ms; at most 0.6. speed: m/s, radius: m. */
RN_SCALAR float rn_drop_streak(float speed, float radius) {
    const float moved = 0.003f * speed / (radius > 1e-6f ? radius : 1e-6f);
    return moved < 0.6f ? moved : 0.6f;
}

#endif
