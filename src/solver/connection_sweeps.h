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
    /* For a junction, after the forces on all batches: the half speeds of its split sides. */
    void (*halves)(const substep *step, int32_t junction);
    /* For a batch, after half speeds of all faces: next speeds. Transport is second order along a connection, first
       order across it. */
    void (*carries)(const substep *step, int32_t batch);
    /* For a batch: transfers and the speeds to keep; raises the extremes. In an implicit substep finds only the depths
       that cross, and lowers the gain of drowned falls. */
    void (*crossings)(const substep *step, int32_t batch, rn_extremes *extremes);
} rn_connection_sweeps;

RN_ISA_TABLES(const rn_connection_sweeps, rn_connection_sweeps);

/* The passes of this table. */
typedef enum rn_connection_pass { RN_LOOK, RN_SUM, RN_HALVES, RN_FORCES, RN_CARRIES, RN_CROSSINGS } rn_connection_pass;

/* Whether the items of a pass are junctions instead of batches. */
static inline bool rn_is_over_junctions(rn_connection_pass pass) { return pass <= RN_HALVES; }

/* Runs a pass for one item: a junction, or a batch of wet connections. extremes: only for RN_CROSSINGS. */
static inline void rn_connection_item(const rn_connection_sweeps *sweeps, const substep *step, rn_connection_pass pass,
                                      int32_t item, rn_extremes *extremes) {
    switch (pass) {
    case RN_LOOK: sweeps->look(step, item); break;
    case RN_SUM: sweeps->sum(step, item); break;
    case RN_HALVES: sweeps->halves(step, item); break;
    case RN_FORCES: sweeps->forces(step, item); break;
    case RN_CARRIES: sweeps->carries(step, item); break;
    case RN_CROSSINGS: sweeps->crossings(step, item, extremes); break;
    }
}

/* Runs a pass for items `begin` to `end` - 1: batches, or numbers in the list of busy junctions.
   In solver/connections.c; on a GPU, where all lanes of a block share the items, in cuda/device.c. */
void rn_connections_pass(const substep *step, rn_connection_pass pass, int32_t begin, int32_t end,
                         rn_extremes *extremes);

#endif
