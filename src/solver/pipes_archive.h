/* Saving, checking, restoring and hashing the pipe solvers. */
#ifndef RN_SOLVER_PIPES_ARCHIVE_H
#define RN_SOLVER_PIPES_ARCHIVE_H

#include "solver/archive.h"

/* A member of rn_solver_class; see solver/solver.h. Updates the fluxes that hosts see first, unless it checks or reads.
   Invalid bytes set archive->broken and return RN_OK. Returns RN_MEMORY or RN_LIMIT, with a message, only while
   reading. */
rn_result rn_pipes_archive(void *self, rn_archive *archive, rn_archive_section section);

#endif
