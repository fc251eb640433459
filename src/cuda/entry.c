/* librunnel-cuda.so: the pipe solvers, explicit and implicit, on a GPU. Its one symbol is rn_backend_solver, which
   rn_backend_find calls (solver/backend.h).

   The solver is that of the CPU, and its arrays are visible to host and GPU at the same addresses. Only `advance` runs
   on the GPU. What both change in every frame is sent there and back (cuda/parcel.h): the solver's struct, and a copy
   of the world's sources and cross-sections, which act after every substep. Worlds whose passages may need more memory
   advance on the CPU, with the same bits. Everything else that a world does to its liquid runs on the host. */
#include "cuda/driver.h"
#include "cuda/parcel.h"
#include "cuda/surface.h"
#include "solver/backend.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* What this library uses of runnel's; and the solver classes that it returns. */
static const rn_backend_host *host;
static rn_solver_class explicit_class, implicit_class;

/* The user data of the solver's hooks: they allocate memory of the GPU, and pass messages to the hooks of the world. */
typedef struct gpu_hooks {
    rn_hooks outer;   /* of the world */
    rn_parcel parcel; /* used again by each advance */
    rn_plain plain;   /* for jobs of plain worlds; its arrays have room for: */
    int32_t tiles;
    uint32_t shape; /* of the columns of which the next is known */
    bool roofed;    /* some column has a ceiling below the lid */
    bool told;      /* that this world advances on the CPU, and why */
    rn_kept *kept;  /* all memory of the solver that a job changes; copies of it may be missing */
    int kept_count, kept_room;
    bool bare;                /* the GPU has too little memory for copies: none are made any more */
    bool lost;                /* the GPU has failed: the world stays on the CPU */
    struct rn_device *device; /* builds surfaces; NULL: not asked for yet */
} gpu_hooks;

/* Bytes of memory for `size` bytes: whole words, as rn_gpu_keep copies. */
static size_t whole_words(size_t size) { return (size + 7) / 8 * 8; }

/* Adds an allocation to the list of what is kept before substeps. Returns false if memory runs out. */
static bool list_kept(gpu_hooks *hooks, void *memory, size_t size) {
    if (hooks->kept_count == hooks->kept_room) {
        const int room = 2 * hooks->kept_room + 64;
        rn_kept *more = host->alloc(&hooks->outer, (size_t)room, sizeof *more);
        if (!more) return false;
        if (hooks->kept) memcpy(more, hooks->kept, (size_t)hooks->kept_count * sizeof *more);
        host->free(&hooks->outer, hooks->kept);
        hooks->kept = more;
        hooks->kept_room = room;
    }
    hooks->kept[hooks->kept_count++] = (rn_kept){.memory = memory, .size = size};
    return true;
}

/* Frees all copies, and lets no more be made. Returns false if there were none. */
static bool free_copies(gpu_hooks *hooks) {
    bool any = false;
    for (int i = 0; i < hooks->kept_count; i++) {
        if (!hooks->kept[i].copy) continue;
        rn_cuda_free(hooks->kept[i].copy);
        hooks->kept[i].copy = NULL;
        any = true;
    }
    hooks->bare = true;
    return any;
}

/* Allocates and lists memory of the GPU. Returns NULL if there is too little; `error`, of `length` bytes, then says how
   much there is, or is "". */
static void *alloc_listed(gpu_hooks *hooks, size_t size, char *error, size_t length) {
    error[0] = '\0';
    if (!rn_cuda_has_room(size, error, length)) return NULL;
    void *memory = rn_cuda_alloc(whole_words(size));
    if (memory && !list_kept(hooks, memory, size)) {
        rn_cuda_free(memory);
        return NULL;
    }
    return memory;
}

/* The allocation hook of the solver: returns memory that host and GPU see, or of the host alone once the GPU has
   failed. Where the GPU has too little memory, copies give way. Returns NULL, and logs it, if that is not enough. */
