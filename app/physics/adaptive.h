/* A train of waves that runs through a canal of cells of 1 m into cells of 2 m. */
#ifndef RUNNEL_APP_ADAPTIVE_H
#define RUNNEL_APP_ADAPTIVE_H

#include "physics/canal.h"

#define TRAIN_JUMP    700.0 /* m: cells are larger from there on */
#define TRAIN_HEIGHT  1e-4  /* m, of its waves over a depth of 1 m */
#define TRAIN_CROSSED 710.4 /* m, after which all of it is past the jump */

/* Before the jump, 1 m deep, with waves of this length (m). Freed with canal_free. */
canal train_create(canal_gradient by, double wavelength);
/* Until waves have run so far (m). */
void train_run(canal *c, double distance);

#endif
