/* How a surface passes through a cube whose corners are solid or open: the table of marching cubes (Lorensen & Cline
   1987), computed instead of written out.

   Corner c of a cube lies at (c & 1, c >> 1 & 1, c >> 2). Edge 4 a + u + 2 v runs along axis a, from the corner with
   0 on a, u on the next axis and v on the one after it. A face with solid at two opposite corners is ambiguous: its
   solid is either joined across the face or separated. Both cubes that share a face must decide the same: then every
   segment on a face is an edge of one polygon on either side, and there are no cracks. */
#ifndef RN_TERRAIN_CUBES_H
#define RN_TERRAIN_CUBES_H

#include <stdbool.h>
#include <stdint.h>

enum { RN_CUBE_CENTRE = 12 };

/* The polygons in which a surface meets the edges of a cube, counter-clockwise seen from the solid; and their
   triangles, counter-clockwise seen from the open side. */
typedef struct rn_cube {
    uint8_t loops;          /* at most 4 */
    uint8_t ends[4];        /* loop l has the edges from ends[l - 1], or 0, up to ends[l] - 1 */
    uint8_t edges[12];      /* loop after loop */
    uint8_t centred;        /* 1 + the loop whose triangles meet in a point at its centre; 0: none */
    uint8_t triangles;      /* at most 12 */
    uint8_t corners[12][3]; /* of each triangle: indices into `edges`, or RN_CUBE_CENTRE */
} rn_cube;

/* The cubes for all signs, and for all decisions about their ambiguous faces. */
typedef struct rn_cubes {
    uint16_t first[256];    /* index into `all` for the signs of the corners as bits, 1 is solid */
    uint8_t ambiguous[256]; /* by the same signs; bit 2 * axis + side: that face is ambiguous */
    rn_cube all[1024];
    int count;
} rn_cubes;

/* Computes the whole table. Allocates no memory. */
void rn_cubes_make(rn_cubes *cubes);

/* The cube for the values at its eight corners, solid where a value is 0 or less, none NAN; without loops if all are on
   one side. It lives in the table. */
const rn_cube *rn_cubes_find(const rn_cubes *cubes, const float values[8]);

/* The axis of an edge. */
static inline int rn_edge_axis(int edge) { return edge >> 2; }
/* The corner at which an edge begins, which is the lower one. */
static inline int rn_edge_corner(int edge) {
    const int axis = edge >> 2, next = axis == 2 ? 0 : axis + 1, last = next == 2 ? 0 : next + 1;
    return (edge & 1) << next | (edge >> 1 & 1) << last;
}

/* Writes the four corners of the face across `axis` at its low (0) or high (1) side, counter-clockwise seen from
   outside the cube. */
void rn_face_corners(int axis, int side, int corners[4]);

#endif
