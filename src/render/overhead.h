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

/* Allocates `top` and `triangle` and fills them; the caller sets the other members before and frees the arrays with
   rn_overhead_free. Triangles that face down do not count. Returns RN_MEMORY, with a message, if memory runs out; then
   both arrays are NULL. */
rn_result rn_overhead_take(const rn_mesh *mesh, rn_overhead *overhead);
/* Frees the arrays and sets them to NULL. */
void rn_overhead_free(rn_overhead *overhead);

/* Writes the weights (0 to 1, sum 1) of a triangle's corners at its point on the vertical line through (x, y) (m).
   Returns false if the triangle does not cover that point, or does not face up; then `shares` is not set. */
bool rn_overhead_shares(const rn_mesh *mesh, size_t triangle, double x, double y, float shares[3]);

#endif
