/* The kernel that the host launches, which only calls rn_gpu_run (cuda/device.c). In CUDA, because C cannot declare a
   kernel. */
extern "C" {
struct rn_gpu_job;
__attribute__((device)) void rn_gpu_run(rn_gpu_job *job);
__attribute__((global, launch_bounds(504, 1))) void rn_gpu_kernel(rn_gpu_job *job) { rn_gpu_run(job); }
}
