/* The explicit step of docs/model.md as plain loops, one column and one face after the other. The library's step
   must equal it to the bit, and its speed is measured against it. For worlds of one layer under the open sky with walls
   around them, the physical model, gravity straight down, one friction everywhere, and nothing that pours or drains. If
   liquid reaches the lid, passages must be off. */
#ifndef NAIVE_H
#define NAIVE_H

#include <runnel/runnel.h>

typedef enum naive_kind { NAIVE_WALL, NAIVE_PLAIN, NAIVE_FALL } naive_kind;

/* What the forces of a substep do to a face: steps 2 and 3. */
typedef struct naive_force {
    float lo, hi; /* m/s, bounds of the new speed: both 0 if the face is shut */
    float along;  /* m/s along the slope: w, */
    float pushed; /* w after the whole kick, without drag, */
    float half;   /* w after half a kick, with drag */
    float kept;   /* 1/(sigma (1 + phi)) */
} naive_force;

/* Columns, x fastest, with NAIVE_RIM dry ones past each edge: column (x, y) is naive_at(n, x, y). Arrays of [2] are
   those of the faces from each column to its neighbours at +x and +y, or of slopes along x and y. */
enum { NAIVE_RIM = 2 };

typedef struct naive {
    int nx, ny, stride;
    float per_cell, half_per_g;       /* 1/m, s^2/m: 1/Dx and 1/2g */
    float cell, gravity, quantum;     /* m, m/s^2, m */
    float kappa, manning, chezy, nu3; /* 1/s, m^(1/3), 1, m^2/s: friction, g n^2, g/C^2, 3 nu */
    float viscous;                    /* m^2, l^2 of step 1 */
    double last;                      /* s, the substep before */
    uint64_t step;                    /* substeps so far */
    int64_t limited[2];               /* transfers that were limited so far: by what there is, by room */
    float *base, *ceil, *depth;       /* m above the datum, m above the datum, m */
    uint8_t *kind[2];                 /* naive_kind */
    float *speed[2], *move[2];        /* m/s; m of depth that crossed in the last substep */
    float *e, *bed[2], *part[2];      /* 1 + S^2, S, and the parts of S.Z */
    naive_force *force[2];
    float *next[2]; /* m/s, speeds after step 4 */
    float *fall[2]; /* m that a column's depth falls in half a substep, as its faces along x and y count it */
    float *share;   /* limit on what comes or goes */
} naive;

static inline int naive_at(const naive *n, int x, int y) { return (y + NAIVE_RIM) * n->stride + x + NAIVE_RIM; }

/* Begins where a world is that has not been stepped yet and is at rest; `def` is what it was made of. False where
   memory ran out. */
bool naive_create(naive *n, const rn_world *world, const rn_world_def *def);
void naive_step(naive *n, double dt); /* s */
void naive_destroy(naive *n);

/* The flux (m^3/s) that a world's views show for the face from a column to the next along an axis; and its speed set by
   such a flux. */
float naive_flux(const naive *n, int axis, int column);
void naive_push(naive *n, int axis, int column, float flux);

#endif
