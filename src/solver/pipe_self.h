/* The data of a pipe solver: multi-layer virtual pipes, moved by the explicit step or by the implicit one. Private
   to the solver's own files and to its tests. */
#ifndef RN_SOLVER_PIPE_SELF_H
#define RN_SOLVER_PIPE_SELF_H

#include "solver/implicit.h"
#include "solver/reshape.h"
#include "solver/solver.h"

typedef struct rn_pipe_solver {
    rn_state state;
    rn_flood flood;
    rn_implicit implicit; /* used only by the implicit solver */
    rn_reconnection seams;
    rn_pool *pool; /* that of the world */
    rn_hooks hooks;
    rn_step_params params; /* dt and dither are those of the last substep */
    rn_extremes extremes;  /* of the last substep or measurement */
    float top;             /* m above the datum, highest level of liquid added from outside */
    float added;           /* m, largest depth that can have been added to a column since the last substep */
    double last;           /* s, length of the last substep; with momentum */
    double slowed_by;      /* kappa * dt for which params.friction_factor was found; 0: not known */
    bool poured;           /* sources have changed columns in this substep */
    bool shown;            /* the fluxes that hosts see match the speeds; with momentum */
    bool touched;          /* the extremes are out of date */
    bool told;             /* a failed solve has been logged */
    double cell;           /* m */
    double extent;         /* m, from the datum to the lid */
    double courant;        /* the substep as a multiple of the explicit limit */
    double drying_time;    /* s, of wet ground, with dynamic contact */
    bool steep;            /* some contact angle is large */
    double plain_waves;    /* m/s^2, wave_factor without contact */
} rn_pipe_solver;

/* A stretch of time that is under way. */
typedef struct rn_stretch {
    double seconds, left; /* s, all of it, and what is still to be done */
    double limit, dt;     /* s, the largest stable substep, and how long the next one is: */
    bool chosen;          /* both are known */
} rn_stretch;

/* A stretch of this many seconds, of which nothing is done yet. */
rn_stretch rn_stretch_of(double seconds);
/* Does substeps, of equal length as far as possible, until the stretch is done. Stops early, with report->slowed, once
   report->substeps reaches `most`. Returns RN_MEMORY, with a message, if memory runs out; then substeps so far count,
   and the stretch can go on. */
rn_result rn_pipes_go_on(rn_pipe_solver *solver, rn_stretch *stretch, int most, const rn_forcing *forcing,
                         rn_step_report *report);

/* rn_solver_class.changed for depths of a column or a row, which sources and rain change after substeps, on GPUs too:
   wakes tiles, marks the row, and raises what limits the next substep. */
void rn_pipes_poured(void *self, const rn_disturbance *what);

#endif
