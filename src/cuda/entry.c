/* librunnel-cuda.so: the explicit pipe solver on a GPU.

   The solver is the CPU's own, and so is its memory, which host and GPU see at the same addresses. Only `advance` goes
   to the GPU. Worlds with sources or cross-sections, which act after every substep, and worlds whose passages may need
   more memory advance on the CPU, with the same bits. What else a world does to the liquid runs on the host. */
#include "cuda/driver.h"
#include "solver/backend.h"

#include <string.h>

static const rn_backend_host *host;
static rn_solver_class class_made;

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
    host->log(&hooks->outer, level, text);
}

static rn_result create(const rn_solver_def *def, void **self, rn_columns **columns) {
    gpu_hooks *hooks = host->alloc(&def->hooks, 1, sizeof *hooks);
    if (!hooks) return RN_MEMORY;
    hooks->outer = def->hooks;
    rn_solver_def inner = *def;
    inner.hooks = (rn_hooks){.user = hooks, .alloc = alloc, .free = release, .log = pass_log};
    inner.columns.hooks = inner.hooks;
    inner.workers = rn_cuda_blocks();
    hooks->job = host->alloc(&inner.hooks, 1, sizeof *hooks->job);
    const rn_result result = hooks->job ? host->explicit_solver->create(&inner, self, columns) : RN_MEMORY;
    if (result == RN_OK) return RN_OK;
    host->free(&inner.hooks, hooks->job);
    host->free(&def->hooks, hooks);
    return result;
}

static void destroy(void *self) {
    rn_pipe_solver *solver = self;
    if (!solver) return;
    gpu_hooks *hooks = solver->hooks.user;
    const rn_hooks inner = solver->hooks, outer = hooks->outer;
    host->explicit_solver->destroy(self);
    host->free(&inner, hooks->job);
    host->free(&outer, hooks);
}

/* Whether the GPU may advance this world: it cannot call back to the host, nor allocate. */
static rn_result look_for_gpu_work(rn_pipe_solver *solver, const rn_forcing *forcing, bool *can) {
    *can = !forcing->sourced && !forcing->gauged;
    return *can ? host->prepare(&solver->flood, &solver->state, can) : RN_OK;
}

static rn_result advance(void *self, double seconds, int most, const rn_forcing *forcing, rn_step_report *report) {
    rn_pipe_solver *solver = self;
    rn_gpu_job *job = ((gpu_hooks *)solver->hooks.user)->job;
    char error[256];
    bool can;
    const rn_result ready = look_for_gpu_work(solver, forcing, &can);
    if (ready != RN_OK) return ready;
    if (!can) return host->explicit_solver->advance(self, seconds, most, forcing, report);
    if (report->substeps == 0) solver->flood.iterations = 0;
    *job = (rn_gpu_job){.solver = solver,
                        .stretch = {.seconds = seconds, .left = seconds},
                        .most = most,
                        .report = *report,
                        .time = forcing->time(forcing->context)};
    if (!rn_cuda_run(job, error, sizeof error)) return host->fail(RN_INVALID, error);
    *report = job->report;
    forcing->substeps(forcing->context, job->time, job->done, job->left);
    return job->result;
}

__attribute__((visibility("default"))) const rn_solver_class *rn_backend_solver(const rn_backend_host *from,
                                                                                const char *solver);

const rn_solver_class *rn_backend_solver(const rn_backend_host *from, const char *solver) {
    char error[256];
    host = from;
    if (from->version != RN_BACKEND_VERSION || from->size != sizeof(rn_pipe_solver)) {
        from->fail(RN_INVALID, "librunnel-cuda.so and runnel are of different versions; install both from one build");
        return NULL;
    }
    if (strcmp(solver, from->explicit_solver->name) != 0) {
        from->fail(RN_INVALID, "the backend \"cuda\" has the solver \"explicit\" only; use that, or \"cpu\"");
        return NULL;
    }
    if (!rn_cuda_open(error, sizeof error)) {
        from->fail(RN_INVALID, error);
        return NULL;
    }
    class_made = *from->explicit_solver;
    class_made.backend = "cuda";
    class_made.meaning = "the same substeps on a GPU";
    class_made.create = create;
    class_made.destroy = destroy;
    class_made.advance = advance;
    return &class_made;
}
