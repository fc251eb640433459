/* What tests of the pipe solvers see of a world. */
#ifndef PIPE_WORLDS_H
#define PIPE_WORLDS_H

#include "solver/pipe_self.h"
#include "world/world.h"

static inline rn_pipe_solver *solver_of(const rn_world *world) { return world->self; }
static inline rn_state *state_of(const rn_world *world) { return &solver_of(world)->state; }

#endif
