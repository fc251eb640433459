/* The kernels that the host launches, which only call rn_gpu_run (cuda/device.c) or rn_plain_run
   (cuda/plain_program.c). In CUDA, because C cannot declare a kernel. RN_PLAIN: those of plain worlds, one for large
   worlds and one for small ones, which have one piece for a multiprocessor. Blocks of linked worlds (without RN_UNLINKED)
   need more memory, and fewer fit. Blocks of the same number along y run the same job. */
extern "C" {
struct rn_gpu_job;
struct rn_gpu_jobs { /* as in cuda/job.h */
    rn_gpu_job *at[64];
};
#define JOB jobs.at[__nvvm_read_ptx_sreg_ctaid_y()]
#if defined(RN_PLAIN)
__attribute__((device)) void rn_plain_run(rn_gpu_job *job);
#if defined(RN_UNLINKED)
#define RN_FIT 3
#else
#define RN_FIT 2
#endif
__attribute__((global, launch_bounds(288, RN_FIT))) void rn_plain_large(rn_gpu_jobs jobs) { rn_plain_run(JOB); }
__attribute__((global, launch_bounds(544, 1))) void rn_plain_small(rn_gpu_jobs jobs) { rn_plain_run(JOB); }
#else
__attribute__((device)) void rn_gpu_run(rn_gpu_job *job);
__attribute__((global, launch_bounds(504, 1))) void rn_gpu_kernel(rn_gpu_jobs jobs) { rn_gpu_run(JOB); }
#endif
}
