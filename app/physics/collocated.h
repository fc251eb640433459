/* Plain loops in doubles over one square of cells: the methods that Lee & O'Sullivan 2007 discuss for shallow water,
   side by side. docs/packets.md compares the packets solver with them. Usage: lab_create(), set h, u and v, lab_step()
   as often as needed, lab_free(). */
#ifndef RUNNEL_APP_COLLOCATED_H
#define RUNNEL_APP_COLLOCATED_H

#include <stdbool.h>

typedef enum lab_transport {
    LAB_PACKETS,         /* 2 x 2 widened packets, as in the paper's listing */
    LAB_SEMI_LAGRANGIAN, /* traces back with the midpoint method and interpolates bilinearly (Stam 1999) */
} lab_transport;

typedef enum lab_pressure {
    LAB_CENTRAL,   /* central differences */
    LAB_FACES,     /* velocities are averaged to sides, accelerated there, and averaged back (section 3.4) */
    LAB_RHIE_CHOW, /* central differences, and the smoothing of depth that Rhie & Chow 1983 amounts to */
} lab_pressure;

/* The filter that spreads depth and velocity over the neighbours, as much as packets of s = smoothing do at rest. */
typedef enum lab_blur { LAB_BLUR_NONE, LAB_BLUR_BOX, LAB_BLUR_TENT, LAB_BLUR_FOURTH } lab_blur;

typedef struct lab_def {
    int cells;            /* along each side */
    double cell, gravity; /* m, m/s^2 */
    lab_transport transport;
    lab_pressure pressure;
    lab_blur blur;
    double smoothing; /* s, the width of packets */
    bool staggered;   /* velocities at sides of cells; only with LAB_SEMI_LAGRANGIAN */
    bool divergence;  /* depth also changes by -h div u */
    bool periodic;    /* otherwise there are walls */
} lab_def;

typedef struct lab {
    lab_def def;
    double *h, *u, *v;    /* m, m/s; at [y * cells + x]; staggered: u at the side to the west, v to the south */
    double *h1, *u1, *v1; /* scratch */
} lab;

/* Creates a square, dry and at rest. Free it with lab_free(). Exits if memory is lacking. */
lab lab_create(const lab_def *def);
/* Frees the arrays, not `l` itself. */
void lab_free(lab *l);
/* Takes a step of dt (s), as the definition says: transport, filter, pressure. If staggered, there is no filter, and
   pressure acts by differences across sides, with the smoothing of LAB_RHIE_CHOW if that is chosen. Stability is not
   checked. */
void lab_step(lab *l, double dt);
double lab_volume(const lab *l); /* m^3 */
double lab_turn(const lab *l);   /* m^5/s, angular momentum about the middle, divided by the density */
double lab_zigzag(const lab *l); /* m, rms of the depth that alternates from cell to cell along x */
void lab_velocity(const lab *l, int x, int y, double out[2]); /* m/s, at the middle of a cell */

#endif
