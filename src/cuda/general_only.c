/* What the program of worlds that are not plain has in place of the program of plain ones, as PTX. */
#include "cuda/job.h"
#include "solver/momentum.h"
#include "solver/rows.h"

bool rn_gpu_step(const substep *step, bool retimed, rn_extremes *extremes) {
    (void)step, (void)retimed, (void)extremes;
    return false;
}

void rn_plain_share(void) {}
