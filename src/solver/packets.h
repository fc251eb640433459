/* The packets solver of Lee & O'Sullivan 2007: docs/packets.md. */
#ifndef RN_SOLVER_PACKETS_H
#define RN_SOLVER_PACKETS_H

#include "solver/solver.h"

extern const rn_solver_class rn_solver_packets;

#endif
