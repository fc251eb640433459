/* The explicit step that carries momentum (kernels/face.h; docs/model.md). */
#ifndef RN_SOLVER_MOMENTUM_H
#define RN_SOLVER_MOMENTUM_H

#include "solver/passages.h"

/* Takes one substep: forces and transport, then transfers, limits and depths; sets *extremes. Needs the passages of
   this substep (rn_flood_find). Liquid that has reached sinks is left in them. */
void rn_momentum_step(rn_state *s, const rn_step_params *params, rn_flood *flood, rn_pool *pool, rn_extremes *extremes);

struct substep;
/* First part of an implicit substep: writes the speeds (m/s) after transport and drag to `next`, the speed per metre of
   level difference (1/s) to `gain`, and the depths (m) that cross to `width`, of ordinary pipes and connections. */
void rn_momentum_predict(struct substep *step, rn_pool *pool);

/* Slows the flow of faces whose columns have just got liquid at rest from sources, so that momentum stays. Clears
   `gained`, and `poured` of rows. */
void rn_momentum_dilute(rn_state *s, rn_pool *pool);
/* The parts of rn_momentum_dilute, which leave `gained` and the copies beyond periodic edges as they are: for solvers
   that divide the work among threads in another way. The first slows faces of a row (its number over all layers):
   RN_LANES from column `first` on, and as many from every `apart` columns further on. The second slows an irregular
   pipe. */
void rn_dilute_row(const rn_state *s, int row, int32_t first, int32_t apart);
void rn_dilute_pipe(const rn_state *s, int32_t pipe);

/* Call it after depths or speeds were changed from outside. Sets *extremes to what limits the next substep, without
   irregular pipes, updates `wet` of all rows and the copies beyond periodic edges, wakes all tiles, and makes the next
   substep examine all connections for liquid. */
void rn_momentum_measure(rn_state *s, const rn_step_params *params, rn_extremes *extremes);

/* Writes the fluxes (m^3/s) that hosts see, of ordinary and irregular pipes, from the speeds, and copies them across
   periodic edges. */
void rn_momentum_show(rn_state *s);
/* Takes speeds of ordinary pipes from fluxes that hosts have written; 0 where a pipe is closed. Faces whose flux is
   still as shown keep their speed. Copies beyond periodic edges are left to rn_momentum_measure. */
void rn_momentum_take(rn_state *s);

#if defined(RN_GPU)
struct substep;
/* Takes a whole substep on the GPU and sets *extremes, if the world is one that all blocks of the GPU can step
   together; otherwise returns false and does nothing. The parameters must be set. retimed: the parameters have changed
   since tiles came to rest. */
bool rn_gpu_step(const struct substep *step, bool retimed, rn_extremes *extremes);
#endif

#endif
