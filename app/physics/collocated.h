/* Plain loops in doubles over one square of cells: the ways that Lee & O'Sullivan 2007 name to move shallow water and
   to push it, side by side. They are what docs/packets.md compares the packets solver with. */
#ifndef RUNNEL_APP_COLLOCATED_H
#define RUNNEL_APP_COLLOCATED_H

#include <stdbool.h>

typedef enum lab_transport {
    LAB_PACKETS,         /* 2 x 2 widened packets, as the paper's listing has them */
    LAB_SEMI_LAGRANGIAN, /* back along the flow by the midpoint method, then bilinear (Stam 1999) */
} lab_transport;

typedef enum lab_pressure {
    LAB_CENTRAL,   /* central differences */
    LAB_FACES,     /* velocities are averaged to sides, pushed there, and averaged back (section 3.4) */
    LAB_RHIE_CHOW, /* central differences, and the smoothing of depth that Rhie & Chow 1983 comes to */
} lab_pressure;

/* What spreads depth and velocity over the neighbours, by as much as packets of s = smoothing do at rest. */
typedef enum lab_blur { LAB_BLUR_NONE, LAB_BLUR_BOX, LAB_BLUR_TENT, LAB_BLUR_FOURTH } lab_blur;

typedef struct lab_def {
    int cells; /* along each side */
    double cell, gravity;
    lab_transport transport;
    lab_pressure pressure;
    lab_blur blur;
    double smoothing; /* s */
    bool staggered;   /* velocities at sides; semi-Lagrangian alone */
    bool divergence;  /* depth changes by -h div u too */
    bool periodic;    /* else walls */
} lab_def;

typedef struct lab {
    lab_def def;
    double *h, *u, *v;    /* m, m/s; at [y * cells + x]; staggered: u at the side to the west, v to the south */
    double *h1, *u1, *v1; /* scratch */
} lab;

/* Freed with lab_free. Exits without memory. */
lab lab_create(const lab_def *def);
void lab_free(lab *l);
void lab_step(lab *l, double dt);
double lab_volume(const lab *l); /* m^3 */
double lab_turn(const lab *l);   /* m^5/s, angular momentum about the middle, over the density */
double lab_zigzag(const lab *l); /* m, rms of what alternates from cell to cell */
void lab_velocity(const lab *l, int x, int y, double out[2]); /* m/s, in the middle of a cell */

#endif