static void *alloc_shared(void *user, size_t size) {
    gpu_hooks *hooks = user;
    char error[256];
    if (hooks->lost) return host->alloc(&hooks->outer, size, 1);
    void *memory = alloc_listed(hooks, size, error, sizeof error);
    if (!memory && free_copies(hooks)) memory = alloc_listed(hooks, size, error, sizeof error);
    if (!memory && error[0]) host->log(&hooks->outer, RN_LOG_WARNING, error);
    return memory;
}

/* The hook of the solver that frees memory of alloc_shared, and its copy. */
static void free_shared(void *user, void *memory) {
    gpu_hooks *hooks = user;
    for (int i = 0; i < hooks->kept_count; i++) {
        if (hooks->kept[i].memory != memory) continue;
        if (hooks->kept[i].copy) rn_cuda_free(hooks->kept[i].copy);
        hooks->kept[i] = hooks->kept[--hooks->kept_count];
        rn_cuda_free(memory);
        return;
    }
    host->free(&hooks->outer, memory);
}

/* Makes room for copies of all memory of the solver. Returns false if the GPU has too little: then there are none, now
   and later, and a failure of the GPU cannot be made good. */
static bool fit_copies(gpu_hooks *hooks) {
    char error[256];
    size_t missing = 0; /* bytes; all at once, because memory may count as free until it is used */
    if (hooks->bare) return false;
    for (int i = 0; i < hooks->kept_count; i++) missing += hooks->kept[i].copy ? 0 : whole_words(hooks->kept[i].size);
    bool fits = missing == 0 || rn_cuda_has_room(missing, error, sizeof error);
    for (int i = 0; i < hooks->kept_count && fits; i++) {
        rn_kept *kept = &hooks->kept[i];
        if (!kept->copy && kept->size) kept->copy = rn_cuda_alloc(whole_words(kept->size));
        fits = kept->copy || kept->size == 0;
    }
    if (!fits) free_copies(hooks);
    return fits;
}

/* Restores all memory of the solver from its copies: the solver is as it was before the job. */
static void restore_kept(const gpu_hooks *hooks) {
    for (int i = 0; i < hooks->kept_count; i++)
        if (hooks->kept[i].size) memcpy(hooks->kept[i].memory, hooks->kept[i].copy, hooks->kept[i].size);
}

/* The log hook of the solver: passes a message to the hooks of the world. user: the gpu_hooks. */
static void pass_log(void *user, rn_log_level level, const char *text) {
    const gpu_hooks *hooks = user;
    host->log(&hooks->outer, level, text);
}

/* Does not keep the solver's struct, which is in a parcel. */
static void forget_struct(gpu_hooks *hooks, const void *solver) {
    for (int i = 0; i < hooks->kept_count; i++)
        if (hooks->kept[i].memory == solver) hooks->kept[i].size = 0;
}

/* Makes the CPU's solver of this class with its memory on the GPU, and as many workers as there are blocks.
   On failure nothing is left allocated, and `self` and `columns` are as the CPU's solver leaves them. */
static rn_result create_as(const rn_solver_class *solver, const rn_solver_def *def, void **self, rn_columns **columns) {
    gpu_hooks *hooks = host->alloc(&def->hooks, 1, sizeof *hooks);
    if (!hooks) return RN_MEMORY;
    *hooks = (gpu_hooks){.outer = def->hooks};
    rn_solver_def inner = *def;
    inner.hooks = (rn_hooks){.user = hooks, .alloc = alloc_shared, .free = free_shared, .log = pass_log};
    inner.columns.hooks = inner.hooks;
    inner.workers = rn_cuda_blocks();
    const rn_result result = solver->create(&inner, self, columns);
    if (result == RN_OK) {
        forget_struct(hooks, *self);
        return RN_OK;
    }
    host->free(&def->hooks, hooks->kept);
    host->free(&def->hooks, hooks);
    return result;
}

/* rn_solver_class.create of the explicit solver: see create_as. */
static rn_result create_explicit(const rn_solver_def *def, void **self, rn_columns **columns) {
    return create_as(host->explicit_solver, def, self, columns);
}

