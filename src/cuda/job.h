/* What the host hands to the GPU, and what comes back. */
#ifndef RN_CUDA_JOB_H
#define RN_CUDA_JOB_H

#include "solver/pipe_self.h"

enum { RN_GPU_LANES = 128 }; /* threads of a block: the columns of a tile along x */

/* What the blocks of one launch share. */
typedef struct rn_gpu_crew {
    volatile uint32_t arrived, phase; /* of the barrier */
    rn_task task;                     /* NULL: there is nothing left to do */
    const void *context;
    int count, next; /* items, and the first that nobody has taken */
    char copy[512];  /* of the context */
} rn_gpu_crew;

typedef struct rn_gpu_job {
    rn_pipe_solver *solver;
    rn_stretch stretch;
    int most; /* substeps */
    rn_step_report report;
    double time;   /* s, simulated so far */
    int64_t left;  /* quanta that have left the world */
    uint64_t done; /* substeps */
    rn_result result;
    rn_gpu_crew crew;
} rn_gpu_job;

/* Runs on all threads of all blocks. */
void rn_gpu_run(rn_gpu_job *job);

#endif
