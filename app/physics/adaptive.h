/* A train of waves that runs along a canal (canal.h) from cells of 1 m into cells of 2 m. adaptive.c measures what the
   jump of resolution reflects; figures/packets.c draws it. Call train_create(), then train_run(), then canal_free(). */
#ifndef RUNNEL_APP_ADAPTIVE_H
#define RUNNEL_APP_ADAPTIVE_H

#include "physics/canal.h"

#define TRAIN_JUMP    700.0 /* m, where cells become larger */
#define TRAIN_HEIGHT  1e-4  /* m, amplitude of the waves; the depth is 1 m */
#define TRAIN_CROSSED 710.4 /* m, distance after which the whole train is past the jump */

/* Creates the canal, 1 m deep, with a train of waves of this length (m) before the jump. `by`: how slopes are computed.
   Free it with canal_free(). */
canal train_create(canal_gradient by, double wavelength);
/* Steps the canal, in steps of a quarter of a fine cell, until the waves have travelled this far (m), or up to 0.25 m
   farther. */
void train_run(canal *c, double distance);

#endif
