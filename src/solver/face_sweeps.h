/* The loops of the momentum-carrying step over a patch of columns and the faces between them (kernels/face.h). They
   know rows and lanes, and nothing of tiles that rest, irregular pipes or passages. Private to the solver's own files.
 */
#ifndef RN_SOLVER_FACE_SWEEPS_H
#define RN_SOLVER_FACE_SWEEPS_H

#include "base/dispatch.h"
#include "kernels/face.h"
#include "solver/sweeps.h"

/* What a pass over a patch has found. */
typedef struct rn_face_maxima {
    float signal;                     /* m/s, the fastest */
    float signal_depth, signal_speed; /* m and m/s, of the column that has it; speeds along x and y are added */
    float speed;                      /* m/s, of liquid that is not too thin to count */
    float deepest;                    /* m, of columns with such liquid */
    float transfer;                   /* m, the largest */
    bool flows;                       /* some speed or transfer is not 0 */
} rn_face_maxima;

/* One body per instruction set; all give the same bits. */
typedef struct rn_face_sweeps {
    /* From speeds and last transfers to the next speeds: forces and transport. */
    void (*kick)(const substep *step, const rn_patch *patch, rn_face_kind kind);
    /* From the next speeds to transfers, as if no column could run dry or over, and to the speeds that are kept. */
    void (*cross)(const substep *step, const rn_patch *patch, rn_face_kind kind, rn_face_maxima *found);
    /* In an implicit substep: the depths of liquid that crosses faces. */
    void (*widths)(const substep *step, const rn_patch *patch);
} rn_face_sweeps;

RN_ISA_TABLES(const rn_face_sweeps, rn_face_sweeps);

#endif
