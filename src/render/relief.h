/* The surface seen from above, the highest column of every cell, and the light on it. */
#ifndef RN_RENDER_RELIEF_H
#define RN_RENDER_RELIEF_H

#include "base/threads.h"

#include <runnel/surface.h>

/* The direction to the sun: from the north-west, tangent of its height above the horizon. */
#define RN_SUN_X   (-0.64f)
#define RN_SUN_Y   0.77f
#define RN_SUN_TAN 1.5f

typedef struct rn_relief {
    int nx, ny;      /* cells, merged if there are more than pixels; row 0 is south */
    double cell;     /* m */
    double deepest;  /* m */
    double typical;  /* m, mean depth weighted by volume; 0 if dry */
    double thinnest; /* m: thinner films do not count as wet, and are drawn as stains */

    /* One value per cell each. Heights are in m above the datum. */
    float *raw;             /* ground as it is */
    float *ground;          /* ground, a little smoothed */
    float *level;           /* continued beyond the shore */
    float *depth;           /* m above `thinnest`, negative where dry: its zero is the outline */
    float *colour;          /* m, depth continued beyond the outline, so that a thick edge looks thick */
    float *stain;           /* m, depth of films that do not count as wet, below `thinnest`; less than real for traces
                             */
    float *east, *north;    /* slope of the ground, not counting cliffs */
    float *film_x, *film_y; /* slope of the liquid's surface, also without cliffs, smoothed */
    float *middle;          /* middle height of the largest step of the ground within two cells */
    float *cliff;           /* 0..1: how much that step is a wall, not a slope */
    float *hole;            /* share of the cell that has no column at all */
    float *sun, *sky;       /* 0..1: share of each that reaches the surface */
    float *scratch;
} rn_relief;

/* Allocates a relief and fills it with the visible surface of these columns, which have the grid of the world; all but
   sun and sky. Cells are merged until there are at most most_x by most_y. The caller frees it with rn_relief_free.
   Returns RN_MEMORY, with a message, if memory runs out; then the relief needs no freeing. */
rn_result rn_relief_take(const rn_world *world, const rn_surface_columns *columns, int most_x, int most_y,
                         rn_pool *pool, rn_relief *relief);
/* Call it once, after rn_relief_take: sets sun and sky, and smooths them, the ground, its slopes and cliffs. columns:
   those given to rn_relief_take; bodies: their triangles (m), which cast shadows; may be empty. Returns RN_MEMORY, with
   a message, if memory runs out; then nothing is lit or smoothed. */
rn_result rn_relief_light(rn_relief *relief, const rn_surface_columns *columns, const rn_mesh *bodies, rn_pool *pool);
/* Frees all planes and sets everything to 0. */
void rn_relief_free(rn_relief *relief);

#endif
