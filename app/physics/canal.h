/* The adaptive 1D solver of Lee & O'Sullivan 2007, section 4, in plain loops: a canal with walls at both ends and cells
   of any sizes. Packets share their edges, as in src/kernels/packet.h. With cells of one size this is the 1D solver of
   the paper's appendix, with the corrections of docs/packets.md. */
#ifndef RUNNEL_APP_CANAL_H
#define RUNNEL_APP_CANAL_H

/* How the slope of the surface is found in a cell whose neighbours have other sizes. */
typedef enum canal_gradient {
    CANAL_SIDES,    /* the difference of the depths on its two sides, interpolated by distance */
    CANAL_PARABOLA, /* of the parabola through three middles, as the paper has it */
    CANAL_LOSASSO,  /* the mean of both differences, each over the larger size (Losasso et al. 2004) */
} canal_gradient;

typedef struct canal_def {
    int cells;
    const double *sizes; /* m, of each cell */
    double gravity;      /* m/s^2 */
    double smoothing;    /* s, from 1 on */
    int packets;         /* N, in a cell */
    canal_gradient by;
} canal_def;

typedef struct canal {
    canal_def def;           /* its sizes are the canal's own */
    double *size, *middle;   /* m, of each cell */
    double *h, *u;           /* m, m/s: depth over level ground, and speed */
    double *mass, *momentum; /* scratch: over the side before each cell in a step, m^2 and m^3/s */
} canal;

/* Dry and at rest. Freed with canal_free. Exits without memory. */
canal canal_create(const canal_def *def);
void canal_free(canal *c);

/* Waves may run less than the smallest cell in dt (s), and depths must be above 0. */
void canal_step(canal *c, double dt);

double canal_volume(const canal *c);   /* m^2 */
double canal_momentum(const canal *c); /* m^3/s, over the density */

#endif
