/* A job of the GPU: what the host passes to it for one world, and the results. The host fills an rn_gpu_job at the
   begin of a parcel (cuda/parcel.h). rn_cuda_run (cuda/driver.h) copies the parcel to the GPU, runs rn_gpu_run with the
   job on all threads of the GPU, or on its share of them if there are several jobs, and copies the parcel back. */
#ifndef RN_CUDA_JOB_H
#define RN_CUDA_JOB_H

#include "cuda/machine.h"
#include "cuda/plain_step.h"
#include "solver/pipe_self.h"
#include "world/forcing.h"

/* The threads of a block: lanes of a rank, which cover a piece of a tile and the columns around it, and ranks. */
enum { RN_GPU_LANES = RN_PIECE_X + 4, RN_GPU_RANKS = 14 };
enum { RN_GPU_SHARED = 144 * 1024 }; /* bytes of memory that the threads of a block share */

/* What all blocks share: the barrier, and the task of rn_parallel_for. */
typedef struct rn_gpu_crew {
    volatile uint32_t arrived;  /* at the barrier: the sum over all blocks since the job began */
    rn_task task;               /* NULL: the job is done */
    const void *context;        /* of the task */
    int count, next;            /* number of items; the first that no block has taken */
    _Alignas(8) char copy[512]; /* of a context that is a local variable of block 0 */
} rn_gpu_crew;

/* The substeps of a job. */
typedef struct rn_gpu_course {
    rn_stretch stretch;
    int most; /* substeps, at most */
    rn_step_report report;
    rn_result result;
} rn_gpu_course;

/* Memory of the solver, and where it is kept as it was before the job. Blocks copy it in chunks. */
enum { RN_KEPT_CHUNK = 1024 }; /* words of 8 bytes */
typedef struct rn_kept {
    void *memory, *copy;
    size_t size;    /* bytes */
    int64_t before; /* chunks of all that comes before it in the list */
} rn_kept;

typedef struct rn_gpu_job {
    void *place;            /* on the GPU, of its parcel */
    size_t bytes;           /* of its parcel */
    int pieces;             /* of the world (cuda/plain_step.h) */
    rn_pipe_solver *solver; /* in the parcel, as are `kept` and `world` */
    const rn_kept *kept;    /* what to copy before the first substep */
    int kept_count;
    int64_t kept_chunks;      /* of all together */
    volatile bool *has_begun; /* set to true, for the host, once all of it is copied: the solver may have changed */
    rn_world *world;          /* a copy of its clock, sources and gauges (rn_forcing.copy) */
    float added;              /* m, largest depth that sources added to a column in the last substep, in plain worlds */
    bool acts;                /* it has sources or gauges */
    rn_gpu_course course;
    bool implicit; /* its solver takes implicit substeps */
    bool is_plain; /* the world is plain; `plain` is used only then */
    rn_plain plain;
    rn_gpu_crew crew;
} rn_gpu_job;

/* Copies memory in words of 8 bytes, and what is left in bytes: compilers for GPUs make loops over bytes of memcpy.
   Both addresses must be multiples of 8. */
static inline void rn_copy_words(void *to, const void *from, size_t size) {
    typedef uint64_t __attribute__((may_alias)) word;
    for (size_t i = 0; i < size / sizeof(word); i++) ((word *)to)[i] = ((const word *)from)[i];
    for (size_t i = size / sizeof(word) * sizeof(word); i < size; i++) ((char *)to)[i] = ((const char *)from)[i];
}

/* A job of the program of surfaces (cuda/surface_job.h), as words. */
typedef struct rn_gpu_words {
    uint64_t at[RN_SURFACE_JOB_WORDS];
} rn_gpu_words;

/* The jobs of a launch, one for each world; blocks with the same number along y have the same. */
typedef struct rn_gpu_jobs {
    rn_gpu_job *at[RN_MOST_WORLDS];
} rn_gpu_jobs;
_Static_assert(RN_MOST_WORLDS == 64, "cuda/kernel.cu must have the same number");

/* Gives the crew a task of so many items. `size`: bytes of the context; one that is a local variable is copied to where
   all blocks can read it. Returns false if that does not fit, or is of unknown size (1). */
static inline bool rn_crew_take(rn_gpu_crew *crew, int count, rn_task task, const void *context, size_t size) {
    const bool own = machine_is_own(context);
    if (own && (size <= 1 || size > sizeof crew->copy)) return false;
    if (own) rn_copy_words(crew->copy, context, size);
    crew->context = own ? crew->copy : context;
    crew->task = task;
    crew->count = count;
    crew->next = 0;
    return true;
}

/* The program of the GPU; runs on all threads of all blocks at once. Takes the substeps of job->course, which then has
   the results, and changes the solver. The crew must be 0 at the start. */
void rn_gpu_run(rn_gpu_job *job);
/* The same for plain worlds, whose program is another. Needs job->plain. */
void rn_plain_run(rn_gpu_job *job);
/* Copies this thread's share of what is to be kept. All lanes of all blocks call it; the caller lets them meet before
   anything is changed. */
void rn_gpu_keep(const rn_gpu_job *job);
/* In plain worlds, called by the clock of block 0 while sources act: lanes of all blocks run the items of the crew's
   task, then it returns. */
void rn_plain_share(void);
/* Makes the copy of the world ready to be called by the solver on this device, and returns its callbacks. Called by one
   thread. */
rn_forcing rn_gpu_forcing(rn_gpu_job *job);
/* Takes all substeps of a course with this solver, and sets the course's results. Called by one thread of rn_gpu_run,
   or by one thread per block of rn_plain_run, for the block's own copies. */
void rn_gpu_solve(rn_gpu_course *course, rn_pipe_solver *solver, const rn_forcing *forcing);

#endif
