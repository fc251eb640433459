/* An NVIDIA GPU through its driver, which is opened when it is first asked for. src/cuda/machine_threads.c has the same
   on threads of the CPU, for tests. */
#ifndef RN_CUDA_DRIVER_H
#define RN_CUDA_DRIVER_H

#include "cuda/job.h"

/* Finds the GPU and loads the program, once. False: `error` says what is missing. */
bool rn_cuda_open(char *error, size_t size);
/* Blocks that run at once. */
int rn_cuda_blocks(void);
/* Memory that host and GPU see at the same address; NULL: there is none left. */
void *rn_cuda_alloc(size_t size);
void rn_cuda_free(void *memory);
/* Runs a job, which lies in such memory, and waits for it. False: `error` says why. */
bool rn_cuda_run(rn_gpu_job *job, char *error, size_t size);

#endif
