/* The entry of the GPU's program, in CUDA because C has no word for it. */
extern "C" {
struct rn_gpu_job;
__attribute__((device)) void rn_gpu_run(rn_gpu_job *job);
__attribute__((global)) void rn_gpu_kernel(rn_gpu_job *job) { rn_gpu_run(job); }
}
