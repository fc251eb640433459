/* The pipe solvers: multi-layer virtual pipes, with the explicit step or the implicit one. Private to the solver's own
   files and to its tests. */
#ifndef RN_SOLVER_PIPE_SOLVER_H
#define RN_SOLVER_PIPE_SOLVER_H

#include "solver/implicit.h"
#include "solver/reshape.h"
#include "solver/solver.h"

typedef struct rn_pipe_solver {
    rn_state state;
    rn_flood flood;
    rn_implicit implicit; /* only the implicit solver fills it */
    rn_seams seams;
    rn_pool *pool; /* the world's */
    rn_hooks hooks;
    rn_law law;     /* dt and dither are those of the last substep */
    rn_peak peak;   /* of the last substep or measurement */
    float top;      /* m above the datum, the highest level that liquid from outside has had */
    float added;    /* m, the most that can have been added to one column since the last substep */
    bool touched;   /* the peak is out of date */
    bool told;      /* the log knows that a solve has failed */
    double cell;    /* m */
    double extent;  /* m, from the datum to the lid */
    double courant; /* the substep over the explicit one's limit */
} rn_pipe_solver;

extern const rn_solver_class rn_solver_explicit, rn_solver_implicit;

/* The largest stable substep (s), or so many times that of waves and flow (solver/pace.c). */
double rn_pace_limit(rn_pipe_solver *solver, double courant, const rn_forcing *forcing);
/* No liquid of this world can flow faster (m/s). */
double rn_pace_fastest(const rn_pipe_solver *solver);

/* solver/pipes_flow.c */
void rn_pipe_solver_column_flow(const void *self, int32_t slot, double flow[2]);
rn_face_flow rn_pipe_solver_face_flow(const void *self, int32_t cell, int axis);

/* solver/pipes_archive.c */
rn_result rn_pipe_solver_archive(void *self, rn_archive *archive, rn_archive_section section);

#endif
