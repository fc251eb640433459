/* The explicit pipe solver on a GPU.

   The solver is the CPU's own, and so is its memory, which host and GPU see at the same addresses. Only `advance` goes
   to the GPU; what else a world does to the liquid runs on the host. */
#include "base/error.h"
#include "base/memory.h"
#include "cuda/driver.h"
#include "solver/pipe_solver.h"

/* The hooks of the world, but for memory. */
typedef struct gpu_hooks {
    rn_hooks outer;
    rn_gpu_job *job;
} gpu_hooks;

static void *alloc(void *user, size_t size) {
    (void)user;
    return rn_cuda_alloc(size);
}

static void release(void *user, void *memory) {
    (void)user;
    rn_cuda_free(memory);
}

static void pass_log(void *user, rn_log_level level, const char *text) {
    const gpu_hooks *hooks = user;
    rn_log(&hooks->outer, level, "%s", text);
}

static rn_result create(const rn_solver_def *def, void **self, rn_columns **columns) {
    const rn_result opened = rn_cuda_open();
    if (opened != RN_OK) return opened;
    gpu_hooks *hooks = rn_alloc(&def->hooks, 1, sizeof *hooks);
    if (!hooks) return RN_MEMORY;
    hooks->outer = def->hooks;
    rn_solver_def inner = *def;
    inner.hooks = (rn_hooks){.user = hooks, .alloc = alloc, .free = release, .log = pass_log};
    inner.columns.hooks = inner.hooks;
    inner.workers = rn_cuda_blocks();
    hooks->job = rn_alloc(&inner.hooks, 1, sizeof *hooks->job);
    rn_result result = hooks->job ? rn_solver_explicit.create(&inner, self, columns) : RN_MEMORY;
    if (result == RN_OK) return RN_OK;
    rn_free(&inner.hooks, hooks->job);
    rn_free(&def->hooks, hooks);
    return result;
}

static void destroy(void *self) {
    rn_pipe_solver *solver = self;
    if (!solver) return;
    gpu_hooks *hooks = solver->hooks.user;
    const rn_hooks inner = solver->hooks, outer = hooks->outer;
    rn_solver_explicit.destroy(self);
    rn_free(&inner, hooks->job);
    rn_free(&outer, hooks);
}

/* Runs the job; where the GPU finds no room to note flooded columns, the host makes some, and the GPU goes on. */
static rn_result run(rn_pipe_solver *solver, rn_gpu_job *job) {
    for (;;) {
        rn_result result = rn_cuda_run(job);
        if (result != RN_OK || job->result != RN_MEMORY) return result != RN_OK ? result : job->result;
        result = rn_flood_find(&solver->flood, &solver->state);
        if (result != RN_OK) return result;
    }
}

static rn_result advance(void *self, double seconds, int most, const rn_forcing *forcing, rn_step_report *report) {
    rn_pipe_solver *solver = self;
    if (forcing->sourced || forcing->gauged) return rn_solver_explicit.advance(self, seconds, most, forcing, report);
    rn_gpu_job *job = ((gpu_hooks *)solver->hooks.user)->job;
    if (report->substeps == 0) solver->flood.iterations = 0;
    *job = (rn_gpu_job){.solver = solver,
                        .stretch = rn_stretch_of(seconds),
                        .most = most,
                        .report = *report,
                        .time = forcing->time(forcing->context)};
    const rn_result result = run(solver, job);
    *report = job->report;
    forcing->substeps(forcing->context, job->time, job->done, job->left);
    return result;
}

rn_solver_class rn_solver_cuda;

static __attribute__((constructor)) void make(void) {
    rn_solver_cuda = rn_solver_explicit;
    rn_solver_cuda.backend = "cuda";
    rn_solver_cuda.create = create;
    rn_solver_cuda.destroy = destroy;
    rn_solver_cuda.advance = advance;
}
