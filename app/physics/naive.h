/* The explicit step of docs/model.md as plain loops, one column and one pipe after the other: what the library's step
   must equal to the bit, and what its speed is measured against. For worlds of one layer with walls around them, the
   physical model without advection, gravity straight down, one friction everywhere, and nothing that pours or drains.
 */
#ifndef NAIVE_H
#define NAIVE_H

#include <runnel/runnel.h>

typedef struct naive {
    int nx, ny;
    float cell, gravity, kappa, nu3, quantum; /* m, m/s^2, 1/s, m^2/s, m */
    float fastest;                            /* m/s, no flow is faster */
    uint64_t step;                            /* substeps so far */

    /* Columns, x fastest, and the pipes that lead from each of them to its neighbours at +x and +y. */
    float *base, *ceil, *depth;       /* m above the datum, m above the datum, m */
    float *flux_x, *flux_y;           /* m^3/s */
    bool *fall_x, *fall_y;            /* a world's views show no flux there */
    float *slope_x, *slope_y, *steep; /* m per cell, m per cell, e = 1 + slope^2 */
    float *move_x, *move_y, *share;   /* m of depth moved by a substep; a column's limit on it */
} naive;

/* Begins where a world is that has not been stepped yet, or that has no falls; `def` is what it was made of. False
   where memory ran out. */
bool naive_create(naive *n, const rn_world *world, const rn_world_def *def);
void naive_step(naive *n, float dt); /* s */
void naive_destroy(naive *n);

#endif
