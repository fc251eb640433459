/* Finds how deep the vertices of a 3D liquid lie and where it is white (spray.h). */
#include "render/spray.h"

#include "base/memory.h"
#include "render/foam.h"
#include "render/optics.h"
#include "render/ripples.h"
#include "render/thickness.h"

#include <math.h>

/* Squares of a cell over the surface. */
typedef struct squares {
    float low[2]; /* m */
    float cell;   /* m */
    size_t along_x, along_y;
} squares;

/* The squares that cover all vertices of a surface. */
static squares squares_over(const rn_mesh *surface, float cell) {
    float low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (size_t v = 0; v < surface->vertex_count; v++)
        for (size_t k = 0; k < 2; k++) {
            low[k] = fminf(low[k], surface->positions[3 * v + k]);
            high[k] = fmaxf(high[k], surface->positions[3 * v + k]);
        }
    return (squares){
        {low[0], low[1]}, cell, (size_t)((high[0] - low[0]) / cell) + 1, (size_t)((high[1] - low[1]) / cell) + 1};
}

/* The number of the square that contains a position. */
static size_t square_of(const squares *s, const float *position) {
    const size_t x = (size_t)((position[0] - s->low[0]) / s->cell), y = (size_t)((position[1] - s->low[1]) / s->cell);
    return (y < s->along_y ? y : s->along_y - 1) * s->along_x + (x < s->along_x ? x : s->along_x - 1);
}

rn_result rn_spray_above(const rn_mesh *surface, float cell, float sheer, float *above) {
    if (!surface->vertex_count) return RN_OK;
    const squares s = squares_over(surface, cell);
    float *tops = rn_alloc(NULL, s.along_x * s.along_y, sizeof *tops); /* m */
    if (!tops) return RN_MEMORY;
    for (size_t i = 0; i < s.along_x * s.along_y; i++) tops[i] = -INFINITY;
    for (size_t v = 0; v < surface->vertex_count; v++) {
        if (surface->opacity && surface->opacity[v] < sheer) continue;
        float *top = &tops[square_of(&s, surface->positions + 3 * v)];
        *top = fmaxf(*top, surface->positions[3 * v + 2]);
    }
    for (size_t v = 0; v < surface->vertex_count; v++)
        above[v] = fmaxf(tops[square_of(&s, surface->positions + 3 * v)] - surface->positions[3 * v + 2], 0);
    rn_free(NULL, tops);
    return rn_thickness_smooth(surface, above);
}

rn_result rn_spray_white(const rn_mesh *surface, float cell, float sheer, float *white) {
    const size_t count = surface->vertex_count;
    float *room = rn_alloc(NULL, count, 2 * sizeof *room);
    if (!room) return RN_MEMORY;
    rn_churn_find(surface, white, room);
    rn_free(NULL, room);
    const float scale = sqrtf(cell / 9.81f);
    for (size_t v = 0; v < count && surface->velocities; v++) {
        const float *u = surface->velocities + 3 * v;
        const float fast = rn_foam_air(sqrtf(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]));
        const float thick = surface->opacity ? surface->opacity[v] / sheer : INFINITY;
        const float thin = 1 - rn_smooth_step(1, 3, thick);
        white[v] = fast * fmaxf(rn_smooth_step(0.3f, 1.5f, white[v] * scale), 0.45f * thin);
    }
    return rn_thickness_smooth(surface, white);
}
