/* An NVIDIA GPU through its driver, which is opened when it is first asked for. */
#ifndef RN_CUDA_DRIVER_H
#define RN_CUDA_DRIVER_H

#include "cuda/job.h"

/* Finds the GPU and loads the program. Fails with a message that says what is missing. */
rn_result rn_cuda_open(void);
/* Blocks that run at once. */
int rn_cuda_blocks(void);
/* Memory that host and GPU see at the same address; NULL: there is none left. */
void *rn_cuda_alloc(size_t size);
void rn_cuda_free(void *memory);
/* Runs a job, which lies in such memory, and waits for it. */
rn_result rn_cuda_run(rn_gpu_job *job);

#endif
