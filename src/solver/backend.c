/* Opens the library of a backend, which holds solvers for another device than the CPU.

   Interface: rn_backend_find (solver/backend.h). rn_solver_find calls it whenever a world or a scene asks for the
   backend "cuda"; it needs no earlier call.

   The library is the file that the environment variable RUNNEL_CUDA_LIBRARY names, else librunnel-cuda.so where the
   dynamic linker finds it. Its entry function gets the functions of this library that it needs (host) and returns
   the class of one solver, or fails if the machine has no suitable GPU. The library is never closed, because drivers
   keep threads of their own. On Windows and in browsers there are no backends. */
#include "solver/backend.h"

#include "base/error.h"
#include "base/memory.h"
#include "solver/pipe_solver.h"

#include <string.h>

/* Stores a message for rn_last_error, as a plain text and not as a format. Returns `result`. */
static rn_result fail_with_text(rn_result result, const char *text) { return rn_fail(result, "%s", text); }

/* Passes a message to the log hook, as a plain text and not as a format. */
static void log_text(const rn_hooks *hooks, rn_log_level level, const char *text) { rn_log(hooks, level, "%s", text); }

/* rn_backend_host.prepare: see there. */
static rn_result prepare(rn_pipe_solver *solver, bool *enough) {
    rn_result result = RN_OK;
    if (solver->flood.implicit) result = rn_multigrid_fit(&solver->flood.grid, &solver->state);
    if (solver->flood.implicit && result == RN_OK) result = rn_implicit_fit(&solver->implicit, &solver->state);
    return result == RN_OK ? rn_flood_prepare(&solver->flood, &solver->state, enough) : result;
}

/* The functions of this library that a backend uses. Static, as backends keep the pointer. */
static const rn_backend_host host = {.version = RN_BACKEND_VERSION,
                                     .size = sizeof(rn_pipe_solver),
                                     .explicit_solver = &rn_solver_explicit,
                                     .implicit_solver = &rn_solver_implicit,
                                     .fail = fail_with_text,
                                     .log = log_text,
                                     .alloc = rn_alloc,
                                     .free = rn_free,
                                     .prepare = prepare};

#if defined(_WIN32) || defined(__wasm__)

rn_result rn_backend_find(const char *solver, const char *backend, const rn_solver_class **found) {
    (void)host, (void)found;
    return rn_fail(RN_INVALID, "the solver \"%s\" has no backend \"%s\" on this system; leave it at \"cpu\"", solver,
                   backend);
}

#else

#include <dlfcn.h>
#include <stdlib.h>

rn_result rn_backend_find(const char *solver, const char *backend, const rn_solver_class **found) {
    const char *own = getenv("RUNNEL_CUDA_LIBRARY"), *file = own && *own ? own : "librunnel-cuda.so";
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL); /* never closed: drivers keep threads of their own */
    if (!library)
        return rn_fail(RN_INVALID,
                       "the backend \"%s\" needs %s (%s); install it, set RUNNEL_CUDA_LIBRARY to its path, or use the "
                       "backend \"cpu\"",
                       backend, file, dlerror());
    rn_backend_entry entry;
    void *symbol = dlsym(library, RN_BACKEND_ENTRY);
    memcpy(&entry, &symbol, sizeof entry); /* ISO C has no cast for this */
    if (!entry) return rn_fail(RN_INVALID, "%s is not a library of runnel: it has no %s", file, RN_BACKEND_ENTRY);
    *found = entry(&host, solver);
    return *found ? RN_OK : RN_INVALID;
}

#endif
