/* Opens the library of a backend.

   It is looked for as RUNNEL_CUDA_LIBRARY says, then as the system's linker looks for librunnel-cuda.so. What is asked
   of it is the class of one solver; whether the machine can run that is found out there. */
#include "solver/backend.h"

#include "base/error.h"
#include "base/memory.h"
#include "solver/pipe_solver.h"

#include <string.h>

static rn_result fail(rn_result result, const char *text) { return rn_fail(result, "%s", text); }

static void log_text(const rn_hooks *hooks, rn_log_level level, const char *text) { rn_log(hooks, level, "%s", text); }

static const rn_backend_host *host(void) {
    static rn_backend_host made;
    made = (rn_backend_host){.version = RN_BACKEND_VERSION,
                             .size = sizeof(rn_pipe_solver),
                             .explicit_solver = &rn_solver_explicit,
                             .fail = fail,
                             .log = log_text,
                             .alloc = rn_alloc,
                             .free = rn_free,
                             .prepare = rn_flood_prepare};
    return &made;
}

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
    if (!entry) return rn_fail(RN_INVALID, "%s is no library of runnel's: it has no %s", file, RN_BACKEND_ENTRY);
    *found = entry(host(), solver);
    return *found ? RN_OK : RN_INVALID;
}

#endif
