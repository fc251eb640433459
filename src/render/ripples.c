/* Random detail, and where liquid churns (ripples.h). */
#include "render/ripples.h"

#include <math.h>
#include <string.h>

enum { WAVES = 40 };

/* A random number in [0, 1) for each n, always the same. */
static float random_number(uint32_t n) {
    n = (n ^ n >> 16) * 0x7feb352du;
    n = (n ^ n >> 15) * 0x846ca68bu;
    return (float)((n ^ n >> 16) >> 8) / 16777216.0f;
}

/* ---- Small waves ------------------------------------------------------------------------------------------------- */

typedef struct wave {
    float x, y, phase, steep; /* periods along each side, phase, and share of the slope */
} wave;

/* Writes waves of random sizes and directions, each a whole number of periods along a side, so that they repeat. */
static void make_waves(wave waves[WAVES]) {
    for (uint32_t i = 0; i < WAVES; i++) {
        const float size = 3.0f + 19.0f * random_number(4 * i) * random_number(4 * i + 1),
                    turn = 6.2831853f * random_number(4 * i + 2);
        wave *w = &waves[i];
        *w = (wave){rintf(size * cosf(turn)), rintf(size * sinf(turn)), 6.2831853f * random_number(4 * i + 3), 0};
        w->steep = 1.0f / sqrtf(fmaxf(w->x * w->x + w->y * w->y, 1.0f) * (float)WAVES);
    }
}

/* Writes the slope of all waves at a position (in sides, 0 to 1) to the first two bytes of a texel: along x and y,
   127.5 for none, clamped. */
static void put_slopes(uint8_t texel[4], const wave waves[WAVES], float x, float y) {
    float slope[2] = {0, 0};
    for (int i = 0; i < WAVES; i++) {
        const wave *w = &waves[i];
        const float c = w->steep * cosf(6.2831853f * (w->x * x + w->y * y) + w->phase);
        slope[0] += w->x * c;
        slope[1] += w->y * c;
    }
    for (int k = 0; k < 2; k++) texel[k] = (uint8_t)fminf(fmaxf(127.5f + 56.0f * slope[k] + 0.5f, 0.0f), 255.0f);
}

/* ---- Spots ------------------------------------------------------------------------------------------------------- */

/* Value noise: the value, 0 to 1, at (x, y), in sides from 0 to 1, of a grid of `squares` along a side with random
   values at its corners, smoothly interpolated. Opposite sides match, so that it tiles. */
static float smooth_spots(float x, float y, int squares, uint32_t seed) {
    const float p[2] = {x * (float)squares, y * (float)squares};
    float part[2], sum = 0;
    int at[2];
    for (int k = 0; k < 2; k++) {
        at[k] = (int)p[k];
        const float t = p[k] - (float)at[k];
        part[k] = t * t * t * (t * (6 * t - 15) + 10);
    }
    for (int i = 0; i < 4; i++) {
        const int cx = (at[0] + (i & 1)) % squares, cy = (at[1] + (i >> 1)) % squares;
        sum += random_number(seed + (uint32_t)(cy * squares + cx)) * (i & 1 ? part[0] : 1 - part[0]) *
               (i & 2 ? part[1] : 1 - part[1]);
    }
    return sum;
}

/* The weighted mean, 0 to 1, of four octaves of smooth_spots at (x, y), which are in sides from 0 to 1. The coarsest
   has `squares` along a side; each finer one has twice as many, and 0.6 of the weight. With `ridged`, middle values
   become the highest, which makes a web. */
static float layered_spots(float x, float y, int squares, uint32_t seed, bool ridged) {
    float sum = 0, share = 0.5f, all = 0;
    for (int octave = 0; octave < 4; octave++) {
        const float s = smooth_spots(x, y, squares, seed + 100000u * (uint32_t)octave);
        sum += share * (ridged ? 1.0f - fabsf(2.0f * s - 1.0f) : s);
        all += share;
        share *= 0.6f;
        squares *= 2;
    }
    return sum / all;
}

/* A byte for a value from 0 to 1; others are clamped. */
static uint8_t byte_of(float x) { return (uint8_t)(255.0f * fminf(fmaxf(x, 0.0f), 1.0f) + 0.5f); }

void rn_ripples_make(uint8_t (*texels)[4]) {
    wave waves[WAVES];
    make_waves(waves);
    for (int y = 0; y < RN_RIPPLES_SIDE; y++)
        for (int x = 0; x < RN_RIPPLES_SIDE; x++) {
            const float u = (float)x / RN_RIPPLES_SIDE, v = (float)y / RN_RIPPLES_SIDE;
            uint8_t *texel = texels[y * RN_RIPPLES_SIDE + x];
            put_slopes(texel, waves, u, v);
            texel[2] = byte_of(layered_spots(u, v, 10, 1000u, true));
            texel[3] = byte_of(layered_spots(u, v, 8, 5000u, false));
        }
}

/* ---- Churning ---------------------------------------------------------------------------------------------------- */

/* How much the horizontal velocity varies within a triangle: the norm of the gradient (1/s), seen from above; 0 for a
   vertical triangle. Sets *size to twice the area (m^2) seen from above. The mesh must have velocities. */
static float velocity_gradient(const rn_mesh *m, const uint32_t corners[3], float *size) {
    float side[2][2], change[2][2];
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < 2; k++) {
            const size_t from = 3 * (size_t)corners[0] + k, to = 3 * (size_t)corners[i + 1] + k;
            side[i][k] = m->positions[to] - m->positions[from];
            change[i][k] = m->velocities[to] - m->velocities[from];
        }
    const float twice = side[0][0] * side[1][1] - side[0][1] * side[1][0];
    float sum = 0;
    *size = fabsf(twice);
    for (int k = 0; k < 2 && *size > 0; k++) {
        const float x = (change[0][k] * side[1][1] - change[1][k] * side[0][1]) / twice;
        const float y = (change[1][k] * side[0][0] - change[0][k] * side[1][0]) / twice;
        sum += x * x + y * y;
    }
    return sqrtf(sum);
}

/* Sets `to` of each vertex to the mean over the triangles around it, weighted by area seen from above: of their
   velocity gradient (1/s) if `had` is NULL, otherwise of the values `had` of their corners. Vertices without triangles,
   or with vertical ones only, get 0. The mesh must have velocities in both cases. `sizes` is scratch, one per
   vertex. */
static void mean_around(const rn_mesh *m, const float *had, float *to, float *sizes) {
    memset(to, 0, m->vertex_count * sizeof *to);
    memset(sizes, 0, m->vertex_count * sizeof *sizes);
    for (size_t t = 0; t < m->triangle_count; t++) {
        const uint32_t *c = m->indices + 3 * t;
        float size, value = velocity_gradient(m, c, &size);
        if (had) value = (had[c[0]] + had[c[1]] + had[c[2]]) / 3;
        for (int i = 0; i < 3; i++) {
            to[c[i]] += value * size;
            sizes[c[i]] += size;
        }
    }
    for (size_t v = 0; v < m->vertex_count; v++)
        if (sizes[v] > 0) to[v] /= sizes[v];
}

void rn_churn_find(const rn_mesh *surface, float *churn, float *room) {
    float *sizes = room, *other = room + surface->vertex_count;
    memset(churn, 0, surface->vertex_count * sizeof *churn);
    if (!surface->velocities) return;
    mean_around(surface, NULL, churn, sizes);
    mean_around(surface, churn, other, sizes);
    mean_around(surface, other, churn, sizes);
}
