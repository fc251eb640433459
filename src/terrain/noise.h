/* Gradient noise in space. */
#ifndef RN_TERRAIN_NOISE_H
#define RN_TERRAIN_NOISE_H

#include <runnel/base.h>

enum { RN_NOISE_OCTAVES = 8 };

/* Octaves of halving size and height, together within -1 to 1. */
typedef struct rn_noise {
    int octaves;
    double slope; /* 1/m, upper bound of its slope */
    struct {
        double height;
        double frequency; /* 1/m */
        double offset;
        uint32_t seed;
    } octave[RN_NOISE_OCTAVES];
} rn_noise;

/* Sets up noise whose largest features have this wavelength (m, more than 0; not checked). Returns false, with an error
   text, unless there are 1 to RN_NOISE_OCTAVES octaves. */
bool rn_noise_set(rn_noise *noise, double wavelength, int octaves, uint32_t seed);
/* The noise at a point (m), -1 to 1; the same bits on every machine. */
double rn_noise_at(const rn_noise *noise, rn_vec3 at);

#endif
