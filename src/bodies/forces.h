/* What liquid does to a body: pressure on its triangles, and drag in the cells that it is in. */
#ifndef RN_BODIES_FORCES_H
#define RN_BODIES_FORCES_H

#include "bodies/raster.h"

/* The liquid of one cell as it would be without the body, and how much of the body is in it. */
typedef struct rn_cell_liquid {
    double level;     /* m, absolute; where it is dry, what keeps the surface between cells true */
    double ground;    /* m, absolute */
    double lowest;    /* m, absolute, of the body here; INFINITY: it is not here */
    double submerged; /* m of the body below the level, mean over the cell, */
    double moment;    /* and times the height (m, absolute) at which it lies */
    float flow[2];    /* m/s along x and y, if there is something of the body below the level */
    size_t carried;   /* 1 + where its flow is kept, if that is not the column's own; 0: it is */
    int32_t slot;     /* of the column that has the liquid; -1: none */
    bool wet;
} rn_cell_liquid;

/* The cells around a body, x fastest. */
typedef struct rn_liquid_window {
    rn_raster_grid grid; /* of the world */
    int x0, y0, nx, ny;
    rn_cell_liquid *cells;
} rn_liquid_window;

/* Level (m) between the middles of cells; past the outermost ones as there. */
double rn_waters_level(const rn_liquid_window *window, double x, double y);
/* Gives dry cells a level: their ground, or the mean level of wet cells beside them where that is lower. */
void rn_waters_join(rn_liquid_window *window);
/* Finds how much of a body is in each cell, from the steps of its surface. */
void rn_waters_sink(rn_liquid_window *window, const rn_share_changes *steps);

typedef struct rn_push {
    rn_vec3 force;  /* N */
    rn_vec3 torque; /* N m, about the centre of mass */
} rn_push;

/* A body in motion, all in the world's axes. */
typedef struct rn_mover {
    double mass;          /* kg */
    double inertia[3][3]; /* kg m^2, about the centre */
    rn_vec3 centre;       /* m */
    rn_vec3 velocity;     /* m/s, of the centre */
    rn_vec3 spin;         /* rad/s */
    double drag;          /* C */
    double damping;       /* 1/s, times the share of it that is submerged */
} rn_mover;

/* Minus the integral of pressure over the surface, which grows by `weight` (N/m^3) with every metre below the level;
   exact where the level is flat. The level is taken `outside` (m) of the surface: a dam has liquid only there. */
rn_push rn_force_buoyancy(const rn_liquid_window *window, const rn_shape_info *shape, const double *positions,
                          rn_vec3 centre, double outside, double weight);
/* Drag and damping in liquid of this density (kg/m^3), as a mean over a step of `seconds` in which body and
   liquid give way to each other: no step is too long. `flow` gets what the liquid does around the body (m/s),
   `dragged` the share that is drag and not damping. */
rn_push rn_force_drag(const rn_liquid_window *window, const rn_shape_info *shape, const double *positions,
                      const rn_mover *mover, double density, double seconds, rn_vec3 *flow, double *dragged);

#endif
