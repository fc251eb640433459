/* What a pipe solver holds: multi-layer virtual pipes, moved by the explicit step or by the implicit one. Private to
   the solver's own files and to its tests. */
#ifndef RN_SOLVER_PIPE_SELF_H
#define RN_SOLVER_PIPE_SELF_H

#include "solver/implicit.h"
#include "solver/reshape.h"
#include "solver/solver.h"

typedef struct rn_pipe_solver {
    rn_state state;
    rn_flood flood;
    rn_implicit implicit; /* only the implicit solver fills it */
    rn_reconnection seams;
    rn_pool *pool; /* the world's */
    rn_hooks hooks;
    rn_step_params params; /* dt and dither are those of the last substep */
    rn_extremes extremes;  /* of the last substep or measurement */
    float top;             /* m above the datum, the highest level that liquid from outside has had */
    float added;           /* m, the most that can have been added to one column since the last substep */
    double last;           /* s, the last substep; with momentum */
    bool poured;           /* sources have changed columns in this substep */
    bool shown;            /* fluxes that hosts see are those of the speeds; with momentum */
    bool touched;          /* the extremes are out of date */
    bool told;             /* it has been logged that a solve failed */
    double cell;           /* m */
    double extent;         /* m, from the datum to the lid */
    double courant;        /* the substep over the explicit one's limit */
    double drying_time;    /* s, of wet ground, where contact angles act */
    double plain_waves;    /* m/s^2, wave_factor without contact */
    bool steep;            /* the contact angle is large */
} rn_pipe_solver;

#endif
