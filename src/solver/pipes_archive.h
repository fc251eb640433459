/* Saving, checking, restoring and hashing the pipe solvers. */
#ifndef RN_SOLVER_PIPES_ARCHIVE_H
#define RN_SOLVER_PIPES_ARCHIVE_H

#include "solver/archive.h"

rn_result rn_pipes_archive(void *self, rn_archive *archive, rn_archive_section section);

#endif
