/* An NVIDIA GPU through its driver, which is opened at the first rn_cuda_open. All other calls need an rn_cuda_open
   that succeeded. src/cuda/machine_threads.c emulates the same functions with threads of the CPU, for tests. */
#ifndef RN_CUDA_DRIVER_H
#define RN_CUDA_DRIVER_H

#include "cuda/job.h"

/* Opens the GPU and loads the programs; later calls only repeat the result, or the failure of an rn_cuda_run since. On
   failure returns false, and `error`, of `size` bytes, says what is missing; otherwise it is "". May be called by
   several threads. */
bool rn_cuda_open(char *error, size_t size);
/* The number of blocks that run at once, above 0. */
int rn_cuda_blocks(void);
/* The largest number of blocks that run at once in a plain world. */
int rn_cuda_plain_blocks(void);
/* Whether the GPU has `size` bytes of free memory; true also if the driver cannot tell. If false, `error`, of `length`
   bytes, has both numbers; otherwise it is not touched. */
bool rn_cuda_has_room(size_t size, char *error, size_t length);
/* Allocates memory that host and GPU see at the same address, not cleared. Returns NULL if memory runs out. */
void *rn_cuda_alloc(size_t size);
/* Frees such memory, which no job may use any more. */
void rn_cuda_free(void *memory);
/* Runs a job and waits for its end; the job and all that it points to must lie in memory of rn_cuda_alloc. Returns
   false if the GPU failed; then `error`, of `size` bytes, says why, the job's memory is undefined, and later calls of
   rn_cuda_open fail too. The result of the solver itself is in the job. */
bool rn_cuda_run(rn_gpu_job *job, char *error, size_t size);

#endif
