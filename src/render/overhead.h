/* A mesh seen from straight above: which triangle is on top, and how high. */
#ifndef RN_RENDER_OVERHEAD_H
#define RN_RENDER_OVERHEAD_H

#include <runnel/surface.h>

#define RN_NO_TRIANGLE UINT32_MAX

/* Samples in rows from the south, at the middles of squares. */
typedef struct rn_overhead {
    int width, height;
    double left, below, step; /* m: the corner of the first square, and its side */
    float *top;               /* m; where there is a triangle */
    uint32_t *triangle;       /* RN_NO_TRIANGLE: none */
} rn_overhead;

/* Everything but the arrays is given. */
rn_result rn_overhead_take(const rn_mesh *mesh, rn_overhead *overhead);
void rn_overhead_free(rn_overhead *overhead);

/* Shares of a triangle's corners in the point below or above (x, y) (m), together 1; false: it is not there. */
bool rn_overhead_shares(const rn_mesh *mesh, size_t triangle, double x, double y, float shares[3]);

#endif
