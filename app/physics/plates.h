/* Drops, puddles and rivulets on plates with dynamic contact angles (docs/contact.md): what the cases of drops.c,
   drop_sweep.c and rivulets.c share. */
#ifndef RUNNEL_APP_PLATES_H
#define RUNNEL_APP_PLATES_H

#include "physics/physics.h"

#define PI       3.14159265358979323846
#define DEGREE   (PI / 180.0)
#define CAP_TENS 7.2e-5 /* m^3/s^2: surface tension of the liquid over its density */
#define FRAME    (1.0 / 60.0)

/* Returns a liquid like water with these contact angles (degrees) and viscosity (m²/s), that hardly dries. */
rn_liquid plate_liquid(double advancing, double receding, double viscosity);

/* The shape of a drop at rest. */
typedef struct profile {
    double radius, height, volume; /* m, m, m^3 */
} profile;

/* Returns the shape of a drop of this volume (m³) and contact angle (degrees) on level ground, by the equation of Young
   and Laplace. */
profile young_laplace(double volume, double degrees);

/* A drop that settles on a plate. */
typedef struct drop {
    double cell, volume;        /* m, m^3 */
    double advancing, receding; /* degrees */
    double viscosity;           /* m^2/s */
    double seconds;             /* longest run, if it does not come to rest before */
    double off_x, off_y;        /* cells from a corner of cells to the middle of the cylinder that it starts as */
    double stretch;             /* the cylinder's length over its width; 0: it is round */
    double direction;           /* rad, of its length */
} drop;

/* What became of a drop. */
typedef struct drop_result {
    double height;         /* m, at its middle */
    double uneven, ragged; /* radius along the axes over that along diagonals; least radius over largest */
    double moved;          /* cells, of its centre of mass */
    double rests;          /* s, when it comes to rest; INFINITY: it still moves */
} drop_result;

/* Creates a dry plate of cells x cells cells of size `cell` (m), with dynamic contact angles. `tilt`: its slope (rad);
   `azimuth`: the direction downhill (rad). The caller destroys the world; `liquid` is copied. */
rn_world *make_plate(int cells, double cell, const rn_liquid *liquid, double tilt, double azimuth);

/* Fills a cylinder of the drop's volume and of the same area as a circle of this radius (m), near the middle of a
   square world of cells x cells cells, and empties all other cells. Aborts if memory is lacking. */
void place_drop(rn_world *world, int cells, const drop *d, double radius);

/* Returns the depth (m) at (x, y), in cells, interpolated between the middles of four columns; 0 outside. */
double depth_between(const rn_view *d, double x, double y);

/* Returns how far (cells) a drop reaches from the point (x, y), in cells, in this direction (rad). Columns lower than
   0.3 of its `height` (m) count in part. */
double drop_reach(const rn_view *d, double x, double y, double angle, double height);

/* Places a drop on a level plate, runs it until it rests or its time is over, and returns its measures. */
drop_result settle_drop(const drop *d);

/* Returns how far (%) a height (m) of a drop of this volume is outside those of Young and Laplace for its two angles; 0
   between them. */
double height_error(const drop *d, double height);

/* A drop for which the steepest slope that holds it is sought. */
typedef struct incline {
    drop drop;
    double azimuth;    /* rad */
    double degrees, k; /* results: the steepest slope on which it stays; rho g V sin / (w gamma (cos - cos)) there */
} incline;

/* Finds the steepest slope that holds drop `i` of the array `context` of inclines, by bisection in 6 steps between 0.4
   and 1.6 of what theory says, and sets its results. If it slides on every slope tried, `degrees` is the flattest of
   them, and k is near 0. May be called in parallel. */
void find_steepest(void *context, int i);

/* Measures where the centre of mass of the liquid on a plate is along the slope (m from the corner of the world), and
   how wide (m) the part deeper than 0.15 of its greatest depth is across it. `azimuth`: the direction downhill (rad).
   The middle is NaN if the plate is dry. */
typedef struct hanging {
    double middle, width; /* m */
} hanging;
hanging look_across(const rn_world *world, double cell, double azimuth);

#endif
