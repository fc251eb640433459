/* The pipes between changed cells and those around them: what they were, and what takes their place. */
#ifndef RN_SOLVER_SEAMS_H
#define RN_SOLVER_SEAMS_H

#include "solver/reshape.h"

/* Before columns change: finds the pipes that are to be made anew, keeps them as they are, and makes room for all that
   there can be afterwards. On failure nothing has changed. */
rn_result rn_seams_open(rn_reshaping *r, rn_state *s, rn_pool *pool);
/* Afterwards: joins the cells again, and hands the fluxes down. */
rn_result rn_seams_close(rn_reshaping *r, rn_state *s, rn_pool *pool);

size_t rn_seams_bytes(const rn_reshaping *r); /* memory held */

#endif
