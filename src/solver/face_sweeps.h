/* The loops of the momentum-carrying step over a patch of columns and the faces between them (kernels/face.h). They
   handle rows and lanes, but not tiles at rest, irregular pipes or passages. Private to the solver's own files. */
#ifndef RN_SOLVER_FACE_SWEEPS_H
#define RN_SOLVER_FACE_SWEEPS_H

#include "base/dispatch.h"
#include "kernels/face.h"
#include "solver/sweeps.h"

/* Maxima found in a pass over a patch. */
typedef struct rn_face_maxima {
    float signal; /* m/s, fastest signal */
    float signal_depth,
        signal_speed; /* m and m/s, of the column with that signal; the speed is the sum along x and y */
    float speed;      /* m/s, fastest liquid that is not too thin to count */
    float deepest;    /* m, deepest column with such liquid */
    float transfer;   /* m, largest transfer */
    bool flows;       /* some speed or transfer is not 0 */
} rn_face_maxima;

/* One body per instruction set; all give the same bits. */
typedef struct rn_face_sweeps {
    /* Finds the next speeds, by forces and transport, from the speeds and the last transfers. In an implicit substep
       finds gains too. */
    void (*kick)(const substep *step, const rn_patch *patch, rn_face_kind kind);
    /* Finds transfers, as if no column could run dry or over, and the speeds to keep, from the next speeds; sets
     *found. */
    void (*cross)(const substep *step, const rn_patch *patch, rn_face_kind kind, rn_face_maxima *found);
    /* In an implicit substep finds the depths of liquid that crosses faces, from the next speeds and the gains. */
    void (*widths)(const substep *step, const rn_patch *patch);
} rn_face_sweeps;

RN_ISA_TABLES(const rn_face_sweeps, rn_face_sweeps);

#endif
