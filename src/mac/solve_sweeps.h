/* The loops of the pressure solver over cells of one row. One body per instruction set; all give the same bits. */
#ifndef RN_MAC_SOLVE_SWEEPS_H
#define RN_MAC_SOLVE_SWEEPS_H

#include "base/dispatch.h"
#include "mac/state.h"

/* All work on the cells of one span. Arrays cover the whole level, and x must be 0 in cells that are not unknowns. */
typedef struct rn_mac_solve_sweeps {
    /* One step of Jacobi within the span: l->x = (b + links x) / diagonal, 0 in cells that are not unknowns. `row` has
       room for the span's length of floats, and is overwritten. */
    void (*relax)(const rn_mac_level *l, rn_mac_span span, float *row);
    /* to = A x. Returns the sum of x times `to`. */
    double (*apply)(const rn_mac_level *l, rn_mac_span span, const float *x, float *to);
    /* l->r = l->b - A l->x. */
    void (*residual)(const rn_mac_level *l, rn_mac_span span);
    /* Returns the sum of a b. */
    double (*dot)(rn_mac_span span, const float *a, const float *b);
    /* to = a + scale to */
    void (*turn)(rn_mac_span span, float *to, const float *a, float scale);
    /* x += scale direction, r -= scale image. Returns the largest |r|. */
    float (*advance)(rn_mac_span span, float scale, float *x, const float *direction, float *r, const float *image);
    /* The largest |r|. */
    float (*largest)(rn_mac_span span, const float *r);
} rn_mac_solve_sweeps;

RN_ISA_TABLES(const rn_mac_solve_sweeps, rn_mac_solve_sweeps);

#endif
