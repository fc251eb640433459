/* An NVIDIA GPU through its driver, which is opened at the first rn_cuda_open. All other calls need an rn_cuda_open
   that succeeded. src/cuda/machine_threads.c emulates the same functions with threads of the CPU, for tests. */
#ifndef RN_CUDA_DRIVER_H
#define RN_CUDA_DRIVER_H

#include "cuda/job.h"

/* Opens the GPU and loads the program; later calls only repeat the result. False: `error` says what is missing. */
bool rn_cuda_open(char *error, size_t size);
/* The number of blocks that run at once. */
int rn_cuda_blocks(void);
/* Allocates memory that host and GPU see at the same address. NULL: out of memory. */
void *rn_cuda_alloc(size_t size);
void rn_cuda_free(void *memory);
/* Runs a job, which must lie in such memory, and waits for its end. False: the GPU failed; `error` says why. */
bool rn_cuda_run(rn_gpu_job *job, char *error, size_t size);

#endif
