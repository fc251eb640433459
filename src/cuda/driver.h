/* An NVIDIA GPU through its driver, which is opened at the first rn_cuda_open. All other calls need an rn_cuda_open
   that succeeded. src/cuda/machine_threads.c emulates the same functions with threads of the CPU, for tests. */
#ifndef RN_CUDA_DRIVER_H
#define RN_CUDA_DRIVER_H

#include "cuda/job.h"

/* Opens the GPU; most programs are loaded when a job first needs them. Later calls only repeat the result, or the
   failure of an rn_cuda_run since. On failure returns false, and `error`, of `size` bytes, says what is missing;
   otherwise it is "". May be called by several threads. */
bool rn_cuda_open(char *error, size_t size);
/* At least the number of blocks of a general job, above 0. */
int rn_cuda_blocks(void);
/* At least the number of blocks of a plain job. */
int rn_cuda_plain_blocks(void);
/* Whether the GPU has `size` bytes of free memory; true also if the driver cannot tell. If false, `error`, of `length`
   bytes, has both numbers; otherwise it is not touched. */
bool rn_cuda_has_room(size_t size, char *error, size_t length);
/* Allocates memory that host and GPU see at the same address, not cleared. Returns NULL if memory runs out. */
void *rn_cuda_alloc(size_t size);
/* Frees such memory, which no job may use any more. */
void rn_cuda_free(void *memory);
/* The same of memory that only the GPU sees. */
void *rn_cuda_alloc_far(size_t size);
void rn_cuda_free_far(void *memory);
/* Whether rn_cuda_run would have to load a program for these jobs: the driver compiles one that it has not seen before,
   which takes seconds to more than a minute, and keeps the result. */
bool rn_cuda_must_load(rn_gpu_job *const *jobs, int count);
/* Runs jobs, at most RN_MOST_WORLDS of them and side by side where they have the same program, and waits for their end.
   Each job is the begin of a parcel (cuda/parcel.h); what this points to must lie in the parcel or in memory of
   rn_cuda_alloc. Returns false if the GPU failed; then `error`, of `size` bytes, says why, the parcels are as they were
   or undefined, and later calls of rn_cuda_open fail too. The results of the solvers themselves are in the parcels. */
bool rn_cuda_run(rn_gpu_job *const *jobs, int count, char *error, size_t size);

/* Builds a surface: runs rn_surface_run (cuda/surface_job.h) with a copy of the job, which has so many words of rows,
   and waits for its end. Failures as those of rn_cuda_run. */
bool rn_cuda_build(const rn_gpu_words *job, int items, char *error, size_t size);
/* Copies between memory of the host, of both and of the GPU. Returns false, with a message, on failure. */
bool rn_cuda_copy(void *to, const void *from, size_t size, char *error, size_t length);
/* Memory of the host that the GPU may write to, cleared. Returns NULL if memory runs out. */
void *rn_cuda_alloc_host(size_t size);
void rn_cuda_free_host(void *memory);

#endif
