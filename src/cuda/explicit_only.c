/* What the general program has in place of the implicit step, as PTX; worlds with that step have a program of their
   own. Never called. */
#include "solver/implicit.h"

rn_result rn_implicit_fit(rn_implicit *solve, const rn_state *s) {
    (void)solve, (void)s;
    __builtin_unreachable();
}

rn_result rn_implicit_step(rn_implicit *solve, rn_flood *flood, rn_state *s, const rn_step_params *params,
                           rn_pool *pool, rn_extremes *extremes, bool *converged) {
    (void)solve, (void)flood, (void)s, (void)params, (void)pool, (void)extremes, (void)converged;
    __builtin_unreachable();
}
