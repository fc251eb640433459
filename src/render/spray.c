/* Finds how deep the vertices of a 3D liquid lie and where it is white (spray.h). */
#include "render/spray.h"

#include "base/memory.h"
#include "render/foam.h"
#include "render/optics.h"
#include "render/ripples.h"
#include "render/thickness.h"

#include <math.h>
#include <string.h>

enum { MOST_SQUARES = 2048 }; /* along a side */

/* Squares of a cell over the surface, or wider ones over a very wide surface. */
typedef struct squares {
    float low[2]; /* m */
    float cell;   /* m */
    size_t along_x, along_y;
} squares;

/* Sets the squares that cover all vertices of a surface. Without a cell, there are about 200 along the longer side.
   Returns false if the box around the surface is not finite. */
static bool find_squares(const rn_mesh *surface, float cell, squares *to) {
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t v = 0; v < surface->vertex_count; v++)
        for (size_t k = 0; k < 3; k++) {
            const float at = surface->positions[3 * v + k];
            if (!isfinite(at)) return false;
            low[k] = fminf(low[k], at);
            high[k] = fmaxf(high[k], at);
        }
    const float x = high[0] - low[0], y = high[1] - low[1], wide = fmaxf(x, y);
    if (!isfinite(wide) || !isfinite(high[2] - low[2])) return false;
    if (!(cell > 0)) cell = wide / 200;
    cell = fmaxf(cell, wide / (MOST_SQUARES - 1));
    if (!(cell > 0)) cell = 1;
    *to = (squares){{low[0], low[1]}, cell, (size_t)(x / cell) + 1, (size_t)(y / cell) + 1};
    return true;
}

/* The number of the square that contains a position. */
static size_t square_of(const squares *s, const float *position) {
    const size_t x = (size_t)((position[0] - s->low[0]) / s->cell), y = (size_t)((position[1] - s->low[1]) / s->cell);
    return (y < s->along_y ? y : s->along_y - 1) * s->along_x + (x < s->along_x ? x : s->along_x - 1);
}

rn_result rn_spray_above(const rn_mesh *surface, float cell, float sheer, float *above) {
    squares s;
    if (!surface->vertex_count) return RN_OK;
    if (!find_squares(surface, cell, &s)) {
        memset(above, 0, surface->vertex_count * sizeof *above);
        return RN_OK;
    }
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
    const float scale = sqrtf(fmaxf(cell, 0) / 9.81f);
    for (size_t v = 0; v < count && surface->velocities; v++) {
        const float *u = surface->velocities + 3 * v;
        const float fast = rn_foam_air(sqrtf(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]));
        const float thick = surface->opacity && sheer > 0 ? surface->opacity[v] / sheer : INFINITY;
        const float thin = 1 - rn_smooth_step(1, 3, thick);
        white[v] = fast * fmaxf(rn_smooth_step(0.3f, 1.5f, white[v] * scale), 0.45f * thin);
    }
    return rn_thickness_smooth(surface, white);
}
