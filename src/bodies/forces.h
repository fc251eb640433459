/* The forces of liquid on a body: pressure and drag on its triangles. */
#ifndef RN_BODIES_FORCES_H
#define RN_BODIES_FORCES_H

#include "bodies/raster.h"

/* The liquid of one cell as it would be without the body, and how much of the body is in the cell. */
typedef struct rn_cell_liquid {
    double level;     /* m, absolute; in a dry cell, the value for interpolation between cells */
    double ground;    /* m, absolute */
    double lowest;    /* m, absolute, lowest point of the body here; INFINITY: it is not here */
    double submerged; /* m of the body below the level, mean over the cell */
    double moment;    /* submerged times its mean height (m, absolute) */
    float flow[2];    /* m/s along x and y; only if some of the body is below the level */
    size_t carried;   /* 1 + index of the stored flow; 0: the flow is that of the column */
    int32_t slot;     /* of the column with the liquid; -1: none */
    bool wet;
} rn_cell_liquid;

/* The cells around a body, x fastest. */
typedef struct rn_liquid_window {
    rn_raster_grid grid; /* that of the world */
    int x0, y0, nx, ny;
    rn_cell_liquid *cells;
} rn_liquid_window;

/* The level (m) at x, y (m), interpolated between the centres of cells, constant beyond the outermost. */
double rn_waters_level(const rn_liquid_window *window, double x, double y);
/* Gives dry cells a level (m), for interpolation: their ground, or the mean level of the up to eight wet cells around
   them if that is lower. */
void rn_waters_join(rn_liquid_window *window);
/* Adds how much of a body is in each cell (lowest, submerged, moment), from the changes of solid share that its surface
   makes; changes outside the window do not count. The cells begin with submerged and moment 0 and lowest INFINITY. */
void rn_waters_sink(rn_liquid_window *window, const rn_share_changes *steps);

typedef struct rn_push {
    rn_vec3 force;  /* N */
    rn_vec3 torque; /* N m, about the centre of mass */
} rn_push;

/* A body in motion, in world coordinates. */
typedef struct rn_mover {
    double mass;          /* kg */
    double inertia[3][3]; /* kg m^2, about the centre */
    rn_vec3 centre;       /* m */
    rn_vec3 velocity;     /* m/s, of the centre */
    rn_vec3 spin;         /* rad/s */
    double drag;          /* C */
    double damping;       /* 1/s, already multiplied by the submerged share of the body */
} rn_mover;

/* Force and torque of the pressure on the surface; the pressure grows by `weight` (N/m^3) per metre below the level.
   Exact where the level is flat. positions: vertices at the current pose (m); centre: the centre of mass (m), about
   which torques are. The level is taken `outside` (m) of the surface: a dam has liquid only there. Sideways, liquid
   presses only above the ground. */
rn_push rn_force_buoyancy(const rn_liquid_window *window, const rn_shape_info *shape, const double *positions,
                          rn_vec3 centre, double outside, double weight);
/* Drag and damping in liquid of this density (kg/m^3), as a mean over a step of `seconds` in which body and liquid
   yield to each other: no step is too long. The window must have flows, and how much of the body is in each cell.
   *flow: velocity of the liquid around the body (m/s); *dragged: the share (0 to 1) that is drag and not damping. All 0
   if the body is in no liquid. */
rn_push rn_force_drag(const rn_liquid_window *window, const rn_shape_info *shape, const double *positions,
                      const rn_mover *mover, double density, double seconds, rn_vec3 *flow, double *dragged);

#endif
