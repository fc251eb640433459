/* librunnel-cuda.so: the explicit pipe solver on a GPU. Its one symbol is rn_backend_solver, which rn_backend_find
   calls (solver/backend.h).

   The solver is that of the CPU, and its memory is visible to host and GPU at the same addresses. Only `advance` runs
   on the GPU. Worlds with sources or cross-sections, which act after every substep, and worlds whose passages may need
   more memory advance on the CPU, with the same bits. Everything else that a world does to its liquid runs on the
   host. */
#include "cuda/driver.h"
#include "solver/backend.h"

#include <pthread.h>
#include <string.h>

/* What this library uses of runnel's; and the solver class that it returns. */
static const rn_backend_host *host;
static rn_solver_class class_made;

/* The user data of the solver's hooks: they allocate memory of the GPU, and pass messages to the hooks of the world. */
typedef struct gpu_hooks {
    rn_hooks outer;  /* of the world */
    rn_gpu_job *job; /* in memory of the GPU; used again by each advance */
    rn_plain plain;  /* for jobs of plain worlds; its arrays have room for: */
    int32_t tiles;
    uint32_t shape; /* of the columns of which the next is known */
    bool roofed;    /* some column has a ceiling below the lid */
    bool told;      /* that this world advances on the CPU, and why */
} gpu_hooks;

/* The allocation hook of the solver: returns memory that host and GPU see. Returns NULL, and logs it, if the GPU has
   too little memory. */
static void *alloc_shared(void *user, size_t size) {
    const gpu_hooks *hooks = user;
    char error[256];
    if (rn_cuda_has_room(size, error, sizeof error)) return rn_cuda_alloc(size);
    host->log(&hooks->outer, RN_LOG_WARNING, error);
    return NULL;
}

/* The hook of the solver that frees memory of rn_cuda_alloc(). */
static void free_shared(void *user, void *memory) {
    (void)user;
    rn_cuda_free(memory);
}

/* The log hook of the solver: passes a message to the hooks of the world. user: the gpu_hooks. */
static void pass_log(void *user, rn_log_level level, const char *text) {
    const gpu_hooks *hooks = user;
    host->log(&hooks->outer, level, text);
}

/* rn_solver_class.create: makes the CPU's solver with its memory on the GPU, and as many workers as there are blocks.
   On failure nothing is left allocated, and `self` and `columns` are as the CPU's solver leaves them. */
static rn_result create(const rn_solver_def *def, void **self, rn_columns **columns) {
    gpu_hooks *hooks = host->alloc(&def->hooks, 1, sizeof *hooks);
    if (!hooks) return RN_MEMORY;
    *hooks = (gpu_hooks){.outer = def->hooks};
    rn_solver_def inner = *def;
    inner.hooks = (rn_hooks){.user = hooks, .alloc = alloc_shared, .free = free_shared, .log = pass_log};
    inner.columns.hooks = inner.hooks;
    inner.workers = rn_cuda_blocks();
    hooks->job = host->alloc(&inner.hooks, 1, sizeof *hooks->job);
    const rn_result result = hooks->job ? host->explicit_solver->create(&inner, self, columns) : RN_MEMORY;
    if (result == RN_OK) return RN_OK;
    host->free(&inner.hooks, hooks->job);
    host->free(&def->hooks, hooks);
    return result;
}

/* Frees the arrays of hooks->plain, and clears them. */
static void free_plain(gpu_hooks *hooks, const rn_hooks *inner) {
    host->free(inner, hooks->plain.tiles);
    host->free(inner, hooks->plain.pieces);
    host->free(inner, hooks->plain.found);
    hooks->plain = (rn_plain){0};
    hooks->tiles = 0;
}

/* Makes the arrays of hooks->plain large enough for the tiles of a world; if they must grow, their contents are lost.
   Returns false if memory runs out; then there are none. */
static bool fit_plain(gpu_hooks *hooks, const rn_hooks *inner, const rn_grid *grid) {
    const int32_t tiles = rn_tile_count(grid);
    if (tiles <= hooks->tiles) return true;
    free_plain(hooks, inner);
    hooks->plain.tiles = host->alloc(inner, (size_t)tiles, sizeof *hooks->plain.tiles);
    hooks->plain.pieces = host->alloc(inner, (size_t)tiles, RN_PLAIN_PARTS);
    hooks->plain.found = host->alloc(inner, 2 * (size_t)rn_cuda_plain_blocks(), sizeof *hooks->plain.found);
    if (!hooks->plain.tiles || !hooks->plain.pieces || !hooks->plain.found) {
        free_plain(hooks, inner);
        return false;
    }
    hooks->tiles = tiles;
    return true;
}

/* rn_solver_class.destroy: frees the solver, the job and the hooks. NULL is allowed. */
static void destroy(void *self) {
    rn_pipe_solver *solver = self;
    if (!solver) return;
    gpu_hooks *hooks = solver->hooks.user;
    const rn_hooks inner = solver->hooks, outer = hooks->outer;
    host->explicit_solver->destroy(self);
    free_plain(hooks, &inner);
    host->free(&inner, hooks->job);
    host->free(&outer, hooks);
}

/* Whether some column has a ceiling below the lid; looks at rows only when columns have changed. */
static bool has_roofs(gpu_hooks *hooks, const rn_state *s) {
    if (hooks->shape == s->columns.shape) return hooks->roofed;
    hooks->shape = s->columns.shape;
    hooks->roofed = false;
    for (int r = 0; r < row_count(s) && !hooks->roofed; r++)
        hooks->roofed = rn_row_at(s, row_at(s, r).layer, row_at(s, r).y)->roofed;
    return hooks->roofed;
}

