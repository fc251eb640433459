/* The adaptive 1D solver of Lee & O'Sullivan 2007, section 4, in plain loops: a canal with walls at both ends and cells
   of any sizes. Packets share their edges, as in src/kernels/packet.h. With cells of one size this is the 1D solver of
   the paper's appendix, with the corrections of docs/packets.md. Usage: canal_create(), set h and u, canal_step() as
   often as needed, canal_free(). */
#ifndef RUNNEL_APP_CANAL_H
#define RUNNEL_APP_CANAL_H

/* How the slope of the surface is computed in a cell whose neighbours have other sizes. */
typedef enum canal_gradient {
    CANAL_SIDES,    /* the difference of the depths on its two sides, interpolated by distance */
    CANAL_PARABOLA, /* the slope of the parabola through the middles of three cells, as in the paper */
    CANAL_LOSASSO,  /* the mean of both differences, each over the larger size (Losasso et al. 2004) */
} canal_gradient;

typedef struct canal_def {
    int cells;
    const double *sizes; /* m, of each cell */
    double gravity;      /* m/s^2 */
    double smoothing;    /* s, the width of packets; 1 or more */
    int packets;         /* N, in a cell */
    canal_gradient by;
} canal_def;

typedef struct canal {
    canal_def def;           /* `sizes` points to the canal's own copy */
    double *size, *middle;   /* m, of each cell */
    double *h, *u;           /* m, m/s: depth over level ground, and speed */
    double *mass, *momentum; /* scratch: what crosses the side before each cell in a step, m^2 and m^3/s */
} canal;

/* Creates a canal, dry and at rest. def->sizes are copied. Free it with canal_free(). Exits if memory is lacking. */
canal canal_create(const canal_def *def);
/* Frees the arrays, not `c` itself. */
void canal_free(canal *c);

/* Takes a step of dt (s). Waves must travel less than the smallest cell in it, and all depths must be above 0; neither
   is checked. Nothing passes the walls at both ends. */
void canal_step(canal *c, double dt);

double canal_volume(const canal *c);   /* m^2, of all cells, per metre of width */
double canal_momentum(const canal *c); /* m^3/s, of all cells, per metre of width and divided by the density */

#endif
