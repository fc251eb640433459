/* The kernels that the host launches, which only call rn_gpu_run (cuda/device.c) or rn_plain_run
   (cuda/plain_program.c). In CUDA, because C cannot declare a kernel. RN_PLAIN: those of plain worlds, one for large
   worlds and one for small ones, which have one piece for a multiprocessor. */
extern "C" {
struct rn_gpu_job;
#if defined(RN_PLAIN)
__attribute__((device)) void rn_plain_run(rn_gpu_job *job);
__attribute__((global, launch_bounds(288, 3))) void rn_plain_large(rn_gpu_job *job) { rn_plain_run(job); }
__attribute__((global, launch_bounds(544, 1))) void rn_plain_small(rn_gpu_job *job) { rn_plain_run(job); }
#else
__attribute__((device)) void rn_gpu_run(rn_gpu_job *job);
__attribute__((global, launch_bounds(504, 1))) void rn_gpu_kernel(rn_gpu_job *job) { rn_gpu_run(job); }
#endif
}