/* rn_solver_class.create of the implicit solver: see create_as. */
static rn_result create_implicit(const rn_solver_def *def, void **self, rn_columns **columns) {
    return create_as(host->implicit_solver, def, self, columns);
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

/* rn_solver_class.destroy: frees the solver, the parcel and the hooks. NULL is allowed. */
static void destroy(void *self) {
    rn_pipe_solver *solver = self;
    if (!solver) return;
    gpu_hooks *hooks = solver->hooks.user;
    const rn_hooks inner = solver->hooks, outer = hooks->outer;
    host->explicit_solver->destroy(self);
    free_plain(hooks, &inner);
    rn_parcel_free(&hooks->parcel);
    rn_gpu_device_destroy(hooks->device);
    host->free(&outer, hooks->kept);
    host->free(&outer, hooks);
}

/* rn_solver_class.device: none once the GPU has failed. */
static struct rn_device *device_of(void *self) {
    gpu_hooks *hooks = ((rn_pipe_solver *)self)->hooks.user;
    if (!hooks->device && !hooks->lost) hooks->device = rn_gpu_device_create(host, &hooks->outer);
    return hooks->lost ? NULL : hooks->device;
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

/* Whether the world, which is not plain, is linked (cuda/linked_step.h): it may have connections, ceilings and contact
   angles. If ceilings could fill up, `can_restore` must hold: the frame is then repeated in another way. */
static bool is_linked(gpu_hooks *hooks, const rn_pipe_solver *solver, bool can_restore) {
    const rn_state *s = &solver->state;
    const rn_flood *flood = &solver->flood;
    if (!solver->params.momentum || s->columns.periodic_x || s->columns.periodic_y || s->columns.partial) return false;
    if (flood->duct_count || flood->flooded_count) return false; /* also if what flooded them is gone */
    return flood->method == RN_PASSAGES_NONE || !has_roofs(hooks, s) || (can_restore && !flood->restored);
}

/* Sets *can to whether the GPU can advance this world, which must not need more memory for passages, and allocates that
   memory; returns RN_MEMORY if that fails. */
static rn_result look_for_gpu_work(rn_pipe_solver *solver, const rn_forcing *forcing, bool *can) {
    *can = !((const gpu_hooks *)solver->hooks.user)->lost && forcing->copy_bytes && forcing->copy && forcing->take_back;
    return *can ? host->prepare(solver, can) : RN_OK;
}

/* Logs once why a world advances on the CPU. */
static void tell_once(gpu_hooks *hooks) {
    if (hooks->told) return;
    hooks->told = true;
    host->log(&hooks->outer, RN_LOG_WARNING,
              "the passages of this world may need more memory than was set aside for the GPU: it advances on the CPU");
}

/* After a failure of the GPU: leaves the solver as it was before the job, logs a warning, and lets the world advance on
   the CPU from now on. Returns RN_INVALID, with a message, if the GPU had too little memory for a copy. */
static rn_result make_good(gpu_hooks *hooks, bool can_restore, const char *error) {
    char text[512];
    const bool changed = *hooks->parcel.has_begun;
    if (changed && !can_restore) return host->fail(RN_INVALID, error);
    if (changed) restore_kept(hooks);
    hooks->lost = true;
    snprintf(text, sizeof text, "%s; this frame is repeated on the CPU, and the world stays there", error);
    host->log(&hooks->outer, RN_LOG_WARNING, text);
    return RN_OK;
}

/* The programs that advance a world (cuda/job.h). */
typedef enum program { GENERAL, PLAIN, LINKED } program;

/* The program for a world. can_restore: a frame can be repeated. */
static program choose_program(gpu_hooks *hooks, const rn_pipe_solver *solver, bool can_restore) {
    if (solver->flood.implicit) return GENERAL; /* or rather that with implicit substeps */
    if (is_plain(hooks, solver)) return PLAIN;
    return is_linked(hooks, solver, can_restore) ? LINKED : GENERAL;
}

/* What one world has to do in a call of advance. */
typedef struct work {
    rn_pipe_solver *solver;
    const rn_forcing *forcing;
    rn_step_report *report;
    double seconds;
    int most;         /* substeps */
    bool on_gpu;      /* it is to run there, or has run there */
    bool can_restore; /* a frame can be repeated */
    bool was_told;    /* a failed solve was logged before (rn_pipe_solver.told) */
} work;

/* The hooks of a world, and its job. */
static gpu_hooks *hooks_of(const work *w) { return w->solver->hooks.user; }
static rn_gpu_job *job_of(const work *w) { return hooks_of(w)->parcel.job; }

/* Advances a world on the CPU. */
static rn_result advance_on_cpu(const work *w) {
    return host->explicit_solver->advance(w->solver, w->seconds, w->most, w->forcing, w->report);
}

/* Makes room for the parcel of a world; copies give way where the GPU has too little memory. Returns false, with a
   message, if that is not enough. */
static bool fit_parcel(work *w) {
    gpu_hooks *hooks = hooks_of(w);
    const size_t bytes = rn_parcel_room(sizeof(rn_gpu_job)) + rn_parcel_room(sizeof *w->solver) +
                         rn_parcel_room((size_t)hooks->kept_count * sizeof *hooks->kept) +
                         w->forcing->copy_bytes(w->forcing->context);
    char error[256];
    bool fits = rn_parcel_fit(&hooks->parcel, bytes, error, sizeof error);
    if (!fits && free_copies(hooks)) {
        w->can_restore = false;
        fits = rn_parcel_fit(&hooks->parcel, bytes, error, sizeof error);
    }
    if (!fits) host->fail(RN_MEMORY, error[0] ? error : "there is too little memory to send this world to the GPU");
    return fits;
}

/* Sets where the chunks of the kept memory begin, and returns how many there are. */
static int64_t count_chunks(gpu_hooks *hooks) {
    int64_t chunks = 0;
    for (int i = 0; i < hooks->kept_count; i++) {
        hooks->kept[i].before = chunks;
        chunks += (int64_t)((hooks->kept[i].size + 8 * RN_KEPT_CHUNK - 1) / (8 * RN_KEPT_CHUNK));
    }
    return chunks;
}

/* Fills the parcel of a world, which has room, with its job for this program. */
static void fill_parcel(const work *w, program what) {
    gpu_hooks *hooks = hooks_of(w);
    rn_parcel *parcel = &hooks->parcel;
    const size_t world_bytes = w->forcing->copy_bytes(w->forcing->context);
    const int64_t chunks = count_chunks(hooks);
    rn_parcel_clear(parcel);
    rn_gpu_job *job = rn_parcel_add(parcel, NULL, sizeof *job);
    void *solver = rn_parcel_add(parcel, w->solver, sizeof *w->solver);
    void *kept = rn_parcel_add(parcel, hooks->kept, (size_t)hooks->kept_count * sizeof *hooks->kept);
    void *world = rn_parcel_add(parcel, NULL, world_bytes);
    w->forcing->copy(w->forcing->context, world, rn_parcel_there(parcel, world));
    *parcel->has_begun = false;
    *job = (rn_gpu_job){
        .place = parcel->place,
        .bytes = parcel->used,
        .pieces = rn_tile_count(&w->solver->state.columns.grid) * RN_PLAIN_PARTS,
        .solver = rn_parcel_there(parcel, solver),
        .kept = rn_parcel_there(parcel, kept),
        .kept_count = hooks->kept_count,
        .kept_chunks = w->can_restore ? chunks : 0,
        .has_begun = parcel->has_begun,
        .world = rn_parcel_there(parcel, world),
        .acts = w->forcing->sourced || w->forcing->gauged,
        .implicit = w->solver->flood.implicit,
        .is_plain = what != GENERAL,
        .plain = hooks->plain,
        .course = {.stretch = {.seconds = w->seconds, .left = w->seconds}, .most = w->most, .report = *w->report}};
    job->plain.linked = what == LINKED;
    job->plain.watches = w->solver->flood.method != RN_PASSAGES_NONE && has_roofs(hooks, &w->solver->state);
}

/* Makes the job of a world ready, and sets w->on_gpu. If the GPU cannot advance this world, it advances on the CPU at
   once. Returns RN_MEMORY, before any substep, if memory for passages, plain worlds or the copy runs out. */
static rn_result begin_work(work *w) {
    gpu_hooks *hooks = hooks_of(w);
    const rn_result ready = look_for_gpu_work(w->solver, w->forcing, &w->on_gpu);
    if (ready != RN_OK) return ready;
    if (!w->on_gpu) {
        if (!hooks->lost) tell_once(hooks);
        return advance_on_cpu(w);
    }
    if (w->report->substeps == 0) w->solver->flood.iterations = 0;
    if (w->solver->touched) /* measures, which takes one thread long */
        host->explicit_solver->stable_dt(w->solver, w->forcing);
    if (choose_program(hooks, w->solver, true) != GENERAL &&
        !fit_plain(hooks, &w->solver->hooks, &w->solver->state.columns.grid))
        return RN_MEMORY;
    w->can_restore = fit_copies(hooks);
    if (!fit_parcel(w)) return RN_MEMORY;
    w->was_told = w->solver->told;
    fill_parcel(w, choose_program(hooks, w->solver, w->can_restore));
    return RN_OK;
}

/* Runs jobs, whose messages go to the hooks of `inner`, a world's solver. Fails as rn_cuda_run does. */
static bool run_jobs(const rn_hooks *inner, rn_gpu_job *const *jobs, int count, char *error, size_t size) {
    const gpu_hooks *hooks = inner->user;
    if (rn_cuda_must_load(jobs, count))
        host->log(
            &hooks->outer, RN_LOG_INFO,
            "loading a program for the GPU; the first time its driver compiles it, which may take a minute or more");
    return rn_cuda_run(jobs, count, error, size);
}

/* Logs, as the CPU does, the first time that a solve for heads fails; the GPU has no text. */
static void tell_unsolved(const rn_pipe_solver *solver) {
    char text[256];
    const gpu_hooks *hooks = solver->hooks.user;
    snprintf(text, sizeof text,
             "the solve for the heads of full columns did not converge (residual %g m); such substeps are done "
             "explicitly, as far as possible, and nothing is lost",
             (double)solver->flood.residual);
    host->log(&hooks->outer, RN_LOG_WARNING, text);
}

/* Takes over the results of the job of a world. `fine`: it ran; otherwise `error`, of `size` bytes, says why it did
   not. If a passage has filled up, repeats the job with the general program, and if the GPU fails, all of it on the
   CPU; if there was no memory for a copy, returns RN_INVALID, and the liquid is undefined. */
static rn_result end_work(const work *w, bool fine, char *error, size_t size) {
    gpu_hooks *hooks = hooks_of(w);
    const rn_parcel *parcel = &hooks->parcel;
    rn_gpu_job *job = parcel->job;
    if (fine && job->plain.full) { /* only the general program has passages */
        restore_kept(hooks);
        fill_parcel(w, GENERAL);
        fine = run_jobs(&w->solver->hooks, &job, 1, error, size);
    }
    if (!fine) {
        const rn_result result = make_good(hooks, w->can_restore, error);
        return result == RN_OK ? advance_on_cpu(w) : result;
    }
    *w->solver = *(const rn_pipe_solver *)rn_parcel_here(parcel, job->solver);
    if (w->solver->told && !w->was_told) tell_unsolved(w->solver);
    *w->report = job->course.report;
    w->forcing->take_back(w->forcing->context, rn_parcel_here(parcel, job->world), job->world);
    if (job->course.result == RN_MEMORY)
        return host->fail(RN_MEMORY, "the memory that was set aside for the GPU did not suffice");
    return job->course.result;
}

/* rn_solver_class.advance: by `seconds` in at most `most` substeps, on the GPU if it can, else on the CPU. Adds to the
   report. Fails as begin_work and end_work do. */
static rn_result advance(void *self, double seconds, int most, const rn_forcing *forcing, rn_step_report *report) {
    work w = {.solver = self, .forcing = forcing, .report = report, .seconds = seconds, .most = most};
    char error[256] = "";
    const rn_result result = begin_work(&w);
    if (result != RN_OK || !w.on_gpu) return result;
    rn_gpu_job *job = job_of(&w);
    const bool fine = run_jobs(&w.solver->hooks, &job, 1, error, sizeof error);
    return end_work(&w, fine, error, sizeof error);
}

/* rn_solver_class.advance_many: the same for several worlds, whose jobs run at once. */
static rn_result advance_many(int count, void *const *selves, double seconds, const int *most,
                              const rn_forcing *forcing, rn_step_report *reports, rn_result *results) {
    work works[RN_MOST_WORLDS];
    rn_gpu_job *jobs[RN_MOST_WORLDS];
    const rn_hooks *inner = NULL; /* of one of them */
    char error[256] = "";
    rn_result last = RN_OK;
    int running = 0;
    for (int i = 0; i < count; i++) {
        works[i] = (work){
            .solver = selves[i], .forcing = &forcing[i], .report = &reports[i], .seconds = seconds, .most = most[i]};
        results[i] = begin_work(&works[i]);
        if (results[i] != RN_OK) last = results[i], works[i].on_gpu = false;
        if (works[i].on_gpu) inner = &works[i].solver->hooks, jobs[running++] = job_of(&works[i]);
    }
    const bool fine = running == 0 || run_jobs(inner, jobs, running, error, sizeof error);
    for (int i = 0; i < count; i++) {
        if (!works[i].on_gpu) continue;
        results[i] = end_work(&works[i], fine, error, sizeof error);
        if (results[i] != RN_OK) last = results[i];
    }
    return last;
}

__attribute__((visibility("default"))) const rn_solver_class *rn_backend_solver(const rn_backend_host *from,
                                                                                const char *solver);

/* Makes a class from one of the host's. */
static void make_class(rn_solver_class *made, const rn_solver_class *from) {
    *made = *from;
    made->backend = "cuda";
    made->meaning = "the same substeps on a GPU";
    made->create = from == host->implicit_solver ? create_implicit : create_explicit;
    made->destroy = destroy;
    made->device = device_of;
    made->advance = advance;
    made->advance_many = advance_many;
    made->resting = NULL; /* the GPU knows them, not the host */
}

/* Takes the host of the first call, and makes the classes, once: worlds of several threads use them; later calls with
   the same host do nothing. Returns false if another copy of runnel has done so. */
static bool take_host(const rn_backend_host *from) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (!host) {
        host = from;
        make_class(&explicit_class, host->explicit_solver);
        make_class(&implicit_class, host->implicit_solver);
    }
    pthread_mutex_unlock(&lock);
    return host == from;
}

/* The entry of this library (rn_backend_entry): returns its class for this solver. Returns NULL, with a
   message, for any other solver, for another version of runnel, for a second copy of runnel in the program, or if there
   is no suitable GPU. */
const rn_solver_class *rn_backend_solver(const rn_backend_host *from, const char *solver) {
    char error[256];
    if (from->version != RN_BACKEND_VERSION || from->size != sizeof(rn_pipe_solver)) {
        from->fail(RN_INVALID, "librunnel-cuda.so and runnel are of different versions; install both from one build");
        return NULL;
    }
    const bool implicit = strcmp(solver, from->implicit_solver->name) == 0;
    if (!implicit && strcmp(solver, from->explicit_solver->name) != 0) {
        from->fail(RN_INVALID,
                   "the backend \"cuda\" supports only the solvers \"explicit\" and \"implicit\"; use one of "
                   "these, or the backend \"cpu\"");
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
    return implicit ? &implicit_class : &explicit_class;
}
