/* The land around the ground outdoors: a mesh of rings that begin at the heights of the ground along the edge of the
   domain, and end in gentle hills at the horizon. */
#ifndef RN_RENDER_LAND_H
#define RN_RENDER_LAND_H

#include <runnel/surface.h>

enum {
    RN_LAND_SIDE = 128,                /* points along each side of the domain */
    RN_LAND_POINTS = 4 * RN_LAND_SIDE, /* of a ring, from the south-western corner on, counter-clockwise */
    RN_LAND_RINGS = 29,
    RN_LAND_EDGE = 2, /* the ring along the edge of the domain */
};

/* One row of points per ring, the innermost first. All 0: none. */
typedef struct rn_land {
    float low[2], high[2]; /* m, corners of the domain */
    float inset;           /* m, about a cell: how far inside the domain the land begins */
    float *positions, *normals;
    uint32_t *indices; /* three per triangle, counter-clockwise seen from above */
    size_t index_count;
} rn_land;

/* Makes the land around a ground, whose box has these corners (m); frees the old one. Returns RN_MEMORY, with a message
   and without any land, if memory runs out. */
rn_result rn_land_make(const rn_mesh *ground, const float low[3], const float high[3], rn_land *land);
/* Frees the arrays and sets everything to 0. */
void rn_land_free(rn_land *land);
/* The position along a ring, 0 to RN_LAND_POINTS, of a point (m) on the edge of the domain; -1: it is not on the edge.
 */
float rn_land_along(const rn_land *land, const float point[3]);
/* The point (m) of a ring at such a position. */
void rn_land_point(const rn_land *land, int ring, float along, float point[3]);

#endif
