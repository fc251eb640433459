/* A mesh seen from straight above: the topmost triangle at each sample, and its height. */
#ifndef RN_RENDER_OVERHEAD_H
#define RN_RENDER_OVERHEAD_H

#include <runnel/surface.h>

#define RN_NO_TRIANGLE UINT32_MAX

/* Samples in rows from the south, at the centres of squares. */
typedef struct rn_overhead {
    int width, height;
    double left, below, step; /* m: corner of the first square, and its side */
    float *top;               /* m; only where there is a triangle */
    uint32_t *triangle;       /* RN_NO_TRIANGLE: none */
} rn_overhead;

/* Fills the arrays; the other members are given. RN_MEMORY on failure. */
rn_result rn_overhead_take(const rn_mesh *mesh, rn_overhead *overhead);
void rn_overhead_free(rn_overhead *overhead);

/* The weights of a triangle's corners at the point below or above (x, y) (m), with the sum 1; false: it does not
   cover that point. */
bool rn_overhead_shares(const rn_mesh *mesh, size_t triangle, double x, double y, float shares[3]);

#endif
