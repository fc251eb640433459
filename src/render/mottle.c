/* Random variations of lightness (mottle.h). */
#include "render/mottle.h"

#include <math.h>
#include <stdint.h>

/* A random number in [0, 1) for each point of the lattice, always the same. */
static float random_corner(int32_t x, int32_t y, int32_t z) {
    uint32_t h = (uint32_t)x * 0x8da6b343u ^ (uint32_t)y * 0xd8163841u ^ (uint32_t)z * 0xcb1ab31fu;
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    h = (h ^ h >> 12) * 0x297a2d39u;
    return (float)(h >> 8) / 16777216.0f;
}

/* The value at (x, y, z), in steps of a lattice with random values at its corners, smoothly interpolated; 0 to 1. */
static float smooth_spots(float x, float y, float z) {
    const float p[3] = {x, y, z};
    int32_t at[3];
    float part[3], sum = 0;
    for (int i = 0; i < 3; i++) {
        const float whole = floorf(p[i]), t = p[i] - whole;
        at[i] = (int32_t)whole;
        part[i] = t * t * (3 - 2 * t);
    }
    for (int i = 0; i < 8; i++)
        sum += random_corner(at[0] + (i & 1), at[1] + (i >> 1 & 1), at[2] + (i >> 2)) *
               (i & 1 ? part[0] : 1 - part[0]) * (i & 2 ? part[1] : 1 - part[1]) * (i & 4 ? part[2] : 1 - part[2]);
    return sum;
}

float rn_mottle(const float position[3], float per_metre) {
    float sum = 0, share = 0.5f, scale = per_metre;
    for (int octave = 0; octave < 4; octave++) {
        sum += share * smooth_spots(position[0] * scale, position[1] * scale + 17.3f, position[2] * scale);
        share *= 0.6f;
        scale *= 2.17f;
    }
    return sum / 1.088f;
}
