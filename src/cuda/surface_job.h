/* A job of the GPU that builds a surface: what the host passes to it, and the results. */
#ifndef RN_CUDA_SURFACE_JOB_H
#define RN_CUDA_SURFACE_JOB_H

#include "cuda/machine.h"
#include "surface/meniscus.h"
#include "surface/surface.h"

/* Memory that all lanes of all blocks share during a job; all 0 before and after it. */
typedef struct rn_surface_meeting {
    volatile uint32_t arrived; /* at barriers: the sum over all blocks */
    int left;                  /* blocks that are done */
    int noted[3];              /* something was found, for three rounds in turn */
} rn_surface_meeting;

typedef struct rn_surface_result {
    rn_surface_end end;
    rn_surface_counts counts;
} rn_surface_result;

/* A job. Each block has a copy of it in its memory, with the pointers of the state set to what follows. */
typedef struct rn_surface_job {
    rn_surface_state state;
    rn_surface_columns columns;
    rn_surface_def def;
    rn_mesh mesh;
    rn_meniscus meniscus;
    rn_surface_meeting *meeting;
    rn_surface_result *result;
} rn_surface_job;

/* The threads of a block: lanes of a rank, one for each bit of a word, and ranks; tests may have more. */
enum { RN_SURFACE_LANES = 64, RN_SURFACE_RANKS = 4, RN_SURFACE_RANKS_MOST = 64 };
/* Bytes that the threads of a block share: the job, then what lanes find together, from byte 512 on those of a rank. */
enum { RN_SURFACE_SHARED = 8 * RN_SURFACE_JOB_WORDS + 1024 };
_Static_assert(RN_SURFACE_LANES *RN_SURFACE_RANKS == 256, "cuda/kernel.cu has the same number");
_Static_assert(RN_SURFACE_JOB_WORDS == 256, "cuda/kernel.cu has the same number");
_Static_assert(sizeof(rn_surface_job) <= 8 * RN_SURFACE_JOB_WORDS, "a job must fit into its words");

/* The program: all threads of all blocks run it, with the job at the start of the memory of their block. */
void rn_surface_run(void);

#endif
