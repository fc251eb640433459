/* The program of the GPU, run by threads of the CPU: slow, for tests. */
#ifndef RN_CUDA_EMULATE_H
#define RN_CUDA_EMULATE_H

#include "cuda/job.h"

__attribute__((visibility("default"))) void rn_gpu_emulate(rn_gpu_job *job, int blocks, int lanes);

#endif