/* Whether the world is plain (cuda/plain_step.h). */
static bool is_plain(gpu_hooks *hooks, const rn_pipe_solver *solver) {
    const rn_state *s = &solver->state;
    return solver->params.momentum && !solver->params.contact && !s->columns.periodic_x && !s->columns.periodic_y &&
           !s->columns.partial && s->graph.irregular_count == 0 && s->graph.sink_count == 0 &&
           solver->flood.duct_count == 0 && !has_roofs(hooks, s);
}

/* Sets *can to whether the GPU can advance this world, which must need neither calls to the host (sources,
   cross-sections) nor more memory for passages. Unless it has sources or cross-sections, allocates memory for passages;
   returns RN_MEMORY if that fails. */
static rn_result look_for_gpu_work(rn_pipe_solver *solver, const rn_forcing *forcing, bool *can) {
    *can = !forcing->sourced && !forcing->gauged;
    return *can ? host->prepare(&solver->flood, &solver->state, can) : RN_OK;
}

/* Logs once why a world advances on the CPU. */
static void tell_once(gpu_hooks *hooks, const rn_forcing *forcing) {
    if (hooks->told) return;
    hooks->told = true;
    host->log(&hooks->outer, RN_LOG_WARNING,
              forcing->sourced ? "this world has sources, which the GPU cannot run yet: it advances on the CPU"
              : forcing->gauged
                  ? "this world has cross-sections, which the GPU cannot measure yet: it advances on the CPU"
                  : "the passages of this world may need more memory than was set aside for the GPU: it "
                    "advances on the CPU");
}

/* rn_solver_class.advance: by `seconds` in at most `most` substeps, on the GPU if it can, else on the CPU. Adds to the
   report; on the GPU, tells `forcing` of all substeps at once. If the GPU fails, returns RN_INVALID, and the liquid is
   undefined. Returns RN_MEMORY, before any substep, if memory for passages or plain worlds runs out. */
static rn_result advance(void *self, double seconds, int most, const rn_forcing *forcing, rn_step_report *report) {
    rn_pipe_solver *solver = self;
    gpu_hooks *hooks = solver->hooks.user;
    rn_gpu_job *job = hooks->job;
    char error[256];
    bool can;
    const rn_result ready = look_for_gpu_work(solver, forcing, &can);
    if (ready != RN_OK) return ready;
    if (!can) {
        tell_once(hooks, forcing);
        return host->explicit_solver->advance(self, seconds, most, forcing, report);
    }
    if (report->substeps == 0) solver->flood.iterations = 0;
    if (solver->touched) host->explicit_solver->stable_dt(self, forcing); /* measures, which takes one thread long */
    const bool plain = is_plain(hooks, solver);
    if (plain && !fit_plain(hooks, &solver->hooks, &solver->state.columns.grid)) return RN_MEMORY;
    *job = (rn_gpu_job){.solver = solver,
                        .is_plain = plain,
                        .plain = hooks->plain,
                        .course = {.stretch = {.seconds = seconds, .left = seconds},
                                   .most = most,
                                   .report = *report,
                                   .time = forcing->time(forcing->context)}};
    if (!rn_cuda_run(job, error, sizeof error)) return host->fail(RN_INVALID, error);
    const rn_gpu_course *course = &job->course;
    *report = course->report;
    forcing->substeps(forcing->context, course->time, course->done, course->left);
    return course->result;
}

__attribute__((visibility("default"))) const rn_solver_class *rn_backend_solver(const rn_backend_host *from,
                                                                                const char *solver);

/* Creates class_made from the host's explicit solver, once: worlds of several threads use it. */
static void make_class(void) {
    class_made = *host->explicit_solver;
    class_made.backend = "cuda";
    class_made.meaning = "the same substeps on a GPU";
    class_made.create = create;
    class_made.destroy = destroy;
    class_made.advance = advance;
    class_made.resting = NULL; /* the GPU knows them, not the host */
}

/* Takes the host of the first call, and makes the class; later calls with the same host do nothing. Returns false if
   another copy of runnel has done so. */
static bool take_host(const rn_backend_host *from) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (!host) {
        host = from;
        make_class();
    }
    pthread_mutex_unlock(&lock);
    return host == from;
}

/* The entry of this library (rn_backend_entry): returns its class for the solver "explicit". Returns NULL, with a
   message, for any other solver, for another version of runnel, for a second copy of runnel in the program, or if there
   is no suitable GPU. */
const rn_solver_class *rn_backend_solver(const rn_backend_host *from, const char *solver) {
    char error[256];
    if (from->version != RN_BACKEND_VERSION || from->size != sizeof(rn_pipe_solver)) {
        from->fail(RN_INVALID, "librunnel-cuda.so and runnel are of different versions; install both from one build");
        return NULL;
    }
    if (strcmp(solver, from->explicit_solver->name) != 0) {
        from->fail(
            RN_INVALID,
            "the backend \"cuda\" supports only the solver \"explicit\"; use that solver, or the backend \"cpu\"");
        return NULL;
    }
    if (!take_host(from)) {
        from->fail(RN_INVALID, "another copy of runnel in this program already uses librunnel-cuda.so");
        return NULL;
    }
    if (!rn_cuda_open(error, sizeof error)) {
        from->fail(RN_INVALID, error);
        return NULL;
    }
    return &class_made;
}
