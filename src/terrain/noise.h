/* Gradient noise in space. */
#ifndef RN_TERRAIN_NOISE_H
#define RN_TERRAIN_NOISE_H

#include <runnel/base.h>

enum { RN_NOISE_OCTAVES = 8 };

/* Octaves of halving size and height, -1 to 1 in all. */
typedef struct rn_noise {
    int octaves;
    double slope; /* 1/m, none is steeper */
    struct {
        double height;
        double frequency; /* 1/m */
        double offset;
        uint32_t seed;
    } octave[RN_NOISE_OCTAVES];
} rn_noise;

/* False, with an error text, if there are too few or too many octaves. */
bool rn_noise_set(rn_noise *noise, double wavelength, int octaves, uint32_t seed);
double rn_noise_at(const rn_noise *noise, rn_vec3 at);

#endif
