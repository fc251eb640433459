/* The kernels that the host launches, which only call rn_gpu_run (cuda/device.c), rn_plain_run (cuda/plain_program.c)
   or rn_surface_run (cuda/surface_program.c; the job is copied to the memory of the block). In CUDA, because C cannot
   declare a kernel. RN_PLAIN: those of plain worlds, one for large worlds and one for small ones, which have one piece
   for a multiprocessor. Blocks of linked worlds (without RN_UNLINKED) need more memory, and fewer fit. Blocks of the
   same number along y run the same job. */
extern "C" {
struct rn_gpu_job;
struct rn_gpu_jobs { /* as in cuda/job.h */
    rn_gpu_job *at[64];
};
#define JOB jobs.at[__nvvm_read_ptx_sreg_ctaid_y()]
#if defined(RN_SURFACE)
struct rn_gpu_words { /* as in cuda/job.h and cuda/machine.h */
    unsigned long long at[256];
};
__attribute__((device)) void *machine_shared(unsigned long from);
__attribute__((device)) void rn_surface_run(void);
__attribute__((global, launch_bounds(256, 2))) void rn_surface_kernel(rn_gpu_words job) {
    const int first = __nvvm_read_ptx_sreg_tid_y() * 64 + __nvvm_read_ptx_sreg_tid_x();
    unsigned long long *to = (unsigned long long *)machine_shared(0);
    for (int i = first; i < 256; i += 256) to[i] = job.at[i];
    rn_surface_run();
}
#elif defined(RN_PLAIN)
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
