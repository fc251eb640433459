/* Turns values at cell centres into a smooth field at every pixel: cubic B-splines, first along x, then along y. */
#ifndef RN_RENDER_RESAMPLE_H
#define RN_RENDER_RESAMPLE_H

#include <stddef.h>

/* The four cells around a pixel and their weights for its value and for the slope there (per cell). */
typedef struct rn_taps {
    int cell[4];
    float share[4], slope[4];
} rn_taps;

/* The taps at the centre of pixel number `pixel`, of `pixels` along a side of the picture, which shows `cells` cells;
   beyond the ends the last cell is repeated. */
static inline rn_taps rn_taps_at(double pixel, int pixels, int cells) {
    double u = (pixel + 0.5) * cells / pixels + 0.5; /* shifted by one cell: truncation then rounds down */
    int first = (int)u - 2;
    float t = (float)(u - (int)u), r = 1 - t;
    rn_taps taps = {
        .share = {r * r * r / 6, (4 - 6 * t * t + 3 * t * t * t) / 6, (4 - 6 * r * r + 3 * r * r * r) / 6,
                  t * t * t / 6},
        .slope = {-r * r / 2, (3 * t - 4) * t / 2, (4 - 3 * r) * r / 2, t * t / 2},
    };
    for (int k = 0; k < 4; k++) {
        int cell = first + k;
        taps.cell[k] = cell < 0 ? 0 : cell >= cells ? cells - 1 : cell;
    }
    return taps;
}

/* Resamples the values of a row of cells to a row of `width` pixels, by `width` taps, one for each pixel. */
static inline void rn_resample_row(const float *cells, const rn_taps *taps, int width, float *pixels) {
    for (int x = 0; x < width; x++) {
        const rn_taps *tap = &taps[x];
        pixels[x] = tap->share[0] * cells[tap->cell[0]] + tap->share[1] * cells[tap->cell[1]] +
                    tap->share[2] * cells[tap->cell[2]] + tap->share[3] * cells[tap->cell[3]];
    }
}

/* Makes one line of the picture as a weighted sum of four rows from rn_resample_row. `rows` has all of them, `width`
   pixels each; `cell` has the numbers of the four, `share` their weights: rn_taps.share for values, rn_taps.slope for
   slopes. */
static inline void rn_resample_line(const float *rows, const int *cell, const float *share, int width,
                                    float *restrict line) {
    const float *r0 = rows + (size_t)cell[0] * (size_t)width, *r1 = rows + (size_t)cell[1] * (size_t)width;
    const float *r2 = rows + (size_t)cell[2] * (size_t)width, *r3 = rows + (size_t)cell[3] * (size_t)width;
    for (int x = 0; x < width; x++) line[x] = share[0] * r0[x] + share[1] * r1[x] + share[2] * r2[x] + share[3] * r3[x];
}

#endif
