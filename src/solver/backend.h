/* Solvers that run on something else than the CPU, in libraries of their own: librunnel-cuda.so has those for NVIDIA's
   GPUs (src/cuda). A library is opened when a world first asks for its backend, so programs start without it, and run
   on machines that have none. */
#ifndef RN_SOLVER_BACKEND_H
#define RN_SOLVER_BACKEND_H

#include "solver/pipe_self.h"

/* What such a library uses of this one. It links nothing of it: both may be of any kind, static or shared. */
typedef struct rn_backend_host {
    int version; /* RN_BACKEND_VERSION */
    size_t size; /* bytes of an rn_pipe_solver: both must have been built from the same sources */
    const rn_solver_class *explicit_solver;
    rn_result (*fail)(rn_result result, const char *text); /* leaves the text for rn_last_error */
    void (*log)(const rn_hooks *hooks, rn_log_level level, const char *text);
    void *(*alloc)(const rn_hooks *hooks, size_t count, size_t size);
    void (*free)(const rn_hooks *hooks, void *memory);
    rn_result (*prepare)(rn_flood *flood, rn_state *state, bool *enough); /* rn_flood_prepare */
} rn_backend_host;

enum { RN_BACKEND_VERSION = 1 };

/* The library's one symbol, RN_BACKEND_ENTRY: its class for a solver of this name, or NULL with an error text. */
typedef const rn_solver_class *(*rn_backend_entry)(const rn_backend_host *host, const char *solver);
#define RN_BACKEND_ENTRY "rn_backend_solver"

/* The class of a solver on this backend. Fails if its library or the machine's driver is missing, with a message that
   says which. */
rn_result rn_backend_find(const char *solver, const char *backend, const rn_solver_class **found);

#endif
