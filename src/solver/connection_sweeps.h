/* The loops of the momentum-carrying step over connections (solver/connection_links.h), batch by batch: values are
   gathered into rows, and the kernels of kernels/face.h work on these. Private to the solver's own files. */
#ifndef RN_SOLVER_CONNECTION_SWEEPS_H
#define RN_SOLVER_CONNECTION_SWEEPS_H

#include "base/dispatch.h"
#include "solver/rows.h"

/* One body per instruction set; all give the same bits. */
typedef struct rn_connection_sweeps {
    /* For a junction: transfers and speeds of its split sides, and the steps of bed and surface. */
    void (*look)(const substep *step, int32_t junction);
    /* For a junction: the next speeds of its split sides. */
    void (*sum)(const substep *step, int32_t junction);
    /* For a batch: forces on its connections, as in rn_face_force, and their half speeds; in an implicit substep gains
       too. */
    void (*forces)(const substep *step, int32_t batch);
    /* For a batch, after half speeds of all faces: next speeds. Transport is second order along a connection, first
       order across it. */
    void (*carries)(const substep *step, int32_t batch);
    /* For a batch: transfers and the speeds to keep; raises the extremes. In an implicit substep finds only the depths
       that cross, and lowers the gain of drowned falls. */
    void (*crossings)(const substep *step, int32_t batch, rn_extremes *extremes);
} rn_connection_sweeps;

RN_ISA_TABLES(const rn_connection_sweeps, rn_connection_sweeps);

#endif
