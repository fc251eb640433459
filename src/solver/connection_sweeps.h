/* The loops of the momentum-carrying step over connections (solver/connection_links.h), batch by batch: values are
   gathered into rows, and the kernels of kernels/face.h work on these. Private to the solver's own files. */
#ifndef RN_SOLVER_CONNECTION_SWEEPS_H
#define RN_SOLVER_CONNECTION_SWEEPS_H

#include "base/dispatch.h"
#include "solver/rows.h"

/* One body per instruction set; all give the same bits. */
typedef struct rn_connection_sweeps {
    /* What has moved through the sides of a junction, how fast, and the steps of bed and surface there. */
    void (*look)(const substep *step, int32_t junction);
    /* The next speeds of its sides. */
    void (*sum)(const substep *step, int32_t junction);
    /* Of a batch: forces on its connections, as rn_face_force has them; */
    void (*forces)(const substep *step, int32_t batch);
    /* transport, along a connection to second order, across it to first; */
    void (*carries)(const substep *step, int32_t batch);
    /* transfers; in an implicit substep only the depths that cross. */
    void (*crossings)(const substep *step, int32_t batch, rn_extremes *extremes);
} rn_connection_sweeps;

RN_ISA_TABLES(const rn_connection_sweeps, rn_connection_sweeps);

#endif
