/* The explicit step of docs/model.md as plain loops, one column and one face after the other. The library's step must
   equal it to the bit, and its speed is measured against it (bench/pipes.c). For worlds of one layer under the open sky
   with walls around them, the physical model, gravity straight down, one friction everywhere, and no sources. If liquid
   reaches the lid, passages must be off. Usage: naive_create(), naive_step() as often as needed, naive_destroy(). */
#ifndef NAIVE_H
#define NAIVE_H

#include <runnel/runnel.h>

typedef enum naive_kind { NAIVE_WALL, NAIVE_PLAIN, NAIVE_FALL } naive_kind;

/* The effect of the forces of a substep on a face: steps 2 and 3. */
typedef struct naive_force {
    float lo, hi; /* m/s, bounds of the new speed; both 0 if the face is closed */
    float along;  /* m/s, w, the speed along the slope */
    float pushed; /* m/s, w after the whole kick, without drag */
    float half;   /* m/s, w after half the kick, with drag */
    float kept;   /* 1/(sigma (1 + phi)) */
} naive_force;

/* Columns are stored with x fastest and NAIVE_RIM dry ones beyond each edge: column (x, y) is naive_at(n, x, y). Arrays
   of [2] belong to the faces from each column to its neighbours at +x and +y, or to slopes along x and y. */
enum { NAIVE_RIM = 2 };

typedef struct naive {
    int nx, ny, stride;
    float per_cell, half_per_g;       /* 1/m, s^2/m: 1/Dx and 1/2g */
    float cell, gravity, quantum;     /* m, m/s^2, m */
    float kappa, manning, chezy, nu3; /* 1/s, m^(1/3), 1, m^2/s: friction, g n^2, g/C^2, 3 nu */
    float viscous;                    /* m^2, l^2 of step 1 */
    double last;                      /* s, length of the previous substep */
    uint64_t step;                    /* substeps so far */
    int64_t limited[2];               /* transfers limited so far: by available depth, by room */
    float *base, *ceil, *depth;       /* m above the datum, m above the datum, m */
    uint8_t *kind[2];                 /* naive_kind */
    float *speed[2], *move[2];        /* m/s; m, transfer of the last substep */
    float *e, *bed[2], *part[2];      /* 1 + S^2, S, and the parts of S.Z */
    naive_force *force[2];
    float *next[2]; /* m/s, speeds after step 4 */
    float *fall[2]; /* m, fall of a column's depth in half a substep, for its faces along x and y */
    float *share;   /* share of the transfers into or out of a column that is allowed */
} naive;

/* Returns the index of column (x, y). */
static inline int naive_at(const naive *n, int x, int y) { return (y + NAIVE_RIM) * n->stride + x + NAIVE_RIM; }

/* Copies the state of a world that is at rest and has not been stepped yet; `def` is what the world was made from. Does
   not check that the world is one of those described at the top of this file. The caller frees `n` with
   naive_destroy(). Returns false, and prints nothing, if memory runs out; `n` is zeroed then. */
bool naive_create(naive *n, const rn_world *world, const rn_world_def *def);
/* Takes one substep of dt (s), which must be stable: updates depths, speeds and transfers, `last`, `step` and
   `limited`. */
void naive_step(naive *n, double dt);
/* Frees the arrays and zeroes `n`. A zeroed `n` is fine. */
void naive_destroy(naive *n);

/* Returns the flux (m^3/s) that the world's views show for the face from a column (an index, naive_at()) to the next
   along an axis, 0 for x or 1 for y. */
float naive_flux(const naive *n, int axis, int column);
/* Sets the speed of that face from such a flux; 0 if the liquid there is lower than a micrometre. */
void naive_push(naive *n, int axis, int column, float flux);

#endif
