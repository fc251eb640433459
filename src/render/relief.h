/* What is seen from above: the highest column of every cell, and the light that falls on it. */
#ifndef RN_RENDER_RELIEF_H
#define RN_RENDER_RELIEF_H

#include "base/threads.h"

#include <runnel/surface.h>

/* The direction to the sun: from the north-west, tangent of its height above the horizon. */
#define RN_SUN_X   (-0.64f)
#define RN_SUN_Y   0.77f
#define RN_SUN_TAN 1.5f

typedef struct rn_relief {
    int nx, ny;      /* cells, merged where there are more than pixels; row 0 is south */
    double cell;     /* m */
    double deepest;  /* m */
    double typical;  /* m, mean depth as a drop sees it; 0 if dry */
    double thinnest; /* m, below this a film does not count as wet: it is drawn as a stain */

    /* One value a cell each. Heights are in m above the datum. */
    float *raw;             /* ground as it is */
    float *ground;          /* ground, a little smoothed */
    float *level;           /* continued past the shore */
    float *depth;           /* m above `thinnest`, negative where dry: its zero is the outline */
    float *colour;          /* m, depth continued past the outline, so that an edge of some thickness is seen as such */
    float *stain;           /* m, depth where not wet, up to `thinnest` */
    float *east, *north;    /* slope of the ground, not counting cliffs */
    float *film_x, *film_y; /* slope of the surface of the liquid, likewise, smoothed */
    float *middle;          /* halfway up the highest step around */
    float *cliff;           /* 0..1: whether a wall stands between the two */
    float *hole;            /* 1 where there is no column at all */
    float *sun, *sky;       /* 0..1: share of each that reaches the surface */
    float *scratch;
} rn_relief;

/* Takes the visible surface of these columns of the world. Cells are merged until at most most_x by most_y are left. */
rn_result rn_relief_take(const rn_world *world, const rn_surface_columns *columns, int most_x, int most_y,
                         rn_pool *pool, rn_relief *relief);
/* Then lights it. bodies: their triangles (m), whose shadows fall on it; may have none. */
rn_result rn_relief_light(rn_relief *relief, const rn_surface_columns *columns, const rn_mesh *bodies, rn_pool *pool);
void rn_relief_free(rn_relief *relief);

#endif
